"""Finding subgraphs by pattern, and putting others in their place.

Terms: a *pattern* is a small graph; its placeholders stand for any value, literals included. A *match* maps its nodes
to nodes of the model's graph. Matches *overlap* when they share a node that is no placeholder: of these the first in
the graph's order counts. A match *leaks* when one of its inner nodes is read from outside: it is none.

torch's matcher does the search. Mended around it: a ``call_module`` matches one whose module has the same type, under
whichever name (torch compares names); replacing keeps the graph in order when a pattern has several results, and a
module or weight that the replacement refers to comes along from it, unless the model has one of that name.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import fx, nn
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program import get_by_path, set_by_path
from cutter_gui.fx.in_torch.subgraphs import put_in_order

Pattern = Callable[..., Any] | nn.Module | fx.Graph
MatchFilter = Callable[["Match", fx.Graph, "fx.Graph | None"], bool]
"""Whether a match counts: told of it, the pattern's graph, and the replacement's or None."""


@dataclass(frozen=True, eq=False)
class Match:
    """A place where a pattern occurs.

    Attributes:
        anchor: The node that the pattern's result matched, the last where it has several.
        nodes_map: Nodes of the pattern to nodes of the graph; a placeholder may map to a literal.
        returning: Nodes of the graph that the pattern's results matched, in their order.
        results: What was put in their place, in the same order; empty where nothing was.
    """

    anchor: fx.Node
    nodes_map: Mapping[fx.Node, Any]
    returning: tuple[fx.Node, ...]
    results: tuple[Any, ...] = ()

    def own(self) -> set[fx.Node]:
        """The nodes of the graph that the match is made of: those that stand for the pattern's inner nodes."""
        return {
            node
            for inner, node in self.nodes_map.items()
            if isinstance(node, fx.Node) and inner.op not in ("placeholder", "get_attr")
        }

    def replaced(self) -> dict[str, str]:
        """Returns the names of the results that were replaced, to those of what is in their place."""
        return {
            node.name: result.name
            for node, result in zip(self.returning, self.results, strict=False)
            if isinstance(result, fx.Node)
        }

    def names(self) -> dict[str, str]:
        """Returns the map as names, literals as text."""
        return {
            inner.name: node.name if isinstance(node, fx.Node) else str(node) for inner, node in self.nodes_map.items()
        }


def find_matches(module: fx.GraphModule, pattern: Pattern, filters: Sequence[MatchFilter] = ()) -> list[Match]:
    """Returns where a pattern occurs, in the graph's order, without overlaps and leaks.

    Args:
        module: The graph module.
        pattern: A function or module, which is traced symbolically, or a graph.
        filters: Each must agree to a match.
    """
    traced = _traced(pattern)
    return _matches(module, traced, None, filters)


def replace_pattern(
    module: fx.GraphModule, pattern: Pattern, replacement: Pattern, filters: Sequence[MatchFilter] = ()
) -> list[Match]:
    """Puts a replacement wherever a pattern occurs. The module is changed.

    Args:
        module: The graph module.
        pattern: A function or module, which is traced symbolically, or a graph. It reads all its parameters.
        replacement: Likewise, with the same number of parameters and results.
        filters: Each must agree to a match.

    Returns:
        The matches that were replaced; their nodes are no longer in the graph, but keep their names.

    Raises:
        CutterError: The two differ in parameters or results, or the replacement refers to what neither module has.
    """
    traced, put = _traced(pattern), _traced(replacement)
    inner, outer = _placeholders(traced.graph), _placeholders(put.graph)
    if len(inner) != len(outer):
        raise CutterError(
            f"the pattern takes {len(inner)} values and the replacement {len(outer)}", "rewriting", "give both the same"
        )
    if len(_results(traced.graph)) != len(_results(put.graph)):
        raise CutterError(
            f"the pattern gives {len(_results(traced.graph))} values and the replacement {len(_results(put.graph))}",
            "rewriting",
            "give both the same",
        )
    matches = _matches(module, traced, put.graph, filters)
    if not matches:
        return []
    _copy_attributes(module, put)
    changed: dict[Any, Any] = {}
    # Once for all: what a match replaces was there before, and nothing changes the order of that.
    position = {node: place for place, node in enumerate(module.graph.nodes)}
    done = []
    for match in matches:
        own = sorted(match.own(), key=position.__getitem__)
        results = _put(module.graph, match, own, put.graph, dict(zip(outer, inner, strict=True)), changed)
        done.append(replace(match, results=results))
    put_in_order(module)
    module.delete_all_unused_submodules()
    module.graph.lint()
    module.recompile()
    return done


@dataclass(frozen=True, eq=False)
class _Traced:
    """A pattern as a graph, and the module that has what its nodes refer to."""

    graph: fx.Graph
    module: nn.Module


def _traced(pattern: Pattern) -> _Traced:
    if isinstance(pattern, fx.Graph):
        return _Traced(pattern, nn.Module())
    try:
        traced = pattern if isinstance(pattern, fx.GraphModule) else fx.symbolic_trace(pattern)
    except Exception as error:  # tracing runs the user's own code
        raise CutterError(
            f"a pattern or replacement cannot be traced: {one_line(f'{type(error).__name__}: {error}', 200)}",
            "rewriting",
            "leave out what decides by values",
        ) from error
    return _Traced(traced.graph, traced)


def _placeholders(graph: fx.Graph) -> list[fx.Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def _results(graph: fx.Graph) -> list[Any]:
    returned = next(node for node in reversed(list(graph.nodes)) if node.op == "output").args[0]
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


class _Matcher(SubgraphMatcher):
    """Matches calls of modules by the modules' types."""

    def __init__(self, pattern: _Traced, module: fx.GraphModule) -> None:
        super().__init__(pattern.graph, match_output=False, match_placeholder=False, remove_overlapping_matches=False)
        self._pattern_module = pattern.module
        self._module = module

    def _nodes_are_equal(self, pn: fx.Node, gn: fx.Node, *args: Any, **kwargs: Any) -> bool:
        if pn.op == "call_module" and gn.op == "call_module":
            ours = self._module.get_submodule(str(gn.target))
            return type(ours) is type(self._pattern_module.get_submodule(str(pn.target)))
        if pn.op == "get_attr" and gn.op == "get_attr":
            return True
        return bool(super()._nodes_are_equal(pn, gn, *args, **kwargs))


def _matches(
    module: fx.GraphModule, pattern: _Traced, replacement: fx.Graph | None, filters: Sequence[MatchFilter]
) -> list[Match]:
    _require_operations(pattern.graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _Matcher(pattern, module).match(module.graph)
    position = {node: place for place, node in enumerate(module.graph.nodes)}
    ordered = sorted((_match_of(match, position) for match in found), key=lambda match: position[match.anchor])
    taken: set[fx.Node] = set()
    kept = []
    for match in ordered:
        own = match.own()
        if own & taken or not all(accepts(match, pattern.graph, replacement) for accepts in filters):
            continue
        taken |= own
        kept.append(match)
    return kept


def _require_operations(pattern: fx.Graph) -> None:
    """Refuses a pattern that has no operation, or a parameter that none of its operations reads."""
    if all(node.op in ("placeholder", "output", "get_attr") for node in pattern.nodes):
        raise CutterError("the pattern has no operation", "rewriting", "let it compute something")
    for node in _placeholders(pattern):
        if all(user.op == "output" for user in node.users):
            raise CutterError(
                f"the pattern does not read its parameter {one_line(node.name, 80)}", "rewriting", "leave it out"
            )


def _match_of(match: InternalMatch, position: Mapping[fx.Node, int]) -> Match:
    nodes = {inner: node for inner, node in match.nodes_map.items() if inner.op != "output"}
    anchor = max(match.returning_nodes or match.anchors, key=lambda node: position[node])
    return Match(anchor, nodes, tuple(match.returning_nodes))


def _put(
    graph: fx.Graph,
    match: Match,
    own: Sequence[fx.Node],
    put: fx.Graph,
    inner_of: Mapping[fx.Node, fx.Node],
    changed: dict[Any, Any],
) -> tuple[Any, ...]:
    """Copies the replacement to where a match is and erases what it replaces, ``own``; returns the results it gave."""
    values = {}
    for outer, inner in inner_of.items():
        node = match.nodes_map[inner]
        values[outer] = changed.get(node, node) if isinstance(node, fx.Node) else node
    with graph.inserting_before(own[-1]):
        copied = graph.graph_copy(put, values)
    results = list(copied) if isinstance(copied, (tuple, list)) else [copied]
    for node, result in zip(match.returning, results, strict=True):
        changed[node] = result
        if isinstance(result, fx.Node):
            node.replace_all_uses_with(result)
        else:
            _read_literal(node, result)
    weights = [node for node in match.nodes_map.values() if isinstance(node, fx.Node) and node.op == "get_attr"]
    for node in (*reversed(own), *dict.fromkeys(weights)):
        if not node.users and node not in results:
            graph.erase_node(node)
    return tuple(results)


def _read_literal(node: fx.Node, literal: Any) -> None:
    """Lets the readers of a node read a literal instead."""

    def instead(source: fx.Node) -> Any:
        return literal if source is node else source

    for user in list(node.users):
        user.args = fx.map_arg(user.args, instead)
        user.kwargs = fx.map_arg(user.kwargs, instead)


def _copy_attributes(module: fx.GraphModule, replacement: _Traced) -> None:
    """Copies what the replacement refers to and the module lacks; what the module has under a name stays."""
    for node in replacement.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = str(node.target)
        if _has(module, target):
            continue
        if not _has(replacement.module, target):
            raise CutterError(
                f"the replacement refers to {one_line(target, 80)}, which neither it nor the model has",
                "rewriting",
                "give the replacement as a module that has it",
            )
        set_by_path(module, target, copy.deepcopy(get_by_path(replacement.module, target)))


def _has(module: nn.Module, target: str) -> bool:
    try:
        get_by_path(module, target)
    except AttributeError:
        return False
    return True
