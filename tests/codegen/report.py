# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas says about each kernel of a source file."""

import pathlib
import re
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house


@dataclass
class Kernel:
    registers: int = 0
    shared_bytes: int = 0
    stack_bytes: int = 0
    spilled_bytes: int = 0


def parse(output):
    """{mangled name: Kernel} of the output of ptxas -v."""
    kernels = {}
    current = None
    for line in output.splitlines():
        if entry := re.search(r"Compiling entry function '([^']+)'", line):
            current = kernels.setdefault(entry.group(1), Kernel())
        elif stack := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if current is not None:
                current.stack_bytes = max(current.stack_bytes, int(stack.group(1)))
                current.spilled_bytes += int(stack.group(2)) + int(stack.group(3))
        elif used := re.search(r"Used (\d+) registers", line):
            if current is not None:
                current.registers = int(used.group(1))
                shared = re.search(r"(\d+) bytes smem", line)
                current.shared_bytes = int(shared.group(1)) if shared else 0
    return kernels


def check_registers_only(checks, name, kernels, output):
    """PRIM-11: no kernel keeps anything in local memory, and ptxas has no complaint (C75xx)."""
    checks.that(len(kernels) > 0, f"{name}: has kernels", output)
    for kernel, used in kernels.items():
        checks.that(used.stack_bytes == 0 and used.spilled_bytes == 0, f"{name}: {demangled(kernel)}: stays in registers", str(used))
    complaints = [line for line in output.splitlines() if re.search(r"\bC75\d\d\b", line)]
    checks.that(not complaints, f"{name}: ptxas has no complaint", "\n".join(complaints))


def demangled(name):
    """The name for people: without namespaces, and not longer than it helps."""
    try:
        name = house.run(["c++filt", name])[1].strip()
    except OSError:
        return name
    name = re.sub(r"memtile::|detail::|^void ", "", name)
    return name if len(name) < 180 else name[:180] + "..."


def compile_to_cubin(checks, nvcc, source, arch, cubin):
    """Compiles one source; PKG-08: no flag for functions that are constexpr but not marked for the device."""
    command = [nvcc, "-std=c++17", f"-arch={arch}", "-Werror", "all-warnings", f"-I{house.INCLUDE}", "-Xptxas", "-v", "-cubin",
               source, "-o", cubin]
    status, output = house.run(command)
    return output if checks.that(status == 0, f"{source} for {arch} compiles", house.first_lines(output)) else None
