# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PKG-07: functors without a flag, and lambdas for host and device with nvcc's flag for them.

    lambda.py NVCC
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

nvcc, = sys.argv[1:]
checks = house.Checks()
with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "program"
    for flags in ([], ["--extended-lambda"]):
        words = " ".join(["nvcc", *flags])
        command = [nvcc, "-std=c++17", "-arch=sm_80", *flags, f"-I{house.INCLUDE}", pathlib.Path(__file__).parent / "lambda.cu", "-o", program]
        if checks.compiles(words, command):
            status, output = house.run([program])
            checks.that(status == 0, f"{words}: functors and lambdas agree", output)
checks.end()
