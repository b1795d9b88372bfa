"""Whatever a file says besides its graph is kept where it applies, and what cannot be kept is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.errors import CutterError
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import Stages, names, tried
from strategies.onnx_text import model, plan, saved, split


def remark(holder: Any, value: str) -> None:
    entry = holder.metadata_props.add()
    entry.key, entry.value = "note", value


def remarks(holder: Any) -> list[tuple[str, str]]:
    return [(entry.key, entry.value) for entry in holder.metadata_props]


def described() -> ModelProto:
    """A model where all that can carry words carries its own."""
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> { a = Neg(x) b = Mul(a, w) y = Add(b, w) }""",
        opset=21,
        ir=10,
    )
    proto.producer_name, proto.producer_version, proto.domain, proto.model_version = "maker", "1.2", "org.maker", 7
    proto.doc_string = "of the model"
    remark(proto, "of the model")
    proto.graph.doc_string = "of the graph"
    remark(proto.graph, "of the graph")
    for name in ("a", "b"):
        proto.graph.value_info.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4]))
    for node in proto.graph.node:
        node.name, node.doc_string = f"node {node.output[0]}", f"of node {node.output[0]}"
        remark(node, f"of node {node.output[0]}")
    for value in (*proto.graph.input, *proto.graph.output, *proto.graph.value_info):
        value.doc_string = f"of {value.name}"
        remark(value, f"of {value.name}")
        value.type.denotation = f"KIND {value.name}"
    (weight,) = proto.graph.initializer
    weight.doc_string = "of w"
    remark(weight, "of w")
    return proto


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    return tried(described(), tmp_path_factory.mktemp("described"), "a", "b")


def test_words_about_model_and_graph_are_in_every_stage(stages: Stages) -> None:
    original = described()
    for stage in (*stages.plain, *stages.sendrecv):
        assert stage.ir_version == 10
        for field in ("producer_name", "producer_version", "domain", "model_version", "doc_string"):
            assert getattr(stage, field) == getattr(original, field)
        assert remarks(stage) == [("note", "of the model")]
        assert stage.graph.name == "g"
        assert stage.graph.doc_string == "of the graph"
        assert remarks(stage.graph) == [("note", "of the graph")]


def test_words_about_a_node_go_with_the_node(stages: Stages) -> None:
    for models in (stages.plain, stages.sendrecv):
        for stage, output in zip(models, "aby", strict=True):
            (node,) = (node for node in stage.graph.node if node.op_type not in ("Send", "Recv"))
            assert node.name == node.doc_string.replace("of ", "") == f"node {output}"
            assert remarks(node) == [("note", f"of node {output}")]


def test_words_about_a_value_go_where_it_is_made_and_where_it_arrives(stages: Stages) -> None:
    for stage, values in zip(stages.plain, ("xa", "ab", "by"), strict=True):
        told = {value.name: value for value in (*stage.graph.input, *stage.graph.output)}
        assert set(told) == set(values)
        for name, value in told.items():
            assert value.doc_string == f"of {name}"
            assert remarks(value) == [("note", f"of {name}")]
            assert value.type.denotation == f"KIND {name}"
    sending = {value.name: value for value in stages.sendrecv[0].graph.value_info}
    assert sending["a"].doc_string == "of a"
    assert remarks(sending["a"]) == [("note", "of a")]


def test_words_about_a_weight_go_with_its_copies(stages: Stages) -> None:
    for index in (1, 2):
        for stage in stages.both(index):
            (weight,) = (tensor for tensor in stage.graph.initializer if tensor.name == "w")
            assert weight.doc_string == "of w"
            assert remarks(weight) == [("note", "of w")]


def test_words_about_a_weight_stay_when_its_bytes_go_into_a_file(tmp_path: Path) -> None:
    proto = model("g (float[2,300] x) => (float[2,300] y) { a = Neg(x) y = Mul(a, w) }", opset=21, ir=10)
    tensor = numpy_helper.from_array(np.ones(300, np.float32), "w")
    tensor.doc_string = "of w"
    remark(tensor, "of w")
    proto.graph.initializer.append(tensor)
    stages = tried(proto, tmp_path, "a")
    for stage in stages.both(1):
        (weight,) = (tensor for tensor in stage.graph.initializer if tensor.name == "w")
        assert (weight.doc_string, remarks(weight)) == ("of w", [("note", "of w")])


def annotated() -> ModelProto:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}, float x_scale = {0.5}, uint8 x_zero = {1},
        float b_scale = {0.25}, uint8 b_zero = {2}, float w_scale = {0.125}, float unread = {9}>
        { a = Mul(x, w) b = Neg(a) c = Exp(b) y = Mul(c, w) }"""
    )
    for tensor, parameters in {"x": ("x_scale", "x_zero"), "b": ("b_scale", "b_zero"), "w": ("w_scale",)}.items():
        annotation = proto.graph.quantization_annotation.add()
        annotation.tensor_name = tensor
        for key, name in zip(("SCALE_TENSOR", "ZERO_POINT_TENSOR"), parameters, strict=False):
            entry = annotation.quant_parameter_tensor_names.add()
            entry.key, entry.value = key, name
    return proto


def test_quantization_annotations_go_with_their_tensor_and_bring_their_parameters(tmp_path: Path) -> None:
    stages = tried(annotated(), tmp_path, "a", "c")
    kept = [["x", "w"], ["b"], ["w"]]
    parameters = [{"w", "x_scale", "x_zero", "w_scale"}, {"b_scale", "b_zero"}, {"w", "w_scale"}]
    for models in (stages.plain, stages.sendrecv):
        for index, stage in enumerate(models):
            assert [annotation.tensor_name for annotation in stage.graph.quantization_annotation] == kept[index]
            own = {name for name in names(stage.graph.initializer) if not name.startswith(("send_", "recv_"))}
            assert own == parameters[index]
    originals = {annotation.tensor_name: annotation for annotation in annotated().graph.quantization_annotation}
    for annotation in stages.plain[0].graph.quantization_annotation:
        assert annotation == originals[annotation.tensor_name]


def test_a_model_with_training_info_is_shown_and_refused_with_the_reason(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")
    info = proto.training_info.add()
    info.algorithm.name = "step"
    info.algorithm.node.add(op_type="Identity", input=["w"], output=["w_new"])
    binding = info.update_binding.add()
    binding.key, binding.value = "w", "w_new"
    path = saved(proto, tmp_path / "m.onnx")
    assert FORMAT.load(path).node_count == 2
    with pytest.raises(CutterError, match="training_info") as refusal:
        split(path, plan("a"), tmp_path / "out")
    assert "remove training_info" in refusal.value.remedy
    assert not (tmp_path / "out").exists()


def test_device_configurations_of_model_and_node_are_kept(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }", opset=23, ir=11)
    configuration = proto.configuration.add()
    configuration.name, configuration.num_devices = "two", 2
    configuration.device.extend(["cpu0", "cpu1"])
    placed = proto.graph.node[1].device_configurations.add()
    placed.configuration_id, placed.pipeline_stage = "two", 1
    stages = tried(proto, tmp_path, "a")
    for stage in stages.both(1):
        assert list(stage.configuration) == list(proto.configuration)
        (node,) = (node for node in stage.graph.node if node.op_type == "Exp")
        assert list(node.device_configurations) == [placed]


def test_fields_of_a_newer_onnx_are_kept(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")
    unknown = b"\xca\x3e\x03new"  # field 1001 of the model, a text
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString() + unknown)
    split(path, plan("a"), tmp_path / "out")
    for name in ("m_0.onnx", "m_1.plain.onnx"):
        assert unknown in (tmp_path / "out" / name).read_bytes()


def unknown_field(text: bytes) -> bytes:
    """A field with number 1001, which no message of this onnx has, that holds a text."""
    return b"\xca\x3e" + bytes([len(text)]) + text


def test_fields_of_a_newer_onnx_are_kept_in_every_message(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,300] x) => (float[2,300] y) { a = Add(x, w) b = local.Twice(a) y = Neg(b) }", opsets=[("local", 1)]
    )
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((2, 300), np.float32), "w"))
    twice = helper.make_function("local", "Twice", ["v"], ["r"], [helper.make_node("Add", ["v", "v"], ["r"])], [])
    twice.opset_import.add(domain="", version=17)
    for name in ("a", "b"):
        proto.graph.value_info.add(name=name).type.tensor_type.elem_type = TensorProto.FLOAT
    graph = proto.graph
    messages = {
        "graph": graph,
        "function": twice,
        "inside": twice.node[0],
        "node": graph.node[0],
        "input": graph.input[0],
        "output": graph.output[0],
        "weight": graph.initializer[0],
        "info": graph.value_info[0],
        "type": graph.value_info[0].type,
        "dtype": graph.value_info[0].type.tensor_type,
        "opset": proto.opset_import[0],
    }
    for name, message in messages.items():
        message.MergeFromString(unknown_field(name.encode()))
    proto.functions.append(twice)
    stages = tried(proto, tmp_path, "a")
    for stage in (0, 1):
        for written in stages.both(stage):
            expected = {"graph", "opset"}
            expected |= {"node", "input", "weight"} if stage == 0 else {"function", "inside", "output"}
            if written is stages.plain[stage] or stage == 0:
                expected |= {"info", "type", "dtype"}  # of a, under its own name
            data = written.SerializeToString()
            assert {name for name in expected if unknown_field(name.encode()) not in data} == set()
