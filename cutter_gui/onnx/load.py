"""From an ONNX file to the core's graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, TypeProto

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.dtypes import UNKNOWN, dtype_of
from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.format import Progress, TypeHint, no_progress
from cutter_gui.core.graph import Attributes, Graph, Shape
from cutter_gui.core.units import shape_text
from cutter_gui.onnx.bodies import body_names, captures
from cutter_gui.onnx.equal_weights import equal_weights
from cutter_gui.onnx.infer import KnownType, infer_types, type_proto_for
from cutter_gui.onnx.model import OnnxModel, open_model
from cutter_gui.onnx.scopes import scope_of
from cutter_gui.onnx.volatile import called_key, function_key, is_volatile, normal_domain, volatile_functions
from cutter_gui.onnx.weights import stored_bytes

KIND = "onnx"
_SHOWN_VALUES = 16
_LOADED: WeakKeyDictionary[Graph, LoadedModel] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """An opened model with its graph.

    Attributes:
        model: The file as opened, with the types that the user gave.
        graph: The core's graph of it.
        types: The ONNX type of each tensor for which one is known.
    """

    model: OnnxModel
    graph: Graph
    types: dict[str, TypeProto]


def load_graph(path: Path, progress: Progress = no_progress, types: Mapping[str, TypeHint] | None = None) -> Graph:
    """Reads the graph of an ONNX file, without its weights; see `load_model`."""
    loaded = load_model(path, progress, types)
    _LOADED[loaded.graph] = loaded
    return loaded.graph


def loaded_before(graph: Graph | None) -> LoadedModel | None:
    """Returns what `load_graph` read for a graph, as long as somebody holds the graph."""
    return None if graph is None else _LOADED.get(graph)


def load_model(
    path: Path, progress: Progress = no_progress, types: Mapping[str, TypeHint] | None = None
) -> LoadedModel:
    """Opens an ONNX file, without reading its weights.

    Args:
        path: The model file.
        progress: Told what is being done.
        types: Types for tensors that inference cannot tell; each must name a tensor of the graph.

    Raises:
        CutterError: The file is unreadable or no ONNX model, or a type does not fit the graph.
    """
    progress("Reading", 0.0)
    opened = open_model(path)
    loaded = loaded_from(with_types(opened, types), progress)
    if types:
        _check_types(loaded.graph, infer_types(opened, loaded.graph.order), types)
    graph = loaded.graph
    problems = (*graph.problems, *_repeated_functions(loaded.model.proto, graph), *equal_weights(loaded.model))
    progress("Read", 1.0)
    return replace(loaded, graph=replace(graph, problems=problems))


def loaded_from(
    model: OnnxModel, progress: Progress = no_progress, constants: Mapping[str, int] | None = None
) -> LoadedModel:
    """Makes the graph of an opened model.

    Args:
        model: The model.
        progress: Told what is being done.
        constants: Graph inputs that stand for weights, with the bytes of each.
    """
    proto = model.proto
    builder = GraphBuilder(KIND)
    _add_initializers(builder, model)
    for value in proto.graph.input:
        if constants and value.name in constants:
            builder.add_initializer(value.name, constants[value.name])
        else:
            builder.add_input(value.name)
    functions = {function_key(function): function for function in proto.functions}
    volatile = volatile_functions(functions)
    for node in proto.graph.node:
        builder.add_node(
            op_label(node),
            list(node.input),
            list(node.output),
            name=node.name,
            captures=captures(node),
            attributes=attribute_texts(node),
            scope=scope_of(node),
            volatile=is_volatile(node, volatile),
            bodies=(node.op_type,) if called_key(node) in functions else body_names(node),
        )
    for value in proto.graph.output:
        builder.add_output(value.name)
    graph = builder.build(_metadata(proto))
    progress("Inferring types", 0.4)
    known = infer_types(model, graph.order)
    graph = graph.with_types({name: (entry.dtype, entry.shape) for name, entry in known.items()})
    return LoadedModel(model, graph, {name: entry.proto for name, entry in known.items()})


def _repeated_functions(proto: ModelProto, graph: Graph) -> list[Diagnostic]:
    """Returns one finding per model-local function that is there more than once: nothing says which one is called."""
    counts = Counter(function_key(function) for function in proto.functions)
    found = []
    for key, count in counts.items():
        if count == 1:
            continue
        nodes = tuple(number for number, node in enumerate(proto.graph.node) if called_key(node) == key)
        named = [graph.consumer_name(node) for node in nodes]
        found.append(
            Diagnostic(
                "duplicate-function",
                Severity.ERROR,
                f"The model has {count} functions named {one_line('::'.join(part for part in key if part), 80)}; "
                "it must be mended before it is split.",
                tensors=tuple(name for name in named if name is not None),
                nodes=nodes,
                node_names=tuple(graph.node_label(node) for node in nodes),
            )
        )
    return found


def _check_types(graph: Graph, known: Mapping[str, KnownType], types: Mapping[str, TypeHint]) -> None:
    """Refuses types for tensors that do not exist, or that are known to have another."""
    for name, hint in types.items():
        where = f"tensor {one_line(name, 80)}"
        if name not in graph.tensor_index:
            raise CutterError("a type is given for a tensor that does not exist", where, "correct the name")
        dtype = known[name].dtype if name in known else UNKNOWN
        if dtype not in (UNKNOWN, hint.dtype):
            raise CutterError(
                f"the type given is {dtype_of(hint.dtype).name}, but the model says {dtype_of(dtype).name}",
                where,
                "leave it out, or correct it",
            )
        shape = known[name].shape if name in known else None
        if _contradict(shape, hint.shape):
            raise CutterError(
                f"the shape given is {shape_text(hint.shape)}, but the model says {shape_text(shape)}",
                where,
                "leave it out, or correct it",
            )


def _contradict(known: Shape, given: Shape) -> bool:
    """Whether no tensor has both shapes; symbols and what is not known fit any size."""
    if known is None or given is None:
        return False
    pairs = zip(known, given, strict=False)
    return len(known) != len(given) or any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


def with_types(model: OnnxModel, types: Mapping[str, TypeHint] | None) -> OnnxModel:
    """Returns the model with the types that the user gives written into its value infos."""
    if not types:
        return model
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    told = {value.name for value in (*proto.graph.value_info, *proto.graph.input, *proto.graph.output)}
    for name, hint in types.items():
        if name not in told:
            value = proto.graph.value_info.add()
            value.name = name
            value.type.CopyFrom(type_proto_for(hint.dtype, hint.shape))
    return OnnxModel(model.path, proto, model.ranges)


def _add_initializers(builder: GraphBuilder, model: OnnxModel) -> None:
    for position, (initializer, entry) in enumerate(zip(model.proto.graph.initializer, model.external, strict=True)):
        if entry is not None and entry.length is not None:
            size = entry.length
        else:
            size = stored_bytes(initializer, model.ranges.get(position))
        builder.add_initializer(initializer.name, size)
    for sparse in model.proto.graph.sparse_initializer:
        builder.add_initializer(
            sparse.values.name, stored_bytes(sparse.values, None) + stored_bytes(sparse.indices, None)
        )


def op_label(node: NodeProto) -> str:
    """Returns the op as shown: with its domain where that is not ONNX's own."""
    domain = normal_domain(node.domain)
    return f"{domain}::{node.op_type}" if domain else node.op_type


def attribute_texts(node: NodeProto) -> Attributes:
    """Returns a node's attributes as (name, short text)."""
    return tuple((attribute.name, _attribute_text(attribute)) for attribute in node.attribute)


def _attribute_text(attribute: AttributeProto) -> str:
    kind = attribute.type
    if attribute.ref_attr_name:
        return f"@{attribute.ref_attr_name}"
    if kind == AttributeProto.INT:
        return str(attribute.i)
    if kind == AttributeProto.FLOAT:
        return f"{attribute.f:g}"
    if kind == AttributeProto.STRING:
        return one_line(attribute.s.decode("utf-8", "replace"), 200)
    if kind == AttributeProto.INTS:
        return _listed(str(value) for value in attribute.ints[:_SHOWN_VALUES]) + _more(len(attribute.ints))
    if kind == AttributeProto.FLOATS:
        return _listed(f"{value:g}" for value in attribute.floats[:_SHOWN_VALUES]) + _more(len(attribute.floats))
    if kind == AttributeProto.STRINGS:
        shown = (one_line(value.decode("utf-8", "replace"), 60) for value in attribute.strings[:_SHOWN_VALUES])
        return _listed(shown) + _more(len(attribute.strings))
    if kind == AttributeProto.TENSOR:
        return _tensor_text(attribute.t)
    if kind == AttributeProto.GRAPH:
        return f"graph of {len(attribute.g.node)} nodes"
    if kind == AttributeProto.GRAPHS:
        return f"{len(attribute.graphs)} graphs"
    if kind == AttributeProto.SPARSE_TENSOR:
        return f"sparse {_dims_text(attribute.sparse_tensor.dims)}"
    return str(AttributeProto.AttributeType.Name(kind)).lower()


def _tensor_text(tensor: TensorProto) -> str:
    return f"{_dims_text(tensor.dims)} {dtype_of(tensor.data_type).short}"


def _dims_text(dims: Iterable[int]) -> str:
    return "×".join(str(dim) for dim in dims) or "scalar"


def _listed(values: Iterable[str]) -> str:
    return ", ".join(values)


def _more(count: int) -> str:
    return f", ... ({count})" if count > _SHOWN_VALUES else ""


def _metadata(proto: ModelProto) -> dict[str, str]:
    found = {f"opset {normal_domain(opset.domain) or 'ai.onnx'}": str(opset.version) for opset in proto.opset_import}
    found["ir version"] = str(proto.ir_version)
    producer = " ".join(part for part in (proto.producer_name, proto.producer_version) if part)
    if producer:
        found["producer"] = producer
    if proto.graph.name:
        found["graph"] = proto.graph.name
    return found
