# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PKG-01: four files that include every public header and use it, two of them compiled by nvcc, become one program, and the two a
shared library. PKG-11: what they compute and the sizes they see are the same. PKG-02: the library keeps its kernels to itself, so that those
of another one, for another GPU, are not taken for them.

    link.py GXX NVCC OPTIMISATION RDC        RDC, true or false: relocatable device code
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

gxx, nvcc, optimisation, rdc = sys.argv[1:]
here = pathlib.Path(__file__).parent
on_nvcc = [nvcc, "-std=c++17", "-arch=sm_80", f"-rdc={rdc}", "-Xcompiler", f"-fPIC,{optimisation}"]
checks = house.Checks()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "every_header.hpp").write_text(house.include_all(house.public_headers()))
    include = [f"-I{house.INCLUDE}", f"-I{folder}"]
    built = []
    for source in ("a.cpp", "b.cpp", "a.cu", "b.cu"):
        compiler = [gxx, "-std=c++17", optimisation, "-fPIC"] if source.endswith(".cpp") else on_nvcc
        built.append(folder / f"{source}.o")
        checks.compiles(source, [*compiler, *include, "-c", here / source, "-o", built[-1]])
    program = folder / "program"
    if checks.failed == 0 and checks.compiles("one program", [*on_nvcc, *built, "-o", program]):
        status, output = house.run([program])
        checks.that(status == 0, "the four files agree", output)
    library = folder / "library.so"
    if checks.failed == 0 and checks.compiles("a shared library", [*on_nvcc, "-shared", *built[2:], "-o", library]):
        kernels = {words: [line for line in house.run(["nm", *words, library])[1].splitlines() if "kernel_entry" in line.split("(")[0]]
                   for words in ((), ("-D", "--defined-only"))}
        checks.that(len(kernels[()]) > 1, "the library has kernels", "nm finds none")
        checks.that(not kernels[("-D", "--defined-only")], "no kernel is visible outside", "\n".join(kernels[("-D", "--defined-only")]))
checks.end()
