"""Sides of a relayout: arrays of other libraries as the library's views, and where they begin."""

from __future__ import annotations

import ctypes
import functools
import operator
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy

from ._element_types import is_raw, name_of_dtype, shown, type_name, type_number, vector_of
from ._errors import InvalidError, RelayoutError, UnsupportedError, call
from ._library import ffi, lib
from ._shape import Shape

if TYPE_CHECKING:
    from ._types import Array, SupportsDLPack

# DLPack's numbers (dlpack.h) of devices whose memory is the host's: CPU, and pinned for CUDA, ROCm.
_HOST_DEVICES = (1, 3, 11)
_DLPACK_MAJOR = 1


class View:
    """A tensor as it lies from its start on: a relayout_view without an offset, which nobody
    changes. What is asked of it often is asked of the library once."""

    def __init__(self, struct: Any) -> None:
        self.struct = struct

    @functools.cached_property
    def type_and_dimensions(self) -> tuple[str, tuple[int, ...]]:
        shape = self.struct.shape
        return type_name(shape.element_type), tuple(shape.dimensions[0:shape.rank])

    @functools.cached_property
    def shape(self) -> Shape | None:
        """Where it is a whole tensor of one."""
        if self.struct.is_strided:
            return None
        return Shape.of_struct(ffi.addressof(self.struct, "shape"))

    @functools.cached_property
    def byte_strides(self) -> tuple[int, ...] | None:
        """None where it has none. Those of dimensions of size 1, which say nothing, are 0."""
        dimensions = self.type_and_dimensions[1]
        strides = ffi.new("int64_t[]", max(len(dimensions), 1))
        if lib.relayout_view_byte_strides(self.struct, strides, ffi.NULL) != lib.RELAYOUT_OK:
            return None
        return tuple(stride if size > 1 else 0 for size, stride in zip(dimensions, strides))

    @functools.cached_property
    def byte_size(self) -> int:
        """From the lowest byte that belongs to it to the highest."""
        lowest, size = ffi.new("int64_t *"), ffi.new("size_t *")
        call(lib.relayout_view_span, self.struct, lowest, size)
        return int(size[0])

    @functools.cached_property
    def is_list(self) -> bool:
        """One element behind the other, the last dimension the fastest; or there are none."""
        name, dimensions = self.type_and_dimensions
        return 0 in dimensions or self.byte_strides in (strided_view(name, dimensions).byte_strides,
                                                        None)


@functools.lru_cache(maxsize=1024)
def strided_view(name: str, dimensions: tuple[int, ...],
                 byte_strides: tuple[int, ...] | None = None) -> View:
    struct = ffi.new("relayout_view *")
    call(lib.relayout_view_make_strided, type_number(name), len(dimensions),
         dimensions or ffi.NULL, byte_strides or ffi.NULL, struct)
    return View(struct)


@functools.lru_cache(maxsize=1024)
def _view_of_text(text: str) -> View:
    struct = ffi.new("relayout_view *")
    call(lib.relayout_view_make, Shape(text)._struct, struct)
    return View(struct)


def view_of_shape(shape: Shape) -> View:
    return _view_of_text(str(shape))


def axes_of(axes: Sequence[int] | None, rank: int) -> tuple[int, ...] | None:
    """As NumPy's transpose takes them, counted from 0; None where they leave all as it is."""
    if axes is None:
        return None
    try:
        given = tuple(operator.index(axis) for axis in axes)
    except TypeError:
        raise TypeError(f"axes must be a sequence of integers, not {axes!r}") from None
    made = tuple(axis + rank if axis < 0 else axis for axis in given)
    if sorted(made) != list(range(rank)):
        raise InvalidError(f"axes is {given}, no permutation of {rank} dimensions")
    return None if made == tuple(range(rank)) else made


@functools.lru_cache(maxsize=1024)
def permuted(view: View, axes: tuple[int, ...]) -> View | None:
    """The same elements with dimension axes[i] as dimension i; None for a layout with tiles."""
    struct = ffi.new("relayout_view *")
    try:
        call(lib.relayout_view_permute_dimensions, view.struct, axes, struct)
    except UnsupportedError:
        return None
    return View(struct)


@dataclass(slots=True)
class Side:
    """What lies where. `start` is an address, or where there is a buffer an offset in it; `owner`
    keeps the memory alive."""

    view: View | None  # None where nobody knows what lies there
    start: int
    owner: Any
    is_read_only: bool = False
    buffer: int = 0  # cl_mem; 0 for none
    is_svm: bool = False
    is_on_device: bool = False
    raw: View | None = None  # the bytes of an array of the host that says no more about them

    def seen_as(self, view: View) -> Side:
        """The same memory."""
        return replace(self, view=view, raw=None)


# ---- Arrays of the host -----------------------------------------------------------------------


def view_of_elements(dtype: numpy.dtype[Any], sizes: tuple[int, ...],
                     strides: tuple[int, ...]) -> View:
    """Vectors of OpenCL's have one more dimension, the last, as DLPack's lanes do; the fourth
    element that one of three takes in memory is none of it."""
    vector = vector_of(dtype)
    if vector is None:
        return strided_view(name_of_dtype(dtype), sizes, strides)
    element, count = vector
    return strided_view(name_of_dtype(element), (*sizes, count), (*strides, element.itemsize))


def _side_of_numpy(array: Array) -> Side:
    start, is_read_only = array.__array_interface__["data"]
    if is_raw(array.dtype):
        size = array.dtype.itemsize
        raw = strided_view("u8", (*array.shape, size), (*array.strides, 1))
        return Side(None, start, array, is_read_only, raw=raw)
    return Side(view_of_elements(array.dtype, array.shape, array.strides), start, array,
                is_read_only)


def _capsule_of(array: Any) -> Any:
    """A capsule of DLPack 1 where the array's library knows that, else one of before."""
    try:
        return array.__dlpack__(max_version=(_DLPACK_MAJOR, 0))
    except TypeError:
        return array.__dlpack__()


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype = ctypes.c_char_p
_capsule_name.argtypes = [ctypes.py_object]


def _tensor_in(capsule: Any) -> tuple[Any, int]:
    """The tensor, and its flags. It stays the capsule's: nothing is taken out."""
    name = _capsule_name(capsule)
    address = _capsule_pointer(capsule, name)
    if name == b"dltensor":
        return ffi.cast("dlpack_tensor *", address), 0
    if name != b"dltensor_versioned":
        raise InvalidError(f"a capsule named {name!r} is not DLPack's, or was used before")
    managed = ffi.cast("dlpack_versioned *", address)
    if managed.major != _DLPACK_MAJOR:
        raise UnsupportedError(f"DLPack {managed.major}.{managed.minor} is not known")
    return ffi.addressof(managed, "tensor"), int(managed.flags)


def _check_device(array: SupportsDLPack) -> None:
    device = array.__dlpack_device__()
    if int(device[0]) not in _HOST_DEVICES:
        raise UnsupportedError(f"the array is on DLPack's device {tuple(map(int, device))}, whose "
                               "memory is not the host's; arrays of OpenCL are pyopencl's")


def _is_jax(array: Any) -> bool:
    """The module is there where it is in use; an array of it is somebody's only then."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.Array)


def _side_of_jax(array: Any) -> Side:
    """By NumPy, to which they are read-only: JAX's capsules of DLPack do not say that nobody may
    write, and there are none for types of 2 and 4 bits."""
    if hasattr(array, "__dlpack_device__"):  # a traced one has no device, and NumPy says so
        _check_device(array)
    return _side_of_numpy(numpy.asarray(array))


def _side_of_dlpack(array: SupportsDLPack) -> Side:
    _check_device(array)
    capsule = _capsule_of(array)
    tensor, flags = _tensor_in(capsule)
    fields = ffi.new("relayout_dlpack_fields *")
    for field in ("code", "bits", "lanes", "ndim", "shape", "strides", "byte_offset"):
        setattr(fields, field, getattr(tensor, field))
    fields.flags = flags
    struct = ffi.new("relayout_view *")
    call(lib.relayout_view_from_dlpack_fields, fields, struct)
    start = int(ffi.cast("uintptr_t", tensor.data)) + struct.byte_offset
    is_read_only = bool(struct.is_read_only)
    struct.byte_offset, struct.is_read_only = 0, False
    return Side(View(struct), start, (array, capsule), is_read_only)


def side_of(array: Any) -> Side:
    """Of NumPy's arrays, whatever exports DLPack, and whatever has the buffer protocol."""
    if isinstance(array, numpy.ndarray):
        return _side_of_numpy(array)
    if _is_jax(array):
        return _side_of_jax(array)
    if hasattr(array, "__dlpack__"):
        return _side_of_dlpack(array)
    try:
        return _side_of_numpy(numpy.asarray(memoryview(array)))
    except TypeError:
        raise TypeError(f"{type(array).__name__} is no array: it has neither DLPack nor the buffer "
                        "protocol") from None


# ---- Memory that a shape is laid over ---------------------------------------------------------


def _lies_so(view: View, wanted: View, shape: Shape, is_source: bool) -> bool:
    """Whether it is an array of the shape's type and dimensions that lies as the shape says. Its
    padding is not the array's, and is written nowhere."""
    return (view.type_and_dimensions == wanted.type_and_dimensions
            and view.byte_strides is not None and view.byte_strides == wanted.byte_strides
            and (is_source or not shape.is_padded))


def _check_list(view: View, shape: Shape, name: str) -> None:
    if not view.is_list:
        raise InvalidError(f"{name}'s elements do not lie one behind the other, nor as {shape} "
                           "says")
    if view.byte_size < shape.byte_size:
        raise InvalidError(f"{shape} takes {shape.byte_size} bytes, but {name} has "
                           f"{view.byte_size}")


@functools.lru_cache(maxsize=1024)
def _bytes_laid_over(view: View, text: str, is_source: bool, name: str) -> View:
    shape, wanted = Shape(text), _view_of_text(text)
    if not _lies_so(view, wanted, shape, is_source):
        _check_list(view, shape, name)
    return wanted


def laid_over(side: Side, shape: Shape, *, is_source: bool, name: str) -> Side:
    """An array's bytes as a tensor of this shape, whatever type and dimensions it has: it lies as
    the shape says, or is a list of its elements, of which the shape then says more."""
    view = side.raw or side.view
    assert view is not None
    return side.seen_as(_bytes_laid_over(view, str(shape), is_source, name))


@functools.lru_cache(maxsize=1024)
def _in_place_of(view: View, text: str, is_source: bool, name: str) -> View:
    """An array that says what it is in the place of a tensor of this shape.

    It is of the shape's type, and has the shape's dimensions and lies as the shape says, or has the
    dimensions that the shape has in memory, or lists as many elements as that takes. Bytes, uint8
    in one dimension or where the shape's own elements are not uint8, are memory for any shape.
    """
    shape, wanted = Shape(text), _view_of_text(text)
    if _lies_so(view, wanted, shape, is_source):
        return wanted
    type_of, sizes = view.type_and_dimensions
    if type_of != "u8" or (shape.element_type == "u8" and len(sizes) != 1):
        _check_type_and_dimensions(view, shape, name)
    _check_list(view, shape, name)
    return wanted


def _check_type_and_dimensions(view: View, shape: Shape, name: str) -> None:
    type_of, sizes = view.type_and_dimensions
    memory = shape.physical_dimensions
    count = shape.byte_size // shape.dtype.itemsize
    own = shown(shape.element_type, shape.dimensions)
    if type_of not in shape._memory_types:
        raise TypeError(f"{name} is {shown(type_of, sizes)}, but {shape} is {own}: raw bytes "
                        "are uint8 or void")
    if sizes in (memory, (count,)) or (sizes == shape.dimensions and 0 in sizes):
        return
    if sizes == shape.dimensions:
        raise InvalidError(f"{name} is {shown(type_of, sizes)} and does not lie as {shape} says; "
                           f"its memory would be {shown(type_of, memory)}")
    raise InvalidError(f"{name} is {shown(type_of, sizes)}, but {shape} is {own}")


def in_place_of(side: Side, shape: Shape, *, is_source: bool, name: str) -> Side:
    """An array in the place of a tensor of this shape. TypeError and InvalidError for one that says
    it is something else."""
    if side.raw is not None:
        return laid_over(side, shape, is_source=is_source, name=name)
    assert side.view is not None
    return side.seen_as(_in_place_of(side.view, str(shape), is_source, name))


def in_place_of_view(side: Side, view: View, name: str) -> Side:
    """An array in the place of one that a plan was made for, which lies as that did."""
    type_of, sizes = view.type_and_dimensions
    if side.view is None:
        raise TypeError(f"{name} does not say what it is; the plan was made for an array of "
                        f"{shown(type_of, sizes)}")
    if lib.relayout_view_equal(side.view.struct, view.struct):
        return side
    its_type, its_sizes = side.view.type_and_dimensions
    text = f"{name} is {shown(its_type, its_sizes)}, but the plan's is {shown(type_of, sizes)}"
    if its_type != type_of:
        raise TypeError(text)
    if its_sizes != sizes:
        raise InvalidError(text)
    raise InvalidError(f"{name}'s strides in bytes are {side.view.byte_strides}, but the plan's "
                       f"are {view.byte_strides}")


# ---- Shapes in arguments ----------------------------------------------------------------------


def shape_of(text: str | Shape, defaults: View | None, name: str) -> Shape:
    """A shape, or a part of one: the array says the rest."""
    if isinstance(text, Shape):
        return text
    if not isinstance(text, str):
        raise TypeError(f"{name} is {text!r}, neither a Shape nor its text")
    if defaults is None and "[" not in text:
        raise InvalidError(f"{name} is {text!r}: the array does not say what it is, so that type "
                           "and dimensions are needed")
    try:
        if defaults is None:
            return Shape(text)
        return _completed(text, defaults) if text else _default_layout(defaults)
    except RelayoutError as refused:
        raise type(refused)(f"{name}: {refused}", refused.status, refused.cl_status) from None


@functools.lru_cache(maxsize=1024)
def _completed(text: str, defaults: View) -> Shape:
    return Shape._of_part(text, ffi.addressof(defaults.struct, "shape"))


def _default_layout(view: View) -> Shape:
    name, sizes = view.type_and_dimensions
    return view_shape(name, sizes)


@functools.lru_cache(maxsize=1024)
def view_shape(name: str, sizes: tuple[int, ...]) -> Shape:
    """In the default layout."""
    return Shape.of(name, sizes)


@functools.lru_cache(maxsize=1024)
def _of_type(view: View, name: str) -> View:
    """The shape of a view with another element type."""
    return view_of_shape(_completed(name, view))


def destination_shape(to: str | Shape | None, source: View, dtype: str | None,
                      axes: tuple[int, ...] | None) -> Shape:
    """What `to`, `dtype` and `axes` make of a source, in this order: what none of them says stays,
    but for the order of the dimensions, which is the default one."""
    defaults = source
    if axes is not None:
        name, sizes = source.type_and_dimensions
        defaults = permuted(source, axes) or view_of_shape(
            view_shape(name, tuple(sizes[axis] for axis in axes)))
    if dtype is not None:
        defaults = _of_type(defaults, dtype)
    shape = _default_layout(defaults) if to is None else shape_of(to, defaults, "to")
    if dtype is not None and shape.element_type != dtype:
        raise InvalidError(f"dtype is {dtype}, but to is {shape}")
    return shape
