"""Plans that read one source and write several destinations, with and without scales."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy

from . import _memory, _opencl
from ._device import Device, device_of
from ._errors import InvalidError, RelayoutError, UnsupportedError, c_text, call, text_of
from ._library import ffi, lib
from ._memory import Side, View
from ._plan import RecordedRuns, _Options, _integers, _options, _side_of, _value_of
from ._shape import Shape

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyopencl

    from ._opencl import Parts
    from ._plan import Overflow, Rounding
    from ._types import HostMemory, OpenCLMemory

    Rule = Literal["given", "amax", "amax_up", "power2", "range"]
    Part: TypeAlias = "str | Shape | HostMemory | OpenCLMemory"
    Described: TypeAlias = "Part | Scaled | tuple[Part, ...]"
    Given: TypeAlias = "HostMemory | Scaled | tuple[HostMemory | None, ...] | None"
    OnDevice: TypeAlias = "OpenCLMemory | Scaled | tuple[OpenCLMemory | None, ...]"

_RULES = {"given": lib.RELAYOUT_SCALES_GIVEN, "amax": lib.RELAYOUT_SCALES_AMAX,
          "amax_up": lib.RELAYOUT_SCALES_AMAX_UP, "power2": lib.RELAYOUT_SCALES_POWER2,
          "range": lib.RELAYOUT_SCALES_RANGE}

BLOCK_ELEMENTS = 32


class Scaled(NamedTuple):
    """A quantised tensor in several arrays: its elements, their scales, their zero points, and one
    more scale for all.

    The value of an element is (element - zero point) * scale. One scale, and one zero point, is for
    a group of elements. Both are arrays of the elements' rank, each of whose dimensions is the
    elements' divided by the group's size, rounded up. `group_sizes` has the elements of a group
    along each dimension; None: the quotient of both sizes or, where that is no whole number, the
    least power of two that gives as many groups. `tensor_scale`, one element of float32, multiplies
    each scale, which is rounded to a float32 then.

    A tuple of the first fields is taken for one as well.
    """

    elements: Any
    scales: Any = None
    zero_points: Any = None
    group_sizes: Sequence[int] | None = None
    tensor_scale: Any = None


# ---- Messages ---------------------------------------------------------------------------------

# Patterns of what the library calls sides, and what the arguments are called.
Renames = tuple[tuple[str, str], ...]

_PLAN_RENAMES: Renames = ((r"\bfrom->", "source."), (r"\bfrom\b(?=:)", "source"),
                          (r"\bfrom\b(?=\.)", "source"), (r"\bmoves\[(\d+)\]:", r"moves[\1]:"),
                          (r"\bto\[(\d+)\]", r"destinations[\1]"),
                          (r"^count is (\d+)", r"destinations has \1 entries"))


def _renamed(renames: Renames, function: Callable[..., int], *arguments: Any) -> None:
    """A call whose message has Python's names."""
    try:
        call(function, *arguments)
    except RelayoutError as refused:
        text = str(refused)
        for pattern, name in renames:
            text = re.sub(pattern, name, text)
        raise type(refused)(text, refused.status, refused.cl_status) from None


# ---- Sides ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SideView:
    """A relayout_scaled_view by its parts, to be looked up by."""

    elements: View
    scales: View | None = None
    zero_points: View | None = None
    group_sizes: tuple[int, ...] | None = None
    block_format: int = 0
    rule: int = 0
    interleaved: tuple[int, int] = (0, 0)  # rows and bytes, of records
    tensor_scale: View | None = None

    @functools.cached_property
    def struct(self) -> Any:
        made = ffi.new("relayout_scaled_view *")
        call(lib.relayout_scaled_view_make, self.elements.struct, made)
        made.block_format = self.block_format
        made.interleaved_rows, made.interleaved_bytes = self.interleaved
        if self.scales is not None:
            points = ffi.NULL if self.zero_points is None else self.zero_points.struct
            sizes = ffi.NULL if self.group_sizes is None else self.group_sizes or ffi.NULL
            call(lib.relayout_scaled_view_add_scales, made, self.scales.struct, points, sizes)
        if self.tensor_scale is not None:
            call(lib.relayout_scaled_view_add_tensor_scale, made, self.tensor_scale.struct)
        made.rule = self.rule
        return made

    @functools.cached_property
    def memory(self) -> View:
        """What the elements' memory is to relayouts that know nothing of records."""
        if self.block_format == 0:
            return self.elements
        shape = self.elements.shape
        assert shape is not None
        sizes = [shape.dimensions[d] for d in shape.minor_to_major[::-1]]
        sizes[-1] = sizes[-1] // BLOCK_ELEMENTS * record_bytes(self.block_format)
        return _memory.view_of_shape(_memory.view_shape("u8", tuple(sizes)))

    @property
    def finds_scales(self) -> bool:
        """Whether it is a destination whose scales are written."""
        return self.scales is not None and self.rule != lib.RELAYOUT_SCALES_GIVEN

    @property
    def finds_zero_points(self) -> bool:
        return self.zero_points is not None and self.rule == lib.RELAYOUT_SCALES_RANGE

    @property
    def byte_size(self) -> int:
        return self.memory.byte_size + (0 if self.scales is None else self.scales.byte_size)


def record_bytes(block_format: int) -> int:
    return int(lib.relayout_block_format_record_bytes(block_format))


class RecordForm(NamedTuple):
    """Records of a block format, one after the other or those of several rows together."""

    block_format: int
    interleaved: tuple[int, int]


def record_form_of(name: str) -> RecordForm:
    """Of a name that stands before dimensions in texts, such as q4_0_4_8."""
    side = _side_of_text(f"{name}[64,{BLOCK_ELEMENTS}]")
    return RecordForm(side.block_format, side.interleaved)


def _view_of_struct(struct: Any) -> View:
    """Of a whole tensor, as texts say them."""
    return _memory.view_of_shape(Shape.of_struct(ffi.addressof(struct, "shape")))


@functools.lru_cache(maxsize=256)
def _side_of_text(text: str) -> SideView:
    struct = ffi.new("relayout_scaled_view *")
    call(lib.relayout_scaled_view_parse, c_text(text), struct)
    rank = struct.elements.shape.rank
    return SideView(
        _view_of_struct(struct.elements),
        _view_of_struct(struct.scales) if struct.has_scales else None,
        _view_of_struct(struct.zero_points) if struct.has_zero_points else None,
        tuple(struct.group_sizes[0:rank]) if struct.has_scales else None, int(struct.block_format),
        interleaved=(int(struct.interleaved_rows), int(struct.interleaved_bytes)),
        tensor_scale=_view_of_struct(struct.tensor_scale) if struct.has_tensor_scale else None)


def host_side(array: Any, name: str, *, is_written: bool = False) -> Side:
    """An array in the host's memory."""
    side = _side_of(array)
    if side.is_on_device:
        raise UnsupportedError(f"{name} is pyopencl's, and this call is for the host's memory")
    if is_written and side.is_read_only:
        raise InvalidError(f"{name} is read-only")
    return side


def _view_of_part(part: Any, name: str) -> View:
    if isinstance(part, (str, Shape)):
        return _memory.view_of_shape(Shape(part))
    side = _side_of(part)
    if side.view is None:
        raise InvalidError(f"{name} is no shape, and its memory does not say what lies in it")
    return side.view


def sizes_of(group_sizes: Sequence[int] | None, name: str) -> tuple[int, ...] | None:
    if group_sizes is None:
        return None
    try:
        sizes = tuple(operator.index(size) for size in group_sizes)
    except TypeError:
        raise TypeError(f"{name} must be a sequence of integers, not {group_sizes!r}") from None
    if any(not 1 <= size < 2**63 for size in sizes):
        raise InvalidError(f"{name} is {sizes}; expected sizes of at least 1")
    return sizes


def _described(side: Any, rule: int, name: str) -> SideView:
    """A side by its text, by arrays like those that are moved, or by shapes."""
    if isinstance(side, (str, Shape)):
        made = _side_of_text(str(side))
    else:
        given = side if isinstance(side, tuple) else (side,)
        if not 1 <= len(given) <= 5:
            raise InvalidError(f"{name} has {len(given)} entries; expected those of "
                               "relayout.Scaled")
        made = _of_parts(Scaled(*given), name)
    if rule == made.rule:
        return made
    if made.scales is None:
        raise InvalidError(f"{name} has no scales, which its rule could find")
    return replace(made, rule=rule)


def _of_parts(given: Scaled, name: str) -> SideView:
    elements = _view_of_part(given.elements, f"{name}.elements")
    if given.scales is None:
        if given[2:] != (None,) * len(given[2:]):
            raise InvalidError(f"{name}.scales is None, but there are zero points, group sizes or "
                               "a tensor scale")
        return SideView(elements)
    scales = _view_of_part(given.scales, f"{name}.scales")
    points = (None if given.zero_points is None
              else _view_of_part(given.zero_points, f"{name}.zero_points"))
    sizes = sizes_of(given.group_sizes, f"{name}.group_sizes")
    rank = len(elements.type_and_dimensions[1])
    if sizes is not None and len(sizes) != rank:
        raise InvalidError(f"{name}.group_sizes is {sizes}; expected {rank} sizes, one for each "
                           "dimension")
    above = (None if given.tensor_scale is None
             else _view_of_part(given.tensor_scale, f"{name}.tensor_scale"))
    return SideView(elements, scales, points, sizes, tensor_scale=above)


def _named(side: Any, rule: int, name: str) -> SideView:
    """The same; what the library refuses is told with the side's name."""
    try:
        made = _described(side, rule, name)
        _ = made.struct  # which checks it
    except RelayoutError as refused:
        if name in str(refused):
            raise
        raise type(refused)(f"{name}: {refused}", refused.status, refused.cl_status) from None
    return made


# ---- Memory -----------------------------------------------------------------------------------


def _placed(array: Any, view: View, name: str, *, is_written: bool) -> Side:
    """An array in the place of one of a plan's views."""
    side = host_side(array, name, is_written=is_written)
    if side.view is view:
        return side
    if view.shape is not None:
        return _memory.in_place_of(side, view.shape, is_source=not is_written, name=name)
    return _memory.in_place_of_view(side, view, name)


def new_memory(view: View, name: str) -> tuple[Any, Any]:
    """All of it, and the same as an array of the view's dimensions, where strides say that."""
    if view.shape is None:
        raise InvalidError(f"{name} is None, and the plan was made for an array of the caller's")
    return view.shape.empty()


FIELDS = ("elements", "scales", "zero_points", "tensor_scale")


def _entries(given: Any, view: SideView, name: str) -> tuple[Any, ...]:
    """One for each of FIELDS, None where there is nothing."""
    parts = given if isinstance(given, tuple) else (given,)
    if isinstance(parts, Scaled):
        parts = (*parts[:3], parts.tensor_scale)
    if not 1 <= len(parts) <= len(FIELDS):
        raise InvalidError(f"{name} has {len(parts)} entries; expected elements, scales, zero "
                           "points and a tensor scale")
    found: tuple[Any, ...] = (*parts, None, None, None)[:len(FIELDS)]
    for part, (wanted, _, what) in zip(found[1:], _parts_of(view)[1:]):
        if part is not None and wanted is None:
            raise InvalidError(f"{name}.{what} is given, but the plan has none there")
    return found


def _parts_of(view: SideView, *,
              is_written: bool = False) -> tuple[tuple[View | None, bool, str], ...]:
    """The view of each of FIELDS, and whether it is written."""
    views = (view.memory, view.scales, view.zero_points, view.tensor_scale)
    writes = (is_written, view.finds_scales, view.finds_zero_points, False)
    return tuple(zip(views, writes, FIELDS))


def _one_element(given: Any, view: View) -> Any:
    """A number, or an array of NumPy's of one element, in the dimensions of a tensor scale."""
    if isinstance(given, (int, float, numpy.floating)):
        given = numpy.array(given, numpy.float32)
    is_one = isinstance(given, numpy.ndarray) and given.size == 1
    return given.reshape(view.type_and_dimensions[1]) if is_one else given


@dataclass
class Moved:
    """The memory of one side: what owns it, where it begins, and what callers get."""

    owners: list[Any]
    starts: list[int]
    results: list[Any]

    def fill(self, struct: Any, kind: str) -> None:
        for field, start in zip(FIELDS, self.starts):
            setattr(struct, field, ffi.cast(kind, start))


def _found_memory(given: Any, view: SideView, name: str, *, is_written: bool,
                  is_box: bool = False) -> Moved:
    """The memory of a side. What is written and not given is new, unless only a box is written."""
    moved = Moved([], [], [])
    parts = _parts_of(view, is_written=is_written)
    for part, (wanted, writes, what) in zip(_entries(given, view, name), parts):
        called = name if view.scales is None else f"{name}.{what}"
        if wanted is None:
            moved.starts.append(0)
            continue
        if part is None and not writes:
            raise InvalidError(f"{called} is None, but the plan reads it")
        if part is None and is_box:
            raise InvalidError(f"{called} is None, but the plan writes only a box of it")
        if what == "tensor_scale":
            part = _one_element(part, wanted)
        memory, result = new_memory(wanted, called) if part is None else (part, part)
        side = _placed(memory, wanted, called, is_written=writes)
        moved.owners.append(side)
        moved.starts.append(side.start)
        moved.results.append(result)
    return moved


def _device_part(array: Any, view: View, name: str, *, is_written: bool) -> Side:
    """An array or a buffer of pyopencl's in the place of one of a plan's views."""
    side = _side_of(array)
    if not side.is_on_device or side.is_svm:
        raise UnsupportedError(f"{name} is {type(array).__name__}, no array or buffer of "
                               "pyopencl's")
    if side.view is view:
        return side
    if view.shape is None:
        return _memory.in_place_of_view(side, view, name)
    if side.view is None:
        return _opencl.laid_over(side, view.shape)
    return _memory.in_place_of(side, view.shape, is_source=not is_written, name=name)


def _device_parts(given: Any, view: SideView, name: str, *, is_written: bool) -> Parts:
    """The memory of a side, all of which is there."""
    found: list[Side | None] = []
    parts = _parts_of(view, is_written=is_written)
    for part, (wanted, writes, what) in zip(_entries(given, view, name), parts):
        called = name if view.scales is None else f"{name}.{what}"
        if wanted is not None and part is None:
            raise InvalidError(f"{called} is None, and what a queue runs makes no memory")
        found.append(None if wanted is None
                     else _device_part(part, wanted, called, is_written=writes))
    return tuple(found)


# ---- Plans ------------------------------------------------------------------------------------


class ManyPlan:
    """How a tensor becomes several: what `relayout.plan_many` returns. It is used often, and from
    any thread."""

    __slots__ = ("_handle", "_from", "_to", "_options", "_renames", "_box", "device")

    def __init__(self, device: Device, from_side: SideView, to: tuple[SideView, ...],
                 options: _Options, renames: Renames = _PLAN_RENAMES,
                 box: tuple[Any, Any] | None = None) -> None:
        self.device, self._from, self._to, self._renames = device, from_side, to, renames
        self._options, self._box = options, box
        structs = ffi.new("relayout_scaled_view[]", len(to))
        for struct, side in zip(structs, to):
            ffi.memmove(ffi.addressof(struct), side.struct, ffi.sizeof("relayout_scaled_view"))
        handle = ffi.new("relayout_plan **")
        create = lib.relayout_plan_create_many if box is None else (
            lib.relayout_plan_create_many_range)
        _renamed(renames, create, device._handle, from_side.struct, structs, len(to), *(box or ()),
                 options.struct, handle)
        self._handle = ffi.gc(handle[0], lib.relayout_plan_destroy)

    def range(self, start: Sequence[int], sizes: Sequence[int]) -> ManyPlan:
        """The same for a box alone: the elements of which index d is start[d] or more, and less than
        start[d] + sizes[d]. The plan is executed with whole arrays, and wants all of `destinations`.
        Boxes that have each index once write together what the whole plan does, in any order and
        at once. RangeError for indices that are not there, UnsupportedError for a box that parts a
        record, a byte, or a group whose scale is to be found."""
        rank = self._from.struct.elements.shape.rank
        box = _integers(start, "start", rank), _integers(sizes, "sizes", rank)
        return ManyPlan(self.device, self._from, self._to, self._options, self._renames, box)

    def execute(self, source: HostMemory | Scaled | tuple[HostMemory, ...],
                destinations: Sequence[Given] | None = None) -> list[Any]:
        """Reads the source and writes all destinations.

        `source` is an array, or a tuple of elements, scales, zero points and a tensor scale where
        the plan's has these. `destinations` has the same for each destination: None in the place of
        an array, of a destination or of all is new memory. Scales of the rule "given", zero points
        but by "range", and tensor scales are read, and have to be there; a tensor scale may be a
        number.

        Returns a list with the array of each destination, or the tuple of its arrays. An array
        belongs in the place of a shape as for calls of relayout.Plan, and records are bytes.
        """
        count = len(self._to)
        given = [None] * count if destinations is None else list(destinations)
        if len(given) != count:
            raise InvalidError(f"destinations has {len(given)} entries, and the plan {count}")
        read = _found_memory(source, self._from, "source", is_written=False)
        written = [_found_memory(memory, view, f"destinations[{i}]", is_written=True,
                                 is_box=self._box is not None)
                   for i, (memory, view) in enumerate(zip(given, self._to))]
        self._run(read, written)
        return [moved.results[0] if view.scales is None else tuple(moved.results)
                for moved, view in zip(written, self._to)]

    def enqueue(self, queue: pyopencl.CommandQueue | None, source: OnDevice,
                destinations: Sequence[OnDevice], *,
                wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """The same between arrays and buffers of pyopencl's, on a queue of its, without waiting:
        returns the pyopencl.Event that completes with all of it. Every array is given, also those
        that are written, and records are arrays or buffers of bytes. `wait_for` is a list of events
        that come first, besides those of the arrays."""
        return _opencl.enqueue_many(self._handle, queue, *self._parts(source, destinations),
                                    wait_for, self._checked)

    def enqueue_batch(self, queue: pyopencl.CommandQueue | None,
                      moves: Iterable[tuple[OnDevice, Sequence[OnDevice]]], *,
                      wait_for: Sequence[pyopencl.Event] | None = None) -> pyopencl.Event:
        """Many of these at once, such as the layers of a model: `moves` has a source and its
        destinations for each. None may write what another reads or writes."""
        parts = [self._parts(source, destinations) for source, destinations in moves]
        return _opencl.enqueue_many_batch(self._handle, queue, parts, wait_for, self._checked)

    def record(self, queue: pyopencl.CommandQueue | None, source: OnDevice,
               destinations: Sequence[OnDevice]) -> ManyRecording:
        """What `enqueue` does with this memory as a command buffer on this queue, which runs any
        number of times. UnsupportedError for a device that lacks cl_khr_command_buffer."""
        return ManyRecording(self, queue, *self._parts(source, destinations))

    def _checked(self, function: Callable[..., int], *arguments: Any) -> None:
        _renamed(self._renames, function, *arguments)

    def _parts(self, source: Any, destinations: Sequence[Any]) -> tuple[Parts, list[Parts]]:
        """The device's memory that is read and written."""
        given = list(destinations)
        if len(given) != len(self._to):
            raise InvalidError(f"destinations has {len(given)} entries, and the plan "
                               f"{len(self._to)}")
        return (_device_parts(source, self._from, "source", is_written=False),
                [_device_parts(memory, view, f"destinations[{i}]", is_written=True)
                 for i, (memory, view) in enumerate(zip(given, self._to))])

    def _run(self, read: Moved, written: list[Moved]) -> None:
        """Moves between memory that was found to fit."""
        source = ffi.new("relayout_source_memory *")
        destinations = ffi.new("relayout_destination_memory[]", len(written))
        read.fill(source, "const void *")
        for struct, moved in zip(destinations, written):
            moved.fill(struct, "void *")
        _renamed(self._renames, lib.relayout_plan_execute_many, self._handle, source, destinations)

    def explain(self) -> str:
        """What the plan will do and why, in English."""
        return text_of(lib.relayout_plan_explain, self._handle, lib.RELAYOUT_EXPLAIN_TEXT)

    def __repr__(self) -> str:
        count = lib.relayout_plan_destination_count(self._handle)
        return f"<relayout.ManyPlan of {count} on {self.device.name}>"


class ManyRecording(RecordedRuns):
    """What ManyPlan.record makes: a plan of several destinations in a command buffer of OpenCL's.
    One thread uses it at a time. When it goes it waits for its runs."""

    __slots__ = ("_plan",)

    def __init__(self, plan: ManyPlan, queue: pyopencl.CommandQueue | None, source: Parts,
                 to: list[Parts]) -> None:
        self._plan = plan
        self._runs = []
        super().__init__(*_opencl.recorded_many(plan._handle, queue, source, to, plan._checked),
                         (source, to))

    def set_memory(self, source: OnDevice, destinations: Sequence[OnDevice]) -> None:
        """Has it move other arrays or buffers from now on, when its runs are done.
        UnsupportedError where the device's command buffers cannot be changed."""
        parts = self._plan._parts(source, destinations)
        self._wait()
        self._plan._checked(lib.relayout_recording_set_side_buffers, self._handle,
                            *_opencl.side_buffers(*parts))
        self._sides = parts


def device_for(device: str | Device | None) -> Device:
    return device_of("cpu" if device is None else device)


def plan_many(source: Described, destinations: Sequence[Described], *,
              rules: Sequence[Rule | None] | None = None, scale: float = 1.0,
              overflow: Overflow = "saturate", rounding: Rounding = "zero",
              device: str | Device | None = None,
              queue: pyopencl.CommandQueue | None = None) -> ManyPlan:
    """Works out how one tensor becomes several, in one pass over it.

    A side is a text, an array like those that will be moved, or a tuple of such arrays or shapes:
    elements, scales, zero points, the sizes of groups, and a tensor scale (relayout.Scaled). Arrays
    may lie in any way. The text says what a value is:

    >>> plan = relayout.plan_many("f32[64,64]", ["f8e4m3fn[64,64] * f8e8m0fnu[64,2]",
    ...                                          "bf16[64,64]{0,1}", "q8_0[64,64]"],
    ...                           rules=["power2", None, None])
    >>> (elements, scales), columns, records = plan.execute(numpy.ones((64, 64), numpy.float32))
    >>> scales.shape, columns.strides, records.shape
    ((64, 2), (2, 128), (64, 68))

    Zero points stand before the scales, as in "(u8[64,64] - u8[64,1]) * f32[64,1]", and the sizes
    of groups behind them, as "per [1,32]", where those of relayout.Scaled are not meant. One more
    scale for the whole tensor comes last: "f4e2m1fn[64,64] * f8e4m3fn[64,4] * f32[]". It lies in
    memory, on a queue in the device's, and is read as the plan runs. The rules then find scales
    below it. The block
    formats of GGUF, "q4_0", "q4_1", "q5_0", "q5_1", "q8_0" and "mxfp4", are records of bytes for
    each 32 elements.

    There are 1 to 16 destinations, of the source's dimensions. `rules` has how each of them gets
    its scales: "given" (None is the same, and so are no rules at all): they are there, and are
    read; "amax": the group's greatest absolute value divided by the type's greatest number, to the
    nearest number of the scales' type; "amax_up": the same rounded up, so that no element
    saturates; "power2": the power of two that OCP's Microscaling formats have; "range": by the
    greatest and the least value, with zero points, as ONNX's DynamicQuantizeLinear has both.

    Values are exact, and each is rounded once; what a type with scales cannot hold becomes the
    nearest that it can, and `overflow` must be "saturate" then. `rounding` is to integers, as in
    relayout.copy. `scale`, as an f32, multiplies the scales of the source, each product being
    rounded to an f32; a source without scales has it as the one scale of all its elements.

    The device is that of `queue`, one of pyopencl's, or `device`; None is the CPU. ManyPlan.execute
    moves the host's memory, and releases the GIL; Ctrl-C is heard at the end. ManyPlan.enqueue,
    enqueue_batch and record are for a queue.
    """
    if isinstance(destinations, (str, Shape)):
        raise TypeError("destinations must be a sequence of texts or arrays, not one text")
    listed = list(destinations)
    given = [None] * len(listed) if rules is None else list(rules)
    if len(given) != len(listed):
        raise InvalidError(f"rules has {len(given)} entries; expected {len(listed)}, one for each "
                           "of destinations")
    numbers = [_value_of(_RULES, f"rules[{i}]", "given" if rule is None else rule)
               for i, rule in enumerate(given)]
    from_side = _named(source, lib.RELAYOUT_SCALES_GIVEN, "source")
    to = tuple(_named(side, number, f"destinations[{i}]")
               for i, (side, number) in enumerate(zip(listed, numbers)))
    where = device_for(device) if queue is None else _opencl.device_of(queue)
    return ManyPlan(where, from_side, to,
                    _options(scale, overflow, rounding, "estimate"))
