"""The library's failures as exceptions, with its message."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ._library import ffi, lib


class RelayoutError(Exception):
    """What the library refused or could not do.

    `status` is the library's number of it (relayout/status.h), `cl_status` OpenCL's error code
    behind it, or 0. The message names the argument and its value.
    """

    def __init__(self, message: str, status: int = 0, cl_status: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.cl_status = cl_status


class InvalidError(RelayoutError, ValueError):
    """A text, a shape, an option or memory that cannot be meant."""


class UnsupportedError(RelayoutError, NotImplementedError):
    """What makes sense, and is not done."""


class RangeError(RelayoutError, IndexError):
    """A dimension, an index or a position that is not there."""


class OutOfMemoryError(RelayoutError, MemoryError):
    """No memory, of the host or of the device."""


class DeviceError(RelayoutError, OSError):
    """No such device, or one whose driver reports an error."""


_classes: dict[int, type[RelayoutError]] = {
    lib.RELAYOUT_OUT_OF_RANGE: RangeError,
    lib.RELAYOUT_UNSUPPORTED: UnsupportedError,
    lib.RELAYOUT_OUT_OF_MEMORY: OutOfMemoryError,
    lib.RELAYOUT_OUT_OF_DEVICE_MEMORY: OutOfMemoryError,
    lib.RELAYOUT_NO_DEVICE: DeviceError,
    lib.RELAYOUT_OPENCL_ERROR: DeviceError,
}


# What Python calls the two sides of a relayout, where the library says source and destination.
Names = tuple[str, str]


def call(function: Callable[..., int], *arguments: Any, names: Names | None = None) -> None:
    """Calls a function of the library whose last parameter is an error; raises what it says."""
    error = ffi.new("relayout_error *")
    status = function(*arguments, error)
    if status != lib.RELAYOUT_OK:
        message = _in_python(ffi.string(error.message).decode(errors="replace"), names)
        raise _classes.get(status, InvalidError)(message, status, error.cl_status)


def _in_python(message: str, names: Names | None) -> str:
    """The library's message, by the names that Python's arguments have."""
    message = message.replace("options->", "")
    if names is None:
        return message
    for side, from_or_to, word in zip(names, ("from", "to"), ("source", "destination")):
        message = re.sub(rf"\b(?:{from_or_to}|{word})->", f"{side}'s ", message)
        message = re.sub(rf"`{from_or_to}`|\b{word}\b", side, message)
    return message


def c_text(text: str, name: str = "text") -> bytes:
    """For a parameter of the library's, which would end at a NUL."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a string, not {type(text).__name__}")
    if "\0" in text:
        raise InvalidError(f"{text!r} has a NUL in it")
    return text.encode()


def text_of(function: Callable[..., int], *arguments: Any) -> str:
    """What a function writes that works like snprintf."""
    length = function(*arguments, ffi.NULL, 0)
    buffer = ffi.new("char[]", length + 1)
    function(*arguments, buffer, length + 1)
    return str(ffi.string(buffer).decode())
