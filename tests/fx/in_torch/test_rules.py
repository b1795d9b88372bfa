from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions, TypeHint
from cutter_gui.fx.in_torch.rules import rewrite_model, rules_of
from cutter_gui.fx.load import load_graph
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


def test_a_pickled_graph_is_rewritten_once_its_inputs_have_types(tmp_path: Path) -> None:
    torch.save(fx.symbolic_trace(nn.Sequential(nn.Linear(4, 3), nn.ReLU())), tmp_path / "m.pt")
    (tmp_path / "rules.py").write_text(
        "from torch import nn\npattern, replacement = nn.Sequential(nn.ReLU()), lambda x: nn.functional.gelu(x)\n"
    )
    written = tmp_path / "part.pt2"
    request = {
        "source": str(tmp_path / "m.pt"),
        "pattern": str(tmp_path / "rules.py"),
        "out": str(written),
        "shown": "out.pt2",
    }
    with pytest.raises(CutterError, match="keeps no example inputs") as caught:
        rewrite_model(request, LoadOptions(True), lambda *_: None)
    assert str(caught.value).endswith(
        f"export it: input_1 ({tmp_path / 'm.pt'}): give each a type, --type NAME=DTYPE[DIMS]"
    )
    assert not written.exists()
    with pytest.raises(CutterError, match="does not run on inputs of these types: RuntimeError"):
        rewrite_model({**request, "types": {"input_1": TypeHint(1, (2, 5))}}, LoadOptions(True), lambda *_: None)
    rewrite_model({**request, "types": {"input_1": TypeHint(1, (2, 4))}}, LoadOptions(True), lambda *_: None)
    assert load_graph(written).op_types == ("aten.linear", "aten.gelu")


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
        with pytest.raises(CutterError, match=rf"a rule fails: TypeError.*\({path}, rule 0\)"):
            rewrite_model(request, LoadOptions(True), lambda *_: None)
        path.write_text("def pattern(x): return x\nRULES = [(pattern, None)]\n")
        with pytest.raises(CutterError, match=rf"the pattern has no operation \({path}, rule 0\)"):
            rewrite_model(request, LoadOptions(True), lambda *_: None)
        return
    (rule,) = rewrite_model(request, LoadOptions(True), lambda *_: None)["rules"]
    assert len(rule["matches"]) == found
