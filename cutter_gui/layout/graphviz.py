"""The layout engine for small graphs: Graphviz dot, through pygraphviz.

Steps: (1) the cells become boxes of fixed size with numbers for names, so that no text of the user is ever parsed;
(2) dot ranks them, orders them and routes splines around them, within limits (`nslimit`, `nslimit1`, `mclimit`) that
keep it from running away on wide graphs, and with lines instead of splines above `SPLINES_UP_TO` boxes; (3) the
positions are read back, y downwards.

Complexity: dot's network simplex is superlinear; `cutter_gui.layout.choose` sends large graphs elsewhere. It runs
in C and holds the GIL: call it in a process of its own where a window must stay alive. Left out: clusters.
"""

from __future__ import annotations

import locale
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.layout.placement import LAYER_GAP, NODE_GAP, Placement, Routes
from cutter_gui.layout.sketch import Sketch

SPLINES_UP_TO = 1500
POINTS_PER_INCH = 72
LIMITS = "nslimit=0.1 nslimit1=2 mclimit=0.1"


class GraphvizFailed(Exception):
    """Graphviz is not installed, or gave no positions."""


def place(sketch: Sketch, progress: Progress = no_progress) -> Placement:
    """Returns positions of the cells and routes of the links.

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
    splines = "spline" if sketch.box_count <= SPLINES_UP_TO else "line"
    lines = [
        "digraph {",
        f"graph [{LIMITS} splines={splines} nodesep={NODE_GAP / inch:.5f} ranksep={LAYER_GAP / inch:.5f}];",
        'node [shape=box fixedsize=true label=""];',
        "edge [tailport=s headport=n arrowhead=none];",
    ]
    for box, (width, height) in enumerate(sketch.cell.tolist()):
        lines.append(f"{box} [width={width / inch:.5f} height={height / inch:.5f}];")
    ends = zip(sketch.link_source.tolist(), sketch.link_target.tolist(), strict=True)
    lines.extend(
        f"{source} -> {target} [key={link}];" for link, (source, target) in enumerate(ends) if source != target
    )
    above = zip(sketch.order_source.tolist(), sketch.order_target.tolist(), strict=True)
    lines.extend(f"{source} -> {target} [key=o{n} style=invis weight=0];" for n, (source, target) in enumerate(above))
    lines.append("}")
    return "\n".join(lines)


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
    rows: list[list[list[float]]] = [[] for _ in range(len(sketch.link_source))]
    for edge in drawing.edges():
        if edge.name and not edge.name.startswith("o"):
            rows[int(edge.name)] = _curve(edge.attr["pos"] or "")
    routes = Routes.from_rows(rows)
    center[:, 1] *= -1
    routes.points[:, 1] *= -1
    return Placement("graphviz", np.round(center), routes)


def _curve(position: str) -> list[list[float]]:
    """Returns the control points of an edge; none when dot drew it in several parts or not at all."""
    points = [[float(part) for part in word.split(",")] for word in position.split() if word[0] not in "es"]
    return points if len(points) >= 4 and len(points) % 3 == 1 else []
