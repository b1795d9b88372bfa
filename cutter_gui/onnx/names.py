"""Names for what the Send/Recv form adds (DESIGN, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cutter_gui.core.contents import Transfer
from cutter_gui.core.free_names import FreeNames
from cutter_gui.core.transfer_names import transfer_node_names


@dataclass(frozen=True)
class TransferNames:
    """The names that one Send and its Recv add.

    Attributes:
        send_node: Name of the Send node.
        send_input: Signal that lets the Send start.
        send_rank: Where it sends to.
        send_output: Signal that it is done.
        recv_node: Name of the Recv node.
        recv_input: Signal that lets the Recv start.
        recv_rank: Where it receives from.
        recv_output: Signal that it is done.
        received: Name of each tensor on the receiving side, in order.
    """

    send_node: str
    send_input: str
    send_rank: str
    send_output: str
    recv_node: str
    recv_input: str
    recv_rank: str
    recv_output: str
    received: tuple[str, ...]


def name_transfers(
    moved: Sequence[Transfer],
    transport: str,
    tensor_names: Sequence[str],
    taken: Iterable[str],
    node_names: Iterable[str],
) -> dict[Transfer, TransferNames]:
    """Names all transfers of a plan; a model that has Send/Recv already keeps its names, the new ones step aside."""
    free = FreeNames(taken)
    nodes = transfer_node_names(moved, transport, node_names)
    named = {}
    for transfer in moved:
        label = transfer.label(transport)
        named[transfer] = TransferNames(
            send_node=nodes[transfer][0],
            send_input=free.take(f"send_input_signal{label}"),
            send_rank=free.take(f"send_dst_rank{label}"),
            send_output=free.take(f"send_output_signal{label}"),
            recv_node=nodes[transfer][1],
            recv_input=free.take(f"recv_input_signal{label}"),
            recv_rank=free.take(f"recv_src_rank{label}"),
            recv_output=free.take(f"receive_output_signal{label}"),
            received=tuple(free.take(f"{tensor_names[tensor]}_recv{label}") for tensor in transfer.tensors),
        )
    return named
