"""Plans, and relayouts in one call."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from . import _memory, _opencl
from ._device import Device, device_of
from ._errors import InvalidError, UnsupportedError, call, text_of
from ._library import ffi, lib
from ._memory import Side, View
from ._shape import Shape

if TYPE_CHECKING:
    import pyopencl

    from ._types import Array, HostMemory, Memory, OpenCLArray, OpenCLMemory

    Out = TypeVar("Out", bound=Memory)
    Overflow = Literal["saturate", "wrap"]
    Box = tuple[list[int], list[int]]  # starts and sizes

_OVERFLOWS = {"saturate": lib.RELAYOUT_OVERFLOW_SATURATE, "wrap": lib.RELAYOUT_OVERFLOW_WRAP}
_EFFORTS = {"estimate": lib.RELAYOUT_PLAN_ESTIMATE, "measure": lib.RELAYOUT_PLAN_MEASURE}

# What is moved between two looks at Ctrl-C: a tenth of a second or less on most machines.
_BOX_BYTES = 1 << 28


@functools.lru_cache(maxsize=64)
def _options(scale: float, overflow: str, effort: str = "estimate") -> Any:
    made = ffi.new("relayout_plan_options *")
    made.struct_size = ffi.sizeof("relayout_plan_options")
    made.scale = scale
    made.overflow = _value_of(_OVERFLOWS, "overflow", overflow)
    made.effort = _value_of(_EFFORTS, "effort", effort)
    return made


def _value_of(table: dict[str, Any], name: str, key: str) -> Any:
    if key not in table:
        raise InvalidError(f"{name} is {key!r}, not one of {', '.join(map(repr, table))}")
    return table[key]


@dataclass(frozen=True)
class PlanInfo:
    """What a plan comes to, in bytes where nothing else is said (relayout_plan_info).
    `predicted_fraction` is of a plain copy's speed."""

    source_bytes: int
    destination_bytes: int
    bytes_read: int
    bytes_written: int
    bytes_left_alone: int
    padding_bytes: int
    device_bytes: int
    predicted_fraction: float
    part_count: int
    kernel_count: int
    moves_nothing: bool
    is_bitcast: bool


class Plan:
    """How tensors of one kind are moved: worked out once, used often, from any thread.

    What `relayout.plan` returns. Calling it moves an array:

    >>> plan = relayout.plan("f32[1024,1000]", "{0,1:PD(1024,1024)}")
    >>> padded = plan(array)
    """

    __slots__ = ("_handle", "_from", "_to", "_options", "device")

    def __init__(self, device: Device, from_view: View, to_view: View, options: Any) -> None:
        handle = ffi.new("relayout_plan **")
        call(lib.relayout_plan_create_between, device._handle, from_view.struct, to_view.struct,
             options, handle)
        self._handle = ffi.gc(handle[0], lib.relayout_plan_destroy)
        self._from, self._to, self._options = from_view, to_view, options
        self.device = device

    @overload
    def __call__(self, source: HostMemory, out: None = None, *, queue: None = None,
                 wait_for: None = None) -> Array: ...

    @overload
    def __call__(self, source: OpenCLMemory, out: None = None, *,
                 queue: pyopencl.CommandQueue | None = None,
                 wait_for: Sequence[pyopencl.Event] | None = None) -> OpenCLArray: ...

    @overload
    def __call__(self, source: HostMemory, out: None = None, *, queue: pyopencl.CommandQueue,
                 wait_for: Sequence[pyopencl.Event] | None = None) -> OpenCLArray: ...

    @overload
    def __call__(self, source: Memory, out: Out, *, queue: pyopencl.CommandQueue | None = None,
                 wait_for: Sequence[pyopencl.Event] | None = None) -> Out: ...

    def __call__(self, source: Any, out: Any = None, *, queue: Any = None,
                 wait_for: Any = None) -> Any:
        """Moves `source`, whose memory is as the plan's first shape says, into `out`, or into new
        memory (see relayout.copy), which is returned. Where the plan was made for an array, this
        one lies as that did."""
        from_side = _placed(source, self._from, is_source=True)
        if out is None:
            return _into_new_memory(self, from_side, queue, wait_for)
        _run(self, from_side, _placed(out, self._to, is_source=False), queue, wait_for)
        return out

    def enqueue(self, queue: pyopencl.CommandQueue | None, source: Memory, out: Memory, *,
                wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """The same between two arrays, buffers or pieces of SVM of pyopencl's, on a queue of its,
        without waiting: returns the pyopencl.Event that completes with the relayout. `wait_for` is
        a list of events that come first."""
        return _opencl.enqueue(self, queue, _placed(source, self._from, is_source=True),
                               _placed(out, self._to, is_source=False), wait_for)

    def explain(self, schedules: bool = False) -> str:
        """What the plan will do and why, in English; with every schedule that is offered too."""
        form = lib.RELAYOUT_EXPLAIN_SCHEDULES_TEXT if schedules else lib.RELAYOUT_EXPLAIN_TEXT
        return text_of(lib.relayout_plan_explain, self._handle, form)

    @property
    def info(self) -> PlanInfo:
        """How many bytes it reads and writes, and what the library expects of it."""
        info = ffi.new("relayout_plan_info *")
        info.struct_size = ffi.sizeof("relayout_plan_info")
        call(lib.relayout_plan_get_info, self._handle, info)
        values = {name: getattr(info, name) for name in PlanInfo.__dataclass_fields__}
        for name in ("moves_nothing", "is_bitcast"):
            values[name] = bool(values[name])
        return PlanInfo(**values)

    @property
    def method(self) -> str:
        """"copy", "transpose", ..., as the library names it; "none" where nothing moves."""
        return str(ffi.string(lib.relayout_plan_get_method(self._handle)).decode())

    def __repr__(self) -> str:
        return f"<relayout.Plan {self.method} on {self.device.name}>"


# ---- Sides ------------------------------------------------------------------------------------


def _side_of(array: Any) -> Side:
    return _opencl.side_of(array) or _memory.side_of(array)


def _written(array: Any) -> Side:
    side = _side_of(array)
    if side.is_read_only:
        raise InvalidError("out is read-only")
    return side


def _laid_over(side: Side, shape: Shape, *, is_source: bool) -> Side:
    """The side's memory as a tensor of this shape."""
    if side.view is None:
        return _opencl.laid_over(side, shape)
    return side.seen_as(_memory.laid_over(side.view, str(shape), is_source))


def _placed(array: Any, view: View, *, is_source: bool) -> Side:
    """An array in the place of one of a plan's views."""
    side = _side_of(array) if is_source else _written(array)
    if side.view is view:
        return side
    if view.shape is not None:
        return _laid_over(side, view.shape, is_source=is_source)
    if side.view is None or not lib.relayout_view_equal(side.view.struct, view.struct):
        raise InvalidError("the array's type, dimensions or strides are not the plan's")
    return side


def _device_for(device: str | Device, queue: pyopencl.CommandQueue | None, *sides: Side) -> Device:
    """That of the queue, or of what is there already."""
    if queue is not None or any(side.is_on_device for side in sides):
        return _opencl.device_of(queue, *sides)
    return device_of(device)


def _view_of(side: Side, name: str) -> View:
    if side.view is None:
        raise InvalidError(f"{name} is no shape, and a buffer does not say what lies in it")
    return side.view


def _sides(array: Any, to: str | Shape | None, from_: str | Shape | None,
           out: Any) -> tuple[Side, Side]:
    """Both, the second without memory where `out` is None."""
    source = _side_of(array)
    if from_ is not None:
        source = _laid_over(source, _memory.shape_of_text(from_, source), is_source=True)
    if out is not None and to is None:
        return source, _written(out)
    _view_of(source, "from_")
    shape = _memory.shape_of_text("" if to is None else to, source)
    if out is not None:
        return source, _laid_over(_written(out), shape, is_source=False)
    return source, Side(_memory.view_of_shape(shape), 0, None)


# ---- Running ----------------------------------------------------------------------------------


def _run(plan: Plan, source: Side, to: Side, queue: pyopencl.CommandQueue | None,
         wait_for: Sequence[pyopencl.Event] | None) -> None:
    if queue is not None or source.is_on_device or to.is_on_device:
        _opencl.run(plan, source, to, queue, wait_for)
    elif wait_for:
        raise InvalidError("wait_for has events, but no side is pyopencl's, and queue is None")
    else:
        _execute(plan, source.start, to.start)


def _into_new_memory(plan: Plan, source: Side, queue: pyopencl.CommandQueue | None,
                     wait_for: Sequence[pyopencl.Event] | None) -> Array | OpenCLArray:
    shape = plan._to.shape
    if shape is None:
        raise InvalidError("out is None, and the plan was made for an array of the caller's")
    if source.is_on_device or queue is not None:
        return _opencl.into_new_memory(plan, source, shape, queue, wait_for)
    memory, result = shape.empty()
    _run(plan, source, _memory.side_of(memory).seen_as(plan._to), None, wait_for)
    return result


def _execute(plan: Plan, source: int, to: int) -> None:
    """In boxes where it takes long, so that Ctrl-C is heard between them."""
    pointers = ffi.cast("const void *", source), ffi.cast("void *", to)
    is_long = plan._from.byte_size + plan._to.byte_size > _BOX_BYTES
    boxes = _boxes(plan) if is_long else None
    if boxes is None:
        call(lib.relayout_plan_execute, plan._handle, *pointers)
        return
    for box in boxes:
        part = _range(plan, box)
        try:
            call(lib.relayout_plan_execute, part, *pointers)
        finally:
            lib.relayout_plan_destroy(part)


def _range(plan: Plan, box: Box) -> Any:
    part = ffi.new("relayout_plan **")
    call(lib.relayout_plan_create_range, plan.device._handle, plan._from.struct, plan._to.struct,
         *box, plan._options, part)
    return part[0]


def _boxes(plan: Plan) -> list[Box] | None:
    """Parts of the index space, starts and sizes, cut along the dimension that is the slowest in
    the destination's memory; None where it is not worth it, or the library does not cut such
    plans."""
    info = plan.info
    count = math.ceil((info.bytes_read + info.bytes_written) / _BOX_BYTES)
    if count < 2:
        return None
    sizes = plan._to.type_and_dimensions[1]
    axis = _slowest(plan._to)
    step = math.ceil(sizes[axis] / count)
    boxes = []
    for first in range(0, sizes[axis], step):
        start, extent = [0] * len(sizes), list(sizes)
        start[axis], extent[axis] = first, min(step, sizes[axis] - first)
        boxes.append((start, extent))
    try:
        lib.relayout_plan_destroy(_range(plan, boxes[0]))
    except UnsupportedError:
        return None
    return boxes


def _slowest(view: View) -> int:
    """The dimension whose neighbours are the farthest from each other."""
    sizes = view.type_and_dimensions[1]
    if view.shape is not None:
        order = view.shape.minor_to_major[::-1]
        return next((d for d in order if sizes[d] > 1), order[0])
    strides = view.byte_strides or ()
    return max(range(len(sizes)), key=lambda d: abs(strides[d]))


# ---- What users call --------------------------------------------------------------------------


def plan(from_: str | Shape | Memory, to: str | Shape | Memory, *, device: str | Device = "auto",
         scale: float = 1.0, overflow: Overflow = "saturate",
         effort: Literal["estimate", "measure"] = "estimate",
         queue: pyopencl.CommandQueue | None = None) -> Plan:
    """Works out how tensors are moved, for many of them.

    `from_` is a Shape or its text, or an array whose like will be moved, as it lies. `to` is a
    Shape or its text, a layout in braces (then type and dimensions are those of `from_`), or an
    array whose like will be written. The dimensions of both must be the same. `effort` is
    "estimate" or "measure", which runs the best schedules once to find the fastest. With a queue of
    pyopencl's, or an array of its, the plan is for that one's device and context. All else is as in
    `copy`.

    UnsupportedError for complex types that change, InvalidError for dimensions that differ.
    """
    if isinstance(from_, (str, Shape)):
        source = Side(_memory.view_of_shape(Shape(from_)), 0, None)
    else:
        source = _side_of(from_)
    if isinstance(to, (str, Shape)):
        view = _memory.view_of_shape(_memory.shape_of_text(to, source))
        destination = Side(view, 0, None)
    else:
        destination = _side_of(to)
    views = _view_of(source, "from_"), _view_of(destination, "to")
    return Plan(_device_for(device, queue, source, destination), *views,
                _options(scale, overflow, effort))


@overload
def copy(array: HostMemory, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: None = None, device: str | Device = "auto", scale: float = 1.0,
         overflow: Overflow = "saturate", queue: None = None, wait_for: None = None) -> Array: ...


@overload
def copy(array: OpenCLMemory, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: None = None, device: str | Device = "auto", scale: float = 1.0,
         overflow: Overflow = "saturate", queue: pyopencl.CommandQueue | None = None,
         wait_for: Sequence[pyopencl.Event] | None = None) -> OpenCLArray: ...


@overload
def copy(array: HostMemory, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: None = None, device: str | Device = "auto", scale: float = 1.0,
         overflow: Overflow = "saturate", queue: pyopencl.CommandQueue,
         wait_for: Sequence[pyopencl.Event] | None = None) -> OpenCLArray: ...


@overload
def copy(array: Memory, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: Out, device: str | Device = "auto", scale: float = 1.0,
         overflow: Overflow = "saturate", queue: pyopencl.CommandQueue | None = None,
         wait_for: Sequence[pyopencl.Event] | None = None) -> Out: ...


def copy(array: Any, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: Any = None, device: str | Device = "auto", scale: float = 1.0,
         overflow: str = "saturate", queue: Any = None, wait_for: Any = None) -> Any:
    """Moves an array to another layout, and type, in one pass.

    `array` is one of NumPy's, of whatever exports DLPack in the host's memory (PyTorch, JAX, TVM),
    or has the buffer protocol: its strides are taken as they are, negative ones and zeros too.
    With `from_`, a Shape, its text, or a layout in braces over the array's own dimensions, its
    bytes are taken to lie as that says; they must be dense.

    `to` is a Shape or its text, or a layout in braces, which keeps type and dimensions; None means
    `out` as it lies, or where that is None too the default layout. With `to`, `out` is dense memory
    of at least as many bytes; its type and dimensions do not matter.

    Without `out` new memory is returned: a NumPy array of the tensor's own dimensions, lying as
    `to` says, its padding in `.base`; where strides cannot say that, as with tiles, the memory in
    the dimensions that it has (Shape.physical_dimensions), or as a list where elements are packed.

    Values that change type are multiplied by `scale` and rounded once: to a float to the nearest,
    ties to even; to an integer towards zero, where what it cannot hold becomes the nearest that it
    can ("saturate"), or keeps its low bits ("wrap").

    Arrays, buffers and SVM of pyopencl's are moved on their device: on `queue`, or the array's own
    where that is None, behind the events of `wait_for` and the array's, without waiting. The new
    array's `events` has the relayout's. Where one side is the host's, the call waits.

    On the host the GIL is released, and Ctrl-C is heard every quarter of a gigabyte; `out` is
    partly written then. The exceptions are those of relayout.RelayoutError and, for arguments of
    other types, TypeError.
    """
    source, destination = _sides(array, to, from_, out)
    where = _device_for(device, queue, source, destination)
    made = Plan(where, _view_of(source, "from_"), _view_of(destination, "to"),
                _options(scale, overflow))
    if out is None:
        return _into_new_memory(made, source, queue, wait_for)
    _run(made, source, destination, queue, wait_for)
    return out


def enqueue(queue: pyopencl.CommandQueue | None, source: Memory, out: Memory, *,
            to: str | Shape | None = None, from_: str | Shape | None = None,
            wait_for: Sequence[pyopencl.Event] | None = None, scale: float = 1.0,
            overflow: Overflow = "saturate") -> pyopencl.Event:
    """Moves between two arrays, buffers or pieces of SVM of pyopencl's, without waiting.

    Returns the pyopencl.Event that completes with the relayout, which begins behind the events of
    `wait_for`. All else is as in `copy`; a buffer or SVM wants `from_` or `to`, since it does not
    say what lies in it. The memory must live until the event completes.
    """
    from_side, to_side = _sides(source, to, from_, out)
    made = Plan(_opencl.device_of(queue, from_side, to_side), _view_of(from_side, "from_"),
                _view_of(to_side, "to"), _options(scale, overflow))
    return _opencl.enqueue(made, queue, from_side, to_side, wait_for)
