# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts parts of CUDA into a folder, from NVIDIA's packages on PyPI: what the machine has not got, once.

    cuda_from_pypi.py FOLDER

    FOLDER/13.0       nvcc, NVRTC, headers; only where there is no nvcc
    FOLDER/12.9       NVRTC and headers (NVIDIA's packages of 12.9 hold no nvcc)
    FOLDER/nvdisasm   the disassembler; only where there is none
"""

import os
import pathlib
import shutil
import subprocess
import sys

TOOLKIT = ["nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-cuda-nvrtc"]
PARTS_OF_12 = ["nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-cccl-cu12"]


def install(folder, packages):
    if folder.exists():
        return
    print(f"installing {' '.join(packages)} into {folder}", flush=True)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    failed = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
                    "--target", partial, *packages], env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}).returncode
    if failed:
        sys.exit("pip could not install them")
    partial.rename(folder)


def has(program):
    places = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin", "/usr/local/cuda/bin"]
    return shutil.which(program) or any(shutil.which(program, path=place) for place in places)


root = pathlib.Path(sys.argv[1])
root.mkdir(parents=True, exist_ok=True)
if not has("nvcc"):
    install(root / "13.0", [f"{name}==13.0.*" for name in TOOLKIT])
    toolkit = root / "13.0/nvidia/cu13"
    if not (toolkit / "lib64").exists():
        (toolkit / "lib64").symlink_to("lib")
if not has("nvdisasm"):
    install(root / "nvdisasm", ["nvidia-cuda-nvdisasm==13.*"])
install(root / "12.9", [f"{name}==12.9.*" for name in PARTS_OF_12])
