# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/k_means: the same steps as a plain computation in double precision, on real digits and on small tables, and what it says
about bad ones.

    k_means_test.py PROGRAM
"""

import collections
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

DIGITS = house.ROOT / "tests/data/digits.csv"


def expected_of(rows, clusters):
    """The inertia of each step, and how many rows have the most frequent label of their cluster."""
    points = [row[:-1] for row in rows]
    centres, inertias = points[:clusters], []
    while len(inertias) < 2 or inertias[-1] != inertias[-2]:
        members, inertia = [[] for _ in centres], 0
        for row, point in zip(rows, points):
            distances = [sum((x - y) ** 2 for x, y in zip(point, centre)) for centre in centres]
            inertia += min(distances)
            members[distances.index(min(distances))].append(row)
        inertias.append(inertia)
        centres = [[sum(column) / len(group) for column in list(zip(*group))[:-1]] if group else centre
                   for group, centre in zip(members, centres)]
    labels = [collections.Counter(row[-1] for row in group) for group in members]
    return inertias, sum(max(counts.values(), default=0) for counts in labels)


class Runner:
    def __init__(self, program, folder, checks):
        self.program, self.folder, self.checks = program, pathlib.Path(folder), checks

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def table(self, text):
        name = self.folder / "table.csv"
        name.write_text(text)
        return name

    def good(self, name, table, clusters):
        """Checks the steps against the plain computation. Returns the output."""
        rows = [[float(number) for number in line.split(",")] for line in table.read_text().splitlines()]
        inertias, agreeing = expected_of(rows, clusters)
        result = self.run(table, clusters)
        if not self.checks.that(result.returncode == 0 and result.stderr == "", name, result.stdout + result.stderr):
            return ""
        self.checks.that(f" {len(rows)} rows of {len(rows[0]) - 1} numbers" in result.stdout and
                         re.search(r"^machine: \S", result.stdout, flags=re.M),
                         f"{name}: the output names size and machine", result.stdout)
        steps = [(int(step), float(inertia)) for step, inertia in re.findall(r"^step +(\d+): inertia (\S+)$", result.stdout, flags=re.M)]
        self.checks.that([step for step, _ in steps] == list(range(1, len(inertias) + 1)),
                         f"{name}: ends after {len(inertias)} steps", result.stdout)
        self.checks.that(all(math.isclose(a, b, rel_tol=1e-5, abs_tol=0.051) for (_, a), b in zip(steps, inertias)),
                         f"{name}: the inertias are {inertias}", result.stdout)
        self.checks.that(f"labels: {agreeing} of {len(rows)} rows, " in result.stdout, f"{name}: {agreeing} rows agree", result.stdout)
        return result.stdout

    def bad(self, name, *arguments, says):
        """One line of words, exit status 1."""
        result = self.run(*arguments)
        lines = result.stderr.splitlines()
        self.checks.that(result.returncode == 1 and len(lines) == 1 and lines[0].startswith("k_means: ") and says in lines[0],
                         f"{name}: one line that says '{says}'", f"exit status {result.returncode}\n{result.stderr}")


def test_good_tables(runner):
    output = runner.good("digits", DIGITS, 10)
    drawn = [line for line in output.splitlines() if re.fullmatch(r"[ .:\-=+*#%@]+", line)]
    runner.checks.that(len(drawn) == 8 and {len(line) for line in drawn} == {100}, "digits: ten pictures of 8 rows", output)
    by_default = subprocess.run([runner.program], cwd=house.ROOT, capture_output=True, text=True, timeout=300).stdout
    runner.checks.that(output.splitlines()[1:] == by_default.splitlines()[1:], "digits are the default", by_default)

    random.seed(3)
    def whole_numbers(rows, columns):
        return "".join(",".join(str(random.randint(-9, 9)) for _ in range(columns + 1)) + "\n" for _ in range(rows))
    for rows, columns, clusters in (1, 1, 1), (7, 1, 2), (40, 3, 5), (200, 5, 4), (33, 70, 33):
        runner.good(f"{rows} x {columns}, {clusters} clusters", runner.table(whole_numbers(rows, columns)), clusters)
    # the second of two equal centres has no points, and stays where it is
    output = runner.good("an empty cluster", runner.table("1,1,0\n1,1,0\n5,5,1\n6,5,1\n"), 3)
    runner.checks.that("labels: 4 of 4 rows, 100.0 %" in output, "an empty cluster: all labels agree", output)


def test_bad_tables(runner):
    runner.bad("missing", "nowhere.csv", says="nowhere.csv: cannot be opened")
    runner.bad("too many arguments", "a", "b", "c", says="usage")
    runner.bad("empty", runner.table(""), says="from 1 to that of the rows, 0")
    good = "1,2,0\n3,4,1\n"
    for clusters in "0", "-1", "3", "few":
        runner.bad(f"{clusters} clusters", runner.table(good), clusters, says="from 1 to that of the rows, 2")
    for name, line in (("a word", "5,six,1"), ("nothing", ""), ("nothing between commas", "5,,1"), ("a number less", "5,6"),
                       ("a number more", "5,6,7,8"), ("a comma at the end", "5,6,"), ("NaN", "5,nan,1"), ("infinity", "inf,5,1")):
        runner.bad(name, runner.table(f"{good}{line}\n"), 2, says="line 3 must be numbers")
    runner.bad("a label alone", runner.table("1\n2\n"), 2, says="line 1 must be numbers")


checks = house.Checks()
with tempfile.TemporaryDirectory() as folder:
    runner = Runner(pathlib.Path(sys.argv[1]).resolve(), folder, checks)
    test_good_tables(runner)
    test_bad_tables(runner)
checks.end()
