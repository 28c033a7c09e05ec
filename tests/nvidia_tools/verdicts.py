# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's verdicts beside compute-sanitizer's, on a GPU.

    nvcc -std=c++17 -lineinfo -gencode arch=compute_90a,code=sm_90a -Iinclude tests/nvidia_tools/verdicts.cu -o verdicts
    python3 tests/nvidia_tools/verdicts.py ./verdicts [COMPUTE_SANITIZER]

Prints a table in Markdown and fails if the two disagree whether a kernel has a fault and KNOWN has no reason for it.
"""

import concurrent.futures
import os
import re
import signal
import subprocess
import sys

SECONDS = 10  # for a kernel that never ends
RETURNED = ("threads that have returned count as arrived on sm_70 and newer; the simulator wants all threads of a "
            "block, and all lanes that a mask names")
SHUFFLES = "synccheck looks at barriers and not at shuffles"
ATOMICS = "racecheck does not look at atomic operations"
KNOWN = {
    "return-in-warp": RETURNED, "return-of-warp": RETURNED,
    "barrier-mask-names-returned": RETURNED, "shuffle-mask-names-returned": RETURNED,
    "shuffle-mask-omits-caller": SHUFFLES, "count-before-zero": ATOMICS, "read-before-count": ATOMICS,
}


def run(command):
    """Exit status and output; None for one that did not end in time, which is ended with all that it started."""
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output


def options_of(sanitizer, tool):
    """Shared memory is initcheck's matter in newer versions only, and then on request."""
    if tool != "initcheck":
        return []
    _, text = run([sanitizer, "--help"])
    known = re.search(r"--initcheck-address-space", text)
    return ["--initcheck-address-space", "shared"] if known else None


def first_finding(output):
    """The words of the first error or warning, without addresses and counts."""
    for line in output.splitlines():
        found = re.match(r"=+ (?:(Error|Warning|Info): )?(.*)", line)
        if not found:
            continue
        severity, words = found.groups()
        if severity or re.match(r"(Invalid|Barrier error|Uninitialized|Program hit|Error:)", words):
            words = re.sub(r" (at|between) .*", "", words)
            return f"{severity}: {words}" if severity else words
    return ""


def judge(program, sanitizer, name, tool, options):
    """Whether compute-sanitizer finds a fault, and its words."""
    status, output = run([sanitizer, "--tool", tool, *options, "--error-exitcode", "1", program, name, "gpu"])
    words = first_finding(output)
    if status is None:
        return True, (words + "; " if words else "") + f"does not end in {SECONDS} s"
    if status not in (0, 1):
        sys.exit(f"{name} ended with {status}:\n{output}")
    return status == 1, words or ("clean" if status == 0 else output.strip().replace("\n", " ")[:200])


def main(program, sanitizer="compute-sanitizer"):
    _, listed = run([program, "list"])
    cases = [(name + suffix, tool) for name, tool in map(str.split, listed.splitlines()) for suffix in ("", ".right")]
    options = {tool: options_of(sanitizer, tool) for _, tool in cases}

    def both(case):
        name, tool = case
        _, simulated = run([program, name, "simulator"])
        if options[tool] is None:
            return simulated.strip(), None, "not judged by this version"
        return simulated.strip(), *judge(program, sanitizer, name, tool, options[tool])

    # The last ones one by one: a kernel that never ends holds up the others.
    may_hang = 6
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(both, cases[:-may_hang]))
    results += map(both, cases[-may_hang:])

    judged = agreed = unknown = 0
    reasons = []
    print("| kernel | simulator | compute-sanitizer | tool | agree |\n|---|---|---|---|---|")
    for (name, tool), (simulated, fault, words) in zip(cases, results):
        agree = "-"
        if fault is not None:
            judged += 1
            clean = simulated == "clean" or simulated.startswith("remark")
            agrees = fault != clean
            agreed += agrees
            unknown += not agrees and name not in KNOWN
            agree = "yes" if agrees else "no"
            if not agrees and name in KNOWN:
                if KNOWN[name] not in reasons:
                    reasons.append(KNOWN[name])
                agree += f" ({reasons.index(KNOWN[name]) + 1})"
        print(f"| {name} | {simulated} | {words} | {tool} | {agree} |")
    print(f"\n{judged} verdicts, {agreed} of them agree.")
    for number, reason in enumerate(reasons, 1):
        print(f"({number}) {reason}.")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
