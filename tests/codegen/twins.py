# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written with memtile become the code of their hand-written twins: the same registers, the same shared memory, and the same
count of every opcode. Where the compiler finds shorter integer arithmetic for memtile's addresses, the opcodes of memory access,
floating point and barriers are still the same, and there are no more instructions in all.

A source launches function objects NAME_memtile, and has a __global__ function NAME_by_hand for each.

    twins.py NVCC NVDISASM SOURCE ARCH...
"""

import collections
import pathlib
import re
import sys
import tempfile

import report
import house


def opcodes(nvdisasm, cubin):
    """{kernel: Counter of its opcodes} of a cubin, less the padding at its end."""
    counts = {}
    current = None
    for line in house.run([nvdisasm, cubin])[1].splitlines():
        if section := re.match(r"\s*\.section\s+(\.text\.)?(\w+)", line):
            current = counts.setdefault(section.group(2), collections.Counter()) if section.group(1) else None
        elif current is not None and (code := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", line)):
            current[code.group(1)] += 1
    for count in counts.values():
        count.pop("NOP", None)
    return counts


def named(kernels, ending):
    """{NAME: kernel} of the kernels whose mangled name holds NAME_memtile or NAME_by_hand."""
    found = {kernel: re.search(rf"\d([a-z_]+)_{ending}", kernel) for kernel in kernels}
    return {match.group(1): kernel for kernel, match in found.items() if match}


def work(code):
    """The opcodes that are not integer arithmetic or moves between registers: what the kernel is there for."""
    return {opcode: n for opcode, n in code.items() if re.match(r"(LD[GSL]|ST[GSL]|F(FMA|ADD|MUL)|D(FMA|ADD|MUL)|BAR|BRA|EXIT|SHFL|LDGSTS)", opcode)}


checks = house.Checks()
nvcc, nvdisasm, source = sys.argv[1:4]
for arch in sys.argv[4:]:
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "twins.cubin"
        output = report.compile_to_cubin(checks, nvcc, source, arch, cubin)
        if output is None:
            continue
        codes = opcodes(nvdisasm, cubin)
    kernels = report.parse(output)
    report.check_registers_only(checks, arch, kernels, output)
    mine, twins = named(kernels, "memtile"), named(kernels, "by_hand")
    checks.that(mine and mine.keys() == twins.keys() and len(kernels) == 2 * len(mine), f"{arch}: every kernel has its twin",
                " ".join(kernels))
    for name in mine.keys() & twins.keys():
        used, wanted = kernels[mine[name]], kernels[twins[name]]
        checks.that(used == wanted, f"{arch} {name}: the same resources", f"{used}\nby hand: {wanted}")
        code, twin = codes[mine[name]], codes[twins[name]]
        no_worse = work(code) == work(twin) and sum(code.values()) <= sum(twin.values())
        checks.that(code and (code == twin or no_worse), f"{arch} {name}: the same opcodes, or the same work in fewer",
                    f"only with memtile: {dict(code - twin)}\nonly by hand: {dict(twin - code)}")
        print(f"{arch} {name}: {sum(code.values())} instructions, by hand {sum(twin.values())}; {used}")
checks.end()
