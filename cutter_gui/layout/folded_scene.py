"""The scene of a folded graph: that of the view, with its boxes and wires naming nodes, groups and tensors again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Csr, Graph, Ints
from cutter_gui.core.groups import Groups
from cutter_gui.layout.choose import lay_out
from cutter_gui.layout.folding import FoldedView, Folding, fold_view
from cutter_gui.layout.scene import BoxKind, LayoutOptions, Scene, SceneFold


def lay_out_folded(
    graph: Graph,
    groups: Groups,
    folding: Folding,
    options: LayoutOptions | None = None,
    progress: Progress = no_progress,
) -> Scene:
    """Lays a graph out with some of its groups folded; see `cutter_gui.layout.choose.lay_out`."""
    options = options or LayoutOptions()
    if folding.is_all_open(groups):
        return lay_out(graph, options, progress)
    view = fold_view(graph, groups, folding, options.show_constants)
    return folded_scene(graph, view, lay_out(view.graph, view_options(options), progress))


def view_options(options: LayoutOptions) -> LayoutOptions:
    """Returns the options to lay a view out with: what is not to be drawn is not in it."""
    return replace(options, show_constants=True)


def folded_scene(graph: Graph, view: FoldedView, scene: Scene) -> Scene:
    """Returns the scene of a view in the numbers of the graph.

    Args:
        graph: The graph.
        view: A view of it.
        scene: The view's graph laid out.
    """
    is_box = scene.box_kind == BoxKind.NODE
    box_view = np.where(is_box, scene.box_ref, 0)
    group = np.where(is_box, view.box_group[box_view] if len(view.box_group) else -1, -1)
    node = np.where(is_box, view.box_node[box_view] if len(view.box_node) else -1, -1)
    first_tensor = view.bundles.values[view.bundles.starts[:-1]]
    pill_tensor = first_tensor[np.where(is_box, 0, scene.box_ref)] if len(first_tensor) else scene.box_ref
    box_ref = np.where(group >= 0, group, np.where(is_box, node, pill_tensor))
    place = np.full(view.graph.node_count + 1, -1, dtype=np.int32)
    place[scene.box_ref[is_box]] = np.flatnonzero(is_box)
    edge_wire = _edge_wires(graph, view, scene)
    wire_edge = np.full(scene.wire_count, -1, dtype=np.int32)
    drawn = np.flatnonzero(edge_wire >= 0)[::-1]
    wire_edge[edge_wire[drawn]] = drawn  # the first edge of each wire, since the last one written stays
    return replace(
        scene,
        box_kind=np.where(group >= 0, BoxKind.GROUP, scene.box_kind).astype(np.uint8),
        box_ref=box_ref.astype(np.int32),
        wire_edge=wire_edge,
        wire_tensor=first_tensor[scene.wire_tensor].astype(np.int32) if len(first_tensor) else scene.wire_tensor,
        fold=SceneFold(
            node_box=place[view.node_box],
            edge_wire=edge_wire,
            wire_tensors=_rows(view.bundles, scene.wire_tensor),
        ),
    )


def _edge_wires(graph: Graph, view: FoldedView, scene: Scene) -> Ints:
    """Returns [E], the wire of each edge, -1 where it is not drawn."""
    result = np.full(graph.edge_count, -1, dtype=np.int32)
    edge = np.flatnonzero(view.edge_bundle >= 0)
    if not len(edge):
        return result
    inner = view.graph
    keys = inner.edge_tensor.astype(np.int64) * inner.node_count + inner.edge_consumer
    wanted = view.edge_bundle[edge].astype(np.int64) * inner.node_count + view.node_box[graph.edge_consumer[edge]]
    wire = np.full(inner.edge_count, -1, dtype=np.int32)
    real = np.flatnonzero(scene.wire_edge >= 0)
    wire[scene.wire_edge[real]] = real
    result[edge] = wire[np.searchsorted(keys, wanted)]
    return result


def _rows(rows: Csr, chosen: Ints) -> Csr:
    """Returns some rows, in the order asked for."""
    lengths = np.diff(rows.starts)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], lengths)
    return Csr(starts, rows.values[np.repeat(rows.starts[chosen], lengths) + within].astype(np.int32))
