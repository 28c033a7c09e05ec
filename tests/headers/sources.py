# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the source text: which header may include which, and what every header has or must not have.

    {launch, sim} -> algorithm -> block -> {global, shared, reg} -> hw -> core

An arrow says "may include"; a folder may also skip some. Headers at the top of the tree may include anything.
With --self-test: each rule is broken once in a planted tree, and must be found there.
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

LEVEL = {"core": 0, "hw": 1, "global": 2, "shared": 2, "reg": 2, "block": 3, "algorithm": 4, "launch": 5, "sim": 5}
MAY_ASK_FOR_THE_MACHINE = ("core/config.hpp", "core/math.hpp")  # and all of hw/: they may say __CUDA_ARCH__
LONGEST = 400
SPDX = ("SPDX-FileCopyrightText: The memtile authors", "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")


def without_comments(text):
    """The text with comments blanked out; line numbers stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0)) if match.group(0)[0] == "/" else match.group(0)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def lines_with_guard(text):
    """Each line, with its number and whether the preprocessor hides it from NVRTC."""
    hidden = []  # of every open #if: is the current branch hidden
    was = []     # and: would its #else be
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", line)
        if directive:
            word, condition = directive.group(1), re.sub(r"\s", "", directive.group(2))
            if word in ("if", "ifdef", "ifndef"):
                not_rtc = (word, condition) == ("ifndef", "__CUDACC_RTC__")
                is_rtc = (word, condition) in (("ifdef", "__CUDACC_RTC__"), ("if", "defined(__CUDACC_RTC__)"))
                conjuncts = condition.split("&&") if word == "if" and "||" not in condition else []
                hidden.append(not_rtc or "!defined(__CUDACC_RTC__)" in conjuncts)
                was.append(is_rtc)
            elif word == "elif":
                hidden[-1] = was[-1] or "!defined(__CUDACC_RTC__)" in condition.split("&&")
            elif word == "else":
                hidden[-1] = was[-1]
            else:
                hidden.pop()
                was.pop()
        yield number, line, any(hidden)


def read_by_nvrtc(include):
    """The headers that NVRTC reads when it is given a public device header: it has no standard library."""
    seen = set()
    waiting = [path.name for path in include.glob("*.cuh") if path.name != "sim.cuh"]
    while waiting:
        own = waiting.pop()
        path = include / own
        if own in seen or not path.is_file():
            continue
        seen.add(own)
        for _, line, hidden in lines_with_guard(without_comments(path.read_text())):
            included = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
            if included and not hidden:
                waiting.append(target_of(included.group(1), path, include) or "")
    return seen - {""}


def target_of(name, path, include):
    """The header that an #include means, relative to include/memtile; None if it is not one of memtile's."""
    if name.startswith("memtile/"):
        return name[len("memtile/"):]
    beside = (path.parent / name).resolve()
    return str(beside.relative_to(include)) if beside.is_file() and beside.is_relative_to(include) else None


def violations(include):
    """Every broken rule under include/memtile, as 'file:line: words'."""
    include = include.resolve()
    found = []
    for_nvrtc = read_by_nvrtc(include)
    for path in sorted(p for p in include.rglob("*") if p.is_file()):
        own = str(path.relative_to(include))
        folder = own.split("/")[0] if "/" in own else None
        text = path.read_text()

        def broken(number, words):
            found.append(f"memtile/{own}:{number}: {words}")

        if folder is not None and folder not in LEVEL:
            broken(1, f"the folder '{folder}' is not part of the house: {', '.join(LEVEL)}")
            continue
        if path.suffix not in (".hpp", ".cuh"):
            broken(1, "a header must end in .hpp or .cuh")
        for number, words in enumerate(SPDX):
            if text.splitlines()[number:number + 1] != [f"// {words}"]:
                broken(number + 1, f"must be: // {words}")
        if len(re.findall(r"^#pragma once$", text, flags=re.M)) != 1:
            broken(1, "must have one #pragma once")
        if text.count("\n") > LONGEST:
            broken(LONGEST, f"must have at most {LONGEST} lines, has {text.count(chr(10))}")

        for number, line, hidden in lines_with_guard(without_comments(text)):
            if "__CUDA_ARCH__" in line and folder != "hw" and own not in MAY_ASK_FOR_THE_MACHINE:
                broken(number, f"__CUDA_ARCH__ may stand only in hw/, {' and '.join(MAY_ASK_FOR_THE_MACHINE)}")
            if re.search(r"\busing\s+namespace\b", line):
                broken(number, "using namespace must not stand in a header")
            macro = re.match(r"\s*#\s*define\s+(\w+)", line)
            if macro and not macro.group(1).startswith("MEMTILE_"):  # PKG-04
                broken(number, f"the macro {macro.group(1)} must begin with MEMTILE_")
            included = re.match(r'\s*#\s*include\s*(.*)', line)
            if not included:
                continue
            name = re.match(r'[<"]([^>"]+)[>"]', included.group(1))
            if not name:
                broken(number, "an #include must name its file, not a macro")
                continue
            name = name.group(1)
            target = target_of(name, path, include)
            if target is None:
                if not hidden and own in for_nvrtc:
                    broken(number, f"<{name}> must be hidden from NVRTC: #if !defined(__CUDACC_RTC__)")
                continue
            if not (include / target).is_file():
                broken(number, f"<memtile/{target}> does not exist")
            elif not name.startswith("memtile/"):
                broken(number, f'must be written <memtile/{target}>')
            to = target.split("/")[0] if "/" in target else None
            if folder is not None and to is None and target != "version.hpp":
                broken(number, f"points up: {folder}/ may not include the public header {target}")
            elif folder is not None and to is not None and folder != to and LEVEL[to] >= LEVEL[folder]:
                sideways = "sideways" if LEVEL[to] == LEVEL[folder] else "up"
                broken(number, f"points {sideways}: {folder}/ may not include {to}/")
    return found


def without_spdx(root):
    """The source files of the project that do not begin with the two SPDX lines, after a line for the shell if any."""
    paths = [root / "CMakeLists.txt", root / ".ci/run"]
    for folder in ("cmake", "examples", "include", "tests"):
        paths += [p for p in (root / folder).rglob("*") if p.name == "CMakeLists.txt" or p.name == "run"
                  or p.suffix in (".hpp", ".cuh", ".cu", ".cpp", ".py", ".cmake", ".sh")]
    for path in sorted(paths):
        lines = [line.lstrip("/# ") for line in path.read_text().splitlines()[:3] if not line.startswith("#!")]
        if tuple(lines[:2]) != SPDX:
            yield f"{path.relative_to(root)}:1: must begin with the two SPDX lines"


def self_test(checks):
    head = f"// {SPDX[0]}\n// {SPDX[1]}\n#pragma once\n"
    planted = {  # the text after the head of a header, where it stands, and the words that must be found
        "points up": ("core/up.hpp", "#include <memtile/hw/good.hpp>\n"),
        "points sideways": ("shared/sideways.hpp", "#include <memtile/reg/good.hpp>\n"),
        "points sideways: sim/": ("sim/launcher.hpp", "#include <memtile/launch/good.hpp>\n"),
        "may not include the public header": ("block/public.hpp", "#include <memtile/top.cuh>\n"),
        "must be written <memtile/core/good.hpp>": ("hw/relative.hpp", '#include "../core/good.hpp"\n'),
        "points up: core/ may not include block/": ("core/relative.hpp", '#include "../block/good.hpp"\n'),
        "does not exist": ("core/missing.hpp", "#include <memtile/core/missing_too.hpp>\n"),
        "<vector> must be hidden": ("standard.cuh", "#if defined(__CUDACC__)\n#include <vector>\n#endif\n"),
        "<string> must be hidden": ("other.cuh", "#ifndef __CUDACC_RTC__\n#else\n#include <string>\n#endif\n"),
        "launch/good.hpp:4: <vector> must be hidden": ("host.cuh", "#include <memtile/launch/good.hpp>\n"),
        "__CUDA_ARCH__ may": ("block/machine.hpp", "#ifdef __CUDA_ARCH__\n#endif\n"),
        "using namespace": ("core/using.hpp", "using namespace memtile;\n"),
        "macro CEIL_DIV": ("core/macro.hpp", "#define CEIL_DIV(a, b) 0\n"),
        "at most 400 lines": ("core/long.hpp", "\n" * 400),
        "not part of the house": ("detail/any.hpp", ""),
    }
    good = {
        "top.cuh": "#include <memtile/block/good.hpp>\n#if !defined(__CUDACC_RTC__)\n#include <memtile/launch/good.hpp>\n#endif\n",
        "core/good.hpp": "#if defined(A) && !defined(__CUDACC_RTC__)\n#if B\n#include <string>\n#endif\n#endif\n",
        "hw/good.hpp": "#include <memtile/core/good.hpp>  // #include <vector>\n#ifdef __CUDA_ARCH__\n#endif\n",
        "reg/good.hpp": "#include <memtile/core/good.hpp>\n/* using namespace std; */\n",
        "block/good.hpp": "#include <memtile/reg/good.hpp>\n#include <memtile/hw/good.hpp>\n",
        "launch/good.hpp": "#include <vector>\n#include <memtile/block/good.hpp>\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder)
        write = lambda name, text: ((include / name).parent.mkdir(exist_ok=True), (include / name).write_text(text))
        for name, text in good.items():
            write(name, head + text)
        found = violations(include)
        checks.that(not found, "a good tree is found good", "\n".join(found))
        for words, (name, text) in planted.items():
            write(name, head + text)
            found = violations(include)
            checks.that(any(words in line for line in found), f"planted: {words}", "\n".join(found))
            (include / name).unlink()
        for words, text in (("must have one #pragma once", head.replace("#pragma once\n", "")), ("must be: // SPDX", "#pragma once\n")):
            write("core/head.hpp", text)
            checks.that(any(words in line for line in violations(include)), f"planted: {words}")


checks = house.Checks()
if "--self-test" in sys.argv:
    self_test(checks)
else:
    found = violations(house.INCLUDE / "memtile")
    checks.that(not found and house.headers(), "rules of the headers", "\n".join(found))
    found = list(without_spdx(house.ROOT))
    checks.that(not found, "every source file names its licence", "\n".join(found))
checks.end()
