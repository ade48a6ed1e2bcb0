"""test_dlpack.py LIBRARY CAPSULES FRAMEWORK: tensors of numpy, torch or jax that lie in odd ways,
by the DLPack capsules that these hand out and take, compared with the framework's own copies.
CAPSULES is the shared library of dlpack_capsules.c. Exits with 77 where the framework is not
installed."""

import ctypes
import importlib
import random
import sys

try:
    import numpy
    framework = importlib.import_module(sys.argv[3])
except ImportError as missing:
    print(missing)
    sys.exit(77)

from relayout_library import Error, Refused, Relayout, View


def some_words(rng, dtype, shape):
    """An array of random bytes; of zeros and ones for bool."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    words = numpy.frombuffer(rng.randbytes(count * dtype.itemsize), numpy.uint8).copy()
    return (words % 2 == 1 if dtype == bool else words.view(dtype)).reshape(shape)


def some_shape(rng):
    return [rng.choice([0, 1, 1, 2, 3, 4, 5, 6]) if rng.random() < 0.3 else rng.randrange(1, 7)
            for _ in range(rng.randrange(0, 5))]


def some_strides(rng, shape, size, gaps=0.2, backwards=0.0):
    """In bytes, in any order of dimensions, with a gap or backwards at these odds."""
    strides, stride = [0] * len(shape), size
    for d in rng.sample(range(len(shape)), len(shape)):
        strides[d] = -stride if rng.random() < backwards else stride
        stride *= max(shape[d], 1) + (rng.random() < gaps)
    return strides


class NumPy:
    types = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 "
             "complex64 complex128").split()
    exported = {"pred": 1, "s8": 1, "u16": 2, "s32": 4, "f16": 2, "f32": 4, "u64": 8, "c64": 8,
                "c128": 16}
    steps = [1, 1, 2, -1, -2]
    cases = 1000
    takes_versioned = True
    without_xla_type = []

    def tensor(self, rng, dtype):
        array = some_words(rng, dtype, some_shape(rng))
        slices = [slice(None, None, rng.choice(self.steps)) for _ in array.shape]
        array = array[(..., *slices)].transpose(rng.sample(range(array.ndim), array.ndim))
        return numpy.broadcast_to(array, [3, *array.shape]) if rng.random() < 0.1 else array

    def capsule(self, tensor, rng):
        is_versioned = rng.random() < 0.5 or not tensor.flags.writeable
        return tensor.__dlpack__(max_version=(1, 0)) if is_versioned else tensor.__dlpack__()

    def is_read_only(self, tensor):
        return not tensor.flags.writeable

    def strides(self, rng, shape, size):
        return some_strides(rng, shape, size, backwards=0.2)

    def content(self, tensor):
        return tensor.tobytes()

    def take(self, exporter):
        return numpy.from_dlpack(exporter)


class Torch(NumPy):
    types = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 "
             "float64 complex32 complex64 complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz "
             "float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2").split()
    exported = {**NumPy.exported, "bf16": 2, "f8e4m3fn": 1, "f8e5m2": 1, "f8e5m2fnuz": 1}
    steps = [1, 1, 2, 3]
    without_xla_type = ["complex32"]

    def tensor(self, rng, dtype):
        dtype, torch = getattr(framework, dtype), framework
        if dtype == torch.float4_e2m1fn_x2:  # packed: it lies in order
            return torch.from_numpy(some_words(rng, "uint8", some_shape(rng) + [2])).view(dtype)
        words = some_words(rng, "bool" if dtype == torch.bool else "uint8",
                           some_shape(rng) + [dtype.itemsize])
        tensor = torch.from_numpy(words).view(dtype)[..., 0]
        tensor = tensor[tuple(slice(None, None, rng.choice(self.steps)) for _ in tensor.shape)]
        tensor = tensor.permute(rng.sample(range(tensor.ndim), tensor.ndim))
        return tensor.expand(3, *tensor.shape) if rng.random() < 0.1 else tensor

    def capsule(self, tensor, rng):
        return tensor.__dlpack__(max_version=rng.choice([None, (1, 0)]))

    def is_read_only(self, tensor):
        return False

    def strides(self, rng, shape, size):
        return some_strides(rng, shape, size)

    def content(self, tensor):
        dense = tensor.clone(memory_format=framework.contiguous_format)
        return dense.reshape(-1).view(framework.uint8).numpy().tobytes()

    def take(self, exporter):
        return framework.from_dlpack(exporter)


class Jax(NumPy):
    types = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 "
             "float64 complex64 complex128 float8_e3m4 float8_e4m3 float8_e4m3fn float8_e5m2 "
             "float8_e4m3fnuz float8_e5m2fnuz float8_e4m3b11fnuz float8_e8m0fnu "
             "float4_e2m1fn").split()
    exported = {**NumPy.exported, "bf16": 2, "f8e4m3fn": 1, "f8e3m4": 1, "f8e4m3b11fnuz": 1}
    cases = 150  # each order is compiled
    takes_versioned = False

    def __init__(self):
        framework.config.update("jax_enable_x64", True)
        self.layouts = importlib.import_module("jax.experimental.layout")
        self.device = framework.sharding.SingleDeviceSharding(framework.devices("cpu")[0])

    def tensor(self, rng, dtype):
        """In a random order on the device; elements of 4 bits are packed, and lie in order."""
        dtype = framework.numpy.dtype(dtype)
        shape = some_shape(rng)
        if dtype.name == "float4_e2m1fn":
            return framework.device_put((some_words(rng, "uint8", shape) % 16).view(dtype))
        order = tuple(rng.sample(range(len(shape)), len(shape)))
        words = some_words(rng, "bool" if dtype == bool else f"V{dtype.itemsize}", shape)
        layout = self.layouts.Layout(major_to_minor=order)
        return framework.device_put(words.view(dtype), self.layouts.Format(layout, self.device))

    def capsule(self, tensor, rng):
        return tensor.__dlpack__(max_version=rng.choice([None, (1, 0)]))

    def is_read_only(self, tensor):
        return False  # capsules without a version do not tell

    def strides(self, rng, shape, size):
        return some_strides(rng, shape, size, gaps=0.0)  # it takes whole arrays in any order

    def content(self, tensor):
        return numpy.asarray(tensor).tobytes()

    def take(self, exporter):
        return framework.dlpack.from_dlpack(exporter)


FRAMEWORKS = {"numpy": NumPy, "torch": Torch, "jax": Jax}


class Capsules:
    """The shared library of dlpack_capsules.c, and what Python says of capsules."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        python = ctypes.pythonapi
        self.name_of, self.pointer_of, self.new = (
            python.PyCapsule_GetName, python.PyCapsule_GetPointer, python.PyCapsule_New)
        self.name_of.restype, self.name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
        self.pointer_of.restype = ctypes.c_void_p
        self.pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.new.restype = ctypes.py_object
        self.new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    def view(self, capsule):
        """Of what is in a capsule, and its pointer."""
        name, view, data, error = self.name_of(capsule), View(), ctypes.c_void_p(), Error()
        managed = ctypes.c_void_p(self.pointer_of(capsule, name))
        status = self.library.view_of_capsule(managed, name == b"dltensor_versioned",
                                              ctypes.byref(view), ctypes.byref(data),
                                              ctypes.byref(error))
        if status != 0:
            raise Refused("view_of_capsule", status, error.message.decode())
        return view, data.value

    def capsule(self, view, data, is_versioned):
        """With a tensor on somebody's memory. Whoever takes it deletes it."""
        managed, error = ctypes.c_void_p(), Error()
        if self.library.make_managed(ctypes.byref(view), ctypes.c_void_p(data), is_versioned,
                                     ctypes.byref(managed), ctypes.byref(error)) != 0:
            raise AssertionError(error.message.decode())
        return self.new(managed, b"dltensor_versioned" if is_versioned else b"dltensor", None)


def check_source(relayout, capsules, of, rng, dtype):
    """A framework's tensor as it lies, put in order."""
    tensor = of.tensor(rng, dtype)
    capsule = of.capsule(tensor, rng)
    view, pointer = capsules.view(capsule)
    if view.is_read_only != of.is_read_only(tensor):
        raise AssertionError(f"{dtype}: read-only is {view.is_read_only}")
    dense = relayout.dense_view(view)
    if dtype == "float4_e2m1fn_x2":  # torch has bytes of two
        dense.shape.layout.element_size_in_bits = 4
    moved = numpy.zeros(relayout.span(dense)[1], numpy.uint8)
    relayout.move(view, pointer, dense, moved.ctypes.data)
    if moved.tobytes() != of.content(tensor):
        raise AssertionError(f"{dtype} {tensor.shape}: other bytes than {sys.argv[3]}")


def check_destination(relayout, capsules, of, rng, dtype):
    """A framework's tensor as it lies, written where it may be, through an unbroken one."""
    tensor = of.tensor(rng, dtype)
    view, pointer = capsules.view(of.capsule(tensor, rng))
    dense = relayout.dense_view(view)
    size = relayout.span(dense)[1]
    content = some_words(rng, "bool" if dtype == "bool" else "uint8", [size]).view(numpy.uint8)
    is_repeated = view.is_strided and size > 0 and any(
        view.byte_strides[d] == 0 and view.shape.dimensions[d] > 1 for d in range(view.shape.rank))
    try:
        relayout.move(dense, content.ctypes.data, view, pointer)
    except Refused:
        if not (view.is_read_only or is_repeated):
            raise
        return
    if view.is_read_only or is_repeated or of.content(tensor) != content.tobytes():
        raise AssertionError(f"{dtype} {tensor.shape}: written in another way")


class Exporter:
    """A tensor of the library's, as frameworks ask for it."""

    def __init__(self, capsules, view, data, is_versioned):
        self.make = lambda: capsules.capsule(view, data, is_versioned)

    def __dlpack__(self, **_):
        return self.make()

    def __dlpack_device__(self):
        return (1, 0)


def check_taken(relayout, capsules, of, rng, type_name):
    """The library's tensors, which frameworks take with strides, an offset and flags."""
    size, shape = of.exported[type_name], some_shape(rng)
    strides = of.strides(rng, shape, size)
    view = relayout.strided_view(type_name, shape, strides)
    lowest, span = relayout.span(view)
    view.byte_offset = -lowest + size * rng.randrange(4)
    is_versioned = of.takes_versioned and rng.random() < 0.5
    view.is_read_only = is_versioned and type(of) is NumPy and rng.random() < 0.3
    words = some_words(rng, "bool" if type_name == "pred" else "uint8", [span + 4 * size])
    taken = of.take(Exporter(capsules, view, words.ctypes.data, is_versioned))
    expected = numpy.ndarray(shape, f"V{size}", words, view.byte_offset, strides)
    if of.content(taken) != expected.tobytes():
        raise AssertionError(f"{type_name} {shape} {strides}: {sys.argv[3]} took other bytes")
    is_writeable = is_versioned and not view.is_read_only  # NumPy trusts no capsule without flags
    if type(of) is NumPy and taken.flags.writeable != is_writeable:
        raise AssertionError(f"NumPy's array is {'' if is_writeable else 'not '}read-only")


def main():
    relayout, capsules = Relayout(sys.argv[1]), Capsules(sys.argv[2])
    of, rng = FRAMEWORKS[sys.argv[3]](), random.Random(20)
    for _ in range(of.cases):
        dtype = rng.choice(of.types)
        if dtype in of.without_xla_type:
            try:
                check_source(relayout, capsules, of, rng, dtype)
            except Refused:
                continue
            raise AssertionError(f"{dtype} was taken")
        check_source(relayout, capsules, of, rng, dtype)
        if not isinstance(of, Jax) and "float4" not in dtype:  # jax's are never written
            check_destination(relayout, capsules, of, rng, dtype)
        check_taken(relayout, capsules, of, rng, rng.choice(list(of.exported)))
    print(f"{sys.argv[3]} {framework.__version__}: {of.cases} tensors each way")


if __name__ == "__main__":
    main()
