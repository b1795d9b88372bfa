"""Pictures from the command line."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from cutter_gui.resource_files import resource

SCRIPT = Path(sysconfig.get_path("scripts")) / "cutter-gui"


def render(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, "render", *map(str, words)], capture_output=True, check=False, text=True, timeout=100
    )


def size_of(svg: Path) -> tuple[int, int]:
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg.read_text())
    assert found is not None
    return int(found[1]), int(found[2])


def test_edges_run_from_left_to_right_when_asked(tmp_path: Path) -> None:
    model = resource("models", "branches_small.onnx")
    sizes = {}
    for direction in ("TB", "LR"):
        done = render(model, "--out", tmp_path / f"{direction}.svg", "--direction", direction)
        assert (done.returncode, done.stderr) == (0, "")
        sizes[direction] = size_of(tmp_path / f"{direction}.svg")
    assert sizes["TB"][1] > 2 * sizes["TB"][0]
    assert sizes["LR"][0] > 2 * sizes["LR"][1]


def test_a_picture_too_large_for_one_file_is_written_in_parts_and_told(tmp_path: Path) -> None:
    done = render(resource("models", "bert_small.onnx"), "--out", tmp_path / "bert.png", "--scale", 3)
    assert (done.returncode, done.stderr) == (0, "")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["bert_1_1.png", "bert_2_1.png"]
    assert "2 files" in done.stdout


@pytest.mark.parametrize(("ending", "scale"), [("svg", "inf"), ("png", "1e9")])
def test_a_scale_that_no_picture_can_have_is_told(tmp_path: Path, ending: str, scale: str) -> None:
    picture = tmp_path / f"bert.{ending}"
    model = resource("models", "bert_small.onnx")
    done = render(model, "--out", picture, "--scale", scale)
    assert done.returncode == 2
    assert re.fullmatch(r"error: a picture [^\n]+ \([^\n]+\): [^\n]+ scale[^\n]*\n", done.stderr), done.stderr
    assert not picture.exists()
