# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/picture: what it makes of good pictures, and what it says about bad ones.

    picture_test.py PROGRAM
"""

import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

CAMERA = house.ROOT / "tests/data/camera.pgm"
# The same rule with NumPy 2 and scipy.fft.dctn in double precision: 28.4684 dB.
CAMERA_PSNR = 28.47


# --- the transform once more, slowly and in double precision ---

def cosines(n):
    return [[math.sqrt((1 if k == 0 else 2) / n) * math.cos(math.pi * k * (2 * i + 1) / (2 * n)) for i in range(n)]
            for k in range(n)]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(column) for column in zip(*a)]


def with_5_percent(pixels, columns, white):
    """What must come out, as real numbers between 0 and white."""
    rows = len(pixels) // columns
    d_rows, d_columns = cosines(rows), cosines(columns)
    x = [pixels[r * columns:(r + 1) * columns] for r in range(rows)]
    c = times(times(d_rows, x), transposed(d_columns))
    kept = math.ceil(rows * columns * 5 / 100)
    smallest_kept = sorted((abs(v) for row in c for v in row), reverse=True)[kept - 1]
    c = [[v if abs(v) >= smallest_kept else 0 for v in row] for row in c]
    return [min(max(v, 0), white) for row in times(times(transposed(d_rows), c), d_columns) for v in row]


# --- pictures and runs ---

def pgm(columns, rows, pixels, white=255, header="P5\n{} {}\n{}\n"):
    return header.format(columns, rows, white).encode() + bytes(pixels)


def pixels_of(data):
    """(columns, rows, white, pixels) of what the program writes."""
    magic, columns, rows, white, pixels = re.fullmatch(rb"(P5)\n(\d+) (\d+)\n(\d+)\n(.*)", data, flags=re.S).groups()
    return int(columns), int(rows), int(white), list(pixels)


def psnr(a, b, white):
    squares = sum((x - y) ** 2 for x, y in zip(a, b))
    return math.inf if squares == 0 else 10 * math.log10(white ** 2 * len(a) / squares)


def description(pixels, columns):
    """The numbers that the program prints of a picture: mean, standard deviation, then value, row and column of both extremes."""
    mean = sum(pixels) / len(pixels)
    numbers = [mean, math.sqrt(sum((v - mean) ** 2 for v in pixels) / len(pixels))]
    for extreme in min(pixels), max(pixels):
        numbers += [extreme, *divmod(pixels.index(extreme), columns)]
    return numbers


class Runner:
    def __init__(self, program, folder, checks):
        self.program, self.folder, self.checks = program, pathlib.Path(folder), checks

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300)

    def good(self, name, data, pixels):
        """`data` is a file; `pixels` the grey picture that is in it. Returns the PSNR, checked against the output file."""
        source, target = self.folder / "in.pnm", self.folder / "out.pgm"
        target.unlink(missing_ok=True)
        source.write_bytes(data)
        result = self.run(source, target)
        if not self.checks.that(result.returncode == 0 and result.stderr == "", name, result.stdout + result.stderr):
            return 0, []
        columns, rows, white, out = pixels_of(target.read_bytes())
        self.checks.that(len(out) == len(pixels) == columns * rows, f"{name}: has a picture's size", target.read_bytes()[:20])
        self.checks.that(f" {columns} x {rows}" in result.stdout, f"{name}: the output names the size", result.stdout)
        self.checks.that(re.search(r"^machine: \S", result.stdout, flags=re.M) and "time: " in result.stdout,
                         f"{name}: the output names machine and time", result.stdout)
        shown = re.search(r"PSNR: (\S+) dB", result.stdout)
        expected = psnr(pixels, out, white)
        self.checks.that(shown and math.isclose(float(shown.group(1)), expected, abs_tol=0.0051),
                         f"{name}: the PSNR is that of the written picture, {expected:.4f}", result.stdout)
        for which, values in ("original", pixels), ("restored", out):
            line = re.search(rf"^{which}: mean (\S+), standard deviation (\S+), from (\S+) at row (\d+), column (\d+) "
                             r"to (\S+) at row (\d+), column (\d+)$", result.stdout, flags=re.M)
            numbers = description(values, columns)
            self.checks.that(line and all(math.isclose(float(a), b, abs_tol=0.0051) for a, b in zip(line.groups(), numbers)),
                             f"{name}: the {which} picture is described as {numbers}", result.stdout)
        return expected, out

    def small(self, columns, rows, white):
        pixels = [random.randint(0, white) for _ in range(rows * columns)]
        _, out = self.good(f"{columns}x{rows}", pgm(columns, rows, pixels, white), pixels)
        expected = with_5_percent(pixels, columns, white)
        # a whole number beside the real one; single precision may tip a half
        self.checks.that(len(out) == len(expected) and all(abs(x - y) <= 0.501 for x, y in zip(out, expected)),
                         f"{columns}x{rows}: 5 % of the coefficients", f"{out}\n{expected}")

    def bad(self, name, *arguments, says):
        """One line of words, exit status 1, no output file."""
        target = self.folder / "picture_out.pgm"
        target.unlink(missing_ok=True)
        result = self.run(*arguments)
        lines = result.stderr.splitlines()
        good = result.returncode == 1 and len(lines) == 1 and re.search(says, lines[0]) and lines[0].startswith("picture: ")
        self.checks.that(good and not target.exists(), f"{name}: one line that says '{says}'",
                         f"exit status {result.returncode}, output file: {target.exists()}\n{result.stderr}")

    def bad_file(self, name, data, says):
        source = self.folder / "bad.pgm"
        source.write_bytes(data)
        self.bad(name, source, says=rf"{re.escape(str(source))}: .*{says}")


def test_good_pictures(runner):
    camera = CAMERA.read_bytes()
    value, _ = runner.good("camera", camera, pixels_of(camera)[3])
    runner.checks.that(abs(value - CAMERA_PSNR) <= 0.01, f"camera: {CAMERA_PSNR} dB to 0.01", f"is {value:.4f}")

    random.seed(5)
    for columns, rows, white in ((1, 1, 255), (3, 2, 255), (17, 5, 100), (5, 17, 1), (40, 33, 255), (64, 64, 200)):
        runner.small(columns, rows, white)
    for level in (0, 255):
        value, _ = runner.good(f"flat {level}", pgm(9, 7, [level] * 63), [level] * 63)
        runner.checks.that(value == math.inf, f"flat {level}: nothing is lost", value)

    colours = [random.randint(0, 255) for _ in range(3 * 12 * 10)]
    grey = [(299 * r + 587 * g + 114 * b + 500) // 1000 for r, g, b in zip(*[iter(colours)] * 3)]
    from_grey = runner.good("grey", pgm(12, 10, grey), grey)
    from_colours = runner.good("P6", pgm(12, 10, colours, header="P6\n{} {}\n{}\n"), grey)
    runner.checks.that(from_grey == from_colours, "P6: the same picture as the grey one", f"{from_grey}\n{from_colours}")

    pixels = list(range(0, 240, 10))
    expected = runner.good("plain header", pgm(6, 4, pixels), pixels)
    for header in ("P5 {} {} {} ", "P5\n# a comment\n{} {}\n{}\n", "P5#\n\t{}  # width\n#\n\r\n{}\n# white\n{}\n"):
        commented = runner.good(f"header {header!r}", pgm(6, 4, pixels, header=header), pixels)
        runner.checks.that(commented == expected, f"header {header!r}: the same picture", commented)
    runner.good("bytes after the picture", pgm(6, 4, pixels) + b"P5 more", pixels)


def test_bad_pictures(runner):
    runner.bad("missing", "nowhere.pgm", says="nowhere.pgm: cannot be opened")
    runner.bad("a folder", runner.folder, says="not a binary PGM or PPM")
    runner.bad("too many arguments", "a", "b", "c", says="usage")
    runner.bad("no default picture here", says="tests/data/camera.pgm: cannot be opened")

    for name, data in (("empty", b""), ("one byte", b"P"), ("P2", b"P2\n2 2\n255\n1 2 3 4\n"), ("P7", b"P7\nWIDTH 2\n"),
                       ("garbage", bytes(range(256))), ("zeros", bytes(4096))):
        runner.bad_file(name, data, "not a binary PGM or PPM picture")

    number = "must be a number from 1 to"
    for name, columns, rows, white, says in (
            ("zero-sized", 0, 0, 255, f"width {number}"), ("no rows", 3, 0, 255, f"height {number}"),
            ("negative width", -2, 2, 255, f"width {number}"), ("negative height", 2, -2, 255, f"height {number}"),
            ("negative white", 2, 2, -1, f"white {number}"), ("no white", 2, 2, 0, f"white {number}"),
            ("16 bits", 2, 2, 65535, f"white {number} 255"), ("words", "two", 2, 255, f"width {number}"),
            ("huge width", 10 ** 30, 1, 255, f"width {number}"), ("huge sides", 2 ** 31 - 1, 2 ** 31 - 1, 255, f"width {number}"),
            ("wraps to 4", 2 ** 32 + 2, 2, 255, f"width {number}"), ("large sides", 16384, 16384, 255, "ends in row 1 of 16384"),
            ("truncated", 5, 2, 255, "ends in row 1 of 2"), ("a pixel above white", 2, 2, 3, "brighter than white, which is 3")):
        runner.bad_file(name, pgm(columns, rows, [1, 2, 3, 4], white), says)
    runner.bad_file("truncated by one byte", pgm(3, 3, [7] * 8), "ends in row 3 of 3")
    runner.bad_file("truncated colours", pgm(3, 3, [7] * 9, header="P6\n{} {}\n{}\n"), "ends in row 2 of 3")
    for header in (b"P5", b"P5\n", b"P5\n4", b"P5\n4 4", b"P5 # 4 4 255"):
        runner.bad_file(f"header {header} alone", header, number)
    runner.bad_file("no pixels", b"P5\n4 4\n255", "ends in row 1 of 4")

    good = runner.folder / "good.pgm"
    good.write_bytes(pgm(2, 2, [1, 2, 3, 4]))
    runner.bad("output in no folder", good, "nowhere/out.pgm", says="nowhere/out.pgm: cannot be written")
    runner.bad("output is a folder", good, runner.folder, says="cannot be written")
    if pathlib.Path("/dev/full").exists():
        runner.bad("output has no room", good, "/dev/full", says="/dev/full: cannot be written")


checks = house.Checks()
with tempfile.TemporaryDirectory() as folder:
    runner = Runner(pathlib.Path(sys.argv[1]).resolve(), folder, checks)
    test_good_pictures(runner)
    test_bad_pictures(runner)
checks.end()
