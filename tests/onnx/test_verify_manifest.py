"""Verifying holds the manifest against the files: others start the stages by what it lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

CHAIN = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Abs(b) y = Add(c, a) }"


@pytest.mark.parametrize("form", ["plain", "sendrecv"])
@pytest.mark.parametrize(
    ("old", "new", "times"),
    [
        ("to: 1", "to: 0", 1),
        ("tag: 0", "tag: 5", 1),
        ("name: a,", "name: c,", 1),
        ("name: a,", "name: c,", 9),
        ("name: a,", "name: nobody,", 9),
        ("dtype: float32", "dtype: int64", 9),
        ("dtype: float32", "dtype: foo", 9),
        ("      - from: 0", "      - from: 1", 1),
    ],
)
def test_a_manifest_that_lists_something_else_is_refused(
    tmp_path: Path, form: str, old: str, new: str, times: int
) -> None:
    path = saved(model(CHAIN), tmp_path / "m.onnx")
    split(path, plan("b; a > y"), tmp_path / "out", form=form)
    manifest = tmp_path / "out" / "pipeline.yaml"
    text = manifest.read_text()
    assert old in text, text
    manifest.write_text(text.replace(old, new, times))
    with pytest.raises(CutterError, match=r"pipeline\.yaml") as refusal:
        FORMAT.verify(VerifyRequest(tmp_path / "out"))
    assert "the manifest is not that of the stages" in str(refusal.value)
