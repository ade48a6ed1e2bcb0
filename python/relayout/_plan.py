"""Plans, and relayouts in one call."""

from __future__ import annotations

import functools
import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy

from . import _like, _memory, _opencl
from ._device import Device, device_of
from ._element_types import is_raw, name_of
from ._errors import (InvalidError, Names, RelayoutError, UnsupportedError, c_text, call,
                      text_of)
from ._library import ffi, lib
from ._memory import Side, View
from ._shape import Shape

if TYPE_CHECKING:
    import pyopencl
    from numpy.typing import DTypeLike
    from typing_extensions import TypedDict, Unpack

    from ._types import Array, HostMemory, Memory, OpenCLArray, OpenCLMemory

    Out = TypeVar("Out", bound=Memory)
    Overflow = Literal["saturate", "wrap"]
    Rounding = Literal["zero", "nearest"]
    Effort = Literal["adapt", "estimate", "measure"]
    Box = tuple[list[int], list[int]]  # starts and sizes

    class CopyOptions(TypedDict, total=False):
        """What copy takes whatever its arrays are."""

        from_: str | Shape | None
        dtype: DTypeLike | None
        axes: Sequence[int] | None
        device: str | Device
        scale: float
        overflow: Overflow
        rounding: Rounding

_OVERFLOWS = {"saturate": lib.RELAYOUT_OVERFLOW_SATURATE, "wrap": lib.RELAYOUT_OVERFLOW_WRAP}
_ROUNDINGS = {"zero": lib.RELAYOUT_ROUNDING_ZERO, "nearest": lib.RELAYOUT_ROUNDING_NEAREST}
_EFFORTS = {"adapt": lib.RELAYOUT_PLAN_ADAPT, "estimate": lib.RELAYOUT_PLAN_ESTIMATE,
            "measure": lib.RELAYOUT_PLAN_MEASURE}

# What is moved between two looks at Ctrl-C: a tenth of a second or less on most machines.
_BOX_BYTES = 1 << 28

# Copies of so few bytes take less time than finding out what they are.
_SMALL_BYTES = 1 << 20

# What calls name their sides in messages.
_COPY = "array", "out"
_PLAN = "source", "out"
_SHAPES = "from_", "to"


@dataclass(frozen=True)
class _Options:
    """A relayout_plan_options, and what it points to."""

    struct: Any
    values: tuple[Any, ...]
    schedules: tuple[Any, ...] = ()

    def without_schedules(self) -> _Options:
        return _made_options(*self.values)


def _options(scale: float, overflow: str, rounding: str, effort: str = "adapt",
             measured: int = 0, schedules: str | Iterable[str] = (),
             batches: bool = False, specialize: bool = False) -> _Options:
    if not isinstance(scale, (float, int, numbers.Real)):
        raise TypeError(f"scale must be a number, not {type(scale).__name__}")
    if not math.isfinite(scale) or float(scale) == 0:
        raise InvalidError(f"scale is {float(scale):g}; it must be finite and not 0")
    if not isinstance(measured, (int, numbers.Integral)):
        raise TypeError(f"measured must be an integer, not {type(measured).__name__}")
    if not isinstance(schedules, (tuple, Iterable)):
        raise TypeError(f"schedules must be a string or several, not {type(schedules).__name__}")
    texts = (schedules,) if isinstance(schedules, str) else tuple(schedules)
    return _made_options(float(scale), _value_of(_OVERFLOWS, "overflow", overflow),
                         _value_of(_ROUNDINGS, "rounding", rounding),
                         _value_of(_EFFORTS, "effort", effort), int(measured), bool(batches),
                         bool(specialize), tuple(c_text(text, "schedules") for text in texts))


@functools.lru_cache(maxsize=64)
def _made_options(scale: float, overflow: int, rounding: int, effort: int, measured: int,
                  batches: bool, specialize: bool = False,
                  schedules: tuple[bytes, ...] = ()) -> _Options:
    made = ffi.new("relayout_plan_options *")
    made.struct_size = ffi.sizeof("relayout_plan_options")
    made.scale, made.overflow, made.rounding, made.effort = scale, overflow, rounding, effort
    made.for_batches, made.specialize = batches, specialize
    try:
        made.measured = measured
    except OverflowError:
        raise InvalidError(f"measured is {measured}, not 0 to 1024") from None
    values = scale, overflow, rounding, effort, measured, batches, specialize
    if not schedules:
        return _Options(made, values)
    texts = [ffi.new("char[]", text) for text in schedules]
    pointers = ffi.new("char *[]", texts)
    made.schedules, made.schedule_count = pointers, len(texts)
    return _Options(made, values, (texts, pointers))


def _value_of(table: dict[str, Any], name: str, key: str) -> Any:
    if not isinstance(key, str):
        raise TypeError(f"{name} must be a string, not {type(key).__name__}")
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
    host_bytes: int
    predicted_fraction: float
    part_count: int
    kernel_count: int
    moves_nothing: bool
    is_bitcast: bool


@dataclass(frozen=True)
class Schedule:
    """A way to do a part of a plan: its text, which `relayout.plan` takes as `schedules`; the
    method that offers it; the speed that it is predicted to reach, of a plain copy's."""

    text: str
    method: str
    predicted_fraction: float


class Plan:
    """How tensors of one kind are moved: worked out once, used often, from any thread.

    What `relayout.plan` returns. Calling it moves an array:

    >>> plan = relayout.plan("f32[1024,1000]", "{0,1:PD(1024,1024)}")
    >>> padded = plan(array)
    """

    __slots__ = ("_handle", "_from", "_to", "_axes", "_moved", "_options", "_box", "device")

    def __init__(self, device: Device, from_view: View, to_view: View, options: _Options,
                 axes: tuple[int, ...] | None = None, box: Box | None = None,
                 names: Names = _SHAPES) -> None:
        self._from, self._to, self._options, self._box = from_view, to_view, options, box
        self._axes, self._moved = axes, _with_axes(from_view, to_view, axes)
        self.device = device
        handle = self._made(box, names)
        self._handle = ffi.gc(handle, lib.relayout_plan_destroy)

    def _made(self, box: Box | None, names: Names = _SHAPES) -> Any:
        """The plan of the library's, for the caller to destroy."""
        handle = ffi.new("relayout_plan **")
        views = self._moved[0].struct, self._moved[1].struct
        if box is None:
            call(lib.relayout_plan_create_between, self.device._handle, *views,
                 self._options.struct, handle, names=names)
        else:
            call(lib.relayout_plan_create_range, self.device._handle, *views, *box,
                 self._options.struct, handle, names=names)
        return handle[0]

    @overload
    def __call__(self, source: HostMemory, out: None = None, *, queue: None = None,
                 wait_for: None = None) -> Array: ...

    @overload
    def __call__(self, source: HostMemory, out: None = None, *, like: object) -> Any: ...

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
                 wait_for: Any = None, like: object = None) -> Any:
        """Moves `source` into `out`, or into new memory (see relayout.copy), which is returned.

        An array that says what it is must be of the plan's type and dimensions, in the plan's
        layout, or be the memory for that: of the dimensions that it has in memory
        (Shape.physical_dimensions), or a list of as many elements. TypeError for another type,
        InvalidError for other dimensions and for elements that lie otherwise. Raw bytes are taken
        for what the plan says: `bytes` and the like, void elements, and uint8 in one dimension, or
        in any where the plan's own elements are not uint8. Where the plan was made for an array,
        this one lies as that did."""
        from_side = _placed(source, self._from, "source")
        if out is None:
            return _into_new_memory(self, from_side, queue, wait_for, like)
        if like is not None:
            raise InvalidError("like is for new memory, and out is given")
        _run(self, from_side, _placed(out, self._to, "out"), queue, wait_for, _PLAN)
        return out

    def enqueue(self, queue: pyopencl.CommandQueue | None, source: Memory, out: Memory, *,
                wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """The same between two arrays, buffers or pieces of SVM of pyopencl's, on a queue of its,
        without waiting: returns the pyopencl.Event that completes with the relayout. `wait_for` is
        a list of events that come first."""
        return _opencl.enqueue(self, queue, _placed(source, self._from, "source"),
                               _placed(out, self._to, "out"), wait_for, _PLAN)

    def enqueue_batch(self, queue: pyopencl.CommandQueue | None,
                      moves: Iterable[tuple[OpenCLMemory, OpenCLMemory]], *,
                      wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """Many relayouts by this plan: pages of a cache, parameters of a model. `moves` has a
        source and an out for each, arrays or buffers of pyopencl's. A plan that was made with
        `batches` takes 32 of them a launch. The event completes with all of them."""
        sides = [(_placed(source, self._from, "source"), _placed(out, self._to, "out"))
                 for source, out in moves]
        return _opencl.enqueue_batch(self, queue, sides, wait_for)

    def record(self, queue: pyopencl.CommandQueue | None, source: OpenCLMemory,
               out: OpenCLMemory) -> Recording:
        """The relayout of these two arrays or buffers of pyopencl's as a command buffer on this
        queue, which runs any number of times. UnsupportedError for a device that lacks
        cl_khr_command_buffer."""
        return Recording(self, queue, _placed(source, self._from, "source"),
                         _placed(out, self._to, "out"))

    def range(self, start: Sequence[int], sizes: Sequence[int]) -> Plan:
        """The same for a box of the result alone: the elements of which index d is start[d] or
        more, and less than start[d] + sizes[d]. The plan is called with the whole arrays, wants
        `out`, and chooses its schedules itself. Boxes that have each index once write together what
        the whole plan does, in any order and at once. RangeError for indices that are not there,
        UnsupportedError where boxes would share a byte."""
        rank = len(self._moved[0].type_and_dimensions[1])
        box = _integers(start, "start", rank), _integers(sizes, "sizes", rank)
        made = Plan.__new__(Plan)
        if self._axes is not None and self._moved[0] is self._from:  # it is the result that moved
            for values in box:
                values[:] = [values[self._axes.index(axis)] for axis in range(rank)]
        made._from, made._to, made._axes, made._moved = (self._from, self._to, self._axes,
                                                         self._moved)
        made.device = self.device
        made._options, made._box = self._options.without_schedules(), box
        made._handle = ffi.gc(made._made(box), lib.relayout_plan_destroy)
        return made

    @property
    def schedules(self) -> list[tuple[str, str]]:
        """What the plan runs, two texts for each of its parts: for memory that begins at multiples
        of any alignment, and for memory that does not."""
        parts = range(lib.relayout_plan_part_count(self._handle))
        uses = lib.RELAYOUT_SCHEDULE_ALIGNED, lib.RELAYOUT_SCHEDULE_AT_ANY_OFFSET
        texts = [[text_of(lib.relayout_plan_get_schedule, self._handle, part, use) for use in uses]
                 for part in parts]
        return [(aligned, at_any) for aligned, at_any in texts]

    def offered_schedules(self, part: int = 0) -> list[Schedule]:
        """All that could be run for a part, the best predicted first."""
        found: list[Schedule] = []
        context = ffi.new_handle(found)
        call(lib.relayout_plan_visit_schedules, self._handle, part, lib.relayout_python_schedule,
             context)
        return found

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


@ffi.def_extern()  # type: ignore[untyped-decorator]
def relayout_python_schedule(context: Any, info: Any) -> None:
    ffi.from_handle(context).append(Schedule(str(ffi.string(info.text).decode()),
                                             str(ffi.string(info.method).decode()),
                                             float(info.predicted_fraction)))


def _integers(values: Sequence[int], name: str, rank: int) -> list[int]:
    made = [int(value) for value in values]
    if len(made) != rank:
        raise InvalidError(f"{name} has {len(made)} entries, and the plan {rank} dimensions")
    return made


def _with_axes(from_view: View, to_view: View,
               axes: tuple[int, ...] | None) -> tuple[View, View]:
    """The sides by dimensions that correspond. Tiles are bound to the dimensions of their layout:
    the other side follows."""
    if axes is None:
        return from_view, to_view
    moved = _memory.permuted(from_view, axes)
    if moved is not None:
        return moved, to_view
    back = tuple(axes.index(axis) for axis in range(len(axes)))
    moved = _memory.permuted(to_view, back)
    if moved is None:
        raise UnsupportedError(f"axes is {axes}, and the layouts of both sides have tiles")
    return from_view, moved


class RecordedRuns:
    """A recording of the library's, the memory that it moves, and its runs."""

    __slots__ = ("_queue", "_handle", "_sides", "_runs")

    def __init__(self, queue: pyopencl.CommandQueue, handle: Any, sides: Any) -> None:
        self._queue, self._handle, self._sides = queue, handle, sides
        self._runs: list[pyopencl.Event] = []

    def enqueue(self, *, wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """Runs it on its queue behind the events of `wait_for`, without waiting. The event
        completes with the relayout. DeviceError where the last run is not done, and the device's
        command buffers do not run twice at a time."""
        event = _opencl.enqueue_recording(self._handle, wait_for)
        self._runs = [run for run in self._runs if not _opencl.is_complete(run)] + [event]
        return event

    def _wait(self) -> None:
        for run in self._runs:
            run.wait()

    def __del__(self) -> None:
        self._wait()


class Recording(RecordedRuns):
    """A relayout in a command buffer of OpenCL's, which Plan.record makes: its work on the host is
    done once, and it runs often. One thread uses it at a time. When it goes it waits for its
    runs."""

    __slots__ = ("_plan",)

    def __init__(self, plan: Plan, queue: pyopencl.CommandQueue | None, source: Side,
                 out: Side) -> None:
        self._plan = plan
        self._runs = []
        super().__init__(*_opencl.recorded(plan, queue, source, out), (source, out))

    def set_memory(self, source: OpenCLMemory, out: OpenCLMemory) -> None:
        """Has it move other arrays or buffers from now on, when its runs are done.
        UnsupportedError where the device's command buffers cannot be changed."""
        sides = (_placed(source, self._plan._from, "source"), _placed(out, self._plan._to, "out"))
        self._wait()
        _opencl.set_recorded_memory(self._handle, *sides)
        self._sides = sides


# ---- Sides ------------------------------------------------------------------------------------


def _side_of(array: Any) -> Side:
    return _opencl.side_of(array) or _memory.side_of(array)


def _written(array: Any, name: str = "out") -> Side:
    side = _side_of(array)
    if side.is_read_only:
        raise InvalidError(f"{name} is read-only")
    return side


def _described(side: Side, shape: Shape, name: str) -> Side:
    """A source's memory as a tensor of a shape that the caller tells beside it."""
    if side.view is None and side.raw is None:
        return _opencl.laid_over(side, shape)
    return _memory.laid_over(side, shape, is_source=True, name=name)


def _in_place_of(side: Side, shape: Shape, *, is_source: bool, name: str) -> Side:
    if side.view is None and side.raw is None:
        return _opencl.laid_over(side, shape)
    return _memory.in_place_of(side, shape, is_source=is_source, name=name)


def _placed(array: Any, view: View, name: str) -> Side:
    """An array in the place of one of a plan's views."""
    is_source = name == "source"
    side = _side_of(array) if is_source else _written(array)
    if side.view is view:
        return side
    if view.shape is not None:
        return _in_place_of(side, view.shape, is_source=is_source, name=name)
    return _memory.in_place_of_view(side, view, name)


def _device_for(device: str | Device, queue: pyopencl.CommandQueue | None, *sides: Side) -> Device:
    """That of the queue, or of what is there already."""
    if queue is not None or any(side.is_on_device for side in sides):
        return _opencl.device_of(queue, *sides)
    return device_of(device)


def _view_of(side: Side, name: str) -> View:
    if side.view is None:
        raise InvalidError(f"{name} is no shape, and its memory does not say what lies in it")
    return side.view


def _name_of(dtype: DTypeLike | None) -> str | None:
    try:
        return None if dtype is None else name_of(dtype)
    except TypeError:
        raise TypeError(f"dtype is {dtype!r}, which is no type of NumPy's, of ml_dtypes or of "
                        "XLA's") from None


def _sides(array: Any, to: str | Shape | None, from_: str | Shape | None, out: Any,
           dtype: DTypeLike | None = None,
           axes: Sequence[int] | None = None) -> tuple[Side, Side, tuple[int, ...] | None]:
    """Both, the second without memory where `out` is None, and the axes from 0 on."""
    return _sides_from(_side_of(array), to, from_, out, dtype, axes)


def _sides_from(source: Side, to: str | Shape | None, from_: str | Shape | None, out: Any,
                dtype: DTypeLike | None, axes: Sequence[int] | None
                ) -> tuple[Side, Side, tuple[int, ...] | None]:
    if from_ is not None:
        source = _described(source, _memory.shape_of(from_, source.view, "from_"), "array")
    view = _view_of(source, "from_")
    order = _memory.axes_of(axes, len(view.type_and_dimensions[1]))
    if out is not None and to is None and dtype is None:
        side = _written(out)
        _check_dimensions(view, order, _view_of(side, "to"))
        return source, side, order
    shape = _memory.destination_shape(to, view, _name_of(dtype), order)
    if out is not None:
        return source, _in_place_of(_written(out), shape, is_source=False, name="out"), order
    return source, Side(_memory.view_of_shape(shape), 0, None), order


def _check_dimensions(source: View, axes: tuple[int, ...] | None, out: View) -> None:
    sizes = source.type_and_dimensions[1]
    if axes is not None:
        sizes = tuple(sizes[axis] for axis in axes)
    if sizes != out.type_and_dimensions[1]:
        raise InvalidError(f"out has the dimensions {list(out.type_and_dimensions[1])}, but array "
                           f"has {list(sizes)}")


# ---- Running ----------------------------------------------------------------------------------


def _run(plan: Plan, source: Side, to: Side, queue: pyopencl.CommandQueue | None,
         wait_for: Sequence[pyopencl.Event] | None, names: Names) -> None:
    if queue is not None or source.is_on_device or to.is_on_device:
        _opencl.run(plan, source, to, queue, wait_for, names)
    elif wait_for:
        raise InvalidError("wait_for has events, but no side is pyopencl's, and queue is None")
    else:
        _execute(plan, source.start, to.start, names)


def _into_new_memory(plan: Plan, source: Side, queue: pyopencl.CommandQueue | None,
                     wait_for: Sequence[pyopencl.Event] | None, like: object) -> Any:
    shape = plan._to.shape
    if shape is None:
        raise InvalidError("out is None, and the plan was made for an array of the caller's")
    if plan._box is not None:
        raise InvalidError("out is None, and the plan is for a part of a tensor alone")
    if source.is_on_device or queue is not None:
        if like is not None:
            raise InvalidError("like is for arrays of the host, and the new one is pyopencl's")
        return _opencl.into_new_memory(plan, source, shape, queue, wait_for)
    importer = _like.importer_of(like)
    memory, result = shape.empty(alignment=1 if importer is None else _like.ALIGNMENT)
    to = _memory.side_of(memory).seen_as(plan._to)
    _run(plan, source, to, None, wait_for, _PLAN)
    return result if importer is None else importer(result)


def _execute(plan: Plan, source: int, to: int, names: Names) -> None:
    """In boxes where it takes long, so that Ctrl-C is heard between them."""
    pointers = ffi.cast("const void *", source), ffi.cast("void *", to)
    is_long = plan._from.byte_size + plan._to.byte_size > _BOX_BYTES
    boxes = _boxes(plan) if is_long and plan._box is None else None
    if boxes is None:
        call(lib.relayout_plan_execute, plan._handle, *pointers, names=names)
        return
    for box in boxes:
        part = plan._made(box)
        try:
            call(lib.relayout_plan_execute, part, *pointers, names=names)
        finally:
            lib.relayout_plan_destroy(part)


def _boxes(plan: Plan) -> list[Box] | None:
    """Parts of the index space, starts and sizes, cut along the dimension that is the slowest in
    the destination's memory; None where it is not worth it, or the library does not cut such
    plans."""
    info = plan.info
    count = math.ceil((info.bytes_read + info.bytes_written) / _BOX_BYTES)
    if count < 2:
        return None
    sizes = plan._moved[1].type_and_dimensions[1]
    axis = _slowest(plan._moved[1])
    step = math.ceil(sizes[axis] / count)
    boxes = []
    for first in range(0, sizes[axis], step):
        start, extent = [0] * len(sizes), list(sizes)
        start[axis], extent[axis] = first, min(step, sizes[axis] - first)
        boxes.append((start, extent))
    try:
        lib.relayout_plan_destroy(plan._made(boxes[0]))
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


def plan(from_: str | Shape | Memory, to: str | Shape | Memory | None = None, *,
         dtype: DTypeLike | None = None, axes: Sequence[int] | None = None,
         device: str | Device = "auto", scale: float = 1.0, overflow: Overflow = "saturate",
         rounding: Rounding = "zero", effort: Effort = "adapt", measured: int = 0,
         schedules: str | Iterable[str] = (), batches: bool = False, specialize: bool = False,
         queue: pyopencl.CommandQueue | None = None) -> Plan:
    """Works out how tensors are moved, for many of them.

    `from_` is a Shape or its text, or an array whose like will be moved, as it lies. `to` is a
    Shape or its text, a part of one as in `copy`, or an array whose like will be written. `dtype`
    and `axes` are as in `copy`; without axes the dimensions of both must be the same. With a queue
    of pyopencl's, or an array of its, the plan is for that one's device and context. All else is as
    in `copy`.

    `effort` is "adapt", by which the plan's first calls on the CPU find out which of a few schedules
    is the fastest; "estimate", by which nothing is tried; or "measure", which runs the best
    schedules now, `measured` of them at a time (0: eight). The device remembers the fastest
    (Device.export_wisdom). `schedules`
    has the texts of those to run, one for each part of the plan (Plan.schedules). `batches` is for
    Plan.enqueue_batch. `specialize` has kernels compiled for this plan alone: they take fewer
    instructions, and making the plan takes longer. It changes nothing on the CPU.

    UnsupportedError for complex types that change, InvalidError for dimensions that differ.
    """
    if isinstance(from_, (str, Shape)):
        source = Side(_memory.view_of_shape(Shape(from_)), 0, None)
    else:
        source = _side_of(from_)
    view = _view_of(source, "from_")
    order = _memory.axes_of(axes, len(view.type_and_dimensions[1]))
    if to is None or isinstance(to, (str, Shape)):
        shape = _memory.destination_shape(to, view, _name_of(dtype), order)
        destination = Side(_memory.view_of_shape(shape), 0, None)
    else:
        destination = _side_of(to)
        if dtype is not None:
            raise InvalidError("dtype is for a new type, and to is an array, which has one")
    return Plan(_device_for(device, queue, source, destination), view,
                _view_of(destination, "to"),
                _options(scale, overflow, rounding, effort, measured, schedules, batches,
                         specialize), order)


# ---- Small copies -----------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _small_plan(dtype_of: numpy.dtype[Any], sizes: tuple[int, ...], strides: tuple[int, ...],
                device: str, to: str | Shape | None, from_: str | Shape | None,
                dtype: DTypeLike | None, axes: tuple[int, ...] | None, scale: float,
                overflow: str, rounding: str) -> Plan | None:
    """The plan of copies of NumPy's arrays of this kind; None for more than a few bytes, and for
    arrays whose type says nothing. Devices that the caller made do not stay open for it."""
    if is_raw(dtype_of):
        return None
    view = _memory.view_of_elements(dtype_of, sizes, strides)
    source, destination, order = _sides_from(Side(view, 0, None), to, from_, None, dtype, axes)
    views = _view_of(source, "from_"), _view_of(destination, "to")
    if sum(side.byte_size for side in views) > _SMALL_BYTES:
        return None
    return Plan(device_of(device), *views, _options(scale, overflow, rounding), order)


def _small_copy(array: Array, *arguments: Any) -> Array | None:
    """Copies a small array to new memory by the plan that `_small_plan` keeps. Returns None where
    that keeps none, or refuses the arguments: `copy` then goes on, and raises what is wrong."""
    try:
        plan = _small_plan(array.dtype, array.shape, array.strides, *arguments)
    except (RelayoutError, TypeError):  # or arguments that cannot be looked up
        return None
    if plan is None or plan._to.shape is None:
        return None
    memory, result = plan._to.shape.empty()
    _execute(plan, array.__array_interface__["data"][0], memory.__array_interface__["data"][0],
             _PLAN)
    return result


@overload
def copy(array: HostMemory, to: str | Shape | None = None, *, out: None = None, queue: None = None,
         wait_for: None = None, **options: Unpack[CopyOptions]) -> Array: ...


@overload
def copy(array: HostMemory, to: str | Shape | None = None, *, like: object,
         **options: Unpack[CopyOptions]) -> Any: ...


@overload
def copy(array: OpenCLMemory, to: str | Shape | None = None, *, out: None = None,
         queue: pyopencl.CommandQueue | None = None,
         wait_for: Sequence[pyopencl.Event] | None = None,
         **options: Unpack[CopyOptions]) -> OpenCLArray: ...


@overload
def copy(array: HostMemory, to: str | Shape | None = None, *, out: None = None,
         queue: pyopencl.CommandQueue, wait_for: Sequence[pyopencl.Event] | None = None,
         **options: Unpack[CopyOptions]) -> OpenCLArray: ...


@overload
def copy(array: Memory, to: str | Shape | None = None, *, out: Out,
         queue: pyopencl.CommandQueue | None = None,
         wait_for: Sequence[pyopencl.Event] | None = None,
         **options: Unpack[CopyOptions]) -> Out: ...


def copy(array: Any, to: str | Shape | None = None, *, from_: str | Shape | None = None,
         out: Any = None, dtype: DTypeLike | None = None, axes: Sequence[int] | None = None,
         like: object = None, device: str | Device = "auto", scale: float = 1.0,
         overflow: str = "saturate", rounding: str = "zero", queue: Any = None,
         wait_for: Any = None) -> Any:
    """Moves an array to another layout, and type, in one pass.

    `array` is one of NumPy's, of whatever exports DLPack in the host's memory (PyTorch, JAX, TVM),
    or has the buffer protocol: its strides are taken as they are, negative ones and zeros too.
    With `from_`, a Shape, its text, or a part of one over the array's own dimensions, its bytes are
    taken to lie as that says; they must be dense.

    `to` is a Shape or its text, or a part of one: a layout ("{0,1}"), an element type ("bf16") or
    both ("bf16{1,0:T(8,128)}"); what it does not say is the source's. None means `out` as it lies,
    or where that is None too the default layout. `dtype` is the new type, as NumPy, ml_dtypes or
    XLA call it. `axes` are NumPy's for transpose: dimension i of the result is dimension axes[i] of
    the array, and `to` and `out` speak of the result.

    With `to`, `out` is memory for that, of the type and the dimensions that this has in memory, or
    raw bytes, as in Plan's calls.

    Without `out` new memory is returned: a NumPy array of the tensor's own dimensions, lying as
    `to` says, its padding in `.base`; where strides cannot say that, as with tiles, the memory in
    the dimensions that it has (Shape.physical_dimensions), or as a list where elements are packed.
    `like` makes it an array of another library's, by DLPack: "jax", "torch", or any other name,
    module or array that has from_dlpack.

    Values that change type are multiplied by `scale` and rounded once: to a float to the nearest,
    ties to even; to an integer towards "zero" or to the "nearest", ties to even, where what it
    cannot hold becomes the nearest that it can ("saturate"), or keeps its low bits ("wrap").

    Arrays, buffers and SVM of pyopencl's are moved on their device: on `queue`, or the array's own
    where that is None, behind the events of `wait_for` and the array's, without waiting. The new
    array's `events` has the relayout's. Where one side is the host's, the call waits.

    On the host the GIL is released, and Ctrl-C is heard every quarter of a gigabyte; `out` is
    partly written then. The exceptions are those of relayout.RelayoutError and, for arguments and
    arrays of other types, TypeError.
    """
    if like is not None and out is not None:
        raise InvalidError("like is for new memory, and out is given")
    is_simple = out is None and like is None and queue is None and wait_for is None
    if is_simple and type(array) is numpy.ndarray and isinstance(device, str):
        made = _small_copy(array, device, to, from_, dtype, axes, scale, overflow, rounding)
        if made is not None:
            return made
    source, destination, order = _sides(array, to, from_, out, dtype, axes)
    where = _device_for(device, queue, source, destination)
    plan = Plan(where, _view_of(source, "from_"), _view_of(destination, "to"),
                _options(scale, overflow, rounding), order,
                names=_COPY if to is None else ("array", "to"))
    if out is None:
        return _into_new_memory(plan, source, queue, wait_for, like)
    _run(plan, source, destination, queue, wait_for, _COPY)
    return out


def enqueue(queue: pyopencl.CommandQueue | None, source: Memory, out: Memory, *,
            to: str | Shape | None = None, from_: str | Shape | None = None,
            axes: Sequence[int] | None = None, wait_for: Sequence[pyopencl.Event] | None = None,
            scale: float = 1.0, overflow: Overflow = "saturate",
            rounding: Rounding = "zero") -> pyopencl.Event:
    """Moves between two arrays, buffers or pieces of SVM of pyopencl's, without waiting.

    Returns the pyopencl.Event that completes with the relayout, which begins behind the events of
    `wait_for`. All else is as in `copy`; a buffer or SVM wants `from_` or `to`, since it does not
    say what lies in it. The memory must live until the event completes.
    """
    from_side, to_side, order = _sides(source, to, from_, out, None, axes)
    made = Plan(_opencl.device_of(queue, from_side, to_side), _view_of(from_side, "from_"),
                _view_of(to_side, "to"), _options(scale, overflow, rounding), order, names=_PLAN)
    return _opencl.enqueue(made, queue, from_side, to_side, wait_for, _PLAN)
