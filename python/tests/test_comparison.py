"""The steps that bench/compare.py has other libraries take come to what relayout does."""

import importlib
import pathlib
import sys

import numpy
import pytest

import relayout

BENCH = pathlib.Path(__file__).parent.parent / "bench"


@pytest.fixture
def steps(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    return importlib.import_module("steps")


CASES = [
    ("f32[5,7,6]{2,1,0}", "f32[5,7,6]{0,2,1}"),
    ("f32[5,7]{0,1:PD(6,9)}", "f32[5,7]{1,0:PD(5,8)}"),
    ("u8[5,9]{1,0}", "u8[5,9]{0,1:T(4,2)(2,1)}"),
    ("f32[5,9]{1,0:T(2,4)}", "bf16[5,9]{0,1}"),
    ("f32[300]{0:T(64)(16)}", "f32[300]{0:PD(301)}"),
]


@pytest.mark.parametrize("pair", CASES)
@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_steps(steps, random, pair, library):
    shapes = [relayout.Shape(text) for text in pair]
    source = random.integers(0, 99, shapes[0].physical_dimensions).astype(shapes[0].dtype)
    out = numpy.empty(shapes[1].physical_dimensions, shapes[1].dtype)
    relayout.copy(source, shapes[1], from_=shapes[0], out=out)
    of = steps.steps_between(*shapes)
    if library == "numpy":
        found = steps.with_numpy(of, source)
    elif library == "torch":
        torch = pytest.importorskip("torch")
        dtype = getattr(torch, out.dtype.name)
        found = steps.with_torch(of, torch.from_numpy(source), dtype).float().numpy()
    else:
        jax = pytest.importorskip("jax")
        found = numpy.asarray(steps.with_jax(of, jax.numpy.asarray(source)))
    assert found.astype(float).tolist() == out.astype(float).tolist()


def test_strided_copies(steps, random):
    cl = pytest.importorskip("pyopencl")
    arrays = pytest.importorskip("pyopencl.array")
    try:
        queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    except cl.Error as missing:
        pytest.skip(f"no OpenCL device: {missing}")
    for pair in (("f32[5,7]{1,0}", "f32[5,7]{1,0:PD(6,9)}"),
                 ("u8[3,5,7]{1,2,0:PD(3,6,8)}", "u8[3,5,7]{1,2,0}")):
        shapes = [relayout.Shape(text) for text in pair]
        source = random.integers(0, 99, shapes[0].physical_dimensions).astype(shapes[0].dtype)
        expected = numpy.zeros(shapes[1].physical_dimensions, shapes[1].dtype)
        relayout.copy(source, shapes[1], from_=shapes[0], out=expected)
        of = steps.steps_between(*shapes)
        assert of.only_pads
        out = arrays.zeros(queue, expected.shape, expected.dtype)
        steps.with_pyopencl(of, queue, arrays.to_device(queue, source), out).wait()
        assert numpy.array_equal(out.get(), expected)


def test_what_has_no_steps(steps):
    for text in ("s4[6]{0:E(4)}", "f32[3,4]{1,0:T(*,4)}", "f32[8]{0:T(2,2)}",
                 "f32[9]{0:T(3)(2)}", "f32[9]{0:T(4)L(32)}"):
        shape = relayout.Shape(text)
        assert steps.memory_of(shape) is None
