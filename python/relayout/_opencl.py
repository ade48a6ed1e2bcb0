"""pyopencl's arrays, buffers and SVM, moved on its queues. Nothing here imports pyopencl before
somebody's object of it is seen."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _memory
from ._device import Device
from ._element_types import name_of_dtype
from ._errors import InvalidError, UnsupportedError, call
from ._library import ffi, lib
from ._memory import Side
from ._shape import Shape

if TYPE_CHECKING:
    import pyopencl

    from ._plan import Plan
    from ._types import Memory, OpenCLArray


def _pyopencl() -> Any:
    """The module where it is in use; an object of it is somebody's only then."""
    return sys.modules.get("pyopencl")


# ---- Sides ------------------------------------------------------------------------------------


def side_of(array: Memory) -> Side | None:
    """None for what is not pyopencl's. A buffer and SVM have no view: they do not say what lies in
    them."""
    cl = _pyopencl()
    if cl is None:
        return None
    arrays = sys.modules.get("pyopencl.array")
    if arrays is None or not isinstance(array, arrays.Array):
        return _side_of_memory(cl, array)
    view = _memory.strided_view(name_of_dtype(array.dtype), tuple(array.shape),
                                tuple(array.strides))
    memory = _side_of_memory(cl, array.base_data)
    if memory is None:
        raise UnsupportedError(f"the array's memory is of {type(array.base_data).__name__}")
    return Side(view, memory.start + array.offset, array, buffer=memory.buffer,
                is_svm=memory.is_svm)


def _side_of_memory(cl: Any, memory: Any) -> Side | None:
    if isinstance(memory, cl.MemoryObjectHolder):
        return Side(None, 0, memory, buffer=memory.int_ptr)
    if hasattr(cl, "SVMPointer") and isinstance(memory, cl.SVMPointer):
        return Side(None, memory.svm_ptr, memory, is_svm=True)
    return None


def laid_over(side: Side, shape: Shape) -> Side:
    """A buffer's or SVM's bytes, whose number the library checks where they are a buffer's."""
    size = side.owner.size
    if side.is_svm and size is not None and size < shape.byte_size:
        raise InvalidError(f"{shape} takes {shape.byte_size} bytes, but the SVM has {size}")
    return side.seen_as(_memory.view_of_shape(shape))


# ---- Devices ----------------------------------------------------------------------------------


@ffi.def_extern()  # type: ignore[untyped-decorator]
def relayout_python_lookup(context: Any, name: Any) -> Any:
    try:
        function = getattr(_functions(), ffi.string(name).decode())
    except AttributeError:
        return ffi.NULL
    return ffi.cast("void *", ctypes.cast(function, ctypes.c_void_p).value)


@functools.cache
def _functions() -> ctypes.CDLL:
    """pyopencl's own loader, which may be another than the system's, or the only one."""
    return ctypes.CDLL(_pyopencl()._cl.__file__)


@functools.cache
def _use_loader() -> None:
    """Both loaders lead to the same drivers, so it does not matter which one is in use already."""
    try:
        call(lib.relayout_opencl_use, lib.relayout_python_lookup, ffi.NULL)
    except UnsupportedError:
        pass


@functools.lru_cache(maxsize=16)
def _device(context: int, device: int) -> Device:
    """One for each device of a context; it keeps the context."""
    _use_loader()
    handle = ffi.new("relayout_device **")
    call(lib.relayout_opencl_device_create, ffi.cast("cl_context", context),
         ffi.cast("cl_device_id", device), ffi.NULL, handle)
    made = Device.__new__(Device)
    made._own(handle[0])
    return made


def _queue_of(queue: pyopencl.CommandQueue | None, *sides: Side) -> pyopencl.CommandQueue:
    if queue is not None:
        cl = _pyopencl()
        if cl is None or not isinstance(queue, cl.CommandQueue):
            raise TypeError(f"queue is {queue!r}, no CommandQueue of pyopencl's")
        return cast("pyopencl.CommandQueue", queue)
    for side in sides:
        if getattr(side.owner, "queue", None) is not None:
            return cast("pyopencl.CommandQueue", side.owner.queue)
    raise InvalidError("queue is None, and no array has one")


def device_of(queue: pyopencl.CommandQueue | None, *sides: Side) -> Device:
    queue = _queue_of(queue, *sides)
    return _device(queue.context.int_ptr, queue.device.int_ptr)


# ---- Running ----------------------------------------------------------------------------------


def _memory_struct(side: Side) -> Any:
    made = ffi.new("relayout_opencl_memory *")
    made.struct_size = ffi.sizeof("relayout_opencl_memory")
    made.kind = (lib.RELAYOUT_MEMORY_SVM if side.is_svm else
                 lib.RELAYOUT_MEMORY_BUFFER if side.buffer else lib.RELAYOUT_MEMORY_HOST)
    made.memory = ffi.cast("cl_mem", side.buffer)
    if side.buffer:
        made.offset = side.start
    else:
        made.pointer = ffi.cast("void *", side.start)
    return made


def _staging(plan: Plan, queue: pyopencl.CommandQueue, sides: tuple[Any, Any]) -> tuple[Any, Any]:
    """What the plan asks for, as a buffer, which the driver keeps until the commands are done."""
    needed = ffi.new("size_t *")
    call(lib.relayout_plan_staging_size, plan._handle, sides[0].kind, sides[1].kind, needed)
    made = ffi.new("relayout_opencl_staging *")
    made.struct_size = ffi.sizeof("relayout_opencl_staging")
    if needed[0] == 0:
        return made, None
    cl = _pyopencl()
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, needed[0])
    made.buffer = ffi.cast("cl_mem", buffer.int_ptr)
    return made, buffer


def enqueue(plan: Plan, queue: pyopencl.CommandQueue | None, source: Side, to: Side,
            wait_for: Sequence[pyopencl.Event] | None) -> pyopencl.Event:
    """A relayout behind these events and those of the arrays, as an event of pyopencl's."""
    queue = _queue_of(queue, source, to)
    cl = _pyopencl()
    before = [*(wait_for or ()), *getattr(source.owner, "events", ()),
              *getattr(to.owner, "events", ())]
    handles = ffi.new("cl_event[]", [ffi.cast("cl_event", event.int_ptr) for event in before])
    sides = _memory_struct(source), _memory_struct(to)
    staging, _buffer = _staging(plan, queue, sides)
    done = ffi.new("cl_event *")
    call(lib.relayout_plan_submit, plan._handle, ffi.cast("cl_command_queue", queue.int_ptr),
         *sides, staging, len(before), handles if before else ffi.NULL, ffi.NULL, done)
    event = cl.Event.from_int_ptr(int(ffi.cast("uintptr_t", done[0])), retain=False)
    return cast("pyopencl.Event", event)


def run(plan: Plan, source: Side, to: Side, queue: pyopencl.CommandQueue | None,
        wait_for: Sequence[pyopencl.Event] | None) -> None:
    """Without waiting where both sides are the device's."""
    event = enqueue(plan, queue, source, to, wait_for)
    for side in (source, to):
        if not side.is_on_device:
            event.wait()
        elif hasattr(side.owner, "add_event"):
            side.owner.add_event(event)


def into_new_memory(plan: Plan, source: Side, shape: Shape, queue: pyopencl.CommandQueue | None,
                    wait_for: Sequence[pyopencl.Event] | None) -> OpenCLArray:
    """A new array of pyopencl's, as Shape.empty makes NumPy's."""
    import pyopencl.array

    queue = _queue_of(queue, source)
    flags = _pyopencl().mem_flags
    memory = pyopencl.Buffer(queue.context, flags.READ_WRITE, max(shape.byte_size, 1))
    before = list(wait_for or ())
    if shape.keeps_padding:
        before.append(pyopencl.enqueue_fill_buffer(queue, memory, b"\0", 0,
                                                   max(shape.byte_size, 1)))
    event = enqueue(plan, queue, source, Side(plan._to, 0, memory, buffer=memory.int_ptr), before)
    sizes, strides = shape._array_form
    result = pyopencl.array.Array(queue, sizes, shape.dtype, strides=strides, data=memory)
    result.add_event(event)
    if not source.is_on_device:
        event.wait()
    elif hasattr(source.owner, "add_event"):
        source.owner.add_event(event)
    return result
