"""XLA's element types and NumPy's."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

from ._errors import UnsupportedError, call
from ._library import ffi, lib

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


def dtype_of_name(name: str) -> numpy.dtype[Any] | None:
    """None for types that neither NumPy nor ml_dtypes has."""
    return _dtypes.get(name)
