"""What is drawn: a graph with its scene, and with a plan and a palette a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cutter_gui.core.graph import Bools, Graph, Ints
from cutter_gui.core.groups import Groups, no_groups
from cutter_gui.core.stages import Staging
from cutter_gui.gui.canvas.cut_marks import CutDrawing, draw_cuts
from cutter_gui.gui.canvas.edge_labels import EdgeLabels
from cutter_gui.gui.canvas.spatial_index import SceneIndex
from cutter_gui.gui.palette import Palette
from cutter_gui.layout.scene import BoxKind, Scene, WireKind


@dataclass(frozen=True, eq=False)
class Sheet:
    """A graph and its scene, with all that is derived from them alone: it outlives changes of the plan.

    Attributes:
        graph: The graph.
        scene: Its scene, or that of a view with groups folded.
        hierarchy: The groups of the graph's nodes, None without any.
        symbols: Values of symbols that bytes are counted with.
    """

    graph: Graph
    scene: Scene
    hierarchy: Groups | None = None
    symbols: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def groups(self) -> Groups:
        return self.hierarchy or no_groups(self.graph)

    @cached_property
    def index(self) -> SceneIndex:
        return SceneIndex(self.scene)

    @cached_property
    def labels(self) -> EdgeLabels:
        return EdgeLabels(self.graph, self.index, self.symbols)

    def source_box(self, tensor: int) -> int:
        """Returns the box a tensor comes from, -1 when it is not drawn."""
        return self.scene.source_box(tensor, int(self.graph.tensor_producer[tensor]))

    def is_hub(self, tensor: int) -> bool:
        """Whether a tensor is drawn as stubs."""
        wires = self.scene.wires_of(tensor)
        return bool(np.any(self.scene.wire_kind[wires] == WireKind.STUB))

    def box_node(self, box: int) -> int:
        """Returns the node of a box, -1 for pills."""
        return int(self.scene.box_ref[box]) if self.scene.box_kind[box] == BoxKind.NODE else -1

    def box_group(self, box: int) -> int:
        """Returns the folded group of a box, -1 for others."""
        if box < 0:
            return -1
        return int(self.scene.box_ref[box]) if self.scene.box_kind[box] == BoxKind.GROUP else -1

    def group_boxes(self, group: int) -> Ints:
        """Returns the boxes that a group's nodes are in: its own when it is folded, else theirs."""
        scene = self.scene
        if group in scene.group_box:
            return np.array([scene.group_box[group]], dtype=np.int32)
        nodes = self.groups.nodes(group)
        boxes = [scene.node_box[node] for node in nodes.tolist() if node in scene.node_box]
        return np.unique(np.array(boxes, dtype=np.int32))

    def consumers_in(self, tensor: int, group: int) -> list[int]:
        """Returns the consumers of a tensor that are within a group."""
        consumers = self.graph.consumers(tensor)
        box, fold = self.scene.group_box.get(group), self.scene.fold
        inside = (
            np.isin(consumers, self.groups.nodes(group))
            if box is None or fold is None
            else fold.node_box[consumers] == box
        )
        found: list[int] = consumers[inside].tolist()
        return found


@dataclass(frozen=True, eq=False)
class Picture:
    """A sheet in the colours of a plan and a palette.

    Attributes:
        sheet: What is drawn.
        staging: The plan's stages, None without a plan.
        active_cut: The cut that clicks change, or None.
        palette: The colours.
    """

    sheet: Sheet
    staging: Staging | None
    active_cut: int | None
    palette: Palette

    @property
    def graph(self) -> Graph:
        return self.sheet.graph

    @property
    def scene(self) -> Scene:
        return self.sheet.scene

    @cached_property
    def box_stage(self) -> Ints:
        """[B], the stage that colours a box, -1 for none: pills, constants, and everything while nothing is cut."""
        scene = self.scene
        stage = np.full(scene.box_count, -1, dtype=np.int32)
        if self.staging is not None and self.staging.plan.cuts:
            nodes = scene.box_kind == BoxKind.NODE
            stage[nodes] = self.staging.node_stage[scene.box_ref[nodes]]
            folded = scene.box_kind == BoxKind.GROUP
            stage[folded] = self._stage_spans[0][folded]
        return stage

    @cached_property
    def _stage_spans(self) -> tuple[Ints, Ints]:
        """[B] each, the lowest and the highest stage of the nodes in a box, -1 for none."""
        scene = self.scene
        none = np.full(scene.box_count, -1, dtype=np.int32)
        if scene.fold is None or self.staging is None or not self.staging.plan.cuts:
            return none, none
        stage, box = self.staging.node_stage, scene.fold.node_box
        known = (stage >= 0) & (box >= 0)
        low, high = np.full(scene.box_count, np.iinfo(np.int32).max, dtype=np.int32), none.copy()
        np.minimum.at(low, box[known], stage[known])
        np.maximum.at(high, box[known], stage[known])
        return np.where(high >= 0, low, -1).astype(np.int32), high

    def stage_span(self, box: int) -> tuple[int, int]:
        """Returns the lowest and the highest stage in the box of a folded group, -1 for none."""
        low, high = self._stage_spans
        return int(low[box]), int(high[box])

    @cached_property
    def box_badge(self) -> Bools:
        """[B], whether a box shows its stage's number: where a stage begins or ends."""
        scene, staging = self.scene, self.staging
        badge = np.zeros(scene.box_count, dtype=np.bool_)
        if staging is None or not staging.plan.cuts:
            return badge
        at_border = np.zeros(self.graph.node_count, dtype=np.bool_)
        first, last = staging.edge_span
        crossing = np.flatnonzero(first != last)
        at_border[self.graph.tensor_producer[self.graph.edge_tensor[crossing]]] = True
        at_border[self.graph.edge_consumer[crossing]] = True
        nodes = np.flatnonzero(scene.box_kind == BoxKind.NODE)
        badge[nodes] = at_border[scene.box_ref[nodes]]
        stages = self.box_stage[nodes]
        highest = nodes[np.lexsort((scene.box_rect[nodes, scene.flow], stages))]
        ranked = self.box_stage[highest]
        badge[highest[np.r_[True, ranked[1:] != ranked[:-1]]] if len(highest) else highest] = True
        return badge & (self.box_stage >= 0)

    @cached_property
    def cuts(self) -> CutDrawing:
        """Where the cuts are drawn."""
        return draw_cuts(self.staging, self.sheet.index, self.sheet.labels)

    def cut_consumers(self, tensor: int) -> set[int]:
        """Returns the consumers whose edges of a tensor the active cut lists."""
        if self.staging is None or self.active_cut is None:
            return set()
        listings = self.staging.listings
        edges = listings.edge[listings.cut == self.active_cut]
        return set(self.graph.edge_consumer[edges[self.graph.edge_tensor[edges] == tensor]].tolist())

    def cuts_of_tensor(self, tensor: int) -> list[int]:
        """Returns the cuts that list some edge of a tensor, ascending."""
        if self.staging is None:
            return []
        listings = self.staging.listings
        return sorted(set(listings.cut[self.graph.edge_tensor[listings.edge] == tensor].tolist()))
