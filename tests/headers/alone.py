# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each header, the way users meet it.

    alone.py plain COMPILER                  PKG-05: a host compiler, no CUDA
    alone.py with-cuda COMPILER FOLDER...    a host compiler, CUDA's own headers (in these folders) before memtile's, and after them
    alone.py traps COMPILER                  PKG-03, PKG-04: all of them, twice, among macros of other people
    alone.py macros COMPILER                 PKG-04: memtile's macros all begin with MEMTILE
    alone.py nvcc NVCC [HEADER]              PKG-03, PKG-04, PKG-08: as traps, one public header; without HEADER every header at once
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

NO_CUDA = """
#if defined(CUDART_VERSION) || defined(__DRIVER_TYPES_H__) || defined(__CUDA_FP16_H__)
#error "the header brings CUDA's headers into a host build"
#endif
"""
CUDA_S_OWN = house.include_all(["cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"])

# min and max may be defined, and are so afterwards: a second #define with another text is an error under -Werror.
MIN_MAX = """
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
"""
STILL_THERE = "#if !defined(min) || !defined(max)\n#error \"min or max has been undefined\"\n#endif" + MIN_MAX
TAKEN = ["CHECK", "ASSERT", "TILE", "N", "M", "K", "WARP_SIZE", "DIV_UP", "CEIL_DIV", "I", "small", "B0"]
NONSENSE = "".join(f"#define {name} )nonsense(\n" for name in TAKEN)
NOT_TRAPPED = ("memtile/sim/catch2.hpp",)  # brings Catch2, which has a macro CHECK of its own


def trapped_headers():
    return [name for name in house.headers() if name not in NOT_TRAPPED]


def headers_of_others():
    """Whatever memtile includes that is not its own: the standard library's."""
    found = set()
    for name in trapped_headers():
        found |= set(re.findall(r"#\s*include <((?!memtile/)[^>]+)>", (house.INCLUDE / name).read_text()))
    return house.include_all(sorted(found))


def among_traps(names):
    """The standard library comes first: libstdc++ itself undefines min and max, and does not compile where they come back."""
    return headers_of_others() + MIN_MAX + NONSENSE + house.include_all(names, twice=True) + STILL_THERE


def plain(checks, compiler):
    for name in house.headers():
        checks.compiles(name, house.on_host(compiler), house.include_all([name]) + NO_CUDA)


def with_cuda(checks, compiler, *cuda):
    flags = [word for folder in cuda for word in ("-isystem", folder)]
    every_header = house.include_all(house.headers())
    checks.compiles("after CUDA's headers", house.on_host(compiler, flags=flags), CUDA_S_OWN + every_header)
    checks.compiles("before CUDA's headers", house.on_host(compiler, flags=flags), every_header + CUDA_S_OWN)


def traps(checks, compiler):
    checks.compiles("every header", house.on_host(compiler), among_traps(trapped_headers()))


def macros(checks, compiler):
    def defined_by(source):
        status, output = house.run([compiler, "-x", "c++", "-std=c++17", f"-I{house.INCLUDE}", "-dM", "-E", "-"], source)
        checks.that(status == 0, "the preprocessor runs", house.first_lines(output))
        return set(re.findall(r"^#define (\w+)", output, flags=re.M))

    added = defined_by(house.include_all(trapped_headers())) - defined_by(headers_of_others())
    checks.that("MEMTILE_FUNCTION" in added, "memtile's own macros are seen", str(sorted(added)))
    foreign = sorted(name for name in added if not name.startswith(("MEMTILE_", "_")))  # _: the compiler's and its library's
    checks.that(not foreign, "every macro that memtile adds begins with MEMTILE_", ", ".join(foreign))


def nvcc(checks, compiler, *wanted):
    names = list(wanted) or trapped_headers()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "alone.cu"
        source.write_text(among_traps(names))
        checks.compiles(" ".join(wanted) or "every header", house.on_nvcc(compiler, source, folder))


checks = house.Checks()
{"plain": plain, "with-cuda": with_cuda, "traps": traps, "macros": macros, "nvcc": nvcc}[sys.argv[1]](checks, *sys.argv[2:])
checks.end()
