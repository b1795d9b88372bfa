"""Letting nodes call something else."""

from __future__ import annotations

from typing import Any

from torch import fx

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program import get_by_path

_OPS = ("call_function", "call_method", "call_module", "get_attr", "placeholder")


def replace_target_nodes_with(
    module: fx.GraphModule, old_op: str, old_target: Any, new_op: str, new_target: Any
) -> int:
    """Lets all nodes of one op and target have another op and target; arguments, names and order stay.

    Args:
        module: The graph module, which is changed.
        old_op: The op to look for, such as ``call_function``.
        old_target: The target to look for.
        new_op: The op instead.
        new_target: The target instead.

    Returns:
        How many nodes were changed.

    Raises:
        CutterError: There is no such op, or the module lacks what the new target names.
    """
    if new_op not in _OPS:
        raise CutterError(f"there is no op {one_line(new_op, 40)}", "replacing targets", f"give {', '.join(_OPS)}")
    if new_op in ("call_module", "get_attr"):
        try:
            get_by_path(module, str(new_target))
        except AttributeError:
            what = f"the module has no {one_line(str(new_target), 80)}"
            raise CutterError(what, "replacing targets", "add it first") from None
    changed = 0
    for node in module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            node.op, node.target = new_op, new_target
            # What was known of the value held for the old target; its type and shape may be others now.
            for key in ("val", "tensor_meta", "example_value"):
                node.meta.pop(key, None)
            changed += 1
    if changed:
        module.recompile()
    return changed
