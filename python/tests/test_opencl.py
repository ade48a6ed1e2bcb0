"""pyopencl's memory, on its queues."""

import numpy
import pytest

import relayout

cl = pytest.importorskip("pyopencl")
import pyopencl.array  # noqa: E402


def _devices():
    try:
        return [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.LogicError:
        return []


@pytest.fixture(params=range(max(len(_devices()), 1)))
def queue(request):
    devices = _devices()
    if not devices:
        pytest.skip("no OpenCL device")
    return cl.CommandQueue(cl.Context([devices[request.param]]))


@pytest.fixture
def array(random):
    return random.integers(0, 99, (24, 36)).astype(numpy.float32)


def test_arrays(queue, array):
    ours = cl.array.to_device(queue, array)
    result = relayout.copy(ours, "{0,1}")
    assert isinstance(result, cl.array.Array)
    assert result.strides == (4, 96) and len(result.events) == 1
    assert numpy.array_equal(result.get(), array)
    tiles = relayout.copy(result, "{1,0:T(8,128)}")
    assert tiles.shape == (3, 1, 8, 128)
    back = relayout.copy(tiles, "f32[24,36]", from_="f32[24,36]{1,0:T(8,128)}")
    assert numpy.array_equal(back.get(), array)


def test_slices(queue, array):
    ours = cl.array.to_device(queue, array)
    out = cl.array.zeros(queue, (48, 10), numpy.float32)
    relayout.copy(ours[4:12, 3:9], out=out[8:16, 2:8])
    expected = numpy.zeros((48, 10), numpy.float32)
    expected[8:16, 2:8] = array[4:12, 3:9]
    assert numpy.array_equal(out.get(), expected)


def test_events(queue, array):
    ours = cl.array.to_device(queue, array)
    out = cl.array.empty(queue, (36, 24), numpy.float32)
    go = cl.UserEvent(queue.context)
    event = relayout.enqueue(queue, ours, out, to="{0,1}", wait_for=[go])
    assert isinstance(event, cl.Event)
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    go.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert numpy.array_equal(out.get(), array.T)


def test_buffers(queue, array):
    flags = cl.mem_flags
    source = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=array)
    out = cl.Buffer(queue.context, flags.READ_WRITE, array.nbytes)
    shape = "f32[24,36]"
    relayout.enqueue(queue, source, out, from_=shape, to="{0,1}").wait()
    result = numpy.empty((36, 24), numpy.float32)
    cl.enqueue_copy(queue, result, out)
    assert numpy.array_equal(result, array.T)
    out = cl.Buffer(queue.context, flags.READ_WRITE, array.nbytes)
    plan = relayout.plan(shape, "{0,1}", queue=queue)
    plan.enqueue(queue, source, out).wait()
    cl.enqueue_copy(queue, result, out)
    assert numpy.array_equal(result, array.T)
    with pytest.raises(relayout.InvalidError, match="from_ is no shape"):
        relayout.copy(source, "{0,1}", queue=queue)
    with pytest.raises(relayout.InvalidError, match="to is no shape"):
        relayout.copy(source, from_=shape, out=out, queue=queue)
    with pytest.raises(relayout.InvalidError):
        relayout.enqueue(queue, source, out, from_="f32[24,37]", to="{0,1}")
    with pytest.raises(relayout.InvalidError, match="from_ is no shape"):
        relayout.plan(source, shape)


def test_plans_for_arrays(queue, array):
    """A plan is for the context that its array is in."""
    ours = cl.array.to_device(queue, array)
    plan = relayout.plan(ours, "{0,1}")
    for factor in (1, 2):
        assert numpy.array_equal(plan(factor * ours).get(), factor * array)
    plan = relayout.plan("f32[24,36]", cl.array.empty(queue, (24, 36), numpy.float32))
    out = cl.array.zeros(queue, (24, 36), numpy.float32)
    assert plan(array, out) is out
    assert numpy.array_equal(out.get(), array)


def test_svm(queue, array):
    capabilities = cl.characterize.has_coarse_grain_buffer_svm(queue.device) \
        if hasattr(cl, "characterize") else False
    if not capabilities:
        pytest.skip("the device has no SVM")
    source = cl.SVM(cl.csvm_empty(queue.context, array.shape, array.dtype))
    with source.map_rw(queue) as mapped:
        mapped[:] = array
    out = cl.array.empty(queue, (36, 24), numpy.float32)
    relayout.enqueue(queue, source, out, from_="f32[24,36]", to="{0,1}").wait()
    assert numpy.array_equal(out.get(), array.T)


def test_host_sides(queue, array):
    """Up and down; these calls wait."""
    up = relayout.copy(array[::-1], "{0,1}", queue=queue)
    assert isinstance(up, cl.array.Array) and numpy.array_equal(up.get(), array[::-1])
    down = numpy.empty_like(array)
    relayout.copy(up, out=down)
    assert numpy.array_equal(down, array[::-1])


def test_padding(queue, array):
    padded = relayout.copy(cl.array.to_device(queue, array), "{1,0:PD(24,40)PV(unknown)}")
    memory = numpy.empty(24 * 40, numpy.float32)
    cl.enqueue_copy(queue, memory, padded.base_data)
    expected = numpy.zeros((24, 40), numpy.float32)
    expected[:, :36] = array
    assert numpy.array_equal(memory.reshape(24, 40), expected)


def test_without_queue(array):
    with pytest.raises(relayout.InvalidError, match="wait_for"):
        relayout.copy(array, wait_for=["event"])
