"""The graph of a subgraph body, or of a model-local function: a model of its own, made of the one it stands in.

Terms: as in `cutter_gui.onnx.bodies`.

Steps, from the model inwards: (1) the body becomes the graph of a model with the same opsets and functions; the tensors
it captures become inputs of their outer types, those that are constant outside weights; of a function, the inputs
become those of the call, and its references to attributes the values that the call gives or the defaults; (2) that is
read like any model, types inferred from those of its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import BodyStep, Progress, TypeHint, no_progress
from cutter_gui.core.graph import Graph
from cutter_gui.onnx.bodies import bodies, captures
from cutter_gui.onnx.load import LoadedModel, load_model, loaded_from
from cutter_gui.onnx.model import OnnxModel
from cutter_gui.onnx.volatile import called_key, function_key


def load_body(
    path: Path,
    way: Sequence[BodyStep],
    progress: Progress = no_progress,
    types: Mapping[str, TypeHint] | None = None,
) -> Graph:
    """Reads the graph of a body; see `cutter_gui.core.format.ModelFormat.load_body`."""
    loaded = load_model(path, lambda what, part: progress(what, part * 0.8), types)
    for step in way:
        progress("Reading the body", 0.8)
        loaded = _entered(loaded, step)
    progress("Read", 1.0)
    return loaded.graph


def _entered(loaded: LoadedModel, step: BodyStep) -> LoadedModel:
    """Returns a body of a node as a model."""
    outer = loaded.model.proto
    names = loaded.graph.node_bodies.get(step.node, ())
    if not 0 <= step.body < len(names):
        raise CutterError(
            "the node has no such body any more", one_line(str(loaded.model.path)), "open the model again"
        )
    node = outer.graph.node[step.node]
    function = next((each for each in outer.functions if function_key(each) == called_key(node)), None)
    proto = ModelProto()
    proto.ir_version = outer.ir_version
    proto.functions.extend(outer.functions)
    proto.opset_import.extend(outer.opset_import if function is None else function.opset_import)
    constants: dict[str, int] = {}
    if function is not None:
        _fill_from_function(proto.graph, function, node, loaded.types)
    else:
        body = list(bodies(node))[step.body]
        proto.graph.CopyFrom(body)
        _add_captures(proto.graph, captures_of(body), loaded, constants)
    return loaded_from(OnnxModel(loaded.model.path, proto, {}), constants=constants)


def captures_of(body: GraphProto) -> list[str]:
    """Returns the outer tensors that a body reads, in the order of its nodes."""
    holder = NodeProto()
    holder.attribute.add(name="body", type=AttributeProto.GRAPH).g.CopyFrom(body)
    found = captures(holder)
    read = [name for node in body.node for name in (*node.input, *sorted(captures(node)))]
    read += [output.name for output in body.output]
    return list(dict.fromkeys(name for name in read if name in found))


def _add_captures(graph: GraphProto, names: Iterable[str], loaded: LoadedModel, constants: dict[str, int]) -> None:
    """Makes inputs of captured tensors; notes in ``constants`` those that are weights or made of weights alone."""
    outer = loaded.graph
    for name in names:
        value = graph.input.add()
        value.name = name
        if name in loaded.types:
            value.type.CopyFrom(loaded.types[name])
        tensor = outer.tensor_index.get(name)
        if tensor is not None and outer.is_constant_tensor(tensor):
            constants[name] = max(outer.tensor_bytes(tensor) or 0, 0)


def _fill_from_function(
    graph: GraphProto, function: FunctionProto, call: NodeProto, types: Mapping[str, TypeProto]
) -> None:
    """Makes a graph of what a call of a function computes."""
    graph.name = function.name
    given = {attribute.name: attribute for attribute in (*function.attribute_proto, *call.attribute)}
    for node in function.node:
        added = graph.node.add()
        added.CopyFrom(node)
        _give_attributes(added, given)
    for names, values, target in (
        (function.input, call.input, graph.input),
        (function.output, call.output, graph.output),
    ):
        for place, name in enumerate(names):
            value = target.add()
            value.name = name
            outer = values[place] if place < len(values) else ""
            if outer in types:
                value.type.CopyFrom(types[outer])
    graph.value_info.extend(function.value_info)


def _give_attributes(node: NodeProto, given: Mapping[str, AttributeProto]) -> None:
    """Puts the values of attributes in the place of references to them; a reference to nothing goes."""
    attributes = list(node.attribute)
    del node.attribute[:]
    for attribute in attributes:
        value = attribute
        if attribute.ref_attr_name:
            if attribute.ref_attr_name not in given:
                continue
            value = given[attribute.ref_attr_name]
        added = node.attribute.add()
        added.CopyFrom(value)
        added.name = attribute.name
    for body in bodies(node):
        for inner in body.node:
            _give_attributes(inner, given)
