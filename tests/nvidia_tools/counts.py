# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's counts beside Nsight Compute's, on a GPU.

    nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -Iinclude tests/nvidia_tools/counts.cu -o counts
    python3 tests/nvidia_tools/counts.py ./counts [NCU]

Prints a table in Markdown and fails if a count differs. Two counters stand for most counts: that of the instructions
(sass), which ncu finds by instrumenting them, and that of the pipeline (l1tex). Conflicts are compared where one warp
runs: of several, the hardware also counts those between warps.
"""

import csv
import re
import subprocess
import sys

SASS, PIPE = "smsp__sass_l1tex_", "l1tex__"
# Of each count: its column in the simulator's table, the counter of instructions, the counter of the pipeline. One that
# this ncu does not know is left out; several are added up.
COUNTS = [
    ("global load, sectors", "global_load_sectors",
     [SASS + "t_sectors_pipe_lsu_mem_global_op_ld"], [PIPE + "t_sectors_pipe_lsu_mem_global_op_ld"]),
    ("global store, sectors", "global_store_sectors",
     [SASS + "t_sectors_pipe_lsu_mem_global_op_st"], [PIPE + "t_sectors_pipe_lsu_mem_global_op_st"]),
    ("asynchronous copy, sectors", "global_copy_sectors",
     [SASS + "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access",
      SASS + "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass"],
     [PIPE + "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access",
      PIPE + "t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass"]),
    ("shared load, wavefronts", "shared_load_wavefronts",
     [SASS + "data_pipe_lsu_wavefronts_mem_shared_op_ld"], [PIPE + "data_pipe_lsu_wavefronts_mem_shared_op_ld"]),
    ("shared store, wavefronts", "shared_store_wavefronts",
     [SASS + "data_pipe_lsu_wavefronts_mem_shared_op_st"], [PIPE + "data_pipe_lsu_wavefronts_mem_shared_op_st"]),
    ("asynchronous copy, wavefronts", "shared_copy_wavefronts",
     [SASS + "data_pipe_lsu_wavefronts_mem_shared_op_ldgsts"],
     [PIPE + "data_pipe_lsu_wavefronts_mem_shared_op_ldgsts"]),
    ("shared atomic, wavefronts", "shared_atomic_wavefronts",
     [SASS + "data_pipe_lsu_wavefronts_mem_shared_op_atom"], [PIPE + "data_pipe_lsu_wavefronts_mem_shared_op_atom"]),
    ("shared load, conflicts", "shared_load_conflicts",
     [SASS + "data_bank_conflicts_pipe_lsu_mem_shared_op_ld"], [PIPE + "data_bank_conflicts_pipe_lsu_mem_shared_op_ld"]),
    ("shared store, conflicts", "shared_store_conflicts",
     [SASS + "data_bank_conflicts_pipe_lsu_mem_shared_op_st"], [PIPE + "data_bank_conflicts_pipe_lsu_mem_shared_op_st"]),
]


def output_of(command):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stdout}")
    return result.stdout


def known_counters(ncu):
    return set(re.findall(r"^\w+", output_of([ncu, "--query-metrics"]), re.MULTILINE))


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
    """None if a counter is unknown to this ncu."""
    values = [row.get(c + ".sum", "") for c in counters]
    if not values or any(v in ("", "n/a") for v in values):
        return None
    return sum(int(float(v.replace(",", ""))) for v in values)


def verdict(expected, counted):
    seen = [c for c in counted if c is not None]
    differences = [c - expected for c in seen if c != expected]
    if not seen:
        return "not counted"
    return "equal" if not differences else " ".join(f"{d:+}" for d in differences)


def main(program, ncu="ncu"):
    simulated = list(csv.DictReader(output_of([program]).splitlines()))
    known = known_counters(ncu)
    wanted = [c for _, _, sass, pipe in COUNTS for c in sass + pipe]
    counters = [c for c in wanted if c in known]
    print("Unknown to this ncu:", ", ".join(c for c in wanted if c not in known) or "none", file=sys.stderr)
    measured = counts_of_ncu(ncu, program, counters)
    if len(measured) != len(simulated):
        sys.exit(f"{len(simulated)} kernels in the simulator, but ncu saw {len(measured)}")

    differing = compared = 0
    print("| kernel | count | simulator | ncu, instructions | ncu, pipeline | |\n|---|---|---|---|---|---|")
    for expected, row in zip(simulated, measured):
        for words, column, sass, pipe in COUNTS:
            value = int(expected[column])
            counted = [sum_of(row, sass), sum_of(row, pipe)]
            if "conflicts" in words and expected["one_warp"] != "1":
                continue
            if value == 0 and not any(counted):
                continue
            result = verdict(value, counted)
            compared += 1
            differing += result != "equal"
            cells = [expected["kernel"], words, value, *("-" if c is None else c for c in counted), result]
            print("| " + " | ".join(map(str, cells)) + " |")
    print(f"\n{compared} counts of {len(simulated)} kernels, {compared - differing} of them equal.")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
