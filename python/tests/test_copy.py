import ml_dtypes
import numpy
import pytest

import relayout
from relayout import Shape

LAYOUTS = ["{2,1,0}", "{0,1,2}", "{1,2,0}", "{0,2,1:PD(5,8,9)}", "{2,1,0:T(2,4)}",
           "{0,1,2:T(4)(2)}", "{1,0,2:PD(6,7,8)T(3,2)}"]
DTYPES = ["bool", "uint8", "int16", "float32", "float64", "complex128"]


def array_of(random, dtype, sizes=(5, 7, 6)):
    return random.integers(0, 2 if dtype == "bool" else 100, sizes).astype(dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts(layout, dtype, device, random, expected_memory):
    array = array_of(random, dtype)
    shape = Shape.of(dtype, array.shape, layout)
    result = relayout.copy(array, layout, device=device)
    memory = result if shape.tiles else result.base
    expected = expected_memory(array, shape, numpy.zeros(memory.size, dtype))
    assert memory.ravel().tolist() == expected.tolist()
    if not shape.tiles:
        assert numpy.array_equal(result, array)
    back = relayout.copy(memory, Shape.of(dtype, array.shape), from_=shape, device=device)
    assert numpy.array_equal(back, array)


def test_plans_that_are_kept(random):
    """Arrays that differ in one thing alone, each a second time by the plan of its first."""
    square = random.integers(0, 100, (6, 6))
    arrays = [square.astype(dtype) for dtype in ("int16", ">i2", "uint16", "float32", "bfloat16")]
    arrays += [square[::-1], square[:, ::-1], square.T, square[::2], square[1:4], square[:0]]
    for _ in range(2):
        for array in arrays:
            for axes in ((0, 1), (1, 0), [1, 0]):
                moved = relayout.copy(array, "{0,1}", axes=axes)
                assert numpy.array_equal(moved, array.transpose(axes))
                assert moved.dtype == array.dtype.newbyteorder("=") and moved.flags.f_contiguous
        for scale in (1, 2, 0.5):
            scaled = relayout.copy(square, dtype="float32", scale=scale)
            assert scaled.dtype == "float32" and numpy.array_equal(scaled, square * scale)
        for cpu in ("cpu", relayout.Device("cpu")):
            assert numpy.array_equal(relayout.copy(square, device=cpu), square)
        with pytest.raises(relayout.InvalidError, match="^to: "):
            relayout.copy(square, "{0,0}")
        with pytest.raises(TypeError, match="overflow"):
            relayout.copy(square, overflow=[])


def test_default_layout(random):
    array = array_of(random, "float32").T
    result = relayout.copy(array)
    assert numpy.array_equal(result, array)
    assert result.flags.c_contiguous and not numpy.shares_memory(result, array)


@pytest.mark.parametrize("view", [
    lambda a: a[::-1], lambda a: a[:, ::-2], lambda a: a.transpose(2, 0, 1)[1:, ::3],
    lambda a: numpy.broadcast_to(a[:1], a.shape), lambda a: a[2:2], lambda a: a[1, 2, 3],
    lambda a: a[..., None], lambda a: numpy.lib.stride_tricks.sliding_window_view(a, 2, 0)])
def test_strides(view, device, random):
    array = view(array_of(random, "int32"))
    result = relayout.copy(array, device=device)
    assert result.shape == array.shape
    assert numpy.array_equal(result, array)


def test_out_as_it_lies(random):
    array = array_of(random, "float32")
    room = numpy.full((9, 14, 12), -1, numpy.float32)
    out = room[8:3:-1, ::2, 3:9]
    assert relayout.copy(array, out=out) is out
    assert numpy.array_equal(out, array)
    assert (room == -1).sum() == room.size - array.size


def test_out_as_memory(random, expected_memory):
    array = array_of(random, "float32")
    shape = Shape("f32[5,7,6]{0,1,2:PD(8,7,6)PV(unknown)}")
    out = numpy.full(shape.byte_size // 4, -1, numpy.float32)
    relayout.copy(array, shape, out=out)
    assert out.tolist() == expected_memory(array, shape, numpy.full(out.size, -1.0)).tolist()


def test_other_memory(random):
    array = array_of(random, "uint8", (4, 6))
    out = bytearray(24)
    relayout.copy(array.tobytes(), "u8[4,6]{0,1}", from_="u8[4,6]", out=out)
    assert out == array.T.tobytes()


def test_conversions(random):
    array = random.normal(size=(33, 20)).astype(numpy.float32) * 100
    result = relayout.copy(array, "bf16[33,20]{0,1}")
    assert numpy.array_equal(result, array.astype(ml_dtypes.bfloat16))
    result = relayout.copy(array, "s8[33,20]", scale=0.5)
    assert numpy.array_equal(result, numpy.clip(numpy.trunc(array * 0.5), -128, 127))
    numbers = numpy.array([300, -1], numpy.int32)
    assert relayout.copy(numbers, "u8[2]", overflow="wrap").tolist() == [44, 255]
    assert relayout.copy(numbers, "u8[2]").tolist() == [255, 0]


@pytest.mark.parametrize("rounding, function", [("zero", numpy.trunc), ("nearest", numpy.rint)])
def test_rounding(rounding, function, device):
    array = numpy.arange(-40, 40, dtype=numpy.float32) / 4
    for dtype, scale in (("int8", 1), ("int8", 8), ("int32", -3), ("int4", 0.5)):
        low, high = (-8, 7) if dtype == "int4" else (-128, 127)
        expected = function(array * scale)
        if dtype != "int32":
            expected = numpy.clip(expected, low, high)
        found = relayout.copy(array, dtype=dtype, scale=scale, rounding=rounding, device=device)
        assert numpy.array_equal(found.astype(float), expected)
    plan = relayout.plan("f32[80]", dtype="u8", rounding=rounding)
    assert numpy.array_equal(plan(array), numpy.clip(function(array), 0, 255))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu",
                                  "float8_e3m4", "float8_e4m3b11fnuz", "int4", "uint4", "int2"])
def test_types_of_ml_dtypes(name, random):
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    array = random.integers(0, 2, (6, 10)).astype(getattr(ml_dtypes, name))[::-1]
    result = relayout.copy(array, "{0,1}")
    assert result.dtype == array.dtype
    assert result.tobytes("F") == numpy.ascontiguousarray(array).tobytes("F")


def test_packed():
    array = numpy.array([[1, -2, 3], [4, -5, 6]], ml_dtypes.int4)
    packed = relayout.copy(array, "{0,1:E(4)}")
    assert packed.tolist() == [0x41, 0xbe, 0x63]
    back = relayout.copy(packed, "s4[2,3]", from_="s4[2,3]{0,1:E(4)}")
    assert back.astype(int).tolist() == array.astype(int).tolist()


@pytest.mark.parametrize("bitorder, order", [("big", "PO(high)"), ("little", "")])
@pytest.mark.parametrize("sizes", [(1,), (13,), (4, 24), (5, 7), (3, 129)])
def test_packbits(bitorder, order, sizes):
    random = numpy.random.default_rng(7)
    truths = random.integers(0, 2, sizes).astype(bool)
    bits = "{" + ",".join(str(d) for d in reversed(range(len(sizes)))) + ":" + order + "E(1)}"
    packed = relayout.copy(truths, bits)
    assert packed.tolist() == numpy.packbits(truths, bitorder=bitorder).tolist()
    text = f"pred[{','.join(map(str, sizes))}]"
    back = relayout.copy(packed, text, from_=text + bits)
    assert numpy.array_equal(back, truths)
    turned = relayout.copy(packed, "{" + ",".join(map(str, range(len(sizes)))) + ":" + order
                           + "E(1)}", from_=text + bits)
    assert turned.tolist() == numpy.packbits(truths.T, bitorder=bitorder).tolist()


def test_nibbles_high_first():
    array = numpy.array([[1, -2, 3], [4, -5, 6]], ml_dtypes.int4)
    high = relayout.copy(array, "{0,1:PO(high)E(4)}")
    assert high.tolist() == [0x14, 0xeb, 0x36]
    low = relayout.copy(high, "{0,1:E(4)}", from_="s4[2,3]{0,1:PO(high)E(4)}")
    assert low.tolist() == [0x41, 0xbe, 0x63]
    with pytest.raises(relayout.InvalidError, match="packing_order is high"):
        relayout.copy(array, "{0,1:PO(high)}")


def test_padding_is_filled():
    memory = relayout.copy(numpy.ones((2, 2), numpy.float32), "{1,0:PD(3,3)PV(-1.5)}").base
    assert memory.tolist() == [[1, 1, -1.5], [1, 1, -1.5], [-1.5] * 3]


@pytest.mark.parametrize("arguments, error, text", [
    (dict(to="{0,1,2}"), ValueError, "rank|dimension|order"),
    (dict(to="f32[2,3]"), relayout.InvalidError, "2"),
    (dict(to="{0,1", ), ValueError, "column"),
    (dict(out=numpy.zeros((2, 2), numpy.float32)), relayout.InvalidError, "dimension"),
    (dict(to="{0,1}", out=bytearray(44)), relayout.InvalidError, "48 bytes, but out has 44"),
    (dict(device="opencl:99:0"), relayout.DeviceError, "99"),
    (dict(device="gpu"), relayout.InvalidError, "gpu"),
    (dict(scale=0.0), relayout.InvalidError, "scale"),
    (dict(overflow="clip"), relayout.InvalidError, "'clip', not one of"),
    (dict(from_="f32[4,4]"), relayout.InvalidError, "takes 64 bytes, but array has 48"),
])
def test_refusals(arguments, error, text):
    array = numpy.zeros((3, 4), numpy.float32)
    with pytest.raises(error, match=text):
        relayout.copy(array, **arguments)


def test_refused_memory():
    array = numpy.zeros((4, 4), numpy.float32)
    with pytest.raises(relayout.InvalidError, match="one behind the other"):
        relayout.copy(array[:, ::2], from_="f32[8]")
    out = numpy.zeros((4, 4), numpy.float32)
    out.flags.writeable = False
    with pytest.raises(relayout.InvalidError, match="out is read-only"):
        relayout.copy(array, out=out)
    with pytest.raises(relayout.InvalidError, match="out is read-only"):
        relayout.copy(array, "{0,1}", out=bytes(64))
    with pytest.raises(relayout.InvalidError, match="overlap"):
        relayout.copy(array, out=array.T)
    with pytest.raises(TypeError, match="list is no array"):
        relayout.copy([1, 2, 3])
    with pytest.raises(relayout.UnsupportedError, match="no element type"):
        relayout.copy(numpy.array(["a"]))


@pytest.mark.parametrize("arguments, text", [
    (dict(to=(1, 0)), r"to is \(1, 0\), neither a Shape nor its text"),
    (dict(from_=4), "from_ is 4, neither a Shape"),
    (dict(device=None), "device must be a string, not NoneType"),
    (dict(queue=3), "queue is 3, no CommandQueue"),
])
def test_other_types_of_arguments(arguments, text):
    with pytest.raises(TypeError, match=text):
        relayout.copy(numpy.zeros((3, 4), numpy.float32), **arguments)


def test_scalars_and_nothing():
    assert relayout.copy(numpy.float32(3).reshape(())).item() == 3
    assert relayout.copy(numpy.zeros((0, 5), numpy.int8), "{0,1}").shape == (0, 5)
    assert relayout.copy(numpy.zeros((0, 5), numpy.int8), "{1,0:T(2,2)}").size == 0
