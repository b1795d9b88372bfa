"""Cuts in the wrong place: ``cuts-out-of-order``, ``backward-edge``, ``empty-stage``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cutter_gui.core.cut_order import valid_order
from cutter_gui.core.diagnostic import Diagnostic, Fix, Severity
from cutter_gui.core.fixes import MergeCuts, RemoveCut, ReorderCuts, fix
from cutter_gui.core.problems_mends import Mends
from cutter_gui.core.problems_words import (
    counted,
    cut_shown,
    node_names,
    node_shown,
    sentence,
    tensor_shown,
    tensors_listed,
)
from cutter_gui.core.stages import Staging


def order_problems(staging: Staging, incomplete: bool, mends: Mends) -> Iterator[Diagnostic]:
    """Yields what breaks rule 4 besides incomplete cuts.

    Args:
        staging: The plan's stages.
        incomplete: Whether a cut is incomplete; no order of the cuts is valid then.
        mends: Finds what mends an edge that runs backward.
    """
    if not len(staging.failing) and not staging.empty:
        return
    if not incomplete and not staging.listings.unknown:
        order = valid_order(staging)
        if order is not None:
            yield _out_of_order(staging, order)
            return
    backward = list(_backward_edges(staging, mends))
    yield from backward
    if not backward and not incomplete:
        yield from _empty_stages(staging)


def _out_of_order(staging: Staging, order: tuple[int, ...]) -> Diagnostic:
    graph, plan = staging.graph, staging.plan
    edges = staging.listings.edge[staging.failing]
    tensors = list(dict.fromkeys(graph.edge_tensor[edges].tolist()))
    nodes = list(dict.fromkeys(graph.edge_consumer[edges].tolist()))
    if tensors:
        shown = tensors_listed(graph, tensors)
        why = f"{shown} {'runs' if len(tensors) == 1 else 'run'} backward"
    else:
        tensors = list(dict.fromkeys(graph.edge_tensor[staging.listings.edge].tolist()))
        why = f"{counted('stage', staging.empty)} {'is' if len(staging.empty) == 1 else 'are'} empty"
    now = ", ".join(cut_shown(plan, index) for index in order)
    title = "Reorder the cuts: " + ", ".join(plan.cuts[index].name or str(index) for index in order)
    return Diagnostic(
        "cuts-out-of-order",
        Severity.ERROR,
        f"The cuts are out of order: {why}; the order {now} is valid.",
        tensors=tuple(graph.tensor_names[tensor] for tensor in tensors),
        nodes=tuple(nodes),
        node_names=node_names(graph, nodes),
        fixes=(fix(plan, title, [ReorderCuts(order)]),),
    )


def _backward_edges(staging: Staging, mends: Mends) -> Iterator[Diagnostic]:
    """Yields a finding for each cut and tensor with failing listings whose ends lie in different components."""
    graph, listings = staging.graph, staging.listings
    edges = listings.edge[staging.failing]
    producer = graph.tensor_producer[graph.edge_tensor[edges]]
    apart = staging.component[producer] != staging.component[graph.edge_consumer[edges]]
    groups: dict[tuple[int, int], list[int]] = {}
    for listing in staging.failing[apart].tolist():
        key = int(listings.cut[listing]), int(graph.edge_tensor[listings.edge[listing]])
        groups.setdefault(key, []).append(listing)
    if not groups:
        return
    reason = _last_entry(staging)
    for (cut, tensor), members in groups.items():
        component = int(staging.component[graph.tensor_producer[tensor]])
        yield _backward(staging, cut, tensor, members, reason, mends.of(cut, component, members))


def _last_entry(staging: Staging) -> dict[int, int]:
    """Returns for each component that is entered the first listing of the last cut that does."""
    graph, listings = staging.graph, staging.listings
    consumer = graph.edge_consumer[listings.edge]
    entering = np.flatnonzero(~graph.node_constant[consumer])
    component = staging.component[consumer[entering]]
    last = entering[listings.cut[entering] == staging.component_stage[component] - 1]
    found: dict[int, int] = {}
    for listing in last.tolist():
        found.setdefault(int(staging.component[consumer[listing]]), listing)
    return found


def _backward(
    staging: Staging, cut: int, tensor: int, members: list[int], reason: dict[int, int], fixes: Sequence[Fix]
) -> Diagnostic:
    graph, plan = staging.graph, staging.plan
    producer = int(graph.tensor_producer[tensor])
    consumers = [int(graph.edge_consumer[staging.listings.edge[listing]]) for listing in members]
    source = int(staging.node_stage[producer])
    targets = sorted({int(staging.node_stage[consumer]) for consumer in consumers})
    name = tensor_shown(graph, tensor)
    if targets[-1] < source:
        runs = f"runs from stage {source} back to {counted('stage', targets)}, but is in {cut_shown(plan, cut)}"
    elif targets == [source]:
        runs = f"stays in stage {source}, but is in {cut_shown(plan, cut)}"
    else:
        runs = (
            f"runs from stage {source} to {counted('stage', targets)}, but is in {cut_shown(plan, cut)}, "
            f"which separates stages {cut} and {cut + 1}"
        )
    why = ""
    entry = reason.get(int(staging.component[producer]))
    if entry is not None:
        by = tensor_shown(graph, int(graph.edge_tensor[staging.listings.edge[entry]]))
        into = cut_shown(plan, int(staging.listings.cut[entry]))
        why = f"; {node_shown(graph, producer)} is in stage {source} because {into} lists {by}"
    nodes = [producer, *dict.fromkeys(consumers)]
    return Diagnostic(
        "backward-edge",
        Severity.ERROR,
        f"Tensor {name} {runs}{why}.",
        tensors=(graph.tensor_names[tensor],),
        nodes=tuple(nodes),
        node_names=node_names(graph, nodes),
        cut=cut,
        fixes=fixes,
    )


def _empty_stages(staging: Staging) -> Iterator[Diagnostic]:
    """Yields a finding per empty stage.

    With no failing listing, each fix leaves a plan without one: every listing of the cut before an empty stage also
    crosses the cut after it, so the two can be merged; behind the last cut an empty stage means that no edge of that
    cut joins anything, before the first that all its edges start at inputs or constants.
    """
    plan = staging.plan
    last = len(plan.cuts)
    for stage in staging.empty:
        before, after = stage - 1, stage
        bare = [cut for cut in (before, after) if 0 <= cut < last and not plan.cuts[cut].edges]
        if bare:
            cut = bare[0]
            why = f"{cut_shown(plan, cut)} has no edges yet"
            mend = fix(plan, sentence(f"remove {cut_shown(plan, cut)}"), [RemoveCut(cut)])
        elif stage == 0:
            cut = after
            why = f"no node comes before {cut_shown(plan, cut)}"
            mend = fix(plan, sentence(f"remove {cut_shown(plan, cut)}"), [RemoveCut(cut)])
        elif stage == last:
            cut = before
            why = f"no node comes after {cut_shown(plan, cut)}"
            mend = fix(plan, sentence(f"remove {cut_shown(plan, cut)}"), [RemoveCut(cut)])
        else:
            cut = before
            why = f"all that comes after {cut_shown(plan, cut)} also comes after {cut_shown(plan, after)}"
            mend = _merge(staging, before)
        tensors = tuple(dict.fromkeys(edge.tensor for edge in plan.cuts[cut].edges))
        yield Diagnostic(
            "empty-stage",
            Severity.ERROR,
            f"Stage {stage} is empty: {why}.",
            tensors=tensors,
            cut=cut,
            fixes=(mend,),
        )


def _merge(staging: Staging, cut: int) -> Fix:
    plan = staging.plan
    return fix(plan, f"Merge {cut_shown(plan, cut)} with {cut_shown(plan, cut + 1)}", [MergeCuts(cut)])
