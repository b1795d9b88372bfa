"""Boundaries moved to where only tensors of known types that can be sent cross them.

Terms: a tensor is *stopped* when what is to be written cannot carry its type. A boundary moves *down* when all nodes
that read a stopped tensor made before it come to stand before it too, and *up* when the nodes that make one read behind
it come to stand behind.

Steps: (1) close the nodes before each boundary, or those behind it, under the usual bonds and under one more: whoever
makes or reads a stopped tensor stands on one side (`sides.Bonds`); (2) that moves all boundaries down, or all up; a
plan is offered where it leaves no stage empty, the one that sends fewer bytes first.

Complexity: O(C (N + E)) for C cuts. Left out: some boundaries down and others up; moving on to where the fewest bytes
cross.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cutter_gui.core.diagnostic import Fix
from cutter_gui.core.dtypes import UNKNOWN, dtype_of
from cutter_gui.core.fixes import ReplaceEdges, fix
from cutter_gui.core.format import Form
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.sides import Bonds
from cutter_gui.core.stages import Staging
from cutter_gui.core.stages_written import Refusal, write_stages
from cutter_gui.core.traffic import boundary_bytes
from cutter_gui.core.units import bytes_text


def is_stopped(graph: Graph, tensor: int, form: Form) -> bool:
    """Whether a tensor cannot cross a boundary: its type is not known, or Send and Recv do not take it."""
    dtype = dtype_of(int(graph.tensor_dtype[tensor]))
    return dtype.code == UNKNOWN or (form != "plain" and not dtype.sendable)


def sendable_instead(staging: Staging, form: Form, symbols: Mapping[str, int] | None = None) -> tuple[Fix, ...]:
    """Returns the mends that move boundaries off stopped tensors, the one that sends fewer bytes first.

    Args:
        staging: The stages of a plan without a failing listing or an empty stage.
        form: What is to be written.
        symbols: Values of symbolic dimensions; 1 where not given.
    """
    graph, plan = staging.graph, staging.plan
    codes = np.unique(graph.tensor_dtype)
    stopped = [code for code in codes.tolist() if code == UNKNOWN or (form != "plain" and not dtype_of(code).sendable)]
    bonds = Bonds(graph, whole=np.isin(graph.tensor_dtype, stopped))
    found: list[tuple[int, Fix]] = []
    for title, wanted in (
        ("after what reads them", _down(staging, bonds)),
        ("before what makes them", _up(staging, bonds)),
    ):
        written = write_stages(graph, wanted, plan, staging.node_stage)
        if isinstance(written, Refusal):
            continue
        size = sum(boundary_bytes(written, boundary, symbols) for boundary in range(len(plan.cuts)))
        edits = [
            ReplaceEdges(index, cut.edges)
            for index, (old, cut) in enumerate(zip(plan.cuts, written.plan.cuts, strict=True))
            if old != cut
        ]
        words = f"Cut {title} instead of tensors that cannot be sent ({bytes_text(size)} in all)"
        found.append((size, fix(plan, words, edits)))
    return tuple(mend for _, mend in sorted(found, key=lambda pair: pair[0]))


def _down(staging: Staging, bonds: Bonds) -> Ints:
    """Returns [N], the stages when every boundary moves down."""
    stage = staging.node_stage
    wanted = np.where(stage >= 0, len(staging.plan.cuts), -1).astype(np.int32)
    for boundary in reversed(range(len(staging.plan.cuts))):
        wanted[bonds.before((stage >= 0) & (stage <= boundary))] = boundary
    return wanted


def _up(staging: Staging, bonds: Bonds) -> Ints:
    """Returns [N], the stages when every boundary moves up."""
    stage = staging.node_stage
    wanted = np.where(stage >= 0, 0, -1).astype(np.int32)
    for boundary in range(len(staging.plan.cuts)):
        wanted[bonds.behind(stage > boundary)] = boundary + 1
    return wanted
