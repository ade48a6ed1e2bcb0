"""A relayout as the steps that people write with an array library: transpose, reshape, slice,
convert, pad."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy

import relayout


@dataclass(frozen=True)
class Memory:
    """The memory of a shape, as an array of its dimensions that was cut into digits and transposed.
    Dimensions are counted from the slowest to the fastest."""

    padded: tuple[int, ...]  # its dimensions in whole tiles
    digits: tuple[int, ...]  # the same with each dimension cut
    apart: tuple[int, ...]  # the transposition of the digits that gives the memory
    sizes: tuple[int, ...]  # of the memory

    @property
    def together(self):
        """The transposition of the memory that gives the digits."""
        return tuple(numpy.argsort(self.apart).tolist())


def memory_of(shape: relayout.Shape) -> Memory | None:
    """None for packed elements, aligned ends, and tiles that are not cut from one dimension
    each."""
    order = shape.minor_to_major[::-1]
    extents = [shape.padded_dimensions[d] for d in order]  # of all digits
    cuts = [[digit] for digit in range(len(extents))]  # the digits of each dimension
    memory = list(range(len(extents)))
    for tile in shape.tiles:
        if None in tile or len(tile) > len(memory):
            return None
        split = memory[-len(tile):]
        inner = list(range(len(extents), len(extents) + len(tile)))
        for digit, size, low in zip(split, tile, inner):
            cut = next(cut for cut in cuts if digit in cut)
            if extents[digit] % size != 0 and len(cut) > 1:
                return None
            extents[digit] = math.ceil(extents[digit] / size)
            extents.append(size)
            cut.insert(cut.index(digit) + 1, low)
        memory = memory[:-len(tile)] + split + inner
    grouped = [digit for cut in cuts for digit in cut]
    made = Memory(tuple(math.prod(extents[digit] for digit in cut) for cut in cuts),
                  tuple(extents[digit] for digit in grouped),
                  tuple(grouped.index(digit) for digit in memory),
                  tuple(extents[digit] for digit in memory))
    is_all = math.prod(made.sizes) * shape.dtype.itemsize == shape.byte_size  # without a tail
    return made if is_all and made.sizes == shape.physical_dimensions else None


@dataclass(frozen=True)
class Steps:
    """From the array `source` in memory to `to`: together, of the shape of `source.padded`, cut to
    `kept`, transposed by `order`, converted to `dtype`, widened by `widths` at the ends, of the
    shape of `to.digits`, apart."""

    source: Memory
    kept: tuple[slice, ...]
    order: tuple[int, ...]
    dtype: numpy.dtype | None  # None where it stays
    widths: tuple[int, ...]
    to: Memory

    @property
    def only_pads(self):
        """Whether rows stay rows, in the same order."""
        is_plain = self.source.digits == self.source.padded and self.to.digits == self.to.padded
        return is_plain and self.order == tuple(sorted(self.order)) and self.dtype is None


def steps_between(from_shape: relayout.Shape, to_shape: relayout.Shape) -> Steps | None:
    source, to = memory_of(from_shape), memory_of(to_shape)
    if source is None or to is None:
        return None
    from_order, to_order = from_shape.minor_to_major[::-1], to_shape.minor_to_major[::-1]
    sizes = to_shape.dimensions
    return Steps(source, tuple(slice(0, sizes[d]) for d in from_order),
                 tuple(from_order.index(d) for d in to_order),
                 None if from_shape.dtype == to_shape.dtype else to_shape.dtype,
                 tuple(wide - sizes[d] for wide, d in zip(to.padded, to_order)), to)


# ---- Libraries ----------------------------------------------------------------------------------


def with_numpy(steps: Steps, array):
    array = array.transpose(steps.source.together).reshape(steps.source.padded)[steps.kept]
    array = array.transpose(steps.order)
    if steps.dtype is not None:
        array = array.astype(steps.dtype)
    if any(steps.widths):
        array = numpy.pad(array, [(0, width) for width in steps.widths])
    return numpy.ascontiguousarray(array.reshape(steps.to.digits).transpose(steps.to.apart))


def with_torch(steps: Steps, tensor, dtype):
    """All but the last step, which `contiguous` or `copy_` does."""
    import torch

    tensor = tensor.permute(steps.source.together).reshape(steps.source.padded)[steps.kept]
    tensor = tensor.permute(steps.order).to(dtype)
    if any(steps.widths):
        ends = [(0, width) for width in reversed(steps.widths)]
        tensor = torch.nn.functional.pad(tensor, [number for pair in ends for number in pair])
    return tensor.reshape(steps.to.digits).permute(steps.to.apart)


def with_jax(steps: Steps, array):
    import jax.numpy

    array = array.transpose(steps.source.together).reshape(steps.source.padded)[steps.kept]
    array = array.transpose(steps.order)
    if steps.dtype is not None:
        array = array.astype(steps.dtype)
    if any(steps.widths):
        array = jax.numpy.pad(array, [(0, width) for width in steps.widths])
    return array.reshape(steps.to.digits).transpose(steps.to.apart)


def with_pyopencl(steps: Steps, queue, source, to):
    """Rows from one pitch to another, in up to three dimensions."""
    import pyopencl

    def pitches(memory):
        row = memory.padded[-1] * source.dtype.itemsize
        return (row, row * memory.padded[-2]) if len(memory.padded) > 2 else (row,)

    planes, rows, elements = (1,) * (3 - len(steps.kept)) + tuple(s.stop for s in steps.kept)
    return pyopencl.enqueue_copy(
        queue, to.base_data, source.base_data, src_origin=(0, 0, 0), dst_origin=(0, 0, 0),
        region=(elements * source.dtype.itemsize, rows, planes),
        src_pitches=pitches(steps.source), dst_pitches=pitches(steps.to))
