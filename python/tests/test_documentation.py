"""What README, the site's page and docstrings show is run."""

import doctest
import inspect
import pathlib
import re

import numpy
import pytest

import relayout
from relayout import _device, _many, _plan, _quantize, _shape

ROOT = pathlib.Path(__file__).parent.parent.parent


# What a block may want that not everybody has.
OPTIONAL = {"jax", "pyopencl", "torch"}


def blocks_of(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


PAGES = [page for page in sorted([ROOT / "README.md", *ROOT.glob("python/*.md"),
                                  *ROOT.glob("docs/**/*.md")]) if blocks_of(page)]


def run_block(block, page, names):
    """What it lacks, or None."""
    try:
        exec(compile(block, str(page), "exec"), names)
    except ModuleNotFoundError as missing:
        if missing.name not in OPTIONAL:
            raise
        return missing.name
    except Exception as failed:
        if "no CL platforms available" not in str(failed):
            raise
        return "an OpenCL device"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page):
    """A page's blocks follow each other."""
    names = {}
    missing = [run_block(block, page, names) for block in blocks_of(page)]
    if any(missing):
        pytest.skip(f"not all of it was run, for lack of {', '.join(filter(None, missing))}")


def test_there_are_pages():
    assert {ROOT / "python/README.md", ROOT / "docs/python.md"} <= set(PAGES)


def test_signatures():
    """Those that the page writes out for functions that have several."""
    written = re.findall(r":: relayout\.(\w+)(\(.*\))\n", (ROOT / "docs/python.md").read_text())
    assert written
    for name, signature in written:
        shown = inspect.signature(getattr(relayout, name))
        plain = [parameter.replace(annotation=inspect.Parameter.empty)
                 for parameter in shown.parameters.values()]
        wanted = str(inspect.Signature(plain))
        assert signature == wanted


@pytest.mark.parametrize("module", [relayout, _device, _many, _plan, _quantize, _shape],
                         ids=lambda m: m.__name__)
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
