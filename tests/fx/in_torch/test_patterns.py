from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.legalize import is_legal
from cutter_gui.fx.in_torch.patterns import Match, find_matches, replace_pattern


def summed(w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    return torch.cat([w1, w2]).sum()


def stacked(w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    return torch.stack([w1, w2]).max()


def twice(x: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
    return x + torch.max(torch.cat([w1, w2]).sum()) + torch.max(torch.cat([w2, w1]).sum())


X = torch.tensor([1.0, 2.0])


def names(module: fx.GraphModule) -> list[str]:
    return [node.name for node in module.graph.nodes]


def test_every_place_is_replaced_and_listed_with_anchor_and_nodes() -> None:
    module = fx.symbolic_trace(twice)
    matches = replace_pattern(module, summed, stacked)
    assert [match.anchor.name for match in matches] == ["sum_1", "sum_2"]
    assert matches[1].names() == {"w1": "w2", "w2": "w1", "cat": "cat_1", "sum_1": "sum_2"}
    assert not {"cat", "cat_1", "sum_1", "sum_2"} & set(names(module))
    assert torch.equal(module(X, X, X + 1), X + 3.0 + 3.0)


def test_finding_changes_nothing() -> None:
    module = fx.symbolic_trace(twice)
    before = names(module)
    assert len(find_matches(module, summed)) == 2
    assert names(module) == before


def test_a_filter_decides_which_matches_count() -> None:
    module = fx.symbolic_trace(twice)
    seen = []

    def only_first(match: Match, pattern: fx.Graph, replacement: fx.Graph | None) -> bool:
        seen.append((len(pattern.nodes), replacement is not None))
        return match.anchor.name == "sum_1"

    assert len(replace_pattern(module, summed, stacked, [only_first])) == 1
    assert "cat_1" in names(module)
    assert seen == [(5, True), (5, True)]


def test_of_overlapping_matches_the_first_counts() -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.relu(torch.relu(x)))

    module = fx.symbolic_trace(forward)
    matches = replace_pattern(module, lambda x: torch.relu(torch.relu(x)), lambda x: torch.neg(x))
    assert [match.anchor.name for match in matches] == ["relu_1"]
    assert names(module) == ["x", "neg", "relu_2", "output"]


def test_a_place_whose_inner_value_is_read_elsewhere_is_no_match() -> None:
    def forward(w1: torch.Tensor, w2: torch.Tensor) -> torch.Tensor:
        joined = torch.cat([w1, w2])
        return joined.sum() + joined.max()

    assert find_matches(fx.symbolic_trace(forward), summed) == []


def test_a_match_next_to_a_replaced_one_reads_the_replacement() -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.neg(torch.relu(torch.neg(torch.relu(x))))

    module = fx.symbolic_trace(forward)
    replace_pattern(module, lambda x: torch.neg(torch.relu(x)), lambda x: torch.sigmoid(x) * 2)
    assert torch.equal(module(X), torch.sigmoid(torch.sigmoid(X) * 2) * 2)


def test_a_placeholder_of_the_pattern_matches_a_literal() -> None:
    module = fx.symbolic_trace(lambda x: torch.add(x, 3))
    matches = replace_pattern(module, lambda a, b: torch.add(a, b), lambda a, b: torch.mul(a, b))
    assert matches[0].names()["b"] == "3"
    assert torch.equal(module(X), X * 3)


def test_literals_of_the_pattern_must_be_equal() -> None:
    module = fx.symbolic_trace(lambda x: torch.add(x, 3))
    assert find_matches(module, lambda a: torch.add(a, 4)) == []
    assert len(find_matches(module, lambda a: torch.add(a, 3))) == 1


def test_keyword_arguments_must_be_equal_too() -> None:
    module = fx.symbolic_trace(lambda x: torch.sum(x, dim=0))
    assert find_matches(module, lambda a: torch.sum(a, dim=1)) == []
    assert len(find_matches(module, lambda a: torch.sum(a, dim=0))) == 1


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.act = nn.Linear(2, 2), nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.first(x))


class Pattern(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.anything = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.anything(x)


class Replacement(nn.Module):
    def __init__(self, name: str = "scaled") -> None:
        super().__init__()
        self.name = name
        self.add_module(name, nn.Linear(2, 2))
        self.factor = nn.Parameter(torch.tensor(3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.get_submodule(self.name)(x) * self.factor


def test_modules_match_by_type_under_whatever_name() -> None:
    assert [match.anchor.name for match in find_matches(fx.symbolic_trace(Layers()), Pattern())] == ["act"]
    other = Pattern()
    other.anything = nn.Tanh()
    assert find_matches(fx.symbolic_trace(Layers()), other) == []


def test_modules_and_weights_of_the_replacement_come_along_as_copies() -> None:
    module, replacement = fx.symbolic_trace(Layers()), Replacement()
    replace_pattern(module, Pattern(), replacement)
    x = torch.randn(3, 2)
    assert torch.equal(module(x), replacement(module.first(x)))
    assert module.scaled is not replacement.scaled
    assert module.factor is not replacement.factor
    assert not hasattr(module, "act"), "what no node calls any more is gone"


def test_a_module_that_the_model_has_under_that_name_stays() -> None:
    module = fx.symbolic_trace(Layers())
    kept = module.first
    replace_pattern(module, Pattern(), Replacement("first"))
    assert module.first is kept


def test_a_replacement_that_refers_to_what_nobody_has_is_an_error() -> None:
    module = fx.symbolic_trace(Layers())
    graph = fx.Graph()
    graph.output(graph.call_module("absent", (graph.placeholder("x"),)))
    with pytest.raises(CutterError, match="refers to absent"):
        replace_pattern(module, Pattern(), graph)


def test_a_pattern_with_two_results_keeps_the_graph_in_order() -> None:
    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        a = torch.sin(x)
        early = torch.neg(a)
        b = torch.cos(y)
        return early + b + a

    def pattern(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.sin(x), torch.cos(y)

    def replacement(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        both = x + y
        return both * 2, both * 3

    module = fx.symbolic_trace(forward)
    (match,) = replace_pattern(module, pattern, replacement)
    assert [node.name for node in match.returning] == ["sin", "cos"]
    assert is_legal(module.graph)
    assert names(module).index("neg") > names(module).index("mul"), "a reader of the first result moved behind it"
    y = X + 1
    assert torch.equal(module(X, y), -(X + y) * 2 + (X + y) * 3 + (X + y) * 2)


class Scaling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.own, self.shared = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x * self.own) + x * self.shared + self.shared


class ScaledBy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.any = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.any


def test_a_weight_of_the_pattern_matches_any_and_goes_with_its_reader() -> None:
    module = fx.symbolic_trace(Scaling())
    matches = replace_pattern(module, ScaledBy(), lambda x: x * 2)
    assert [match.names()["any_1"] for match in matches] == ["own"], "a weight that is read elsewhere leaks"
    assert [node.name for node in module.graph.nodes if node.op == "get_attr"] == ["shared"]


def test_a_replacement_may_give_a_literal() -> None:
    def three(x: torch.Tensor) -> int:
        return 3

    module = fx.symbolic_trace(lambda x: torch.add(x, torch.numel(x), alpha=torch.numel(x)))
    assert len(replace_pattern(module, lambda x: torch.numel(x), three)) == 2
    assert names(module) == ["x", "add", "output"]
    assert torch.equal(module(X), X + 9)


def first_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        (lambda x: x, "no operation"),
        (first_of, "does not read its parameter y"),
        (lambda x: torch.relu(x) if x.sum() > 0 else x, "cannot be traced"),
    ],
)
def test_a_pattern_that_can_match_nothing_is_an_error(pattern: Callable[..., object], what: str) -> None:
    with pytest.raises(CutterError, match=what):
        find_matches(fx.symbolic_trace(lambda x: torch.relu(x)), pattern)


def test_a_match_at_the_end_of_the_graph_changes_what_is_returned() -> None:
    module = fx.symbolic_trace(lambda x: torch.relu(x))
    replace_pattern(module, lambda x: torch.relu(x), lambda x: torch.neg(x))
    assert torch.equal(module(X), -X)


def test_a_replacement_may_hand_its_input_through() -> None:
    module = fx.symbolic_trace(lambda x: torch.relu(torch.relu(x)) + 1)
    assert len(replace_pattern(module, lambda x: torch.relu(x), lambda x: x)) == 2
    assert names(module) == ["x", "add", "output"]


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [(lambda a: torch.relu(a), lambda a, b: a + b), (lambda a: torch.relu(a), lambda a: (a, a))],
)
def test_a_replacement_of_another_shape_is_an_error(pattern: object, replacement: object) -> None:
    with pytest.raises(CutterError, match="the replacement"):
        replace_pattern(fx.symbolic_trace(lambda x: torch.relu(x)), pattern, replacement)
