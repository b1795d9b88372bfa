"""Giving the nodes of a graph that was exported anew the names that they had before.

`torch.export` names every node afresh, so that a plan made for the graph before would fit none, or worse, the wrong
ones. Two graphs are walked together in their order: a node of the new one is the next node of the old one that calls
the same on the nodes that its arguments stand for; old nodes that nothing reads are passed over, since exporting drops
them. What does not fit has no counterpart. Linear in the number of nodes and arguments.
"""

from __future__ import annotations

from typing import Any

from torch import fx
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

_SKIPPED = 16  # nodes of the old graph that one node of the new one may be away


def keep_names(before: fx.Graph, exported: ExportedProgram) -> dict[str, str]:
    """Renames the nodes of an exported program after the graph that it was exported from.

    Args:
        before: That graph, with weights as ``get_attr`` nodes.
        exported: The program, which is changed.

    Returns:
        Names in ``before`` to names in the program, of inputs and of nodes that compute.
    """
    found = _counterparts(before, exported)
    graph = exported.graph_module.graph
    wanted = {node: old.name for node, old in found.items()}
    taken = set(wanted.values())
    names: dict[str, str] = {}
    for node in graph.nodes:
        new = wanted.get(node) or _free(node.name, taken)
        if new != node.name:
            names[node.name] = new
            node.name = new
        taken.add(new)
        if node in found and _scope(found[node]):
            node.meta["nn_module_stack"] = _scope(found[node])
    _rename_signature(exported, names)
    held = {node: node.name for node in graph.nodes}
    return {old.name: held[node] for node, old in found.items()}


def _scope(node: fx.Node) -> Any:
    return node.meta.get("nn_module_stack")


def _free(name: str, taken: set[str]) -> str:
    number, free = 0, name
    while free in taken:
        number += 1
        free = f"{name}_new{number}"
    return free


def _counterparts(before: fx.Graph, exported: ExportedProgram) -> dict[fx.Node, fx.Node]:
    """Returns nodes of the program to those of the graph before: user inputs and nodes that compute."""
    signature = exported.graph_signature
    held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    inputs = [node for node in exported.graph_module.graph.nodes if node.op == "placeholder"]
    users = set(signature.user_inputs)
    given = [node for node in inputs if node.name in users]
    old_inputs = [node for node in before.nodes if node.op == "placeholder"]
    same: dict[Any, Any] = {}
    if len(given) == len(old_inputs):
        same.update(zip(given, old_inputs, strict=True))
    kept = dict(same)
    weights = {node: held[node.name] for node in inputs if node.name in held}
    old = [node for node in before.nodes if node.op not in ("placeholder", "get_attr", "output")]
    at = 0
    for node in exported.graph_module.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        for ahead in range(at, min(at + _SKIPPED, len(old))):
            if _is_same(node, old[ahead], same, weights):
                same[node] = kept[node] = old[ahead]
                at = ahead + 1
                break
    return kept


def _is_same(node: fx.Node, old: fx.Node, same: dict[Any, Any], weights: dict[fx.Node, str]) -> bool:
    if node.op != old.op or node.target != old.target:
        return False
    ours, theirs = pytree.tree_leaves((node.args, node.kwargs)), pytree.tree_leaves((old.args, old.kwargs))
    if len(ours) != len(theirs):
        return False
    for mine, other in zip(ours, theirs, strict=True):
        if not isinstance(mine, fx.Node) or not isinstance(other, fx.Node):
            if isinstance(mine, fx.Node) or isinstance(other, fx.Node):
                return False
        elif mine in same:
            if same[mine] is not other:
                return False
        elif other.op != "get_attr" or weights.get(mine, str(other.target)) != str(other.target):
            return False
    return True


def _rename_signature(exported: ExportedProgram, names: dict[str, str]) -> None:
    """Puts new names wherever the program speaks of its nodes."""
    signature = exported.graph_signature
    for spec in (*signature.input_specs, *signature.output_specs):
        if hasattr(spec.arg, "name"):
            spec.arg.name = names.get(spec.arg.name, spec.arg.name)
    for entry in exported.module_call_graph:
        if entry.signature is not None:
            for argument in (*entry.signature.inputs, *entry.signature.outputs):
                if hasattr(argument, "name"):
                    argument.name = names.get(argument.name, argument.name)
