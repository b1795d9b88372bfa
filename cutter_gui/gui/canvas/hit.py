"""What is under a point of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cutter_gui.gui.canvas.detail import LABELS_FROM
from cutter_gui.gui.canvas.paint_cuts import DISC, MARKS_FROM
from cutter_gui.gui.canvas.sheet import Picture
from cutter_gui.layout.scene import BoxKind, WireKind

REACH = 6.0  # viewport pixels from the middle of a wire


class HitKind(Enum):
    GROUND = "ground"
    NODE = "node"
    EDGE = "edge"  # a wire, label, mark or pill that stands for edges that can be cut
    GROUP = "group"  # the box of a folded group
    BUNDLE = "bundle"  # a wire of a folded group that carries several tensors
    END = "end"  # a graph input or model output, or the wire to one: it can be selected only


@dataclass(frozen=True)
class Hit:
    """A thing that was hit; -1 where something does not apply.

    Attributes:
        kind: What it is.
        node: The node.
        tensor: The tensor.
        box: The box.
        wire: The wire.
        group: The folded group.
    """

    kind: HitKind
    node: int = -1
    tensor: int = -1
    box: int = -1
    wire: int = -1
    group: int = -1


GROUND = Hit(HitKind.GROUND)


def hit_at(picture: Picture, x: float, y: float, scale: float) -> Hit:
    """Returns what is at a scene point: a box before a mark, a mark before a wire, a wire before a label."""
    sheet, scene = picture.sheet, picture.scene
    box = sheet.index.box_at(x, y)
    if box >= 0:
        return _box_hit(picture, box)
    if scale >= MARKS_FROM:
        for mark in picture.cuts.marks:
            if abs(mark.x - x) <= DISC and abs(mark.y - y) <= DISC:
                return _wire_hit(picture, mark.wire)
    wire = sheet.index.wire_at(x, y, REACH / scale)
    if wire >= 0:
        return _wire_hit(picture, wire)
    if scale >= LABELS_FROM:
        tensor = sheet.labels.tensor_at(x, y)
        if tensor >= 0:
            return _wire_hit(picture, int(scene.wires_of(tensor)[0]))
    return GROUND


def _box_hit(picture: Picture, box: int) -> Hit:
    scene = picture.scene
    kind, ref = scene.box_kind[box], int(scene.box_ref[box])
    if kind == BoxKind.NODE:
        return Hit(HitKind.NODE, node=ref, box=box)
    if kind == BoxKind.GROUP:
        return Hit(HitKind.GROUP, group=ref, box=box)
    is_hub = kind in (BoxKind.STUB, BoxKind.HUB)
    return Hit(HitKind.EDGE if is_hub else HitKind.END, tensor=ref, box=box)


def _wire_hit(picture: Picture, wire: int) -> Hit:
    scene = picture.scene
    if len(scene.tensors_of(wire)) > 1:
        return Hit(HitKind.BUNDLE, tensor=int(scene.wire_tensor[wire]), wire=wire)
    kind = HitKind.END if scene.wire_kind[wire] == WireKind.OUTPUT else HitKind.EDGE
    return Hit(kind, tensor=int(scene.wire_tensor[wire]), wire=wire)
