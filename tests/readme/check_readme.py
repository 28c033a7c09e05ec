# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the README shows is what the files in this folder hold, and does what the README says.

    check_readme.py text                 each block of code is the text between two marks, [readme:NAME] and [readme:end]; links lead somewhere
    check_readme.py console              the commands after "$ " run where the README's code lies, and print what stands below them
    check_readme.py cmake CXX_COMPILER   a project with each block of CMake in it builds
    check_readme.py --self-test          a README with a planted fault is found wrong
    check_readme.py --update             writes into the README what text and console want there
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

HERE = pathlib.Path(__file__).resolve().parent
README = house.ROOT / "README.md"
MARKED = r"^ *(?://|#) \[readme:(\w+)\]\n(.*?)^ *(?://|#) \[readme:end\]\n"
BLOCK = r"^```(\w*)\n(.*?)^```\n"
LONGEST = 200


def snippets():
    """The marked texts, by name, each with the file it stands in. Parts of one name belong together, a blank line between."""
    found = {}
    for path in sorted(HERE.iterdir()):
        if path.suffix in (".cu", ".cmake"):
            for name, text in re.findall(MARKED, path.read_text(), flags=re.M | re.S):
                text = textwrap.dedent(text)
                found[name] = (path, found[name][1] + "\n" + text if name in found else text)
    return found


def blocks(readme, *languages):
    return [text for language, text in re.findall(BLOCK, readme, flags=re.M | re.S) if language in languages]


def faults_of_text(readme):
    """What is wrong with the README's text, a line each."""
    shown = blocks(readme, "cpp", "cuda", "cmake")
    texts = {name: text for name, (_, text) in snippets().items()}
    faults = [f"no snippet is this block:\n{text}" for text in shown if text not in texts.values()]
    faults += [f"no block is the snippet '{name}'" for name, text in texts.items() if text not in shown]
    for target in re.findall(r"\]\(([^)#]+)", re.sub(BLOCK, "", readme, flags=re.M | re.S)):
        if "://" not in target and not (house.ROOT / target).exists():
            faults.append(f"a link leads nowhere: {target}")
    if len(readme.splitlines()) >= LONGEST:
        faults.append(f"must have fewer than {LONGEST} lines, has {len(readme.splitlines())}")
    if blocks(readme, ""):
        faults.append("a block does not name its language")
    return faults


def prepare(folder):
    """The README's code blocks under their files' names, and memtile beside them."""
    (folder / "memtile").symlink_to(house.ROOT)
    for name, (path, text) in snippets().items():
        if path.stem == name:
            (folder / path.name).write_text(text)


def replayed(session, folder):
    """The session as it is when its commands run now."""
    lines = []
    for command in re.findall(r"^\$ .*\n", session, flags=re.M):
        result = subprocess.run(["bash", "-c", command[2:]], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines.append(command + "".join(line.rstrip() + "\n" for line in result.stdout.splitlines()))
    return "".join(lines)


def sessions(readme):
    """Each block of commands, and what it is when replayed; one after the other in one folder."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(pathlib.Path(folder))
        return [(session, replayed(session, folder)) for session in blocks(readme, "console")]


def check_cmake(checks, readme, compiler):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        configure = ["cmake", f"-DCMAKE_CXX_COMPILER={compiler}", "-S"]
        off = ["-DMEMTILE_BUILD_TESTS=OFF", "-DMEMTILE_BUILD_EXAMPLES=OFF"]
        checks.compiles("configure memtile", configure + [house.ROOT, "-B", folder / "to_install", *off])
        checks.compiles("install memtile", ["cmake", "--install", folder / "to_install", "--prefix", folder / "prefix"])
        (folder / "yours.cpp").write_text("#include <memtile/memtile.cuh>\nint main() {}\n")
        for number, block in enumerate(blocks(readme, "cmake")):
            (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.24)\nproject(yours LANGUAGES CXX)\n"
                                                   "add_executable(yours yours.cpp)\n" + block)
            build = folder / f"build{number}"
            checks.compiles("configure", configure + [folder, "-B", build, f"-Dmemtile_ROOT={folder}/prefix"])
            checks.compiles("build", ["cmake", "--build", build])


def self_test(checks, readme):
    for words, planted in {
            "no snippet is this block": re.sub(r"block\.sync\(\);\n", "\n", readme, count=1),
            "no block is the snippet": re.sub(BLOCK, "", readme, count=1, flags=re.M | re.S),
            "a link leads nowhere: LICENCE": readme.replace("(LICENSE)", "(LICENCE)"),
            "fewer than 200 lines": readme + "\n" * LONGEST,
            "does not name its language": readme + "\n```\nany\n```\n"}.items():
        faults = faults_of_text(planted)
        checks.that(planted != readme and any(words in fault for fault in faults), f"planted: {words}", "\n".join(faults))
    with tempfile.TemporaryDirectory() as folder:
        session = "$ echo one\none\n$ echo two\nthree\n"
        checks.that(replayed(session, folder) == session.replace("three", "two"), "planted: a session that prints something else")


def update(readme):
    for name, (path, text) in snippets().items():
        opening = re.escape(text.splitlines()[0])
        readme = re.sub(rf"^(```(?:cpp|cuda|cmake)\n)(?={opening}\n).*?(?=^```\n)", lambda m: m[1] + text, readme, flags=re.M | re.S)
    for session, now in sessions(readme):
        readme = readme.replace(f"```console\n{session}", f"```console\n{now}")
    README.write_text(readme)


checks = house.Checks()
mode, readme = sys.argv[1], README.read_text()
if mode == "--update":
    update(readme)
    sys.exit()
if mode == "text":
    faults = faults_of_text(readme)
    checks.that(not faults, "the README's text", "\n".join(faults))
elif mode == "console":
    for session, now in sessions(readme):
        checks.that(session == now, "a session of the README prints something else (--update writes it):", now)
elif mode == "cmake":
    check_cmake(checks, readme, sys.argv[2])
elif mode == "--self-test":
    self_test(checks, readme)
checks.end()
