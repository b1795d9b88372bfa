"""Whether a manifest says of the stages what their files do, since others start the stages by the manifest alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.manifest import Manifest, StageEntry, TransferEntry
from cutter_gui.onnx.channels import ChannelEnd, DetachedStage


def refuse_unpaired(manifest: Manifest, where: str) -> None:
    """Checks that what one stage sends is what another receives: peers, tags, tensors and their order.

    Raises:
        CutterError: Some transfer has no other end.
    """
    sent = {(stage.index, end.peer, end.tag): end.tensors for stage in manifest.stages for end in stage.sends}
    received = {(end.peer, stage.index, end.tag): end.tensors for stage in manifest.stages for end in stage.receives}
    for source, target, tag in (*sent, *received):
        if sent.get((source, target, tag)) != received.get((source, target, tag)):
            raise _differs(f"what stage {source} sends to stage {target} is not what that receives", where)


def refuse_unlisted(
    manifest: Manifest, stages: Sequence[DetachedStage], form: str, own: Collection[str], where: str
) -> None:
    """Checks that the files of a form read and hand out what the manifest lists.

    Args:
        manifest: The manifest.
        stages: Its stages as read.
        form: ``plain`` or ``sendrecv``.
        own: What the model that was split reads and signals itself, for its own Send and Recv nodes too.
        where: The manifest's file.

    Raises:
        CutterError: A file reads or hands out something else.
    """
    crossing = {tensor.name for entry in manifest.stages for end in entry.sends for tensor in end.tensors}
    for entry, stage in zip(manifest.stages, stages, strict=True):
        if form == "plain":
            _check_plain(entry, stage, crossing, own, where)
        else:
            _check_ends(entry.index, "sends", entry.sends, stage.sends, where)
            _check_ends(entry.index, "receives", entry.receives, stage.receives, where)


def _check_plain(
    entry: StageEntry,
    stage: DetachedStage,
    crossing: set[str],
    own: Collection[str],
    where: str,
) -> None:
    graph = stage.model.proto.graph
    read = {value.name: value.type.tensor_type.elem_type for value in graph.input}
    made = {value.name: value.type.tensor_type.elem_type for value in graph.output}
    received = [tensor for end in entry.receives for tensor in end.tensors]
    sent = [tensor for end in entry.sends for tensor in end.tensors]
    for verb, listed, found in (("reads", (*entry.inputs, *received), read), ("makes", (*entry.outputs, *sent), made)):
        for tensor in listed:
            element_type = found.get(tensor.name)
            if element_type is None and tensor.name not in own:
                what = f"the plain form of stage {entry.index} {verb} no {one_line(tensor.name, 80)}"
                raise _differs(what, where)
            if element_type and element_type != _code(tensor.dtype):
                what = f"in the plain form of stage {entry.index}, {one_line(tensor.name, 80)} is no "
                raise _differs(f"{what}{one_line(tensor.dtype, 40)}", where)
    for name in sorted(crossing.intersection(read).difference(own, (tensor.name for tensor in received))):
        raise _differs(f"the plain form of stage {entry.index} reads {one_line(name, 80)}, which is not listed", where)


def _check_ends(index: int, verb: str, listed: Sequence[TransferEntry], ends: Sequence[ChannelEnd], where: str) -> None:
    """Compares the Sends or Recvs of a file with those listed; a received tensor has a suffix in the file."""
    found = {(end.peer, end.tag): end for end in ends}
    for transfer in listed:
        end = found.pop((transfer.peer, transfer.tag), None)
        same = (
            end is not None
            and end.element_types == tuple(_code(tensor.dtype) for tensor in transfer.tensors)
            and all(
                name == tensor.name or name.startswith(f"{tensor.name}_recv")
                for name, tensor in zip(end.tensors, transfer.tensors, strict=True)
            )
        )
        if not same:
            raise _differs(f"stage {index} {verb} other tensors than its file, or with another stage or tag", where)
    for peer, _ in found:
        raise _differs(f"the file of stage {index} {verb} what is not listed, with stage {peer}", where)


def _code(dtype: str) -> int | None:
    known = BY_NAME.get(dtype)
    return None if known is None else known.code


def _differs(what: str, where: str) -> CutterError:
    return CutterError(f"the manifest is not that of the stages: {what}", where, "split the model again")
