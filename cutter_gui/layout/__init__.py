"""Places a graph: nodes and edges to positions, as arrays, without Qt.

`lay_out` is the way in; it picks an engine, and its result, a `Scene`, can be sent between processes. `prepare` imports
what it needs, for a process that waits.
"""

from cutter_gui.layout.choose import lay_out, prepare
from cutter_gui.layout.scene import DIRECTIONS, BoxKind, Direction, LayoutOptions, Scene, WireKind

__all__ = ["DIRECTIONS", "BoxKind", "Direction", "LayoutOptions", "Scene", "WireKind", "lay_out", "prepare"]
