from __future__ import annotations

from pathlib import Path

import pytest

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions
from cutter_gui.fx.in_torch.rules import rewrite_model, rules_of
from strategies.fx_programs import archive


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("raise ValueError('no rules today')", "cannot be read: ValueError: no rules today"),
        ("import absent_package", "cannot be read: ModuleNotFoundError"),
        ("def other(x): return x", "no pattern and no RULES"),
        ("def pattern(x): return x\nRULES = [pattern]", "RULES is no list of"),
        ("RULES = 3", "RULES is no list of"),
    ],
)
def test_a_file_that_has_no_rules_says_why(tmp_path: Path, body: str, what: str) -> None:
    path = tmp_path / "rules.py"
    path.write_text(body)
    with pytest.raises(CutterError, match=what):
        rules_of(path)


@pytest.mark.parametrize(
    ("filters", "found"),
    [("[]", 2), ("[lambda match, pattern, replacement: match.anchor.name == 'linear_1']", 1), ("[None]", -1)],
)
def test_filters_of_a_file_decide_and_one_that_fails_is_an_error(tmp_path: Path, filters: str, found: int) -> None:
    path = tmp_path / "rules.py"
    path.write_text(
        f"import torch\ndef pattern(x, w, b): return torch.ops.aten.linear.default(x, w, b)\nfilters = {filters}\n"
    )
    request = {"source": str(archive("branching")), "pattern": str(path)}
    if found < 0:
        with pytest.raises(CutterError, match="a rule fails: TypeError"):
            rewrite_model(request, LoadOptions(True), lambda *_: None)
        return
    (rule,) = rewrite_model(request, LoadOptions(True), lambda *_: None)["rules"]
    assert len(rule["matches"]) == found
