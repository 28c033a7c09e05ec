# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines on a CUDA runtime that needs no GPU, does everything as late as it may, and fails where the test wants it.

    late_runtime.py GXX NVCC CUDA_INCLUDE
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

gxx, nvcc, cuda_include = sys.argv[1:]
here = pathlib.Path(__file__).parent
checks = house.Checks()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    pipeline, runtime, program = folder / "pipeline.o", folder / "runtime.o", folder / "program"
    sanitized = ["-fsanitize=address"]
    checks.compiles("pipeline.cu", [nvcc, "-std=c++17", "-arch=sm_80", "-Xcompiler", *sanitized, f"-I{house.INCLUDE}",
                                    "-c", here / "pipeline.cu", "-o", pipeline])
    checks.compiles("late_runtime.cpp", [gxx, "-std=c++17", *sanitized, "-isystem", cuda_include, "-c", here / "late_runtime.cpp", "-o", runtime])
    if checks.failed == 0 and checks.compiles("a program", [gxx, *sanitized, pipeline, runtime, "-o", program]):
        status, output = house.run([program])
        checks.that(status == 0, "every frame is right and nothing is kept", output)
checks.end()
