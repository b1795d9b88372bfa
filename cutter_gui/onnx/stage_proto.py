"""The protobuf of one stage, in its two forms (DESIGN, section 4).

Terms: the *plain* form has boundary tensors as graph inputs and outputs under their own names; the *Send/Recv* form
receives them as ``<tensor>_recv<k>`` from Recv nodes, which stand first, and hands them to Send nodes, which stand
last. Both hold the same nodes, in an order in which producers come before readers.

Steps, per stage: nodes; initializers with their new places; inputs and outputs; the value infos, annotations and
functions that concern what is there. Complexity: linear in the stage, except for the set of names in the model, which
is collected once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from onnx import (
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorAnnotation,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
)

from cutter_gui.core.contents import StageContents, Transfer, transfers
from cutter_gui.core.graph import Graph, Ints
from cutter_gui.core.stages import Staging
from cutter_gui.onnx.bodies import all_names, bodies, rename_reads
from cutter_gui.onnx.names import TransferNames, name_transfers
from cutter_gui.onnx.nested_data import external_tensors_nested_in, nested_tensors
from cutter_gui.onnx.volatile import MICROSOFT, FunctionKey, called_key, function_key


@dataclass(frozen=True, eq=False)
class StageSource:
    """What all stages of one split are made from.

    Attributes:
        proto: The model, without large weights.
        staging: A valid staging of its graph.
        types: Types of tensors, by name.
    """

    proto: ModelProto
    staging: Staging
    types: Mapping[str, TypeProto]

    @property
    def graph(self) -> Graph:
        return self.staging.graph

    @cached_property
    def names(self) -> dict[Transfer, TransferNames]:
        """The names that the Send/Recv form adds, apart from every name in the model."""
        graph, plan = self.graph, self.staging.plan
        taken = {*graph.tensor_names, *(value.name for value in self.proto.graph.value_info)}
        for node in self.proto.graph.node:
            for body in bodies(node):
                taken |= all_names(body)
        return name_transfers(transfers(self.staging), plan.transport, graph.tensor_names, taken, graph.node_names)

    @cached_property
    def place(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """[N], the place of each node in the topological order."""
        place = np.zeros(self.graph.node_count, dtype=np.int64)
        place[self.graph.order] = np.arange(len(self.graph.order))
        return place

    @cached_property
    def value_infos(self) -> dict[str, ValueInfoProto]:
        return {value.name: value for value in self.proto.graph.value_info}

    @cached_property
    def functions(self) -> dict[FunctionKey, FunctionProto]:
        return {function_key(function): function for function in self.proto.functions}

    @cached_property
    def nested_external(self) -> list[TensorProto]:
        """Tensors with their data elsewhere that are no dense initializers; most models have none."""
        return external_tensors_nested_in(self.proto)

    @cached_property
    def value_info_tensors(self) -> Ints:
        """The tensor that each value info is of, -1 where the graph has none of that name."""
        index = self.graph.tensor_index
        return np.asarray([index.get(value.name, -1) for value in self.proto.graph.value_info], dtype=np.int32)

    @cached_property
    def header(self) -> ModelProto:
        """What every stage has of the model: all but functions and what the graph is made of."""
        return _header(self.proto)

    @cached_property
    def initializer_positions(self) -> dict[str, int]:
        """Position of each dense initializer by name; the first of a repeated name counts."""
        positions: dict[str, int] = {}
        for position, initializer in enumerate(self.proto.graph.initializer):
            positions.setdefault(initializer.name, position)
        return positions


def plain_stage(source: StageSource, stage: StageContents, weights: Mapping[str, TensorProto]) -> ModelProto:
    """Returns the plain form of a stage.

    Args:
        source: The split.
        stage: The stage's contents.
        weights: The stage's dense initializers as they are to be written, by name.
    """
    model = _stage_model(source, stage, weights)
    names = source.graph.tensor_names
    received = [names[tensor] for transfer in stage.receives for tensor in transfer.tensors]
    sent = [names[tensor] for transfer in stage.sends for tensor in transfer.tensors]
    model.graph.node.extend(source.proto.graph.node[node] for node in _order(source, stage))
    for name in received:
        model.graph.input.append(_value(source, name))
    original = {value.name: value for value in source.proto.graph.output}
    for name in dict.fromkeys([*sent, *_output_names(source, stage)]):
        model.graph.output.append(_output(source, original, name))
    _add_value_infos(source, stage, model.graph, {})
    return model


def sendrecv_stage(source: StageSource, stage: StageContents, weights: Mapping[str, TensorProto]) -> ModelProto:
    """Returns the Send/Recv form of a stage; arguments as `plain_stage`."""
    model = _stage_model(source, stage, weights)
    graph = model.graph
    tensor_names = source.graph.tensor_names
    renamed: dict[str, str] = {}
    for transfer in stage.receives:
        renamed.update(zip((tensor_names[t] for t in transfer.tensors), source.names[transfer].received, strict=True))
    for transfer in stage.receives:
        names = source.names[transfer]
        _add_signals(graph, names.recv_input, names.recv_rank, transfer.recv_rank)
        graph.node.append(
            helper.make_node(
                "Recv",
                [names.recv_input, names.recv_rank],
                [names.recv_output, *names.received],
                name=names.recv_node,
                domain=MICROSOFT,
                tag=transfer.tag,
                element_types=_element_types(source, transfer),
            )
        )
        for tensor, received in zip(transfer.tensors, names.received, strict=True):
            value = graph.value_info.add()
            value.name = received
            value.type.CopyFrom(source.types[tensor_names[tensor]])
    order = _order(source, stage)
    graph.node.extend(source.proto.graph.node[node] for node in order)
    taken = [tensor for transfer in stage.receives for tensor in transfer.tensors]
    readers = {node for tensor in taken for node in source.graph.consumers(tensor).tolist()}
    for at, number in enumerate(order, len(stage.receives)):
        if number in readers:
            rename_reads(graph.node[at], renamed)
    original = {value.name: value for value in source.proto.graph.output}
    for name in dict.fromkeys(_output_names(source, stage)):
        graph.output.append(_output(source, original, name))
    for transfer in stage.receives:
        graph.output.append(_signal_value(source.names[transfer].recv_output))
    for transfer in stage.sends:
        names = source.names[transfer]
        _add_signals(graph, names.send_input, names.send_rank, transfer.send_rank)
        data = [renamed.get(tensor_names[t], tensor_names[t]) for t in transfer.tensors]
        graph.node.append(
            helper.make_node(
                "Send",
                [names.send_input, names.send_rank, *data],
                [names.send_output],
                name=names.send_node,
                domain=MICROSOFT,
                tag=transfer.tag,
                element_types=_element_types(source, transfer),
            )
        )
        graph.output.append(_signal_value(names.send_output))
    _add_value_infos(source, stage, graph, renamed)
    if (stage.receives or stage.sends) and all(opset.domain != MICROSOFT for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    return model


def _stage_model(source: StageSource, stage: StageContents, weights: Mapping[str, TensorProto]) -> ModelProto:
    """Returns the parts that both forms share: all but nodes, boundary inputs, outputs and value infos."""
    model = ModelProto()
    model.CopyFrom(source.header)
    original = source.proto.graph
    names = source.graph.tensor_names
    read_weights = {names[tensor] for tensor in stage.weights}
    read_inputs = {names[tensor] for tensor in stage.inputs}
    model.graph.input.extend(
        value for value in original.input if value.name in read_inputs or value.name in read_weights
    )
    model.graph.quantization_annotation.extend(_annotations(source, stage))
    model.graph.initializer.extend(weights.values())
    model.graph.sparse_initializer.extend(
        sparse for sparse in original.sparse_initializer if sparse.values.name in read_weights
    )
    nodes = [original.node[int(node)] for node in stage.nodes]
    model.functions.extend(_functions_called(source, nodes))
    return model


def stage_nested_tensors(source: StageSource, stage: StageContents) -> Iterator[TensorProto]:
    """Yields the source's tensors that a stage's files hold besides dense initializers; see `nested_data`.

    None where no such tensor of the whole model has its data elsewhere.
    """
    if not source.nested_external:
        return
    nodes = [source.proto.graph.node[int(node)] for node in stage.nodes]
    read_weights = {source.graph.tensor_names[tensor] for tensor in stage.weights}
    sparse = (entry for entry in source.proto.graph.sparse_initializer if entry.values.name in read_weights)
    yield from nested_tensors(nodes, sparse)
    for function in _functions_called(source, nodes):
        yield from nested_tensors(function.node)


def stage_weight_names(source: StageSource, stage: StageContents) -> list[str]:
    """Returns the dense initializers that a stage's files hold, in file order: those read, and quantization data."""
    positions = source.initializer_positions
    names = {source.graph.tensor_names[tensor] for tensor in stage.weights}
    for annotation in _annotations(source, stage):
        names.update(entry.value for entry in annotation.quant_parameter_tensor_names)
    return sorted((name for name in names if name in positions), key=positions.__getitem__)


def _annotations(source: StageSource, stage: StageContents) -> list[TensorAnnotation]:
    """Returns the quantization annotations of tensors that are made, or first stand, in the stage."""
    annotations = source.proto.graph.quantization_annotation
    if not annotations:
        return []
    names = source.graph.tensor_names
    tensors = (*produced(source.graph, stage).tolist(), *stage.weights.tolist(), *stage.inputs.tolist())
    present = {names[tensor] for tensor in tensors}
    return [annotation for annotation in annotations if annotation.tensor_name in present]


def produced(graph: Graph, stage: StageContents) -> Ints:
    """Returns the tensors that a stage's nodes produce."""
    inside = np.zeros(graph.node_count, dtype=np.bool_)
    inside[stage.nodes] = True
    rows = graph.node_outputs
    tensors = rows.values[np.repeat(inside, np.diff(rows.starts))]
    return np.asarray(tensors[tensors >= 0])


_GRAPH_CONTENT = (
    "node",
    "initializer",
    "sparse_initializer",
    "input",
    "output",
    "value_info",
    "quantization_annotation",
)


def _header(proto: ModelProto) -> ModelProto:
    """Returns the model without functions and contents of the graph; fields of a newer onnx stay in both."""
    header = ModelProto()
    # Only whole messages hand on fields that protobuf does not know; else what is large is not even copied.
    if len(UnknownFieldSet(proto)):
        header.CopyFrom(proto)
        header.ClearField("functions")
    else:
        _copy_fields(proto, header, ("graph", "functions"))
        if len(UnknownFieldSet(proto.graph)):
            header.graph.CopyFrom(proto.graph)
        else:
            _copy_fields(proto.graph, header.graph, _GRAPH_CONTENT)
    for name in _GRAPH_CONTENT:
        header.graph.ClearField(name)
    return header


def _copy_fields(source: Message, target: Message, without: Sequence[str]) -> None:
    for descriptor, value in source.ListFields():
        if descriptor.name in without:
            continue
        if descriptor.message_type is not None:
            getattr(target, descriptor.name).extend(value)
        else:
            setattr(target, descriptor.name, value)


def _order(source: StageSource, stage: StageContents) -> list[int]:
    """Returns the stage's nodes, producers before readers."""
    order = np.argsort(source.place[stage.nodes], kind="stable")
    return [int(node) for node in stage.nodes[order].tolist()]


def _functions_called(source: StageSource, nodes: Sequence[NodeProto]) -> list[FunctionProto]:
    """Returns the model-local functions that nodes call, through bodies and other functions too, in file order."""
    if not source.functions:
        return []
    needed: set[FunctionKey] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        key = called_key(node)
        if key in source.functions and key not in needed:
            needed.add(key)
            waiting.extend(source.functions[key].node)
        for body in bodies(node):
            waiting.extend(body.node)
    return [function for key, function in source.functions.items() if key in needed]


def _output_names(source: StageSource, stage: StageContents) -> list[str]:
    return [source.graph.tensor_names[tensor] for tensor in stage.outputs]


def _value(source: StageSource, name: str) -> ValueInfoProto:
    """A boundary tensor keeps what the file says of it besides its type."""
    value = ValueInfoProto()
    if name in source.value_infos:
        value.CopyFrom(source.value_infos[name])
    value.name = name
    value.type.CopyFrom(source.types[name])
    return value


def _output(source: StageSource, original: Mapping[str, ValueInfoProto], name: str) -> ValueInfoProto:
    """A model output keeps what the file says of it; one without a type gets what is known."""
    if name not in original:
        return _value(source, name)
    value = ValueInfoProto()
    value.CopyFrom(original[name])
    if name in source.types and not value.type.WhichOneof("value"):
        value.type.CopyFrom(source.types[name])
    return value


def _signal_value(name: str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.BOOL, ())


def _add_signals(graph: GraphProto, signal: str, rank_name: str, rank: int) -> None:
    """Adds the signal that lets a Send or Recv start, and the rank of its peer: initializers, also listed as inputs."""
    graph.initializer.append(helper.make_tensor(signal, TensorProto.BOOL, (), (True,)))
    graph.initializer.append(helper.make_tensor(rank_name, TensorProto.INT64, (), (rank,)))
    graph.input.append(_signal_value(signal))
    graph.input.append(helper.make_tensor_value_info(rank_name, TensorProto.INT64, ()))


def _element_types(source: StageSource, transfer: Transfer) -> list[int]:
    return [int(source.graph.tensor_dtype[tensor]) for tensor in transfer.tensors]


def _add_value_infos(source: StageSource, stage: StageContents, graph: GraphProto, renamed: Mapping[str, str]) -> None:
    """Adds the file's value infos of what the stage's nodes produce, but not of what is an input or output already.

    A model output that a stage holds a copy of, being constant, is described among the model's outputs.
    """
    names = source.graph.tensor_names
    inside = np.zeros(len(names) + 1, dtype=np.bool_)  # the last stands for value infos of no tensor
    inside[produced(source.graph, stage)] = True
    inside[stage.weights] = True
    index = source.graph.tensor_index
    for value in (*graph.input, *graph.output):
        inside[index.get(value.name, -1)] = False
    for name in renamed:
        inside[index[name]] = False
    infos = source.proto.graph.value_info
    graph.value_info.extend(infos[at] for at in np.flatnonzero(inside[source.value_info_tensors]).tolist())
    inside[source.value_info_tensors] = False
    described = {value.name: value for value in source.proto.graph.output if inside[index[value.name]]}
    graph.value_info.extend(value for value in described.values() if value.type.WhichOneof("value"))
