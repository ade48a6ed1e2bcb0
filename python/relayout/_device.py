"""What relayouts run on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._errors import InvalidError, c_text, call, text_of
from ._library import ffi, lib

_CLASSES = ("cpu", "gpu", "accelerator", "other")


_NO_BUDGET = 2**64 - 1  # UINT64_MAX


@dataclass(frozen=True)
class DeviceUsage:
    """What a device keeps so that it need not be made again (relayout_device_usage). The budget is
    for its own bytes and the host's together; None: any number."""

    plans: int
    programs: int
    device_bytes: int
    host_bytes: int
    budget_bytes: int | None


class Device:
    """A device by its name: "cpu", "opencl", "opencl:P:D", or "auto" for the first GPU, then any
    accelerator, then the CPU backend. Devices may be used from any number of threads at once.

    DeviceError where nothing answers to the name.
    """

    __slots__ = ("_handle",)

    def __init__(self, name: str = "auto") -> None:
        handle = ffi.new("relayout_device **")
        call(lib.relayout_device_open, c_text(name, "device"), handle)
        self._own(handle[0])

    @classmethod
    def cpu(cls, threads: int = 0) -> Device:
        """The CPU backend with so many threads at most; 0: one for each processor."""
        options = ffi.new("relayout_cpu_options *")
        options.struct_size = ffi.sizeof("relayout_cpu_options")
        try:
            options.threads = threads
        except OverflowError:
            raise InvalidError(f"threads is {threads}, too large a number") from None
        handle = ffi.new("relayout_device **")
        call(lib.relayout_cpu_device_create, options, handle)
        made = cls.__new__(cls)
        made._own(handle[0])
        return made

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

    @property
    def platform(self) -> str:
        """The OpenCL platform and its version; "" for the CPU backend."""
        return str(ffi.string(self._info.platform).decode(errors="replace"))

    @property
    def driver(self) -> str:
        """The version of the OpenCL driver; "" for the CPU backend."""
        return str(ffi.string(self._info.driver).decode(errors="replace"))

    @property
    def instructions(self) -> str:
        """The CPU backend's instruction set, as "avx2"; "" for other devices."""
        return str(ffi.string(self._info.instructions).decode())

    @property
    def compute_units(self) -> int:
        """OpenCL's compute units, or the threads of the CPU backend."""
        return int(self._info.compute_units)

    @property
    def memory_bytes(self) -> int:
        """Its memory; 0 where that is unknown."""
        return int(self._info.memory_bytes)

    # ---- What it keeps ----

    @property
    def usage(self) -> DeviceUsage:
        """The plans and programs that it keeps for the next time, and what they hold."""
        usage = ffi.new("relayout_device_usage *")
        usage.struct_size = ffi.sizeof("relayout_device_usage")
        call(lib.relayout_device_get_usage, self._handle, usage)
        budget = None if usage.budget_bytes == _NO_BUDGET else int(usage.budget_bytes)
        return DeviceUsage(int(usage.plans), int(usage.programs), int(usage.device_bytes),
                           int(usage.host_bytes), budget)

    def set_budget(self, budget: int | None) -> None:
        """How many bytes of its memory and the host's together the plans that it keeps may take;
        None: any number. Those that were used least lately go first."""
        if not isinstance(budget, int | None):
            raise TypeError(f"budget must be an integer or None, not {type(budget).__name__}")
        if budget is not None and not 0 <= budget < _NO_BUDGET:
            raise InvalidError(f"budget is {budget}, not 0 to 2**64 - 2")
        call(lib.relayout_device_set_budget, self._handle,
             _NO_BUDGET if budget is None else budget)

    def trim(self) -> None:
        """Lets go of the plans and programs that the device keeps for the next time."""
        lib.relayout_device_trim(self._handle)

    # ---- What it has learnt ----

    def export_wisdom(self) -> str:
        """What plans with the effort "measure" found, for `import_wisdom` of a device of the same
        kind and driver, in this process or another."""
        return text_of(lib.relayout_device_export_wisdom, self._handle)

    def import_wisdom(self, text: str) -> None:
        """Takes such a text over. Lines that cannot be read are passed over, and so is the text of
        another device, driver or version."""
        given = c_text(text, "text")
        call(lib.relayout_device_import_wisdom, self._handle, given, len(given))

    @property
    def tuning(self) -> str:
        """The row that its schedules go by, as text: its own, or that of the nearest machine."""
        return text_of(lib.relayout_device_get_tuning, self._handle)

    def set_tuning(self, text: str) -> None:
        """Makes this device go by such a row, of whatever device it is: plans that are made later
        do. No other thread may make plans of the device meanwhile."""
        call(lib.relayout_device_set_tuning, self._handle, c_text(text, "text"))

    def keep_tuning(self, text: str) -> None:
        """Keeps such a row for devices like this one that are opened later, in a file in the user's
        cache directory. InvalidError for a text that is none, UnsupportedError for another
        device's."""
        call(lib.relayout_tuning_keep, self._handle, c_text(text, "text"))

    @property
    def tuning_path(self) -> str:
        """The file in which such a row is kept, there or not; "" where none can be."""
        return text_of(lib.relayout_device_get_tuning_path, self._handle)

    def reset_tuning(self) -> bool:
        """Removes that file; whether there was one."""
        was_kept = ffi.new("int32_t *")
        call(lib.relayout_tuning_reset, self._handle, was_kept)
        return bool(was_kept[0])

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
