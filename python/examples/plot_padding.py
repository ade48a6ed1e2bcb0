"""Where the padding of a layout is: a picture of the memory, rows of it side by side.

    python plot_padding.py "f32[20,100]{1,0:T(8,128)}" padding.png

Without matplotlib, or without a second argument, it is drawn in letters."""

import sys

import numpy

import relayout


def padding_map(shape):
    """True where an element of the memory belongs to the tensor, False where it is padding."""
    ones = numpy.ones(shape.dimensions, numpy.uint8)
    text = str(shape).removeprefix(shape.element_type)
    return relayout.copy(ones, f"u8{text}", out=numpy.zeros(_count(shape), bool).view(numpy.uint8))


def _count(shape):
    return int(numpy.prod(shape.physical_dimensions))


def draw(shape, width):
    for row in padding_map(shape).reshape(-1, width):
        print("".join("#" if is_element else "." for is_element in row))


def plot(shape, width, path):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    axes.imshow(padding_map(shape).reshape(-1, width), cmap="Greys", aspect="auto", vmin=-0.3)
    axes.set_title(f"{shape}: {shape.padding_byte_size} of {shape.byte_size} bytes are padding")
    axes.set_xlabel("element of a row of memory")
    axes.set_ylabel("row")
    figure.savefig(path)


def main(text="f32[5,10]{1,0:T(4,16)}", path=None):
    shape = relayout.Shape(text)
    width = shape.physical_dimensions[-1]
    try:
        if path is not None:
            plot(shape, width, path)
            return
    except ImportError as missing:
        print(f"{missing}: drawn in letters")
    draw(shape, width)


if __name__ == "__main__":
    main(*sys.argv[1:])
