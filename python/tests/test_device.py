"""What devices keep, learn and say."""

import logging
import os
import subprocess
import sys

import numpy
import pytest

import relayout

PAIR = "u16[300,200]", "{0,1}"


@pytest.fixture
def values():
    return numpy.arange(60000, dtype=numpy.uint16).reshape(300, 200)


def test_what_it_is(device):
    assert device.compute_units > 0 and device.memory_bytes > 0
    assert bool(device.platform) == bool(device.driver) == device.is_opencl
    assert bool(device.instructions) != device.is_opencl


def test_threads():
    assert relayout.Device.cpu(threads=1).compute_units == 1
    array = numpy.arange(6.0).reshape(2, 3)
    assert numpy.array_equal(relayout.copy(array, "{0,1}", device=relayout.Device.cpu(1)), array)
    for threads in (-1, 1 << 40):
        with pytest.raises(relayout.InvalidError, match=f"threads is {threads}"):
            relayout.Device.cpu(threads)


def test_usage_and_budget():
    own = relayout.Device("cpu")
    assert own.usage == relayout.DeviceUsage(0, 0, 0, 0, 64 << 20)
    relayout.copy(numpy.zeros((20, 30), numpy.float32), "{0,1}", device=own)
    assert own.usage.plans == 1 and own.usage.host_bytes > 0
    own.trim()
    assert own.usage.plans == 0
    own.set_budget(1 << 20)
    assert own.usage.budget_bytes == 1 << 20
    own.set_budget(0)
    relayout.copy(numpy.zeros((20, 30), numpy.float32), "{0,1}", device=own)
    assert own.usage.plans == 0
    own.set_budget(None)
    assert own.usage.budget_bytes is None
    with pytest.raises(relayout.InvalidError, match="budget is -1"):
        own.set_budget(-1)
    with pytest.raises(TypeError, match="budget must be an integer or None, not str"):
        own.set_budget("all")


def test_wisdom(values):
    """A schedule that was measured is another device's without a run."""
    first, second = relayout.Device("cpu"), relayout.Device("cpu")
    relayout.plan(*PAIR, device=first, effort="measure", measured=2)
    wisdom = first.export_wisdom()
    assert wisdom.startswith("relayout wisdom")
    second.import_wisdom(wisdom)
    assert second.export_wisdom() == wisdom
    assert numpy.array_equal(relayout.plan(*PAIR, device=second)(values), values)
    second.import_wisdom("nonsense")
    assert second.export_wisdom() == wisdom


def test_tuning():
    own = relayout.Device("cpu")
    assert own.tuning.startswith("relayout tuning")
    with pytest.raises(relayout.InvalidError, match="^tuning: line 1"):
        own.keep_tuning("nonsense")
    with pytest.raises(relayout.InvalidError, match="^tuning: line 1"):
        own.set_tuning("nonsense")
    other = own.tuning.replace("tile_bytes=16384", "tile_bytes=8192", 1)
    assert other != own.tuning
    own.set_tuning(other)
    assert own.tuning == other


def test_tuning_is_kept(tmp_path):
    """In a process of its own, whose cache nobody else sees."""
    program = """if True:
        import os, relayout
        device = relayout.Device.cpu()
        before = device.tuning
        device.keep_tuning(before)
        with open(device.tuning_path) as file:
            assert file.read() == before
        assert device.reset_tuning() and not device.reset_tuning()
        print(not os.path.exists(device.tuning_path))
    """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env={**os.environ, "XDG_CACHE_HOME": str(tmp_path),
                              "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert run.stdout == "True\n", run.stderr
    assert list(tmp_path.glob("relayout/tuning-*.txt")) == []


def test_schedules(values, device):
    """Each that is offered comes to the same bytes, and a plan tells the one that it runs."""
    plan = relayout.plan(*PAIR, device=device)
    offered = plan.offered_schedules()
    assert len(offered) > 2 and all(one.method for one in offered)
    fractions = [one.predicted_fraction for one in offered]
    assert fractions == sorted(fractions, reverse=True) and 0 < fractions[-1] <= fractions[0] <= 1
    assert len(plan.schedules) == plan.info.part_count == 1
    for one in (offered[0], offered[-1]):
        forced = relayout.plan(*PAIR, device=device, schedules=[one.text])
        assert one.text in forced.schedules[0]
        assert numpy.array_equal(forced(values), values)
    assert relayout.plan(*PAIR, device=device, schedules=offered[1].text)
    with pytest.raises(relayout.InvalidError, match="part is 1"):
        plan.offered_schedules(1)


def test_ranges(values):
    plan = relayout.plan(*PAIR, device="cpu")
    out = numpy.zeros((200, 300), numpy.uint16)
    for first in range(0, 300, 100):
        part = plan.range((first, 0), (100, 200))
        part(values, out)
        assert numpy.array_equal(out[:, :first + 100], values[:first + 100].T)
        assert not out[:, first + 100:].any()
    with pytest.raises(relayout.RangeError, match=r"start\[0\]"):
        plan.range((0, 0), (301, 1))
    with pytest.raises(relayout.InvalidError, match="sizes has 1 entries, and the plan 2"):
        plan.range((0, 0), (1,))
    with pytest.raises(relayout.InvalidError, match="a part of a tensor"):
        part(values)


def test_ranges_with_axes(values):
    """The box is the result's, whichever side is turned."""
    tiles = "u16[300,200]{1,0:T(20,50)}"
    for from_, array in (("u16[300,200]", values), (tiles, relayout.copy(values, tiles))):
        out = numpy.zeros((200, 300), numpy.uint16)
        plan = relayout.plan(from_, axes=(1, 0), device="cpu")
        plan.range((40, 0), (10, 300))(array, out)
        assert numpy.array_equal(out[40:50], values.T[40:50])
        assert not out[:40].any() and not out[50:].any()


def test_log(tmp_path):
    """A device without a cache compiles, and says so."""
    try:
        relayout.Device("opencl")
    except relayout.DeviceError as missing:
        pytest.skip(str(missing))
    heard = []
    relayout.set_log(lambda level, message: heard.append((level, message)))
    try:
        relayout.copy(numpy.zeros((7, 9), numpy.uint8), "{0,1}", device=relayout.Device("opencl"))
    finally:
        relayout.set_log(None)
    relayout.copy(numpy.zeros((9, 7), numpy.uint16), "{0,1}", device=relayout.Device("opencl"))
    assert heard and {level for level, _ in heard} == {logging.INFO}
    assert any("compiled kernel" in message for _, message in heard)
    with pytest.raises(TypeError, match="log must be callable, not int"):
        relayout.set_log(3)


def test_a_log_outlives_nobody():
    """The interpreter ends with a logger set."""
    program = ("import logging, relayout, numpy; "
               "relayout.set_log(logging.getLogger('relayout').log); "
               "relayout.copy(numpy.zeros(9))")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env={**os.environ,
                              "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert (run.returncode, run.stderr) == (0, "")
