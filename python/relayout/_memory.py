"""Sides of a relayout: arrays of other libraries as the library's views, and where they begin."""

from __future__ import annotations

import ctypes
import functools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

from ._element_types import name_of_dtype, type_name, type_number
from ._errors import InvalidError, UnsupportedError, call
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


@dataclass(slots=True)
class Side:
    """What lies where. `start` is an address, or where there is a buffer an offset in it; `owner`
    keeps the memory alive."""

    view: View | None  # None where nobody knows what lies there
    start: int
    owner: Any
    is_read_only: bool = False
    buffer: int = 0  # cl_mem
    is_svm: bool = False

    @property
    def is_on_device(self) -> bool:
        return self.buffer != 0 or self.is_svm

    def seen_as(self, view: View) -> Side:
        """The same memory."""
        return Side(view, self.start, self.owner, self.is_read_only, self.buffer, self.is_svm)


# ---- Arrays of the host -----------------------------------------------------------------------


def _side_of_numpy(array: Array) -> Side:
    view = strided_view(name_of_dtype(array.dtype), array.shape, array.strides)
    start, is_read_only = array.__array_interface__["data"]
    return Side(view, start, array, is_read_only)


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


@functools.lru_cache(maxsize=1024)
def laid_over(view: View, text: str, is_source: bool) -> View:
    """The bytes of a view as a tensor of the shape of this text: those of an array that lies as the
    shape says, or that is a list of its elements, of which the shape then says more."""
    shape, wanted = Shape(text), _view_of_text(text)
    lies_so = (view.type_and_dimensions == wanted.type_and_dimensions
               and view.byte_strides is not None and view.byte_strides == wanted.byte_strides)
    if lies_so and (is_source or not shape.is_padded):
        return wanted
    if not view.is_list:
        raise InvalidError(f"the array's elements do not lie one behind the other, nor as {text} "
                           "says")
    if view.byte_size < shape.byte_size:
        raise InvalidError(f"{text} takes {shape.byte_size} bytes, but the array has "
                           f"{view.byte_size}")
    return wanted


def shape_of_text(text: str | Shape, side: Side) -> Shape:
    """A shape; a layout in braces, or none, takes the side's type and dimensions."""
    if isinstance(text, str) and (text == "" or text.lstrip().startswith("{")):
        if side.view is None:
            raise InvalidError(f"{text!r} is a layout without a type and dimensions, which a "
                               "buffer does not say")
        name, dimensions = side.view.type_and_dimensions
        return Shape(f"{name}[{','.join(map(str, dimensions))}]{text}")
    return Shape(text)
