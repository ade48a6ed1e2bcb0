"""What type checkers make of calls with arrays of the host; nobody runs this."""

from typing import Any

import numpy
from typing_extensions import assert_type

import relayout

array = numpy.zeros((4, 6), numpy.float32)
assert_type(relayout.copy(array, "{0,1}"), numpy.ndarray[Any, Any])
assert_type(relayout.copy(b"four", relayout.Shape("u8[4]"), scale=2), numpy.ndarray[Any, Any])
room = bytearray(96)
assert_type(relayout.copy(array, "{0,1}", out=room, overflow="wrap"), bytearray)
assert_type(relayout.copy(array, dtype=numpy.float16, axes=(1, 0)), numpy.ndarray[Any, Any])
assert_type(relayout.copy(array, "bf16", like="jax"), Any)

plan = relayout.plan(array, "{0,1}", effort="measure")
assert_type(plan, relayout.Plan)
assert_type(plan(array), numpy.ndarray[Any, Any])
assert_type(plan(array, room), bytearray)
assert_type(plan(array, like="jax"), Any)
assert_type(plan.info.bytes_read, int)
assert_type(plan.schedules, list[tuple[str, str]])
assert_type(plan.offered_schedules()[0].predicted_fraction, float)
assert_type(plan.range((0, 0), (2, 6)), relayout.Plan)
assert_type(plan.explain(), str)

assert_type(relayout.quantize(array, "mxfp8"),
            tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]])
assert_type(relayout.quantize(array, "int8", axis=(0, 1), group=[2, 3], out=room), tuple[Any, Any])
assert_type(relayout.quantize(array, "q8_0"), numpy.ndarray[Any, Any])
assert_type(relayout.quantize(array, "q8_0", out=room), bytearray)
assert_type(relayout.dequantize(array, array, "bf16", group=32), numpy.ndarray[Any, Any])
assert_type(relayout.dequantize(array, scheme="q8_0", out=room), bytearray)
many = relayout.plan_many((array, array), [array, "bf16[4,6]", relayout.Shape("f32[4,6]")],
                          rules=[None, "given", "amax"])
assert_type(many.execute((array, array), [None, room, (None, array)]), list[Any])
assert_type(many.explain(), str)
assert_type(many.device, relayout.Device)

shape = relayout.Shape.of(numpy.float32, (2, 3), "{0,1}")
assert_type(shape.strides, tuple[int, ...] | None)
assert_type(shape.linear_index(0, 1), int)
assert_type(relayout.Device("cpu").kind, str)
assert_type(relayout.Device.cpu(threads=2).usage.budget_bytes, int | None)
assert_type(relayout.Device("cpu").export_wisdom(), str)
relayout.set_log(lambda level, message: print(message))
relayout.Device("cpu").set_tuning(relayout.Device("cpu").tuning)
assert_type(relayout.devices(), list[str])
