"""A sample model: a small residual network for images of 32×32 pixels.

A stem, three groups of two blocks, a pooled classification head. The names have scopes, as exporters write them today:
``layer1.0/conv1/Conv_output``. A cut behind a block takes one tensor; a cut within a block has to take its shortcut
along.

``python -m cutter_gui.onnx.sample_cnn FILE`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper

from cutter_gui.onnx.sample_weights import SampleParts

CHANNELS = (8, 16, 32)
BLOCKS = 2
IMAGE = 32
LABELS = 10

IR_VERSION = 8
OPSET = 17
SEED = 18


def build_cnn_small() -> ModelProto:
    """Builds the model.

    The input ``image`` is float32 [batch, 3, 32, 32], the output ``scores`` float32 [batch, 10]. Every call gives the
    same model; types and shapes of all tensors are in its value_info.
    """
    parts = SampleParts(SEED)
    tensor = _relu(parts, "stem", _convolution(parts, "stem/conv", "image", 3, CHANNELS[0]))
    before = CHANNELS[0]
    for group, channels in enumerate(CHANNELS, start=1):
        for block in range(BLOCKS):
            tensor = _block(parts, f"layer{group}.{block}", tensor, before, channels)
            before = channels
    pooled = parts.node("GlobalAveragePool", "head/pool/GlobalAveragePool_output", tensor)
    flat = parts.node("Flatten", "head/Flatten_output", pooled)
    matrix = parts.weight("head.fc.weight", parts.numbers(np.sqrt(3 / before), LABELS, before))
    bias = parts.weight("head.fc.bias", parts.numbers(0.1, LABELS))
    parts.node("Gemm", "scores", flat, matrix, bias, transB=1)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, IMAGE, IMAGE])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", LABELS])
    model = helper.make_model(
        helper.make_graph(parts.nodes, "cnn_small", [image], [scores], parts.weights),
        producer_name="cutter-gui",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def _block(parts: SampleParts, name: str, tensor: str, before: int, channels: int) -> str:
    """Two convolutions beside a shortcut, which has a convolution of its own where the number of channels changes."""
    stride = 1 if before == channels else 2
    first = _relu(parts, f"{name}/act1", _convolution(parts, f"{name}/conv1", tensor, before, channels, stride=stride))
    second = _convolution(parts, f"{name}/conv2", first, channels, channels)
    shortcut = tensor
    if before != channels:
        shortcut = _convolution(parts, f"{name}/shortcut", tensor, before, channels, size=1, stride=stride)
    return _relu(parts, f"{name}/act2", parts.node("Add", f"{name}/Add_output", second, shortcut))


def _convolution(
    parts: SampleParts, name: str, tensor: str, before: int, channels: int, size: int = 3, stride: int = 1
) -> str:
    dotted = name.replace("/", ".")
    kernel = parts.numbers(float(np.sqrt(4.5 / (before * size * size))), channels, before, size, size)
    weight = parts.weight(f"{dotted}.weight", kernel)
    bias = parts.weight(f"{dotted}.bias", parts.numbers(0.1, channels))
    pads = [size // 2] * 4
    return parts.node(
        "Conv", f"{name}/Conv_output", tensor, weight, bias, kernel_shape=[size] * 2, strides=[stride] * 2, pads=pads
    )


def _relu(parts: SampleParts, name: str, tensor: str) -> str:
    return parts.node("Relu", f"{name}/Relu_output", tensor)


def main(arguments: Sequence[str]) -> int:
    """Writes the model to the file that the arguments name."""
    if len(arguments) != 1:
        print("usage: python -m cutter_gui.onnx.sample_cnn FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_bytes(build_cnn_small().SerializeToString(deterministic=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
