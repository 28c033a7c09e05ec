# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's counts beside Nsight Compute's, on a GPU.

    nvcc -std=c++17 -Xcompiler -O2 -gencode arch=compute_90a,code=sm_90a -Iinclude tests/nvidia_tools/counts.cu \\
         -o counts
    python3 tests/nvidia_tools/counts.py ./counts [NCU]

Prints a table in Markdown and fails if a count differs for which KNOWN has no reason. ncu has two counters for most
counts: of the pipeline (l1tex), and of the instructions (sass), found by instrumenting them. The pipeline's decides
where there is one; it gives the same number in every run. Conflicts are compared where one warp runs: of several, the
hardware also counts those between warps. Requests are not: ncu counts those in which no lane takes part.
"""

import csv
import subprocess
import sys

PIPE, SASS = "l1tex__", "smsp__sass_l1tex_"
GLOBAL, WAVEFRONTS = "t_sectors_pipe_lsu_mem_global_op_", "data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "data_bank_conflicts_pipe_lsu_mem_shared_op_"
# Of each count: its columns in the simulator's table, the pipeline's counters, the instructions' counters. Several are
# added up: for the pipeline, an asynchronous copy is a load, and the addition of floats in shared memory is a loop of
# loads and exchanges.
COUNTS = [
    ("global load, sectors", ["global_load_sectors", "global_copy_sectors"], [PIPE + GLOBAL + "ld"],
     [SASS + GLOBAL + "ld", SASS + GLOBAL + "ldgsts_cache_access", SASS + GLOBAL + "ldgsts_cache_bypass"]),
    ("global store, sectors", ["global_store_sectors"], [PIPE + GLOBAL + "st"], [SASS + GLOBAL + "st"]),
    ("global atomic, sectors", ["global_atomic_sectors"],
     [PIPE + GLOBAL + "atom", PIPE + GLOBAL + "red"], [SASS + GLOBAL + "atom", SASS + GLOBAL + "red"]),
    ("shared load and atomic, wavefronts", ["shared_load_wavefronts", "shared_atomic_wavefronts"],
     [PIPE + WAVEFRONTS + "ld", PIPE + WAVEFRONTS + "atom"], [SASS + WAVEFRONTS + "ld", SASS + WAVEFRONTS + "atom"]),
    ("shared store, wavefronts", ["shared_store_wavefronts"], [PIPE + WAVEFRONTS + "st"], [SASS + WAVEFRONTS + "st"]),
    ("asynchronous copy, wavefronts", ["shared_copy_wavefronts"], [], [SASS + WAVEFRONTS + "ldgsts"]),
    ("shared load, conflicts", ["shared_load_conflicts"], [PIPE + CONFLICTS + "ld"], []),
    ("shared store, conflicts", ["shared_store_conflicts"], [PIPE + CONFLICTS + "st"], []),
]
SOURCE = ("the simulator looks at the destination of a copy alone; the hardware also splits its lanes by the lines of "
          "128 bytes of their source")
INCREMENT = ("adding 1 and not using the result is an instruction of its own, which serves all lanes of a word at "
             "once; the simulator cannot see that nobody uses the result")
KNOWN = {
    ("histogram", "shared load and atomic, wavefronts"): INCREMENT,
    ("gemm 2000x2040x72, largest tile", "asynchronous copy, wavefronts"): SOURCE,
    ("asynchronous copy, off a line", "asynchronous copy, wavefronts"): SOURCE,
}


def output_of(command):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}")
    return result.stdout


def counts_of_ncu(ncu, program, counters):
    """One dictionary for each launch, in their order."""
    text = output_of([ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                      "--metrics", ",".join(c + ".sum" for c in counters), program, "gpu"])
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        sys.exit(f"ncu printed no table:\n{text}")
    rows = list(csv.DictReader(lines[first:]))
    return [row for row in rows if row["ID"] != ""]  # the first one holds the units


def sum_of(row, counters):
    values = [row[c + ".sum"].replace(",", "") for c in counters]
    return sum(int(float(v)) for v in values) if values else None


def main(program, ncu="ncu"):
    simulated = list(csv.DictReader(output_of([program]).splitlines()))
    measured = counts_of_ncu(ncu, program, [c for _, _, pipe, sass in COUNTS for c in pipe + sass])
    if len(measured) != len(simulated):
        sys.exit(f"{len(simulated)} kernels in the simulator, but ncu saw {len(measured)}")

    compared = equal = unknown = 0
    reasons = []
    print("| kernel | count | simulator | ncu, pipeline | ncu, instructions | |\n|---|---|---|---|---|---|")
    for expected, row in zip(simulated, measured):
        for words, columns, *counters in COUNTS:
            if "conflicts" in words and expected["one_warp"] != "1":
                continue
            value = sum(int(expected[c]) for c in columns)
            counted = [sum_of(row, c) for c in counters]
            if value == 0 and not any(counted):
                continue
            difference = next(c for c in counted if c is not None) - value
            reason = KNOWN.get((expected["kernel"], words))
            compared += 1
            equal += difference == 0
            unknown += difference != 0 and reason is None
            verdict = "equal" if difference == 0 else f"{difference:+}"
            if difference != 0 and reason is not None:
                if reason not in reasons:
                    reasons.append(reason)
                verdict += f" ({reasons.index(reason) + 1})"
            cells = [expected["kernel"], words, value, *("-" if c is None else c for c in counted), verdict]
            print("| " + " | ".join(map(str, cells)) + " |")
    print(f"\n{compared} counts of {len(simulated)} kernels, {equal} of them equal.")
    for number, reason in enumerate(reasons, 1):
        print(f"({number}) {reason}.")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
