"""Names of what a split adds to a model, apart from every name that is there."""

from __future__ import annotations

from collections.abc import Iterable

from cutter_gui.core.contents import Transfer


class FreeNames:
    """Gives out names that nothing in the model has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def take(self, wanted: str) -> str:
        """Returns ``wanted``, or with ``_1``, ``_2``, ... where that is taken."""
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name


def transfer_node_names(
    moved: Iterable[Transfer], transport: str, node_names: Iterable[str]
) -> dict[Transfer, tuple[str, str]]:
    """Returns the names of the Send and the Recv node of each transfer.

    Args:
        moved: All transfers of a plan, by source, then destination.
        transport: The plan's.
        node_names: Names of the model's own nodes.
    """
    free = FreeNames(node_names)
    labels = {transfer: transfer.label(transport) for transfer in moved}
    return {transfer: (free.take(f"send{label}"), free.take(f"recv{label}")) for transfer, label in labels.items()}
