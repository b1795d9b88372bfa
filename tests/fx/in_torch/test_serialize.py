"""Every field that a generation of ``serialize_module`` documented, and the way back."""

from __future__ import annotations

import json
import operator
from typing import Any

import jsonschema
import pytest
import torch
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.deserialize import deserialize_module
from cutter_gui.fx.in_torch.serialize import serialize_module
from cutter_gui.fx.in_torch.tracing import traced_program
from cutter_gui.fx.in_torch.write_stages import stage_document, stages_of
from cutter_gui.resource_files import resource
from strategies.fx_models import SYMBOLIC
from strategies.fx_plans import level_plan
from strategies.fx_programs import graph, program


class Leaf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2)
        self.scale = nn.Parameter(torch.ones(4, 1, 1), requires_grad=False)
        self.register_buffer("shift", torch.zeros(4, 1, 1))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.relu(self.conv(x)) * self.scale + self.shift
        return torch.sum(y, dim=1, dtype=torch.float64), y


def traced(module: nn.Module, *args: torch.Tensor) -> fx.GraphModule:
    graph_module = fx.symbolic_trace(module)
    ShapeProp(graph_module).propagate(*args)
    return graph_module


def nodes_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {node["name"]: node for node in document["nodes"]}


@pytest.fixture
def leaf() -> tuple[fx.GraphModule, dict[str, Any], dict[str, torch.Tensor]]:
    module = traced(Leaf(), torch.randn(2, 3, 7, 7))
    weights: dict[str, torch.Tensor] = {}
    return module, serialize_module(module, weights), weights


def test_a_module_has_modules_nodes_and_weights(leaf: Any) -> None:
    _, document, weights = leaf
    assert set(document) == {"modules", "nodes", "weights"}
    assert set(document["weights"]) == {"conv.weight", "conv.bias", "scale", "shift"} == set(weights)


def test_a_node_has_shape_stride_dtype_and_the_rest(leaf: Any) -> None:
    _, document, _ = leaf
    node = nodes_of(document)["relu"]
    assert node["shape"] == [2, 4, 3, 3]
    assert node["stride"] == [36, 9, 3, 1]
    assert node["dtype"] == "torch.float32"
    assert node["requires_grad"] == "True"
    assert node["is_quantized"] is False
    assert node["target"] == "torch.relu"
    assert node["op_code"] == "call_function"
    assert node["args"] == [{"is_node": True, "name": "conv"}]
    assert node["kwargs"] == {}
    assert node["users"] == [{"is_node": True, "name": "mul"}]


def test_dtypes_among_arguments_are_their_names(leaf: Any) -> None:
    _, document, _ = leaf
    assert nodes_of(document)["sum_1"]["kwargs"] == {"dim": 1, "dtype": "torch.float64"}


def test_other_named_values_among_arguments_are_their_names() -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.clone(x, memory_format=torch.channels_last)

    module = traced(fx.symbolic_trace(forward), torch.randn(1, 2, 3, 3))
    assert nodes_of(serialize_module(module, {}))["clone"]["kwargs"] == {"memory_format": "torch.channels_last"}


def test_a_leaf_module_has_the_attributes_a_lowering_needs(leaf: Any) -> None:
    _, document, _ = leaf
    parameters = nodes_of(document)["conv"]["parameters"]
    assert parameters["name"] == "torch.nn.modules.conv.Conv2d"
    assert parameters["stride"] == "(2, 2)"
    assert parameters["kernel_size"] == "(3, 3)"
    assert "weight" not in parameters


def test_a_leaf_module_of_an_unknown_type_is_an_error() -> None:
    class Own(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1

    class Tracer(fx.Tracer):
        def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
            return isinstance(m, Own) or super().is_leaf_module(m, module_qualified_name)

    holder = nn.Sequential(Own())
    module = fx.GraphModule(holder, Tracer().trace(holder))
    ShapeProp(module).propagate(torch.ones(2))
    with pytest.raises(CutterError, match="not known"):
        serialize_module(module, {})


def test_a_weight_has_dtype_shape_and_quantization(leaf: Any) -> None:
    _, document, _ = leaf
    weight = document["weights"]["conv.weight"]
    assert (weight["dtype"], weight["shape"], weight["is_quantized"]) == ("torch.float32", [4, 3, 3, 3], False)
    assert weight["requires_grad"] == "True"
    assert document["weights"]["scale"]["requires_grad"] == "False"
    assert document["weights"]["shift"]["kind"] == "buffer"


def test_outputs_have_shapes_and_a_tuple_of_them_is_unpacked(leaf: Any) -> None:
    _, document, _ = leaf
    output = nodes_of(document)["output"]
    assert [(part["is_node"], part["name"], part["shape"]) for part in output["args"]] == [
        (True, "sum_1", [2, 3, 3]),
        (True, "add", [2, 4, 3, 3]),
    ]
    assert output["returns"] == "tuple"
    assert "shape" not in output


@pytest.mark.parametrize(("kind", "returns"), [(list, "list"), (tuple, "tuple"), (None, "single")])
def test_outputs_come_back_as_they_were_given(kind: Any, returns: str) -> None:
    def forward(x: torch.Tensor) -> Any:
        return x + 1 if kind is None else kind([x + 1, x + 2])

    module = traced(fx.symbolic_trace(forward), torch.ones(2))
    document = serialize_module(module, {})
    assert nodes_of(document)["output"]["returns"] == returns
    made = deserialize_module(json.loads(json.dumps(document)), {})(torch.ones(2))
    assert type(made) is type(module(torch.ones(2)))


def test_quantized_values_per_tensor_and_per_channel() -> None:
    module = program("symbolic", "quantized").module
    weights: dict[str, torch.Tensor] = {}
    document = serialize_module(module, weights)
    node = nodes_of(document)["quantize_per_tensor"]
    assert (node["is_quantized"], node["qscheme"]) == (True, "torch.per_tensor_affine")
    assert (node["q_scale"], node["q_zero_point"]) == (0.1, 0)
    first, second = document["weights"]["first"], document["weights"]["second"]
    assert (first["qscheme"], first["q_scale"], first["q_zero_point"]) == ("torch.per_tensor_affine", 0.05, 3)
    assert second["qscheme"] == "torch.per_channel_affine"
    assert second["q_per_channel_scales"] == [0.1, 0.02, 0.05]
    assert second["q_per_channel_zero_points"] == [0, 0, 0]
    assert second["q_per_channel_axis"] == 0
    assert second["quantization_info"] == {
        key: value for key, value in second.items() if key.startswith("q") and key != "quantization_info"
    }


def test_a_value_that_is_quantized_per_channel_has_scales_zero_points_and_an_axis() -> None:
    class Channels(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("scales", torch.tensor([0.5, 0.25], dtype=torch.float64))
            self.register_buffer("zeros", torch.tensor([1, -2]))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.quantize_per_channel(x, self.scales, self.zeros, 1, torch.qint8).dequantize()

    module = traced(Channels(), torch.randn(3, 2))
    weights: dict[str, torch.Tensor] = {}
    document = serialize_module(module, weights)
    node = nodes_of(document)["quantize_per_channel"]
    assert (node["is_quantized"], node["dtype"], node["qscheme"]) == (True, "torch.qint8", "torch.per_channel_affine")
    assert (node["q_per_channel_scales"], node["q_per_channel_zero_points"]) == ([0.5, 0.25], [1, -2])
    assert node["q_per_channel_axis"] == 1
    x = torch.randn(3, 2)
    assert torch.equal(deserialize_module(json.loads(json.dumps(document)), weights)(x), module(x))


def test_graph_modules_that_are_called_are_nested_with_qualified_names() -> None:
    def nest(inner: fx.GraphModule, name: str) -> fx.GraphModule:
        outer = fx.Graph()
        outer.output(outer.call_module(name, (outer.placeholder("x"),)))
        return fx.GraphModule({name: inner}, outer)

    innermost = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    module = nest(nest(innermost, "inner"), "middle")
    ShapeProp(module).propagate(torch.ones(1, 2))
    for part in (module.middle, module.middle.inner):
        ShapeProp(part).propagate(torch.ones(1, 2))
    weights: dict[str, torch.Tensor] = {}
    document = serialize_module(module, weights)
    assert "shape" not in nodes_of(document)["middle"]
    assert "middle.inner.0.weight" in document["modules"]["middle"]["modules"]["inner"]["weights"]
    again = deserialize_module(json.loads(json.dumps(document)), weights)
    x = torch.randn(1, 2)
    assert torch.equal(again(x), module(x))


def test_a_target_that_begins_with_parent_stands_for_a_weight_of_the_parent() -> None:
    inner = fx.Graph()
    x = inner.placeholder("x")
    x.meta["val"] = torch.ones(2)
    held = inner.create_node("get_attr", "parent.shared", name="parent_shared")
    added = inner.call_function(operator.add, (x, held))
    added.meta["val"] = torch.ones(2)
    inner.output(added)
    root = nn.Module()
    root.parent = nn.Module()
    root.parent.register_buffer("shared", torch.ones(2))
    module = fx.GraphModule(root, inner)
    weights = {"shared": torch.full((2,), 5.0)}
    document = serialize_module(module, weights)
    nodes = nodes_of(document)
    assert nodes["shared"]["target"] == "shared"
    assert nodes["add"]["args"][1] == {"is_node": True, "name": "shared"}
    assert "shared" in document["weights"]
    assert "parent.shared" not in document["weights"]
    assert torch.equal(deserialize_module(document, weights)(torch.ones(2)), torch.full((2,), 6.0))
    with pytest.raises(CutterError, match="not given"):
        serialize_module(module, {})


@pytest.mark.parametrize("kind", ["input_ph", "output_ph"])
def test_a_placeholder_says_what_it_is(kind: str) -> None:
    module = traced(fx.symbolic_trace(lambda x: x + 1), torch.ones(2))
    placeholder = next(iter(module.graph.nodes))
    assert "ph_type" not in nodes_of(serialize_module(module, {}))["x"]
    placeholder.meta["ph_type"] = kind
    assert nodes_of(serialize_module(module, {}))["x"]["ph_type"] == kind
    placeholder.meta["ph_type"] = "other"
    with pytest.raises(CutterError, match="no placeholder type"):
        serialize_module(module, {})


def test_lowering_info_is_taken_along_unless_it_overlaps() -> None:
    module = traced(fx.symbolic_trace(lambda x: x + 1), torch.ones(2))
    node = next(node for node in module.graph.nodes if node.name == "add")
    node.meta["lowering_info"] = {"tile": [1, 2]}
    assert nodes_of(serialize_module(module, {}))["add"]["tile"] == [1, 2]
    node.meta["lowering_info"] = {"shape": [9]}
    with pytest.raises(CutterError, match="written anyway: shape"):
        serialize_module(module, {})


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("embedding_bag_byte_rowwise_offsets", "acc.uint8fused"),
        ("embedding_bag_4bit_rowwise_offsets", "acc.uint4fused"),
    ],
)
def test_rows_fused_with_their_scales_have_a_dtype_of_their_own(name: str, dtype: str) -> None:
    root, made = nn.Module(), fx.Graph()
    root.register_buffer("table", torch.zeros(4, 12, dtype=torch.uint8))
    indices, table = made.placeholder("indices"), made.get_attr("table")
    indices.meta["val"] = torch.zeros(3, dtype=torch.int64)
    looked = made.call_function(getattr(torch.ops.quantized, name).default, (table, indices))
    looked.meta["val"] = torch.zeros(1, 4)
    made.output(looked)
    document = serialize_module(fx.GraphModule(root, made), {})
    assert document["weights"]["table"]["dtype"] == dtype


def test_nodes_without_shapes_are_an_error() -> None:
    with pytest.raises(CutterError, match="shape propagation"):
        serialize_module(fx.symbolic_trace(lambda x: x + 1), {})


def test_tied_weights_are_tied_again_when_they_are_read() -> None:
    module = program("exported", "decoder").module
    weights: dict[str, torch.Tensor] = {}
    again = deserialize_module(json.loads(json.dumps(serialize_module(module, weights))), weights)
    assert len(dict(again.named_parameters())) == len(dict(module.named_parameters()))


@pytest.mark.parametrize(
    ("kind", "name"), [("exported", "branching"), ("symbolic", "quantized"), ("symbolic", "asserting")]
)
def test_stages_are_as_the_published_schema_says(kind: str, name: str) -> None:
    schema = json.loads(resource("schemas", "fx_module.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for stage in stages_of(program(kind, name), level_plan(graph(kind, name), [0.5])):
        document = json.loads(json.dumps(stage_document(stage, {})))
        assert [error.message for error in validator.iter_errors(document)] == []
        del document["nodes"][0]["op_code"]
        assert not validator.is_valid(document)


def test_serializing_what_was_read_gives_the_same_document() -> None:
    module = program("symbolic", "asserting").module
    weights: dict[str, torch.Tensor] = {}
    document = serialize_module(module, weights)
    again = deserialize_module(document, weights)
    args = SYMBOLIC["asserting"]()[1]
    second = serialize_module(traced_program(again, list(args)).module, {})
    plain = [
        [
            (n["name"], n["op_code"], n["target"], n["args"], n["kwargs"], n["users"])
            for n in d["nodes"]
            if n["op_code"] != "output"
        ]
        for d in (document, second)
    ]
    assert plain[0] == plain[1]
    assert second["weights"].keys() == document["weights"].keys()


@pytest.mark.parametrize(
    "argument",
    [
        slice(1, None, 2),
        (1, (2, None)),
        [1.5, float("inf")],
        {"a": 1},
        2 + 1j,
        torch.device("cpu"),
        ...,
        "torch.float32",
    ],
    ids=str,
)
def test_every_kind_of_argument_comes_back(argument: Any) -> None:
    from cutter_gui.fx.in_torch.deserialize import _Deserializer
    from cutter_gui.fx.in_torch.serialize_values import argument_info

    told = json.loads(json.dumps(argument_info(argument, lambda node: node.name)))
    reader = _Deserializer({"nodes": [], "weights": {}, "modules": {}}, {}, "")
    assert reader._argument(told) == argument


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.update(name="x); import os"),
        lambda node: node.update(op_code="call_method", target="__reduce_ex__"),
        lambda node: node.update(op_code="get_attr", target="a;b"),
        lambda node: node.update(kwargs={"a b": 1}),
        lambda node: node.update(op_code="nothing"),
        lambda node: node.update(args=[{"is_node": True, "name": "absent"}]),
    ],
)
def test_a_document_that_is_not_as_it_is_written_is_refused(change: Any) -> None:
    module = traced(fx.symbolic_trace(lambda x: torch.relu(x)), torch.ones(2))
    document = serialize_module(module, {})
    change(document["nodes"][1])
    with pytest.raises(CutterError):
        deserialize_module(document, {})
