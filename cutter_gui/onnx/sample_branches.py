"""A sample model: features that one of two branches refines, as its second input says.

The bodies of the ``If`` read ``features`` and ``scale`` from outside, which no input of the ``If`` shows: a cut between
them and the ``If`` has to take these hidden edges too.

``python -m cutter_gui.onnx.sample_branches FILE`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, helper

from cutter_gui.onnx.sample_weights import SampleParts

INPUTS = 24
WIDTH = 64
LABELS = 4

IR_VERSION = 8
OPSET = 17
SEED = 7


def build_branches_small() -> ModelProto:
    """Builds the model.

    Inputs: ``signal``, float32 [batch, 24], and ``thorough``, a bool scalar. The output ``scores`` is float32
    [batch, 4]. Every call gives the same model; types and shapes of all tensors outside the bodies are in its
    value_info.
    """
    parts = SampleParts(SEED)
    hidden = parts.node("Tanh", "encoder/hidden", _linear(parts, "encoder/in", "signal", INPUTS, WIDTH))
    features = parts.node("Tanh", "features", _linear(parts, "encoder/out", hidden, WIDTH, WIDTH))
    mean = parts.node("ReduceMean", "norm/mean", features, axes=[-1], keepdims=1)
    parts.node("Sigmoid", "scale", mean)
    refined = parts.node("If", "refined", "thorough", then_branch=_thorough(parts), else_branch=_quick())
    decoded = parts.node("Tanh", "decoder/hidden", _linear(parts, "decoder/in", refined, WIDTH, WIDTH))
    summed = parts.node("Add", "decoder/sum", decoded, features)
    logits = _linear(parts, "head", summed, WIDTH, LABELS)
    parts.node("Softmax", "scores", logits, axis=-1)
    signal = helper.make_tensor_value_info("signal", TensorProto.FLOAT, ["batch", INPUTS])
    thorough = helper.make_tensor_value_info("thorough", TensorProto.BOOL, [])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", LABELS])
    model = helper.make_model(
        helper.make_graph(parts.nodes, "branches_small", [signal, thorough], [scores], parts.weights),
        producer_name="cutter-gui",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def _thorough(parts: SampleParts) -> GraphProto:
    """Two more layers, scaled."""
    first, second = (
        parts.weight(f"then.{name}", parts.numbers(np.sqrt(3 / WIDTH), WIDTH, WIDTH)) for name in ("first", "second")
    )
    nodes = [
        helper.make_node("MatMul", ["features", first], ["then/1"], "then/first"),
        helper.make_node("Tanh", ["then/1"], ["then/2"], "then/act"),
        helper.make_node("MatMul", ["then/2", second], ["then/3"], "then/second"),
        helper.make_node("Mul", ["then/3", "scale"], ["then/out"], "then/scaled"),
    ]
    return helper.make_graph(nodes, "thorough", [], [_branch_output("then/out")])


def _quick() -> GraphProto:
    """The features, scaled."""
    nodes = [helper.make_node("Mul", ["features", "scale"], ["else/out"], "else/scaled")]
    return helper.make_graph(nodes, "quick", [], [_branch_output("else/out")])


def _branch_output(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", WIDTH])


def _linear(parts: SampleParts, name: str, tensor: str, inputs: int, outputs: int) -> str:
    dotted = name.replace("/", ".")
    weight = parts.weight(f"{dotted}.weight", parts.numbers(np.sqrt(3 / inputs), inputs, outputs))
    bias = parts.weight(f"{dotted}.bias", parts.numbers(0.1, outputs))
    return parts.node("Add", f"{name}/Add", parts.node("MatMul", f"{name}/MatMul", tensor, weight), bias)


def main(arguments: Sequence[str]) -> int:
    """Writes the model to the file that the arguments name."""
    if len(arguments) != 1:
        print("usage: python -m cutter_gui.onnx.sample_branches FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_bytes(build_branches_small().SerializeToString(deterministic=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
