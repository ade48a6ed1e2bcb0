"""Plans of several destinations, by values that are worked out by hand."""

import ml_dtypes
import numpy
import pytest

import relayout
from relayout import Scaled

TYPES = pytest.mark.skipif(not hasattr(ml_dtypes, "float8_e8m0fnu"),
                           reason="this ml_dtypes has no float8_e8m0fnu")


@TYPES
def test_texts():
    """Three destinations of one source: with scales, in another order, and records."""
    array = numpy.zeros((2, 64), numpy.float32)
    array[0, :3], array[1, 40] = [448, -3.5, 0.25], 2
    plan = relayout.plan_many(
        "f32[2,64]", ["f8e4m3fn[2,64] * f8e8m0fnu[2,2]", "bf16[2,64]{0,1}", "q8_0[2,64]"],
        rules=["power2", None, "given"])
    (elements, scales), turned, records = plan.execute(array)
    assert elements.dtype == ml_dtypes.float8_e4m3fn and scales.dtype == ml_dtypes.float8_e8m0fnu
    # 2 to the power of 8 - 8 and of 1 - 8; zeros have the least scale
    assert scales.view(numpy.uint8).tolist() == [[127, 0], [0, 120]]
    assert elements.astype(float)[0, :3].tolist() == [448, -3.5, 0.25]
    assert elements.astype(float)[1, 40] == 256 and numpy.count_nonzero(elements.view("u1")) == 4
    assert turned.dtype == ml_dtypes.bfloat16 and turned.strides == (2, 4)
    assert numpy.array_equal(turned.astype(numpy.float32), array)
    assert records.shape == (2, 68)
    two = numpy.float16([numpy.float32(2) / numpy.float32(127)]).tobytes()
    assert records[1].tobytes() == bytes(34) + two + bytes(8) + b"\x7f" + bytes(23)
    assert "q8_0[2,64]" in plan.explain() and "3" in repr(plan)


def test_arrays():
    """A plan is for arrays that lie as those did."""
    elements = numpy.int8([[1, 2], [3, 4], [5, 6]])
    scales, points = numpy.float32([[2], [0.5], [1]]), numpy.int8([[1], [0], [-1]])
    outs = [numpy.zeros((3, 4), numpy.float32)[:, ::2], numpy.zeros((2, 3), numpy.int16).T[::-1]]
    plan = relayout.plan_many((elements, scales, points), outs, rounding="nearest")
    made = plan.execute((elements, scales, points), outs)
    assert made[0] is outs[0] and made[1] is outs[1]
    assert outs[0].tolist() == [[0, 2], [1.5, 2], [6, 7]]
    assert outs[1].tolist() == [[0, 2], [2, 2], [6, 7]]
    plan.execute(Scaled(elements * 2, scales, points), outs)
    assert outs[0].tolist() == [[2, 6], [3, 4], [11, 13]]
    with pytest.raises(relayout.InvalidError, match=r"destinations\[0\] is None, and the plan was"):
        plan.execute((elements, scales, points))
    with pytest.raises(relayout.InvalidError, match=r"destinations\[0\]'s strides in bytes"):
        plan.execute((elements, scales, points), [numpy.zeros((3, 2), "f4"), outs[1]])


@TYPES
def test_scales_in_blocks():
    """Where cuBLAS looks for them: in blocks of 128 by 4, 32 rows apart side by side."""
    rows, groups = 130, 5
    powers = numpy.arange(rows * groups).reshape(rows, groups) % 31 - 15
    array = numpy.repeat(numpy.ldexp(numpy.float32(1), powers), 32, axis=1)
    plan = relayout.plan_many(
        "f32[130,160]", ["f8e4m3fn[130,160] * f8e8m0fnu[130,5]{1,0:T(32,4)(4,1,1,4)}"],
        rules=["power2"])
    ((elements, scales),) = plan.execute(array)
    expected = numpy.zeros(2 * 2 * 512, numpy.uint8)
    for row in range(rows):
        for group in range(groups):
            place = (row // 128 * 2 + group // 4) * 512
            place += row % 32 * 16 + row % 128 // 32 * 4 + group % 4
            expected[place] = 127 + powers[row, group] - 8
    assert scales.view(numpy.uint8).ravel().tolist() == expected.tolist()
    assert (elements.astype(float) == 256).all()
    back = relayout.plan_many(
        "f8e4m3fn[130,160] * f8e8m0fnu[130,5]{1,0:T(32,4)(4,1,1,4)}", ["f32[130,160]"])
    assert numpy.array_equal(back.execute((elements, scales))[0], array)


def test_scales_that_are_given():
    array = numpy.float32([[1, 2], [3, 4]])
    plan = relayout.plan_many("f32[2,2]", ["(u8[2,2] - u8[2,1]) * f32[2,1]", "s8[2,2] * f32[1,1]"],
                              rules=["given", "amax"])
    scales, points = numpy.float32([[0.5], [1]]), numpy.uint8([[3], [200]])
    (elements, given, theirs), (others, found) = plan.execute(array, [(None, scales, points), None])
    assert given is scales and theirs is points
    assert elements.tolist() == [[5, 7], [203, 204]]
    assert others.tolist() == [[31, 63], [95, 127]]  # towards 0: 31.75, 63.5, 95.25
    assert found.tolist() == [[float(numpy.float32(4) / numpy.float32(127))]]
    room = bytearray(4)
    plan.execute(array, [Scaled(bytearray(4), scales, points), (room, None)])
    assert room == bytes([31, 63, 95, 127])
    with pytest.raises(relayout.InvalidError, match=r"destinations\[0\].scales is None, but"):
        plan.execute(array)


def test_tensor_scales():
    """254 over 127 times 2 is 1, and values are divided by 1 times 2. Each call reads it anew."""
    array = numpy.float32([[4, 8, -252, 254]])
    plan = relayout.plan_many("f32[1,4]", ["s8[1,4] * f32[1,1] * f32[1,1]", "f32[1,4]{0,1}"],
                              rules=["amax", None])
    above = numpy.float32([[2]])
    for given in (above, numpy.float32(2), 2, numpy.array(2, numpy.float32)):
        (elements, scales, theirs), _ = plan.execute(array, [(None, None, None, given), None])
        assert elements.tolist() == [[2, 4, -126, 127]] and scales.tolist() == [[1]]
        assert theirs.tolist() == [[2]]
    back = relayout.plan_many(Scaled(elements, scales, tensor_scale=above), ["f32[1,4]"])
    for factor in (2, 0.5, 1):
        above[:] = factor
        (values,) = back.execute(Scaled(elements, scales, tensor_scale=above))
        assert numpy.array_equal(values, array / 2 * factor)
    with pytest.raises(relayout.InvalidError, match=r"source.tensor_scale is None, but the plan"):
        back.execute((elements, scales))
    with pytest.raises(relayout.InvalidError, match=r"source.tensor_scale is given, but the plan"):
        relayout.plan_many("f32[1,4]", ["f32[1,4]"]).execute((array, None, None, 2))
    for wrong, error, match in (
            (Scaled(elements, tensor_scale=above), relayout.InvalidError, "or a tensor scale"),
            (Scaled(elements, scales, tensor_scale=array), ValueError, "has 4 elements; expected"),
            ((elements,) * 6, relayout.InvalidError, "source has 6 entries")):
        with pytest.raises(error, match=match):
            relayout.plan_many(wrong, ["f32[1,4]"])


def test_rules():
    """5 / 127 and 300 / 127 are between numbers of f8: the nearest, or the one above."""
    array = numpy.float32([[5, -300]])
    plan = relayout.plan_many(
        "f32[1,2]", ["s8[1,2] * f8e4m3fn[1,2]"] * 2 + ["s8[1,2] * f32[1,2]"],
        rules=["amax", "amax_up", "power2"], rounding="nearest")
    (_, near), (_, up), (elements, power) = plan.execute(array)
    # 5 / 127 = 0.03937 is between 20 and 22 times 2 ** -9, 300 / 127 = 2.362 between 2.25 and 2.5
    assert near.astype(float).tolist() == [[20 / 512, 2.25]]
    assert up.astype(float).tolist() == [[22 / 512, 2.5]]
    # 2 ** (2 - 6) and 2 ** (8 - 6)
    assert power.tolist() == [[1 / 16, 4]] and elements.tolist() == [[80, -75]]


def test_boxes():
    """Boxes write together what the whole plan does, and each nothing else."""
    array = numpy.arange(8 * 64, dtype=numpy.float32).reshape(8, 64) - 100
    whole = relayout.plan_many("f32[8,64]", ["s8[8,64]{0,1} * f32[8,2]", "q8_0[8,64]"],
                               rules=["amax", None], rounding="nearest")
    (elements, scales), records = whole.execute(array)
    made = [(numpy.full_like(elements, 99), numpy.full_like(scales, 99)),
            numpy.full_like(records, 99)]
    whole.range((0, 0), (8, 32)).execute(array, made)
    assert (made[0][0][:, :32] == elements[:, :32]).all() and (made[0][0][:, 32:] == 99).all()
    assert (made[0][1][:, 0] == scales[:, 0]).all() and (made[0][1][:, 1] == 99).all()
    assert (made[1][:, :34] == records[:, :34]).all() and (made[1][:, 34:] == 99).all()
    whole.range((0, 32), (8, 32)).execute(array, made)
    assert (made[0][0] == elements).all() and (made[0][1] == scales).all()
    assert (made[1] == records).all()
    with pytest.raises(relayout.InvalidError, match=r"\[0\].elements is None, but the plan"):
        whole.range((0, 0), (8, 32)).execute(array)
    with pytest.raises(relayout.UnsupportedError, match=r"destinations\[0\].*parts a group"):
        whole.range((0, 0), (8, 33))
    with pytest.raises(relayout.RangeError, match=r"start\[0\] is 8"):
        whole.range((8, 0), (1, 32))


def test_groups():
    array = numpy.arange(1, 7, dtype=numpy.float32).reshape(1, 6)
    plan = relayout.plan_many(array, ["f32[1,6] * f32[1,2]", "f32[1,6] * f32[1,2] per [1,5]"],
                              rules=["amax", "amax"])
    (_, three), (_, five) = plan.execute(array)
    most = numpy.finfo(numpy.float32).max
    assert three.tolist() == (numpy.float32([[3, 6]]) / most).tolist()
    assert five.tolist() == (numpy.float32([[5, 6]]) / most).tolist()
    source = Scaled(numpy.ones((1, 6), numpy.int8), numpy.float32([[1, 2]]), None, (1, 4))
    found, = relayout.plan_many(source, ["s8[1,6]"]).execute(source)
    assert found.tolist() == [[1, 1, 1, 1, 2, 2]]


def test_records_in_another_order():
    """They are along the minor dimension, and lie in the order of the layout."""
    array = numpy.zeros((32, 2), numpy.float32)
    array[5, 1] = 127
    plan = relayout.plan_many("f32[32,2]", ["q8_0[32,2]{0,1}"])
    records, = plan.execute(array)
    assert records.shape == (2, 34)
    assert records[1].tobytes() == b"\x00\x3c" + bytes(5) + b"\x7f" + bytes(26)
    back = relayout.plan_many("q8_0[32,2]{0,1}", ["f32[32,2]", "bf16[32,2]"])
    for given in (records, records.ravel(), records.tobytes()):
        values, halves = back.execute(given)
        assert numpy.array_equal(values, array) and numpy.array_equal(halves.astype("f4"), array)
    out = numpy.empty((32, 2), ml_dtypes.bfloat16)
    assert back.execute(records, [None, out])[1] is out


SHAPE = "f32[4,32]"
ARRAY = numpy.ones((4, 32), numpy.float32)


@pytest.mark.parametrize("source, destinations, options, error, text", [
    (SHAPE, "f32[4,32]", {}, TypeError, "destinations must be a sequence"),
    (SHAPE, [], {}, ValueError, "destinations has 0 entries; expected 1 to 16"),
    (SHAPE, [SHAPE, "f33[4]"], {}, ValueError, r"destinations\[1\]: .*f33"),
    ("f32[4", [SHAPE], {}, ValueError, "source: "),
    (SHAPE, [SHAPE, "f32[4,33]"], {}, ValueError, r"destinations\[1\] has other dimensions"),
    (SHAPE, ["s8[4,32] * f32[3,1]"], {}, ValueError, r"destinations\[0\]: .* along dimension 0"),
    (SHAPE, ["q8_0[4,33]"], {}, ValueError, r"destinations\[0\]: q8_0: dimension 1"),
    (SHAPE, [SHAPE], {"rules": ["amax"]}, ValueError, r"destinations\[0\] has no scales"),
    (SHAPE, [SHAPE], {"rules": []}, ValueError, "rules has 0 entries; expected 1"),
    (SHAPE, [SHAPE], {"rules": ["max"]}, ValueError, r"rules\[0\] is 'max', not one of 'given'"),
    (SHAPE, [SHAPE], {"rounding": 1}, TypeError, "rounding must be a string"),
    (SHAPE, ["s8[4,32]*f32[4,1]"], {"overflow": "wrap"}, ValueError, "overflow is .*WRAP"),
    ("f64[4,32]", ["s8[4,32]*f32[4,1]"], {}, NotImplementedError, "source: elements of f64"),
    ((SHAPE, None, SHAPE), [SHAPE], {}, ValueError, "source.scales is None, but there are"),
    ((ARRAY, ARRAY.view("V4")), [SHAPE], {}, ValueError, "source.scales is no shape"),
    ((ARRAY, ARRAY, None, (1,)), [SHAPE], {}, ValueError, r"source.group_sizes is \(1,\)"),
    ((), [SHAPE], {}, ValueError, "source has 0 entries"),
    (SHAPE, [[1, 2]], {}, TypeError, "list is no array"),
])
def test_refused_plans(source, destinations, options, error, text):
    with pytest.raises(error, match=text):
        relayout.plan_many(source, destinations, **options)


@pytest.mark.parametrize("source, destinations, error, text", [
    (ARRAY.astype("f2"), None, TypeError, r"source is float16\[4,32\]"),
    ((ARRAY, ARRAY), None, ValueError, "source.scales is given, but the plan has none"),
    ((ARRAY,) * 5, None, ValueError, "source has 5 entries"),
    (None, None, ValueError, "source is None, but the plan reads it"),
    (ARRAY, [None], ValueError, "destinations has 1 entries, and the plan 2"),
    (ARRAY, [b"x" * 512, None], ValueError, r"destinations\[0\] is read-only"),
    (ARRAY, [None, (bytearray(9), None)], ValueError, r"destinations\[1\].elements has 9"),
    (ARRAY, [ARRAY, None], ValueError, r"source.elements .* destinations\[0\].elements .* over"),
])
def test_refused_memory(source, destinations, error, text):
    plan = relayout.plan_many(SHAPE, [SHAPE, "s8[4,32] * f32[4,1]"], rules=[None, "amax"])
    with pytest.raises(error, match=text):
        plan.execute(source, destinations)


def test_arrays_of_a_device():
    pytest.importorskip("pyopencl")
    import pyopencl
    import pyopencl.array
    try:
        queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    except pyopencl.Error as missing:
        pytest.skip(str(missing))
    array = pyopencl.array.to_device(queue, ARRAY)
    with pytest.raises(relayout.UnsupportedError, match="source is pyopencl's"):
        relayout.plan_many(SHAPE, [SHAPE]).execute(array)
    with pytest.raises(relayout.UnsupportedError, match="array is pyopencl's"):
        relayout.quantize(array, "int8")


def test_devices(device):
    """OpenCL's CPU devices have a backend for the host's memory."""
    try:
        found, = relayout.plan_many(SHAPE, ["s8[4,32]"], device=device).execute(ARRAY)
    except relayout.UnsupportedError:
        assert device.is_opencl
        return
    assert found.tolist() == ARRAY.tolist()


def test_scale():
    """One more scale for the whole source: 3 times 2 times 0.25, and 6 times 0.25 over 0.5."""
    elements, scales = numpy.int8([[3]]), numpy.float32([[2]])
    plan = relayout.plan_many("s8[1,1] * f32[1,1]", ["f32[1,1]"], scale=0.25)
    assert plan.execute((elements, scales))[0].tolist() == [[1.5]]
    assert plan.range([0, 0], [1, 1]).execute((elements, scales), [numpy.empty((1, 1), "f4")])[
        0].tolist() == [[1.5]]
    plan = relayout.plan_many("f32[1,1]", ["s8[1,1] * f32[1,1]"], scale=0.25)
    made = plan.execute(numpy.float32([[6]]), [(None, numpy.float32([[0.5]]))])
    assert made[0][0].tolist() == [[3]]
    for scale, error in ((0, relayout.InvalidError), (numpy.nan, relayout.InvalidError),
                         ("1", TypeError)):
        with pytest.raises(error, match="scale"):
            relayout.plan_many("f32[1]", ["s8[1] * f32[1]"], scale=scale)
    with pytest.raises(relayout.InvalidError, match="^scale is 1e-60, which is 0 as an f32"):
        relayout.plan_many("f32[1]", ["s8[1] * f32[1]"], scale=1e-60)


def test_range():
    """Zero points that are found, in new memory and in the caller's: -1 to 254 in 255 steps."""
    array = numpy.float32([[-1, 0, 254], [0, 0, 510]])
    plan = relayout.plan_many("f32[2,3]", ["(u8[2,3] - u8[2,1]) * f32[2,1]"], rules=["range"],
                              rounding="nearest")
    ((elements, scales, points),) = plan.execute(array)
    assert elements.tolist() == [[0, 1, 255], [0, 0, 255]]
    assert scales.tolist() == [[1], [2]] and points.tolist() == [[1], [0]]
    mine = numpy.full((2, 1), 7, numpy.uint8)
    ((_, _, given),) = plan.execute(array, [(None, None, mine)])
    assert given is mine and mine.tolist() == [[1], [0]]
    back = relayout.dequantize(elements, scales, zero_points=points)
    assert numpy.array_equal(back, array)
    mine.flags.writeable = False
    with pytest.raises(relayout.InvalidError, match=r"zero_points is read-only"):
        plan.execute(array, [(None, None, mine)])
    with pytest.raises(relayout.InvalidError, match="which needs zero points"):
        relayout.plan_many("f32[2,3]", ["u8[2,3] * f32[2,1]"], rules=["range"])
