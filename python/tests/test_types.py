"""What type checkers see of the package: a type for everything, and the right ones."""

import os
import pathlib
import subprocess
import sys

import pytest

import relayout

PACKAGE = pathlib.Path(relayout.__file__).parent
TYPED = pathlib.Path(__file__).parent / "typed"


def checked(tmp_path, *arguments):
    """mypy's messages, a line each."""
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir",
         str(tmp_path), *map(str, arguments)],
        capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)} if not _is_installed() else None)
    assert run.returncode < 2, run.stderr
    return run.stdout.splitlines()


def _is_installed():
    """mypy looks there by itself."""
    return "site-packages" in PACKAGE.parts


def test_the_package_is_typed(tmp_path):
    assert (PACKAGE / "py.typed").exists()
    assert checked(tmp_path, "-p", "relayout") == []


def test_calls_on_the_host(tmp_path):
    assert checked(tmp_path, TYPED / "host.py") == []


def test_calls_on_a_device(tmp_path):
    pytest.importorskip("pyopencl")
    assert checked(tmp_path, TYPED / "opencl.py") == []


def test_wrong_calls(tmp_path):
    path = TYPED / "wrong.py"
    wrong = [number for number, line in enumerate(path.read_text().splitlines(), 1)
             if line.startswith("relayout.")]
    refused = {int(line.split(":")[1]) for line in checked(tmp_path, path) if ": error:" in line}
    assert sorted(refused) == wrong
