"""What is to be laid out: boxes with sizes, links between them, and the hub tensors kept out.

Terms: a *link* is an edge between two boxes, or one to the pill of a model output; a *hub* is a tensor with so many or
so distant consumers that drawing its edges whole would hide the rest; a *side pill* is the label of a hub beside its
maker or one of its consumers. A box's *cell* is the room that it and its side pills take: engines place cells. Engines
know one direction, downwards: for a drawing from left to right the sketch is *turned*, its boxes as wide as they are to
be high, and the scene is mirrored in the end (`cutter_gui.layout.scene.turned`).

Steps: (1) boxes for nodes, graph inputs, model outputs; (2) links from the graph's edges, vectorised; (3) an order of
the boxes that breaks cycles, and the longest path layers along it; (4) hubs, from consumers and layers; (5) their links
become side pills, alternately left and right of the box.

Complexity: O((N + E) log E). Left out: positions, which are the engines' work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.graph import Bools, Graph, Ints, TensorKind
from cutter_gui.core.units import type_text
from cutter_gui.layout.labels import NAME_CHARACTERS, short_name, uses_text
from cutter_gui.layout.layers import longest_path_layers
from cutter_gui.layout.scene import BoxKind, Bytes, Floats, LayoutOptions

NODE_HEIGHT = 44
PILL_HEIGHT = 24
STUB_HEIGHT = 20
STUB_GAP = 28  # between a box and a side pill
STUB_APART = 4  # between two side pills of a box
LETTER = 6.4  # width of a letter of a type
AROUND_TYPE = 40  # from the box to the type, from there to the next box, and within its pill
WIDEST_TYPE = 200.0
MARK_ROOM = 20  # beyond a side pill, for the mark of a cut
NODE_WIDTHS = (112, 208)
PILL_WIDTHS = (64, 176)
STUB_WIDTHS = (72, 136)
FAR_LAYERS = 14  # a tensor with three or more consumers, one farther down and another half as far, is a hub
FAN_LAYERS = 2  # a tensor whose consumers all stand so near stays whole up to FAN_FACTOR times the threshold
FAN_FACTOR = 2


@dataclass(frozen=True)
class SidePill:
    """A pill of a hub tensor beside a box.

    Attributes:
        box: The box it stands beside.
        tensor: The hub.
        edge: The graph's edge for a consumer's stub, -1 beside the maker.
        width: How far it reaches away from the box, in pixels.
        height: The other side.
    """

    box: int
    tensor: int
    edge: int
    width: int
    height: int = STUB_HEIGHT


@dataclass(frozen=True, eq=False)
class Sketch:
    """What the engines place.

    Attributes:
        box_kind: [B] of `BoxKind`.
        box_ref: [B], node or tensor.
        size: [B, 2] float32, width and height of each box.
        cell: [B, 2] float32, the room to keep for the box and its side pills, the box in its middle.
        sides: [B, 2] float32, how far the box with its side pills reaches left and right of its middle.
        link_source: [K], box.
        link_target: [K], box.
        link_tensor: [K].
        link_edge: [K], the graph's edge or -1 to an output pill.
        order_source: [H], further pairs of boxes of which the first stands above the second; not drawn.
        order_target: [H].
        layer: [B], longest path layer over links and further pairs.
        left: Pills left of their box, by box.
        right: Pills right of their box, by box.
        turned: Whether widths and heights are exchanged.
        room_after: [B] float32, the room that the type of what a box makes takes along its edges; turned only.
    """

    box_kind: Bytes
    box_ref: Ints
    size: Floats
    cell: Floats
    sides: Floats
    link_source: Ints
    link_target: Ints
    link_tensor: Ints
    link_edge: Ints
    order_source: Ints
    order_target: Ints
    layer: Ints
    left: tuple[SidePill, ...]
    right: tuple[SidePill, ...]
    turned: bool = False
    room_after: Floats | None = None

    @property
    def box_count(self) -> int:
        return len(self.box_kind)


def make_sketch(graph: Graph, options: LayoutOptions) -> Sketch:
    """Returns what to place of a graph; see the top of this file."""
    node_shown = np.ones(graph.node_count, np.bool_) if options.show_constants else ~graph.node_constant
    tensor_shown = _tensors_with_a_pill(graph, node_shown, options)
    nodes = np.flatnonzero(node_shown).astype(np.int32)
    pills = np.flatnonzero(tensor_shown).astype(np.int32)
    outputs = np.unique(graph.outputs).astype(np.int32)
    is_weight = graph.tensor_kind[pills] == TensorKind.INITIALIZER
    kind = np.concatenate(
        [
            np.full(len(nodes), BoxKind.NODE),
            np.where(is_weight, BoxKind.WEIGHT, BoxKind.INPUT),
            np.full(len(outputs), BoxKind.OUTPUT),
        ]
    ).astype(np.uint8)
    ref = np.concatenate([nodes, pills, outputs]).astype(np.int32)
    source_box, node_box = _boxes_by_maker(graph, nodes, pills)
    source, target, tensor, edge = _links(graph, source_box, node_box, outputs, len(nodes) + len(pills))
    layer = longest_path_layers(len(kind), source, target)
    hub = _hubs(graph, source, target, tensor, edge, layer, options.hub_threshold)
    stubbed = hub[tensor] & (edge >= 0)
    size = _sizes(graph, kind, ref)
    is_turned = options.direction == "LR"
    if is_turned:
        size = np.ascontiguousarray(size[:, ::-1])
    left, right = _side_pills(graph, source_box, target[stubbed], tensor[stubbed], edge[stubbed], is_turned)
    sides = _sides(size, left, right)
    above, below = _nearest_consumers(source[stubbed], target[stubbed], tensor[stubbed], layer)
    kept = ~stubbed
    return Sketch(
        box_kind=kind,
        box_ref=ref,
        size=size,
        cell=_cells(size, sides, left, right),
        sides=sides,
        link_source=source[kept],
        link_target=target[kept],
        link_tensor=tensor[kept],
        link_edge=edge[kept],
        order_source=above,
        order_target=below,
        layer=layer,
        left=left,
        right=right,
        turned=is_turned,
        room_after=_room_after(graph, len(kind), source[kept], tensor[kept]) if is_turned else None,
    )


def _tensors_with_a_pill(graph: Graph, node_shown: Bools, options: LayoutOptions) -> Bools:
    """[T], the graph's inputs, tensors read but made by nothing, and weights where these are asked for."""
    read = np.zeros(graph.tensor_count, dtype=np.bool_)
    read[graph.edge_tensor[node_shown[graph.edge_consumer]]] = True
    shown = (graph.tensor_kind == TensorKind.MISSING) & read
    if options.show_constants:
        shown |= (graph.tensor_kind == TensorKind.INITIALIZER) & read
    shown[graph.inputs] = True
    return np.asarray(shown, dtype=np.bool_)


def _boxes_by_maker(graph: Graph, nodes: Ints, pills: Ints) -> tuple[Ints, Ints]:
    """Returns [T] the box each tensor comes from and [N] the box of each node, -1 for none."""
    node_box = np.full(graph.node_count, -1, dtype=np.int32)
    node_box[nodes] = np.arange(len(nodes), dtype=np.int32)
    source_box = np.full(graph.tensor_count, -1, dtype=np.int32)
    made = graph.tensor_producer >= 0
    source_box[made] = node_box[graph.tensor_producer[made]]
    source_box[pills] = np.arange(len(nodes), len(nodes) + len(pills), dtype=np.int32)
    return source_box, node_box


def _links(
    graph: Graph, source_box: Ints, node_box: Ints, outputs: Ints, first_output: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Returns source, target, tensor and edge of every link between drawn boxes, by edge, output links last."""
    source = source_box[graph.edge_tensor] if graph.edge_count else np.zeros(0, np.int32)
    target = node_box[graph.edge_consumer] if graph.edge_count else np.zeros(0, np.int32)
    edge = np.flatnonzero((source >= 0) & (target >= 0)).astype(np.int32)
    output_source = source_box[outputs] if len(outputs) else np.zeros(0, np.int32)
    drawn = output_source >= 0
    pill = np.arange(first_output, first_output + len(outputs), dtype=np.int32)
    return (
        np.concatenate([source[edge], output_source[drawn]]),
        np.concatenate([target[edge], pill[drawn]]),
        np.concatenate([graph.edge_tensor[edge], outputs[drawn]]),
        np.concatenate([edge, np.full(int(drawn.sum()), -1, np.int32)]),
    )


def _hubs(graph: Graph, source: Ints, target: Ints, tensor: Ints, edge: Ints, layer: Ints, threshold: int) -> Bools:
    """[T], tensors with more consumers than the threshold, or with several of which two are far down, as a mask has."""
    hub = np.zeros(graph.tensor_count, dtype=np.bool_)
    real = edge >= 0
    uses = np.bincount(tensor[real], minlength=graph.tensor_count)
    reach = np.zeros(graph.tensor_count, dtype=np.int32)
    np.maximum.at(reach, tensor[real], layer[target[real]] - layer[source[real]])
    fan = (reach <= FAN_LAYERS) & (uses <= FAN_FACTOR * threshold)
    hub |= (uses > threshold) & ~fan
    # A single consumer far from the others is a residual connection, which shows the shape of a model; a mask or a
    # table has several.
    away = real & (layer[target] - layer[source] > FAR_LAYERS // 2)
    hub |= (uses >= 3) & (reach > FAR_LAYERS) & (np.bincount(tensor[away], minlength=graph.tensor_count) >= 2)
    return hub


def _nearest_consumers(source: Ints, target: Ints, tensor: Ints, layer: Ints) -> tuple[Ints, Ints]:
    """Returns, for each hub, its maker and its topmost consumer: what keeps a hub above its consumers."""
    if not len(tensor):
        return source, target
    ranked = np.lexsort((target, layer[target], tensor))
    first = np.ones(len(ranked), dtype=np.bool_)
    first[1:] = tensor[ranked][1:] != tensor[ranked][:-1]
    chosen = ranked[first]
    return source[chosen], target[chosen]


def _side_pills(
    graph: Graph, source_box: Ints, target: Ints, tensor: Ints, edge: Ints, is_turned: bool
) -> tuple[tuple[SidePill, ...], tuple[SidePill, ...]]:
    """Returns the pills left and right of their boxes; stubs take the left first, a hub's own pill the right."""
    left: list[SidePill] = []
    right: list[SidePill] = []
    count: dict[int, int] = {}
    widths: dict[int, int] = {}

    def pill(box: int, hub: int, edge: int) -> SidePill:
        sides = (STUB_HEIGHT, widths[hub]) if is_turned else (widths[hub], STUB_HEIGHT)
        return SidePill(box, hub, edge, *sides)

    for box, hub, number in zip(target.tolist(), tensor.tolist(), edge.tolist(), strict=True):
        if hub not in widths:
            text = f"{short_name(graph.tensor_names[hub], 14)} ··· {uses_text(len(graph.consumers(hub)))}"
            widths[hub] = int(_clamped(np.array([len(text) * 6.4 + 16]), STUB_WIDTHS)[0])
        side = left if count.get(box, 0) % 2 == 0 else right
        count[box] = count.get(box, 0) + 1
        side.append(pill(box, hub, number))
    makers: dict[int, int] = {}
    for hub in sorted(widths):
        box = int(source_box[hub])
        side = right if makers.get(box, 0) % 2 == 0 else left
        makers[box] = makers.get(box, 0) + 1
        side.append(pill(box, hub, -1))
    return tuple(left), tuple(right)


def _sides(size: Floats, left: tuple[SidePill, ...], right: tuple[SidePill, ...]) -> Floats:
    """Returns how far each box reaches left and right of its middle, with its pills."""
    sides = np.repeat(size[:, :1] / 2, 2, axis=1)
    for side, pills in enumerate((left, right)):
        box = np.array([pill.box for pill in pills], dtype=np.int64)
        width = np.array([pill.width for pill in pills], dtype=np.float32)
        np.maximum.at(sides[:, side], box, size[box, 0] / 2 + STUB_GAP + width + MARK_ROOM)
    return np.asarray(sides, dtype=np.float32)


def _cells(size: Floats, sides: Floats, left: tuple[SidePill, ...], right: tuple[SidePill, ...]) -> Floats:
    """Returns the room of each box, as wide on one side as on the other."""
    height = size[:, 1].copy()
    for pills in (left, right):
        box = np.array([pill.box for pill in pills], dtype=np.int64)
        tall = np.array([pill.height + STUB_APART for pill in pills], dtype=np.float32)
        height = np.maximum(height, np.bincount(box, weights=tall, minlength=len(size)))
    return np.stack([2 * sides.max(axis=1), height], axis=1).astype(np.float32)


def _room_after(graph: Graph, boxes: int, source: Ints, tensor: Ints) -> Floats:
    """Returns the room that types take along the edges of each box, from the lengths of their texts."""
    room = np.zeros(boxes, dtype=np.float32)
    made, first = np.unique(tensor, return_index=True)
    wide = [len(type_text(graph, number)) * LETTER + AROUND_TYPE for number in made.tolist()]
    np.maximum.at(room, source[first], np.minimum(np.array(wide, dtype=np.float32), WIDEST_TYPE))
    return room


def _sizes(graph: Graph, kind: Bytes, ref: Ints) -> Floats:
    """Returns width and height of each box, from the lengths of its texts: no font is asked."""
    size = np.empty((len(kind), 2), dtype=np.float32)
    is_node = kind == BoxKind.NODE
    nodes = ref[is_node]
    op = np.array([len(name) for name in graph.op_types], dtype=np.float64)[graph.node_op[nodes]]
    name = np.array([len(graph.node_names[node] or graph.node_label(node)) for node in nodes.tolist()], np.float64)
    size[is_node, 0] = _clamped(np.maximum(op * 9.2 + 28, np.minimum(name, NAME_CHARACTERS) * 6.4) + 28, NODE_WIDTHS)
    size[is_node, 1] = NODE_HEIGHT
    pill = np.array([len(graph.tensor_names[tensor]) for tensor in ref[~is_node].tolist()], dtype=np.float64)
    size[~is_node, 0] = _clamped(np.minimum(pill, 20) * 7.2 + 28, PILL_WIDTHS)
    size[~is_node, 1] = PILL_HEIGHT
    return size


def _clamped(width: npt.NDArray[np.float64], limits: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Returns widths within the limits, multiples of 8 so that their halves are on the 4 pixel grid."""
    return np.asarray(np.clip(np.ceil(width / 8) * 8, *limits), dtype=np.float64)
