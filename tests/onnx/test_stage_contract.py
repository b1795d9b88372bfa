"""What `split` writes (DESIGN, section 4), read from the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import ruamel.yaml
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core import InvalidPlan
from cutter_gui.core.plan import Transport
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import (
    assert_same,
    attribute,
    plain_files,
    run,
    run_plain,
    run_sendrecv,
    sendrecv_files,
    session,
)

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
LADDER = "g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Add(b, a) y = Mul(c, a) }"


def stages_of(tmp_path: Path, proto: ModelProto, *cuts: str, transport: Transport = "relay", **options: object) -> Path:
    out = tmp_path / "stages"
    split(saved(proto, tmp_path / "bert.onnx"), plan(*cuts, transport=transport), out, **options)
    return out


def manifest(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = ruamel.yaml.YAML(typ="safe").load(out / "pipeline.yaml")
    return found


def names(values: Any) -> list[str]:
    return [value.name for value in values]


def channels(graph: onnx.GraphProto, op: str) -> list[onnx.NodeProto]:
    return [node for node in graph.node if node.op_type == op]


def ladder(tmp_path: Path, transport: Transport) -> list[onnx.GraphProto]:
    out = stages_of(tmp_path, model(LADDER), "a", "b; a > c y", "c; a > y", transport=transport)
    assert_same(run(model(LADDER), {"x": X}), run_sendrecv(out, {"x": X}))
    return [onnx.load(path).graph for path in sendrecv_files(out)]


def test_files_are_named_for_the_model_and_the_stage(tmp_path: Path) -> None:
    out = stages_of(tmp_path, model(LADDER), "a")
    assert {path.name for path in out.iterdir()} == {
        "bert_0.onnx",
        "bert_0.plain.onnx",
        "bert_1.onnx",
        "bert_1.plain.onnx",
        "pipeline.yaml",
    }


@pytest.mark.parametrize(("form", "kept"), [("plain", {"plain"}), ("sendrecv", {"sendrecv"})])
def test_one_form_alone_writes_only_its_files(tmp_path: Path, form: str, kept: set[str]) -> None:
    out = stages_of(tmp_path, model(LADDER), "a", form=form)
    assert bool(plain_files(out)) == (form == "plain")
    assert bool(sendrecv_files(out)) == (form == "sendrecv")
    assert all(set(stage["files"]) == kept for stage in manifest(out)["stages"])


def test_relayed_transfers_are_named_by_their_boundary(tmp_path: Path) -> None:
    stages = ladder(tmp_path, "relay")
    assert [[list(node.input) for node in channels(stage, "Send")] for stage in stages] == [
        [["send_input_signal0", "send_dst_rank0", "a"]],
        [["send_input_signal1", "send_dst_rank1", "a_recv0", "b"]],
        [["send_input_signal2", "send_dst_rank2", "a_recv1", "c"]],
        [],
    ]
    assert [[list(node.output) for node in channels(stage, "Send")] for stage in stages] == [
        [["send_output_signal0"]],
        [["send_output_signal1"]],
        [["send_output_signal2"]],
        [],
    ]
    assert [[list(node.input) for node in channels(stage, "Recv")] for stage in stages] == [
        [],
        [["recv_input_signal0", "recv_src_rank0"]],
        [["recv_input_signal1", "recv_src_rank1"]],
        [["recv_input_signal2", "recv_src_rank2"]],
    ]
    assert [[list(node.output) for node in channels(stage, "Recv")] for stage in stages] == [
        [],
        [["receive_output_signal0", "a_recv0"]],
        [["receive_output_signal1", "a_recv1", "b_recv1"]],
        [["receive_output_signal2", "a_recv2", "c_recv2"]],
    ]


def test_direct_transfers_are_named_by_both_their_stages(tmp_path: Path) -> None:
    stages = ladder(tmp_path, "direct")
    assert [[list(node.input) for node in channels(stage, "Send")] for stage in stages] == [
        [
            ["send_input_signal0_1", "send_dst_rank0_1", "a"],
            ["send_input_signal0_2", "send_dst_rank0_2", "a"],
            ["send_input_signal0_3", "send_dst_rank0_3", "a"],
        ],
        [["send_input_signal1_2", "send_dst_rank1_2", "b"]],
        [["send_input_signal2_3", "send_dst_rank2_3", "c"]],
        [],
    ]
    assert [[list(node.output) for node in channels(stage, "Recv")] for stage in stages] == [
        [],
        [["receive_output_signal0_1", "a_recv0_1"]],
        [["receive_output_signal0_2", "a_recv0_2"], ["receive_output_signal1_2", "b_recv1_2"]],
        [["receive_output_signal0_3", "a_recv0_3"], ["receive_output_signal2_3", "c_recv2_3"]],
    ]


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_signals_are_true_and_ranks_are_stages_as_scalar_inline_initializers_listed_as_inputs(
    tmp_path: Path, transport: Transport
) -> None:
    for rank, stage in enumerate(ladder(tmp_path, transport)):
        held = {tensor.name: tensor for tensor in stage.initializer}
        listed = {value.name: value.type.tensor_type for value in stage.input}
        for node in [*channels(stage, "Send"), *channels(stage, "Recv")]:
            assert node.domain == "com.microsoft"
            assert attribute(node, "tag") == 0
            signal, peer = (held[name] for name in node.input[:2])
            assert (signal.data_type, list(signal.dims)) == (TensorProto.BOOL, [])
            assert (peer.data_type, list(peer.dims)) == (TensorProto.INT64, [])
            assert signal.data_location == peer.data_location == TensorProto.DEFAULT
            assert bool(numpy_helper.to_array(signal)) is True
            first, _, second = node.input[1].removeprefix("send_dst_rank").removeprefix("recv_src_rank").partition("_")
            source = int(first)
            destination = int(second) if second else source + 1
            expected = destination if node.op_type == "Send" else source
            assert int(numpy_helper.to_array(peer)) == expected
            assert rank == (source if node.op_type == "Send" else destination)
            for name in node.input[:2]:
                assert listed[name].elem_type == held[name].data_type
                assert listed[name].HasField("shape")
                assert not listed[name].shape.dim
            assert node.output[0] in names(stage.output)


@pytest.mark.parametrize("transport", ["relay", "direct"])
def test_there_is_at_most_one_send_for_a_pair_of_stages(tmp_path: Path, transport: Transport) -> None:
    for stage in ladder(tmp_path, transport):
        held = {tensor.name: numpy_helper.to_array(tensor) for tensor in stage.initializer}
        for op in ("Send", "Recv"):
            peers = [int(held[node.input[1]]) for node in channels(stage, op)]
            assert len(set(peers)) == len(peers)


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, bool send_input_signal0) => (float[2,4] y)
        <float[4] send_dst_rank0 = {1,2,3,4}, float[4] send_dst_rank0_1 = {1,2,3,4}> {
            a = Add(x, send_dst_rank0)
            a_recv0 = Add(a, send_dst_rank0_1)
            y = If (send_input_signal0) <
                then_branch = t () => (float[2,4] recv_input_signal0) { recv_input_signal0 = Neg(a_recv0) },
                else_branch = e () => (float[2,4] q) { q = Neg(a) }
            >
        }"""
    )
    proto.graph.node[0].name = "send0"
    out = stages_of(tmp_path, proto, "a")
    first, second = (onnx.load(path).graph for path in sendrecv_files(out))
    (send,) = channels(first, "Send")
    (recv,) = channels(second, "Recv")
    assert list(send.input) == ["send_input_signal0_1", "send_dst_rank0_2", "a"]
    assert list(recv.input) == ["recv_input_signal0_1", "recv_src_rank0"]
    assert list(recv.output) == ["receive_output_signal0", "a_recv0_1"]
    assert send.name == "send0_1"
    feeds = {"x": X, "send_input_signal0": np.asarray(True)}
    assert_same(run(proto, feeds), run_sendrecv(out, feeds))


def test_tensors_of_a_send_stand_in_the_order_in_which_the_plan_first_lists_them(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { a = Neg(x) b = Exp(x) c = Abs(x) d = Sum(c, a) e = Sum(d, b) y = Sum(e, a, b, c) }"""
    )
    out = stages_of(tmp_path, proto, "c > d y; b > y; a; b > e", "d; c > y; b; a > y", "e; b > y; c > y; a > y")
    for sending, receiving in zip(sendrecv_files(out), sendrecv_files(out)[1:], strict=False):
        (send,) = channels(onnx.load(sending).graph, "Send")
        (recv,) = channels(onnx.load(receiving).graph, "Recv")
        sent = [name.partition("_recv")[0] for name in send.input[2:]]
        assert sent == [name.partition("_recv")[0] for name in recv.output[1:]]
        assert sent == [name for name in ("c", "b", "a", "d", "e") if name in sent]
    assert_same(run(proto, {"x": X}), run_sendrecv(out, {"x": X}))


def test_a_relayed_tensor_is_input_and_output_of_the_plain_stage_under_its_own_name(tmp_path: Path) -> None:
    out = stages_of(tmp_path, model(LADDER), "a", "b; a > c y", "c; a > y")
    stages = [onnx.load(path).graph for path in plain_files(out)]
    assert [names(stage.input) for stage in stages] == [["x"], ["a"], ["a", "b"], ["a", "c"]]
    assert [names(stage.output) for stage in stages] == [["a"], ["a", "b"], ["a", "c"], ["y"]]


def test_direct_transport_takes_no_detour_through_the_plain_stage_between(tmp_path: Path) -> None:
    out = stages_of(tmp_path, model(LADDER), "a", "b; a > c y", "c; a > y", transport="direct")
    stages = [onnx.load(path).graph for path in plain_files(out)]
    assert [names(stage.output) for stage in stages] == [["a"], ["b"], ["c"], ["y"]]
    assert_same(run(model(LADDER), {"x": X}), run_plain(out, {"x": X}))


def test_a_tensor_both_sent_and_a_model_output_is_listed_once_in_the_stage_and_twice_in_the_manifest(
    tmp_path: Path,
) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] a, float[2,4] y) { a = Neg(x) y = Exp(a) }")
    out = stages_of(tmp_path, proto, "a")
    assert names(onnx.load(plain_files(out)[0]).graph.output) == ["a"]
    first = manifest(out)["stages"][0]
    assert [entry["name"] for entry in first["outputs"]] == ["a"]
    assert [entry["name"] for entry in first["sends"][0]["tensors"]] == ["a"]
    graph = onnx.load(sendrecv_files(out)[0]).graph
    assert names(graph.output) == ["a", "send_output_signal0"]


def test_plain_inputs_are_the_models_own_in_its_order_and_then_what_is_received(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] z, float[2,4] x, float[2,4] u) => (float[2,4] y)
        { a = Neg(u) b = Exp(z) s = Sum(a, b) y = Sum(s, x, b, z, u) }"""
    )
    out = stages_of(tmp_path, proto, "b > y; s")
    assert names(onnx.load(plain_files(out)[1]).graph.input) == ["z", "x", "u", "b", "s"]
    entry = manifest(out)["stages"][1]
    assert [tensor["name"] for tensor in entry["inputs"]] == ["z", "x", "u"]
    assert [tensor["name"] for tensor in entry["receives"][0]["tensors"]] == ["b", "s"]


def weighted() -> ModelProto:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { a = MatMul(x, v) b = MatMul(a, w) c = Add(b, small) d = MatMul(c, v) e = MatMul(d, w) y = Add(e, small) }"""
    )
    generator = np.random.default_rng(0)
    for name, shape in (("v", (4, 300)), ("w", (300, 4)), ("small", (4,)), ("edge", (255,))):
        proto.graph.initializer.append(numpy_helper.from_array(generator.random(shape, dtype=np.float32), name))
    return proto


def test_weights_of_a_kibibyte_and_more_are_in_one_data_file_that_both_forms_refer_to(tmp_path: Path) -> None:
    out = stages_of(tmp_path, weighted(), "b", "d")
    for stage, kept in enumerate((["v", "w"], ["v", "small"], ["w", "small"])):
        files = [out / f"bert_{stage}.onnx", out / f"bert_{stage}.plain.onnx"]
        listed = []
        for path in files:
            graph = onnx.load(path, load_external_data=False).graph
            own = [tensor for tensor in graph.initializer if not tensor.name.startswith(("send_", "recv_"))]
            assert sorted(names(own)) == sorted(kept)
            outside = [tensor for tensor in own if tensor.data_location == TensorProto.EXTERNAL]
            assert names(outside) == [name for name in names(own) if name != "small"]
            places = [{entry.key: entry.value for entry in tensor.external_data} for tensor in outside]
            assert {place["location"] for place in places} == {f"bert_{stage}.onnx.data"}
            listed.append(places)
        assert listed[0] == listed[1]
        entry = manifest(out)["stages"][stage]
        assert entry["files"]["weights"] == f"bert_{stage}.onnx.data"
        loaded = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(files[1]).graph.initializer}
        for tensor in weighted().graph.initializer:
            if tensor.name in kept:
                assert np.array_equal(numpy_helper.to_array(tensor), loaded[tensor.name])


@pytest.mark.parametrize(("elements", "inline"), [(255, True), (256, False)])
def test_the_limit_for_inline_weights_is_1024_bytes(tmp_path: Path, elements: int, inline: bool) -> None:
    proto = model(f"g (float[{elements}] x) => (float[{elements}] y) {{ a = Neg(x) y = Add(a, w) }}")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(elements, np.float32), "w"))
    out = stages_of(tmp_path, proto, "a")
    assert (out / "bert_1.onnx.data").exists() != inline
    assert ("weights" in manifest(out)["stages"][1]["files"]) != inline
    assert "weights" not in manifest(out)["stages"][0]["files"]


def test_a_stage_without_large_weights_has_no_data_file(tmp_path: Path) -> None:
    out = stages_of(tmp_path, model(LADDER), "a")
    assert not list(out.glob("*.data"))


def test_an_overridable_initializer_stays_in_the_graph_inputs(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[4] bias, float[4] scale) => (float[2,4] y)
        <float[4] bias = {1,2,3,4}, float[4] scale = {4,3,2,1}, float[4] fixed = {1,1,1,1}>
        { a = Add(x, bias) b = Mul(a, scale) y = Add(b, fixed) }"""
    )
    assert names(proto.graph.input) == ["x", "bias", "scale"]
    out = stages_of(tmp_path, proto, "a")
    first, second = (onnx.load(path).graph for path in plain_files(out))
    assert (names(first.input), names(first.initializer)) == (["x", "bias"], ["bias"])
    assert (names(second.input), names(second.initializer)) == (["scale", "a"], ["scale", "fixed"])
    assert [tensor["name"] for stage in manifest(out)["stages"] for tensor in stage["inputs"]] == ["x"]
    (overridden,) = session(plain_files(out)[0]).run(["a"], {"x": X, "bias": np.full(4, 7, np.float32)})
    assert np.array_equal(overridden, X + 7)


def test_constant_nodes_are_copied_and_not_folded(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <float[4,4] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}>
        {
            t = Transpose(w)
            c = Constant <value_float = 2.0> ()
            d = Neg(c) a = MatMul(x, t) b = Mul(a, d) y = MatMul(b, t)
        }"""
    )
    out = stages_of(tmp_path, proto, "b")
    kept = [[node.op_type for node in onnx.load(path).graph.node] for path in plain_files(out)]
    assert kept == [["Transpose", "Constant", "Neg", "MatMul", "Mul"], ["Transpose", "MatMul"]]
    assert_same(run(proto, {"x": X}), run_plain(out, {"x": X}))


def test_outputs_that_are_inputs_weights_or_constants_belong_to_the_first_stage(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] z) => (float[2,4] z, float[4] w, float[4] c, float[2,4] y)
        <float[4] w = {1,2,3,4}> { c = Neg(w) a = Neg(x) y = Exp(a) }"""
    )
    out = stages_of(tmp_path, proto, "a")
    assert [[tensor["name"] for tensor in stage["outputs"]] for stage in manifest(out)["stages"]] == [
        ["z", "w", "c"],
        ["y"],
    ]
    feeds = {"x": X, "z": X + 1}
    assert_same(run(proto, feeds), run_plain(out, feeds))
    assert_same(run(proto, feeds), run_sendrecv(out, feeds))


def test_a_plan_without_cuts_makes_one_stage(tmp_path: Path) -> None:
    out = stages_of(tmp_path, weighted())
    assert [path.name for path in sendrecv_files(out)] == ["bert_0.onnx"]
    assert not channels(onnx.load(sendrecv_files(out)[0]).graph, "Send")
    assert_same(run(weighted(), {"x": X}), run_plain(out, {"x": X}))


def test_plain_stages_pass_the_full_check_of_onnx(tmp_path: Path) -> None:
    proto = weighted()
    onnx.checker.check_model(proto, full_check=True)
    out = stages_of(tmp_path, proto, "b", "d")
    for path in plain_files(out):
        onnx.checker.check_model(path, full_check=True)


def test_model_graph_and_node_descriptions_are_kept(tmp_path: Path) -> None:
    proto = model(LADDER)
    proto.producer_name, proto.model_version, proto.doc_string = "maker", 7, "what it is"
    helper.set_model_props(proto, {"licence": "free"})
    proto.graph.doc_string = "the graph"
    proto.graph.node[1].doc_string = "an exponential"
    entry = proto.graph.node[1].metadata_props.add()
    entry.key, entry.value = "namespace", "block/1"
    out = stages_of(tmp_path, proto, "a")
    for path in [*plain_files(out), *sendrecv_files(out)]:
        written = onnx.load(path)
        assert (written.producer_name, written.model_version, written.doc_string) == ("maker", 7, "what it is")
        assert written.ir_version == proto.ir_version
        assert [(prop.key, prop.value) for prop in written.metadata_props] == [("licence", "free")]
        assert written.graph.doc_string == "the graph"
    node = onnx.load(plain_files(out)[1]).graph.node[0]
    assert node.doc_string == "an exponential"
    assert node.metadata_props[0].value == "block/1"


def test_functions_go_along_with_the_stages_that_call_them(tmp_path: Path) -> None:
    text = """
    <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[2,4] x) => (float[2,4] y) { a = local.Outer(x) b = Neg(a) y = local.Inner(b) }
    <domain: "local", opset_import: ["" : 17, "local" : 1]> Outer (p) => (q) { r = local.Inner(p) q = Neg(r) }
    <domain: "local", opset_import: ["" : 17]> Inner (p) => (q) { q = Exp(p) }
    <domain: "local", opset_import: ["" : 17]> Unused (p) => (q) { q = Abs(p) }
    """
    proto = onnx.parser.parse_model(text)
    out = stages_of(tmp_path, proto, "a", "b")
    kept = [names(onnx.load(path).functions) for path in plain_files(out)]
    assert kept == [["Outer", "Inner"], [], ["Inner"]]
    assert_same(run(proto, {"x": X}), run_plain(out, {"x": X}))
    assert_same(run(proto, {"x": X}), run_sendrecv(out, {"x": X}))


def test_the_manifest_says_what_the_files_hold(tmp_path: Path) -> None:
    proto = model(
        """g (float[batch,4] x, int64[2] k) => (float[batch,4] y, float[batch,4] b)
        {
            a = Cast <to = 11> (x)
            b = Cast <to = 1> (a)
            s = Cast <to = 1> (k)
            t = ReduceSum <keepdims = 0> (s)
            y = Add(b, t)
        }"""
    )
    out = stages_of(tmp_path, proto, "a", "b > y; s")
    content = manifest(out)
    assert (content["format"], content["version"], content["transport"]) == ("cutter-gui/pipeline", 1, "relay")
    assert content["source"]["path"] == "../bert.onnx"
    assert content["source"]["kind"] == "onnx"
    assert content["source"]["fingerprint"].startswith("sha256:")
    assert [stage["index"] for stage in content["stages"]] == [0, 1, 2]
    held = [onnx.load(path).graph for path in plain_files(out)]
    for stage, graph in zip(content["stages"], held, strict=True):
        received = [tensor for transfer in stage["receives"] for tensor in transfer["tensors"]]
        sent = [tensor for transfer in stage["sends"] for tensor in transfer["tensors"]]
        assert [described(value) for value in graph.input] == [*stage["inputs"], *received]
        expected = {entry["name"]: entry for entry in [*sent, *stage["outputs"]]}
        assert {value.name: described(value) for value in graph.output} == expected
        assert all((out / name).is_file() for name in stage["files"].values())
    for earlier, later in zip(content["stages"], content["stages"][1:], strict=False):
        assert [(earlier["index"], 0, send["tensors"]) for send in earlier["sends"]] == [
            (receive["from"], receive["tag"], receive["tensors"]) for receive in later["receives"]
        ]


def described(value: onnx.ValueInfoProto) -> dict[str, Any]:
    tensor = value.type.tensor_type
    dtypes = {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64", TensorProto.INT64: "int64"}
    shape = [dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else None) for dim in tensor.shape.dim]
    return {"name": value.name, "dtype": dtypes[tensor.elem_type], "shape": shape}


def test_the_source_in_another_folder_is_named_relative_to_the_stages(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "down" / "stages"
    split(saved(model(LADDER), tmp_path / "models" / "bert.onnx"), plan("a"), out)
    assert manifest(out)["source"]["path"] == "../../../models/bert.onnx"


def test_a_dtype_that_send_does_not_take_is_refused_unless_only_the_plain_form_is_written(tmp_path: Path) -> None:
    proto = model("g (string[2] x) => (string[2] y) { a = Identity(x) y = Identity(a) }")
    path = saved(proto, tmp_path / "bert.onnx")
    for form in ("both", "sendrecv"):
        with pytest.raises(InvalidPlan, match="unsendable-type"):
            split(path, plan("a"), tmp_path / "stages", form=form)
    split(path, plan("a"), tmp_path / "stages", form="plain")
    feeds = {"x": np.asarray(["one", "two"], dtype=object)}
    assert_same(run(proto, feeds), run_plain(tmp_path / "stages", feeds))
