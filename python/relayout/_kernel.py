"""Relayouts as source text, for programs that launch kernels by CUDA, HIP or another API."""
from __future__ import annotations

from dataclasses import dataclass

from ._errors import c_text, call
from ._library import ffi, lib
from ._plan import _options
from ._shape import Shape


@dataclass(frozen=True)
class Kernel:
    """A kernel, or in C a function: all that there is to know to compile and launch it.

    `global_size` and `local_size` count work-items: CUDA launches global_size // local_size blocks
    of local_size threads. `arguments` has the names of its arguments in their order: "destination",
    "destination_offset", "source" and "source_offset", where offsets are whole numbers of 64 bits,
    in bytes. Memory and offset together must be multiples of `alignment`, source then destination.
    """
    name: str
    source: str
    global_size: int
    local_size: int
    arguments: tuple[str, ...]
    alignment: tuple[int, int]


_ROLES = {lib.RELAYOUT_ARGUMENT_DESTINATION: "destination",
          lib.RELAYOUT_ARGUMENT_DESTINATION_OFFSET: "destination_offset",
          lib.RELAYOUT_ARGUMENT_SOURCE: "source",
          lib.RELAYOUT_ARGUMENT_SOURCE_OFFSET: "source_offset"}


def emit_kernels(from_: str | Shape, to: str | Shape, language: str, *, name: str = "relayout",
                 at_any_offset: bool = False) -> list[Kernel]:
    """The kernels that do a relayout, in "opencl", "cuda" or "hip", or one function in "c".

    They are planned for a GPU of which nothing is known, so that no driver is needed, and may run in
    any order. What `to` does not say is as `from_` has it. With `at_any_offset` the sides may begin
    at any element, not at aligned addresses alone. InvalidError for another language, and for a
    name that is none there; UnsupportedError for a language without kernels.
    """
    source = from_ if isinstance(from_, Shape) else Shape(from_)
    destination = to if isinstance(to, Shape) else Shape._of_part(to, source._struct)
    number = ffi.new("relayout_language *")
    call(lib.relayout_language_parse, c_text(language), number)
    named = ffi.new("char[]", c_text(name))
    options = ffi.new("relayout_kernel_options *")
    options.struct_size = ffi.sizeof("relayout_kernel_options")
    options.language = number[0]
    options.name = named
    options.use = (lib.RELAYOUT_SCHEDULE_AT_ANY_OFFSET if at_any_offset
                   else lib.RELAYOUT_SCHEDULE_ALIGNED)
    made = ffi.new("relayout_device **")
    call(lib.relayout_gpu_device_create, ffi.NULL, made)
    device = ffi.gc(made[0], lib.relayout_device_destroy)
    plan_options = _options(1, "saturate", "zero", specialize=True)
    planned = ffi.new("relayout_plan **")
    call(lib.relayout_plan_create, device, source._struct, destination._struct,
         plan_options.struct, planned)
    plan = ffi.gc(planned[0], lib.relayout_plan_destroy)
    count = ffi.new("int32_t *")
    call(lib.relayout_plan_count_kernels, plan, options, count)
    return [_kernel(plan, i, options) for i in range(count[0])]


def _kernel(plan: object, number: int, options: object) -> Kernel:
    kernel = ffi.new("relayout_kernel *")
    kernel.struct_size = ffi.sizeof("relayout_kernel")
    call(lib.relayout_plan_get_kernel, plan, number, options, kernel)
    try:
        return Kernel(name=ffi.string(kernel.name).decode(),
                      source=ffi.string(kernel.source).decode(),
                      global_size=int(kernel.global_size), local_size=int(kernel.local_size),
                      arguments=tuple(_ROLES[kernel.arguments[i].role]
                                      for i in range(kernel.argument_count)),
                      alignment=(int(kernel.source_alignment),
                                 int(kernel.destination_alignment)))
    finally:
        lib.relayout_kernel_free(kernel)
