"""Calls that a type checker refuses, one a line."""

import numpy

import relayout

array = numpy.zeros((4, 6), numpy.float32)
relayout.copy([1, 2, 3])
relayout.copy(array, (0, 1))
relayout.copy(array, overflow="clip")
relayout.copy(array, wait_for=[])
relayout.plan(array, "{0,1}", effort="hard")
relayout.Shape(3)
relayout.copy(array, scale=[1, 2])
relayout.copy(array, axes=2)
relayout.set_log(3)
relayout.quantize(array, "mxfp9")
relayout.quantize(array, "q8_0", scales_out=array)
relayout.dequantize([1, 2, 3], array)
relayout.plan_many(array, [array], rules=["max"])
