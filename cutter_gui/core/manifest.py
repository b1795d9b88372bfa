"""The manifest ``pipeline.yaml``: what a split wrote and what each stage takes and gives (DESIGN, section 4)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import cast

from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Dim, Shape
from cutter_gui.core.plan import TRANSPORTS, Transport
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.core.text_file import read_text
from cutter_gui.core.yaml_checks import document, integer, mapping, one_of, sequence, string
from cutter_gui.core.yaml_parse import parse_tree
from cutter_gui.core.yaml_scalars import scalar
from cutter_gui.core.yaml_tree import Node, Scalar, Tree

FORMAT = "cutter-gui/pipeline"
VERSION = 1
MANIFEST_NAME = "pipeline.yaml"

_LINE_LENGTH = 120
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NULLS = ("null", "Null", "NULL", "~")


@dataclass(frozen=True)
class TensorEntry:
    """A tensor that enters or leaves a stage.

    Attributes:
        name: Its name in the original model.
        dtype: Its element type by ONNX's name in lower case.
        shape: Each dimension an integer, a symbol or None; None where the rank is unknown.
    """

    name: str
    dtype: str
    shape: Shape


@dataclass(frozen=True)
class TransferEntry:
    """One Send or Recv.

    Attributes:
        peer: The stage it goes to or comes from.
        tag: Its tag.
        tensors: The tensors it carries, in the same order at both ends.
    """

    peer: int
    tag: int
    tensors: tuple[TensorEntry, ...]


@dataclass(frozen=True)
class StageFiles:
    """The files of a stage, beside the manifest; None for those that were not written."""

    sendrecv: str | None = None
    plain: str | None = None
    pt2: str | None = None
    json: str | None = None
    weights: str | None = None

    def names(self) -> tuple[str, ...]:
        """Returns the files that were written."""
        return tuple(name for _, name in self.items())

    def items(self) -> tuple[tuple[str, str], ...]:
        """Returns the files that were written by their keys in the manifest."""
        found = ((kind.name, getattr(self, kind.name)) for kind in fields(self))
        return tuple((key, name) for key, name in found if name is not None)


@dataclass(frozen=True)
class StageEntry:
    """A stage.

    Attributes:
        index: Its number, from 0.
        files: Its files.
        inputs: The model's own inputs that are fed to this stage.
        outputs: The model's own outputs that are produced here.
        receives: What comes from other stages.
        sends: What goes to other stages.
    """

    index: int
    files: StageFiles = field(default_factory=StageFiles)
    inputs: tuple[TensorEntry, ...] = ()
    outputs: tuple[TensorEntry, ...] = ()
    receives: tuple[TransferEntry, ...] = ()
    sends: tuple[TransferEntry, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """A manifest.

    Attributes:
        source: The model that was split; its path is relative to the manifest's folder where it can be.
        transport: How tensors go from stage to stage.
        stages: The stages in order.
        structure: How the model's inputs and outputs nest, in the format's own notation, for formats where they do.
    """

    source: ModelRef
    transport: Transport = "relay"
    stages: tuple[StageEntry, ...] = ()
    structure: str | None = None

    def files(self) -> tuple[str, ...]:
        """Returns the files of all stages."""
        return tuple(name for stage in self.stages for name in stage.files.names())


def manifest_text(manifest: Manifest) -> str:
    """Returns the text of a manifest; any YAML reader reads names in it as the strings they are."""
    source = manifest.source
    named = (("path", source.path), ("kind", source.kind), ("fingerprint", source.fingerprint))
    lines = [
        f"format: {FORMAT}",
        f"version: {VERSION}",
        f"source: {_flow((key, scalar(value)) for key, value in named if value is not None)}",
        f"transport: {manifest.transport}",
        *([] if manifest.structure is None else [f"structure: {scalar(manifest.structure)}"]),
        "stages:" if manifest.stages else "stages: []",
    ]
    for stage in manifest.stages:
        lines += _stage_lines(stage)
    return "\n".join(lines) + "\n"


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Reads a manifest.

    Args:
        path: The manifest, or the folder it is in.

    Raises:
        CutterError: There is none, or it is not as it should be; the place is ``file:line:column``.
    """
    file = Path(path)
    if file.is_dir():
        file /= MANIFEST_NAME
        if not file.exists():
            remedy = "give a folder that a split has written"
            raise CutterError(f"the folder holds no {MANIFEST_NAME}", os.fspath(path), remedy)
    return parse_manifest(read_text(file), os.fspath(file))


def earlier_files(path: Path) -> Sequence[str]:
    """Returns the files that an earlier result lists; a damaged manifest owns nothing but itself.

    Args:
        path: The manifest.

    Raises:
        CutterError: The file is no manifest of a split.
    """
    try:
        return read_manifest(path).files()
    except CutterError:
        if path.is_file() and FORMAT.encode() in path.read_bytes():
            return ()
        raise CutterError(
            f"the folder holds a {path.name} that is not from an earlier result",
            str(path.parent),
            "move it away, or give another folder",
        ) from None


def parse_manifest(text: str, where: str) -> Manifest:
    """Reads a manifest from its text.

    Args:
        text: The text.
        where: The file's name, for messages.

    Raises:
        CutterError: It is not as it should be; the place is ``where:line:column``.
    """
    tree = parse_tree(text, where)
    keys = document(tree, FORMAT, VERSION, required=("source", "transport", "stages"), optional=("structure",))
    source = mapping(tree, keys["source"], "source", ("path", "kind"), ("fingerprint",), "{path: ..., kind: onnx}")
    stages = sequence(tree, keys["stages"], "stages", "- index: 0")
    return Manifest(
        ModelRef(**{key: string(tree, value, key) for key, value in source.items()}),
        cast(Transport, one_of(tree, keys["transport"], "transport", TRANSPORTS)),
        tuple(_stage(tree, node, index, len(stages)) for index, node in enumerate(stages)),
        string(tree, keys["structure"], "structure") if "structure" in keys else None,
    )


def _stage_lines(stage: StageEntry) -> list[str]:
    lines = [
        f"  - index: {stage.index}",
        f"    files: {_flow((key, scalar(name)) for key, name in stage.files.items())}",
    ]
    for key, tensors in (("inputs", stage.inputs), ("outputs", stage.outputs)):
        lines += _list_lines(key, [_tensor_text(tensor) for tensor in tensors])
    for key, peer, transfers in (("receives", "from", stage.receives), ("sends", "to", stage.sends)):
        items = [_transfer_text(transfer, peer) for transfer in transfers]
        line = _list_line(key, items)
        if len(line) <= _LINE_LENGTH:
            lines.append(line)
            continue
        lines.append(f"    {key}:")
        for transfer in transfers:
            lines += [f"      - {peer}: {transfer.peer}", f"        tag: {transfer.tag}"]
            lines.append("        tensors:" if transfer.tensors else "        tensors: []")
            lines += [f"          - {_tensor_text(tensor)}" for tensor in transfer.tensors]
    return lines


def _list_lines(key: str, items: Sequence[str]) -> list[str]:
    line = _list_line(key, items)
    return [line] if len(line) <= _LINE_LENGTH else [f"    {key}:", *(f"      - {item}" for item in items)]


def _list_line(key: str, items: Sequence[str]) -> str:
    return f"    {key + ':':<9} [{', '.join(items)}]"


def _transfer_text(transfer: TransferEntry, peer: str) -> str:
    tensors = ", ".join(map(_tensor_text, transfer.tensors))
    return _flow(((peer, str(transfer.peer)), ("tag", str(transfer.tag)), ("tensors", f"[{tensors}]")))


def _tensor_text(tensor: TensorEntry) -> str:
    shape = "null" if tensor.shape is None else f"[{', '.join(map(_dim_text, tensor.shape))}]"
    return _flow((("name", scalar(tensor.name)), ("dtype", scalar(tensor.dtype)), ("shape", shape)))


def _dim_text(dim: Dim) -> str:
    if dim is None:
        return "null"
    return scalar(dim) if isinstance(dim, str) else str(dim)


def _flow(pairs: Iterable[tuple[str, str]]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"


def _stage(tree: Tree, node: Node, position: int, count: int) -> StageEntry:
    keys = mapping(tree, node, "a stage", ("index", "files", "inputs", "outputs", "receives", "sends"))
    index = integer(tree, keys["index"], "index")
    if index != position:
        raise tree.error(f"stage {index} stands at place {position}", keys["index"], "list the stages in order from 0")
    return StageEntry(
        index,
        _files(tree, keys["files"]),
        _tensors(tree, keys["inputs"], "inputs"),
        _tensors(tree, keys["outputs"], "outputs"),
        _transfers(tree, keys["receives"], "receives", "from", count),
        _transfers(tree, keys["sends"], "sends", "to", count),
    )


def _files(tree: Tree, node: Node) -> StageFiles:
    known = tuple(kind.name for kind in fields(StageFiles))
    found = {}
    for key, value in mapping(tree, node, "files", (), known, "{plain: ...}").items():
        name = found[key] = string(tree, value, key)
        if name in (".", "..") or any(character in name for character in "/\\\0"):
            raise tree.error("a stage's file must lie beside the manifest", value, "give its bare name")
    return StageFiles(**found)


def _transfers(tree: Tree, node: Node, what: str, peer_key: str, count: int) -> tuple[TransferEntry, ...]:
    found = []
    for item in sequence(tree, node, what, f"[{{{peer_key}: 0, tag: 0, tensors: [...]}}]"):
        keys = mapping(tree, item, f"an entry of {what}", (peer_key, "tag", "tensors"))
        peer = integer(tree, keys[peer_key], peer_key)
        if not 0 <= peer < count:
            raise tree.error(f"there is no stage {peer}", keys[peer_key], f"give 0 to {count - 1}")
        tag = integer(tree, keys["tag"], "tag")
        found.append(TransferEntry(peer, tag, _tensors(tree, keys["tensors"], "tensors")))
    return tuple(found)


def _tensors(tree: Tree, node: Node, what: str) -> tuple[TensorEntry, ...]:
    example = "{name: ..., dtype: float32, shape: [...]}"
    found = []
    for item in sequence(tree, node, what, f"[{example}]"):
        keys = mapping(tree, item, "a tensor", ("name", "dtype", "shape"), example=example)
        name = string(tree, keys["name"], "name")
        found.append(TensorEntry(name, string(tree, keys["dtype"], "dtype"), _shape(tree, keys["shape"])))
    return tuple(found)


def _shape(tree: Tree, node: Node) -> Shape:
    if _is_null(node):
        return None
    return tuple(_dim(tree, dim) for dim in sequence(tree, node, "shape", "[1, batch, null], or null if unknown"))


def _dim(tree: Tree, node: Node) -> Dim:
    if _is_null(node):
        return None
    text = string(tree, node, "a dimension")
    return int(text) if isinstance(node, Scalar) and node.plain and _INTEGER.fullmatch(text) else text


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.plain and node.value in _NULLS
