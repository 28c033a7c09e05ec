# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests that keep the house share: which headers there are, running a compiler, saying what failed."""

import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


def headers():
    """Every header, as it is written in an #include."""
    found = [p for p in INCLUDE.rglob("*") if p.suffix in (".hpp", ".cuh")]
    return sorted(str(p.relative_to(INCLUDE)) for p in found)


def public_headers():
    """What users include: the ones at the top of the tree."""
    return [h for h in headers() if h.count("/") == 1]


def device_headers():
    """The public headers for device code, which NVRTC compiles as well."""
    return [h for h in public_headers() if h.endswith(".cuh") and h != "memtile/sim.cuh"]


def include_all(names, twice=False):
    return "".join(f"#include <{name}>\n" * (2 if twice else 1) for name in names)


def run(command, source=None):
    """Runs a command, `source` on its standard input. Returns its exit status and all that it printed."""
    result = subprocess.run([str(word) for word in command], input=source, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def on_host(compiler, standard="c++17", flags=()):
    """The command of a syntax check of a C++ source, which comes on standard input."""
    return [compiler, "-x", "c++", f"-std={standard}", *WARNINGS, f"-I{INCLUDE}", *flags, "-fsyntax-only", "-"]


def on_nvcc(nvcc, source, folder, standard="c++17", flags=()):
    """The command of a check of a CUDA source by nvcc, for both machines, without a second spent on optimising."""
    quick = ["-Xcicc", "-O0", "-Xptxas", "-O0", "-Xcompiler", "-fsyntax-only"]
    warnings = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Wshadow,-Werror"]
    return [nvcc, f"-std={standard}", "-arch=sm_80", *warnings, *quick, f"-I{INCLUDE}", *flags, "-c", source, "-o", f"{folder}/any.o"]


def first_lines(text, count=16):
    lines = text.splitlines()
    return "\n".join(lines[:count] + [f"... and {len(lines) - count} lines more"] * (len(lines) > count))


def spelled(standard, compiler):
    """clang 14 knows C++23 by its working name."""
    return "c++2b" if standard == "c++23" and "clang" in compiler else standard


class Checks:
    """Counts checks, prints those that fail, and ends the program. A run without a single check has failed."""

    def __init__(self):
        self.done = self.failed = 0

    def that(self, good, name, detail=""):
        self.done += 1
        if not good:
            self.failed += 1
            print(f"FAILED: {name}\n{detail.rstrip()}\n")
        return good

    def compiles(self, name, command, source=None):
        status, output = run(command, source)
        return self.that(status == 0, name, f"{shlex.join(map(str, command))}\n{first_lines(output)}")

    def end(self):
        if self.done == 0:
            print("FAILED: nothing was checked")
        else:
            print(f"{self.done - self.failed} of {self.done} checks hold")
        sys.exit(self.failed > 0 or self.done == 0)
