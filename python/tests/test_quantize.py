"""Quantised tensors, against numbers that are worked out as fractions, format by format."""

import math
import struct
import threading
from fractions import Fraction

import ml_dtypes
import numpy
import pytest

import relayout

# ---- Formats ----------------------------------------------------------------------------------


def _numbers(exponent_bits, mantissa_bits, bias, last):
    """The value of each code from 0 to the greatest finite one."""
    values = []
    for code in range(last + 1):
        exponent, mantissa = divmod(code, 1 << mantissa_bits)
        lead = 1 if exponent > 0 else 0
        power = max(exponent, 1) - bias - mantissa_bits
        values.append((mantissa + (lead << mantissa_bits)) * Fraction(2) ** power)
    assert last < 1 << (exponent_bits + mantissa_bits)
    return values


NUMBERS = {
    "f8e4m3fn": _numbers(4, 3, 7, 0x7e), "f8e5m2": _numbers(5, 2, 15, 0x7b),
    "f6e2m3fn": _numbers(2, 3, 1, 0x1f), "f6e3m2fn": _numbers(3, 2, 3, 0x1f),
    "f4e2m1fn": _numbers(2, 1, 1, 7)}
BITS = {"f8e4m3fn": 8, "f8e5m2": 8, "f6e2m3fn": 6, "f6e3m2fn": 6, "f4e2m1fn": 4}


def test_the_numbers():
    most = {name: values[-1] for name, values in NUMBERS.items()}
    assert most == {"f8e4m3fn": 448, "f8e5m2": 57344, "f6e2m3fn": Fraction(15, 2), "f6e3m2fn": 28,
                    "f4e2m1fn": 6}


def code_of(value, name):
    """The nearest number's, of two as near the even one; beyond the greatest that."""
    numbers, size = NUMBERS[name], abs(value)
    code = min(range(len(numbers)), key=lambda at: (abs(numbers[at] - size), at % 2))
    is_negative = math.copysign(1, value) < 0 if isinstance(value, float) else value < 0
    return code | (int(is_negative) << (BITS[name] - 1))


def floor_log2(value):
    power = 0
    while Fraction(2) ** power > value:
        power -= 1
    while Fraction(2) ** (power + 1) <= value:
        power += 1
    return power


def rows_of_groups(array, size):
    """Each row's groups along the last dimension, as lists of fractions."""
    return [[[Fraction(float(value)) for value in row[first:first + size]]
             for first in range(0, array.shape[1], size)] for row in array]


def unpacked(memory):
    """Of two elements a byte, the first in the low bits."""
    return numpy.stack([memory & 15, memory >> 4], -1).reshape(*memory.shape[:-1], -1)


@pytest.fixture(params=[64, 40, 6])
def array(request, random):
    """Without zeros, whose sign fractions have not; groups of 40 are not all full."""
    values = random.normal(size=(3, request.param)) * 2.0 ** random.integers(-9, 9, (3, 1))
    return values.astype(numpy.float32)


# ---- OCP's formats ----------------------------------------------------------------------------


MX = {"mxfp8": "f8e4m3fn", "mxfp8_e5m2": "f8e5m2", "mxfp6_e2m3": "f6e2m3fn",
      "mxfp6_e3m2": "f6e3m2fn", "mxfp4": "f4e2m1fn"}


def expected_mx(array, name, group=32):
    codes, scales = [], []
    for row in rows_of_groups(array, group):
        powers = [floor_log2(max(map(abs, values))) - floor_log2(NUMBERS[name][-1])
                  for values in row]
        scales.append([power + 127 for power in powers])
        codes.append([code_of(value / Fraction(2) ** power, name)
                      for values, power in zip(row, powers) for value in values])
    return numpy.uint8(codes), numpy.uint8(scales)


@pytest.mark.parametrize("scheme", MX)
def test_mx(scheme, array):
    name = MX[scheme]
    elements, scales = relayout.quantize(array, scheme)
    codes, powers = expected_mx(array, name)
    found = unpacked(elements) if name == "f4e2m1fn" else elements.view(numpy.uint8)
    assert found.tolist() == codes.tolist()
    assert scales.view(numpy.uint8).tolist() == powers.tolist()
    assert scales.shape == (3, -(-array.shape[1] // 32))
    back = relayout.dequantize(elements, scales, "f32", scheme=scheme)
    half = 1 << (BITS[name] - 1)
    values = [[float(NUMBERS[name][code % half]) * (-1 if code >= half else 1)
               * 2.0 ** (int(powers[r, i // 32]) - 127) for i, code in enumerate(row)]
              for r, row in enumerate(codes.tolist())]
    assert back.tolist() == values
    if elements.dtype != "u1" and scales.dtype != "u1":  # they say what they are
        assert relayout.dequantize(elements, scales).tolist() == values


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e8m0fnu", "float4_e2m1fn",
                                  "float6_e2m3fn", "float6_e3m2fn"])
def test_types_are_those_of_ml_dtypes(name, random):
    if not hasattr(ml_dtypes, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    dtype = numpy.dtype(getattr(ml_dtypes, name))
    array = random.normal(size=(2, 64)).astype(numpy.float32)
    if name == "float4_e2m1fn":  # which out asks for
        elements = numpy.empty((2, 64), dtype)
        _, scales = relayout.quantize(array, "mxfp4", out=elements)
    else:
        scheme = {"float6_e2m3fn": "mxfp6_e2m3", "float6_e3m2fn": "mxfp6_e3m2"}.get(name, "mxfp8")
        elements, scales = relayout.quantize(array, scheme)
    assert dtype in (elements.dtype, scales.dtype)
    values = elements.astype(numpy.float32) * numpy.repeat(scales.astype(numpy.float32), 32, 1)
    assert numpy.array_equal(relayout.dequantize(elements, scales), values)


def test_mx_by_hand():
    """The greatest is 6, and so 2 to the power of 2 - 2 the scale of f4; 5 is between 4 and 6, and
    4 is even; the first element of two is in the low bits."""
    array = numpy.zeros((1, 32), numpy.float32)
    array[0, :6] = [6, -0.5, 5, 2.5, -1, 0.2]
    elements, scales = relayout.quantize(array, "mxfp4")
    assert elements.tolist() == [[0x97, 0x46, 0x0a] + [0] * 13]
    assert scales.view(numpy.uint8).tolist() == [[127]]
    # 7 divided by 1 saturates; 448 does not, with a scale of 2 ** (8 - 8)
    array[0, 0] = 7
    assert relayout.quantize(array, "mxfp4")[0][0, 0] == 0x97
    array[0, 0] = 448
    elements, scales = relayout.quantize(array, "mxfp8")
    assert elements.view(numpy.uint8)[0, :2].tolist() == [0x7e, 0xb0]
    assert scales.view(numpy.uint8).tolist() == [[127]]


# ---- Scales of the greatest value -------------------------------------------------------------


def test_nvfp4(array):
    elements, scales = relayout.quantize(array, "nvfp4")
    found = unpacked(elements).tolist()
    for r, row in enumerate(rows_of_groups(array, 16)):
        for g, values in enumerate(row):
            code = code_of(max(map(abs, values)) / 6, "f8e4m3fn")
            assert scales.view(numpy.uint8)[r, g] == code
            scale = NUMBERS["f8e4m3fn"][code]
            codes = [code_of(value / scale, "f4e2m1fn") if scale else 0 for value in values]
            assert found[r][16 * g:16 * g + 16] == codes
    back = relayout.dequantize(elements, scales, scheme="nvfp4")
    signs = [[float(NUMBERS["f4e2m1fn"][code % 8]) * (-1 if code >= 8 else 1) for code in row]
             for row in found]
    by_element = numpy.repeat(scales.astype(numpy.float32), 16, 1)[:, :array.shape[1]]
    assert numpy.array_equal(back, numpy.float32(signs) * by_element)


def test_nvfp4_with_a_tensor_scale(array):
    """Found and given: values are divided by the products of scales and the tensor's, as f32s."""
    most = max(abs(float(value)) for value in array.ravel())
    found = relayout.quantize(array, "nvfp4", tensor_scale="amax")
    scale = numpy.float32(Fraction(most) / (6 * 448))
    assert isinstance(found, relayout.Quantized) and found.tensor_scale == scale
    most_of_group = Fraction(float(6 * scale))
    codes = unpacked(found.elements).tolist()
    for r, row in enumerate(rows_of_groups(array, 16)):
        for g, values in enumerate(row):
            code = code_of(max(map(abs, values)) / most_of_group, "f8e4m3fn")
            assert found.scales.view(numpy.uint8)[r, g] == code
            own = Fraction(float(numpy.float32(NUMBERS["f8e4m3fn"][code]) * scale))
            wanted = [code_of(value / own, "f4e2m1fn") if own else 0 for value in values]
            assert codes[r][16 * g:16 * g + 16] == wanted
    for given in (float(scale), numpy.array(scale), numpy.array([[scale]])):
        again = relayout.quantize(array, "nvfp4", tensor_scale=given)
        assert all((a == b).all() for a, b in zip(found, again))
    back = relayout.dequantize(*found[:2], scheme="nvfp4", tensor_scale=found.tensor_scale)
    signs = [[float(NUMBERS["f4e2m1fn"][code % 8]) * (-1 if code >= 8 else 1) for code in row]
             for row in codes]
    scales = found.scales.astype(numpy.float32) * scale
    assert numpy.array_equal(back, numpy.float32(signs) *
                             numpy.repeat(scales, 16, 1)[:, :array.shape[1]])


def test_tensor_scales(array):
    zeros = relayout.quantize(numpy.zeros((3, 32), "f4"), "nvfp4", tensor_scale="amax")
    assert zeros.tensor_scale == 1 and not zeros.elements.any()
    assert relayout.quantize(numpy.full((1, 16), 1e-40, "f4"), "nvfp4",
                             tensor_scale="amax").tensor_scale == numpy.finfo("f4").tiny
    assert relayout.quantize(numpy.zeros((0, 16), "f4"), "nvfp4", tensor_scale="amax")[2] == 1
    doubled = relayout.quantize(array, "int8", tensor_scale=0.5)
    plain = relayout.quantize(array, "int8")
    assert (doubled.scales == 2 * plain[1]).all() and (doubled.elements == plain[0]).all()
    assert (relayout.dequantize(*doubled[:2], tensor_scale=numpy.float32([0.5])[0])
            == relayout.dequantize(*plain)).all()
    array[0, 0] = numpy.inf
    for given, scheme, error, match in (
            ("amax", "nvfp4", relayout.InvalidError, "array has inf"),
            ("amax", "int8", relayout.InvalidError, "tensor_scale is 'amax'"),
            ("most", "nvfp4", relayout.InvalidError, "tensor_scale is 'most'"),
            (0, "int8", relayout.InvalidError, "tensor_scale is 0"),
            (1e-60, "int8", relayout.InvalidError, "tensor_scale is 1e-60"),
            (numpy.nan, "int8", relayout.InvalidError, "tensor_scale is nan"),
            ([1], "int8", TypeError, "tensor_scale must be a number, not list"),
            (numpy.ones(2), "int8", TypeError, "tensor_scale must be a number, not ndarray"),
            (1, "q8_0", relayout.InvalidError, "tensor_scale is given, but records")):
        with pytest.raises(error, match=match):
            relayout.quantize(array[:, :32], scheme, tensor_scale=given)
    with pytest.raises(relayout.InvalidError, match="tensor_scale is given, but records"):
        relayout.dequantize(numpy.zeros((1, 34), numpy.uint8), scheme="q8_0", tensor_scale=2)


@pytest.mark.parametrize("scheme, most, dtype", [("int8", 127, "int8"), ("int4", 7, "uint8"),
                                                 ("fp8", 448, "float8_e4m3fn")])
@pytest.mark.parametrize("axis, group", [
    (-1, None), (0, None), (None, None), (1, 16), ((0, 1), None), ((1, 0), (16, 2)), ([0], [2])])
def test_amax(scheme, most, dtype, axis, group, array):
    """Scales are as NumPy's reductions make them; division in f32 rounds once."""
    elements, scales = relayout.quantize(array, scheme, axis=axis, group=group)
    assert elements.dtype == dtype and scales.dtype == numpy.float32
    axes = range(2) if axis is None else [axis % 2] if isinstance(axis, int) else axis
    sizes = [1, 1]
    given = group if isinstance(group, (tuple, list)) else [group] * len(axes)
    for at, size in zip(axes, given):
        sizes[at] = array.shape[at] if size is None else size
    counts = [-(-n // size) for n, size in zip(array.shape, sizes)]
    expected = numpy.empty(counts, numpy.float32)
    for i, j in numpy.ndindex(*counts):
        part = array[i * sizes[0]:(i + 1) * sizes[0], j * sizes[1]:(j + 1) * sizes[1]]
        expected[i, j] = abs(part).max() / numpy.float32(most)
    assert numpy.array_equal(scales, expected)
    if group is None:
        reduced = abs(array).max(axis=tuple(axes), keepdims=True) / numpy.float32(most)
        assert numpy.array_equal(scales, reduced)
    codes = unpacked(elements) if scheme == "int4" else elements.view(numpy.uint8)
    for i, j in numpy.ndindex(*array.shape):
        quotient = Fraction(float(array[i, j])) / Fraction(float(expected[i // sizes[0],
                                                                          j // sizes[1]]))
        if scheme == "fp8":
            assert codes[i, j] == code_of(quotient, "f8e4m3fn")
        else:
            assert codes[i, j] == round(quotient) % (16 if scheme == "int4" else 256)
    back = relayout.dequantize(elements, scales, scheme=scheme, group=sizes)
    assert back.shape == array.shape
    assert (abs(back - array) <= abs(array).max() / (2 * most if most < 448 else 16)).all()


def test_rounding_by_hand():
    array = numpy.float32([[127, 2.5, 3.5, -2.5, -2.7]])
    elements, scales = relayout.quantize(array, "int8")
    assert scales.tolist() == [[1]] and elements.tolist() == [[127, 2, 4, -2, -3]]
    assert relayout.quantize(array, "int8", rounding="zero")[0].tolist() == [[127, 2, 3, -2, -2]]


def test_nothing_and_zeros():
    for scheme in ("mxfp8", "int8", "fp8", "nvfp4"):
        elements, scales = relayout.quantize(numpy.zeros((2, 32), numpy.float32), scheme)
        assert not elements.view(numpy.uint8).any() and not scales.view(numpy.uint8).any()
        elements, scales = relayout.quantize(numpy.zeros((0, 32), numpy.float32), scheme)
        assert len(elements) == len(scales) == 0
        assert relayout.dequantize(elements, scales, scheme=scheme).shape == (0, 32)
    elements, scales = relayout.quantize(numpy.float32(-254), "int8", axis=None)
    assert (elements.shape, elements.item(), scales.item()) == ((), -127, 2)
    assert relayout.dequantize(elements, scales).item() == -254


# ---- Values -----------------------------------------------------------------------------------


def test_zero_points():
    elements = numpy.uint8([[10, 0, 255, 3], [1, 2, 3, 4]])
    scales, points = numpy.float32([[0.5], [2]]), numpy.uint8([[3], [4]])
    found = relayout.dequantize(elements, scales, zero_points=points)
    assert found.tolist() == [[3.5, -1.5, 126, 0], [-6, -4, -2, 0]]
    assert relayout.dequantize(elements, scales, "s16", zero_points=points).dtype == numpy.int16


def test_groups_of_values():
    """The quotient, the least power of two, and what is said."""
    ones = numpy.ones((2, 6), numpy.int8)
    scales = numpy.float32([[1, 2], [3, 4]])
    assert relayout.dequantize(ones, scales)[0].tolist() == [1, 1, 1, 2, 2, 2]
    assert relayout.dequantize(ones, scales, group=4)[0].tolist() == [1, 1, 1, 1, 2, 2]
    assert relayout.dequantize(ones, scales, group=(1, 5))[1].tolist() == [3, 3, 3, 3, 3, 4]
    assert relayout.dequantize(ones[:, :5], scales)[0].tolist() == [1, 1, 1, 1, 2]
    assert relayout.dequantize(ones, scales[:1, :1], group=6).tolist() == [[1] * 6] * 2
    assert relayout.dequantize(ones, scales[:1], group=(2, 3))[1].tolist() == [1, 1, 1, 2, 2, 2]
    with pytest.raises(relayout.InvalidError, match="scales is 2; expected 3"):
        relayout.dequantize(ones, scales, group=2)


@pytest.mark.parametrize("dtype, value", [("f16", 3.5), ("bf16", 3.5), ("s8", 4), (None, 3.5)])
def test_types_of_values(dtype, value):
    """To integers of two as near the even one."""
    given = {} if dtype is None else {"dtype": dtype}
    found = relayout.dequantize(numpy.int8([7]), numpy.float16([0.5]), **given)
    assert found.dtype == relayout.copy(numpy.float32([1]), dtype or "f32").dtype
    assert found.astype(float).tolist() == [value]


def test_any_layout(random):
    """Sides lie as they like."""
    if not hasattr(ml_dtypes, "float8_e8m0fnu"):
        pytest.skip("this ml_dtypes has no float8_e8m0fnu")
    array = random.normal(size=(64, 6)).astype(numpy.float32)
    elements, scales = relayout.quantize(array, "mxfp8", axis=0)
    codes, powers = expected_mx(array.T, "f8e4m3fn")
    assert elements.view(numpy.uint8).T.tolist() == codes.tolist()
    assert scales.view(numpy.uint8).T.tolist() == powers.tolist()
    turned = relayout.quantize(array.T, "mxfp8")
    assert turned[0].tobytes() == elements.T.tobytes()
    out = numpy.zeros((64, 12), elements.dtype)[::-1, ::2]
    scales_out = numpy.zeros((6, 2), scales.dtype).T
    given = relayout.quantize(array[::-1], "mxfp8", axis=0, out=out, scales_out=scales_out)
    assert given[0] is out and given[1] is scales_out
    expected = expected_mx(array[::-1].T, "f8e4m3fn")
    assert out.view(numpy.uint8).T.tolist() == expected[0].tolist()
    assert scales_out.view(numpy.uint8).T.tolist() == expected[1].tolist()
    values = numpy.zeros((6, 64), numpy.float64).T[:, ::-1].astype(numpy.float32)
    assert relayout.dequantize(out, scales_out, out=values) is values
    assert numpy.array_equal(values, relayout.dequantize(elements, scales)[::-1])
    swapped, wide = array.astype(">f4"), array.astype(">f4")
    found = relayout.quantize(swapped, "mxfp8", axis=0)
    assert found[0].tobytes() == elements.tobytes()
    relayout.dequantize(elements, scales, out=wide)
    assert numpy.array_equal(wide, values[::-1])


def test_memory_of_ones_own():
    array = numpy.float32([[127, -127, 64, 0]])
    room, beside = bytearray(4), bytearray(4)
    assert relayout.quantize(array, "int8", out=room, scales_out=beside) == (room, beside)
    assert bytes(room) == b"\x7f\x81\x40\x00" and struct.unpack("=f", beside) == (1,)
    packed = bytearray(2)  # 6, -6, 1, -7 times 8 / 7
    relayout.quantize(numpy.float32([[7, -7, 1, -8]]), "int4", axis=None, out=packed)
    assert packed == b"\xa6\x91"
    values = bytearray(16)
    relayout.dequantize(numpy.int8([[1, 2, 3, 4]]), numpy.float32([[2]]), out=values)
    assert struct.unpack("=4f", values) == (2, 4, 6, 8)


class Lent:
    """An array of which nothing is known but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    array = numpy.arange(64, dtype=numpy.float32).reshape(2, 32)
    elements, scales = relayout.quantize(Lent(array.T), "int8", axis=0)
    expected = relayout.quantize(array.T.copy(), "int8", axis=0)
    assert numpy.array_equal(elements, expected[0]) and numpy.array_equal(scales, expected[1])
    out = numpy.empty((2, 32), numpy.float32)
    lent = Lent(out)
    assert relayout.dequantize(Lent(elements.T), Lent(scales.T), out=lent) is lent
    assert numpy.array_equal(out, relayout.dequantize(elements, scales).T)


def test_pytorch():
    torch = pytest.importorskip("torch")
    array = torch.arange(64, dtype=torch.bfloat16).reshape(2, 32)
    elements, scales = relayout.quantize(array.T, "int8", axis=0)
    expected = relayout.quantize(array.float().numpy().T, "int8", axis=0)
    assert elements.tolist() == expected[0].tolist() and scales.tolist() == expected[1].tolist()
    out = torch.empty(2, 32)
    relayout.dequantize(torch.from_numpy(elements).T, torch.from_numpy(scales).T, out=out)
    assert out.numpy().tolist() == relayout.dequantize(elements, scales).T.tolist()


# ---- Records ----------------------------------------------------------------------------------


def test_records_by_hand():
    array = numpy.float32([[*range(-8, 8), *range(7, -9, -1)]])
    # 127 / 127 is the scale, and half goes away from 0
    eight = array.copy()
    eight[0, :3] = [127, 2.5, -2.5]
    numbers = [127, 3, -3, *map(int, eight[0, 3:])]
    expected = numpy.float16([1]).tobytes() + numpy.int8(numbers).tobytes()
    records = relayout.quantize(eight, "q8_0")
    assert records.dtype == numpy.uint8 and records.shape == (1, 34)
    assert records.tobytes() == expected
    assert relayout.dequantize(records, scheme="q8_0").tolist() == [[float(n) for n in numbers]]
    # -8 / -8 is the scale; an element and the 16th behind it share a byte
    codes = [int(value) + 8 for value in array[0]]
    expected = numpy.float16([1]).tobytes() + bytes(
        codes[i] | codes[i + 16] << 4 for i in range(16))
    assert relayout.quantize(array, "q4_0").tobytes() == expected
    assert relayout.dequantize(relayout.quantize(array, "q4_0"), scheme="q4_0").tolist() == \
        array.tolist()
    # The greatest is 6: the exponent is that of 1
    half = [0.5, 1, 1.5, 2, 3, 4, 6]
    array = numpy.float32([0, *half, 0, *(-value for value in half)] * 2)
    codes = [0, 1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15]
    expected = bytes([127, *(code | code << 4 for code in codes)])
    assert relayout.quantize(array, "gguf_mxfp4").tobytes() == expected
    assert relayout.dequantize(numpy.frombuffer(expected, numpy.uint8),
                               scheme="gguf_mxfp4").tolist() == array.tolist()


@pytest.mark.parametrize("scheme, size", [("q4_0", 18), ("q4_1", 20), ("q5_0", 22), ("q5_1", 24),
                                          ("q8_0", 34), ("gguf_mxfp4", 17)])
def test_records_as_gguf_has_them(scheme, size, random):
    array = random.normal(size=(3, 5, 96)).astype(numpy.float32)
    records = relayout.quantize(array, scheme)
    assert records.shape == (3, 5, 3 * size)
    turned = relayout.quantize(numpy.asfortranarray(array), scheme)
    assert turned.tobytes() == records.tobytes()
    room = numpy.zeros(records.nbytes, numpy.uint8)
    assert relayout.quantize(array, scheme, out=room) is room
    assert room.tobytes() == records.tobytes()
    values = relayout.dequantize(records, scheme=scheme)
    out = numpy.zeros((96, 5, 3), numpy.float32).T
    relayout.dequantize(records, scheme=scheme, out=out)
    assert numpy.array_equal(out, values)
    gguf = pytest.importorskip("gguf")
    number = gguf.GGMLQuantizationType[scheme.removeprefix("gguf_").upper()]
    assert records.tobytes() == gguf.quantize(array, number).tobytes()
    assert numpy.array_equal(values, gguf.dequantize(records, number))


# ---- Refusals ---------------------------------------------------------------------------------

ROWS = numpy.ones((4, 64), numpy.float32)


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint64", "int32", "uint32", "int16"])
def test_wide_types(dtype):
    values = (numpy.arange(128).reshape(2, 64) * 100).astype(dtype)
    elements, scales = relayout.quantize(values, "int8", group=64)
    wanted = numpy.float32([6300, 12700]) / numpy.float32(127)
    numpy.testing.assert_array_equal(scales[:, 0], wanted)
    wanted = numpy.rint(values / scales.astype("f8")).astype("i1")
    numpy.testing.assert_array_equal(elements, wanted)
    back = relayout.dequantize(elements, scales, dtype)
    products = elements * scales.astype("f8")
    numpy.testing.assert_array_equal(back, products if dtype == "float64" else numpy.rint(products))


@pytest.mark.parametrize("arguments, error, text", [
    ((ROWS, "mxfp9"), ValueError, "scheme is 'mxfp9', not one of 'mxfp8', "),
    ((ROWS, 8), TypeError, "scheme must be a string, not int"),
    (([1, 2], "int8"), TypeError, "list is no array"),
    ((ROWS.astype(complex), "int8"), NotImplementedError, "array: elements of c128"),
    ((ROWS.view("V4"), "int8"), ValueError, "array's memory does not say what lies in it"),
    ((ROWS[:, :3], "mxfp4"), ValueError, r"array has the dimensions \[4, 3\]; expected an even"),
    ((ROWS[:, :33], "q8_0"), ValueError, r"array has the dimensions \[4, 33\]; .* of 32"),
])
def test_refused_arrays(arguments, error, text):
    with pytest.raises(error, match=text):
        relayout.quantize(*arguments)


@pytest.mark.parametrize("scheme, options, error, text", [
    ("mxfp8", {"axis": 2}, ValueError, "axis is 2; expected dimensions of an array of rank 2"),
    ("mxfp8", {"axis": (0, -2)}, ValueError, r"axis is \(0, -2\); expected dimensions"),
    ("mxfp8", {"axis": None}, ValueError,
     "axis is None, and the group of mxfp8 is 32; expected 2 sizes"),
    ("mxfp8", {"axis": 1.5}, TypeError, "axis must be an integer, several, or None, not 1.5"),
    ("mxfp8", {"group": 0}, ValueError, r"group is \(0,\); expected sizes of at least 1"),
    ("mxfp8", {"group": "32"}, TypeError, "group must be a sequence of integers, not '32'"),
    ("int8", {"group": (1, 2)}, ValueError, r"group is \(1, 2\); expected 1 sizes"),
    ("int8", {"rounding": "up"}, ValueError, "rounding is 'up', not one of"),
    ("int8", {"out": numpy.empty((4, 64), "u2")}, TypeError, r"out is uint16\[4,64\]"),
    ("int8", {"out": numpy.empty((4, 32), "i1")}, ValueError, r"out is int8\[4,32\], but s8"),
    ("int8", {"out": b"x" * 256}, ValueError, "out is read-only"),
    ("int8", {"scales_out": numpy.empty((1, 1), "f4")}, ValueError, "scales_out is float32.1,1."),
    ("int8", {"scales_out": numpy.empty((4, 1), "f8")}, TypeError, "scales_out is float64.4,1."),
    ("int8", {"out": ROWS.view("i1")[:, :64]}, ValueError, "array .* and out .* overlap"),
    ("q8_0", {"axis": 0}, ValueError, "axis is 0; records of q8_0 are along the last dimension"),
    ("q8_0", {"group": 16}, ValueError, "group is 16; records of q8_0 have 32 elements"),
    ("q8_0", {"scales_out": bytearray(9)}, ValueError, "scales_out is given, but records of q8_0"),
    ("q8_0", {"out": numpy.empty((4, 136), "u1")[:, ::2]}, ValueError, "out"),
    ("int8", {"device": 3}, TypeError, "device"),
])
def test_refused_options(scheme, options, error, text):
    with pytest.raises(error, match=text):
        relayout.quantize(ROWS, scheme, **options)


CODES, SCALES = numpy.ones((4, 64), numpy.int8), numpy.ones((4, 2), numpy.float32)


@pytest.mark.parametrize("arguments, options, error, text", [
    ((CODES,), {}, ValueError, "scales is None, and scheme is no block format"),
    ((CODES, SCALES[:, 0]), {}, ValueError, "the scales have rank 1, the elements 2"),
    ((CODES, SCALES[:3]), {}, ValueError, "3 groups along dimension 0, which has 4 elements"),
    ((CODES, SCALES.astype("i4")), {}, NotImplementedError, "scales cannot be s32"),
    ((CODES.view("u1"), SCALES), {}, ValueError, "no zero points: packed elements need a scheme"),
    ((CODES, SCALES, "c64"), {}, NotImplementedError, "dtype: elements of c64"),
    ((CODES.astype(float), SCALES), {}, NotImplementedError, "elements of f64 cannot have scales"),
    ((CODES, SCALES, "float33"), {}, TypeError, "dtype is 'float33', which is no type"),
    ((CODES, SCALES), {"group": (1, 2, 3)}, ValueError, r"group is \(1, 2, 3\); expected 2 sizes"),
    ((CODES, SCALES), {"scheme": "mxfp8"}, TypeError, r"elements is int8\[4,64\]; expected float8"),
    ((CODES, SCALES), {"scheme": "int3"}, ValueError, "scheme is 'int3', not one of"),
    ((CODES, SCALES), {"out": numpy.empty((4, 6), "f4")}, ValueError, r"out is float32\[4,6\]"),
    ((CODES, SCALES), {"scheme": "q8_0"}, ValueError, "scales is given, but records of q8_0"),
    ((CODES,), {"scheme": "q8_0"}, TypeError, r"elements is int8\[4,64\]; expected uint8"),
    ((CODES.view("u1"),), {"scheme": "q8_0"}, ValueError,
     r"elements has the dimensions \[4, 64\]; expected a multiple of 34"),
])
def test_refused_values(arguments, options, error, text):
    with pytest.raises(error, match=text):
        relayout.dequantize(*arguments, **options)


def test_threads(random):
    """Plans that are kept are everybody's."""
    array = random.normal(size=(64, 64)).astype(numpy.float32)
    expected = relayout.quantize(array, "mxfp8")[0].tobytes()
    found = []
    threads = [threading.Thread(target=lambda: found.extend(
        relayout.quantize(array, "mxfp8")[0].tobytes() for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 200


def test_records_of_several_rows():
    """The bits of q4_0's records, in another place; and values that come back."""
    array = numpy.random.default_rng(7).normal(size=(8, 64)).astype(numpy.float32)
    alone = relayout.quantize(array, "q4_0")
    together = relayout.quantize(array, "q4_0_4_8")
    records = alone.reshape(2, 4, 2, 18)  # groups of four rows, blocks of 32
    scales = records[..., :2].transpose(0, 2, 1, 3).reshape(2, 2, 8)
    runs = (records[..., 2:] ^ 0x88).reshape(2, 4, 2, 2, 8)
    elements = runs.transpose(0, 2, 3, 1, 4).reshape(2, 2, 64)
    wanted = numpy.concatenate([scales, elements], axis=-1)
    assert together.tobytes() == wanted.tobytes()
    assert numpy.array_equal(relayout.dequantize(together, scheme="q4_0_4_8"),
                             relayout.dequantize(alone, scheme="q4_0"))
    wide = relayout.quantize(numpy.tile(array, (2, 1)), "q4_0_16_1")
    rows = numpy.tile(alone.reshape(8, 2, 18), (2, 1, 1)).transpose(1, 2, 0)  # bytes of 16 rows
    rows[:, 2:] ^= 0x88
    assert wide.tobytes() == b"".join(block[:2].T.tobytes() + block[2:].tobytes() for block in rows)
    with pytest.raises(relayout.InvalidError, match="multiple of interleaved_rows, 4"):
        relayout.quantize(array[:6], "q4_0_4_8")
