"""What README, the site's page and docstrings show is run."""

import doctest
import pathlib
import re

import numpy
import pytest

import relayout
from relayout import _device, _plan, _shape

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.mark.parametrize("page", ["python/README.md", "docs/python.md"])
def test_pages(page):
    """A page's blocks follow each other."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("module", [relayout, _device, _plan, _shape], ids=lambda m: m.__name__)
def test_docstrings(module):
    names = {"numpy": numpy, "relayout": relayout, "Shape": relayout.Shape,
             "array": numpy.zeros((1024, 1000), numpy.float32)}
    failed, _ = doctest.testmod(module, extraglobs=names)
    assert failed == 0


def test_everything_is_documented():
    for name in relayout.__all__:
        thing = getattr(relayout, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            is_told = callable(value) or isinstance(value, (classmethod, property))
            if not member.startswith("_") and is_told:
                assert value.__doc__, f"{name}.{member}"
