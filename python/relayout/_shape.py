"""Shapes: what a tensor is and how it lies in memory."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

from . import _picture
from ._element_types import dtype_of_name, name_of, name_of_dtype, type_name
from ._errors import InvalidError, c_text, call, text_of
from ._library import ffi, lib

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._types import Array


class Shape:
    """Element type, dimensions and layout of a tensor, in XLA's text form.

    >>> shape = Shape("bf16[16,256]{1,0:T(8,128)(2,1)}")
    >>> shape.byte_size
    8192
    >>> shape.linear_index(3, 5)
    267

    A shape without a layout has the default one, the last dimension the fastest. PD(...) widens
    dimensions, PV(...) says what padding holds. Shapes are immutable, and equal where the library
    finds them equal. InvalidError for a text that is none.
    """

    __slots__ = ("_struct", "_text")

    def __init__(self, text: str | Shape) -> None:
        if not isinstance(text, (str, Shape)):
            raise TypeError(f"{text!r} is neither a Shape nor its text")
        self._struct, self._text = _parsed(str(text))

    @classmethod
    def of(cls, dtype: DTypeLike, dimensions: Sequence[int], layout: str = "") -> Shape:
        """Of a NumPy dtype (or what makes one), or XLA's name of a type, and dimensions.

        `layout` is one in braces, as "{0,1:T(8,128)}", or nothing for the default one.
        """
        return cls(f"{name_of(dtype)}[{','.join(str(int(size)) for size in dimensions)}]{layout}")

    @classmethod
    def of_struct(cls, struct: Any) -> Shape:
        """Of a relayout_shape of the library's, by cffi."""
        return cls(text_of(lib.relayout_shape_format, struct))

    def with_layout(self, layout: str) -> Shape:
        """The same type and dimensions in another layout, in braces; "" for the default one."""
        return Shape(f"{self.element_type}[{','.join(map(str, self.dimensions))}]{layout}")

    @classmethod
    def _of_part(cls, text: str, defaults: Any) -> Shape:
        """Of a shape's text, or of a layout, an element type or both, which leave the rest to
        another shape, a relayout_shape of the library's by cffi."""
        struct = ffi.new("relayout_shape *")
        call(lib.relayout_shape_parse_with_defaults, c_text(text), defaults, struct)
        return cls.of_struct(struct)

    # ---- What it says ----

    @property
    def element_type(self) -> str:
        """XLA's name of the type, as "bf16"."""
        return type_name(self._struct.element_type)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """NumPy's type of an element as it lies in memory: that of `element_type` (of ml_dtypes
        where NumPy has none), uint8 where elements are packed, an unsigned integer where they lie
        in wider containers or nobody has a dtype for them."""
        own = int(lib.relayout_element_type_byte_size(self._struct.element_type)) * 8
        bits = int(self._struct.layout.element_size_in_bits) or own
        dtype = dtype_of_name(self.element_type)
        if bits != own or dtype is None:
            return numpy.dtype(f"u{max(bits, 8) // 8}")
        return dtype

    @property
    def _memory_types(self) -> frozenset[str]:
        """XLA's names of the types that an array of its memory may have."""
        own = int(lib.relayout_element_type_byte_size(self._struct.element_type)) * 8
        name = name_of_dtype(self.dtype)
        if int(self._struct.layout.element_size_in_bits) not in (0, own):
            return frozenset([name])
        return frozenset([name, self.element_type])

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return int(self._struct.rank)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Their sizes in elements, without padding."""
        return tuple(self._struct.dimensions[0:self.rank])

    @property
    def minor_to_major(self) -> tuple[int, ...]:
        """Dimension numbers, the fastest varying in memory first."""
        return tuple(self._struct.layout.minor_to_major[0:self.rank])

    @property
    def padded_dimensions(self) -> tuple[int, ...]:
        """How wide each dimension is in memory, tiles left aside."""
        return tuple(lib.relayout_shape_padded_dimension(self._struct, d)
                     for d in range(self.rank))

    @property
    def tiles(self) -> tuple[tuple[int | None, ...], ...]:
        """The tiles, outermost first; None where a tile has `*`."""
        layout = self._struct.layout
        made, at = [], 0
        for rank in layout.tile_ranks[0:layout.tile_count]:
            sizes = layout.tile_dimensions[at:at + rank]
            made.append(tuple(None if size < 0 else size for size in sizes))
            at += rank
        return tuple(made)

    @property
    def is_padded(self) -> bool:
        """Whether there are bytes that belong to no element."""
        return bool(lib.relayout_shape_is_padded(self._struct))

    @property
    def is_packed(self) -> bool:
        """Whether several elements share a byte."""
        return bool(lib.relayout_layout_is_packed(ffi.addressof(self._struct, "layout")))

    @property
    def keeps_padding(self) -> bool:
        """Whether padding stays as it was, PV(unknown), when a tensor is written."""
        return bool(self._struct.layout.padding_value == lib.RELAYOUT_PADDING_UNKNOWN)

    # ---- What it takes ----

    @property
    def element_count(self) -> int:
        """Without padding."""
        return int(lib.relayout_shape_element_count(self._struct))

    @property
    def byte_size(self) -> int:
        """All the bytes in memory, padding included."""
        size = ffi.new("size_t *")
        call(lib.relayout_shape_byte_size, self._struct, size)
        return int(size[0])

    @property
    def padding_byte_size(self) -> int:
        """What the memory takes more than its elements would alone, one behind the other."""
        size = ffi.new("size_t *")
        call(lib.relayout_shape_padding_byte_size, self._struct, size)
        return int(size[0])

    @property
    def strides(self) -> tuple[int, ...] | None:
        """In elements, one for each dimension; None for layouts with tiles, which have none."""
        if self._struct.layout.tile_count > 0:
            return None
        strides = ffi.new("int64_t[]", max(self.rank, 1))
        call(lib.relayout_shape_strides, self._struct, strides)
        return tuple(strides[0:self.rank])

    @property
    def physical_dimensions(self) -> tuple[int, ...]:
        """The dimensions as they lie in memory, the slowest first, padding and tiles included."""
        count = ffi.new("size_t *")
        sizes = ffi.new("int64_t[]", lib.RELAYOUT_MAX_PHYSICAL_RANK)
        call(lib.relayout_shape_physical_dimensions, self._struct, len(sizes), sizes, count)
        return tuple(sizes[0:count[0]])

    def linear_index(self, *index: int) -> int:
        """Where the element at `index` lies, counted in elements from the start of the memory."""
        if len(index) != self.rank:
            raise InvalidError(f"{len(index)} indices for {self}, which has {self.rank} dimensions")
        linear = ffi.new("int64_t *")
        call(lib.relayout_index_to_linear, self._struct, list(index) or ffi.NULL, linear)
        return int(linear[0])

    def index_at(self, linear: int) -> tuple[int, ...] | None:
        """The index of what lies there; None for padding."""
        index = ffi.new("int64_t[]", max(self.rank, 1))
        call(lib.relayout_index_from_linear, self._struct, linear, index)
        is_element = lib.relayout_index_in_bounds(self._struct, index)
        return tuple(index[0:self.rank]) if is_element else None

    def emit_index(self, language: str, *, name: str = "at") -> str:
        """Source text of two functions: from an index to the linear index, and back.

        `language` is "c", "opencl", "cuda", "hip", "metal", "wgsl", "glsl" or "python". The second
        function, `name` with _inverse behind it, says where padding lies. InvalidError for another
        language, and for a name that is none there; UnsupportedError where WGSL or GLSL would need
        integers of 64 bits.
        """
        number = ffi.new("relayout_language *")
        call(lib.relayout_language_parse, c_text(language), number)
        options = ffi.new("relayout_emit_options *")
        named = ffi.new("char[]", c_text(name))
        options.struct_size = ffi.sizeof("relayout_emit_options")
        options.language = number[0]
        options.name = named
        length = ffi.new("size_t *")
        call(lib.relayout_shape_emit_index, self._struct, options, ffi.NULL, 0, length)
        text = ffi.new("char[]", length[0] + 1)
        call(lib.relayout_shape_emit_index, self._struct, options, text, len(text), length)
        return str(ffi.string(text).decode())

    # ---- Memory for it ----

    def empty(self, *, alignment: int = 1) -> tuple[Array, Array]:
        """Memory for a tensor of this shape, and the same memory for reading.

        The first is all of it, in the dimensions that it has in memory, or a list of bytes or of
        elements where elements are packed or the end is aligned. The second has the shape's own
        dimensions where strides can say where its elements lie, and is the first where not. Where
        padding stays as it was (PV(unknown)) it is zero. It begins at a multiple of `alignment`
        bytes.
        """
        form = _form_of(self._text)
        memory = _aligned(form, alignment) if alignment > 1 else form.make(form.sizes, form.dtype)
        if form.as_in_memory:
            return memory, memory
        return memory, memory.transpose(form.order)[form.extents]

    @property
    def _array_form(self) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        """The dimensions of an array to read it by, and its byte strides where it needs some."""
        form = _form_of(self._text)
        if form.as_in_memory:
            return form.sizes, None
        strides = self.strides or ()
        return self.dimensions, tuple(stride * form.dtype.itemsize for stride in strides)

    # ---- Comparing and printing ----

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            return NotImplemented
        return bool(lib.relayout_shape_equal(self._struct, other._struct))

    def __hash__(self) -> int:
        return hash((self.element_type, self.dimensions, self.minor_to_major))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Shape('{self._text}')"

    def _repr_html_(self) -> str:
        return _picture.html(self)

    def __reduce__(self) -> tuple[type[Shape], tuple[str]]:
        return Shape, (self._text,)


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Any, str]:
    """The struct, which nobody changes, and its text."""
    struct = ffi.new("relayout_shape *")
    call(lib.relayout_shape_parse, c_text(text), struct)
    return struct, text_of(lib.relayout_shape_format, struct)


@dataclass(frozen=True)
class _Form:
    """An array of all the memory of a shape, and how its own dimensions lie in that."""

    make: Callable[..., Array]
    dtype: numpy.dtype[Any]
    sizes: tuple[int, ...]
    as_in_memory: bool  # no strides say where elements lie, or there is nothing to say
    order: list[int]
    extents: tuple[slice, ...]


def _aligned(form: _Form, alignment: int) -> Array:
    """By leaving out what lies before a multiple of so many bytes."""
    size = math.prod(form.sizes) * form.dtype.itemsize
    room = form.make(size + alignment - 1, numpy.dtype(numpy.uint8))
    skipped = -room.ctypes.data % alignment
    return numpy.ndarray(form.sizes, form.dtype, room, skipped)


@functools.lru_cache(maxsize=1024)
def _form_of(text: str) -> _Form:
    shape = Shape(text)
    sizes = shape.physical_dimensions
    is_list = (shape.is_packed or shape._struct.layout.tail_padding_alignment_in_elements > 1
               or len(sizes) > _numpy_most_dimensions())
    if is_list:
        sizes = (shape.byte_size // shape.dtype.itemsize,)
    return _Form(numpy.zeros if shape.keeps_padding else numpy.empty, shape.dtype, sizes,
                 is_list or bool(shape.tiles) or shape.rank == 0,
                 numpy.argsort(shape.minor_to_major[::-1]).tolist(),
                 tuple(slice(0, size) for size in shape.dimensions))


@functools.cache
def _numpy_most_dimensions() -> int:
    return 64 if numpy.lib.NumpyVersion(numpy.__version__) >= "2.0.0" else 32
