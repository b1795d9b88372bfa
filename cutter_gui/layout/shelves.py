"""Rows of many small pieces, folded into shelves: what reads a hub tensor need not stand in one row.

Terms: a *piece* is a set of boxes joined by links; edges of hub tensors are no links. A *shelf* is a row of pieces.

Steps: (1) the pieces; (2) those that begin in the same layer and have few layers, when they are many, are set on
shelves about as wide as all together are high, in order of number; (3) each shelf moves down below the one before.

Complexity: O(B + K). Left out: filling the room below short pieces.
"""

from __future__ import annotations

import numpy as np

from cutter_gui.core.graph import Ints
from cutter_gui.layout.sketch import Sketch
from cutter_gui.layout.stretches import Doubles

MANY = 24  # pieces that begin in one layer
FEW_LAYERS = 6
ROW = 100.0  # about the height of a layer with the gap below, in pixels
GAP = 24.0
FLAT = 1.6  # how many times wider than high


def shelved(sketch: Sketch) -> Ints:
    """Returns [B], the layer of each box."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    layer = sketch.layer
    if not len(layer) or int(np.bincount(layer).max()) < MANY:
        return layer
    count = sketch.box_count
    links = (np.ones(len(sketch.link_source)), (sketch.link_source, sketch.link_target))
    pieces, piece = connected_components(csr_matrix(links, shape=(count, count)), directed=False)
    first = np.full(pieces, np.iinfo(np.int32).max, dtype=np.int32)
    last = np.zeros(pieces, dtype=np.int32)
    np.minimum.at(first, piece, layer)
    np.maximum.at(last, piece, layer)
    width = _widths(piece, pieces, layer, sketch.sides.sum(axis=1, dtype=np.float64))
    small = last - first < FEW_LAYERS
    moved = np.zeros(pieces, dtype=np.int32)
    for top in np.flatnonzero(np.bincount(first[small]) >= MANY).tolist():
        members = np.flatnonzero(small & (first == top))
        layers = int((last[members] - top).max()) + 1
        total = float((width[members] + GAP).sum())
        shelf_width = max(np.sqrt(total * layers * ROW * FLAT), float(width[members].max()))
        shelf = np.floor((np.cumsum(width[members] + GAP) - width[members] / 2) / shelf_width).astype(np.int32)
        moved[members] = shelf * layers
    # No layer may be empty: they are numbered anew.
    return np.asarray(np.unique(layer + moved[piece], return_inverse=True)[1], dtype=np.int32)


def _widths(piece: Ints, pieces: int, layer: Ints, width: Doubles) -> Doubles:
    """Returns the width of each piece's widest layer."""
    layers = int(layer.max()) + 1
    key = piece.astype(np.int64) * layers + layer
    keys, where = np.unique(key, return_inverse=True)
    rows = np.bincount(where, width + GAP)
    widest = np.zeros(pieces)
    np.maximum.at(widest, keys // layers, rows)
    return widest
