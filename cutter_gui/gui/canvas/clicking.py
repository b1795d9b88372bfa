"""What a click on a thing does: what it selects, and what it asks the window for."""

from __future__ import annotations

from dataclasses import dataclass

from cutter_gui.gui.canvas.hit import Hit, HitKind
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.gui.selection import NOTHING, Selection


@dataclass(frozen=True)
class Deed:
    """What a click does.

    Attributes:
        selection: What is selected then; None leaves the selection as it is.
        tensor: The tensor to cut, -1 for none.
        consumers: Consumers of the selected tensor to put into the cut or take out of it.
        bundle: Tensors to choose from.
    """

    selection: Selection | None = None
    tensor: int = -1
    consumers: tuple[int, ...] = ()
    bundle: tuple[int, ...] = ()


def deed_of_click(picture: Picture, selection: Selection, hit: Hit, only_select: bool) -> Deed:
    """Returns what a click does.

    Args:
        picture: What is drawn.
        selection: What is selected now.
        hit: What is clicked.
        only_select: Whether the click may change nothing but the selection.
    """
    tensor = selection.tensor
    if hit.kind is HitKind.GROUND:
        return Deed(NOTHING)
    if hit.kind is HitKind.NODE:
        if tensor is not None and not only_select and picture.graph.edge(tensor, hit.node) is not None:
            return Deed(consumers=(hit.node,))
        return Deed(Selection(node=hit.node))
    if hit.kind is HitKind.GROUP:
        inside = [] if tensor is None or only_select else picture.sheet.consumers_in(tensor, hit.group)
        return Deed(consumers=tuple(inside)) if inside else Deed(Selection(group=hit.group))
    if hit.kind is HitKind.BUNDLE:
        return Deed(bundle=tuple(picture.scene.tensors_of(hit.wire).tolist()))
    cuts = hit.kind is HitKind.EDGE and not only_select
    return Deed(Selection(tensor=hit.tensor), tensor=hit.tensor if cuts else -1)


def group_to_toggle(picture: Picture, selection: Selection, hit: Hit) -> int:
    """Returns the group that a double click unfolds or folds, -1 where it is two clicks."""
    if hit.kind is HitKind.GROUP:
        return hit.group
    if hit.kind is not HitKind.NODE:
        return -1
    tensor = selection.tensor
    is_consumer = tensor is not None and picture.graph.edge(tensor, hit.node) is not None
    return -1 if is_consumer else int(picture.sheet.groups.node_group[hit.node])


def body_node(picture: Picture, selection: Selection, hit: Hit) -> int:
    """Returns the node whose bodies a double click opens, -1 for none and where it is two clicks."""
    if hit.kind is not HitKind.NODE or hit.node not in picture.graph.node_bodies:
        return -1
    tensor = selection.tensor
    is_consumer = tensor is not None and picture.graph.edge(tensor, hit.node) is not None
    return -1 if is_consumer else hit.node
