"""New memory as other libraries' arrays."""

import gc
import sys
import types

import ml_dtypes
import numpy
import pytest

import relayout
from relayout import _like
from relayout._memory import view_of_elements

TYPES = ["f32", "f64", "f16", "bf16", "s8", "u16", "s64", "c64", "pred", "f8e4m3fn", "f8e5m2"]


@pytest.fixture
def array(random):
    return random.integers(0, 2, (4, 6)).astype(numpy.float32)


def exporter_of(array):
    return _like._Exporter(view_of_elements(array.dtype, array.shape, array.strides), array)


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("turned", [lambda a: a, lambda a: a.T, lambda a: a[::2, 1:]])
def test_what_is_lent_is_the_memory(version, turned, array):
    """NumPy takes it, and gives it back."""
    lent = turned(array)
    before = len(_like._lent)
    exporter = exporter_of(lent)
    consumer = type("Consumer", (), {
        "__dlpack__": lambda self, **_: exporter.__dlpack__(max_version=version),
        "__dlpack_device__": lambda self: (1, 0)})()
    taken = numpy.from_dlpack(consumer)
    assert taken.ctypes.data == lent.ctypes.data and taken.strides == lent.strides
    assert numpy.array_equal(taken, lent) and len(_like._lent) == before + 1
    del taken
    gc.collect()
    assert len(_like._lent) == before


def test_what_nobody_takes_is_let_go(array):
    for version in (None, (1, 0)):
        before = len(_like._lent)
        capsule = exporter_of(array).__dlpack__(max_version=version)
        assert len(_like._lent) == before + 1
        del capsule
        assert len(_like._lent) == before


def test_what_cannot_be_lent(array):
    exporter = exporter_of(array)
    for wish in (dict(stream=1), dict(copy=True), dict(dl_device=(2, 0))):
        with pytest.raises(BufferError):
            exporter.__dlpack__(**wish)
    with pytest.raises(BufferError, match="since version 1"):
        exporter_of(array.astype(ml_dtypes.int4)).__dlpack__()


def test_numpy(array):
    for like in ("numpy", numpy, array, None):
        result = relayout.copy(array, "{0,1}", like=like)
        assert type(result) is numpy.ndarray and numpy.array_equal(result, array)


def test_any_module_with_from_dlpack(array):
    module = types.ModuleType("sys")  # found by its name, as modules are
    with pytest.raises(TypeError, match="has no from_dlpack"):
        relayout.copy(array, like=module)
    with pytest.raises(TypeError, match="like is 3"):
        relayout.copy(array, like=3)
    with pytest.raises(ModuleNotFoundError):
        relayout.copy(array, like="no_such_library")


@pytest.mark.parametrize("name", TYPES)
def test_jax(name, array):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        result = relayout.copy(array, dtype=name if name != "c64" else None, like="jax")
        assert isinstance(result, jax.Array) and result.shape == array.shape
        if name != "c64":
            assert result.dtype == relayout.Shape.of(name, ()).dtype
        assert numpy.asarray(result).astype(numpy.float32).tolist() == array.tolist()


def test_jax_takes_the_memory_over(array):
    jax = pytest.importorskip("jax")
    before = len(_like._lent)
    result = relayout.copy(array, dtype="bf16", like=jax.numpy.zeros(1))
    addresses = [lent[2].ctypes.data for lent in list(_like._lent.values())[before:]]
    assert addresses == [result.unsafe_buffer_pointer()]
    del result
    gc.collect()
    assert len(_like._lent) == before


@pytest.mark.parametrize("like", ["jax", "jax.numpy"])
def test_jax_of_other_orders_and_types(like, array):
    jax = pytest.importorskip("jax")
    plan = relayout.plan("f32[4,6]", "{0,1}")
    assert plan(array, like=like).tolist() == array.tolist()
    small = relayout.copy(array, dtype="s4", like=jax)
    assert small.dtype == jax.numpy.int4 and small.astype(float).tolist() == array.tolist()
    assert relayout.copy(array[:0], like=jax).shape == (0, 6)
    assert relayout.copy(numpy.float32(3), like=jax.numpy).item() == 3


def test_torch_has_float8_by_bytes(monkeypatch, array):
    """A stand-in, which knows no more of DLPack than NumPy does."""
    module = types.ModuleType("torch")
    module.from_dlpack, module.float8_e4m3fn = numpy.from_dlpack, ml_dtypes.float8_e4m3fn
    monkeypatch.setitem(sys.modules, "torch", module)
    result = relayout.copy(array, "f8e4m3fn{0,1}", like="torch")
    assert result.dtype == ml_dtypes.float8_e4m3fn and result.strides == (1, 4)
    assert result.astype(numpy.float32).tolist() == array.tolist()


@pytest.mark.parametrize("name", TYPES)
def test_torch(name, array):
    torch = pytest.importorskip("torch")
    source = array.astype(numpy.complex64) if name == "c64" else array
    result = relayout.copy(source, "{0,1}", dtype=name, like="torch")
    assert isinstance(result, torch.Tensor) and result.stride() == (1, 4)
    assert result.to(torch.float32).tolist() == array.tolist()
    assert isinstance(relayout.copy(source, like=torch.zeros(1)), torch.Tensor)
