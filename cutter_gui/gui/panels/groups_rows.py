"""The hierarchy of groups as rows: name, how many are equal, stages, number of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from PySide6.QtCore import QCoreApplication

from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Ints
from cutter_gui.core.groups import Groups, range_title
from cutter_gui.core.units import bytes_text
from cutter_gui.gui.panels.rows import Chip, Gap, Part, Row, Sign, Span, Tone

INDENT = 14
RUN = 3  # equal neighbours from which on they share a row
NAME = 60
HEIGHT = 24


class Order(Enum):
    """How groups within a group are sorted."""

    GRAPH = "graph"
    NAME = "name"
    NODES = "nodes"
    WEIGHTS = "weights"


@dataclass(frozen=True)
class SelectGroup:
    """Target: select a group."""

    group: int


@dataclass(frozen=True)
class ExpandGroup:
    """Target: show or hide the rows of the groups in a group."""

    group: int


@dataclass(frozen=True)
class ExpandRun:
    """Target: show each of several equal groups, from the first to the last."""

    first: int
    last: int


def _tr(text: str) -> str:
    return QCoreApplication.translate("Groups", text)


@dataclass(frozen=True, eq=False)
class GroupTree:
    """What the rows are made from.

    Attributes:
        groups: The groups.
        low: [G], the lowest stage in each group, -1 for none.
        high: [G], the highest.
        expanded: Groups whose groups have rows.
        spread: First groups of runs that are shown one by one.
        current: The group that is selected, -1 for none: it always has a row of its own.
        order: How groups are sorted.
        only: The groups to show, with those around them; None for all.
    """

    groups: Groups
    low: Ints
    high: Ints
    expanded: frozenset[int]
    spread: frozenset[int]
    current: int
    order: Order
    only: frozenset[int] | None = None


def group_rows(tree: GroupTree) -> tuple[Row, ...]:
    """Returns the rows."""
    rows: list[Row] = []
    stack: list[tuple[int, list[int]]] = [(0, _sorted(tree, -1)[::-1])]
    while stack:
        depth, waiting = stack[-1]
        if not waiting:
            stack.pop()
            continue
        group = waiting.pop()
        run = _run(tree, group, waiting)
        if run > 1:
            last = waiting[-run + 1]
            del waiting[-run + 1 :]
            rows.append(_run_row(tree, depth, group, last, run))
            continue
        rows.append(_row(tree, depth, group))
        if group in tree.expanded:
            stack.append((depth + 1, _sorted(tree, group)[::-1]))
    return tuple(rows)


def _sorted(tree: GroupTree, group: int) -> list[int]:
    groups = tree.groups
    found = groups.children(group)
    if tree.only is not None:
        found = [at for at in found if at in tree.only]
    keys: dict[Order, Callable[[int], object]] = {
        Order.NAME: lambda at: _natural(groups.names[at]),
        Order.NODES: lambda at: -int(groups.node_count[at]),
        Order.WEIGHTS: lambda at: -int(groups.weight_bytes[at]),
    }
    return found if tree.order is Order.GRAPH else sorted(found, key=keys[tree.order])  # type: ignore[arg-type]


def _natural(name: str) -> list[tuple[int, str]]:
    """Returns a key by which ``layer.9`` stands before ``layer.10``."""
    parts: list[tuple[int, str]] = []
    digits = ""
    for letter in [*name.lower(), ""]:
        if letter.isdecimal():
            digits += letter
            continue
        if digits:
            parts.append((int(digits), ""))
            digits = ""
        parts.append((-1, letter))
    return parts


def _run(tree: GroupTree, group: int, waiting: list[int]) -> int:
    """Returns how many groups from this one on share a row: equal ones in one stage, but for the first of its kind."""
    groups = tree.groups

    def alike(at: int) -> bool:
        same = groups.equal[at] == groups.equal[group] and tree.low[at] == tree.low[group] == tree.high[at]
        return bool(same) and at not in tree.expanded and at != tree.current

    first_of_kind = int(np.argmax(groups.equal == groups.equal[group]))
    together = tree.order is Order.GRAPH and tree.only is None
    if not together or group == first_of_kind or group in tree.spread or not alike(group):
        return 1
    count = 1
    while count <= len(waiting) and alike(waiting[-count]) and waiting[-count] not in tree.spread:
        count += 1
    return count if count >= RUN else 1


def _row(tree: GroupTree, depth: int, group: int) -> Row:
    groups = tree.groups
    name = one_line(groups.names[group], NAME)
    parts: list[Part] = []
    if groups.children(group):
        icon = "arrow-down-s-line" if group in tree.expanded else "arrow-right-s-line"
        parts.append(Sign(icon, target=ExpandGroup(group)))
    else:
        parts.append(Span("    "))
    parts.append(Span(name, bold=group in tree.expanded and depth == 0, elastic=True, tip=_tip(groups, group)))
    if groups.equal_count[group] > 1:
        parts.append(Span(f"≡ {int(groups.equal_count[group])} ×", Tone.MUTED))
    parts += _chips(int(tree.low[group]), int(tree.high[group]))
    parts += [Gap(), Span(str(int(groups.node_count[group])), Tone.MUTED)]
    return Row(
        ("group", group),
        tuple(parts),
        indent=depth * INDENT - 6,
        height=HEIGHT,
        target=SelectGroup(group),
        tip=_tip(groups, group),
    )


def _run_row(tree: GroupTree, depth: int, first: int, last: int, count: int) -> Row:
    groups = tree.groups
    siblings = groups.children(int(groups.parent[first]))
    members = siblings[siblings.index(first) : siblings.index(last) + 1]
    name = range_title(one_line(groups.names[first], NAME), one_line(groups.names[last], NAME))
    tip = _tr("{count} equal groups").format(count=count)
    parts: list[Part] = [
        Sign("arrow-right-s-line", target=ExpandRun(first, last), tip=tip),
        Span(name, elastic=True, tip=name),
        *_chips(int(tree.low[first]), int(tree.high[first])),
        Gap(),
        Span(str(int(groups.node_count[members].sum())), Tone.MUTED),
    ]
    return Row(
        ("run", first),
        tuple(parts),
        indent=depth * INDENT - 6,
        height=HEIGHT,
        target=ExpandRun(first, last),
        tip=tip,
    )


def _chips(low: int, high: int) -> list[Part]:
    if low < 0:
        return []
    if low == high:
        return [Chip(low)]
    return [Chip(low), Span("–", Tone.MUTED), Chip(high)]


def _tip(groups: Groups, group: int) -> str:
    parts = [" / ".join(groups.path(group)), _tr("{count} nodes").format(count=int(groups.node_count[group]))]
    if groups.weight_bytes[group]:
        parts.append(_tr("weights {size}").format(size=bytes_text(int(groups.weight_bytes[group]))))
    if groups.equal_count[group] > 1:
        parts.append(_tr("{count} groups like this one").format(count=int(groups.equal_count[group])))
    return "\n".join(parts)
