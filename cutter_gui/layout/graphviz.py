"""The layout engine for small graphs: Graphviz dot, through pygraphviz.

Steps: (1) the cells become boxes of fixed size with numbers for names, so that no text of the user is ever parsed;
(2) dot ranks and orders them and gives them x, within limits (`nslimit`, `nslimit1`, `mclimit`) that keep it from
running away; links of chains are heavy, so that chains stay straight; (3) x and ranks are read back, the heights of
rows are ours; (4) `cutter_gui.layout.routing` draws the links, since dot's own splines are slow on wide graphs and not
always smooth.

Complexity: dot's network simplex is superlinear; `cutter_gui.layout.choose` sends large graphs elsewhere. It runs
in C and holds the GIL: call it in a process of its own where a window must stay alive. Left out: clusters.
"""

from __future__ import annotations

import locale
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Ints
from cutter_gui.layout.placement import NODE_GAP, Placement, layer_gap
from cutter_gui.layout.routing import routed
from cutter_gui.layout.rows import row_heights
from cutter_gui.layout.sketch import Sketch

POINTS_PER_INCH = 72
LIMITED_ABOVE = 400
LIMITS = "nslimit=0.1 nslimit1=2 mclimit=0.1"
GENEROUS = "nslimit=2 nslimit1=4 mclimit=0.5"


class GraphvizFailed(Exception):
    """Graphviz is not installed, or gave no positions."""


def place(sketch: Sketch, progress: Progress = no_progress) -> Placement:
    """Returns positions of the cells and routes of the links; see the top of this file.

    Raises:
        GraphvizFailed: Graphviz is not there or failed.
    """
    try:
        import pygraphviz
    except ImportError as error:
        raise GraphvizFailed(f"pygraphviz cannot be imported: {error}") from error
    progress("Arranging with Graphviz", 0.1)
    text = _dot_text(sketch)
    try:
        with _plain_numbers():
            drawing = pygraphviz.AGraph(string=text)
            try:
                drawing.layout(prog="dot")
                progress("Reading positions", 0.8)
                return _read(drawing, sketch)
            finally:
                drawing.close()
    except (ValueError, KeyError, OSError, RuntimeError) as error:
        raise GraphvizFailed(f"Graphviz failed: {error}") from error


@contextmanager
def _plain_numbers() -> Iterator[None]:
    """Makes C read and write numbers with a full stop, whatever the user's locale, while Graphviz works."""
    before = locale.setlocale(locale.LC_NUMERIC)
    locale.setlocale(locale.LC_NUMERIC, "C")
    try:
        yield
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def _dot_text(sketch: Sketch) -> str:
    inch = POINTS_PER_INCH
    limits = GENEROUS if sketch.box_count <= LIMITED_ABOVE else LIMITS
    lines = [
        "digraph {",
        f"graph [{limits} splines=false nodesep={NODE_GAP / inch:.5f} ranksep={layer_gap(sketch) / inch:.5f}];",
        'node [shape=box fixedsize=true label=""];',
        "edge [tailport=s headport=n arrowhead=none];",
    ]
    for box, (width, height) in enumerate(sketch.cell.tolist()):
        lines.append(f"{box} [width={width / inch:.5f} height={height / inch:.5f}];")
    weight = _weights(sketch)
    ends = zip(sketch.link_source.tolist(), sketch.link_target.tolist(), weight.tolist(), strict=True)
    lines.extend(
        f"{source} -> {target} [key={link} weight={heavy}];"
        for link, (source, target, heavy) in enumerate(ends)
        if source != target
    )
    above = zip(sketch.order_source.tolist(), sketch.order_target.tolist(), strict=True)
    lines.extend(f"{source} -> {target} [key=o{n} style=invis weight=0];" for n, (source, target) in enumerate(above))
    lines.append("}")
    return "\n".join(lines)


def _weights(sketch: Sketch) -> Ints:
    """Returns [K], how much dot tries to keep each link straight: links of a chain most of all."""
    leaves = np.bincount(sketch.link_source, minlength=sketch.box_count)[sketch.link_source] == 1
    enters = np.bincount(sketch.link_target, minlength=sketch.box_count)[sketch.link_target] == 1
    return np.where(leaves & enters, 12, np.where(leaves | enters, 3, 1)).astype(np.int32)


def _read(drawing: object, sketch: Sketch) -> Placement:
    """Reads what dot wrote into the graph's attributes."""
    import pygraphviz

    assert isinstance(drawing, pygraphviz.AGraph)
    center = np.zeros((sketch.box_count, 2), dtype=np.float64)
    for node in drawing.nodes():
        position = node.attr["pos"]
        if not position:
            raise GraphvizFailed("Graphviz gave a node no position")
        center[int(node)] = [float(part) for part in position.split(",")]
    center = np.round(center)
    heights, row = np.unique(-center[:, 1], return_inverse=True)
    top, height = row_heights(sketch, center[:, 0], row.astype(np.int32), len(heights))
    center[:, 1] = top[row] + height[row] / 2
    return Placement("graphviz", center, routed(sketch, center))
