"""What annotations call the arrays that relayouts take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy

if TYPE_CHECKING:
    import pyopencl.array
    from typing_extensions import Buffer

    HostMemory: TypeAlias = numpy.ndarray[Any, Any] | numpy.generic | "SupportsDLPack" | Buffer
    OpenCLArray: TypeAlias = pyopencl.array.Array
    OpenCLMemory: TypeAlias = (pyopencl.array.Array | pyopencl.MemoryObjectHolder
                               | pyopencl.SVMPointer)
    Memory: TypeAlias = HostMemory | OpenCLMemory
    Array: TypeAlias = numpy.ndarray[Any, Any]


class SupportsDLPack(Protocol):
    """An array of PyTorch, JAX, TVM, ...: https://dmlc.github.io/dlpack."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, Any]: ...
