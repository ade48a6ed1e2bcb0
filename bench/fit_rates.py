#!/usr/bin/env python3
"""Fits the rates of the cost model (src/search/cost.h) to what was measured.

    relayout bench --suite ttc --device opencl --json ttc.json
    bench/fit_rates.py build/release/tools/relayout ttc.json ml.json ...

    bench/fit_rates.py --captured simulated.json ...

The first takes what `relayout bench` measured; the second what someone else, such as a simulator,
measured of captured launches (README.md): a list of objects with `folder`, where the launch lies,
and `fraction`, its speed in terms of a plain copy of as many bytes.

Every case is one equation: what it took, in plain copies of as many bytes, is half a copy for each
line read and each line written, and a rate, which is looked for, times what else `relayout explain`
counts of the schedule that was measured. The rates are the ones of the least squared relative
error, none of them negative. They go into the device's row of src/search/tuning.c; the rates of
transposed lines, and of elements that CPUs rework, are told as multiples of those that stand there.
Use the command that measured, on the same device, or it may not offer the same schedules.
"""
import json
import pathlib
import re
import subprocess
import sys

RATES = {"lines_again": "line_again", "lines_in_parts": "line_in_parts", "runs": "run",
         "straight_runs": "straight_run", "tiles": "tile", "pages": "page"}
BY_ELEMENT = {"permute", "index"}
BY_BLOCK = {"transpose", "interleave", "bit-transpose"}


def share_of_moves(part, units):
    """The rate that a part's moves are counted by, and how often; None where they cost nothing."""
    word, moves = re.search(r" word=(\d+) .* move=(\S+) ", part["schedule"]).groups()
    moves = set(moves.split(">"))
    if "copy-runs" in moves:
        return f"line, words of {word}", part["counts"]["moves"]
    if moves & BY_ELEMENT:
        return f"element, words of {word}", part["counts"]["moves"]
    if " group=" in part["schedule"]:  # work-items share tiles
        rate = f"reworked_element, words of {word}"
        return (rate, part["counts"]["moves"]) if part["times"]["moves"] > 0 else None
    if moves & BY_BLOCK:
        return f"transposed_line, words of {word}: times", part["times"]["moves"] * units
    return None


def share_of_reworks(part, units):
    """The same of elements that change beside their moves, which some pay for more than once."""
    if part["times"]["reworks"] == 0:
        return None
    word = re.search(r" word=(\d+) ", part["schedule"])[1]
    return f"reworked_element, words of {word}: times", part["times"]["reworks"] * units


def units_of(part):
    """What a plain copy of as many bytes as the part's takes, in copies of a line."""
    counts, times = part["counts"], part["times"]
    return ((counts["lines_read"] + counts["lines_written"]) / 2 /
            (times["lines_read"] + times["lines_written"]))


def explain(command, device, case):
    """The parts of the case's plan, by the schedules that were measured."""
    words = [command, "explain", case["from"], case["to"], "--device", device, "--json"]
    for schedule in case["schedule"].split(" | "):
        words += ["--schedule", schedule]
    made = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return json.loads(made)["parts"]


def equation(name, parts, fraction):
    """What the rates' share of the case's time is, and how often it asks for each rate."""
    parts = [part for part in parts
             if part["times"]["lines_read"] + part["times"]["lines_written"] > 0]
    units = sum(units_of(part) for part in parts)
    if units == 0:
        return None
    asked = {rate: sum(part["counts"][term] for part in parts) / units
             for term, rate in RATES.items()}
    for part in parts:
        for share in (share_of_moves(part, units_of(part)), share_of_reworks(part, units_of(part))):
            if share is not None:
                asked[share[0]] = asked.get(share[0], 0) + share[1] / units
    lines = sum(part["counts"]["lines_read"] + part["counts"]["lines_written"] for part in parts)
    return {"name": name, "fraction": fraction, "asked": asked, "fixed": lines / 2 / units}


def of_bench(command, results):
    return [equation(case["name"], explain(command, results["device"], case), case["fraction"])
            for case in results["cases"]]


def of_captured(measured):
    """A launch runs one part of its plan."""
    made = []
    for one in measured:
        folder = pathlib.Path(one["folder"])
        schedule = json.loads((folder / "launch.json").read_text())["schedule"]
        parts = json.loads((folder / "explained.json").read_text())["parts"]
        own = [part for part in parts if part["schedule"] == schedule]
        made.append(equation("/".join(folder.parts[-2:]), own[:1], one["fraction"]))
    return made


def fit(equations):
    """Coordinate descent: each rate in turn takes its best value beside the others."""
    names = sorted({name for e in equations for name in e["asked"]})
    rates = dict.fromkeys(names, 0.0)
    rows = [({n: a * e["fraction"] for n, a in e["asked"].items()},
             1 - e["fixed"] * e["fraction"]) for e in equations]
    for _ in range(20000):
        moved = 0.0
        for name in names:
            with_it = [(row, rest) for row, rest in rows if name in row]
            squares = sum(row[name] ** 2 for row, _ in with_it)
            if squares == 0:
                continue
            wanted = sum(row[name] * (rest - sum(rates[n] * a for n, a in row.items() if n != name))
                         for row, rest in with_it) / squares
            wanted = max(wanted, 0.0)
            moved = max(moved, abs(wanted - rates[name]) / (wanted + 1e-9))
            rates[name] = wanted
        if moved < 1e-6:
            break
    return rates


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    equations = []
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        equations += (of_captured(results) if sys.argv[1] == "--captured"
                      else of_bench(sys.argv[1], results))
    equations = [e for e in equations if e is not None]
    rates = fit(equations)
    print(f"{'CASE':28} {'MEASURED':>8} {'FITTED':>8}")
    for e in equations:
        time = e["fixed"] + sum(rates[name] * asked for name, asked in e["asked"].items())
        print(f"{e['name']:28} {e['fraction']:8.3f} {1 / time:8.3f}")
    for name, rate in rates.items():
        print(f"{name:36} {rate:.3g}")


if __name__ == "__main__":
    main()
