"""The command that comes with the package."""

import os
import pathlib
import subprocess
import sys

import pytest

import relayout


def run(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, "-m", "relayout", *arguments], capture_output=True,
                          text=True, env=environment)


@pytest.fixture(autouse=True)
def _is_there():
    """Wheels have it; a build may leave it out."""
    if "site-packages" in pathlib.Path(relayout.__file__).parts:
        return
    missing = run().stderr
    if "not installed beside the package" in missing:
        pytest.skip(missing)


def test_what_it_prints():
    found = run("index", "f32[3,5]{1,0:T(2,2)}", "--at", "2,3")
    assert (found.returncode, found.stdout, found.stderr) == (0, "17\n", "")


def test_its_version_and_status():
    assert relayout.__version__ in run("--version").stdout
    assert run("shape", "f32[").returncode == 4
    assert run("no_such_command").returncode == 2


def test_without_opencl(tmp_path):
    """No driver, no loader that is found: the CPU is there."""
    (tmp_path / "libOpenCL.so.1").write_bytes(b"")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path),
                   "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if "site-packages" not in pathlib.Path(relayout.__file__).parts:
        pytest.skip("a build's command links the loader, where a wheel's finds it")
    found = subprocess.run([sys.executable, "-m", "relayout", "devices"], capture_output=True,
                           text=True, env=environment)
    assert found.returncode == 0 and "cpu" in found.stdout, found.stderr
