"""The weights of a small model, as an accelerator wants them, and back.

Matrices go to bf16 in tiles of 8 x 128, two rows of which share a 32-bit word: T(8,128)(2,1). All
else stays as it is. Conversion and relayout are one pass over the bytes."""

import numpy

import relayout

TILES = "{1,0:T(8,128)(2,1)}"


def make_model(random):
    sizes = [784, 256, 10]
    model = {}
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        model[f"layer{i}.weight"] = random.normal(size=(outputs, inputs)).astype(numpy.float32)
        model[f"layer{i}.bias"] = random.normal(size=outputs).astype(numpy.float32)
    return model


def tiled_shape(array):
    return relayout.Shape.of("bf16", array.shape, TILES)


def to_tiles(model):
    return {name: relayout.copy(array, tiled_shape(array)) if array.ndim == 2 else array
            for name, array in model.items()}


def from_tiles(tiled, model):
    return {name: relayout.copy(array, relayout.Shape.of("f32", model[name].shape),
                                from_=tiled_shape(model[name]))
            if model[name].ndim == 2 else array
            for name, array in tiled.items()}


def main():
    model = make_model(numpy.random.default_rng(1))
    tiled = to_tiles(model)
    for name, array in tiled.items():
        print(f"{name}: {model[name].shape} in {model[name].nbytes} bytes, "
              f"{array.shape} in {array.nbytes}")
    back = from_tiles(tiled, model)
    # bf16 keeps eight bits of a value.
    worst = max(float(numpy.max(numpy.abs(back[name] / model[name] - 1))) for name in model)
    print(f"back within {worst:.4f} of each value")
    assert worst <= 1 / 256


if __name__ == "__main__":
    main()
