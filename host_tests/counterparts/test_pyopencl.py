"""test_pyopencl.py LIBRARY: relayouts on the contexts, queues, buffers, arrays and SVM of pyopencl,
on each OpenCL device, compared with NumPy's copies. Exits with 77 without pyopencl or a device."""

import ctypes
import sys

try:
    import numpy
    import pyopencl
    import pyopencl.array
    import pyopencl.characterize
except ImportError as missing:
    print(missing)
    sys.exit(77)

from relayout_library import OpenclMemory, OpenclStaging, Relayout

ROWS, COLUMNS = 60, 70


def handle(of):
    return ctypes.c_void_p(of.int_ptr)


def event_list(events):
    return (ctypes.c_void_p * len(events))(*[event.int_ptr for event in events])


class Scene:
    """A device of pyopencl's, and relayout on it."""

    def __init__(self, path, device):
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.relayout = Relayout(path, device=None)
        self.relayout("opencl_device_create", handle(self.context), handle(device), None,
                      ctypes.byref(self.relayout.device))

    def close(self):
        self.relayout.library.relayout_device_destroy(self.relayout.device)

    def view_of(self, array):
        """Of a pyopencl.array.Array, from the first byte of its buffer on."""
        return self.relayout.strided_view({"float32": "f32", "uint8": "u8"}[array.dtype.name],
                                          array.shape, array.strides, array.offset)

    def enqueue(self, source, destination, wait):
        """From one array to another."""
        event = ctypes.c_void_p()
        with self.relayout.plan(self.view_of(source), self.view_of(destination)) as plan:
            self.relayout("plan_enqueue", plan, handle(self.queue), handle(source.base_data),
                          ctypes.c_size_t(0), handle(destination.base_data), ctypes.c_size_t(0),
                          len(wait), event_list(wait), ctypes.byref(event))
        return pyopencl.Event.from_int_ptr(event.value, retain=False)

    def submit(self, source_view, source, destination_view, destination):
        """Between memory of any two kinds; waits."""
        needed, source_done, done = ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
        with self.relayout.plan(source_view, destination_view) as plan:
            self.relayout("plan_staging_size", plan, source.kind, destination.kind,
                          ctypes.byref(needed))
            staging = OpenclStaging(ctypes.sizeof(OpenclStaging))
            if needed.value > 0:
                buffer = pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE, needed.value)
                staging.buffer = buffer.int_ptr
            self.relayout("plan_submit", plan, handle(self.queue), ctypes.byref(source),
                          ctypes.byref(destination), ctypes.byref(staging), 0, None,
                          ctypes.byref(source_done), ctypes.byref(done))
        for event in (source_done, done):
            pyopencl.Event.from_int_ptr(event.value, retain=False).wait()


def memory(kind, buffer=None, pointer=None):
    return OpenclMemory(ctypes.sizeof(OpenclMemory), kind, buffer, pointer, 0)


def expect_equal(ours, theirs, what):
    if ours.tobytes() != theirs.tobytes():
        raise AssertionError(f"{what}: other bytes than NumPy's")


def test_arrays(scene):
    """Slices, reversed and permuted ones, to and from unbroken arrays, in the queue's order."""
    whole = numpy.arange(4 * ROWS * COLUMNS, dtype=numpy.float32).reshape(4, ROWS, COLUMNS)
    slices = [(slice(None), slice(None), slice(None)),
              (slice(1, 4, 2), slice(3, None), slice(None, 40)),
              (slice(2, 3), slice(None, None, 7), slice(None, None, 3))]
    on_device = pyopencl.array.to_device(scene.queue, whole)
    for taken in slices:
        for axes in [(0, 1, 2), (2, 0, 1)]:
            part, expected = on_device[taken].transpose(axes), whole[taken].transpose(axes)
            dense = pyopencl.array.zeros(scene.queue, part.shape, part.dtype)
            event = scene.enqueue(part, dense, wait=dense.events + on_device.events)
            back = pyopencl.array.to_device(scene.queue, numpy.zeros_like(whole))
            scene.enqueue(dense, back[taken].transpose(axes), wait=[event] + back.events).wait()
            expect_equal(dense.get(), numpy.ascontiguousarray(expected), f"{taken} {axes}")
            only_there = numpy.zeros_like(whole)
            only_there[taken] = whole[taken]
            expect_equal(back.get(), only_there, f"back to {taken} {axes}")


def test_kinds(scene):
    """A transpose between each two kinds of memory."""
    content = numpy.arange(ROWS * COLUMNS, dtype=numpy.uint8).reshape(ROWS, COLUMNS)
    expected, size = numpy.ascontiguousarray(content.transpose()), content.nbytes
    source_view = scene.relayout.view(f"u8[{ROWS},{COLUMNS}]")
    destination_view = scene.relayout.view(f"u8[{ROWS},{COLUMNS}]{{0,1}}")
    flags = pyopencl.mem_flags
    source_buffer = pyopencl.Buffer(scene.context, flags.READ_ONLY | flags.COPY_HOST_PTR,
                                    hostbuf=content)
    destination_buffer = pyopencl.Buffer(scene.context, flags.READ_WRITE, size)
    on_host = numpy.zeros_like(expected)
    sources = [memory(OpenclMemory.BUFFER, buffer=source_buffer.int_ptr),
               memory(OpenclMemory.HOST, pointer=content.ctypes.data)]
    destinations = [(memory(OpenclMemory.BUFFER, buffer=destination_buffer.int_ptr),
                     destination_buffer),
                    (memory(OpenclMemory.HOST, pointer=on_host.ctypes.data), None)]
    device = scene.context.devices[0]
    if pyopencl.characterize.has_coarse_grain_buffer_svm(device):
        made = [pyopencl.SVMAllocation(scene.context, size, 0, pyopencl.svm_mem_flags.READ_WRITE)
                for _ in range(2)]
        pyopencl.enqueue_copy(scene.queue, made[0], content)
        sources.append(memory(OpenclMemory.SVM, pointer=made[0].svm_ptr))
        destinations.append((memory(OpenclMemory.SVM, pointer=made[1].svm_ptr), made[1]))
    for source in sources:
        for destination, holder in destinations:
            on_host[...] = 0
            scene.submit(source_view, source, destination_view, destination)
            if holder is not None:
                pyopencl.enqueue_copy(scene.queue, on_host, holder)
            expect_equal(on_host, expected, f"kind {source.kind} to {destination.kind}")
    return len(sources) * len(destinations)


def main():
    devices = [device for platform in pyopencl.get_platforms() for device in platform.get_devices()
               if device.version >= "OpenCL 1.2"]
    for device in devices:
        scene = Scene(sys.argv[1], device)
        test_arrays(scene)
        pairs = test_kinds(scene)
        scene.close()
        print(f"pyopencl {pyopencl.VERSION_TEXT}, {device.name}: arrays, {pairs} pairs of kinds")
    sys.exit(0 if devices else 77)


if __name__ == "__main__":
    main()
