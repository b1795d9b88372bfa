"""Putting a graph module in place of nodes, and lifting a subgraph out as a module of its own.

torch's ``insert_subgm`` overwrites an earlier submodule of the same class and leaves its call at the end of the graph,
after the nodes that read it; this one does neither.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.legalize import legalized
from cutter_gui.fx.in_torch.program import get_by_path, mark_temporary, set_by_path


def insert_subgraph_module(
    module: fx.GraphModule, inserted: fx.GraphModule, inputs: Sequence[fx.Node], outputs: Sequence[fx.Node]
) -> fx.Node:
    """Adds a graph module as a submodule and lets its call take the place of nodes. The given module is changed.

    Args:
        module: The graph module.
        inserted: What to insert; it takes ``inputs`` and returns one value, or as many as there are ``outputs``. Its
            class name, with a number where that is taken, is the submodule's name.
        inputs: The nodes it is called on.
        outputs: The nodes whose readers read its results from now on; the nodes themselves stay until they are erased.

    Returns:
        The node that calls it.
    """
    name = free_name(module, type(inserted).__name__)
    module.add_submodule(name, inserted)
    graph = module.graph
    position = {node: place for place, node in enumerate(graph.nodes)}
    last = max([*inputs, *outputs], key=lambda node: position[node], default=None)
    with graph.inserting_after(last) if last is not None else graph.inserting_before():
        call = graph.call_module(name, tuple(inputs))
    if len(outputs) == 1:
        outputs[0].replace_all_uses_with(call, delete_user_cb=lambda user: user is not call)
    else:
        after = call
        for index, output in enumerate(outputs):
            with graph.inserting_after(after):
                after = graph.call_function(operator.getitem, (call, index))
            after.meta = dict(output.meta)
            output.replace_all_uses_with(after, delete_user_cb=lambda user: user is not call)
    put_in_order(module)
    return call


def put_in_order(module: fx.GraphModule) -> None:
    """Sorts the graph of a module in place and compiles it; nodes stay the same objects.

    Raises:
        CutterError: It has a cycle.
    """
    ordered = legalized(module)
    if ordered is not module:
        by_name = {node.name: node for node in module.graph.nodes}
        previous = None
        for node in ordered.graph.nodes:
            mine = by_name[node.name]
            if previous is not None and mine is not previous:
                previous.append(mine)
            previous = mine
    module.recompile()


def free_name(module: nn.Module, wanted: str) -> str:
    """Returns a name that the module has no attribute of yet."""
    name, number = wanted, 0
    while hasattr(module, name):
        number += 1
        name = f"{wanted}_{number}"
    return name


def lift_subgraph_as_module(
    module: fx.GraphModule, subgraph: fx.Graph, class_name: str = "GraphModule"
) -> fx.GraphModule:
    """Returns a graph module for a subgraph whose nodes were copied from a module, with the attributes they need.

    Attributes are the module's own, under the same qualified names; nothing else of the module is taken along.

    Args:
        module: The module that the nodes were copied from.
        subgraph: A valid graph.
        class_name: The class name of the result.

    Raises:
        CutterError: The module lacks what a node refers to.
    """
    root, temporary = nn.Module(), []
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = str(node.target)
        try:
            value = get_by_path(module, target)
        except AttributeError:
            raise CutterError(
                f"the module has no {one_line(target, 80)}",
                f"node {one_line(node.name, 80)}",
                "lift it from its own module",
            ) from None
        set_by_path(root, target, value, _kind(module, target))
        if _kind(module, target) == "temporary":
            temporary.append(target)
    lifted = fx.GraphModule(root, subgraph, class_name)
    mark_temporary(lifted, temporary)
    return lifted


def _kind(module: nn.Module, target: str) -> str:
    """How an attribute is held: ``buffer``, ``temporary`` (a buffer that is not saved), or ``constant``."""
    holder, _, last = target.rpartition(".")
    owner = module.get_submodule(holder)
    if last not in owner._buffers:
        return "constant"
    return "temporary" if last in owner._non_persistent_buffers_set else "buffer"
