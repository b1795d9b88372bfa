"""Running written stages with nothing of this program: onnx reads them, onnxruntime runs them.

The plain form runs file by file, in order. In the Send/Recv form each Send puts its tensors into a mailbox under (from,
to, tag) and each Recv takes them out; stages run in order, which is enough since data only goes forward.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

Values = dict[str, Any]


def session(model: Path | ModelProto) -> onnxruntime.InferenceSession:
    """Opens a model with optimizations off."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    read = onnx.load(model, load_external_data=False) if isinstance(model, Path) else model
    names = [node.name for node in read.graph.node if node.name]
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    if len(set(names)) < len(names):
        source = _without_node_names(model).SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _without_node_names(model: Path | ModelProto) -> ModelProto:
    """Returns a model that onnxruntime takes although two of its nodes have one name."""
    copy = ModelProto()
    copy.CopyFrom(onnx.load(model) if isinstance(model, Path) else model)
    for node in copy.graph.node:
        node.name = ""
    return copy


def run(model: Path | ModelProto, feeds: Mapping[str, Any]) -> Values:
    """Runs a whole model on those of the feeds that it takes, and returns its outputs."""
    opened = session(model)
    given = {value.name: feeds[value.name] for value in opened.get_inputs()}
    names = [value.name for value in opened.get_outputs()]
    return dict(zip(names, opened.run(names, given), strict=True)) if names else {}


def plain_files(folder: Path) -> list[Path]:
    """Returns the plain stages in order."""
    return _numbered(folder, re.compile(r".*_([0-9]+)\.plain\.onnx", re.DOTALL))


def sendrecv_files(folder: Path) -> list[Path]:
    """Returns the Send/Recv stages in order."""
    return _numbered(folder, re.compile(r".*_([0-9]+)\.onnx", re.DOTALL))


def _numbered(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    found = ((pattern.fullmatch(path.name), path) for path in folder.iterdir())
    return [path for _, path in sorted((int(match[1]), path) for match, path in found if match)]


def run_plain(folder: Path, feeds: Mapping[str, Any]) -> Values:
    """Runs the plain stages one after the other and returns everything that they put out."""
    produced: Values = {}
    for path in plain_files(folder):
        produced |= run(path, {**feeds, **produced})
    return produced


def run_sendrecv(folder: Path, feeds: Mapping[str, Any]) -> Values:
    """Runs the Send/Recv stages over mailboxes and returns the outputs that are no signals."""
    mailboxes: dict[tuple[int, int, int], list[Any]] = {}
    outputs: Values = {}
    for rank, path in enumerate(sendrecv_files(folder)):
        model = onnx.load(path)
        channels = [node for node in model.graph.node if node.op_type in ("Send", "Recv")]
        scalars = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer if not tensor.dims}
        available = dict(feeds)
        wanted = {value.name: value for value in model.graph.output}
        for node in channels:
            del wanted[node.output[0]]
            assert bool(scalars[node.input[0]])
            for name in node.input[:2]:
                remove(model.graph.initializer, name)
                remove(model.graph.input, name)
            peer = int(scalars[node.input[1]])
            if node.op_type == "Recv":
                values = mailboxes.pop((peer, rank, attribute(node, "tag")))
                types = attribute(node, "element_types")
                for name, value, code in zip(node.output[1:], values, types, strict=True):
                    assert code == helper.np_dtype_to_tensor_dtype(value.dtype)
                    available[name] = value
                    model.graph.input.append(ValueInfoProto(name=name, type=helper.make_tensor_type_proto(code, None)))
        sends = [node for node in channels if node.op_type == "Send"]
        for node in sends:
            for name, code in zip(node.input[2:], attribute(node, "element_types"), strict=True):
                if name not in available:
                    wanted.setdefault(name, ValueInfoProto(name=name, type=helper.make_tensor_type_proto(code, None)))
        for node in channels:
            model.graph.node.remove(node)
        del model.graph.output[:]
        model.graph.output.extend(wanted.values())
        made = run(model, available) if wanted else {}
        for node in sends:
            address = (rank, int(scalars[node.input[1]]), attribute(node, "tag"))
            assert address not in mailboxes
            mailboxes[address] = [available[name] if name in available else made[name] for name in node.input[2:]]
        signals = {node.output[0] for node in channels}
        own = {value.name for value in onnx.load(path, load_external_data=False).graph.output} - signals
        outputs |= {name: made[name] for name in own}
    assert not mailboxes, "sent, and received by nobody"
    return outputs


def attribute(node: NodeProto, name: str) -> Any:
    return next(helper.get_attribute_value(entry) for entry in node.attribute if entry.name == name)


def remove(entries: Any, name: str) -> None:
    """Removes the entries of this name from a repeated field."""
    for entry in [entry for entry in entries if entry.name == name]:
        entries.remove(entry)


def same_bits(left: Any, right: Any) -> bool:
    """Whether two arrays agree in type, shape and every bit."""
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return bool(np.all(left == right)) if left.dtype == object else left.tobytes() == right.tobytes()


def assert_same(original: Mapping[str, Any], composed: Mapping[str, Any], names: Iterable[str] | None = None) -> None:
    """Fails unless every output of the original is made by the stages, bit for bit."""
    for name in original if names is None else names:
        assert name in composed, f"no stage puts out {name}"
        assert same_bits(original[name], composed[name]), f"{name}: {original[name]} became {composed[name]}"
