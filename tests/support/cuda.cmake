# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where the CUDA tools are that the kernels tests run. cuda_from_pypi.py puts what the machine lacks into build/cuda.
set(from_pypi ${PROJECT_SOURCE_DIR}/build/cuda)
set(advice "tests/run gets what is missing; or run python3 tests/support/cuda_from_pypi.py build/cuda")

find_program(MEMTILE_NVCC nvcc HINTS ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda ${from_pypi}/13.0/nvidia/cu13)
find_program(MEMTILE_NVDISASM nvdisasm PATHS ${from_pypi}/nvdisasm/nvidia/cu13 PATH_SUFFIXES bin)
if(NOT MEMTILE_NVCC OR NOT MEMTILE_NVDISASM OR NOT EXISTS ${from_pypi}/12.9)
  message(FATAL_ERROR "the kernels tests need nvcc, nvdisasm and the parts of CUDA 12.9: ${advice}")
endif()
file(REAL_PATH ${MEMTILE_NVCC} real_nvcc)
cmake_path(GET real_nvcc PARENT_PATH toolkit)
cmake_path(GET toolkit PARENT_PATH toolkit)
set(cuda_include ${toolkit}/include)
file(GLOB cuda_nvrtc ${toolkit}/lib64/libnvrtc.so.?? ${toolkit}/lib/libnvrtc.so.??)
file(GLOB cuda_12_include ${from_pypi}/12.9/nvidia/*/include)
file(GLOB cuda_12_nvrtc ${from_pypi}/12.9/nvidia/cuda_nvrtc/lib/libnvrtc.so.12)
if(NOT cuda_nvrtc OR NOT cuda_12_nvrtc)
  message(FATAL_ERROR "libnvrtc is missing in ${toolkit} or ${from_pypi}/12.9: ${advice}")
endif()
list(GET cuda_nvrtc 0 cuda_nvrtc)
