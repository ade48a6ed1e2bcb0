"""Quantised tensors by the names that people call their formats."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

import numpy

from . import _memory
from ._device import Device
from ._element_types import name_of, shown
from ._errors import InvalidError
from ._library import lib
from ._many import (BLOCK_ELEMENTS, ManyPlan, Moved, Renames, RecordForm, SideView,
                    device_for, host_side, record_bytes, record_form_of, sizes_of)
from ._memory import Side, View
from ._plan import _ROUNDINGS, _SMALL_BYTES, _name_of, _options, _value_of
from ._shape import Shape

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._plan import Rounding
    from ._types import Array, HostMemory

    Out = TypeVar("Out", bound=HostMemory)
    Scheme = Literal["mxfp8", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "nvfp4", "int8",
                     "int4", "fp8"]
    BlockScheme = Literal[
        "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "gguf_mxfp4",
        "q4_0_4_1", "q4_0_4_4", "q4_0_4_8", "q4_0_8_1", "q4_0_8_4", "q4_0_8_8", "q4_0_16_1",
        "q4_0_16_4", "q4_0_16_8", "q4_0_32_1", "q4_0_32_4", "q4_0_32_8", "q4_0_64_1",
        "q4_0_64_4", "q4_0_64_8", "q8_0_4_1", "q8_0_4_4", "q8_0_4_8", "q8_0_8_1", "q8_0_8_4",
        "q8_0_8_8", "q8_0_16_1", "q8_0_16_4", "q8_0_16_8", "q8_0_32_1", "q8_0_32_4",
        "q8_0_32_8", "q8_0_64_1", "q8_0_64_4", "q8_0_64_8", "gguf_mxfp4_4_1", "gguf_mxfp4_4_4",
        "gguf_mxfp4_4_8", "gguf_mxfp4_8_1", "gguf_mxfp4_8_4", "gguf_mxfp4_8_8",
        "gguf_mxfp4_16_1", "gguf_mxfp4_16_4", "gguf_mxfp4_16_8", "gguf_mxfp4_32_1",
        "gguf_mxfp4_32_4", "gguf_mxfp4_32_8", "gguf_mxfp4_64_1", "gguf_mxfp4_64_4",
        "gguf_mxfp4_64_8"]
    Sizes = int | Sequence[int]


@dataclass(frozen=True)
class _Form:
    """Types of a scheme, and how its scales are found. `group` None: all of what `axis` has."""

    element_type: str
    scale_type: str
    rule: int
    group: int | None = None
    is_packed: bool = False  # two elements a byte
    most_of_all: int | None = None  # the greatest product of an element and a scale


_MX, _AMAX = lib.RELAYOUT_SCALES_POWER2, lib.RELAYOUT_SCALES_AMAX
_FORMS = {
    "mxfp8": _Form("f8e4m3fn", "f8e8m0fnu", _MX, 32),
    "mxfp8_e5m2": _Form("f8e5m2", "f8e8m0fnu", _MX, 32),
    "mxfp6_e2m3": _Form("f6e2m3fn", "f8e8m0fnu", _MX, 32),
    "mxfp6_e3m2": _Form("f6e3m2fn", "f8e8m0fnu", _MX, 32),
    "mxfp4": _Form("f4e2m1fn", "f8e8m0fnu", _MX, 32, True),
    "nvfp4": _Form("f4e2m1fn", "f8e4m3fn", _AMAX, 16, True, 6 * 448),
    "int8": _Form("s8", "f32", _AMAX),
    "int4": _Form("s4", "f32", _AMAX, None, True),
    "fp8": _Form("f8e4m3fn", "f32", _AMAX),
}

# GGUF's names, one of which is not that of OCP's format; and those of records of 4 to 64 rows that
# lie together, 1, 4 or 8 bytes of each in turn.
_BLOCKS = {**{name: name for name in ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0")},
           "gguf_mxfp4": "mxfp4"}
_BLOCKS |= {f"{scheme}_{rows}_{run}": f"{_BLOCKS[scheme]}_{rows}_{run}"
            for scheme in ("q4_0", "q8_0", "gguf_mxfp4") for rows in (4, 8, 16, 32, 64)
            for run in (1, 4, 8)}
_SCHEMES: dict[str, _Form | str] = {**_FORMS, **_BLOCKS}

# Groups of scales of f8e8m0fnu, of which there are no others.
_MX_GROUP = 32

_QUANTIZE_RENAMES: Renames = (
    (r"\bfrom->elements\b", "array"), (r"\bfrom\b(?=:)", "array"),
    (r"\bto\[0\]\.elements\b", "out"), (r"\bto\[0\]\.scales\b", "scales_out"),
    (r"\bto\[0\]", "out"))
_DEQUANTIZE_RENAMES: Renames = (
    (r"\bfrom->", ""), (r"\bfrom: ", ""), (r"\bto\[0\]\.elements\b", "out"),
    (r"\bto\[0\]", "dtype"))


class Quantized(NamedTuple):
    """A quantised tensor whose scales are multiplied by one more, that of the whole tensor: what
    relayout.quantize makes with a `tensor_scale`."""

    elements: Any
    scales: Any
    tensor_scale: numpy.float32


def _scheme_of(scheme: Any) -> _Form | RecordForm:
    """A form, or that of records of a block format."""
    found = _value_of(_SCHEMES, "scheme", scheme)
    return record_form_of(found) if isinstance(found, str) else found


# ---- Plans ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=128)
def _kept_plan(device: str | None, source: SideView, to: SideView, options: tuple[float, str],
               renames: Renames) -> ManyPlan:
    return _made_plan(device, source, to, options, renames)


def _made_plan(device: str | Device | None, source: SideView, to: SideView,
               options: tuple[float, str], renames: Renames) -> ManyPlan:
    scale, rounding = options
    return ManyPlan(device_for(device), source, (to,),
                    _options(scale, "saturate", rounding, "estimate"), renames)


def _run(device: str | Device | None, source: SideView, to: SideView, options: tuple[float, str],
         renames: Renames, read: Sequence[Side | None], written: Sequence[Side | None]) -> None:
    """Runs a plan by a scale and a rounding, and keeps it for the next call if it is small and its
    device is shared."""
    if source.byte_size + to.byte_size <= _SMALL_BYTES and not isinstance(device, Device):
        plan = _kept_plan(device, source, to, options, renames)
    else:
        plan = _made_plan(device, source, to, options, renames)
    plan._run(_moved(read), [_moved(written)])


def _moved(sides: Sequence[Side | None]) -> Moved:
    return Moved(list(sides), [0 if side is None else side.start for side in sides], [])


# ---- Memory -----------------------------------------------------------------------------------


def _is_array_of(side: Side, name: str, sizes: tuple[int, ...]) -> bool:
    """Whether an array says that it is of this type and these dimensions, however it lies."""
    return side.view is not None and side.view.type_and_dimensions == (name, sizes)


def _as_it_lies(side: Side, shape: Shape, *, is_source: bool, name: str) -> Side:
    """An array of the shape's type and dimensions in any layout, or memory for the shape."""
    if _is_array_of(side, shape.element_type, shape.dimensions):
        return side
    return _memory.in_place_of(side, shape, is_source=is_source, name=name)


def _seen(side: Side) -> View:
    assert side.view is not None
    return side.view


def _destination(out: Any, shape: Shape, sizes: tuple[int, ...], name: str) -> tuple[Side, Any]:
    """Memory for a shape, new of these dimensions or the caller's, and what the caller gets."""
    if out is not None:
        side = host_side(out, name, is_written=True)
        return _as_it_lies(side, shape, is_source=False, name=name), out
    made = numpy.empty(sizes, shape.dtype)
    view = _memory.view_of_shape(shape)
    return Side(view, made.__array_interface__["data"][0], made), made


def _source(array: Any, name: str) -> Side:
    side = host_side(array, name)
    if side.view is None:
        raise InvalidError(f"{name}'s memory does not say what lies in it")
    return side


@functools.lru_cache(maxsize=1024)
def _packed_shape(name: str, sizes: tuple[int, ...]) -> Shape:
    order = ",".join(map(str, reversed(range(len(sizes)))))
    return Shape.of(name, sizes, f"{{{order}:E(4)}}")


def _elements_shape(form: _Form, sizes: tuple[int, ...], scheme: str,
                    name: str) -> tuple[Shape, tuple[int, ...]]:
    """Of elements as the scheme has them, and the dimensions of their memory."""
    if not form.is_packed:
        return _memory.view_shape(form.element_type, sizes), sizes
    if not sizes or sizes[-1] % 2 != 0:
        raise InvalidError(f"{name} has the dimensions {list(sizes)}; expected an even last one, "
                           f"since two elements of {scheme} share a byte")
    return _packed_shape(form.element_type, sizes), (*sizes[:-1], sizes[-1] // 2)


# ---- Groups -----------------------------------------------------------------------------------


def _axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Those that groups run along, as NumPy's reductions take them."""
    if axis is None:
        return tuple(range(rank))
    try:
        given = tuple(map(operator.index, axis if isinstance(axis, Sequence) else (axis,)))
    except TypeError:
        raise TypeError(f"axis must be an integer, several, or None, not {axis!r}") from None
    made = tuple(number + rank if number < 0 else number for number in given)
    if any(not 0 <= number < rank for number in made) or len(set(made)) != len(made):
        raise InvalidError(f"axis is {axis}; expected dimensions of an array of rank {rank}")
    return made


def _along(group: Any, axes: tuple[int, ...], name: str) -> tuple[int, ...]:
    """The sizes that are given for a group along these dimensions."""
    along = sizes_of(group if isinstance(group, Sequence) else [group], "group") or ()
    if len(along) != len(axes):
        raise InvalidError(f"{name} is {group}; expected {len(axes)} sizes, one for each dimension "
                           "of axis")
    return along


def _group_sizes(form: _Form, sizes: tuple[int, ...], axis: Any, group: Any,
                 scheme: str) -> tuple[int, ...]:
    """The elements of a group along each dimension."""
    axes = _axes_of(axis, len(sizes))
    if group is not None:
        along = _along(group, axes, "group")
    elif form.group is not None:
        along = _along(form.group, axes, f"axis is {axis}, and the group of {scheme}")
    else:
        along = tuple(max(sizes[number], 1) for number in axes)
    made = dict(zip(axes, along))
    return tuple(made.get(number, 1) for number in range(len(sizes)))


def _counts(sizes: tuple[int, ...], groups: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-(-size // group) for size, group in zip(sizes, groups))


def _given_groups(form: _Form | None, group: Any, elements: View,
                  scales: View) -> tuple[int, ...] | None:
    """For dequantize; None: as the library makes them of both shapes."""
    sizes, counts = elements.type_and_dimensions[1], scales.type_and_dimensions[1]
    if len(sizes) != len(counts):
        return None  # which the library refuses
    if isinstance(group, Sequence):
        made = sizes_of(group, "group") or ()
        if len(made) != len(sizes):
            raise InvalidError(f"group is {made}; expected {len(sizes)} sizes, one for each "
                               "dimension")
        return made
    own = group
    if group is not None:
        own = (sizes_of((group,), "group") or ())[0]
    elif form is not None:
        own = form.group
    elif scales.type_and_dimensions[0] == "f8e8m0fnu":
        own = _MX_GROUP
    if own is None:
        return None
    made = tuple(max(size, 1) if count == 1 else 1 if count == size else own
                 for size, count in zip(sizes, counts))
    return made if group is not None or _counts(sizes, made) == counts else None


# ---- The scale of a whole tensor --------------------------------------------------------------


# A tensor scale is an f32 by itself.
_ABOVE = _memory.view_of_shape(_memory.view_shape("f32", ()))


def _tensor_scale_of(given: Any) -> numpy.float32:
    """A number, or an array of one, as an f32 that is finite and not 0."""
    if isinstance(given, str):
        raise InvalidError(f"tensor_scale is {given!r}; expected a number, or 'amax' where quantize "
                           "makes nvfp4")
    number = given.reshape(()) if isinstance(given, numpy.ndarray) and given.size == 1 else given
    try:
        with numpy.errstate(over="ignore"):
            made = numpy.float32(float(number))
    except TypeError:
        raise TypeError(f"tensor_scale must be a number, not {type(given).__name__}") from None
    if not numpy.isfinite(made) or made == 0:
        raise InvalidError(f"tensor_scale is {float(number):g}; expected a finite float32 that is "
                           "not 0")
    return made


def _above(scale: numpy.float32) -> Side:
    """The scale in memory of its own."""
    memory = numpy.array(scale)
    return Side(_ABOVE, memory.__array_interface__["data"][0], memory)


def _found_tensor_scale(most: int, source: View, read: Side, where: Any) -> numpy.float32:
    """By the greatest absolute value, which is the scale of elements of one bit, of which the
    greatest is 1. Zeros have 1, and less than the least normal number is that."""
    sizes = source.type_and_dimensions[1]
    bits = Shape.of("u1", sizes, f"{{{','.join(map(str, reversed(range(len(sizes)))))}:E(1)}}")
    memory, _ = bits.empty()
    scale = numpy.zeros((1,) * len(sizes), numpy.float32)
    sides = [_memory.laid_over(_memory.side_of(memory), bits, is_source=False, name="array"),
             _memory.side_of(scale)]
    groups = tuple(max(size, 1) for size in sizes)
    to = SideView(_seen(sides[0]), _seen(sides[1]), None, groups, 0, lib.RELAYOUT_SCALES_AMAX)
    _run(where, SideView(source), to, (1.0, "zero"), _QUANTIZE_RENAMES, [read], sides)
    greatest = numpy.float32(scale.reshape(-1)[0])
    if not numpy.isfinite(greatest):
        raise InvalidError(f"array has {greatest}, by which no tensor_scale can be found")
    if greatest == 0:
        return numpy.float32(1)
    return max(numpy.float32(numpy.float64(greatest) / most), numpy.finfo(numpy.float32).tiny)


# ---- Records ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _records_view(form: RecordForm, sizes: tuple[int, ...]) -> SideView:
    return SideView(_memory.view_of_shape(_memory.view_shape("f32", sizes)),
                    block_format=form.block_format, interleaved=form.interleaved)


def _to_records(source: Side, form: RecordForm, scheme: str, out: Any, rounding: str,
                device: str | Device | None) -> Any:
    sizes = _seen(source).type_and_dimensions[1]
    if not sizes or sizes[-1] % BLOCK_ELEMENTS != 0:
        raise InvalidError(f"array has the dimensions {list(sizes)}; expected a multiple of "
                           f"{BLOCK_ELEMENTS} as the last one for {scheme}")
    to = _records_view(form, sizes)
    shape = to.memory.shape
    assert shape is not None
    side, made = _destination(out, shape, shape.dimensions, "out")
    if _seen(side).byte_strides != to.memory.byte_strides:
        side = _memory.in_place_of(side, shape, is_source=False, name="out")
    _run(device, SideView(_seen(source)), to, (1.0, rounding), _QUANTIZE_RENAMES, [source], [side])
    return made


def _of_records(records: Any, form: RecordForm, scheme: str) -> tuple[Side, SideView]:
    side = host_side(records, "elements")
    view = side.raw or side.view
    assert view is not None
    name, sizes = view.type_and_dimensions
    size = record_bytes(form.block_format)
    if name != "u8":
        raise TypeError(f"elements is {shown(name, sizes)}; expected uint8, the records of "
                        f"{scheme}")
    if not sizes or sizes[-1] % size != 0:
        raise InvalidError(f"elements has the dimensions {list(sizes)}; expected a multiple of "
                           f"{size} as the last one, the bytes of a record of {scheme}")
    made = _records_view(form, (*sizes[:-1], sizes[-1] // size * BLOCK_ELEMENTS))
    shape = made.memory.shape
    assert shape is not None
    return _memory.laid_over(side, shape, is_source=True, name="elements"), made


# ---- What users call --------------------------------------------------------------------------


@overload
def quantize(array: HostMemory, scheme: BlockScheme, *, axis: int | None = -1,
             group: int | None = None, out: None = None, scales_out: None = None,
             rounding: Rounding = "nearest", device: str | Device | None = None) -> Array: ...


@overload
def quantize(array: HostMemory, scheme: BlockScheme, *, axis: int | None = -1,
             group: int | None = None, out: Out, scales_out: None = None,
             rounding: Rounding = "nearest", device: str | Device | None = None) -> Out: ...


@overload
def quantize(array: HostMemory, scheme: Scheme, *, axis: Sizes | None = -1,
             group: Sizes | None = None, out: None = None, scales_out: None = None,
             rounding: Rounding = "nearest",
             device: str | Device | None = None) -> tuple[Array, Array]: ...


@overload
def quantize(array: HostMemory, scheme: Scheme, *, axis: Sizes | None = -1,
             group: Sizes | None = None, out: HostMemory | None = None,
             scales_out: HostMemory | None = None, rounding: Rounding = "nearest",
             device: str | Device | None = None) -> tuple[Any, Any]: ...


@overload
def quantize(array: HostMemory, scheme: Scheme, *, axis: Sizes | None = -1,
             group: Sizes | None = None, tensor_scale: float | Array | Literal["amax"],
             out: HostMemory | None = None, scales_out: HostMemory | None = None,
             rounding: Rounding = "nearest",
             device: str | Device | None = None) -> Quantized: ...


def quantize(array: Any, scheme: str, *, axis: Any = -1, group: Any = None,
             tensor_scale: Any = None, out: Any = None, scales_out: Any = None,
             rounding: str = "nearest", device: Any = None) -> Any:
    """Makes a quantised tensor: elements, and a scale for each group of them.

    `array` is as in `copy`, of any type of real numbers, in the host's memory. Returns two arrays
    `(elements, scales)`:

    ============ ============ ============ =================================== =================
    scheme       elements     scales       a scale is                          groups
    ============ ============ ============ =================================== =================
    "mxfp8"      f8e4m3fn     f8e8m0fnu    OCP's power of two                  32
    "mxfp8_e5m2" f8e5m2       f8e8m0fnu    the same                            32
    "mxfp6_e2m3" f6e2m3fn     f8e8m0fnu    the same                            32
    "mxfp6_e3m2" f6e3m2fn     f8e8m0fnu    the same                            32
    "mxfp4"      f4e2m1fn     f8e8m0fnu    the same                            32
    "nvfp4"      f4e2m1fn     f8e4m3fn     the greatest absolute value / 6     16
    "int8"       s8           f32          the greatest absolute value / 127   all along `axis`
    "int4"       s4           f32          the greatest absolute value / 7     all along `axis`
    "fp8"        f8e4m3fn     f32          the greatest absolute value / 448   all along `axis`
    ============ ============ ============ =================================== =================

    `axis` is what a group runs along, as in NumPy's reductions: `scales` of "int8" are
    `abs(array).max(axis, keepdims=True) / 127`. With -1 each row has a scale, which for weights
    [outputs, inputs] is what PyTorch calls per channel with its axis 0; None is one scale for the
    whole tensor. `group` is the elements of a group along `axis`; None is what the table says. Of
    several axes, a sequence, each has a size in `group`. `scales` has the array's rank, and along
    `axis` the array's size divided by the group's, rounded up.

    Elements are arrays of the dtypes of ml_dtypes, one a byte; of "mxfp4", "nvfp4" and "int4" two
    share a byte, the first in the low bits: uint8 arrays, half as long in the last dimension, which
    must be even. A type that ml_dtypes is too old for comes as uint8.

    `tensor_scale` is one more scale, of the whole tensor, which multiplies all others. It is a
    number or an array of one, or for "nvfp4" also "amax": the greatest absolute value / (6 * 448),
    so that no group's scale is beyond 448; 1 for a tensor of zeros. What the table divides by is
    multiplied by it, and values are divided by scale * tensor_scale, each product being rounded to
    an f32: that is what `dequantize` multiplies by. The result is then a relayout.Quantized:
    `elements`, `scales` and `tensor_scale`, an f32.

    The block formats of GGUF, "q4_0", "q4_1", "q5_0", "q5_1", "q8_0" and "gguf_mxfp4", return one
    uint8 array: of each 32 elements along the last dimension a record, as gguf-py's quantize and
    files have them. "q4_0_4_8" and others like it, of "q4_0", "q8_0" and "gguf_mxfp4", have the
    records of 4, 8, 16, 32 or 64 rows together, 1, 4 or 8 bytes of each in turn. They take neither
    axis nor group.

    `out` and `scales_out` are written in the place of new arrays. One of the type and the
    dimensions lies as it likes; otherwise it is memory, as in `copy`. An `out` of ml_dtypes'
    float4_e2m1fn or int4, of the array's dimensions, gets one element a byte.

    An element is value / scale, rounded once: to integers to the "nearest" or towards "zero", to
    floats to the nearest. Zeros have the scale 0, or the least of f8e8m0fnu. `device` is as in
    plan_many. Other types, zero points, and several results at once: plan_many.
    """
    form = _scheme_of(scheme)
    _value_of(_ROUNDINGS, "rounding", rounding)
    source = _source(array, "array")
    sizes = _seen(source).type_and_dimensions[1]
    if isinstance(form, RecordForm):
        _check_blocks_arguments(scheme, sizes, axis, group, scales_out)
        if tensor_scale is not None:
            raise InvalidError(f"tensor_scale is given, but records of {scheme} have their scales "
                               "inside")
        return _to_records(source, form, scheme, out, rounding, device)
    groups = _group_sizes(form, sizes, axis, group, scheme)
    counts = _counts(sizes, groups)
    elements_side, elements = _elements_memory(form, out, sizes, scheme)
    scales_side, scales = _destination(scales_out, _memory.view_shape(form.scale_type, counts),
                                       counts, "scales_out")
    to = SideView(_seen(elements_side), _seen(scales_side), None, groups, 0, form.rule)
    if tensor_scale is None:
        _run(device, SideView(_seen(source)), to, (1.0, rounding), _QUANTIZE_RENAMES, [source],
             [elements_side, scales_side])
        return elements, scales
    to = replace(to, tensor_scale=_ABOVE)
    is_found = form.most_of_all is not None and isinstance(tensor_scale, str) and (
        tensor_scale == "amax")
    scale = (_found_tensor_scale(form.most_of_all or 0, _seen(source), source, device) if is_found
             else _tensor_scale_of(tensor_scale))
    _run(device, SideView(_seen(source)), to, (1.0, rounding), _QUANTIZE_RENAMES, [source],
         [elements_side, scales_side, None, _above(scale)])
    return Quantized(elements, scales, scale)


def _elements_memory(form: _Form, out: Any, sizes: tuple[int, ...],
                     scheme: str) -> tuple[Side, Any]:
    """Packed elements may lie one a byte in an array that says so."""
    if out is not None and form.is_packed:
        side = host_side(out, "out", is_written=True)
        if _is_array_of(side, form.element_type, sizes):
            return side, out
    return _destination(out, *_elements_shape(form, sizes, scheme, "array"), "out")


def _check_blocks_arguments(scheme: str, sizes: tuple[int, ...], axis: Any, group: Any,
                            scales_out: Any) -> None:
    if scales_out is not None:
        raise InvalidError(f"scales_out is given, but records of {scheme} have their scales inside")
    if _axes_of(axis, len(sizes)) != (len(sizes) - 1,):
        raise InvalidError(f"axis is {axis}; records of {scheme} are along the last dimension")
    if group not in (None, BLOCK_ELEMENTS):
        raise InvalidError(f"group is {group}; records of {scheme} have {BLOCK_ELEMENTS} elements")


def _stored(array: Any, form: _Form | None, scheme: str | None) -> Side:
    """Elements as they are stored: packed ones are bytes, which only the scheme tells."""
    if form is None:
        return _source(array, "elements")
    side = host_side(array, "elements")
    view = side.raw or side.view
    assert view is not None
    name, sizes = view.type_and_dimensions
    if name == form.element_type:
        return side
    if form.is_packed and name == "u8" and sizes:
        shape = _packed_shape(form.element_type, (*sizes[:-1], 2 * sizes[-1]))
        return _memory.laid_over(side, shape, is_source=True, name="elements")
    shape = _memory.view_shape(form.element_type, sizes)
    if name != "u8" or shape.dtype != numpy.uint8:
        raise TypeError(f"elements is {view.shown}; expected "
                        f"{shown('u8' if form.is_packed else form.element_type, sizes)} for "
                        f"{scheme}")
    return _memory.laid_over(side, shape, is_source=True, name="elements")


def _scales_side(scales: Any, form: _Form | None) -> Side:
    """Bytes stand for a type that ml_dtypes is too old for."""
    side = _source(scales, "scales")
    name, sizes = _seen(side).type_and_dimensions
    if form is None or name != "u8":
        return side
    shape = _memory.view_shape(form.scale_type, sizes)
    return _memory.in_place_of(side, shape, is_source=True, name="scales")


@overload
def dequantize(elements: HostMemory, scales: HostMemory | None = None,
               dtype: DTypeLike = "float32", *, group: Sizes | None = None,
               zero_points: HostMemory | None = None, tensor_scale: float | Array | None = None,
               scheme: Scheme | BlockScheme | None = None, out: None = None,
               device: str | Device | None = None) -> Array: ...


@overload
def dequantize(elements: HostMemory, scales: HostMemory | None = None,
               dtype: DTypeLike = "float32", *, group: Sizes | None = None,
               zero_points: HostMemory | None = None, tensor_scale: float | Array | None = None,
               scheme: Scheme | BlockScheme | None = None, out: Out,
               device: str | Device | None = None) -> Out: ...


def dequantize(elements: Any, scales: Any = None, dtype: DTypeLike = "float32", *,
               group: Any = None, zero_points: Any = None, tensor_scale: Any = None,
               scheme: str | None = None, out: Any = None, device: Any = None) -> Any:
    """The values of a quantised tensor: (element - zero point) * scale, rounded to `dtype` once.

    `elements`, `scales` and `zero_points` are of the same rank, of integers or floats of at most 32
    bits, with scales of f32, f16, bf16 or an f8 type; `dtype` is any type of real numbers. Along
    each dimension a scale is for a group of elements: the quotient of both sizes or, where that is
    no whole number, the least power of two that gives as many groups; for scales of f8e8m0fnu, and
    with a `scheme` that has its own groups, that size where it gives as many. `group` says it where
    the last group has fewer elements: a size for each dimension, or one for those that have more
    than one group, and fewer groups than elements.

    `tensor_scale` is one more scale, of the whole tensor: a number or an array of one, by which, as
    an f32, each scale is multiplied, and rounded to an f32.

    `scheme` is one of `quantize`'s. Packed elements need it, since their array is uint8; without
    it, uint8 elements need zero points. Types that ml_dtypes is too old for are taken as uint8 with
    it. The block formats of GGUF have no scales beside them: `dequantize(records, scheme="q8_0")`.

    Returns a new array, or `out`: one of the tensor's dimensions is written as it lies, in its own
    type, and raw bytes as `dtype`. `device` is as in plan_many.
    """
    form = None if scheme is None else _scheme_of(scheme)
    if isinstance(form, RecordForm):
        given = next((name for name, value in (
            ("scales", scales), ("zero_points", zero_points), ("group", group),
            ("tensor_scale", tensor_scale)) if value is not None), None)
        if given is not None:
            raise InvalidError(f"{given} is given, but records of {scheme} have their scales "
                               "inside")
        stored, source = _of_records(elements, form, str(scheme))
        return _dequantized(source, 1.0, [stored], dtype, out, device)
    stored = _stored(elements, form, scheme)
    if scales is None:
        raise InvalidError("scales is None, and scheme is no block format, which has them inside")
    if form is None and zero_points is None and _seen(stored).type_and_dimensions[0] == "u8":
        raise InvalidError(f"elements is {_seen(stored).shown}, and there are no zero points: "
                           "packed elements need a scheme, such as 'mxfp4'")
    beside = _scales_side(scales, form)
    points = None if zero_points is None else _source(zero_points, "zero_points")
    source = SideView(_seen(stored), _seen(beside), None if points is None else _seen(points),
                      _given_groups(form, group, _seen(stored), _seen(beside)))
    scale = 1.0 if tensor_scale is None else float(_tensor_scale_of(tensor_scale))
    return _dequantized(source, scale, [stored, beside, points], dtype, out, device)


def _dequantized(source: SideView, scale: float, read: list[Side | None], dtype: DTypeLike,
                 out: Any, device: str | Device | None) -> Any:
    name, sizes = _name_of(dtype) or name_of("float32"), source.elements.type_and_dimensions[1]
    if out is None:
        memory, made = _memory.view_shape(name, sizes).empty()
        side = _memory.side_of(memory).seen_as(
            _memory.view_of_shape(_memory.view_shape(name, sizes)))
    else:
        side, made = host_side(out, "out", is_written=True), out
        if side.view is None or side.view.type_and_dimensions[1] != sizes:
            side = _memory.in_place_of(side, _memory.view_shape(name, sizes), is_source=False,
                                       name="out")
    _run(device, source, SideView(_seen(side)), (scale, "nearest"), _DEQUANTIZE_RENAMES, read,
         [side])
    return made
