#!/usr/bin/env python3
"""test_fit_rates.py FOLDER: bench/fit_rates.py, which lies there, finds the rates again by which
the times of some captured launches were made."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]) / "fit_rates.py"
COPY = "copy word=4 align=4:4 rows=- columns=0 loops=- move=%s store=unbuffered group=64"
CPU_COPY = "copy word=4 align=1:1 rows=- columns=0 loops=/0 move=%s store=unbuffered threads=2"
PERMUTE = "permute word=2 align=2:2 rows=1 columns=0 loops=- move=permute store=buffered group=64"


def part(schedule, moves_time=0.0, reworks_time=0.0, **counts):
    """A part of a plan that takes 1000 lines as a plain copy."""
    terms = ("lines_again", "lines_in_parts", "runs", "straight_runs", "moves", "reworks",
             "tiles", "pages")
    return {"schedule": schedule,
            "counts": dict(dict.fromkeys(terms, 0), lines_read=1000, lines_written=1000, **counts),
            "times": dict(dict.fromkeys(terms, 0), lines_read=0.5, lines_written=0.5,
                          moves=moves_time, reworks=reworks_time)}


# Made by rates of 0.5 for a line in parts, 2 for a tile, 0.01 for an element of 2 bytes and 0.002
# for one of 4 that is reworked, on CPUs three times what it was thought to be: parts of a plan,
# which of them was launched, and what it took.
LAUNCHES = [
    ([part(COPY % "copy", moves=32000, tiles=10)], 0, 1.02),
    ([part(COPY % "copy", moves=32000, tiles=10, lines_in_parts=400)], 0, 1.22),
    ([part(COPY % "copy"), part(PERMUTE, 1, moves=64000, tiles=20)], 1, 1.68),
    ([part(COPY % "convert>copy", 1, moves=32000, tiles=50)], 0, 1.164),
    ([part(COPY % "copy>pack", 1, moves=64000)], 0, 1.128),
    ([part(CPU_COPY % "convert>copy", reworks_time=0.2)], 0, 1.6),
]
RATES = {"line_in_parts": 0.5, "tile": 2, "element, words of 2": 0.01,
         "reworked_element, words of 4": 0.002, "reworked_element, words of 4: times": 3}


class FitRates(unittest.TestCase):
    def test_captured(self):
        with tempfile.TemporaryDirectory() as work:
            measured = []
            for number, (parts, launched, time) in enumerate(LAUNCHES):
                folder = pathlib.Path(work) / f"{number:03}-copy"
                folder.mkdir()
                launch = {"schedule": parts[launched]["schedule"]}
                (folder / "launch.json").write_text(json.dumps(launch))
                (folder / "explained.json").write_text(json.dumps({"parts": parts}))
                measured.append({"folder": str(folder), "fraction": 1 / time})
            file = pathlib.Path(work) / "measured.json"
            file.write_text(json.dumps(measured))
            told = subprocess.run([sys.executable, SCRIPT, "--captured", file], check=True,
                                  capture_output=True, text=True).stdout.splitlines()
        found = {line[:36].strip(): float(line[36:]) for line in told[1 + len(LAUNCHES):]}
        for name, rate in RATES.items():
            self.assertAlmostEqual(found.pop(name), rate, delta=rate / 100, msg=name)
        self.assertEqual(set(found.values()), {0.0})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
