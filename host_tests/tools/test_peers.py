"""bench/peers.py reads shapes and suites as the command does, and compares what libraries make with
the bytes that `relayout convert` writes. Its measuring runs on NumPy; the times are not looked at.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import peers

relayout = os.environ["RELAYOUT"]


def run(*words, data=b""):
    return subprocess.run([relayout, *words], input=data, stdout=subprocess.PIPE, check=True).stdout


def check(found, expected):
    if found != expected:
        sys.exit(f"{found!r} is not {expected!r}")


def test_shapes():
    for suite, count in ("ml", 32), ("pad", 15), ("small", 18), ("ttc-u16", 57):
        cases, hot = peers.read_suite(suite)
        check((len(cases), hot), (count, suite == "small"))
        for shape in [cases[0].source, *(case.destination for case in cases[::5])]:
            told = json.loads(run("shape", str(shape), "--json"))
            check(str(shape), told["text"])
            check(shape.bytes(shape.padded), told["byte_size"])
    cases, _ = peers.read_suite("perm6")
    check(len(cases), 720)
    check((cases[1].name, str(cases[1].destination)),
          ("perm6_012354", "f32[15,16,15,16,15,16]{4,5,3,2,1,0}"))
    try:
        peers.Shape("f32[16,256]{1,0:T(8,128)}")
    except peers.Unsupported:
        return
    sys.exit("a tiled layout was taken")


def test_what_is_right():
    for source, destination in [
            ("f32[6,5]", "{0,1}"),
            ("f32[6,5]{0,1:PD(7,8)}", "{1,0:PD(8,6)PV(lowest)}"),
            ("u8[2,3,4,5]{1,3,2,0}", "{3,2,1,0:PD(2,4,4,8)PV(highest)}"),
            ("s16[7]", "{0:PD(9)PV(-5)}"),
            ("f64[3,4]{1,0:PD(4,4)}", "{0,1:PD(4,5)PV(-1.5)}"),
            ("bf16[3,4,5]", "{1,0,2:PD(3,6,5)}"),
            ("c128[2,3,4]", "{0,2,1}")]:
        case = peers.Case("", peers.Shape(source), peers.Shape(destination, peers.Shape(source)))
        noise = numpy.arange(case.source_bytes, dtype="uint32").astype("uint8")
        made = run("convert", "--device", "cpu", "--from", source, "--to", destination, "-", "-",
                   data=noise.tobytes())
        check(case.right(numpy, noise).tobytes(), made)


def test_measuring():
    peers.ENOUGH_SECONDS = 0
    library = peers.NumPy()
    library.cold_bytes = 1 << 16
    shape = peers.Shape("u8[3,5]")
    cases = [peers.Case("given", shape, peers.Shape("{0,1:PD(4,8)}", shape)),
             peers.Case("odd", peers.Shape("c64[2]"), peers.Shape("c64[2]{0:PD(3)PV(one)}"))]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        results = peers.measure_all(library, cases, "made up", False)
    check(printed.getvalue().count("\n"), 6)
    case, = results["cases"]
    check([case[key] for key in ("name", "from", "to", "bytes", "repetitions")],
          ["given", "u8[3,5]{1,0}", "u8[3,5]{0,1:PD(4,8)}", 47, 7])
    check(all(case[key] > 0 for key in ("median_s", "gbps", "fraction", "copy_gbps")), True)
    check([(row["name"], row["reason"]) for row in results["skipped"]], [("odd", "PV(one) of c64")])
    fraction = case["fraction"]
    check([results[key] for key in ("device", "cache", "geomean_fraction", "median_fraction",
                                    "min_fraction")],
          ["numpy", "cold", peers.geomean([fraction]), fraction, fraction])


def test_table():
    def write(path, device, **cases):
        rows = [{"name": name, "from": "a", "to": "b", "median_s": s, "fraction": f}
                for name, (s, f) in cases.items()]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"device": device, "cases": rows}, file)

    write("a.json", "ours", one=(1, 0.5), two=(1, 0.25), three=(1, 1))
    write("b.json", "theirs", one=(4, 0.125), two=(1, 0.375))
    out = io.StringIO()
    peers.table(["a.json", "b.json"], out)
    check([line.split() for line in out.getvalue().splitlines()],
          [["OF", "COPY", "ours", "theirs"], ["one", "0.500", "0.125"], ["two", "0.250", "0.375"],
           ["three", "1.000", "-"],
           ("ours is 2.00 times as fast as theirs in 2 cases, "
            "in the worst 1.00 times (two)").split()])


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for test in test_shapes, test_what_is_right, test_measuring, test_table:
        test()
        print(f"{test.__name__}: ok")
    os.chdir("/")
