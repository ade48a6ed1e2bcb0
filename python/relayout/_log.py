"""What the library has to say while it works."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from typing import Any

from ._library import ffi, lib

_LEVELS = {lib.RELAYOUT_LOG_INFO: logging.INFO, lib.RELAYOUT_LOG_WARNING: logging.WARNING,
           lib.RELAYOUT_LOG_ERROR: logging.ERROR}
_heard_by: Callable[[int, str], Any] | None = None


def set_log(log: Callable[[int, str], Any] | None) -> None:
    """Has `log` hear the library's messages from now on, from any thread, one at a time; None:
    nobody hears them, as at first.

    It is called with a level of Python's logging (INFO: what takes long, as a kernel that was
    compiled; WARNING: what was slow or ignored; ERROR: a compiler's whole log) and the message, as
    `logging.getLogger("relayout").log` is. It calls nothing of relayout's.
    """
    global _heard_by
    if log is not None and not callable(log):
        raise TypeError(f"log must be callable, not {type(log).__name__}")
    lib.relayout_set_log(ffi.NULL, ffi.NULL)  # when this returns nobody is called any more
    _heard_by = log
    if log is not None:
        lib.relayout_set_log(lib.relayout_python_log, ffi.NULL)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def relayout_python_log(context: Any, level: int, message: Any) -> None:
    if _heard_by is not None:
        _heard_by(_LEVELS.get(level, logging.INFO), ffi.string(message).decode(errors="replace"))


@atexit.register
def _end() -> None:
    """The library's threads may outlive the interpreter."""
    set_log(None)
