"""``check --mend`` writes a cut spec with every error mended, or nothing and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

SPEC = """# for the first box
format: cutter-gui/cuts
version: 1
cuts:
  - edges:
      - {tensor: a, consumers: [b]}  # the way down
"""


@pytest.fixture(autouse=True)
def broken(ladder: Path, tmp_path: Path) -> Path:
    """A spec whose cut is not complete: ``a`` goes on to ``c``."""
    path = tmp_path / "broken.cuts.yaml"
    path.write_text(SPEC)
    return path


def test_a_mended_spec_is_written_that_check_calls_valid_and_comments_stay(run, tmp_path: Path, broken: Path) -> None:
    done = run("check", "m.onnx", "--cuts", "broken.cuts.yaml", "--mend", "mended.cuts.yaml")
    assert (done.code, done.errors) == (0, "")
    assert "not valid: 2 stages" in done.output
    assert "mended: " in done.output
    assert "written: mended.cuts.yaml" in done.output
    text = (tmp_path / "mended.cuts.yaml").read_text()
    assert "# for the first box" in text
    assert broken.read_text() == SPEC
    assert run("check", "m.onnx", "--cuts", "mended.cuts.yaml").code == 0


def test_as_json_what_was_mended_stands_beside_what_was_wrong(run) -> None:
    document = run("check", "m.onnx", "--cuts", "broken.cuts.yaml", "--mend", "mended.cuts.yaml", "--json").json
    assert set(document) == {"valid", "stages", "diagnostics", "mended"}
    assert document["valid"] is False
    assert document["mended"]["valid"] is True
    assert document["mended"]["reason"] is None
    first = next(found for found in document["diagnostics"] if found["severity"] == "error")
    assert document["mended"]["steps"][0] == first["fixes"][0]["title"]


def test_the_spec_itself_can_be_mended_in_place_and_no_other_file_is_replaced(run, tmp_path: Path) -> None:
    assert run("check", "m.onnx", "--cuts", "broken.cuts.yaml", "--mend", "broken.cuts.yaml").code == 0
    assert run("check", "m.onnx", "--cuts", "broken.cuts.yaml").code == 0
    (tmp_path / "other.txt").write_text("mine")
    done = run("check", "m.onnx", "--cuts", "m.cuts.yaml", "--mend", "other.txt")
    assert done.code == 2
    assert done.errors.startswith("error: this file exists (other.txt): ")
    assert (tmp_path / "other.txt").read_text() == "mine"


def test_cuts_of_the_command_line_become_a_spec_that_names_its_model(run, tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    done = run("check", "m.onnx", "--cut", "a-b", "--mend", "plans/new.cuts.yaml")
    assert done.code == 0
    assert "path: ../m.onnx" in (tmp_path / "plans" / "new.cuts.yaml").read_text()


def test_what_no_edit_of_the_cuts_mends_is_said_and_nothing_is_written(run, tmp_path: Path) -> None:
    from strategies.onnx_text import model, saved

    cyclic = "g (float[2,4] x) => (float[2,4] y) { a = Add(x, c) c = Exp(a) y = Mul(c, a) }"
    saved(model(cyclic), tmp_path / "cyclic.onnx")
    done = run("check", "cyclic.onnx", "--cut", "a", "--mend", "new.cuts.yaml")
    assert done.code == 1
    assert "not written: no edit of the cuts mends this: " in done.output
    assert not (tmp_path / "new.cuts.yaml").exists()
