"""What the first script got wrong, each with the right behaviour: small models, split and run in onnxruntime."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core import CutEdge, InvalidPlan, Plan
from strategies.executed_work import bytecodes
from strategies.onnx_text import model, plan, saved, split
from strategies.stage_files import (
    assert_same,
    attribute,
    plain_files,
    run,
    run_plain,
    run_sendrecv,
    sendrecv_files,
)

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def stages_of(tmp_path: Path, proto: ModelProto, wanted: Plan, feeds: dict[str, Any]) -> Path:
    """Splits a model, checks that both forms compose to it, and returns the folder of its stages."""
    out = tmp_path / "stages"
    split(saved(proto, tmp_path / "model.onnx"), wanted, out)
    original = run(proto, feeds)
    assert_same(original, run_plain(out, feeds))
    assert_same(original, run_sendrecv(out, feeds))
    return out


def ops(path: Path) -> list[str]:
    return [node.op_type for node in onnx.load(path).graph.node if node.op_type not in ("Send", "Recv")]


def channels(path: Path, op: str) -> list[onnx.NodeProto]:
    return [node for node in onnx.load(path).graph.node if node.op_type == op]


def names(values: Any) -> list[str]:
    return [value.name for value in values]


def test_01_an_edge_in_three_cuts_is_relayed_hop_by_hop(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { mask = Sign(x) a = Neg(x) b = Mul(a, mask) c = Abs(b) d = Add(c, mask) e = Exp(d) y = Add(e, mask) }"""
    )
    wanted = plan("a; mask > b d y", "b; mask > d y", "d; mask > y")
    edges = [edge for cut in wanted.cuts for edge in cut.edges]
    before = [CutEdge(edge.tensor, edge.consumers) for edge in edges]
    out = stages_of(tmp_path, proto, wanted, {"x": X})
    assert [ops(path) for path in sendrecv_files(out)] == [["Sign", "Neg"], ["Mul"], ["Abs", "Add"], ["Exp", "Add"]]
    assert [list(node.input[2:]) for path in sendrecv_files(out) for node in channels(path, "Send")] == [
        ["a", "mask"],
        ["mask_recv0", "b"],
        ["mask_recv1", "d"],
    ]
    assert [list(node.output[1:]) for path in sendrecv_files(out) for node in channels(path, "Recv")] == [
        ["a_recv0", "mask_recv0"],
        ["mask_recv1", "b_recv1"],
        ["mask_recv2", "d_recv2"],
    ]
    assert edges == before


def test_02_a_consumer_of_two_cut_edges_gets_each_on_its_own_input(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(x) y = Sub(a, b) }")
    out = stages_of(tmp_path, proto, plan("a; b"), {"x": X})
    last = onnx.load(sendrecv_files(out)[1])
    subtraction = next(node for node in last.graph.node if node.op_type == "Sub")
    assert list(subtraction.input) == ["a_recv0", "b_recv0"]


def test_03_a_graph_input_read_by_two_stages_stays_in_both(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Add(a, x) }")
    out = stages_of(tmp_path, proto, plan("a"), {"x": X})
    assert [names(onnx.load(path).graph.input) for path in plain_files(out)] == [["x"], ["x", "a"]]
    for path in sendrecv_files(out):
        assert "x" in names(onnx.load(path).graph.input)


def test_04_inputs_are_found_by_their_whole_names_and_an_omitted_one_is_no_name(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] x1, float[2,4] xx, float[2,4] other) => (float[2,4] y, float[2,4] z)
        <float top = {2}> { a = Clip(x, "", top) y = Add(a, x1) b = Neg(xx) z = Add(b, other) }""".replace('""', "")
    )
    proto.graph.node[0].input[:] = ["x", "", "top"]
    feeds = {name: X + place for place, name in enumerate(("x", "x1", "xx", "other"))}
    out = stages_of(tmp_path, proto, plan("a; xx"), feeds)
    read = [names(onnx.load(path).graph.input) for path in plain_files(out)]
    assert read == [["x"], ["x1", "xx", "other", "a"]]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("bool", TensorProto.BOOL),
        ("uint8", TensorProto.UINT8),
        ("int8", TensorProto.INT8),
        ("uint16", TensorProto.UINT16),
        ("int16", TensorProto.INT16),
        ("uint32", TensorProto.UINT32),
        ("int32", TensorProto.INT32),
        ("uint64", TensorProto.UINT64),
        ("int64", TensorProto.INT64),
        ("float16", TensorProto.FLOAT16),
        ("float", TensorProto.FLOAT),
        ("double", TensorProto.DOUBLE),
    ],
)
def test_05_element_types_are_those_of_the_tensors(tmp_path: Path, name: str, code: int) -> None:
    proto = model(
        f"g (float[2,4] x) => (float[2,4] y, {name}[2,4] z) "
        f"{{ b = Neg(x) a = Cast <to = {code}> (b) z = Identity(a) y = Abs(b) }}"
    )
    out = stages_of(tmp_path, proto, plan("b > y; a"), {"x": np.abs(X)})
    first, second = sendrecv_files(out)
    assert attribute(channels(first, "Send")[0], "element_types") == [TensorProto.FLOAT, code]
    assert attribute(channels(second, "Recv")[0], "element_types") == [TensorProto.FLOAT, code]


def test_06_a_stage_holds_only_the_weights_it_reads(tmp_path: Path) -> None:
    proto = model(
        "g (float[2,4] x) => (float[2,4] y) { a = MatMul(x, v) b = MatMul(a, w) c = Add(b, s) y = Add(c, s) }"
    )
    generator = np.random.default_rng(0)
    for name, shape in (("v", (4, 300)), ("w", (300, 4)), ("s", (4,)), ("nobody", (500, 500))):
        proto.graph.initializer.append(numpy_helper.from_array(generator.random(shape, dtype=np.float32), name))
    out = stages_of(tmp_path, proto, plan("a"), {"x": X})
    assert [names(onnx.load(path).graph.initializer) for path in plain_files(out)] == [["v"], ["w", "s"]]
    sizes = [(out / f"model_{stage}.onnx.data").stat().st_size for stage in (0, 1)]
    assert sizes == [4 * 300 * 4, 4 * 300 * 4]


def test_07_the_domain_of_send_and_recv_is_imported(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")
    assert all(opset.domain == "" for opset in proto.opset_import)
    out = stages_of(tmp_path, proto, plan("a"), {"x": X})
    for path in sendrecv_files(out):
        written = onnx.load(path)
        assert {opset.domain: opset.version for opset in written.opset_import} == {"": 17, "com.microsoft": 1}
        onnx.checker.check_model(written)
        inferred = onnx.shape_inference.infer_shapes(written, strict_mode=True)
        assert inferred.graph.output
    for path in plain_files(out):
        assert all(opset.domain == "" for opset in onnx.load(path).opset_import)


def test_08_a_constant_node_read_by_several_stages_does_not_glue_them(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { c = Constant <value = float[4] {1,2,3,4}> () k = Neg(c) a = Mul(x, k) b = Add(a, c) y = Mul(b, k) }"""
    )
    out = stages_of(tmp_path, proto, plan("a", "b"), {"x": X})
    assert [ops(path) for path in sendrecv_files(out)] == [
        ["Constant", "Neg", "Mul"],
        ["Constant", "Add"],
        ["Constant", "Neg", "Mul"],
    ]


@pytest.mark.parametrize("taken", [True, False])
def test_09_tensors_that_bodies_capture_are_sent_to_them(tmp_path: Path, taken: bool) -> None:
    proto = model(
        """g (float[2,4] x, bool c, int64 trips) => (float[2,4] y, float[2,4] z) {
            outer = Neg(x)
            deep = Exp(x)
            start = Abs(x)
            y = If (c) <
                then_branch = t () => (float[2,4] p) {
                    p = If (c) <
                        then_branch = tt () => (float[2,4] pp) { pp = Add(outer, deep) },
                        else_branch = te () => (float[2,4] pe) { pe = Identity(outer) }
                    >
                },
                else_branch = e () => (float[2,4] q) { q = Sub(deep, outer) }
            >
            z = Loop (trips, c, start) <
                body = b (int64 i, bool go, float[2,4] state) => (bool go2, float[2,4] next)
                { go2 = Identity(go) next = Add(state, outer) }
            >
        }"""
    )
    feeds = {"x": X, "c": np.asarray(taken), "trips": np.asarray(3, np.int64)}
    out = stages_of(tmp_path, proto, plan("outer > y z; deep; start"), feeds)
    assert [ops(path) for path in sendrecv_files(out)] == [["Neg", "Exp", "Abs"], ["If", "Loop"]]
    assert list(channels(sendrecv_files(out)[0], "Send")[0].input[2:]) == ["outer", "deep", "start"]


def test_10_a_backward_cut_is_refused_with_its_reason(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Abs(b) y = Add(c, a) }")
    path = saved(proto, tmp_path / "model.onnx")
    with pytest.raises(InvalidPlan) as refusal:
        split(path, plan("b; a > y", "a > b"), tmp_path / "stages")
    errors = [finding for finding in refusal.value.diagnostics if finding.is_error]
    assert {finding.code for finding in errors} <= {"backward-edge", "cuts-out-of-order", "incomplete-cut"}
    assert any(finding.tensors for finding in errors)
    assert not (tmp_path / "stages").exists()


def test_11_a_graph_input_an_untyped_edge_and_a_graph_output_can_be_cut(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] side) => (float[2,4] a, float[2,4] y)
        { a = Neg(x) b = Exp(a) s = Abs(side) y = Add(b, s) }"""
    )
    assert not proto.graph.value_info
    out = stages_of(tmp_path, proto, plan("a; side", "b; s"), {"x": X, "side": X + 1})
    assert [ops(path) for path in sendrecv_files(out)] == [["Neg"], ["Exp", "Abs"], ["Add"]]
    assert [names(onnx.load(path).graph.input) for path in plain_files(out)] == [["x"], ["side", "a"], ["b", "s"]]
    assert [names(onnx.load(path).graph.output) for path in plain_files(out)] == [["a"], ["b", "s"], ["y"]]


def test_12_added_names_are_unique_also_when_a_stage_is_split_again(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) b = Exp(a) c = Abs(b) y = Neg(c) }")
    out = stages_of(tmp_path, proto, plan("a", "c"), {"x": X})
    middle = sendrecv_files(out)[1]
    again = tmp_path / "again"
    split(middle, plan("b"), again, form="sendrecv")
    for path in [*sendrecv_files(out), *sendrecv_files(again)]:
        written = onnx.load(path).graph
        nodes = [node.name for node in written.node if node.name]
        assert len(set(nodes)) == len(nodes)
        made = [name for node in written.node for name in node.output]
        made += names(written.initializer)
        assert len(set(made)) == len(made)
    first, second = sendrecv_files(again)
    assert [list(node.output) for node in channels(first, "Recv")] == [["receive_output_signal0", "a_recv0"]]
    assert [list(node.input) for node in channels(first, "Send")] == [
        ["send_input_signal0", "send_dst_rank0", "b"],
    ]
    assert [list(node.output) for node in channels(second, "Recv")] == [["receive_output_signal0_1", "b_recv0"]]
    assert [list(node.input) for node in channels(second, "Send")] == [["send_input_signal1", "send_dst_rank1", "c"]]


def test_13_the_files_are_the_same_whatever_the_order_of_hashes(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y)
        { a = Neg(x) b = Exp(x) c = Abs(x) d = Sign(x) e = Sum(a, b, c, d) f = Add(a, e) y = Sum(f, b, c, d) }"""
    )
    path = saved(proto, tmp_path / "model.onnx")
    code = (
        "import sys; from pathlib import Path\n"
        "from cutter_gui.core import Cut, CutEdge, Plan\n"
        "from cutter_gui.core.format import SplitRequest\n"
        "from cutter_gui.onnx.format import FORMAT\n"
        "readers = {'a': {'e', 'f'}, 'b': {'e', 'y'}, 'c': {'y', 'e'}, 'd': {'y', 'e'}}\n"
        "cut = Cut(tuple(CutEdge(tensor, consumers) for tensor, consumers in readers.items()))\n"
        "FORMAT.split(SplitRequest(Path(sys.argv[1]), Plan((cut,)), Path(sys.argv[2])))\n"
    )
    found = []
    for seed in ("0", "1", "2"):
        out = tmp_path / seed / "stages"
        subprocess.run(
            [sys.executable, "-c", code, path, out], check=True, env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"}
        )
        found.append({file.name: file.read_bytes().replace(b"../", b"") for file in out.iterdir()})
    assert found[0] == found[1] == found[2]
    (send,) = channels(tmp_path / "0" / "stages" / "model_0.onnx", "Send")
    assert list(send.input[2:]) == ["a", "b", "c", "d"]


def test_14_work_grows_with_the_size_of_the_model_not_with_its_square(tmp_path: Path) -> None:
    def work(count: int) -> int:
        nodes = [helper.make_node("Add", [f"t{i}", "t0"], [f"t{i + 1}"]) for i in range(count)]
        graph = helper.make_graph(
            [helper.make_node("Neg", ["x"], ["t0"]), *nodes],
            "long",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
            [helper.make_tensor_value_info(f"t{count}", TensorProto.FLOAT, [4])],
        )
        path = saved(helper.make_model(graph, ir_version=8), tmp_path / f"{count}.onnx")
        cuts = []
        for quarter in (1, 2, 3):
            at = count * quarter // 4
            later = " ".join(f"t{i + 1}" for i in range(at, count))
            cuts.append(f"t{at}; t0 > {later}")
        wanted = plan(*cuts)
        return bytecodes(lambda: split(path, wanted, tmp_path / f"stages {count}"), "cutter_gui")

    work(4)  # what is imported or made once is no part of it
    small, large = work(60), work(480)
    assert large < 1.15 * 8 * small
