"""Names of the Send and Recv nodes that a split adds to a model."""

from __future__ import annotations

from collections.abc import Iterable

from cutter_gui.core.contents import Transfer
from cutter_gui.core.free_names import FreeNames


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
