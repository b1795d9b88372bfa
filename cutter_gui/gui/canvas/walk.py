"""Moving about with the keyboard: along edges with the arrows, from node to node with Tab.

A place is a selection and, with a tensor selected, the consumer the keyboard is at. Down from a node goes to its first
output, down from a tensor to the consumer it is at; up is the reverse; left and right go to what stands beside it.
Where edges run from left to right, right is down and down is right (`cutter_gui.gui.canvas.keys` tells them apart). A
folded group is walked through like a node: where a node in it would be reached, the group is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cutter_gui.core.graph import Bools, Ints
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
    tensor = place.selection.tensor
    if tensor is not None:
        consumers = _across(sheet, sheet.graph.consumers(tensor).tolist())
        return replace(place, consumer=_next(consumers, place.consumer, step)) if consumers else place
    boxes = _in_reading_order(sheet)
    return _at_box(sheet, _next(boxes, box_of(sheet, place), step)) if boxes else place


def _next(members: list[int], current: int, step: int) -> int:
    if current not in members:
        return members[0 if step > 0 else -1]
    return members[(members.index(current) + step) % len(members)]


def box_of(sheet: Sheet, place: Place) -> int:
    """Returns the box the keyboard is at, -1 for none."""
    node, group = place.selection.node, place.selection.group
    if place.consumer >= 0 or node is not None:
        return sheet.scene.node_box.get(place.consumer if place.consumer >= 0 else node or 0, -1)
    return -1 if group is None else sheet.scene.group_box.get(group, -1)


def at_node(sheet: Sheet, node: int) -> Place:
    """Returns the place of a node, or of the folded group it is in."""
    group = sheet.box_group(sheet.scene.node_box[node]) if node in sheet.scene.node_box else -1
    return Place(Selection(node=node) if group < 0 else Selection(group=group))


def _at_box(sheet: Sheet, box: int) -> Place:
    group = sheet.box_group(box)
    return Place(Selection(node=sheet.box_node(box)) if group < 0 else Selection(group=group))


def _walkable(sheet: Sheet) -> Ints:
    kind = sheet.scene.box_kind
    return np.flatnonzero((kind == BoxKind.NODE) | (kind == BoxKind.GROUP)).astype(np.int32)


def _in_reading_order(sheet: Sheet) -> list[int]:
    scene, boxes = sheet.scene, _walkable(sheet)
    rects = scene.box_rect[boxes]
    ranked: list[int] = boxes[np.lexsort((rects[:, 1 - scene.flow], rects[:, scene.flow]))].tolist()
    return ranked


def _across(sheet: Sheet, nodes: list[int]) -> list[int]:
    """Returns nodes that are drawn, one for each box, those first along the edges first, then from side to side."""
    scene = sheet.scene
    drawn = list({scene.node_box[node]: node for node in reversed(nodes) if node in scene.node_box}.values())
    axes = [scene.flow, 1 - scene.flow]
    return sorted(drawn, key=lambda node: scene.box_rect[scene.node_box[node], axes].tolist())


def _drawn_tensors(sheet: Sheet, tensors: list[int]) -> list[int]:
    return [tensor for tensor in dict.fromkeys(tensors) if tensor >= 0 and len(sheet.scene.wires_of(tensor))]


def down(sheet: Sheet, place: Place) -> Place:
    """Returns the place one step along an edge."""
    tensor = place.selection.tensor
    if tensor is not None:
        consumers = _across(sheet, sheet.graph.consumers(tensor).tolist())
        target = place.consumer if place.consumer >= 0 else next(iter(consumers), -1)
        return at_node(sheet, target) if target >= 0 else place
    if box_of(sheet, place) >= 0:
        outputs = _outputs(sheet, place)
        return Place(Selection(tensor=outputs[0])) if outputs else place
    return cycled(sheet, place, 1)


def up(sheet: Sheet, place: Place) -> Place:
    """Returns the place one step back along an edge."""
    tensor, node = place.selection.tensor, place.selection.node
    if tensor is not None:
        producer = int(sheet.graph.tensor_producer[tensor])
        return at_node(sheet, producer) if producer in sheet.scene.node_box else place
    if node is not None:
        inputs = _inputs(sheet, node)
        return Place(Selection(tensor=inputs[0]), consumer=node) if inputs else place
    box = box_of(sheet, place)
    if box >= 0:
        entering = _group_tensors(sheet, sheet.scene.wire_target == box)
        if not entering or place.selection.group is None:
            return place
        reader = sheet.consumers_in(entering[0], place.selection.group)
        return Place(Selection(tensor=entering[0]), consumer=reader[0] if reader else -1)
    return cycled(sheet, place, -1)


def _group_tensors(sheet: Sheet, wires: Bools) -> list[int]:
    """Returns the tensors of some wires, from left to right."""
    scene = sheet.scene
    chosen = np.flatnonzero(wires)
    chosen = chosen[np.argsort(scene.wire_points[scene.wire_starts[chosen], 1 - scene.flow], kind="stable")]
    return list(dict.fromkeys(tensor for wire in chosen.tolist() for tensor in scene.tensors_of(wire).tolist()))


def _outputs(sheet: Sheet, place: Place) -> list[int]:
    """Returns the drawn tensors that leave the node or folded group at hand."""
    node = place.selection.node
    if node is not None:
        return _drawn_tensors(sheet, sheet.graph.node_outputs.row(node).tolist())
    return _group_tensors(sheet, sheet.scene.wire_source == box_of(sheet, place))


def _inputs(sheet: Sheet, node: int) -> list[int]:
    graph = sheet.graph
    if sheet.box_group(sheet.scene.node_box.get(node, -1)) >= 0:
        return _group_tensors(sheet, sheet.scene.wire_target == sheet.scene.node_box[node])
    return _drawn_tensors(sheet, [*graph.node_inputs.row(node).tolist(), *graph.node_captures.row(node).tolist()])


def beside(sheet: Sheet, place: Place, step: int) -> Place:
    """Returns the place left or right: the next input of the node at hand, the next output, or the node beside."""
    tensor = place.selection.tensor
    graph = sheet.graph
    if tensor is not None:
        if place.consumer >= 0 and len(_inputs(sheet, place.consumer)) > 1:
            return replace(place, selection=Selection(tensor=_next(_inputs(sheet, place.consumer), tensor, step)))
        producer = int(graph.tensor_producer[tensor])
        outputs = _outputs(sheet, at_node(sheet, producer)) if producer >= 0 else [tensor]
        return Place(Selection(tensor=_next(outputs, tensor, step))) if outputs else place
    box = box_of(sheet, place)
    if box < 0:
        return cycled(sheet, place, step)
    row = _row_of(sheet, box)
    at = row.index(box) + step
    return _at_box(sheet, row[at]) if 0 <= at < len(row) else place


def _row_of(sheet: Sheet, box: int) -> list[int]:
    scene, boxes = sheet.scene, _walkable(sheet)
    flow, own = scene.flow, scene.box_rect[box]
    middles = scene.box_rect[boxes, flow] + scene.box_rect[boxes, flow + 2] / 2
    near = boxes[np.abs(middles - (own[flow] + own[flow + 2] / 2)) < ROW]
    found: list[int] = near[np.argsort(scene.box_rect[near, 1 - flow], kind="stable")].tolist()
    return found
