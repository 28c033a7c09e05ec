# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every stencil that keeps its window in registers stores several values at a time, where its output allows it. The compiler has
made four stores of one before, without a word; the simulator cannot see that.

    wide_stores.py NVCC SOURCE ARCH
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house
import report

checks = house.Checks()
nvcc, source, arch = sys.argv[1:4]
with tempfile.TemporaryDirectory() as folder:
    ptx = pathlib.Path(folder) / "any.ptx"
    command = [nvcc, "-std=c++17", f"-arch={arch.replace('sm_', 'compute_')}", f"-I{house.INCLUDE}", "-ptx", "-o", ptx, source]
    status, output = house.run(command)
    if checks.that(status == 0, f"{source} compiles", house.first_lines(output)):
        kernels = re.findall(r"^\.visible \.entry (\w+)\((.*?)^}", ptx.read_text(), flags=re.M | re.S)
        walking = [(name, body) for name, body in kernels if "14stencil_kernel" in name]
        checks.that(len(walking) > 0, f"{source} has stencils", "")
        for name, body in walking:
            checks.that("st.global.v" in body, f"{arch}: {report.demangled(name)}: stores runs", "")
checks.end()
