# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
foreach(tier house kernels)
  if(NOT tier IN_LIST MEMTILE_TESTS)
    continue()
  endif()
  set(with_cuda)
  if(tier STREQUAL "kernels")
    set(with_cuda -DCONSUMER_CUDA=ON -DCMAKE_CUDA_COMPILER=${MEMTILE_NVCC} -DCMAKE_CUDA_ARCHITECTURES=90a)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${tier})
  add_test(NAME ${tier}.consumer.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${folder}/prefix)
  set_tests_properties(${tier}.consumer.install PROPERTIES LABELS ${tier} FIXTURES_SETUP ${tier}_installed)
  foreach(from package subdirectory fetchcontent)
    add_test(NAME ${tier}.consumer.${from}
      COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/${from}
        --build-generator ${CMAKE_GENERATOR} --build-noclean
        --build-options -DMEMTILE_FROM=${from} -DMEMTILE_SOURCE=${PROJECT_SOURCE_DIR} -Dmemtile_ROOT=${folder}/prefix
          -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${with_cuda}
        --test-command consumer)
    set_tests_properties(${tier}.consumer.${from} PROPERTIES LABELS ${tier} FIXTURES_REQUIRED ${tier}_installed)
  endforeach()

  set(starter_with_cuda)
  if(tier STREQUAL "kernels")
    set(starter_with_cuda -DWITH_CUDA=ON -DCMAKE_CUDA_COMPILER=${MEMTILE_NVCC} -DCMAKE_CUDA_ARCHITECTURES=90a)
  endif()
  add_test(NAME ${tier}.consumer.starter  # what users copy; here with this memtile
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR}/examples/starter ${folder}/starter
      --build-generator ${CMAKE_GENERATOR} --build-noclean
      --build-options -DFETCHCONTENT_SOURCE_DIR_MEMTILE=${PROJECT_SOURCE_DIR}
        -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${starter_with_cuda}
      --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error)
  set_tests_properties(${tier}.consumer.starter PROPERTIES LABELS ${tier})
endforeach()
