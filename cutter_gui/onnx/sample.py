"""The sample model: a small BERT encoder as exporters wrote them when tensors had numbers for names.

Three layers, two heads, hidden size 64, sequences of 16 tokens, any batch, a classification head; seeded random
weights. One attention mask, tensor ``71``, feeds every layer; the layers end at ``186``, ``308`` and ``430``, and add
the mask at ``151``, ``273`` and ``395``, so that the plans known for such exports fit.

``python -m cutter_gui.onnx.sample FILE`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

LAYERS = 3
HEADS = 2
HIDDEN = 64
INNER = 4 * HIDDEN
SEQUENCE = 16
VOCABULARY = 512
TOKEN_TYPES = 2
LABELS = 3

IR_VERSION = 7
OPSET = 13
SEED = 71

FIRST_NUMBER = 67  # inputs and weights come first
# Exporters gave numbers also to the shape arithmetic of splitting heads, which they then folded away.
FOLDED_PER_SPLIT = 23
FOLDED_PER_SPLIT_IN_FIRST_LAYER = 16

FloatArray = npt.NDArray[np.float32]


def build_bert_small() -> ModelProto:
    """Builds the model.

    Inputs ``input_ids``, ``attention_mask`` and ``token_type_ids`` are int64 [batch, 16]; the output ``logits`` is
    float32 [batch, 3]. Every call gives the same model; types and shapes of all tensors are in its value_info.
    """
    return _Builder().build()


class _Builder:
    """Collects nodes and weights; numbers tensors in the order of the nodes."""

    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._weights: list[TensorProto] = []
        self._next = FIRST_NUMBER
        # Unlike numpy's newer generators, the legacy one promises the same numbers in every release.
        self._random = np.random.RandomState(SEED)

    def build(self) -> ModelProto:
        mask = self._mask()
        hidden = self._embeddings()
        for layer in range(LAYERS):
            hidden = self._layer(layer, hidden, mask)
        self._head(hidden)
        names = ("input_ids", "attention_mask", "token_type_ids")
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", SEQUENCE]) for name in names]
        logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", LABELS])
        model = helper.make_model(
            helper.make_graph(self._nodes, "bert_small", inputs, [logits], self._weights),
            producer_name="cutter-gui",
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)

    def _mask(self) -> str:
        axes = self._constant(np.array([1, 2], dtype=np.int64))
        spread = self._node("Unsqueeze", "attention_mask", axes)
        kept = self._node("Cast", spread, to=TensorProto.FLOAT)
        dropped = self._node("Sub", self._scalar("bert.mask.one", 1.0), kept)
        return self._node("Mul", dropped, self._scalar("bert.mask.scale", -10000.0))

    def _embeddings(self) -> str:
        name = "bert.embeddings"
        words = self._node("Gather", self._uniform(f"{name}.word_embeddings.weight", 1.0, VOCABULARY), "input_ids")
        types = self._uniform(f"{name}.token_type_embeddings.weight", 0.5, TOKEN_TYPES)
        total = self._node("Add", words, self._node("Gather", types, "token_type_ids"))
        positions = self._weight(f"{name}.position_ids", np.arange(SEQUENCE, dtype=np.int64)[np.newaxis])
        table = self._uniform(f"{name}.position_embeddings.weight", 0.5, SEQUENCE)
        total = self._node("Add", total, self._node("Gather", table, positions))
        return self._layer_norm(f"{name}.LayerNorm", total)

    def _layer(self, layer: int, hidden: str, mask: str) -> str:
        name = f"bert.encoder.layer.{layer}"
        attended = self._attention(f"{name}.attention", layer, hidden, mask)
        inner = self._gelu(f"{name}.intermediate", self._linear(f"{name}.intermediate.dense", attended, HIDDEN, INNER))
        outer = self._linear(f"{name}.output.dense", inner, INNER, HIDDEN)
        return self._layer_norm(f"{name}.output.LayerNorm", self._node("Add", outer, attended))

    def _attention(self, name: str, layer: int, hidden: str, mask: str) -> str:
        folded = FOLDED_PER_SPLIT if layer else FOLDED_PER_SPLIT_IN_FIRST_LAYER
        query, key, value = (
            self._linear(f"{name}.self.{part}", hidden, HIDDEN, HIDDEN) for part in ("query", "key", "value")
        )
        value = self._split_heads(value, [0, 2, 1, 3], folded)
        query = self._split_heads(query, [0, 2, 1, 3], folded)
        key = self._split_heads(key, [0, 2, 3, 1], folded)
        scores = self._node("MatMul", query, key)
        scores = self._node("Div", scores, self._scalar(f"{name}.self.scale", float(np.sqrt(HIDDEN // HEADS))))
        scores = self._node("Add", scores, mask)
        context = self._node("MatMul", self._node("Softmax", scores, axis=-1), value)
        context = self._node("Transpose", context, perm=[0, 2, 1, 3])
        shape = self._weight(f"{name}.self.context_shape", np.array([0, 0, HIDDEN], dtype=np.int64))
        context = self._node("Reshape", context, shape)
        outer = self._linear(f"{name}.output.dense", context, HIDDEN, HIDDEN)
        return self._layer_norm(f"{name}.output.LayerNorm", self._node("Add", outer, hidden))

    def _split_heads(self, tensor: str, perm: list[int], folded: int) -> str:
        self._next += folded
        shape = self._constant(np.array([0, 0, HEADS, HIDDEN // HEADS], dtype=np.int64))
        return self._node("Transpose", self._node("Reshape", tensor, shape), perm=perm)

    def _head(self, hidden: str) -> None:
        first = self._node("Gather", hidden, self._constant(np.array(0, dtype=np.int64)), axis=1)
        pooled = self._node("Tanh", self._gemm("bert.pooler.dense", first, HIDDEN))
        self._gemm("classifier", pooled, LABELS, output="logits")

    def _linear(self, name: str, tensor: str, inputs: int, outputs: int) -> str:
        weight = self._uniform(f"{name}.weight", np.sqrt(3 / inputs), inputs, outputs)
        bias = self._weight(f"{name}.bias", self._numbers(0.1, outputs))
        return self._node("Add", self._node("MatMul", tensor, weight), bias)

    def _gemm(self, name: str, tensor: str, outputs: int, output: str = "") -> str:
        weight = self._uniform(f"{name}.weight", np.sqrt(3 / HIDDEN), outputs)
        bias = self._weight(f"{name}.bias", self._numbers(0.1, outputs))
        return self._node("Gemm", tensor, weight, bias, output=output, transB=1)

    def _layer_norm(self, name: str, tensor: str) -> str:
        centred = self._node("Sub", tensor, self._node("ReduceMean", tensor, axes=[-1]))
        squared = self._node("Pow", centred, self._scalar(f"{name}.exponent", 2.0))
        variance = self._node("ReduceMean", squared, axes=[-1])
        deviation = self._node("Sqrt", self._node("Add", variance, self._scalar(f"{name}.epsilon", 1e-5)))
        normal = self._node("Div", centred, deviation)
        scaled = self._node("Mul", normal, self._weight(f"{name}.weight", 1 + self._numbers(0.2, HIDDEN)))
        return self._node("Add", scaled, self._weight(f"{name}.bias", self._numbers(0.1, HIDDEN)))

    def _gelu(self, name: str, tensor: str) -> str:
        ratio = self._node("Div", tensor, self._scalar(f"{name}.gelu.sqrt_2", float(np.sqrt(2))))
        raised = self._node("Add", self._node("Erf", ratio), self._scalar(f"{name}.gelu.one", 1.0))
        product = self._node("Mul", tensor, raised)
        return self._node("Mul", product, self._scalar(f"{name}.gelu.half", 0.5))

    def _node(self, op: str, *inputs: str, output: str = "", **attributes: int | Sequence[int] | TensorProto) -> str:
        output = output or str(self._next)
        node = helper.make_node(op, inputs, [output], f"{op}_{self._next - FIRST_NUMBER}")
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._next += 1
        self._nodes.append(node)
        return output

    def _constant(self, values: npt.NDArray[np.int64]) -> str:
        return self._node("Constant", value=numpy_helper.from_array(values))

    def _scalar(self, name: str, value: float) -> str:
        return self._weight(name, np.array(value, dtype=np.float32))

    def _uniform(self, name: str, bound: float, rows: int, columns: int = HIDDEN) -> str:
        return self._weight(name, self._numbers(bound, rows, columns))

    def _numbers(self, bound: float, *shape: int) -> FloatArray:
        return np.asarray((2 * self._random.random_sample(shape) - 1) * bound, dtype=np.float32)

    def _weight(self, name: str, values: npt.NDArray[np.generic]) -> str:
        self._weights.append(numpy_helper.from_array(values, name))
        return name


def main(arguments: Sequence[str]) -> int:
    """Writes the model to the file that the arguments name."""
    if len(arguments) != 1:
        print("usage: python -m cutter_gui.onnx.sample FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_bytes(build_bert_small().SerializeToString(deterministic=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
