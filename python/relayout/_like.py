"""New memory as arrays of other libraries: by DLPack, so that nothing is copied."""

from __future__ import annotations

import ctypes
import importlib
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from ._errors import InvalidError, call
from ._library import ffi, lib
from ._memory import View, view_of_elements

if TYPE_CHECKING:
    from ._types import Array

    Importer = Callable[["Array"], Any]

# What XLA takes over as it is; other memory it copies.
ALIGNMENT = 64

# Where modules that people name keep from_dlpack.
_MODULES = {"jax": "jax.numpy"}


def importer_of(like: object) -> Importer | None:
    """What makes an array of that kind of NumPy's; None where NumPy's it is to be."""
    module = _module_of(like)
    if module is numpy:
        return None
    if not hasattr(module, "from_dlpack"):
        raise TypeError(f"like is {like!r}, which has no from_dlpack")
    return lambda array: _imported(module, array)


def _module_of(like: object) -> Any:
    if like is None or isinstance(like, numpy.ndarray):
        return numpy
    if isinstance(like, str):
        return importlib.import_module(_MODULES.get(like, like))
    if isinstance(like, types.ModuleType):
        return importlib.import_module(_MODULES.get(like.__name__, like.__name__))
    if hasattr(like, "__array_namespace__"):
        return like.__array_namespace__()
    return importlib.import_module(type(like).__module__.partition(".")[0])


def _imported(module: Any, array: Array) -> Any:
    library = module.__name__.partition(".")[0]
    if library == "torch" and array.dtype.name.startswith("float8_"):  # of which its DLPack knows
        lent = _imported(module, array.view(numpy.uint8))  # nothing in many versions
        return lent.view(getattr(module, array.dtype.name))
    view = view_of_elements(array.dtype, array.shape, array.strides)
    takes_over = array.flags.c_contiguous and array.dtype.itemsize * 8 == _bits_of(view)
    if library == "jax" and not takes_over:
        return module.asarray(array)
    return module.from_dlpack(_Exporter(view, array))


# ---- Exporting --------------------------------------------------------------------------------


def _fields_of(view: View, sizes: Any, strides: Any) -> Any:
    fields = ffi.new("relayout_dlpack_fields *")
    call(lib.relayout_view_to_dlpack_fields, view.struct, sizes, strides, fields)
    return fields


def _bits_of(view: View) -> int:
    rank = len(view.type_and_dimensions[1])
    room = max(rank, 1)
    return int(_fields_of(view, ffi.new("int64_t[]", room), ffi.new("int64_t[]", room)).bits)


# What DLPack's tensors that somebody has point to, by the address of each.
_lent: dict[int, tuple[Any, ...]] = {}


@ffi.def_extern()  # type: ignore[untyped-decorator]
def relayout_python_take_back(managed: Any) -> None:
    _lent.pop(int(ffi.cast("uintptr_t", managed)), None)


_pointer_new = ctypes.pythonapi.PyCapsule_New
_pointer_new.restype = ctypes.py_object
_pointer_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _end(capsule: int) -> None:
    """The end of a capsule, whose tensor is somebody else's where it has another name by then."""
    for name in (b"dltensor", b"dltensor_versioned"):
        if _is_valid(capsule, name):
            _lent.pop(_pointer_in(capsule, name) or 0, None)


_end_of_capsule = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_end)


class _Exporter:
    """Memory of NumPy's as DLPack has it: of the types that NumPy itself does not export too."""

    def __init__(self, view: View, array: Array) -> None:
        self._view, self._array = view, array

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: Any = None, copy: bool | None = None) -> Any:
        if stream is not None or copy or tuple(dl_device or (1, 0)) != (1, 0):
            raise BufferError("the memory is the host's, and is lent as it is")
        is_versioned = max_version is not None and max_version[0] >= 1
        managed = ffi.new("dlpack_versioned *" if is_versioned else "dlpack_managed *")
        lists = self._fill(managed.tensor, managed if is_versioned else None)
        managed.deleter = ffi.cast("void *", ffi.addressof(lib, "relayout_python_take_back"))
        address = int(ffi.cast("uintptr_t", managed))
        _lent[address] = (managed, lists, self._array)
        return _pointer_new(address, b"dltensor_versioned" if is_versioned else b"dltensor",
                            ctypes.cast(_end_of_capsule, ctypes.c_void_p))

    def _fill(self, tensor: Any, versioned: Any) -> tuple[Any, Any]:
        room = max(self._array.ndim, 1)
        sizes, strides = ffi.new("int64_t[]", room), ffi.new("int64_t[]", room)
        fields = _fields_of(self._view, sizes, strides)
        if versioned is not None:
            versioned.major, versioned.minor, versioned.flags = 1, 1, fields.flags
        elif fields.flags:
            raise BufferError("DLPack says this only since version 1")
        for field in ("code", "bits", "lanes", "ndim", "shape", "strides", "byte_offset"):
            setattr(tensor, field, getattr(fields, field))
        tensor.data = ffi.cast("void *", self._array.ctypes.data)
        tensor.device_type, tensor.device_number = 1, 0
        return sizes, strides
