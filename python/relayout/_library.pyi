# What cffi makes of the library's headers (declarations.py).
from typing import Any

ffi: Any
lib: Any
