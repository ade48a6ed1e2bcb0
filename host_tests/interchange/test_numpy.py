"""test_numpy.py LIBRARY: arrays that NumPy describes, by DLPack capsules and __array_interface__,
moved as they lie and compared with NumPy's own copies. Exits with 77 where there is no NumPy."""

import ctypes
import random
import sys

try:
    import numpy
except ImportError:
    print("no NumPy found")
    sys.exit(77)

from relayout_library import DlpackFields, Refused, Relayout, View, list_of

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64"


class DataType(ctypes.Structure):
    """DLPack's DLDataType"""
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLPack's DLTensor, which a capsule called "dltensor" begins with."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def by_dlpack(relayout, array):
    """The array's view, its pointer, and what has to live as long."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = array.__dlpack__()
    tensor = Tensor.from_address(pointer_of(capsule, b"dltensor"))
    fields = DlpackFields(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes, tensor.ndim,
                          tensor.shape, tensor.strides, tensor.byte_offset, 0)
    view = View()
    relayout("view_from_dlpack_fields", ctypes.byref(fields), ctypes.byref(view))
    return view, tensor.data, capsule


def by_array_interface(relayout, array):
    """The same by NumPy's own words."""
    told = array.__array_interface__
    strides = None if told["strides"] is None else list_of(told["strides"])
    view = View()
    relayout("view_from_array_interface", told["typestr"].encode(), len(told["shape"]),
             list_of(told["shape"]), strides, ctypes.c_bool(told["data"][1]), ctypes.byref(view))
    return view, told["data"][0], None


def some_array(rng):
    """Slices, transposes and broadcasts of arrays of random bytes."""
    dtype = numpy.dtype(rng.choice(TYPES.split()))
    shape = [rng.randrange(1, 7) for _ in range(rng.randrange(0, 5))]
    count = int(numpy.prod(shape, dtype=int))
    words = numpy.frombuffer(rng.randbytes(count * dtype.itemsize), numpy.uint8).copy()
    array = (words % 2 == 1)[:count] if dtype == bool else words.view(dtype)
    array = array.reshape(shape)
    slices = tuple(slice(None, None, rng.choice([1, 1, 2, -1, -2])) for _ in shape)
    array = array[slices].transpose(rng.sample(range(len(shape)), len(shape)))
    if rng.random() < 0.1:
        array = numpy.broadcast_to(array, [2, *array.shape])
    return array


def check(relayout, describe, array, destination):
    """As it lies into another array of its shape, which lies in its own way."""
    source_view, source_pointer, source_kept = describe(relayout, array)
    view, pointer, kept = describe(relayout, destination)
    relayout.move(source_view, source_pointer, view, pointer)
    del source_kept, kept
    if destination.tobytes() != array.tobytes():
        raise AssertionError(f"{array.dtype} {array.shape} {array.strides} by {describe.__name__}")


def main():
    relayout = Relayout(sys.argv[1])
    rng = random.Random(20)
    moved = 0
    for _ in range(2000):
        array = some_array(rng)
        order = rng.sample(range(array.ndim), array.ndim)
        empty = numpy.zeros([array.shape[d] for d in order], array.dtype)
        destination = empty.transpose(numpy.argsort(order)) if array.ndim > 0 else empty
        check(relayout, by_array_interface, array, destination)
        moved += 1
        if array.flags.writeable: # NumPy hands out no capsules of others
            destination[...] = 0
            check(relayout, by_dlpack, array, destination)
            moved += 1
    try:
        view, pointer, _ = by_array_interface(relayout, numpy.broadcast_to(numpy.int8(1), [3]))
        relayout.move(view, pointer, view, pointer)
    except Refused as refused:
        assert "read_only" in str(refused), refused
    else:
        raise AssertionError("a read-only array was taken as a destination")
    print(f"NumPy {numpy.__version__}: {moved} arrays moved")


if __name__ == "__main__":
    main()
