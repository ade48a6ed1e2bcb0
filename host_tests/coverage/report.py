"""Lines and branches of src/ that ran, by folder, and what is left with its reason.

    report.py EXPORT.json LINES.lcov REASONS.txt [LEAST_LINES LEAST_BRANCHES]

The first two are what `llvm-cov export` says in either format. Exits with 1 where lines or branches
are fewer than that many percent, or lines are left of a function that has no reason.

A branch is one outcome of one condition, as the source has it. What is compiled more than once, as
functions of headers and the CPU's kernels are, ran where any of it did, and conditions that are
constant there are no branches.
"""
import collections
import fnmatch
import json
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def name_in_project(path):
    """The path from the project's folder; None for files that are not in src/."""
    path = os.path.relpath(os.path.realpath(path), ROOT)
    return path if path.startswith("src" + os.sep) else None


def read_lines(path):
    """How often each line of code ran, by file."""
    lines = collections.defaultdict(dict)
    for line in open(path):
        kind, _, rest = line.rstrip("\n").partition(":")
        if kind == "SF":
            of = name_in_project(rest)
        elif kind == "DA" and of is not None:
            number, count = rest.split(",")[:2]
            lines[of][int(number)] = int(count)
    return lines


class Function:
    """A function of a file, in all programs and variants that have it."""

    def __init__(self, first, last):
        self.first, self.last = first, last
        self.outcomes = collections.defaultdict(lambda: [0, 0])  # by where the condition stands
        self.constants = set()

    def add(self, function):
        for branch in function["branches"]:
            at = tuple(branch[:4]) + (branch[6],)
            if branch[4] == branch[5] == 0 and count_around(function, branch) > 0:
                self.constants.add(at)
            else:
                self.outcomes[at][0] += branch[4]
                self.outcomes[at][1] += branch[5]

    def branches(self):
        """Where each condition stands, and how often it was true and false."""
        return {at: counts for at, counts in self.outcomes.items()
                if any(counts) or at not in self.constants}


def count_around(function, branch):
    """How often the innermost region ran in which a branch begins."""
    begin, file = (branch[0], branch[1]), branch[6]
    around = [region for region in function["regions"]
              if region[5] == file and region[7] == 0
              and (region[0], region[1]) <= begin < (region[2], region[3])]
    return max(around, key=lambda region: (region[0], region[1]))[4] if around else 0


def read_functions(path):
    """All functions, by file and name."""
    functions = {}
    for function in json.load(open(path))["data"][0]["functions"]:
        file = name_in_project(function["filenames"][0])
        if file is not None:
            key = (file, function["name"].split(":")[-1])
            first, last = function["regions"][0][0], function["regions"][0][2]
            functions.setdefault(key, Function(first, last)).add(function)
    return functions


def read_reasons(path):
    """(pattern of files, pattern of functions, reason), in order: `FILES FUNCTIONS: reason`."""
    text = re.sub(r"\n[ \t]+", " ", open(path).read())
    reasons = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            names, _, reason = line.partition(":")
            reasons.append(tuple(names.split()) + (reason.strip(),))
    return reasons


def reason_for(reasons, file, function):
    for files, functions, reason in reasons:
        if fnmatch.fnmatchcase(file, files) and fnmatch.fnmatchcase(function, functions):
            return reason
    return None


def percent(part, whole):
    return 100 * part / whole if whole > 0 else 100


def print_folders(lines, functions):
    """Prints a row for each folder and one for all; the percentages of all."""
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file, counts in lines.items():
        folder = folders[os.path.dirname(file)]
        folder[0] += sum(1 for count in counts.values() if count > 0)
        folder[1] += len(counts)
    for (file, _), function in functions.items():
        folder = folders[os.path.dirname(file)]
        outcomes = [count for counts in function.branches().values() for count in counts]
        folder[2] += sum(1 for count in outcomes if count > 0)
        folder[3] += len(outcomes)
    print(f"{'folder':20}{'lines':>14}{'':>9}{'branches':>14}")
    rows = sorted(folders.items())
    total = [sum(row[i] for _, row in rows) for i in range(4)]
    for name, row in rows + [("src", total)]:
        print(f"{name:20}{row[0]:7}/{row[1]:<6}{percent(row[0], row[1]):7.2f} %"
              f"{row[2]:7}/{row[3]:<6}{percent(row[2], row[3]):7.2f} %")
    return percent(total[0], total[1]), percent(total[2], total[3])


def print_left(lines, functions, reasons):
    """Prints each function of which something is left; how many have lines left and no reason."""
    unexplained = 0
    for (file, name), function in sorted(functions.items()):
        source = open(os.path.join(ROOT, file)).read().splitlines()
        left_lines = [number for number, count in lines[file].items()
                      if function.first <= number <= function.last and count == 0]
        outcomes = [(at, i) for at, counts in sorted(function.branches().items())
                    for i, count in enumerate(counts) if count == 0 and at[0] not in left_lines]
        if not left_lines and not outcomes:
            continue
        reason = reason_for(reasons, file, name)
        if reason is None and left_lines:
            unexplained += 1
            reason = "NO REASON"
        print(f"{file} {name}: {reason or 'conditions alone'}")
        for number in left_lines:
            print(f"    {number}: {source[number - 1].strip()}")
        for at, i in outcomes:
            condition = " ".join(text.strip() for text in source[at[0] - 1:at[2]])
            if at[0] == at[2]:
                condition = source[at[0] - 1][at[1] - 1:at[3] - 1]
            print(f"    {at[0]}: never {'true' if i == 0 else 'false'}: {condition}")
    return unexplained


def main(arguments):
    lines = read_lines(arguments[1])
    functions = read_functions(arguments[0])
    print("Left:")
    unexplained = print_left(lines, functions, read_reasons(arguments[2]))
    print()
    line_percent, branch_percent = print_folders(lines, functions)
    least_lines, least_branches = map(float, arguments[3:5] or (0, 0))
    if unexplained > 0:
        print(f"{unexplained} functions have lines left without a reason")
    return line_percent < least_lines or branch_percent < least_branches or unexplained > 0


sys.exit(main(sys.argv[1:]))
