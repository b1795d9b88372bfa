"""Two plans side by side: which cuts answer to each other, what differs in them, and the figures of both.

Terms: two cuts are *alike* by the share of nodes that stand on the same side of both. Cuts are *paired* in order, so
that no pair crosses another.

Steps: (1) count nodes by their stages in both plans; running sums of that table give, for each pair of cuts, how many
nodes stand before both; (2) the pairing with the greatest likeness in all, by the recursion of sequence alignment; (3)
for each pair the listings that only one has, and the nodes on different sides.

Complexity: O(N + E + L + C D) for C and D cuts. Left out: differences of wording, such as a tensor cut whole and the
same edges by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cutter_gui.core.stages import Staging
from cutter_gui.core.traffic import Balance, balance


@dataclass(frozen=True)
class CutDifference:
    """A cut of one plan beside the one that answers to it in the other.

    Attributes:
        left: Index of the cut in the left plan; None when only the right one has it.
        right: Index of the cut in the right plan; None when only the left one has it.
        removed: Edges that only the left cut lists.
        added: Edges that only the right cut lists.
        moved: Nodes that stand on different sides of the two; empty where one is missing.
    """

    left: int | None
    right: int | None
    removed: tuple[int, ...]
    added: tuple[int, ...]
    moved: tuple[int, ...]

    @property
    def is_same(self) -> bool:
        """Whether both cuts list the same edges and have the same nodes before them."""
        return None not in (self.left, self.right) and not (self.removed or self.added or self.moved)


@dataclass(frozen=True)
class PlanDifference:
    """Two plans of one graph compared.

    Attributes:
        cuts: The cuts of both, paired, in order.
        left: Figures of the left plan.
        right: Figures of the right plan.
        other_transport: Whether the plans send in different ways.
    """

    cuts: tuple[CutDifference, ...]
    left: Balance
    right: Balance
    other_transport: bool

    @property
    def is_same(self) -> bool:
        return all(cut.is_same for cut in self.cuts) and not self.other_transport

    @property
    def more_bytes(self) -> int:
        """How many bytes more the right plan sends over all boundaries; negative when fewer."""
        return self.right.total_bytes - self.left.total_bytes


def compare_plans(left: Staging, right: Staging, symbols: Mapping[str, int] | None = None) -> PlanDifference:
    """Compares two plans.

    Args:
        left: The stages of one plan.
        right: The stages of the other, of the same graph.
        symbols: Values of symbolic dimensions; 1 where not given.
    """
    return PlanDifference(
        tuple(_difference(left, right, *pair) for pair in _paired(_likeness(left, right))),
        balance(left, symbols),
        balance(right, symbols),
        left.plan.transport != right.plan.transport,
    )


def _likeness(left: Staging, right: Staging) -> npt.NDArray[np.float64]:
    """[C, D], the share of nodes that stand on the same side of a left and of a right cut."""
    live = ~left.graph.node_constant
    table = np.zeros((left.stage_count, right.stage_count), dtype=np.int64)
    np.add.at(table, (left.node_stage[live], right.node_stage[live]), 1)
    both = table.cumsum(0).cumsum(1)
    total = max(int(both[-1, -1]), 1)
    apart = both[:-1, -1:] + both[-1:, :-1] - 2 * both[:-1, :-1]
    return np.asarray(1 - apart / total, dtype=np.float64)


def _paired(likeness: npt.NDArray[np.float64]) -> list[tuple[int | None, int | None]]:
    """Returns pairs of cuts in order; None stands for the cut that is missing."""
    rows, columns = likeness.shape
    best = np.zeros((rows + 1, columns + 1))
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            paired = likeness[row, column] + best[row + 1, column + 1]
            best[row, column] = max(paired, best[row + 1, column], best[row, column + 1])
    pairs: list[tuple[int | None, int | None]] = []
    row = column = 0
    while row < rows and column < columns:
        if best[row, column] == likeness[row, column] + best[row + 1, column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row, column] == best[row + 1, column]:
            pairs.append((row, None))
            row += 1
        else:
            pairs.append((None, column))
            column += 1
    pairs.extend((at, None) for at in range(row, rows))
    pairs.extend((None, at) for at in range(column, columns))
    return pairs


def _difference(left: Staging, right: Staging, row: int | None, column: int | None) -> CutDifference:
    listed_left, listed_right = _listed(left, row), _listed(right, column)
    moved: tuple[int, ...] = ()
    if row is not None and column is not None:
        live = ~left.graph.node_constant
        moved = tuple(np.flatnonzero(live & ((left.node_stage <= row) != (right.node_stage <= column))).tolist())
    return CutDifference(
        row, column, tuple(sorted(listed_left - listed_right)), tuple(sorted(listed_right - listed_left)), moved
    )


def _listed(staging: Staging, cut: int | None) -> set[int]:
    return set() if cut is None else set(staging.listings.edge[staging.listings.cut == cut].tolist())
