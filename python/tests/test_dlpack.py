"""Arrays of other libraries, by DLPack."""

import ml_dtypes
import numpy
import pytest

import relayout


class Exporter:
    """NumPy's array, which says nothing but DLPack, of this version."""

    def __init__(self, array, version=None):
        self.array, self.version = array, version

    def __dlpack__(self, **arguments):
        if self.version is None and arguments:
            raise TypeError("no such argument")
        return self.array.__dlpack__(**({"max_version": self.version} if self.version else {}))

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_versions(version):
    array = numpy.arange(24, dtype=numpy.float32).reshape(4, 6)
    for view in (array, array.T, array[::-1, 1:5:2]):
        try:
            view.__dlpack__(**({"max_version": version} if version else {}))
        except (TypeError, BufferError) as refused:
            pytest.skip(f"this NumPy does not export it: {refused}")
        assert numpy.array_equal(relayout.copy(Exporter(view, version)), view)


def test_out():
    out = numpy.zeros((4, 6), numpy.float32)
    array = numpy.arange(24, dtype=numpy.float32).reshape(6, 4).T
    relayout.copy(array, out=Exporter(out))
    assert numpy.array_equal(out, array)


def test_other_devices():
    class Elsewhere(Exporter):
        def __dlpack_device__(self):
            return (2, 1)

    with pytest.raises(relayout.UnsupportedError, match=r"\(2, 1\)"):
        relayout.copy(Elsewhere(numpy.zeros(3)))


def test_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4).permute(2, 0, 1)
    assert relayout.copy(tensor).tolist() == tensor.tolist()
    half = tensor.to(torch.bfloat16)
    result = relayout.copy(half, "{0,1,2}")
    assert result.dtype == ml_dtypes.bfloat16 and result.tolist() == tensor.tolist()
    out = torch.zeros(2, 4, 3).permute(1, 0, 2)
    relayout.copy(tensor, out=out)
    assert torch.equal(out, tensor)


def test_arrays_of_torch_that_have_no_memory_to_move():
    torch = pytest.importorskip("torch")
    with pytest.raises(BufferError, match="detach"):
        relayout.copy(torch.ones(3, requires_grad=True))


@pytest.mark.parametrize("name", ["bool_", "int4", "uint2", "float8_e4m3", "float4_e2m1fn"])
def test_types_of_jax(name):
    jax = pytest.importorskip("jax")
    ones_and_zeros = numpy.arange(24).reshape(4, 6) % 5 % 2
    array = jax.numpy.asarray(ones_and_zeros).astype(getattr(jax.numpy, name))
    assert relayout.copy(array, "{0,1}").astype(int).tolist() == ones_and_zeros.tolist()


def test_arrays_of_jax_are_never_written():
    jax = pytest.importorskip("jax")
    zeros = jax.numpy.zeros((2, 3))
    with pytest.raises(relayout.InvalidError, match="out is read-only"):
        relayout.copy(numpy.ones((2, 3), numpy.float32), out=zeros)
    assert not zeros.any()


def test_traced_arrays_of_jax():
    jax = pytest.importorskip("jax")
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(relayout.copy)(jax.numpy.zeros(3))


def test_tvm():
    tvm = pytest.importorskip("tvm_ffi")
    array = numpy.arange(24, dtype=numpy.float32).reshape(4, 6)
    assert numpy.array_equal(relayout.copy(tvm.from_dlpack(array), "{0,1}"), array)
    out = numpy.zeros((4, 6), numpy.float32)
    relayout.copy(array[::-1], out=tvm.from_dlpack(out))
    assert numpy.array_equal(out, array[::-1])


def test_jax():
    jax = pytest.importorskip("jax")
    array = jax.numpy.arange(24, dtype=jax.numpy.bfloat16).reshape(4, 6)
    tiles = relayout.copy(array, "{1,0:T(2,2)}")
    assert tiles.shape == (2, 3, 2, 2)
    back = relayout.copy(tiles, "bf16[4,6]", from_="bf16[4,6]{1,0:T(2,2)}")
    assert back.astype(numpy.float32).tolist() == array.astype(numpy.float32).tolist()
