"""relayout_library.py: the shared library by ctypes, for tests in Python: its structs as the public
headers declare them, and its calls, whose failures are exceptions."""

import contextlib
import ctypes

MAX_RANK = 64


class Error(ctypes.Structure):
    """relayout_error"""
    _fields_ = [("status", ctypes.c_int), ("cl_status", ctypes.c_int32),
                ("message", ctypes.c_char * 512)]


class Layout(ctypes.Structure):
    """relayout_layout"""
    _fields_ = [("rank", ctypes.c_int32), ("minor_to_major", ctypes.c_int32 * MAX_RANK),
                ("padded_dimension_count", ctypes.c_int32), ("padding_value", ctypes.c_int),
                ("padded_dimensions", ctypes.c_int64 * MAX_RANK),
                ("padding_literal", ctypes.c_uint8 * 16), ("tile_count", ctypes.c_int32),
                ("tile_ranks", ctypes.c_int32 * 16), ("tile_dimensions", ctypes.c_int64 * 128),
                ("tail_padding_alignment_in_elements", ctypes.c_int64),
                ("element_size_in_bits", ctypes.c_int64), ("memory_space", ctypes.c_int64)]


class Shape(ctypes.Structure):
    """relayout_shape"""
    _fields_ = [("element_type", ctypes.c_int), ("rank", ctypes.c_int32),
                ("dimensions", ctypes.c_int64 * MAX_RANK), ("layout", Layout)]


class View(ctypes.Structure):
    """relayout_view"""
    _fields_ = [("shape", Shape), ("is_strided", ctypes.c_bool), ("is_read_only", ctypes.c_bool),
                ("byte_offset", ctypes.c_int64), ("byte_strides", ctypes.c_int64 * MAX_RANK),
                ("byte_order", ctypes.c_int)]


class DlpackFields(ctypes.Structure):
    """relayout_dlpack_fields"""
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("ndim", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("flags", ctypes.c_uint64)]


class OpenclMemory(ctypes.Structure):
    """relayout_opencl_memory, with the numbers of relayout_memory_kind"""
    BUFFER, HOST, SVM = 0, 1, 2
    _fields_ = [("struct_size", ctypes.c_size_t), ("kind", ctypes.c_int),
                ("memory", ctypes.c_void_p), ("pointer", ctypes.c_void_p),
                ("offset", ctypes.c_size_t)]


class OpenclStaging(ctypes.Structure):
    """relayout_opencl_staging"""
    _fields_ = [("struct_size", ctypes.c_size_t), ("buffer", ctypes.c_void_p),
                ("offset", ctypes.c_size_t), ("upload_queue", ctypes.c_void_p),
                ("download_queue", ctypes.c_void_p)]


class Refused(Exception):
    """What a call returned but RELAYOUT_OK."""

    def __init__(self, name, status, message):
        super().__init__(f"{name}: {message}")
        self.status = status


def list_of(numbers):
    """For arguments that are lists of int64_t."""
    return (ctypes.c_int64 * max(len(numbers), 1))(*numbers)


class Relayout:
    """The library. Its functions are called by their names, without the `relayout_` and without the
    error, and with a plain number for each pointer; views and plans have methods below."""

    def __init__(self, path, device="cpu"):
        self.library = ctypes.CDLL(path)
        self.device = ctypes.c_void_p()
        if device is not None:
            self("device_open", device.encode(), ctypes.byref(self.device))

    def __call__(self, name, *arguments):
        error = Error()
        status = getattr(self.library, "relayout_" + name)(*arguments, ctypes.byref(error))
        if status != 0:
            raise Refused(name, status, error.message.decode())

    def shape(self, text):
        made = Shape()
        self("shape_parse", text.encode(), ctypes.byref(made))
        return made

    def view(self, shape):
        """Of all of a tensor of this shape, or text."""
        made = View()
        whole = self.shape(shape) if isinstance(shape, str) else shape
        self("view_make", ctypes.byref(whole), ctypes.byref(made))
        return made

    def strided_view(self, type_name, dimensions, byte_strides, byte_offset=0):
        made, number = View(), ctypes.c_int()
        self("element_type_parse", type_name.encode(), ctypes.byref(number))
        self("view_make_strided", number, len(dimensions), list_of(dimensions),
             list_of(byte_strides), ctypes.byref(made))
        made.byte_offset = byte_offset
        return made

    def dense_view(self, view):
        """Of a tensor of a view's dimensions, one element behind the other in whole bytes."""
        dense = Shape()
        self("shape_make", view.shape.element_type, view.shape.rank, view.shape.dimensions,
             ctypes.byref(dense))
        return self.view(dense)

    def span(self, view):
        """How far the lowest byte is from the view's pointer, and how many there are."""
        lowest, size = ctypes.c_int64(), ctypes.c_size_t()
        self("view_span", ctypes.byref(view), ctypes.byref(lowest), ctypes.byref(size))
        return lowest.value, size.value

    @contextlib.contextmanager
    def plan(self, source, destination):
        made = ctypes.c_void_p()
        self("plan_create_between", self.device, ctypes.byref(source), ctypes.byref(destination),
             None, ctypes.byref(made))
        try:
            yield made
        finally:
            self.library.relayout_plan_destroy(made)

    def move(self, source, source_pointer, destination, destination_pointer):
        """From one view to another, in host memory."""
        with self.plan(source, destination) as plan:
            self("plan_execute", plan, ctypes.c_void_p(source_pointer),
                 ctypes.c_void_p(destination_pointer))
