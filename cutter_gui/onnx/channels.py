"""Send and Recv of a stage, replaced in memory by outputs and inputs that are bound to channels.

A stock onnxruntime has no kernels for ``com.microsoft`` Send and Recv. `detach` takes them out of the file as written
and says what each would have done: whom it speaks to, with which tag, in which order, and with which element types.
Only what is needed to run changes: their data inputs become graph outputs, their data outputs graph inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, numpy_helper

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.onnx.model import OnnxModel, referring
from cutter_gui.onnx.volatile import MICROSOFT


@dataclass(frozen=True)
class ChannelEnd:
    """One Send or Recv of a file.

    Attributes:
        peer: Rank of the other side.
        tag: The tag of both sides.
        element_types: ONNX data types of the tensors, in order.
        tensors: Names of the tensors in this file, in order.
        signal: Name of its output signal.
    """

    peer: int
    tag: int
    element_types: tuple[int, ...]
    tensors: tuple[str, ...]
    signal: str


@dataclass(frozen=True, eq=False)
class DetachedStage:
    """A stage without its Send and Recv nodes.

    Attributes:
        model: What is left, to be run.
        sends: Its Sends in file order.
        receives: Its Recvs in file order.
        own_sends: Sends that the original model has itself; what they send are results, like its outputs.
        outputs: Graph outputs that are left, in order; a name may repeat.
    """

    model: OnnxModel
    sends: tuple[ChannelEnd, ...]
    receives: tuple[ChannelEnd, ...]
    own_sends: tuple[ChannelEnd, ...]
    outputs: tuple[str, ...]


def detach(model: OnnxModel, own_signals: Collection[str] = ()) -> DetachedStage:
    """Takes the Send and Recv nodes out of a model.

    Args:
        model: The model as read.
        own_signals: Output signals of Send and Recv nodes that the original model has itself; they are taken out like
            the others, but are no ends of channels between stages.

    Raises:
        CutterError: A Send or Recv lacks its rank or its attributes, its signal is not true, or its element types do
            not count its tensors.
    """
    names = tuple(value.name for value in model.proto.graph.output)
    nodes = [node for node in model.proto.graph.node if is_channel(node)]
    if not nodes:
        return DetachedStage(model, (), (), (), names)
    proto = ModelProto()
    proto.CopyFrom(referring(model))
    graph = proto.graph
    scalars = {tensor.name: tensor for tensor in graph.initializer if not tensor.dims}
    ends = [(node, _channel_end(node, scalars, str(model.path))) for node in nodes]
    _keep_only(graph.node, lambda node: not is_channel(node))
    signals = {end.signal for _, end in ends}
    _keep_only(graph.output, lambda value: value.name not in signals)
    read = {name for node in graph.node for name in node.input} | {value.name for value in graph.output}
    controls = {name for node in nodes for name in node.input[:2]} - read
    _keep_only(graph.initializer, lambda tensor: tensor.name not in controls)
    _keep_only(graph.input, lambda value: value.name not in controls)
    types = {value.name: value.type for value in (*graph.value_info, *graph.input, *graph.output)}
    for node, end in ends:
        values = graph.output if node.op_type == "Send" else graph.input
        present = {value.name for value in values}
        for name, element_type in zip(end.tensors, end.element_types, strict=True):
            if name not in present:
                present.add(name)
                values.append(_value(name, types.get(name), element_type))
    sends = [end for node, end in ends if node.op_type == "Send"]
    receives = [end for node, end in ends if node.op_type == "Recv"]
    return DetachedStage(
        OnnxModel(model.path, proto, {}),
        tuple(end for end in sends if end.signal not in own_signals),
        tuple(end for end in receives if end.signal not in own_signals),
        tuple(end for end in sends if end.signal in own_signals),
        tuple(name for name in names if name not in signals),
    )


def is_channel(node: NodeProto) -> bool:
    """Whether a node is a Send or a Recv."""
    return bool(node.domain == MICROSOFT and node.op_type in ("Send", "Recv"))


def _keep_only(entries: Any, wanted: Callable[[Any], bool]) -> None:
    """Removes, in place, the entries of a repeated protobuf field that are not wanted."""
    kept = [entry for entry in entries if wanted(entry)]
    del entries[:]
    entries.extend(kept)


def _value(name: str, known: TypeProto | None, element_type: int) -> ValueInfoProto:
    value = ValueInfoProto(name=name)
    if known is not None and known.tensor_type.elem_type == element_type:
        value.type.CopyFrom(known)
    else:
        value.type.tensor_type.elem_type = element_type
    return value


def _channel_end(node: NodeProto, scalars: Mapping[str, TensorProto], where: str) -> ChannelEnd:
    attributes = {attribute.name: attribute for attribute in node.attribute}
    place = f"{where}, {node.op_type} {one_line(node.name, 60)}"
    if "tag" not in attributes or "element_types" not in attributes or len(node.input) < 2 or not node.output:
        raise CutterError("a Send or Recv lacks tag, element_types, signal or rank", place, "split the model again")
    tensors = tuple(node.input[2:] if node.op_type == "Send" else node.output[1:])
    element_types = tuple(attributes["element_types"].ints)
    if len(element_types) != len(tensors):
        raise CutterError("element_types does not count the tensors", place, "split the model again")
    signal, rank = (scalars.get(name) for name in node.input[:2])
    if signal is None or rank is None:
        raise CutterError("the signal or the rank is no scalar of the file", place, "split the model again")
    if not bool(numpy_helper.to_array(signal)):
        raise CutterError("the input signal is not true, so it would never run", place, "split the model again")
    return ChannelEnd(
        int(numpy_helper.to_array(rank)), int(attributes["tag"].i), element_types, tensors, node.output[0]
    )
