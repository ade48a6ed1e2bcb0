#!/usr/bin/env python3
"""Fits the rates of the cost model (src/plan/cost.h) to what `relayout bench` measured.

    relayout bench --suite ttc --device opencl --json ttc.json
    bench/fit_rates.py build/release/tools/relayout ttc.json ml.json ...

Every case is one equation: what it took, in plain copies of as many bytes, is half a copy for each
line read and each line written, and a rate, which is looked for, times what else `relayout explain`
counts. The rates are the ones of the least squared relative error, none of them negative. Use the
command that measured, on the same device, or it may count other strategies.
"""
import json
import subprocess
import sys

FREE_TERMS = ("lines_again", "lines_in_parts", "runs", "straight_runs", "tiles", "pages")
NAMES = {"runs": "run", "straight_runs": "straight_run", "tiles": "tile", "pages": "page",
         "lines_again": "line_again", "lines_in_parts": "line_in_parts"}


def move_name(explained, candidate):
    """The rate that a candidate's moves are counted by; None where they cost nothing."""
    kind = candidate["strategy"]
    if candidate["assembles"]:
        name = "line" if kind == "copy" else "block"
    elif kind in ("transpose", "packed", "gather"):
        name = "block" if kind == "transpose" else "element"
    else:
        return None
    return f"{name} of {explained['element_bytes']} bytes"


def equation(command, device, case):
    """What the rates' share of the case's time is, and how often it asks for each rate."""
    words = [command, "explain", case["from"], case["to"], "--device", device, "--json"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    explained = json.loads(text)
    chosen = next(c for c in explained["candidates"] if c["chosen"])
    counts, times = chosen["counts"], chosen["times"]
    least = counts["lines_read"] / 2 / times["lines_read"] if times["lines_read"] > 0 else None
    if least is None:
        return None
    asked = {NAMES[term]: counts[term] / least for term in FREE_TERMS}
    moves = move_name(explained, chosen)
    if moves is not None:
        asked[moves] = counts["moves"] / least
    return {"name": case["name"], "fraction": case["fraction"], "asked": asked,
            "fixed": times["lines_read"] + times["lines_written"]}


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
        for case in results["cases"]:
            made = equation(sys.argv[1], results["device"], case)
            if made is not None:
                equations.append(made)
    rates = fit(equations)
    print(f"{'CASE':22} {'MEASURED':>8} {'FITTED':>8}")
    for e in equations:
        time = e["fixed"] + sum(rates[name] * asked for name, asked in e["asked"].items())
        print(f"{e['name']:22} {e['fraction']:8.3f} {1 / time:8.3f}")
    for name, rate in rates.items():
        print(f"{name:22} {rate:.3g}")


if __name__ == "__main__":
    main()
