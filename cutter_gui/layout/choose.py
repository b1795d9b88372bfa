"""Which engine lays a graph out.

Large graphs go to the layered engine, which is nearly linear. Small ones go to Graphviz, which crosses fewer links,
unless the layered engine needs much less width: dot lets a graph of equal blocks with a link around each drift aside,
block by block, while the layered one places equal blocks alike. A picture that follows another, as when a group
unfolds, keeps its engine where the graph is small enough for it: each engine has its own idea of where things stand.
"""

from __future__ import annotations

from contextlib import suppress

from cutter_gui.core.format import Progress, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.layout import graphviz, layered
from cutter_gui.layout.placement import Placement, make_scene
from cutter_gui.layout.scene import LayoutOptions, Scene, empty_scene
from cutter_gui.layout.sketch import Sketch, make_sketch

GRAPHVIZ_UP_TO = 1500  # boxes; dot's time grows steeply beyond
GRAPHVIZ_LINKS_UP_TO = 4000
MUCH_NARROWER = 0.6  # of the width


def lay_out(graph: Graph, options: LayoutOptions | None = None, progress: Progress = no_progress) -> Scene:
    """Lays a graph out.

    Args:
        graph: The graph; cycles, repeated producers and an empty graph are drawn as they are.
        options: What to draw and how.
        progress: Told what is being done; may raise `Cancelled`, which passes through.

    Returns:
        The scene. ``auto``, and ``graphviz`` where Graphviz is missing or fails, may have fallen back to ``layered``:
        `Scene.engine` tells.
    """
    options = options or LayoutOptions()
    progress("Arranging the graph", 0.0)
    sketch = make_sketch(graph, options)
    if not sketch.box_count:
        return empty_scene("layered" if options.engine == "layered" else "graphviz", options.direction)
    placement = _place(sketch, options, progress)
    progress("Drawing the edges", 0.9)
    scene = make_scene(sketch, placement)
    progress("Arranging the graph", 1.0)
    return scene


def prepare() -> None:
    """Imports what the engines import when they need it, which takes longer than many a layout."""
    import scipy.optimize
    import scipy.sparse.csgraph  # noqa: F401 - imported for its time, not its names

    with suppress(ImportError):
        import pygraphviz  # noqa: F401


def _place(sketch: Sketch, options: LayoutOptions, progress: Progress) -> Placement:
    small = sketch.box_count <= GRAPHVIZ_UP_TO and len(sketch.link_source) <= GRAPHVIZ_LINKS_UP_TO
    if options.engine == "graphviz" or (options.engine == "auto" and small and options.before != "layered"):
        try:
            placed = graphviz.place(sketch, progress)
            if options.engine == "auto" and options.before != "graphviz":
                other = layered.place(sketch)
                if _width(sketch, other) < MUCH_NARROWER * _width(sketch, placed):
                    return other
            return placed
        except graphviz.GraphvizFailed:
            # The layered engine draws any graph: a picture by another engine is better than none.
            return layered.place(sketch, progress)
    return layered.place(sketch, progress)


def _width(sketch: Sketch, placement: Placement) -> float:
    """Returns how wide the boxes of a placement are spread."""
    middle = placement.center[:, 0]
    return float((middle + sketch.sides[:, 1]).max() - (middle - sketch.sides[:, 0]).min())
