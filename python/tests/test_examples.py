"""Each example runs, and finds its own results right."""

import pathlib
import runpy

import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example(path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_padding_map():
    example = runpy.run_path(str(EXAMPLES / "plot_padding.py"))
    import relayout

    shape = relayout.Shape("f32[5,10]{1,0:T(4,16)}")
    drawn = example["padding_map"](shape).reshape(8, 16)
    assert drawn[:5, :10].all() and drawn.sum() == 50


def test_plot(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    path = tmp_path / "padding.png"
    monkeypatch.setattr("sys.argv", ["", "f32[20,100]{1,0:T(8,128)}", str(path)])
    runpy.run_path(str(EXAMPLES / "plot_padding.py"), run_name="__main__")
    assert path.stat().st_size > 1000
