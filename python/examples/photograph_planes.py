"""A photograph, whose three colours lie together, as padded planes for an OpenCL kernel.

Rows of each plane begin at multiples of 64 bytes, so that the kernel needs no test at their ends,
and the bytes that pad them are zero. The relayout goes along with the upload. Without pyopencl or a
device the planes are made on the host alone."""

import numpy

import relayout

HEIGHT, WIDTH, COLOURS = 480, 630, 3
PITCH = 640

KERNEL = """
kernel void invert(global uchar *planes) {
  planes[get_global_id(0)] = 255 - planes[get_global_id(0)];
}
"""


def planes_layout():
    """A dimension is widened at its end; the colours are the slowest in memory."""
    return f"{{1,0,2:PD({HEIGHT},{PITCH},{COLOURS})}}"


def make_photograph():
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    return numpy.stack([x % 256, y % 256, (x + y) % 256], axis=-1).astype(numpy.uint8)


def invert_on_device(photograph):
    import pyopencl as cl

    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    planes = relayout.copy(photograph, planes_layout(), queue=queue)
    invert = cl.Program(queue.context, KERNEL).build().invert
    invert(queue, (COLOURS * HEIGHT * PITCH,), None, planes.base_data, wait_for=planes.events)
    result = numpy.empty_like(photograph)
    relayout.copy(planes, out=result)
    return result


def main():
    photograph = make_photograph()
    planes = relayout.copy(photograph, planes_layout())
    print(f"{photograph.shape} as planes of {planes.base.shape[1]} rows, {planes.strides[0]} bytes "
          "from one to the next")
    assert numpy.array_equal(planes.base[:, :, :WIDTH], photograph.transpose(2, 0, 1))
    assert not planes.base[:, :, WIDTH:].any()
    try:
        inverted = invert_on_device(photograph)
    except Exception as reason:  # pyopencl's own, of many kinds
        print(f"no OpenCL: {reason}")
        return
    assert numpy.array_equal(inverted, 255 - photograph)
    print("inverted on the device, and back in order")


if __name__ == "__main__":
    main()
