"""Training graphs: a loss, and backward nodes that read what the forward pass made long before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.core.plan import Transport
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import BOTH, codes, found, names, tried
from strategies.onnx_text import model, saved

FORWARD_AND_BACKWARD = """g (float[batch,8] x, float[batch,4] target)
    => (float loss, float[8,16] d_w1, float[16] d_b1, float[16,4] d_w2, float[4] d_b2, float[8,16] w1_new)
    <float two = {2.0}, float rate = {0.1}, float zero = {0.0}> {
    rows = Constant <value_ints = [0]> ()
    u1 = MatMul(x, w1)
    v1 = Add(u1, b1)
    h1 = Relu(v1)
    u2 = MatMul(h1, w2)
    out = Add(u2, b2)
    diff = Sub(out, target)
    square = Mul(diff, diff)
    loss = ReduceMean <keepdims = 0> (square)
    count = Size(diff)
    count_f = Cast <to = 1> (count)
    twice = Mul(diff, two)
    d_out = Div(twice, count_f)
    h1_t = Transpose <perm = [1, 0]> (h1)
    d_w2 = MatMul(h1_t, d_out)
    d_b2 = ReduceSum <keepdims = 0> (d_out, rows)
    w2_t = Transpose <perm = [1, 0]> (w2)
    d_h1 = MatMul(d_out, w2_t)
    positive = Greater(v1, zero)
    gate = Cast <to = 1> (positive)
    d_v1 = Mul(d_h1, gate)
    x_t = Transpose <perm = [1, 0]> (x)
    d_w1 = MatMul(x_t, d_v1)
    d_b1 = ReduceSum <keepdims = 0> (d_v1, rows)
    step = Mul(d_w1, rate)
    w1_new = Sub(w1, step)
}"""


def training() -> ModelProto:
    proto = model(FORWARD_AND_BACKWARD)
    generator = np.random.default_rng(0)
    for name, shape in {"w1": (8, 16), "b1": (16,), "w2": (16, 4), "b2": (4,)}.items():
        array = generator.standard_normal(shape).astype(np.float32)
        proto.graph.initializer.append(numpy_helper.from_array(array, name))
    return proto


CUTS = ("h1; v1 > positive", "d_h1; v1 > positive")


def test_the_gradients_are_right_so_that_comparing_them_says_something(tmp_path: Path) -> None:
    stages = tried(training(), tmp_path, *CUTS)
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in training().graph.initializer}
    generator = np.random.default_rng(0)
    x, target = (generator.standard_normal((2, width)).astype(np.float32) for width in (8, 4))

    def loss(w1: np.ndarray) -> float:
        hidden = np.maximum(x.astype(np.float64) @ w1 + weights["b1"], 0)
        return float(np.mean((hidden @ weights["w2"] + weights["b2"] - target) ** 2))

    nudge = np.zeros((8, 16))
    nudge[3, 5] = 1e-5
    w1 = weights["w1"].astype(np.float64)
    slope = (loss(w1 + nudge) - loss(w1 - nudge)) / 2e-5
    assert stages.outputs["loss"] == pytest.approx(loss(w1), rel=1e-5)
    assert stages.outputs["d_w1"][3, 5] == pytest.approx(slope, rel=1e-3, abs=1e-6)


def test_forward_activations_are_relayed_to_the_backward_nodes_that_read_them(tmp_path: Path) -> None:
    stages = tried(training(), tmp_path, *CUTS, transports=("relay",))
    assert stages.sent == [["h1", "v1"], ["v1", "d_h1"], []]
    assert stages.results == [[], ["loss", "d_w2", "d_b2"], ["d_w1", "d_b1", "w1_new"]]
    assert stages.fed == [["x"], ["target"], ["x"]]


def test_sent_directly_they_take_no_detour_through_the_stage_of_the_loss(tmp_path: Path) -> None:
    stages = tried(training(), tmp_path, *CUTS, transports=("direct",))
    peers = [(t["to"], [entry["name"] for entry in t["tensors"]]) for t in stages.manifest["stages"][0]["sends"]]
    assert peers == [(1, ["h1"]), (2, ["v1"])]
    assert names(stages.plain[1].graph.input) == ["target", "h1"]


def test_weights_read_forward_and_backward_are_in_the_stages_of_both(tmp_path: Path) -> None:
    stages = tried(training(), tmp_path, *CUTS, transports=("relay",))
    kept = [set(names(stage.graph.initializer)) & {"w1", "b1", "w2", "b2"} for stage in stages.plain]
    assert kept == [{"w1", "b1"}, {"w2", "b2"}, {"w1"}]
    shared = [f.tensors for f in found(training(), tmp_path, *CUTS) if f.code == "shared-weight"]
    assert ("w1",) in shared


def test_a_cut_that_forgets_what_is_read_backward_is_told_and_mended_with_the_fewest_bytes(tmp_path: Path) -> None:
    proto = training()
    errors = [finding for finding in found(proto, tmp_path, "h1", "d_h1") if finding.is_error]
    assert codes(errors) == ["backward-edge"]
    mend = errors[0].fixes[0].plan
    assert [edge.tensor for edge in mend.cuts[0].edges] == ["h1", "positive"], "of a byte an element, v1 has four"
    path = saved(proto, tmp_path / "m.onnx")
    FORMAT.split(SplitRequest(path, mend, tmp_path / "out"))
    assert FORMAT.verify(VerifyRequest(tmp_path / "out")).identical


def test_backward_nodes_cannot_share_the_stage_of_their_forward_ones(tmp_path: Path) -> None:
    """Stages 0, 1, 0 would have to run twice; that is told, and nothing written."""
    assert any(finding.is_error for finding in found(training(), tmp_path, "h1; d_h1"))


@pytest.mark.parametrize("transport", BOTH)
def test_the_loss_ops_of_onnx_and_its_training_operators_are_split(tmp_path: Path, transport: Transport) -> None:
    proto = model(
        """g (float[batch,8] x, int64[batch] labels) => (float loss, float[batch,4] d_logits) {
            a = MatMul(x, w)
            logits = Relu(a)
            loss, log_prob = SoftmaxCrossEntropyLoss <reduction = "mean"> (logits, labels)
            prob = Exp(log_prob)
            depth = Constant <value_int = 4> ()
            values = Constant <value_floats = [0.0, 1.0]> ()
            hot = OneHot(labels, depth, values)
            d_logits = Sub(prob, hot)
        }"""
    )
    array = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
    proto.graph.initializer.append(numpy_helper.from_array(array, "w"))
    stages = tried(proto, tmp_path, "logits", "log_prob", transports=(transport,))
    assert stages.fed == [["x"], ["labels"], ["labels"]]
    assert stages.results == [[], ["loss"], ["d_logits"]]


def test_dropout_in_training_is_drawn_once_and_its_mask_sent_to_the_backward_pass(tmp_path: Path) -> None:
    proto = model(
        """g (float[4,8] x) => (float[4,8] y, float[4,8] d_x) <float ratio = {0.5}, bool training = {1}> {
            a = Neg(x)
            dropped, mask = Dropout <seed = 7> (a, ratio, training)
            y = Exp(dropped)
            gate = Cast <to = 1> (mask)
            scaled = Mul(y, gate)
            d_x = Div(scaled, ratio)
        }"""
    )
    stages = tried(proto, tmp_path, "dropped; mask", "y > scaled; mask", runs=False)
    assert stages.sent == [["dropped", "mask"], ["mask", "y"], []]
    assert sum(node.op_type == "Dropout" for stage in stages.plain for node in stage.graph.node) == 1
    (entry,) = (e for e in stages.manifest["stages"][0]["sends"][0]["tensors"] if e["name"] == "mask")
    assert entry["dtype"] == "bool"


def test_optimizer_ops_of_the_training_domain_are_never_copied(tmp_path: Path) -> None:
    proto = model(
        "g (float[4] g0) => (float[4] new, float[4] y) { a = Neg(g0) y = Exp(a) }",
        opsets=[("ai.onnx.preview.training", 1)],
    )
    proto.graph.initializer.extend(
        [
            helper.make_tensor("r", TensorProto.FLOAT, [], [0.1]),
            helper.make_tensor("t", TensorProto.INT64, [], [1]),
            helper.make_tensor("w", TensorProto.FLOAT, [4], [1, 2, 3, 4]),
            helper.make_tensor("v", TensorProto.FLOAT, [4], [0, 0, 0, 0]),
        ]
    )
    proto.graph.node.add(
        op_type="Momentum",
        domain="ai.onnx.preview.training",
        input=["r", "t", "w", "a", "v"],
        output=["new", "v_new"],
        attribute=[
            helper.make_attribute("alpha", 0.9),
            helper.make_attribute("beta", 1.0),
            helper.make_attribute("mode", "standard"),
            helper.make_attribute("norm_coefficient", 0.0),
        ],
    )
    stages = tried(proto, tmp_path, "a > new", runs=False)
    assert [[node.op_type for node in stage.graph.node] for stage in stages.plain] == [["Neg", "Exp"], ["Momentum"]]
    assert set(names(stages.plain[1].graph.initializer)) == {"r", "t", "w", "v"}
