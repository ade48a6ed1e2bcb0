import _thread
import threading
import time

import numpy
import pytest

import relayout
from relayout import _plan


def test_use(device, random):
    plan = relayout.plan("f32[40,50]", "{0,1}", device=device)
    for _ in range(3):
        array = random.normal(size=(40, 50)).astype(numpy.float32)
        assert numpy.array_equal(plan(array), array)
        out = numpy.zeros((50, 40), numpy.float32)
        assert plan(array, out) is out
        assert numpy.array_equal(out, array.T)


def test_made_for_arrays(random):
    array = random.integers(0, 9, (8, 6)).astype(numpy.int32)
    plan = relayout.plan(array[::2, ::-1], array[:4, ::1].copy())
    out = numpy.zeros((4, 6), numpy.int32)
    plan(array[1::2, ::-1], out)
    assert numpy.array_equal(out, array[1::2, ::-1])
    with pytest.raises(relayout.InvalidError, match="strides in bytes"):
        plan(array[::2], out)
    with pytest.raises(relayout.InvalidError, match="out is None"):
        plan(array[::2, ::-1])


def test_other_order_is_refused(random):
    """An array of the right type and dimensions that lies otherwise is not reinterpreted."""
    plan = relayout.plan("f32[4,6]", "{0,1}")
    array = random.normal(size=(6, 4)).astype(numpy.float32).T
    with pytest.raises(relayout.InvalidError, match="one behind the other"):
        plan(array)


def test_what_it_tells():
    plan = relayout.plan("f32[1000,1000]{1,0}", "{0,1:PD(1024,1024)}")
    assert plan.method == "transpose"
    info = plan.info
    assert info.source_bytes == 4_000_000 and info.destination_bytes == 4 << 20
    assert info.bytes_read == 4_000_000 and info.bytes_written == 4 << 20
    assert info.padding_bytes == (4 << 20) - 4_000_000
    assert 0 < info.predicted_fraction <= 1 and not info.moves_nothing
    assert "f32[1000,1000]" in plan.explain()
    assert len(plan.explain(schedules=True)) > len(plan.explain())
    assert "transpose" in repr(plan)
    assert relayout.plan("f32[2,3]", "f32[2,3]").info.is_bitcast


def test_measured():
    plan = relayout.plan("u16[300,200]", "{0,1}", device="cpu", effort="measure")
    array = numpy.arange(60000, dtype=numpy.uint16).reshape(300, 200)
    assert numpy.array_equal(plan(array), array)
    with pytest.raises(relayout.InvalidError, match="effort"):
        relayout.plan("u16[300,200]", "{0,1}", effort="hard")


def test_refusals():
    with pytest.raises(relayout.InvalidError):
        relayout.plan("f32[2,3]", "f32[3,2]")
    with pytest.raises(relayout.UnsupportedError):
        relayout.plan("c64[2]", "f32[2]")


def test_boxes(monkeypatch, random):
    """Large tensors go box by box, to the same bytes."""
    monkeypatch.setattr(_plan, "_BOX_BYTES", 1000)
    array = random.integers(0, 1 << 30, (13, 17, 19)).astype(numpy.int32)
    for layout in ("{2,1,0}", "{0,1,2}", "{1,0,2:T(4,2)}", "{0,2,1:PD(14,17,24)}"):
        plan = relayout.plan(relayout.Shape.of("s32", array.shape), layout, device="cpu")
        assert len(_plan._boxes(plan)) > 5
        memory = plan(array)
        monkeypatch.setattr(_plan, "_BOX_BYTES", 1 << 40)
        assert _plan._boxes(plan) is None
        assert plan(array).tobytes() == memory.tobytes()
        monkeypatch.setattr(_plan, "_BOX_BYTES", 1000)
    packed = relayout.copy(array, "s2[13,17,19]{2,1,0:E(2)}")
    assert packed.size == (13 * 17 * 19 + 3) // 4


def test_interrupts(monkeypatch):
    """Between two boxes."""
    monkeypatch.setattr(_plan, "_BOX_BYTES", 1 << 16)
    array = numpy.zeros((4096, 4096), numpy.uint8)
    plan = relayout.plan("u8[4096,4096]", "{0,1}", device="cpu")
    done = 0

    def counted(*arguments, **names):
        nonlocal done
        done += 1
        if done == 20:
            _thread.interrupt_main()
        return original(*arguments, **names)

    original = _plan.call
    monkeypatch.setattr(_plan, "call", counted)
    with pytest.raises(KeyboardInterrupt):
        plan(array)
    assert done < 60


def test_other_threads_run(random):
    """The GIL is not held while bytes move."""
    array = random.integers(0, 255, (8192, 16384), numpy.uint8)
    plan = relayout.plan("u8[8192,16384]", "{0,1}", device="cpu")
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    while not ticks:
        time.sleep(0)
    before = len(ticks)
    plan(array)
    during = len(ticks) - before
    stop.set()
    thread.join()
    assert during > 0


def test_many_threads(random):
    plan = relayout.plan("s16[64,96]", "{0,1}")
    failures = []

    def work(seed):
        own = numpy.random.default_rng(seed)
        for _ in range(50):
            array = own.integers(-99, 99, (64, 96), numpy.int16)
            if not numpy.array_equal(plan(array), array):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_devices():
    names = relayout.devices()
    assert names[0] == "cpu"
    cpu = relayout.Device("cpu")
    assert (cpu.name, cpu.kind, cpu.is_opencl) == ("cpu", "cpu", False)
    assert cpu.description
    cpu.trim()
    for name in names:
        assert relayout.Device(name).name == name
