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


def test_arrays_without_elements(queue):
    """They have no buffer."""
    empty = cl.array.zeros(queue, (0, 5), numpy.float32)
    host = numpy.zeros((0, 5), numpy.float32)
    assert relayout.copy(empty, "{0,1}").shape == (0, 5)
    assert relayout.copy(empty, out=host) is host and relayout.copy(host, out=empty) is empty
    assert relayout.copy(host, queue=queue).shape == (0, 5)
    relayout.enqueue(queue, empty, empty).wait()
    plan = relayout.plan(empty, "{0,1}")
    assert plan(empty).shape == (0, 5)
    with pytest.raises(relayout.InvalidError, match=r"source is float32\[0,6\]"):
        relayout.plan("f32[0,5]", "{0,1}", queue=queue)(cl.array.zeros(queue, (0, 6), "f4"))


@pytest.mark.parametrize("name, count", [("float4", 4), ("float2", 2), ("float16", 16),
                                         ("float3", 3)])
def test_vectors(queue, name, count):
    """One more dimension, as DLPack's lanes are; the fourth element of three stays as it is."""
    types = pytest.importorskip("pyopencl.cltypes")
    vectors = numpy.zeros(7, getattr(types, name))
    fields = vectors.dtype.names[:count]
    expected = numpy.arange(7 * count, dtype=numpy.float32).reshape(7, count)
    for lane, field in enumerate(fields):
        vectors[field] = expected[:, lane]
    assert numpy.array_equal(relayout.copy(vectors), expected)
    ours = cl.array.to_device(queue, vectors)
    assert numpy.array_equal(relayout.copy(ours, "{0,1}").get(), expected)
    if count == 3:
        vectors["padding0"] = 9
    out = cl.array.to_device(queue, vectors)
    relayout.copy(expected[::-1], out=out)
    for lane, field in enumerate(fields):
        assert numpy.array_equal(out.get()[field], expected[::-1, lane])
    assert count != 3 or (out.get()["padding0"] == 9).all()


def test_other_arrays_are_refused(queue, array):
    plan = relayout.plan("f32[24,36]", "{0,1}", queue=queue)
    ours = cl.array.to_device(queue, array)
    with pytest.raises(TypeError, match=r"source is int32\[24,36\], but f32"):
        plan(cl.array.zeros(queue, (24, 36), numpy.int32))
    with pytest.raises(TypeError, match=r"out is float64\[36,24\], but f32"):
        relayout.copy(ours, "{0,1}", out=cl.array.zeros(queue, (36, 24), numpy.float64))
    with pytest.raises(relayout.InvalidError, match=r"out is float32\[24,37\], but f32"):
        plan.enqueue(queue, ours, cl.array.zeros(queue, (24, 37), numpy.float32))
    with pytest.raises(relayout.InvalidError, match="like is for arrays of the host"):
        relayout.copy(ours, like="numpy")
    raw = cl.array.zeros(queue, array.nbytes, numpy.uint8)
    plan.enqueue(queue, ours, raw).wait()
    assert raw.get().tobytes() == array.T.tobytes()


def test_axes(queue, array):
    ours = cl.array.to_device(queue, array)
    assert numpy.array_equal(relayout.copy(ours, axes=(1, 0)).get(), array.T)
    out = cl.array.zeros(queue, (36, 24), numpy.float32)
    relayout.enqueue(queue, ours, out, axes=(1, 0)).wait()
    assert numpy.array_equal(out.get(), array.T)


def test_batches(queue, array):
    plan = relayout.plan("f32[24,36]", "{0,1}", queue=queue, batches=True)
    sources = [cl.array.to_device(queue, array + i) for i in range(40)]
    outs = [cl.array.zeros(queue, (36, 24), numpy.float32) for _ in sources]
    plan.enqueue_batch(queue, zip(sources, outs)).wait()
    for source, out in zip(sources, outs):
        assert numpy.array_equal(out.get(), source.get().T)
    plan.enqueue_batch(queue, []).wait()
    with pytest.raises(relayout.UnsupportedError, match="source is ndarray"):
        plan.enqueue_batch(queue, [(array, outs[0])])
    with pytest.raises(TypeError, match="out is int32"):
        plan.enqueue_batch(queue, [(sources[0], cl.array.zeros(queue, (36, 24), numpy.int32))])


def test_recordings(queue, array):
    plan = relayout.plan("f32[24,36]", "{0,1}", queue=queue)
    ours, out = cl.array.to_device(queue, array), cl.array.zeros(queue, (36, 24), numpy.float32)
    try:
        recording = plan.record(queue, ours, out)
    except relayout.UnsupportedError as lacking:
        pytest.skip(str(lacking))
    event = recording.enqueue()
    event.wait()
    assert numpy.array_equal(out.get(), array.T)
    ours += 1
    recording.enqueue(wait_for=ours.events).wait()
    assert numpy.array_equal(out.get(), array.T + 1)
    other = cl.array.zeros(queue, (36, 24), numpy.float32)
    try:
        recording.set_memory(ours, other)
    except relayout.UnsupportedError:
        return
    recording.enqueue().wait()
    assert numpy.array_equal(other.get(), array.T + 1)


def test_without_queue(array):
    with pytest.raises(relayout.InvalidError, match="wait_for"):
        relayout.copy(array, wait_for=["event"])


# ---- Several destinations ---------------------------------------------------------------------


@pytest.fixture
def pair(queue):
    """Columns, and integers with a scale for each row, of which 127 is the greatest."""
    return relayout.plan_many("f32[24,36]", ["f32[24,36]{0,1}", "s8[24,36] * f32[24,1]"],
                              rules=[None, "amax"], rounding="nearest", queue=queue)


@pytest.fixture
def whole(random):
    """Rows of integers whose greatest is 127 times the row's number and one."""
    values = random.integers(-127, 128, (24, 36)).astype(numpy.float32)
    values[:, 5] = 127
    return values * numpy.arange(1, 25, dtype=numpy.float32)[:, None]


def made_for(queue):
    return [cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4 * 24 * 36),
            (cl.array.zeros(queue, (24, 36), numpy.int8),
             cl.array.zeros(queue, (24, 1), numpy.float32))]


def check_made(queue, made, whole):
    columns = numpy.empty((36, 24), numpy.float32)
    cl.enqueue_copy(queue, columns, made[0])
    assert numpy.array_equal(columns, whole.T)
    elements, scales = (part.get() for part in made[1])
    assert scales.ravel().tolist() == list(range(1, 25))
    assert numpy.array_equal(elements * scales, whole)


def test_many_enqueued(queue, pair, whole):
    ours, made = cl.array.to_device(queue, whole), made_for(queue)
    go = cl.UserEvent(queue.context)
    event = pair.enqueue(queue, ours, made, wait_for=[go])
    assert isinstance(event, cl.Event)
    go.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    check_made(queue, made, whole)
    back = relayout.plan_many((*made[1],), [ours], queue=queue)  # as these arrays lie
    ours.fill(0)
    back.enqueue(None, made[1], [ours]).wait()
    assert numpy.array_equal(ours.get(), whole)


def test_many_batches(queue, pair, whole):
    sources = [cl.array.to_device(queue, whole + 0) for _ in range(5)]
    made = [made_for(queue) for _ in sources]
    pair.enqueue_batch(queue, zip(sources, made)).wait()
    for one in made:
        check_made(queue, one, whole)
    pair.enqueue_batch(queue, []).wait()


def test_many_recordings(queue, pair, whole):
    ours, made = cl.array.to_device(queue, whole), made_for(queue)
    try:
        recording = pair.record(queue, ours, made)
    except relayout.UnsupportedError as lacking:
        pytest.skip(str(lacking))
    recording.enqueue().wait()
    check_made(queue, made, whole)
    other = made_for(queue)
    try:
        recording.set_memory(ours, other)
    except relayout.UnsupportedError:
        return
    recording.enqueue().wait()
    check_made(queue, other, whole)


def test_many_records(queue):
    """Records are bytes, in an array or a buffer."""
    plan = relayout.plan_many("f32[2,32]", ["q8_0[2,32]"], queue=queue)
    ours = cl.array.to_device(queue, numpy.full((2, 32), 127, numpy.float32))
    made = cl.array.zeros(queue, (2, 34), numpy.uint8)
    plan.enqueue(queue, ours, [made]).wait()
    assert made.get().tobytes() == (b"\0\x3c" + 32 * b"\x7f") * 2


def test_many_tensor_scales(queue):
    """It is computed on the queue, and read there."""
    text = "s8[2,32] * f32[1,1] * f32[1,1]"
    ours = cl.array.to_device(queue, numpy.full((2, 32), 254, numpy.float32))
    above = cl.array.to_device(queue, numpy.float32([[1]])) * 2
    made = cl.array.zeros(queue, (2, 32), numpy.int8), cl.array.zeros(queue, (1, 1), numpy.float32)
    there = relayout.plan_many("f32[2,32]", [text], rules=["amax"], queue=queue)
    there.enqueue(queue, ours, [(*made, None, above)]).wait()
    assert (made[0].get() == 127).all() and made[1].get().tolist() == [[1]]
    back = relayout.plan_many(text, ["f32[2,32]"], queue=queue)
    values = cl.array.zeros(queue, (2, 32), numpy.float32)
    back.enqueue(queue, relayout.Scaled(*made, tensor_scale=above.data), [values]).wait()
    assert (values.get() == 254).all()
    with pytest.raises(relayout.InvalidError, match="source.tensor_scale is None"):
        back.enqueue(queue, made, [values])


def test_many_refused(queue, pair, array):
    ours, made = cl.array.to_device(queue, array), made_for(queue)
    for source, to, error, match in (
            (array, made, relayout.UnsupportedError, "source is ndarray, no array or buffer"),
            (ours, made[:1], relayout.InvalidError, "destinations has 1 entries, and the plan 2"),
            (ours, [made[0], made[1][:1]], relayout.InvalidError,
             r"destinations\[1\].scales is None"),
            (ours, [made[0], (made[1][1], made[1][1])], TypeError,
             r"destinations\[1\].elements is float32\[24,1\]"),
            (ours, [ours, made[1]], relayout.RelayoutError, "overlap|float32")):
        with pytest.raises(error, match=match):
            pair.enqueue(queue, source, to)
    with pytest.raises(relayout.UnsupportedError, match="is pyopencl's, and this call is for the"):
        pair.execute(ours)
    with pytest.raises(TypeError, match="no CommandQueue"):
        relayout.plan_many("f32[2]", ["f32[2]"], queue="queue")
