from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from cutter_gui.core.format import LoadOptions, RewriteRequest, format_named
from cutter_gui.core.graph import Graph
from cutter_gui.core.groups import find_groups

FX = format_named("fx")

SWAP = """
import torch
def pattern(x): return torch.ops.aten.relu.default(torch.ops.aten.neg.default(x))
def replacement(x): return torch.ops.aten.sigmoid.default(x)
"""


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) + torch.relu(-x)


def test_nodes_that_stay_keep_their_names_and_modules_when_others_are_replaced(
    tmp_path: Path, in_this_process: Callable[[], None]
) -> None:
    in_this_process()
    model, rules, out = tmp_path / "m.pt2", tmp_path / "rules.py", tmp_path / "out.pt2"
    chain = nn.Sequential(nn.ReLU(), Block(), Block(), nn.ReLU())
    torch.export.save(torch.export.export(chain, (torch.randn(2, 4),), strict=False), model)
    rules.write_text(SWAP)
    before = FX.load(model)
    result = FX.rewrite(RewriteRequest(model, rules, out, LoadOptions(trust=True)))
    after = FX.load(out)

    assert result.count == 2
    for match in result.rules[0].matches:
        inner, last = match.own
        assert op(after, result.names[last]) == "aten.sigmoid"
        assert result.names[last] not in before.tensor_index, "a new node takes no old name"
        assert inner not in result.names
    for name in ("relu", "relu_3", "linear", "linear_1", "add", "add_1"):
        assert result.names[name] == name
        assert op(after, name) == op(before, name)
    assert len(find_groups(after)) == len(find_groups(before)) > 0


def op(graph: Graph, name: str) -> str:
    return graph.op(int(graph.tensor_producer[graph.tensor_index[name]]))


def test_a_file_with_kept_names_gives_what_the_rules_say(tmp_path: Path, in_this_process: Callable[[], None]) -> None:
    in_this_process()
    model, rules, out = tmp_path / "m.pt2", tmp_path / "rules.py", tmp_path / "out.pt2"
    block, x = Block(), torch.randn(2, 4)
    torch.export.save(torch.export.export(block, (x,), strict=False), model)
    rules.write_text(SWAP)
    FX.rewrite(RewriteRequest(model, rules, out, LoadOptions(trust=True)))
    assert torch.equal(torch.export.load(out).module()(x), block.inner(x) + torch.sigmoid(x))
