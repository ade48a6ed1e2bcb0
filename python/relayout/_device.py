"""What relayouts run on."""

from __future__ import annotations

import functools
from typing import Any

from ._errors import c_text, call
from ._library import ffi, lib

_CLASSES = ("cpu", "gpu", "accelerator", "other")


class Device:
    """A device by its name: "cpu", "opencl", "opencl:P:D", or "auto" for the first GPU, then any
    accelerator, then the CPU backend. Devices may be used from any number of threads at once.

    DeviceError where nothing answers to the name.
    """

    __slots__ = ("_handle",)

    def __init__(self, name: str = "auto") -> None:
        handle = ffi.new("relayout_device **")
        call(lib.relayout_device_open, c_text(name), handle)
        self._own(handle[0])

    def _own(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.relayout_device_destroy)

    @property
    def _info(self) -> Any:
        info = ffi.new("relayout_device_info *")
        info.struct_size = ffi.sizeof("relayout_device_info")
        call(lib.relayout_device_get_info, self._handle, info)
        return info

    @property
    def name(self) -> str:
        """What opens it; "" where it was made from OpenCL handles that no platform lists."""
        return str(ffi.string(self._info.name).decode())

    @property
    def description(self) -> str:
        """What its driver calls it."""
        return str(ffi.string(self._info.description).decode(errors="replace"))

    @property
    def kind(self) -> str:
        """"cpu", "gpu", "accelerator" or "other"."""
        return _CLASSES[self._info.device_class]

    @property
    def is_opencl(self) -> bool:
        """Whether it is reached through OpenCL, the CPU too."""
        return bool(self._info.backend == lib.RELAYOUT_BACKEND_OPENCL)

    def trim(self) -> None:
        """Lets go of the plans and programs that the device keeps for the next time."""
        lib.relayout_device_trim(self._handle)

    def __repr__(self) -> str:
        return f"<relayout.Device {self.name}: {self.description}>"


def devices() -> list[str]:
    """The names that Device takes for each device of this machine, the CPU backend first."""
    count = ffi.new("size_t *")
    call(lib.relayout_device_list, ffi.NULL, 0, count)
    infos = ffi.new("relayout_device_info[]", count[0])
    for info in infos:
        info.struct_size = ffi.sizeof("relayout_device_info")
    call(lib.relayout_device_list, infos, len(infos), count)
    return [ffi.string(info.name).decode() for info in infos[0:count[0]]]


@functools.lru_cache(maxsize=32)
def _opened(name: str) -> Device:
    return Device(name)


def device_of(device: str | Device) -> Device:
    """One that is open already, or is opened once for all who name it."""
    return device if isinstance(device, Device) else _opened(device)
