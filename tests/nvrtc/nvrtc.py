# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PKG-06: NVRTC compiles every device header and small kernels, with nothing but memtile's include folder on the path.

    nvrtc.py LIBNVRTC headers                    each public device header alone
    nvrtc.py LIBNVRTC kernels SOURCE ARCH...     a source, to machine code: every extern "C" kernel in it must come out, without spills
"""

import ctypes
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "codegen"))
import house
import report


class Nvrtc:
    def __init__(self, library):
        self.nvrtc_library = ctypes.CDLL(library)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.nvrtc_library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"NVRTC {major.value}.{minor.value}"

    def compile(self, source, arch, *flags):
        """Returns whether it compiled, and the log."""
        options = [f"-arch={arch}", "-std=c++17", f"-I{house.INCLUDE}", *flags]
        program = ctypes.c_void_p()
        self.nvrtc_library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"source.cu", 0, None, None)
        failed = self.nvrtc_library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*(o.encode() for o in options)))
        size = ctypes.c_size_t()
        self.nvrtc_library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.nvrtc_library.nvrtcGetProgramLog(program, log)
        self.nvrtc_library.nvrtcDestroyProgram(ctypes.byref(program))
        return failed == 0, log.value.decode(errors="replace")


checks = house.Checks()
nvrtc = Nvrtc(sys.argv[1])
print(nvrtc.version)
if sys.argv[2] == "headers":
    for name in house.device_headers():
        good, log = nvrtc.compile(house.include_all([name]), "compute_80")
        checks.that(good and "warning" not in log, f"{nvrtc.version}: {name}", house.first_lines(log))
else:
    source = pathlib.Path(sys.argv[3]).read_text()
    wanted = set(re.findall(r'extern "C" __global__ void (?:__launch_bounds__\([^()]*\)\s+)?(\w+)\(', source))
    for arch in sys.argv[4:]:
        name = f"{nvrtc.version}: {arch}"
        good, log = nvrtc.compile(source, arch, "--ptxas-options=-v")
        if checks.that(good and "warning" not in log, f"{name} compiles", house.first_lines(log)):
            kernels = report.parse(log)
            checks.that(wanted and wanted == kernels.keys(), f"{name}: every kernel comes out", f"{sorted(wanted)}\n{sorted(kernels)}")
            report.check_registers_only(checks, name, kernels, log)
checks.end()
