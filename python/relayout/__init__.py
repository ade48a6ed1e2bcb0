"""relayout: tensors from one memory layout to another, at the speed of a plain copy.

>>> import numpy, relayout
>>> image = numpy.zeros((480, 640, 3), numpy.uint8)
>>> planes = relayout.copy(image, "{1,0,2}")            # the same array, planes in memory
>>> weights = numpy.ones((1000, 784), numpy.float32)
>>> tiles = relayout.copy(weights, "{1,0:T(8,128)}")    # an accelerator's
>>> back = relayout.copy(tiles, "f32[1000,784]", from_="f32[1000,784]{1,0:T(8,128)}")

Layouts are XLA's, as text: minor-to-major orders, PD (padded dimensions), T (tiles), E (element
sizes). See relayout.Shape.
"""

from ._device import Device, DeviceUsage, devices
from ._errors import (DeviceError, InvalidError, OutOfMemoryError, RangeError, RelayoutError,
                      UnsupportedError)
from ._kernel import Kernel, emit_kernels
from ._library import ffi as _ffi
from ._library import lib as _lib
from ._log import set_log
from ._many import ManyPlan, ManyRecording, Scaled, plan_many
from ._plan import Plan, PlanInfo, Recording, Schedule, copy, enqueue, plan
from ._quantize import Quantized, dequantize, quantize
from ._shape import Shape

__all__ = ["Device", "DeviceError", "DeviceUsage", "InvalidError", "Kernel", "ManyPlan",
           "ManyRecording", "OutOfMemoryError", "Plan", "PlanInfo", "Quantized", "RangeError",
           "Recording", "RelayoutError", "Scaled", "Schedule", "Shape", "UnsupportedError", "copy",
           "dequantize", "devices", "emit_kernels", "enqueue", "plan", "plan_many", "quantize",
           "set_log"]

__version__ = _ffi.string(_lib.relayout_version()).decode()
