"""Models built for a run: large ones, whose weights are written straight to their data file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper

HIDDEN, INNER, HEADS, TOKENS, VOCABULARY = 1024, 4096, 16, 512, 30522
_OPSET = 17


class _Weights:
    """Writes weights one after the other and returns the initializers that refer to them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._name = path.name
        self._noise = np.random.default_rng(0).standard_normal(1 << 20, dtype=np.float32)
        self.initializers: list[TensorProto] = []

    def add(self, name: str, *dims: int) -> str:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
        offset = -(-self._file.tell() // 4096) * 4096
        self._file.seek(offset)
        count = int(np.prod(dims))
        shift = np.float32(len(self.initializers))  # no two weights are alike
        for start in range(0, count, len(self._noise)):
            self._file.write((self._noise[: min(len(self._noise), count - start)] + shift).tobytes())
        for key, value in (("location", self._name), ("offset", offset), ("length", count * 4)):
            tensor.external_data.add(key=key, value=str(value))
        self.initializers.append(tensor)
        return name

    def close(self) -> None:
        self._file.close()


def write_bert_large(folder: Path, layers: int = 24) -> tuple[Path, list[str]]:
    """Writes an encoder of BERT-large's sizes: 1.3 GB of external data for 24 layers.

    Returns:
        The model file, and the output tensor of each layer; a mask ``mask`` feeds every layer besides.
    """
    path = folder / "bert_large.onnx"
    weights = _Weights(folder / "bert_large.onnx.data")
    nodes = []

    def node(op: str, inputs: list[str], output: str, **attributes: object) -> str:
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    embedded = node("Gather", [weights.add("words", VOCABULARY, HIDDEN), "input_ids"], "embedded")
    mask = node("Unsqueeze", ["attention_bias", "mask_axes"], "mask")
    ends = []
    value = embedded
    for layer in range(layers):
        at = f"layer.{layer}"
        heads = {}
        for part in ("query", "key", "value"):
            flat = node("MatMul", [value, weights.add(f"{at}.{part}.weight", HIDDEN, HIDDEN)], f"{at}/{part}/matmul")
            shifted = node("Add", [flat, weights.add(f"{at}.{part}.bias", HIDDEN)], f"{at}/{part}/add")
            split = node("Reshape", [shifted, "head_shape"], f"{at}/{part}/split")
            order = [0, 2, 3, 1] if part == "key" else [0, 2, 1, 3]
            heads[part] = node("Transpose", [split], f"{at}/{part}/heads", perm=order)
        scores = node("MatMul", [heads["query"], heads["key"]], f"{at}/scores")
        masked = node("Add", [scores, mask], f"{at}/scores/add")
        context = node("MatMul", [node("Softmax", [masked], f"{at}/softmax"), heads["value"]], f"{at}/context")
        merged = node("Reshape", [node("Transpose", [context], f"{at}/back", perm=[0, 2, 1, 3]), "flat"], f"{at}/merge")
        out = node("MatMul", [merged, weights.add(f"{at}.output.weight", HIDDEN, HIDDEN)], f"{at}/output")
        attended = _normalized(node, weights, f"{at}/attention", node("Add", [out, value], f"{at}/residual"))
        inner = node("MatMul", [attended, weights.add(f"{at}.inner.weight", HIDDEN, INNER)], f"{at}/inner")
        active = node("Relu", [inner], f"{at}/relu")
        outer = node("MatMul", [active, weights.add(f"{at}.outer.weight", INNER, HIDDEN)], f"{at}/outer")
        value = _normalized(node, weights, at, node("Add", [outer, attended], f"{at}/residual2"))
        ends.append(value)
    weights.close()
    small = [
        helper.make_tensor("mask_axes", TensorProto.INT64, [2], [1, 2]),
        helper.make_tensor("head_shape", TensorProto.INT64, [4], [0, 0, HEADS, HIDDEN // HEADS]),
        helper.make_tensor("flat", TensorProto.INT64, [3], [0, 0, HIDDEN]),
    ]
    graph = helper.make_graph(
        nodes,
        "bert_large",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", TOKENS]),
            helper.make_tensor_value_info("attention_bias", TensorProto.FLOAT, ["batch", TOKENS]),
        ],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, ["batch", TOKENS, HIDDEN])],
        [*small, *weights.initializers],
    )
    path.write_bytes(_model(graph).SerializeToString())
    return path, ends


def _normalized(node: object, weights: _Weights, at: str, value: str) -> str:
    assert callable(node)
    scale, bias = weights.add(f"{at}.norm.weight", HIDDEN), weights.add(f"{at}.norm.bias", HIDDEN)
    return str(node("LayerNormalization", [value, scale, bias], f"{at}/norm"))


def write_chain_of_blocks(path: Path, count: int) -> list[str]:
    """Writes a model of about ``count`` nodes without weights: blocks with a branch, and one input that feeds them all.

    Returns:
        The output tensor of each block, in order.
    """
    nodes, ends = [], []
    value = "x"
    for block in range(count // 4):
        names = [f"block{block}/{part}" for part in ("left", "right", "gate", "add")]
        left, right, gate, add = names
        nodes.append(helper.make_node("Relu", [value], [left], name=left))
        nodes.append(helper.make_node("Neg", [value], [right], name=right))
        nodes.append(helper.make_node("Mul", [right, "mask"], [gate], name=gate))
        nodes.append(helper.make_node("Add", [left, gate], [add], name=add))
        value = add
        ends.append(add)
    kind = (TensorProto.FLOAT, ["batch", 8])
    graph = helper.make_graph(
        nodes,
        "blocks",
        [helper.make_tensor_value_info(name, *kind) for name in ("x", "mask")],
        [helper.make_tensor_value_info(value, *kind)],
    )
    path.write_bytes(_model(graph).SerializeToString())
    return ends


def _model(graph: object) -> ModelProto:
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
