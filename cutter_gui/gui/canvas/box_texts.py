"""What stands on boxes, laid out once each and kept as long as the same graph is shown in the same font."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from cutter_gui.gui.canvas import body_marks, ink
from cutter_gui.gui.canvas.ink import StaticText
from cutter_gui.gui.canvas.paint_nodes import BADGE, PADDING, TEXT_LEFT, pill_text, short_op
from cutter_gui.gui.canvas.sheet import Picture, Sheet
from cutter_gui.layout.labels import short_name
from cutter_gui.layout.scene import BoxKind

KEPT = 8000


class BoxTexts:
    """The texts of one sheet's boxes."""

    def __init__(self) -> None:
        self._made_for: tuple[Sheet | None, str] = (None, "")
        self._nodes: dict[tuple[int, bool], tuple[StaticText, StaticText]] = {}
        self._pills: dict[int, StaticText] = {}

    def look_at(self, picture: Picture) -> None:
        """Forgets what was made for another graph, scene or font."""
        wanted = (picture.sheet, QGuiApplication.font().key())
        if self._made_for != wanted or len(self._nodes) + len(self._pills) > KEPT:
            self._made_for = wanted
            self._nodes, self._pills = {}, {}

    def of_node(self, box: int, badge: bool) -> tuple[StaticText, StaticText]:
        """Returns op and name of a node's box, with or without a badge beside the op."""
        found = self._nodes.get((box, badge))
        if found is None:
            graph, scene = self._sheet.graph, self._sheet.scene
            node = int(scene.box_ref[box])
            room = float(scene.box_rect[box, 2]) - TEXT_LEFT - PADDING
            op = ink.static_text(short_op(graph, node), ink.OP_PIXELS, room - (BADGE if badge else 0), bold=True)
            name_room = room - (body_marks.ROOM if node in graph.node_bodies else 0)
            name = ink.static_text(short_name(graph.node_label(node)), ink.NAME_PIXELS, name_room)
            found = self._nodes[box, badge] = op, name
        return found

    def of_pill(self, box: int) -> StaticText:
        """Returns what a pill says."""
        found = self._pills.get(box)
        if found is None:
            graph, scene = self._sheet.graph, self._sheet.scene
            kind, width = int(scene.box_kind[box]), float(scene.box_rect[box, 2])
            said = pill_text(graph, kind, int(scene.box_ref[box]), width - 14)
            is_stub = kind in (BoxKind.STUB, BoxKind.HUB)
            size = ink.LABEL_PIXELS if is_stub else ink.NAME_PIXELS
            found = self._pills[box] = ink.static_text(said, size, width, mono=not is_stub)
        return found

    @property
    def _sheet(self) -> Sheet:
        assert self._made_for[0] is not None
        return self._made_for[0]
