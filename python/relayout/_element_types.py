"""XLA's element types and NumPy's."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy

from ._errors import UnsupportedError, call
from ._library import ffi, lib

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

# XLA's name, and where it differs NumPy's or that of ml_dtypes.
_names = {
    "pred": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128",
    **{f"s{bits}": f"int{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"f{form}": f"float{form[0]}_{form[1:]}"
       for form in ("4e2m1fn", "6e2m3fn", "6e3m2fn", "8e3m4", "8e4m3", "8e4m3fn", "8e4m3fnuz",
                    "8e4m3b11fnuz", "8e5m2", "8e5m2fnuz", "8e8m0fnu")},
}


def _dtype(name: str) -> numpy.dtype[Any] | None:
    """Older versions of ml_dtypes lack some."""
    found = getattr(ml_dtypes, name, None)
    if found is None and (hasattr(numpy, name) or name == "bool"):
        found = name
    return None if found is None else numpy.dtype(found)


_dtypes = {xla: dtype for xla, name in _names.items() if (dtype := _dtype(name)) is not None}
_texts = {dtype: xla for xla, dtype in _dtypes.items()}


def type_name(number: int) -> str:
    return str(ffi.string(lib.relayout_element_type_name(number)).decode())


def type_number(name: str) -> int:
    number = ffi.new("relayout_element_type *")
    call(lib.relayout_element_type_parse, name.encode(), number)
    return int(number[0])


def name_of_dtype(dtype: numpy.dtype[Any]) -> str:
    """XLA's name of a dtype; UnsupportedError where XLA has no such type."""
    if not dtype.isnative:
        raise UnsupportedError(f"dtype {dtype.str} has the other byte order")
    if dtype not in _texts:
        raise UnsupportedError(f"dtype {dtype} is no element type of XLA's")
    return _texts[dtype]


def name_of(dtype: DTypeLike) -> str:
    """XLA's name of what NumPy takes for a dtype, or of a type that is given by that name."""
    if isinstance(dtype, str) and dtype in _type_names():
        return dtype
    return name_of_dtype(numpy.dtype(dtype))


@functools.cache
def _type_names() -> frozenset[str]:
    names = (type_name(number) for number in range(64))
    return frozenset(name for name in names if name != "invalid")


def is_raw(dtype: numpy.dtype[Any]) -> bool:
    """Whether it says nothing but how many bytes there are: void, and the characters of buffers.
    Types of ml_dtypes are void to NumPy too."""
    return dtype not in _texts and dtype.names is None and dtype.kind in "VS"


def vector_of(dtype: numpy.dtype[Any]) -> tuple[numpy.dtype[Any], int] | None:
    """The elements of a vector of OpenCL's (pyopencl.cltypes), and how many it has."""
    types = sys.modules.get("pyopencl.cltypes")
    if types is None or dtype.names is None:
        return None
    found: tuple[numpy.dtype[Any], int] | None = types.vec_type_to_scalar_and_count.get(dtype)
    return found


def shown(name: str, dimensions: tuple[int, ...]) -> str:
    """How messages call an array: by NumPy's name of its type."""
    dtype = dtype_of_name(name)
    return f"{dtype.name if dtype is not None else name}[{','.join(map(str, dimensions))}]"


def dtype_of_name(name: str) -> numpy.dtype[Any] | None:
    """None for types that neither NumPy nor ml_dtypes has."""
    return _dtypes.get(name)
