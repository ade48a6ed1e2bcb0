"""pyopencl's arrays, buffers and SVM, moved on its queues. Nothing here imports pyopencl before
somebody's object of it is seen."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from . import _memory
from ._device import Device
from ._errors import InvalidError, Names, UnsupportedError, call
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
    view = _memory.view_of_elements(array.dtype, tuple(array.shape), tuple(array.strides))
    if array.base_data is None:  # it has no elements
        return Side(view, 0, array, is_on_device=True)
    memory = _side_of_memory(cl, array.base_data)
    if memory is None:
        raise UnsupportedError(f"the array's memory is of {type(array.base_data).__name__}")
    return replace(memory, view=view, start=memory.start + array.offset, owner=array)


def _side_of_memory(cl: Any, memory: Any) -> Side | None:
    if isinstance(memory, cl.MemoryObjectHolder):
        return Side(None, 0, memory, buffer=memory.int_ptr, is_on_device=True)
    if hasattr(cl, "SVMPointer") and isinstance(memory, cl.SVMPointer):
        return Side(None, memory.svm_ptr, memory, is_svm=True, is_on_device=True)
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
                 lib.RELAYOUT_MEMORY_BUFFER if side.is_on_device else lib.RELAYOUT_MEMORY_HOST)
    made.memory = ffi.cast("cl_mem", side.buffer)
    if side.is_on_device and not side.is_svm:
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


def _handles_of(events: Sequence[pyopencl.Event]) -> tuple[int, Any]:
    """As the library takes them: how many, and a list, or NULL where there are none."""
    if not events:
        return 0, ffi.NULL
    return len(events), ffi.new("cl_event[]", [ffi.cast("cl_event", event.int_ptr)
                                               for event in events])


def _event_of(handle: Any) -> pyopencl.Event:
    """It releases what the library gave."""
    event = _pyopencl().Event.from_int_ptr(int(ffi.cast("uintptr_t", handle)), retain=False)
    return cast("pyopencl.Event", event)


def _events_of(*sides: Side) -> list[pyopencl.Event]:
    """Those that arrays wait for themselves."""
    return [event for side in sides for event in getattr(side.owner, "events", ())]


def _queue_handle(queue: pyopencl.CommandQueue) -> Any:
    return ffi.cast("cl_command_queue", queue.int_ptr)


def enqueue(plan: Plan, queue: pyopencl.CommandQueue | None, source: Side, to: Side,
            wait_for: Sequence[pyopencl.Event] | None, names: Names) -> pyopencl.Event:
    """A relayout behind these events and those of the arrays, as an event of pyopencl's."""
    queue = _queue_of(queue, source, to)
    before = [*(wait_for or ()), *_events_of(source, to)]
    sides = _memory_struct(source), _memory_struct(to)
    staging, _buffer = _staging(plan, queue, sides)
    done = ffi.new("cl_event *")
    call(lib.relayout_plan_submit, plan._handle, _queue_handle(queue), *sides, staging,
         *_handles_of(before), ffi.NULL, done, names=names)
    return _event_of(done[0])


def _buffer_of(side: Side, name: str) -> tuple[Any, int]:
    """A buffer and an offset in it."""
    if not side.is_on_device or side.is_svm:
        raise UnsupportedError(f"{name} is {type(side.owner).__name__}, no array or buffer of "
                               "pyopencl's")
    return ffi.cast("cl_mem", side.buffer), side.start


def _places_of(source: Side, to: Side) -> tuple[Any, int, Any, int]:
    return (*_buffer_of(source, "source"), *_buffer_of(to, "out"))


def enqueue_batch(plan: Plan, queue: pyopencl.CommandQueue | None, sides: list[tuple[Side, Side]],
                  wait_for: Sequence[pyopencl.Event] | None) -> pyopencl.Event:
    both = [side for pair in sides for side in pair]
    queue = _queue_of(queue, *both)
    moves = ffi.new("relayout_opencl_move[]", [_places_of(*pair) for pair in sides])
    done = ffi.new("cl_event *")
    call(lib.relayout_plan_enqueue_batch, plan._handle, _queue_handle(queue), len(sides),
         moves if sides else ffi.NULL, *_handles_of([*(wait_for or ()), *_events_of(*both)]), done,
         names=("source", "out"))
    return _event_of(done[0])


# ---- Several destinations ---------------------------------------------------------------------


# Each side's elements, scales, zero points and tensor scale; None for what it has not.
Parts = tuple[Side | None, ...]


def side_buffers(source: Parts, to: Sequence[Parts]) -> tuple[Any, Any]:
    """A relayout_side_buffers for the source, and one for each destination."""
    made = ffi.new("relayout_side_buffers *"), ffi.new("relayout_side_buffers[]", len(to))
    for struct, parts in zip((made[0][0], *made[1]), (source, *to)):
        for field, side in zip(("elements", "scales", "zero_points", "tensor_scale"), parts):
            if side is not None:
                setattr(struct, field, ffi.cast("cl_mem", side.buffer))
                setattr(struct, f"{field}_offset", side.start)
    return made


def _all_of(moves: Sequence[tuple[Parts, Sequence[Parts]]]) -> list[Side]:
    return [side for source, to in moves for parts in (source, *to) for side in parts
            if side is not None]


def enqueue_many(handle: Any, queue: pyopencl.CommandQueue | None, source: Parts,
                 to: Sequence[Parts], wait_for: Sequence[pyopencl.Event] | None,
                 check: Callable[..., None]) -> pyopencl.Event:
    """`check` calls the library, and names what it refuses."""
    sides = _all_of([(source, to)])
    queue = _queue_of(queue, *sides)
    done = ffi.new("cl_event *")
    check(lib.relayout_plan_enqueue_many, handle, _queue_handle(queue), *side_buffers(source, to),
          *_handles_of([*(wait_for or ()), *_events_of(*sides)]), done)
    return _event_of(done[0])


def enqueue_many_batch(handle: Any, queue: pyopencl.CommandQueue | None,
                       moves: Sequence[tuple[Parts, Sequence[Parts]]],
                       wait_for: Sequence[pyopencl.Event] | None,
                       check: Callable[..., None]) -> pyopencl.Event:
    sides = _all_of(moves)
    queue = _queue_of(queue, *sides)
    buffers = [side_buffers(*move) for move in moves]
    structs = ffi.new("relayout_opencl_many_move[]", buffers) if buffers else ffi.NULL
    done = ffi.new("cl_event *")
    check(lib.relayout_plan_enqueue_many_batch, handle, _queue_handle(queue), len(buffers), structs,
          *_handles_of([*(wait_for or ()), *_events_of(*sides)]), done)
    return _event_of(done[0])


def recorded_many(handle: Any, queue: pyopencl.CommandQueue | None, source: Parts,
                  to: Sequence[Parts],
                  check: Callable[..., None]) -> tuple[pyopencl.CommandQueue, Any]:
    queue = _queue_of(queue, *_all_of([(source, to)]))
    made = ffi.new("relayout_recording **")
    check(lib.relayout_recording_create_many, handle, _queue_handle(queue),
          *side_buffers(source, to), made)
    return queue, ffi.gc(made[0], lib.relayout_recording_destroy)


# ---- Recordings -------------------------------------------------------------------------------


def recorded(plan: Plan, queue: pyopencl.CommandQueue | None, source: Side,
             to: Side) -> tuple[pyopencl.CommandQueue, Any]:
    """The queue, and the library's recording, which goes with Python's."""
    queue = _queue_of(queue, source, to)
    made = ffi.new("relayout_recording **")
    call(lib.relayout_recording_create, plan._handle, _queue_handle(queue),
         *_places_of(source, to), made, names=("source", "out"))
    return queue, ffi.gc(made[0], lib.relayout_recording_destroy)


def enqueue_recording(recording: Any,
                      wait_for: Sequence[pyopencl.Event] | None) -> pyopencl.Event:
    done = ffi.new("cl_event *")
    call(lib.relayout_recording_enqueue, recording, *_handles_of(wait_for or ()), done)
    return _event_of(done[0])


def is_complete(event: pyopencl.Event) -> bool:
    """Or failed."""
    return bool(event.command_execution_status <= _pyopencl().command_execution_status.COMPLETE)


def set_recorded_memory(recording: Any, source: Side, to: Side) -> None:
    call(lib.relayout_recording_set_buffers, recording, *_places_of(source, to),
         names=("source", "out"))


def run(plan: Plan, source: Side, to: Side, queue: pyopencl.CommandQueue | None,
        wait_for: Sequence[pyopencl.Event] | None, names: Names) -> None:
    """Without waiting where both sides are the device's."""
    event = enqueue(plan, queue, source, to, wait_for, names)
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
    to = Side(plan._to, 0, memory, buffer=memory.int_ptr, is_on_device=True)
    event = enqueue(plan, queue, source, to, before, ("source", "out"))
    sizes, strides = shape._array_form
    result = pyopencl.array.Array(queue, sizes, shape.dtype, strides=strides, data=memory)
    result.add_event(event)
    if not source.is_on_device:
        event.wait()
    elif hasattr(source.owner, "add_event"):
        source.owner.add_event(event)
    return result
