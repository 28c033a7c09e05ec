# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PKG-09: every header, contract program and example (of nvcc in C++17 alone) in one standard with one compiler, all warnings errors.

    standards.py COMPILER STANDARD           COMPILER is g++, clang++ or nvcc, by name or path
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

compiler, standard = sys.argv[1:]
support = house.ROOT / "tests/support"
checks = house.Checks()
with tempfile.TemporaryDirectory() as folder:
    every_header = pathlib.Path(folder) / "every_header.cu"
    every_header.write_text(house.include_all(house.headers()))
    is_nvcc = pathlib.Path(compiler).name == "nvcc"
    examples = [] if is_nvcc and standard != "c++17" else sorted(house.ROOT.glob("examples/*.cu"))  # nvcc takes long for them
    for source in [every_header, *sorted(house.ROOT.glob("tests/contract/*.cu")), *examples]:
        if is_nvcc:
            command = house.on_nvcc(compiler, source, folder, standard, [f"-I{support}"])
            checks.compiles(source.name, command)
        else:
            command = house.on_host(compiler, house.spelled(standard, compiler), [f"-I{support}", f"-I{source.parent}"])
            checks.compiles(source.name, command, source.read_text())
checks.end()
