"""What the arguments of copy and plan may say, and what messages say of those that may not."""

import ctypes
import itertools
import math

import ml_dtypes
import numpy
import pytest

import relayout
from relayout import Shape


@pytest.fixture
def array(random):
    return random.normal(size=(2, 3, 4)).astype(numpy.float32)


# ---- Arrays in the place of a plan's shapes ---------------------------------------------------


@pytest.mark.parametrize("given, error, found", [
    (numpy.zeros((2, 3), numpy.int32), TypeError, r"int32\[2,3\]"),
    (numpy.zeros((2, 3), numpy.float64), TypeError, r"float64\[2,3\]"),
    (numpy.zeros((2, 3), numpy.int8), TypeError, r"int8\[2,3\]"),
    (numpy.zeros((4, 6), ml_dtypes.bfloat16), TypeError, r"bfloat16\[4,6\]"),
    ((ctypes.c_int32 * 6)(), TypeError, r"int32\[6\]"),
    (memoryview(bytes(24)).cast("i"), TypeError, r"int32\[6\]"),
    (numpy.zeros((3, 2), numpy.float32), ValueError, r"float32\[3,2\]"),
    (numpy.zeros((2, 3, 4), numpy.float32), ValueError, r"float32\[2,3,4\]"),
    (numpy.zeros(7, numpy.float32), ValueError, r"float32\[7\]"),
    (numpy.zeros((), numpy.float32), ValueError, r"float32\[\]"),
])
def test_other_arrays_are_refused(given, error, found):
    plan = relayout.plan("f32[2,3]", "{1,0}")
    array = numpy.zeros((2, 3), numpy.float32)
    with pytest.raises(error, match=f"source is {found}, but .* is float32.2,3."):
        plan(given)
    if not numpy.asarray(given).flags.writeable:
        return
    for call in (lambda: plan(array, given), lambda: relayout.copy(array, "{1,0}", out=given)):
        with pytest.raises(error, match=f"out is {found}, but .* is float32.2,3."):
            call()
    assert not numpy.asarray(given).astype(float).any()


@pytest.mark.parametrize("given", [
    lambda a: a, lambda a: a.ravel(), lambda a: a.tobytes(), lambda a: bytearray(a.tobytes()),
    lambda a: bytearray(a.tobytes() + b"more"), lambda a: memoryview(a), lambda a: a.view("V4"),
    lambda a: a.view(numpy.uint8), lambda a: a.view(numpy.uint8).ravel(), lambda a: a.view("V12"),
    lambda a: (ctypes.c_char * 24).from_buffer_copy(a.tobytes())])
def test_arrays_that_fit_and_bytes(given, random):
    plan = relayout.plan("f32[2,3]", "{0,1}")
    array = random.normal(size=(2, 3)).astype(numpy.float32)
    assert numpy.array_equal(plan(given(array)), array)


@pytest.mark.parametrize("out", [
    numpy.zeros((3, 2), numpy.float32), numpy.zeros(6, numpy.float32), bytearray(24),
    numpy.zeros((2, 3), numpy.float32, "F"), numpy.zeros((3, 2), "V4"),
    numpy.zeros((3, 8), numpy.uint8), (ctypes.c_float * 6)()])
def test_memory_for_a_layout(out, random):
    array = random.normal(size=(2, 3)).astype(numpy.float32)
    relayout.copy(array, "{0,1}", out=out)
    found = out.tobytes("A") if isinstance(out, numpy.ndarray) else bytes(out)
    assert found == array.tobytes("F")


def test_dimensions_of_bytes():
    """Where the plan's elements are uint8, those of one dimension are bytes and others are not."""
    plan = relayout.plan("u8[4,6]", "{0,1}")
    values = numpy.arange(24, dtype=numpy.uint8)
    expected = values.reshape(4, 6).tolist()
    for given in (values, values.reshape(4, 6), values.tobytes(), values.view("V3").reshape(2, 4)):
        assert plan(given).tolist() == expected
    for sizes in ((6, 4), (2, 12), (24, 1)):
        with pytest.raises(ValueError, match=r"uint8\[\d+,\d+\], but u8\[4,6\]"):
            plan(values.reshape(sizes))
    packed = relayout.plan("s4[4,6]{1,0:E(4)}", "s8[4,6]")
    assert packed(numpy.zeros((4, 3), numpy.uint8)).shape == (4, 6)
    with pytest.raises(TypeError, match="int8"):
        packed(numpy.zeros(12, numpy.int8))


def test_an_array_that_lies_otherwise():
    """Of the right type and dimensions, but its elements would come to be others."""
    array = numpy.zeros((2, 3), numpy.float32)
    with pytest.raises(relayout.InvalidError, match=r"does not lie as f32\[2,3\]\{0,1\} says; its "
                                                    r"memory would be float32\[3,2\]"):
        relayout.copy(array, "{0,1}", out=numpy.zeros((2, 3), numpy.float32))
    tiles = relayout.plan("f32[16,128]{1,0:T(8,128)}", "{1,0}")
    with pytest.raises(relayout.InvalidError, match="does not lie"):
        tiles(numpy.zeros((16, 128), numpy.float32))
    assert tiles(numpy.zeros((2, 1, 8, 128), numpy.float32)).shape == (16, 128)


def test_memory_of_wider_elements():
    plan = relayout.plan("bf16[3]{0:E(32)}", "f32[3]")
    assert plan(numpy.array([0x3f80, 0, 0], numpy.uint32)).tolist() == [1, 0, 0]
    with pytest.raises(TypeError, match="bfloat16"):
        plan(numpy.zeros(3, ml_dtypes.bfloat16))


def test_from_describes_any_memory():
    """That is what it is for: here two bytes are a bf16."""
    words = numpy.array([0x3f80, 0x4000], numpy.uint16)
    assert relayout.copy(words, "f32", from_="bf16").tolist() == [1, 2]
    assert relayout.copy(words, from_="f16[2,1]{0,1}").shape == (2, 1)
    assert relayout.copy(words.view("V2"), "f32", from_="bf16[2]").tolist() == [1, 2]
    with pytest.raises(relayout.InvalidError, match="does not say what it is"):
        relayout.copy(words.view("V2"), from_="bf16")
    with pytest.raises(relayout.InvalidError, match="from_ is no shape"):
        relayout.copy(words.view("V2"))


# ---- Parts of a shape -------------------------------------------------------------------------


@pytest.mark.parametrize("to, shape", [
    ("bf16", "bf16[2,3,4]"), ("bf16{0,1,2}", "bf16[2,3,4]{0,1,2}"),
    (" f16 { 2,1,0 : T(2,2) }", "f16[2,3,4]{2,1,0:T(2,2)}"), ("{0,1,2}", "f32[2,3,4]{0,1,2}"),
    ("{:PD(2,3,5)}", "f32[2,3,4]{2,1,0:PD(2,3,5)}"), ("", "f32[2,3,4]"), (None, "f32[2,3,4]")])
def test_parts(to, shape, array):
    found, expected = relayout.copy(array, to), relayout.copy(array, shape)
    assert found.dtype == expected.dtype and found.strides == expected.strides
    assert found.tobytes() == expected.tobytes()
    assert relayout.plan("f32[2,3,4]", to)(array).tobytes() == expected.tobytes()


def test_rank_0():
    for to in ("{}", "bf16", "f32[]", None):
        result = relayout.copy(numpy.float32(3), to)
        assert result.shape == () and result == 3
    assert relayout.copy(numpy.float32(3), "f16{}").dtype == numpy.float16


def test_a_type_keeps_the_layout_of_from():
    tiles = relayout.copy(numpy.ones((4, 6), numpy.float32), "{1,0:T(2,4)}")
    narrow = relayout.copy(tiles, "bf16", from_="f32[4,6]{1,0:T(2,4)}")
    assert narrow.shape == tiles.shape and narrow.dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("dtype, name", [
    (numpy.float16, "float16"), ("float16", "float16"), ("f16", "float16"), ("bf16", "bfloat16"),
    (ml_dtypes.bfloat16, "bfloat16"), (numpy.dtype("int8"), "int8"), (bool, "bool"), ("s4", "int4"),
    (ml_dtypes.float8_e4m3fn, "float8_e4m3fn")])
def test_dtype(dtype, name, array):
    result = relayout.copy(array, dtype=dtype)
    assert result.dtype == numpy.dtype(getattr(ml_dtypes, name, name))
    expected = relayout.copy(array, Shape.of(result.dtype, array.shape))
    assert result.tobytes() == expected.tobytes()
    assert relayout.plan(array, dtype=dtype)(array).tobytes() == expected.tobytes()


def test_dtype_with_a_layout(array):
    result = relayout.copy(array, "{0,1,2}", dtype=numpy.float64)
    assert result.strides == (8, 16, 48) and numpy.array_equal(result, array)
    assert relayout.copy(array, "f64[2,3,4]", dtype="float64").dtype == numpy.float64
    with pytest.raises(relayout.InvalidError, match=r"dtype is bf16, but to is f64\[2,3,4\]"):
        relayout.copy(array, "f64", dtype="bf16")
    out = numpy.zeros(24, numpy.float16)
    relayout.copy(array, dtype=numpy.float16, out=out)
    assert numpy.array_equal(out, array.astype(numpy.float16).ravel())
    with pytest.raises(TypeError, match=r"out is float16\[24\], but f64"):
        relayout.copy(array, dtype=numpy.float64, out=out)


# ---- Axes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", [*itertools.permutations(range(3)), (-1, 0, 1), [1, -1, -3]])
def test_axes(axes, array, device):
    expected = array.transpose(axes)
    result = relayout.copy(array, axes=axes, device=device)
    assert result.flags.c_contiguous and numpy.array_equal(result, expected)
    out = numpy.zeros((9, 9, 9), numpy.float32)[tuple(map(slice, expected.shape))]
    relayout.copy(array, out=out, axes=axes, device=device)
    assert numpy.array_equal(out, expected)
    plan = relayout.plan("f32[2,3,4]", axes=axes, device=device)
    assert numpy.array_equal(plan(array), expected)
    plan = relayout.plan(array[:, ::-1], axes=axes, device=device)
    assert numpy.array_equal(plan(array[:, ::-1]), array[:, ::-1].transpose(axes))


def test_axes_with_a_layout(array):
    """It is the result's."""
    result = relayout.copy(array, "bf16{0,1,2:PD(4,3,3)}", axes=(2, 1, 0))
    assert result.shape == (4, 3, 2) and result.strides == (2, 8, 24)
    assert numpy.array_equal(result, array.T.astype(ml_dtypes.bfloat16))


def test_axes_of_tiles(array):
    shape = Shape("f32[2,3,4]{2,1,0:T(2,2)}")
    tiles = relayout.copy(array, shape)
    back = relayout.copy(tiles, from_=shape, axes=(2, 0, 1))
    assert numpy.array_equal(back, array.transpose(2, 0, 1))
    turned = relayout.copy(array, "{0,1,2:T(2,2)}", axes=(2, 0, 1))
    expected = relayout.copy(numpy.ascontiguousarray(array.transpose(2, 0, 1)), "{0,1,2:T(2,2)}")
    assert numpy.array_equal(turned, expected)
    with pytest.raises(relayout.UnsupportedError, match="both sides have tiles"):
        relayout.copy(tiles, "{0,1,2:T(2,2)}", from_=shape, axes=(2, 0, 1))


@pytest.mark.parametrize("axes, error, text", [
    ((0, 0, 1), ValueError, r"axes is \(0, 0, 1\), no permutation of 3 dimensions"),
    ((0, 1), ValueError, "no permutation"), ((0, 1, 3), ValueError, "no permutation"),
    ((0, 1, -4), ValueError, "no permutation"), ("abc", TypeError, "sequence of integers"),
    (2, TypeError, "not 2"), ((0.0, 1, 2), TypeError, "sequence of integers")])
def test_wrong_axes(axes, error, text, array):
    with pytest.raises(error, match=text):
        relayout.copy(array, axes=axes)


# ---- Messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments, error, text", [
    (dict(to="{0,1}"), ValueError, "^to: column 2: minor_to_major lists 2"),
    (dict(to="bf"), ValueError, "^to: column 1: 'bf'"),
    (dict(to="f32[2,x]"), ValueError, "^to: column 7"),
    (dict(to="{0,1,2:Q}"), ValueError, "^to: column 8"),
    (dict(from_="{0,1"), ValueError, "^from_: column"),
    (dict(to="f32[2,3,5]"), ValueError, r"^dimensions\[2\] of array is 4, that of to is 5"),
    (dict(to="f32[2]"), ValueError, "^the rank of array is 3, that of to is 1"),
    (dict(out=numpy.zeros((2, 3), numpy.float32)), ValueError,
     r"^out has the dimensions \[2, 3\], but array has \[2, 3, 4\]"),
    (dict(scale=[1, 2]), TypeError, "^scale must be a number, not list"),
    (dict(scale="1"), TypeError, "^scale must be a number, not str"),
    (dict(scale=math.inf), ValueError, "^scale is inf; it must be finite"),
    (dict(scale=0), ValueError, "^scale is 0; it must be finite and not 0"),
    (dict(scale=math.nan), ValueError, "^scale is "),
    (dict(overflow=["wrap"]), TypeError, "^overflow must be a string, not list"),
    (dict(rounding="up"), ValueError, "^rounding is 'up', not one of 'zero', 'nearest'"),
    (dict(dtype="nonsense"), TypeError, "^dtype is 'nonsense', which is no type"),
    (dict(like=3), TypeError, "^like is 3, which has no from_dlpack"),
    (dict(like="numpy", out=bytearray(96)), ValueError, "^like is for new memory"),
])
def test_messages_name_the_argument(arguments, error, text, array):
    with pytest.raises(error, match=text):
        relayout.copy(array, **arguments)


@pytest.mark.parametrize("arguments, error, text", [
    (dict(measured=-1), ValueError, "^measured is -1"),
    (dict(measured=1 << 40), ValueError, f"^measured is {1 << 40}"),
    (dict(measured="8"), TypeError, "^measured must be an integer, not str"),
    (dict(effort=None), TypeError, "^effort must be a string"),
    (dict(schedules=3), TypeError, "^schedules must be a string or several, not int"),
    (dict(schedules=[3]), TypeError, "^schedules must be a string, not int"),
    (dict(schedules="slowly"), ValueError, "^schedule: `slowly`"),
    (dict(schedules=["a", "b", "c"]), relayout.UnsupportedError, "^schedule_count is 3"),
])
def test_messages_of_plans(arguments, error, text):
    with pytest.raises(error, match=text):
        relayout.plan("f32[20,30]", "{0,1}", **arguments)


def test_messages_of_memory():
    room = numpy.zeros(16, numpy.float32)
    with pytest.raises(ValueError, match=r"^array \(.*\) and out \(.*\) overlap"):
        relayout.copy(room[:8], out=room[4:12])
    twice = numpy.lib.stride_tricks.as_strided(room, (3, 3), (4, 4))
    with pytest.raises(ValueError, match="^out's byte_strides let two elements overlap"):
        relayout.copy(numpy.zeros((3, 3), numpy.float32), out=twice)
    plan = relayout.plan(room[::2], "{0}")
    with pytest.raises(ValueError, match=r"^source's strides in bytes are \(4,\), but the plan's "
                                         r"are \(8,\)"):
        plan(room[:8])
    with pytest.raises(TypeError, match=r"^source is int32\[8\], but the plan's is float32\[8\]"):
        plan(room.view(numpy.int32)[::2])
    with pytest.raises(ValueError, match=r"^source is float32\[4\], but the plan's is"):
        plan(room[:8:2])
