import pickle

import ml_dtypes
import numpy
import pytest

import relayout
from relayout import Shape


def test_fields():
    shape = Shape("bf16[16,250]{0,1:PD(16,256)PV(lowest)T(8,128)(2,1)}")
    assert shape.element_type == "bf16"
    assert shape.dtype == ml_dtypes.bfloat16
    assert shape.rank == 2
    assert shape.dimensions == (16, 250)
    assert shape.minor_to_major == (0, 1)
    assert shape.padded_dimensions == (16, 256)
    assert shape.tiles == ((8, 128), (2, 1))
    assert Shape("f32[3,2,5]{2,1,0:T(*,4)}").tiles == ((None, 4),)
    assert shape.is_padded and not shape.is_packed
    assert shape.element_count == 16 * 250


def test_sizes():
    shape = Shape("f32[3,5]{1,0:T(2,2)}")
    assert shape.byte_size == 2 * 3 * 2 * 2 * 4
    assert shape.padding_byte_size == shape.byte_size - 15 * 4
    assert shape.physical_dimensions == (2, 3, 2, 2)
    assert shape.strides is None
    assert Shape("f32[2,3]{0,1:PD(4,3)}").strides == (1, 4)
    assert Shape("s4[5]{0:E(4)}").byte_size == 3
    assert Shape("f32[]").strides == ()
    assert Shape("f32[]").byte_size == 4


@pytest.mark.parametrize("text, index, linear", [
    ("f32[3,5]{1,0:T(2,2)}", (2, 3), 17),
    ("f32[8]{0:T(2,2)}", (5,), 9),
    ("bf16[2048]{0:T(1024)(128)(2,1)}", (128,), 1),
    ("f32[]", (), 0),
])
def test_indices(text, index, linear):
    """The first and the last but one are XLA's documentation's."""
    shape = Shape(text)
    assert shape.linear_index(*index) == linear
    assert shape.index_at(linear) == index


def test_padding_has_no_index():
    assert Shape("f32[2,3]{1,0:PD(2,4)}").index_at(3) is None
    assert Shape("f32[3]{0:T(2)}").index_at(3) is None


def test_emitted_functions():
    shape = Shape("f32[20,300]{1,0:T(8,128)}")
    functions = {}
    exec(shape.emit_index("python", name="place"), functions)
    rows, columns = numpy.indices(shape.dimensions)
    places = functions["place"](rows, columns)
    assert places[13, 250] == shape.linear_index(13, 250)
    assert len(numpy.unique(places)) == shape.element_count
    count = functions["place_physical_elements"]
    for linear in range(-1, count + 1):
        inside = 0 <= linear < count
        assert functions["place_inverse"](linear) == (shape.index_at(linear) if inside else None)
    assert "int64_t at(int64_t i0, int64_t i1)" in shape.emit_index("c")
    with pytest.raises(relayout.InvalidError, match="'C' is no language"):
        shape.emit_index("C")
    with pytest.raises(relayout.InvalidError, match="'for', which means"):
        shape.emit_index("c", name="for")
    with pytest.raises(relayout.UnsupportedError, match="32 bits"):
        Shape("u8[65536,65536]").emit_index("wgsl")


def test_wrong_indices():
    shape = Shape("f32[2,3]")
    with pytest.raises(relayout.RangeError, match="is 7"):
        shape.linear_index(0, 7)
    with pytest.raises(IndexError):
        shape.index_at(6)
    with pytest.raises(ValueError, match="1 indices for f32"):
        shape.linear_index(0)


def test_making():
    assert str(Shape.of(numpy.float32, (2, 3))) == "f32[2,3]{1,0}"
    assert str(Shape.of("bf16", [2, 3], "{0,1}")) == "bf16[2,3]{0,1}"
    assert str(Shape.of(ml_dtypes.float8_e4m3fn, ())) == "f8e4m3fn[]"
    assert str(Shape("f32[2,3]").with_layout("{0,1:PD(4,4)}")) == "f32[2,3]{0,1:PD(4,4)}"
    with pytest.raises(relayout.UnsupportedError, match="no element type"):
        Shape.of("datetime64[s]", (1,))
    with pytest.raises(relayout.UnsupportedError, match="byte order"):
        Shape.of(">f4" if numpy.little_endian else "<f4", (1,))


def test_bad_text():
    with pytest.raises(relayout.InvalidError, match="column 5") as raised:
        Shape("f32[x]")
    assert raised.value.status == 2
    with pytest.raises(ValueError):
        Shape("f32[2]{1}")
    with pytest.raises(relayout.InvalidError, match="has a NUL in it"):
        Shape("f32[2]\0")


def test_values():
    """Equal shapes hash alike, and travel to other processes."""
    one, other = Shape("f32[2,3]{1,0:PD(2,3)}"), Shape(" f32[2, 3] ")
    assert one == other and hash(one) == hash(other)
    assert one != Shape("f32[2,3]{0,1}")
    assert one != "f32[2,3]"
    assert pickle.loads(pickle.dumps(other)) == other
    assert repr(other) == "Shape('f32[2,3]{1,0}')"


def test_empty_memory():
    memory, tensor = Shape("f32[2,3]{0,1:PD(4,5)}").empty()
    assert memory.shape == (5, 4)
    assert tensor.shape == (2, 3) and tensor.strides == (4, 16)
    assert tensor.base is memory
    memory, tensor = Shape("bf16[16,256]{1,0:T(8,128)(2,1)}").empty()
    assert tensor is memory and memory.shape == (2, 2, 4, 128, 2, 1)
    assert memory.dtype == ml_dtypes.bfloat16
    memory, tensor = Shape("s4[3,3]{1,0:E(4)}").empty()
    assert memory.dtype == numpy.uint8 and memory.shape == (5,)
    memory, _ = Shape("f32[3]{0:L(8)PV(unknown)}".replace("L(8)PV(unknown)", "PV(unknown)L(8)"))\
        .empty()
    assert memory.tolist() == [0] * 8
    assert Shape("bf16[4]{0:E(32)}").dtype == numpy.uint32


def test_pictures():
    small = Shape("f32[3,3]{1,0:T(2,2)}")._repr_html_()
    assert small.count("<td") == 16
    assert small.count("·</td>") == 16 - 9
    assert "2,2" in small and "64 bytes, 28 of them padding" in small
    assert "<td" not in Shape("f32[1000,1000]")._repr_html_()
    assert "<td" in Shape("f32[]")._repr_html_()
