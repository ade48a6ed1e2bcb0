"""compare.py [--suite NAME] [--type T] [--megabytes N] [--repetitions N]: relayout, and what people
call today, on a suite of bench/suites, from Python.

NumPy's ascontiguousarray, PyTorch's contiguous and copy_, JAX's transpose, with what they need
before for padding, tiles and other types (steps.py); relayout on arrays of pyopencl's, and for
rows that change their pitch pyopencl's strided copy: those that are installed. All runs are
interleaved with a plain copy by NumPy's copyto of as many bytes as are read and written, and
figures are medians of their ratios to it: the fraction of a copy's speed. Destinations are
allocated and touched before, except where a library returns new memory, as people call it. Cases of
packed elements, which no other library has, are left out."""

import argparse
import os
import pathlib
import re
import statistics
import time

import numpy
import steps

import relayout

SUITES = pathlib.Path(__file__).parent.parent.parent / "bench" / "suites"


# ---- Cases --------------------------------------------------------------------------------------


def read_suite(name, element_type):
    """Names and pairs of texts; padding is zero in all of them."""
    for line in (SUITES / f"{name}.txt").read_text().splitlines():
        fields = line.split("#")[0].split()
        if len(fields) == 3 and not fields[0].startswith("@"):
            yield fields[0], *(re.sub(r"PV\(.*?\)", "", re.sub(r"^T\[", f"{element_type}[", text))
                               for text in fields[1:])


def halved(text, dimension):
    """The same shape with a dimension, and what it is widened to, half as long."""
    def halve(match):
        sizes = match[2].split(",")
        sizes[dimension] = str(-(-int(sizes[dimension]) // 2))
        return match[1] + ",".join(sizes)

    return re.sub(r"(\[|PD\()([\d,]+)", halve, text)


def shrunk(texts, most_bytes):
    """Both with the longest dimensions halved until neither takes more."""
    shapes = [relayout.Shape(text) for text in texts]
    while max(shape.byte_size for shape in shapes) > most_bytes:
        sizes = shapes[0].dimensions
        shapes = [relayout.Shape(halved(str(shape), sizes.index(max(sizes)))) for shape in shapes]
    return shapes


# ---- Ways ---------------------------------------------------------------------------------------


def torch_ways(of, source, result):
    import torch

    def tensor_of(array):
        """PyTorch has the names of ml_dtypes, but not its arrays."""
        words = array if array.dtype.isbuiltin == 1 else array.view(f"i{array.itemsize}")
        return torch.from_numpy(words).view(getattr(torch, array.dtype.name))

    if not all(hasattr(torch, array.dtype.name) for array in (source, result)):
        return {}
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    tensor, out = tensor_of(source), tensor_of(result)
    return {"torch contiguous": lambda: steps.with_torch(of, tensor, out.dtype).contiguous(),
            "torch copy_": lambda: out.copy_(steps.with_torch(of, tensor, out.dtype))}


def jax_ways(of, source):
    import jax

    array = jax.numpy.asarray(source)
    if array.dtype != source.dtype:
        return {}  # 8 bytes, which it takes for 4
    transpose = jax.jit(lambda a: steps.with_jax(of, a))
    return {"jax transpose": lambda: transpose(array).block_until_ready()}


def pyopencl_ways(of, shapes, source, result):
    import pyopencl
    import pyopencl.array

    try:
        queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    except pyopencl.Error:  # no device
        return {}
    ours, out = (pyopencl.array.to_device(queue, array) for array in (source, result))
    plan = relayout.plan(*shapes, queue=queue)
    ways = {"relayout, pyopencl": lambda: plan.enqueue(queue, ours, out).wait()}
    if of.only_pads and len(of.kept) <= 3:
        ways["pyopencl strided copy"] = lambda: steps.with_pyopencl(of, queue, ours, out).wait()
    return ways


def ways_of(of, from_shape, to_shape, random):
    """Each as a call without arguments; "copy" is the plain one."""
    source = random.integers(0, 100, from_shape.physical_dimensions, numpy.int8)
    source = source.astype(from_shape.dtype)
    result = numpy.zeros(to_shape.physical_dimensions, to_shape.dtype)
    plain = numpy.ones((2, (from_shape.byte_size + to_shape.byte_size) // 2), numpy.uint8)
    plan = relayout.plan(from_shape, to_shape, device="cpu")
    ways = {"copy": lambda: numpy.copyto(plain[1], plain[0]),
            "relayout": lambda: plan(source, result),
            "relayout, new memory": lambda: plan(source),
            "numpy ascontiguousarray": lambda: steps.with_numpy(of, source)}
    plan(source, result)
    assert numpy.array_equal(result, steps.with_numpy(of, source))
    for optional in (lambda: torch_ways(of, source, result), lambda: jax_ways(of, source),
                     lambda: pyopencl_ways(of, (from_shape, to_shape), source, result)):
        try:
            ways.update(optional())
        except ImportError:
            pass
    return ways


# ---- Measuring ----------------------------------------------------------------------------------


def measure(ways, repetitions):
    """How often each one's time goes into a copy's, by the median of interleaved runs."""
    ratios = {name: [] for name in ways}
    for call in ways.values():
        call()
    for _ in range(repetitions):
        times = {}
        for name, call in ways.items():
            start = time.perf_counter()
            call()
            times[name] = time.perf_counter() - start
        for name, taken in times.items():
            ratios[name].append(times["copy"] / taken)
    return {name: statistics.median(values) for name, values in ratios.items() if name != "copy"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[2].partition("\n\n")[0])
    parser.add_argument("--suite", default="ttc")
    parser.add_argument("--type", default="f32")
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    random = numpy.random.default_rng(0)
    fractions = {}
    for name, *texts in read_suite(arguments.suite, arguments.type):
        shapes = shrunk(texts, arguments.megabytes * 2**20)
        of = steps.steps_between(*shapes)
        if of is None:
            continue
        found = measure(ways_of(of, *shapes, random), arguments.repetitions)
        print(name, *(f"{way} {value:.2f}" for way, value in found.items()), sep="  ", flush=True)
        for way, value in found.items():
            fractions.setdefault(way, []).append(value)
    print()
    for way, values in fractions.items():
        print(f"{way:26} geomean {statistics.geometric_mean(values):.2f}  least {min(values):.2f}"
              f"  cases {len(values)}")


if __name__ == "__main__":
    main()
