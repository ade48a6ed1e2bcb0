"""What the tests share: a relayout worked out element by element."""

import itertools

import numpy
import pytest

import relayout


def _expected_memory(array, shape, before):
    """The memory of a tensor in an unpacked layout, as a list of elements; `before` is what it
    held. Padding is left out: it is whatever `before` has."""
    memory = before.copy()
    for index in itertools.product(*(range(size) for size in array.shape)):
        memory[shape.linear_index(*index)] = array[index]
    return memory


@pytest.fixture
def expected_memory():
    return _expected_memory


@pytest.fixture(params=["cpu", "opencl"])
def device(request):
    try:
        return relayout.Device(request.param)
    except relayout.DeviceError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def random():
    return numpy.random.default_rng(7)
