"""compare.py [--suite NAME] [--type T] [--megabytes N] [--repetitions N]: relayout, and what people
call today, on the transpositions of a suite of bench/suites, from Python.

NumPy's ascontiguousarray, PyTorch's contiguous and copy_, JAX's transpose: those that are
installed. All runs are interleaved with a plain copy by NumPy's copyto, and figures are medians of
their ratios to it: the fraction of a copy's speed. Destinations are allocated and touched before,
except where a library returns new memory, as people call it."""

import argparse
import pathlib
import re
import statistics
import time

import numpy

import relayout

SUITES = pathlib.Path(__file__).parent.parent.parent / "bench" / "suites"


def read_suite(name, element_type):
    """Pairs of shapes of the cases that a plain permutation of dimensions describes."""
    for line in (SUITES / f"{name}.txt").read_text().splitlines():
        fields = line.split("#")[0].split()
        if len(fields) == 3 and all(re.fullmatch(r"T\[[\d,]*\]\{[\d,]*\}", f) for f in fields[1:]):
            yield fields[0], *(relayout.Shape(element_type + field[1:]) for field in fields[1:])


def shrunk(shape, most_bytes):
    """The same shape with the longest dimensions halved until it takes no more."""
    sizes, text = list(shape.dimensions), str(shape)
    while relayout.Shape.of(shape.element_type, sizes).byte_size > most_bytes:
        sizes[sizes.index(max(sizes))] //= 2
    return relayout.Shape(f"{shape.element_type}[{','.join(map(str, sizes))}]"
                          + text[text.index("{"):])


def numpy_way(source, to_physical):
    return lambda: numpy.ascontiguousarray(source.transpose(to_physical))


def torch_ways(source, to_physical, result):
    import torch

    torch.set_num_threads(len(__import__("os").sched_getaffinity(0)))
    tensor, out = torch.from_numpy(source).permute(*to_physical), torch.from_numpy(result)
    return {"torch contiguous": lambda: tensor.contiguous(),
            "torch copy_": lambda: out.copy_(tensor)}


def jax_way(source, to_physical):
    import jax

    array = jax.numpy.asarray(source)
    transpose = jax.jit(lambda a: jax.numpy.transpose(a, to_physical))
    return lambda: transpose(array).block_until_ready()


def ways_of(from_shape, to_shape, random):
    """Each as a call without arguments; "copy" is the plain one."""
    source = random.integers(0, 100, from_shape.physical_dimensions, numpy.int8)
    source = source.astype(from_shape.dtype)
    # The source's dimensions as they lie, in the order in which the destination has them.
    from_order = from_shape.minor_to_major[::-1]
    to_physical = [from_order.index(d) for d in to_shape.minor_to_major[::-1]]
    result = numpy.zeros(to_shape.physical_dimensions, to_shape.dtype)
    same = numpy.zeros_like(source)
    plan = relayout.plan(from_shape, to_shape, device="cpu")
    ways = {"copy": lambda: numpy.copyto(same, source), "relayout": lambda: plan(source, result),
            "relayout, new memory": lambda: plan(source),
            "numpy ascontiguousarray": numpy_way(source, to_physical)}
    plan(source, result)
    assert numpy.array_equal(result, source.transpose(to_physical))
    for optional in (lambda: torch_ways(source, to_physical, result),
                     lambda: {"jax transpose": jax_way(source, to_physical)}):
        try:
            ways.update(optional())
        except ImportError:
            pass
    return ways


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
    for name, *shapes in read_suite(arguments.suite, arguments.type):
        pair = [shrunk(shape, arguments.megabytes * 2**20) for shape in shapes]
        found = measure(ways_of(*pair, random), arguments.repetitions)
        print(name, *(f"{way} {value:.2f}" for way, value in found.items()), sep="  ", flush=True)
        for way, value in found.items():
            fractions.setdefault(way, []).append(value)
    print()
    for way, values in fractions.items():
        print(f"{way:26} geomean {statistics.geometric_mean(values):.2f}  least {min(values):.2f}")


if __name__ == "__main__":
    main()
