# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PRIM-11: no kernel of a source file spills or has a stack.

    spills.py NVCC SOURCE ARCH...
    spills.py --self-test NVCC            a kernel that needs a stack must be found
"""

import pathlib
import sys
import tempfile

import report
import house


def check(checks, nvcc, source, arch):
    with tempfile.TemporaryDirectory() as folder:
        output = report.compile_to_cubin(checks, nvcc, source, arch, pathlib.Path(folder) / "any.cubin")
    if output is None:
        return
    kernels = report.parse(output)
    report.check_registers_only(checks, arch, kernels, output)
    for name, used in kernels.items():
        print(f"{arch} {used.registers:4} registers {used.shared_bytes:6} bytes shared  {report.demangled(name)}")


def self_test(checks, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "stack.cu"
        source.write_text("__global__ void k(int* p) { int a[64]; for (int i = 0; i < 64; ++i) a[i] = p[i];\n"
                          "  for (int i = 0; i < 64; ++i) p[i] = a[p[i] & 63]; }\n")
        seen = house.Checks()
        print("(the planted kernel must fail:)")
        check(seen, nvcc, source, "sm_80")
        checks.that(seen.failed == 1, "planted: an array indexed at run time")


checks = house.Checks()
if sys.argv[1] == "--self-test":
    self_test(checks, sys.argv[2])
else:
    for arch in sys.argv[3:]:
        check(checks, sys.argv[1], sys.argv[2], arch)
checks.end()
