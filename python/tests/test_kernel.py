"""Relayouts as source text."""
import json
import re

import pytest

import relayout
from relayout import Shape


def test_kernel():
    kernel, = relayout.emit_kernels("f32[100,200]", "{0,1}", "cuda", name="turned")
    assert kernel.name == "turned"
    assert 'extern "C" __global__' in kernel.source
    launch = json.loads(re.search("^launch: (.*)$", kernel.source, re.MULTILINE).group(1))
    assert launch["global"] == [kernel.global_size] and launch["local"] == [kernel.local_size]
    assert tuple(argument["name"] for argument in launch["arguments"]) == kernel.arguments
    assert kernel.arguments == ("destination", "destination_offset", "source", "source_offset")
    assert kernel.global_size % kernel.local_size == 0


def test_function():
    function, = relayout.emit_kernels(Shape("f32[7,11]"), Shape("f32[7,11]{1,0:T(4)}"), "c")
    assert "void relayout(const void *source, void *destination) {" in function.source
    assert function.arguments == ("source", "destination")
    assert function.alignment == (1, 1)


def test_several():
    kernels = relayout.emit_kernels("f32[7,11]", "{1,0:T(4)}", "opencl", at_any_offset=True)
    assert len(kernels) > 1
    assert [kernel.name for kernel in kernels[:2]] == ["relayout", "relayout_1"]


def test_refusals():
    with pytest.raises(relayout.UnsupportedError, match="not in metal"):
        relayout.emit_kernels("f32[7]", "f32[7]", "metal")
    with pytest.raises(relayout.InvalidError, match="'C' is no language"):
        relayout.emit_kernels("f32[7]", "f32[7]", "C")
    with pytest.raises(relayout.InvalidError, match="name is 'for'"):
        relayout.emit_kernels("f32[7]", "f32[7]", "c", name="for")
