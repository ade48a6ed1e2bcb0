#!/usr/bin/env python3
"""Measures how fast NumPy on the CPU, and PyTorch, CuPy and JAX on an NVIDIA GPU, do the cases of
`relayout bench`.

    peers.py --suite ttc --json ttc.json         each library that is installed, into
                                                 ttc-torch.json, ttc-numpy.json, ...
    peers.py --from 'f32[64,32]' --to '{0,1}'    one case
    peers.py --table relayout.json ttc-torch.json ttc-cupy.json    results side by side

Each library moves the bytes as a user of it would: a transposed view that is made contiguous, into
a destination that is filled first where it has padding. Results are verified against NumPy before
they are timed. The reference is the library's own best plain copy of as many bytes; copies and
relayout take turns, in buffers that are cold in the cache, and medians count. CUDA events keep the
time, while the GPU is kept busy until the host has enqueued what is timed; JAX has none, so that
batches of calls are timed by the wall clock. NumPy moves by one thread, in ordinary pages, as
`relayout bench --device cpu --threads 1` does.
"""
import argparse
import ctypes
import itertools
import json
import math
import os
import platform
import re
import statistics
import sys
import time

LEAST_REPETITIONS, MOST_REPETITIONS, ENOUGH_SECONDS = 7, 201, 0.4
# Touched before a place has its turn again: many times the last level of any GPU's cache; on the
# CPU as in the command.
GPU_COLD_BYTES, LEAST_COLD_BYTES, CACHES_BETWEEN = 1 << 30, 1 << 28, 8
PR_SET_THP_DISABLE = 41
MOST_PLACES = 256
JAX_BATCH = 8

BITS = {"pred": 8, "bf16": 16, "c64": 64, "c128": 128}
FLOATS = {"f16": "float16", "f32": "float32", "f64": "float64"}


# ---- Cases ---------------------------------------------------------------------------------------

class Unsupported(Exception):
    pass


def element_bytes(kind):
    bits = BITS.get(kind) or int(re.match(r"[a-z](\d+)", kind).group(1))
    return max(1, bits // 8)


def integers(text):
    """The numbers of a list like 2,3; an empty text has none."""
    return [int(number) for number in text.split(",") if number]


class Shape:
    """f32[2,3]{0,1:PD(3,5)PV(lowest)}, without tiles."""

    def __init__(self, text, like=None):
        found = re.fullmatch(r"(?:(\w+)\[([\d,]*)\])?(?:\{([\d,]*)(?::(.*))?\})?", text)
        if not found or (found[1] is None and like is None):
            raise Unsupported(f"'{text}' is no shape")
        self.kind = found[1] or like.kind
        self.dimensions = integers(found[2]) if found[1] else like.dimensions
        rank = len(self.dimensions)
        self.minor_to_major = (integers(found[3]) if found[3] is not None
                               else list(range(rank))[::-1])
        properties = re.fullmatch(r"(?:PD\(([\d,]+)\))?(?:PV\((.*)\))?", found[4] or "")
        if not properties or sorted(self.minor_to_major) != list(range(rank)):
            raise Unsupported(f"the layout of '{text}' is not for NumPy")
        self.padded = integers(properties[1]) if properties[1] else self.dimensions
        self.value = properties[2] or "zero"
        self.order = self.minor_to_major[::-1]  # major to minor, as NumPy counts

    def __str__(self):
        text = ",".join(map(str, self.minor_to_major))
        text += ":" if self.padded != self.dimensions or self.value != "zero" else ""
        text += f"PD({','.join(map(str, self.padded))})" if self.padded != self.dimensions else ""
        text += f"PV({self.value})" if self.value != "zero" else ""
        return f"{self.kind}[{','.join(map(str, self.dimensions))}]{{{text}}}"

    def physical(self):
        return tuple(self.padded[d] for d in self.order)

    def valid(self):
        return tuple(slice(0, self.dimensions[d]) for d in self.order)

    def bytes(self, dimensions):
        return math.prod(dimensions) * element_bytes(self.kind)


class Case:
    def __init__(self, name, source, destination):
        if (source.kind, source.dimensions) != (destination.kind, destination.dimensions):
            raise Unsupported(f"{name}: the two shapes differ in more than layout")
        self.name, self.source, self.destination = name, source, destination
        self.element = element_bytes(source.kind)
        self.permutation = [source.order.index(d) for d in destination.order]
        self.pads = destination.padded != destination.dimensions
        self.fills = self.pads and destination.value != "unknown"
        self.source_bytes = source.bytes(source.padded)
        self.destination_bytes = destination.bytes(destination.padded)
        read = source.bytes(source.dimensions)
        self.bytes = read + (self.destination_bytes if self.fills else read)
        self.copy_words = -(-self.bytes // 8)  # of 4 bytes

    def named(self):
        return {"name": self.name, "from": str(self.source), "to": str(self.destination)}

    def dtype(self):
        """What stands for the elements: bits, of which no library changes any."""
        return {1: "uint8", 2: "int16", 4: "int32", 8: "int64", 16: "complex128"}[self.element]

    def fill(self, np):
        """The padding, as a number of dtype()."""
        value, kind = self.destination.value, self.source.kind
        if value in ("zero", "unknown"):
            return 0
        if kind in FLOATS:
            known = {"one": 1.0, "lowest": -math.inf, "highest": math.inf}
            return np.array(known.get(value, value), dtype=FLOATS[kind]).view(self.dtype()).item()
        if re.fullmatch(r"[us](8|16|32|64)", kind):
            exact = np.dtype(("u" if kind[0] == "u" else "") + "int" + kind[1:])
            limits = np.iinfo(exact)
            known = {"one": 1, "lowest": limits.min, "highest": limits.max}
            number = known[value] if value in known else int(value)
            return np.array(number, dtype=exact).view(self.dtype()).item()
        raise Unsupported(f"PV({value}) of {kind}")

    def right(self, np, source):
        """The destination for a source of bytes, zeros where nothing is written."""
        made = np.zeros(self.destination.physical(), self.dtype())
        if self.fills:
            made[...] = self.fill(np)
        elements = source[:self.source_bytes].view(self.dtype()).reshape(self.source.physical())
        made[self.destination.valid()] = elements[self.source.valid()].transpose(self.permutation)
        return made


def read_suite(name):
    """The cases of a file of bench/suites, whose text tools/bench/suite.h describes, and whether
    they are measured hot."""
    base, _, kind = name.partition("-")
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites", base + ".txt")
    cases, hot = [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            generic = [re.sub(r"^T\[", (kind or "f32") + "[", word) for word in words[1:]]
            if not words:
                continue
            if words == ["@hot"]:
                hot = True
            elif words[0] == "@orders":
                source = Shape(generic[1])
                for order in itertools.permutations(range(len(source.dimensions))):
                    to = Shape("{" + ",".join(map(str, order[::-1])) + "}", source)
                    cases.append(Case(f"{words[1]}_{''.join(map(str, order))}", source, to))
            else:
                cases.append(Case(words[0], Shape(generic[0]), Shape(generic[1])))
    return cases, hot


def last_level_cache():
    """The bytes of the CPU's last cache; 0 where the system does not tell."""
    try:
        with open("/sys/devices/system/cpu/cpu0/cache/index3/size", encoding="ascii") as file:
            return int(file.read().strip().rstrip("K")) << 10
    except (OSError, ValueError):
        return 0


# ---- Libraries -----------------------------------------------------------------------------------
# prepare() makes places for a case, run() does the relayout in one of them and returns the
# destination, copies() are the ways to copy as many bytes; both only enqueue. seconds() times one
# of them.

class NumPy:
    name, clock, sync = "numpy", "wall", staticmethod(lambda: None)

    def __init__(self):
        import numpy
        self.xp = numpy
        if sys.platform == "linux":  # NumPy would ask for huge pages
            ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
        self.cold_bytes = max(LEAST_COLD_BYTES, CACHES_BETWEEN * last_level_cache())

    def device(self):
        try:
            with open("/proc/cpuinfo", encoding="utf-8") as file:
                return re.search(r"^model name\s*: (.*)", file.read(), re.MULTILINE)[1]
        except (OSError, TypeError):
            return platform.processor() or platform.machine()

    def put(self, noise):
        return noise.copy()

    def prepare(self, case, noise, places):
        half = 4 * case.copy_words
        self.case, self.value = case, case.fill(__import__("numpy"))
        self.sources = [self.put(noise) for _ in range(places)]
        self.destinations = [self.xp.full(max(case.destination_bytes, half), 0, "uint8")
                             for _ in range(places)]
        self.froms = [a[:case.source_bytes].view(case.dtype()).reshape(case.source.physical())
                      [case.source.valid()].transpose(case.permutation) for a in self.sources]
        self.wholes = [a[:case.destination_bytes].view(case.dtype())
                       .reshape(case.destination.physical()) for a in self.destinations]
        self.tos = [a[case.destination.valid()] for a in self.wholes]
        self.words = [[a[:half].view("int32") for a in side]
                      for side in (self.sources, self.destinations)]

    def run(self, place):
        if self.case.fills:
            self.wholes[place].fill(self.value)
        self.tos[place][...] = self.froms[place]
        return self.wholes[place]

    def copies(self):
        froms, tos = self.words
        return {"copy": lambda place: self.xp.copyto(tos[place], froms[place]),
                "add 0": lambda place: self.xp.add(froms[place], 0, out=tos[place])}

    def get(self, made):
        return made

    def seconds(self, function, place):
        begin = time.perf_counter()
        function(place)
        self.sync()
        return time.perf_counter() - begin

    def release(self):
        self.sources = self.destinations = self.froms = self.wholes = self.tos = self.words = None


class CuPy(NumPy):
    name, clock, cold_bytes = "cupy", "device", GPU_COLD_BYTES

    def __init__(self):
        import cupy
        self.xp = cupy
        self.events = [cupy.cuda.Event(), cupy.cuda.Event()]
        self.spin = cupy.RawKernel(
            'extern "C" __global__ void spin(long long n) {'
            ' long long t = clock64(); while (clock64() - t < n); }', "spin")

    def device(self):
        return self.xp.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def put(self, noise):
        return self.xp.asarray(noise)

    def get(self, made):
        return self.xp.asnumpy(made)

    def seconds(self, function, place):
        self.spin((1,), (1,), (self.xp.int64(300000),))
        self.events[0].record()
        function(place)
        self.events[1].record()
        self.events[1].synchronize()
        return self.xp.cuda.get_elapsed_time(*self.events) * 1e-3

    def release(self):
        super().release()
        self.xp.get_default_memory_pool().free_all_blocks()


class Torch(NumPy):
    name, clock, cold_bytes = "torch", "device", GPU_COLD_BYTES

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise Unsupported("it sees no GPU")
        self.torch = torch
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def device(self):
        return self.torch.cuda.get_device_name(0)

    def prepare(self, case, noise, places):
        torch, half = self.torch, 4 * case.copy_words
        dtype = getattr(torch, case.dtype())
        self.case, self.value = case, case.fill(__import__("numpy"))
        self.sources = [torch.from_numpy(noise).cuda() for _ in range(places)]
        self.destinations = [torch.zeros(max(case.destination_bytes, half), dtype=torch.uint8,
                                         device="cuda") for _ in range(places)]
        self.froms = [a[:case.source_bytes].view(dtype).view(case.source.physical())
                      [case.source.valid()].permute(case.permutation) for a in self.sources]
        self.wholes = [a[:case.destination_bytes].view(dtype).view(case.destination.physical())
                       for a in self.destinations]
        self.tos = [a[case.destination.valid()] for a in self.wholes]
        self.words = [[a[:half].view(torch.int32) for a in side]
                      for side in (self.sources, self.destinations)]

    def run(self, place):
        if self.case.fills:
            self.wholes[place].fill_(self.value)
        self.tos[place].copy_(self.froms[place])
        return self.wholes[place]

    def copies(self):
        froms, tos = self.words
        return {"copy_": lambda place: tos[place].copy_(froms[place]),
                "add 0": lambda place: self.torch.add(froms[place], 0, out=tos[place])}

    def get(self, made):
        return made.cpu().numpy()

    def seconds(self, function, place):
        self.torch.cuda._sleep(300000)
        self.events[0].record()
        function(place)
        self.events[1].record()
        self.events[1].synchronize()
        return self.events[0].elapsed_time(self.events[1]) * 1e-3

    def release(self):
        super().release()
        self.torch.cuda.empty_cache()


class JAX:
    """Its arrays are values: every call makes a new destination, and padding cannot be left
    alone."""
    name, clock, cold_bytes = "jax", "wall", GPU_COLD_BYTES

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.devices()[0].platform != "gpu":
            raise Unsupported("it sees no GPU")
        self.jax = jax

    def device(self):
        return self.jax.devices()[0].device_kind

    def prepare(self, case, noise, places):
        import numpy as np
        self.places = places
        value = np.array(case.fill(np), case.dtype())
        elements = noise[:case.source_bytes].view(case.dtype()).reshape(case.source.physical())
        words = noise[:4 * case.copy_words].view("int32")
        self.froms = [self.jax.device_put(elements) for _ in range(places)]
        self.words = [self.jax.device_put(words) for _ in range(places)]
        widths = [(0, p - v.stop, 0)
                  for p, v in zip(case.destination.physical(), case.destination.valid())]

        def relayout(array):
            made = array[case.source.valid()].transpose(case.permutation)
            return self.jax.lax.pad(made, value, widths) if case.pads else made

        self.relayout = self.jax.jit(relayout)
        self.copy = self.jax.jit(lambda array: array.copy())
        self.flip = self.jax.jit(lambda array: array ^ 1)

    def run(self, place):
        return self.relayout(self.froms[place])

    def copies(self):
        return {"copy": lambda place: self.copy(self.words[place]),
                "xor 1": lambda place: self.flip(self.words[place])}

    def get(self, made):
        import numpy as np
        return np.asarray(made)

    def seconds(self, function, place):
        function(place).block_until_ready()
        begin = time.perf_counter()
        made = [function((place + i) % self.places) for i in range(JAX_BATCH)]
        self.jax.block_until_ready(made)
        return (time.perf_counter() - begin) / JAX_BATCH

    def release(self):
        self.froms = self.words = None


LIBRARIES = {library.name: library for library in (Torch, CuPy, JAX, NumPy)}


# ---- Measuring -----------------------------------------------------------------------------------

def check(library, case, noise):
    import numpy as np
    compared = slice(None) if case.fills else case.destination.valid()
    found = np.ascontiguousarray(library.get(library.run(0))[compared])
    if found.tobytes() != np.ascontiguousarray(case.right(np, noise)[compared]).tobytes():
        raise Unsupported("the result is wrong")


def take_times(library, places):
    """The seconds of each way to copy, by its name, and of the relayout, by '', in turns."""
    ways = {**library.copies(), "": library.run}
    times = {way: [] for way in ways}
    place, begin = 0, time.perf_counter()
    for repetition in range(-2, MOST_REPETITIONS):
        if repetition >= LEAST_REPETITIONS and time.perf_counter() - begin > ENOUGH_SECONDS:
            break
        for way, function in ways.items():
            place = (place + 1) % places
            seconds = library.seconds(function, place)
            if repetition >= 0:
                times[way].append(max(seconds, 1e-9))
    return times


def measure(library, case, hot):
    import numpy as np
    size = max(case.source_bytes, 4 * case.copy_words)
    size = -(-size // 16) * 16
    noise = np.frombuffer(np.random.default_rng(1).bytes(size), "uint8").copy()
    cold_places = -(-library.cold_bytes // (size + case.destination_bytes))
    places = 1 if hot else min(max(2, cold_places), MOST_PLACES)
    library.prepare(case, noise, places)
    check(library, case, noise)
    times = take_times(library, places)
    median = {way: statistics.median(taken) for way, taken in times.items()}
    copy = min(library.copies(), key=median.get)
    ratios = sorted(a / b for a, b in zip(times[copy], times[""]))
    quarter = len(ratios) // 4
    return {**case.named(), "bytes": case.bytes,
            "median_s": median[""], "gbps": case.bytes / median[""] * 1e-9,
            "fraction": case.bytes / (8 * case.copy_words) * median[copy] / median[""],
            "copy_gbps": 8 * case.copy_words / median[copy] * 1e-9, "copy": copy,
            "spread": (ratios[-1 - quarter] - ratios[quarter]) / statistics.median(ratios),
            "repetitions": len(ratios)}


def geomean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else 0


def measure_all(library, cases, suite, hot):
    print(f"\n{suite} by {library.name} on {library.device()}; the {library.clock} clock counts")
    print(f"{'CASE':22} {'MEDIAN':>11} {'GB/S':>8} {'COPY':>8} {'OF COPY':>8}")
    done, skipped = [], []
    for case in cases:
        try:
            row = measure(library, case, hot)
            done.append(row)
            print(f"{case.name:22} {row['median_s'] * 1e3:8.3f} ms {row['gbps']:8.1f} "
                  f"{row['copy_gbps']:8.1f} {row['fraction']:8.3f}", flush=True)
        except Exception as error:  # memory, limits of rank or type: other cases may do
            reason = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
            skipped.append({**case.named(), "reason": reason})
            print(f"{case.name:22} skipped: {reason}", flush=True)
        finally:
            library.release()
    fractions = [row["fraction"] for row in done]
    results = {"suite": suite, "cache": "hot" if hot else "cold",
               "device": library.name, "description": library.device(), "clock": library.clock,
               "copy_gbps": statistics.median([row["copy_gbps"] for row in done] or [0]),
               "cases": done, "skipped": skipped, "geomean_fraction": geomean(fractions),
               "median_fraction": statistics.median(fractions or [0]),
               "min_fraction": min(fractions, default=0)}
    print(f"geomean {results['geomean_fraction']:.3f} of copy, "
          f"worst {results['min_fraction']:.3f}; {len(done)} cases, {len(skipped)} skipped")
    return results


def open_libraries(names):
    opened = []
    for name in names:
        try:
            opened.append(LIBRARIES[name]())
        except ImportError:
            print(f"{name}: not installed", file=sys.stderr)
        except Exception as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            print(f"{name}: {reason}", file=sys.stderr)
    return opened


# ---- Side by side --------------------------------------------------------------------------------

def table(paths, out=sys.stdout):
    """Fractions of copy by case, and how many times as fast the first file is as each other."""
    files = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            files.append(json.load(file))
    names = [file["device"] for file in files]
    rows = [{(case["name"], case["from"], case["to"]): case for case in file["cases"]}
            for file in files]
    print(f"{'OF COPY':22} " + " ".join(f"{name[:12]:>12}" for name in names), file=out)
    for key in rows[0]:
        fractions = [f"{row[key]['fraction']:.3f}" if key in row else "-" for row in rows]
        print(f"{key[0]:22} " + " ".join(f"{fraction:>12}" for fraction in fractions), file=out)
    for name, row in zip(names[1:], rows[1:]):
        leads = {key[0]: row[key]["median_s"] / case["median_s"]
                 for key, case in rows[0].items() if key in row}
        if leads:
            worst = min(leads, key=leads.get)
            print(f"{names[0]} is {geomean(leads.values()):.2f} times as fast as {name} "
                  f"in {len(leads)} cases, in the worst {leads[worst]:.2f} times ({worst})",
                  file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="ttc",
                        help="a file of bench/suites; ttc-u8 is ttc with elements of u8")
    parser.add_argument("--from", dest="source", metavar="SHAPE", help="one case, with --to")
    parser.add_argument("--to", dest="destination", metavar="SHAPE")
    parser.add_argument("--library", choices=LIBRARIES, action="append",
                        help="all that are installed when left out")
    parser.add_argument("--json", metavar="F", help="F.json becomes F-LIBRARY.json")
    parser.add_argument("--table", nargs="+", metavar="F",
                        help="show results side by side, and measure nothing")
    asked = parser.parse_args()
    if asked.table:
        return table(asked.table)
    if (asked.source is None) != (asked.destination is None):
        parser.error("--from and --to belong together")
    try:
        if asked.source:
            source = Shape(asked.source)
            cases, hot = [Case("given", source, Shape(asked.destination, source))], False
        else:
            cases, hot = read_suite(asked.suite)
    except (Unsupported, OSError) as error:
        parser.error(str(error))
    libraries = open_libraries(asked.library or LIBRARIES)
    for library in libraries:
        results = measure_all(library, cases, "one case" if asked.source else asked.suite, hot)
        if asked.json:
            base, extension = os.path.splitext(asked.json)
            with open(f"{base}-{library.name}{extension}", "w", encoding="utf-8") as file:
                json.dump(results, file)
    return 0 if libraries else 1


if __name__ == "__main__":
    sys.exit(main())
