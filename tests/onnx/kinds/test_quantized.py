"""Quantized models: cut where few bytes are sent, or told that the other side of a pair sends fewer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.diagnostic import Diagnostic, Severity
from cutter_gui.core.format import SplitRequest, VerifyRequest
from cutter_gui.core.manifest import read_manifest
from cutter_gui.onnx.format import FORMAT
from strategies.kinds import codes, found, nodes_of, tried
from strategies.onnx_text import model, saved


def qdq() -> ModelProto:
    """Two layers with Quantize/Dequantize pairs around them, weights quantized too."""
    proto = model(
        """g (float[2,16] x) => (float[2,8] y) <float s = {0.05}, uint8 z = {128}, float ws = {0.02}, int8 wz = {0}> {
            w1 = DequantizeLinear(w1_q, ws, wz)
            w2 = DequantizeLinear(w2_q, ws, wz)
            xq = QuantizeLinear(x, s, z)
            xd = DequantizeLinear(xq, s, z)
            a = MatMul(xd, w1)
            b = Relu(a)
            bq = QuantizeLinear(b, s, z)
            bd = DequantizeLinear(bq, s, z)
            c = MatMul(bd, w2)
            cq = QuantizeLinear(c, s, z)
            y = DequantizeLinear(cq, s, z)
        }"""
    )
    generator = np.random.default_rng(0)
    for name, shape in {"w1_q": (16, 8), "w2_q": (8, 8)}.items():
        array = generator.integers(-127, 127, shape).astype(np.int8)
        proto.graph.initializer.append(numpy_helper.from_array(array, name))
    return proto


def quantized_finding(proto: ModelProto, folder: Path, *cuts: str) -> Diagnostic:
    findings = [finding for finding in found(proto, folder, *cuts) if finding.code == "quantized-boundary"]
    assert len(findings) == 1
    return findings[0]


@pytest.mark.parametrize(("cut", "better"), [("bd", "bq"), ("b", "bq")])
def test_a_float_boundary_beside_a_pair_is_told_with_the_bytes_of_either_side(
    tmp_path: Path, cut: str, better: str
) -> None:
    finding = quantized_finding(qdq(), tmp_path, cut)
    assert finding.severity == Severity.WARNING
    assert finding.tensors == (cut, better)
    assert "64 B" in finding.message
    assert "16 B" in finding.message


@pytest.mark.parametrize("cut", ["b", "bd"])
def test_the_proposed_plan_sends_the_quantized_tensor_and_both_plans_give_the_same_bits(
    tmp_path: Path, cut: str
) -> None:
    proto = qdq()
    assert tried(proto, tmp_path / "dear", cut).sent == [[cut], []]
    finding = quantized_finding(proto, tmp_path, cut)
    path = saved(proto, tmp_path / "m.onnx")
    out = tmp_path / "cheap"
    FORMAT.split(SplitRequest(path, finding.fixes[0].plan, out))
    assert FORMAT.verify(VerifyRequest(out)).identical
    (transfer,) = read_manifest(out / "pipeline.yaml").stages[0].sends
    assert [(entry.name, entry.dtype) for entry in transfer.tensors] == [("bq", "uint8")]


def test_the_quantized_side_is_no_finding_and_copies_scales_to_both_stages(tmp_path: Path) -> None:
    proto = qdq()
    assert "quantized-boundary" not in codes(found(proto, tmp_path, "bq"))
    stages = tried(proto, tmp_path, "bq")
    assert stages.sent == [["bq"], []]
    assert [len(nodes_of(stage, "DequantizeLinear")) for stage in stages.plain] == [2, 3]
    for stage in stages.plain:
        assert {"s", "z", "ws", "wz"} <= {tensor.name for tensor in stage.graph.initializer}


def test_quantized_weights_are_dequantized_in_the_stage_that_reads_them_and_never_sent(tmp_path: Path) -> None:
    stages = tried(qdq(), tmp_path, "a", "c")
    assert stages.sent == [["a"], ["c"], []]
    held = [[t.name for t in stage.graph.initializer if t.name.endswith("_q")] for stage in stages.plain]
    assert held == [["w1_q"], ["w2_q"], []]


def test_per_channel_and_blocked_scales_stay_with_their_nodes(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,16] x) => (float[2,8] y) <float[2,8] ws = {1,2,3,4,5,6,7,8,8,7,6,5,4,3,2,1}> {
            w = DequantizeLinear <axis = 0, block_size = 8> (wq, ws)
            a = Neg(x)
            y = MatMul(a, w)
        }""",
        opset=21,
        ir=10,
    )
    array = np.random.default_rng(0).integers(-8, 8, (16, 8)).astype(np.int8)
    proto.graph.initializer.append(numpy_helper.from_array(array, "wq"))
    stages = tried(proto, tmp_path, "a")
    assert [len(nodes_of(stage, "DequantizeLinear")) for stage in stages.plain] == [0, 1]


def test_four_bit_weights_are_dequantized_in_the_stage_that_reads_them(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,16] x) => (float[2,8] y) <float ws = {0.5}>
        { w = DequantizeLinear(wq, ws) a = Neg(x) y = MatMul(a, w) }""",
        opset=21,
        ir=10,
    )
    values = np.random.default_rng(0).integers(-8, 8, 128).tolist()
    proto.graph.initializer.append(helper.make_tensor("wq", TensorProto.INT4, [16, 8], values))
    stages = tried(proto, tmp_path, "a")
    assert [[t.data_type for t in stage.graph.initializer] for stage in stages.plain] == [
        [],
        [TensorProto.FLOAT, TensorProto.INT4],
    ]


def test_integer_operators_are_cut_between(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,16] x) => (float[2,8] y) <int8 wz = {0}, float ws = {0.01}> {
            xq, xs, xz = DynamicQuantizeLinear(x)
            a = MatMulInteger(xq, w, xz, wz)
            b = Cast <to = 1> (a)
            scale = Mul(xs, ws)
            y = Mul(b, scale)
        }"""
    )
    array = np.random.default_rng(0).integers(-8, 8, (16, 8)).astype(np.int8)
    proto.graph.initializer.append(numpy_helper.from_array(array, "w"))
    stages = tried(proto, tmp_path, "xq; xz; xs", "a; scale")
    assert stages.sent == [["xq", "xz", "xs"], ["a", "scale"], []]
    entries = stages.manifest["stages"][0]["sends"][0]["tensors"]
    assert [(entry["name"], entry["dtype"]) for entry in entries] == [
        ("xq", "uint8"),
        ("xz", "uint8"),
        ("xs", "float32"),
    ]
