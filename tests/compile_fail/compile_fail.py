# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources that must not compile, and the words they are refused with.

    compile_fail.py FILE HOST_COMPILER [NVCC]

FILE says in comments what is expected of it:

    // expect: REGEX      the first error that the compiler prints must match
    // compiler: nvcc     instead of the host compiler
    // flags: ...         further flags of the compile that must fail

With FIXED defined, and without those flags, the same file must compile.
With --self-test as FILE: three wrong files must be found wrong.
"""

import pathlib
import re
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house


def asked_for(text, key):
    found = re.search(rf"^// {key}: (.*)$", text, flags=re.M)
    return found.group(1) if found else ""


def why_wrong(path, host_compiler, nvcc):
    """What is wrong with the file, or nothing."""
    text = path.read_text()
    expected, flags = asked_for(text, "expect"), shlex.split(asked_for(text, "flags"))
    if not expected:
        return "has no line '// expect: REGEX'"
    with tempfile.TemporaryDirectory() as folder:
        if asked_for(text, "compiler") == "nvcc":
            command = [nvcc, "-std=c++17", "-arch=sm_80", f"-I{house.INCLUDE}", "-c", "-o", f"{folder}/any.o"]
        else:
            command = [host_compiler, "-x", "c++", "-std=c++17", f"-I{house.INCLUDE}", "-fsyntax-only"]
        status, output = house.run(command + flags + [path])
        if status == 0:
            return "compiles, and must not"
        errors = [line for line in output.splitlines() if re.search(r"\berror\b", line)]
        if not errors or not re.search(expected, errors[0]):
            return f"fails, but its first error does not match '{expected}':\n{house.first_lines(output)}"
        status, output = house.run(command + ["-DFIXED", path])
        if status != 0:
            return f"must compile with -DFIXED:\n{house.first_lines(output)}"


def self_test(checks, host_compiler):
    planted = {
        "compiles, and must not": "// expect: any\nint good;\n",
        "does not match": "// expect: other words\nstatic_assert(false, \"these words\");\n",
        "must compile with -DFIXED": "// expect: these words\nstatic_assert(false, \"these words\");\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        for words, text in planted.items():
            path = pathlib.Path(folder) / "planted.cu"
            path.write_text(text)
            found = why_wrong(path, host_compiler, None) or "nothing"
            checks.that(words in found, f"planted: {words}", found)


checks = house.Checks()
name, host_compiler, nvcc = (sys.argv[1:] + [None])[:3]
if name == "--self-test":
    self_test(checks, host_compiler)
else:
    wrong = why_wrong(pathlib.Path(name), host_compiler, nvcc)
    checks.that(not wrong, name, wrong or "")
checks.end()
