"""Moving about with the keyboard: along edges with the arrows, from node to node with Tab.

A place is a selection and, with a tensor selected, the consumer the keyboard is at. Down from a node goes to its first
output, down from a tensor to the consumer it is at; up is the reverse; left and right go to what stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cutter_gui.gui.canvas.sheet import Sheet
from cutter_gui.gui.selection import NOTHING, Selection
from cutter_gui.layout.scene import BoxKind

ROW = 30.0  # boxes whose middles differ less in height stand in one row


@dataclass(frozen=True)
class Place:
    """Where the keyboard is.

    Attributes:
        selection: What is selected.
        consumer: With a tensor selected, the consumer at hand; -1 for none.
    """

    selection: Selection = NOTHING
    consumer: int = -1


def cycled(sheet: Sheet, place: Place, step: int) -> Place:
    """Returns the next or previous consumer of the selected tensor, or the next or previous node."""
    tensor, node = place.selection.tensor, place.selection.node
    if tensor is not None:
        consumers = _across(sheet, sheet.graph.consumers(tensor).tolist())
        return replace(place, consumer=_next(consumers, place.consumer, step)) if consumers else place
    nodes = _in_reading_order(sheet)
    return Place(Selection(node=_next(nodes, -1 if node is None else node, step))) if nodes else place


def _next(members: list[int], current: int, step: int) -> int:
    if current not in members:
        return members[0 if step > 0 else -1]
    return members[(members.index(current) + step) % len(members)]


def _in_reading_order(sheet: Sheet) -> list[int]:
    scene = sheet.scene
    boxes = np.flatnonzero(scene.box_kind == BoxKind.NODE)
    ranked = boxes[np.lexsort((scene.box_rect[boxes, 0], scene.box_rect[boxes, 1]))]
    found: list[int] = scene.box_ref[ranked].tolist()
    return found


def _across(sheet: Sheet, nodes: list[int]) -> list[int]:
    """Returns the nodes that are drawn, from left to right, those above first."""
    scene = sheet.scene
    drawn = [node for node in nodes if node in scene.node_box]
    return sorted(drawn, key=lambda node: scene.box_rect[scene.node_box[node], [1, 0]].tolist())


def _drawn_tensors(sheet: Sheet, tensors: list[int]) -> list[int]:
    return [tensor for tensor in dict.fromkeys(tensors) if tensor >= 0 and len(sheet.scene.wires_of(tensor))]


def down(sheet: Sheet, place: Place) -> Place:
    """Returns the place one step along an edge."""
    tensor, node = place.selection.tensor, place.selection.node
    if tensor is not None:
        consumers = _across(sheet, sheet.graph.consumers(tensor).tolist())
        target = place.consumer if place.consumer >= 0 else next(iter(consumers), -1)
        return Place(Selection(node=target)) if target >= 0 else place
    if node is not None:
        outputs = _drawn_tensors(sheet, sheet.graph.node_outputs.row(node).tolist())
        return Place(Selection(tensor=outputs[0])) if outputs else place
    return cycled(sheet, place, 1)


def up(sheet: Sheet, place: Place) -> Place:
    """Returns the place one step back along an edge."""
    tensor, node = place.selection.tensor, place.selection.node
    if tensor is not None:
        producer = int(sheet.graph.tensor_producer[tensor])
        return Place(Selection(node=producer)) if producer in sheet.scene.node_box else place
    if node is not None:
        inputs = _inputs(sheet, node)
        return Place(Selection(tensor=inputs[0]), consumer=node) if inputs else place
    return cycled(sheet, place, -1)


def _inputs(sheet: Sheet, node: int) -> list[int]:
    graph = sheet.graph
    return _drawn_tensors(sheet, [*graph.node_inputs.row(node).tolist(), *graph.node_captures.row(node).tolist()])


def beside(sheet: Sheet, place: Place, step: int) -> Place:
    """Returns the place left or right: the next input of the node at hand, the next output, or the node beside."""
    tensor, node = place.selection.tensor, place.selection.node
    graph = sheet.graph
    if tensor is not None:
        if place.consumer >= 0 and len(_inputs(sheet, place.consumer)) > 1:
            return replace(place, selection=Selection(tensor=_next(_inputs(sheet, place.consumer), tensor, step)))
        producer = int(graph.tensor_producer[tensor])
        outputs = _drawn_tensors(sheet, graph.node_outputs.row(producer).tolist()) if producer >= 0 else [tensor]
        return Place(Selection(tensor=_next(outputs, tensor, step))) if outputs else place
    if node is None or node not in sheet.scene.node_box:
        return cycled(sheet, place, step)
    row = _row_of(sheet, node)
    at = row.index(node) + step
    return Place(Selection(node=row[at])) if 0 <= at < len(row) else place


def _row_of(sheet: Sheet, node: int) -> list[int]:
    scene = sheet.scene
    boxes = np.flatnonzero(scene.box_kind == BoxKind.NODE)
    middles = scene.box_rect[boxes, 1] + scene.box_rect[boxes, 3] / 2
    own = scene.box_rect[scene.node_box[node]]
    near = boxes[np.abs(middles - (own[1] + own[3] / 2)) < ROW]
    found: list[int] = scene.box_ref[near[np.argsort(scene.box_rect[near, 0], kind="stable")]].tolist()
    return found
