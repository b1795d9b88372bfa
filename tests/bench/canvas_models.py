"""ONNX models for the benches of layout and canvas, of about a number of nodes, without weights worth mentioning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

_OPSET = 17
_WIDTH = 8


class _Writer:
    """Collects nodes; every output is named after its node."""

    def __init__(self, *inputs: str) -> None:
        self.inputs = inputs
        self.nodes: list[object] = []
        self.weights: list[object] = []

    def node(self, op: str, inputs: list[str], output: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def weight(self, name: str, values: list[int] | list[float]) -> str:
        kind = TensorProto.INT64 if all(isinstance(value, int) for value in values) else TensorProto.FLOAT
        self.weights.append(helper.make_tensor(name, kind, [len(values)], values))
        return name

    def save(self, path: Path, outputs: list[str]) -> None:
        graph = helper.make_graph(
            self.nodes,
            path.stem,
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", _WIDTH]) for name in self.inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
        path.write_bytes(model.SerializeToString())


def write_transformer(path: Path, count: int, *, hub: bool = True) -> None:
    """Writes a decoder of about ``count`` nodes; a mask and two rotary tables feed every layer where ``hub``."""
    made = _Writer("x", "mask", "angles")
    scale, bias = made.weight("scale", [0.5] * _WIDTH), made.weight("bias", [0.5] * _WIDTH)
    mask, cos, sin = (made.node(op, [of], name) for op, of, name in _TABLES)
    value, layer = "x", 0
    while len(made.nodes) < count:
        at = f"layers.{layer}"
        normed = _norm(made, value, f"{at}/norm1", scale, bias)
        heads = {}
        for part in ("q", "k", "v"):
            flat = made.node("Mul", [normed, scale], f"{at}/attention/{part}/matmul")
            heads[part] = made.node("Add", [flat, bias], f"{at}/attention/{part}/add")
        for part in ("q", "k"):
            whole, turn = heads[part], f"{at}/attention/{part}/rotary"
            straight = made.node("Mul", [whole, cos], f"{turn}/cos") if hub else made.node("Abs", [whole], f"{turn}/c")
            flipped = made.node("Neg", [whole], f"{turn}/neg")
            turned = (
                made.node("Mul", [flipped, sin], f"{turn}/sin") if hub else made.node("Abs", [flipped], f"{turn}/s")
            )
            heads[part] = made.node("Add", [straight, turned], f"{turn}/add")
        scores = made.node("Mul", [heads["q"], heads["k"]], f"{at}/attention/scores")
        scores = made.node("Add", [scores, mask], f"{at}/attention/masked") if hub else scores
        soft = made.node("Softmax", [scores], f"{at}/attention/softmax")
        context = made.node("Mul", [soft, heads["v"]], f"{at}/attention/context")
        value = made.node("Add", [made.node("Mul", [context, scale], f"{at}/attention/out"), value], f"{at}/residual1")
        normed = _norm(made, value, f"{at}/norm2", scale, bias)
        gate = made.node("Sigmoid", [made.node("Mul", [normed, scale], f"{at}/mlp/gate")], f"{at}/mlp/act")
        up = made.node("Mul", [normed, bias], f"{at}/mlp/up")
        down = made.node("Mul", [made.node("Mul", [gate, up], f"{at}/mlp/mul"), scale], f"{at}/mlp/down")
        value = made.node("Add", [down, value], f"{at}/residual2")
        layer += 1
    made.save(path, [value])


_TABLES = (("Identity", "mask", "attention_mask"), ("Cos", "angles", "rotary_cos"), ("Sin", "angles", "rotary_sin"))


def _norm(made: _Writer, value: str, at: str, scale: str, bias: str) -> str:
    mean = made.node("ReduceMean", [value], f"{at}/mean", axes=[-1])
    apart = made.node("Sub", [value, mean], f"{at}/sub")
    square = made.node("ReduceMean", [made.node("Mul", [apart, apart], f"{at}/pow")], f"{at}/var", axes=[-1])
    normal = made.node("Div", [apart, made.node("Sqrt", [square], f"{at}/sqrt")], f"{at}/div")
    return made.node("Add", [made.node("Mul", [normal, scale], f"{at}/mul"), bias], f"{at}/add")


def write_convolutions(path: Path, count: int) -> None:
    """Writes a network of about ``count`` nodes: residual blocks, and in every fourth place four branches joined."""
    made = _Writer("x")
    value, block = "x", 0
    while len(made.nodes) < count:
        at = f"stage{block // 16}.{block % 16}"
        if block % 4 == 3:
            branches = []
            for branch in range(4):
                inner = value
                for step in range(1 + branch):
                    inner = _convolution(made, inner, f"{at}/branch{branch}/{step}")
                branches.append(inner)
            joined = made.node("Concat", branches, f"{at}/concat", axis=0)
            value = made.node("ReduceMax", [joined], f"{at}/max", axes=[0])
        else:
            inner = _convolution(made, _convolution(made, value, f"{at}/conv1"), f"{at}/conv2")
            value = made.node("Relu", [made.node("Add", [inner, value], f"{at}/add")], f"{at}/relu")
        block += 1
    made.save(path, [value])


def _convolution(made: _Writer, value: str, at: str) -> str:
    conv = made.node("Abs", [value], f"{at}/conv")
    return made.node("Relu", [made.node("Floor", [conv], f"{at}/bn")], f"{at}/relu")


def write_random(path: Path, count: int, width: int = 12, seed: int = 0) -> None:
    """Writes layers of ``width`` nodes, each of which reads one to three values of the four layers before."""
    made = _Writer("x")
    random = np.random.default_rng(seed)
    layers = [["x"]]
    read: set[str] = set()
    while len(made.nodes) < count:
        near = [name for layer in layers[-4:] for name in layer]
        latest = layers[-1]
        fresh = []
        for at in range(width):
            chosen = [latest[int(random.integers(len(latest)))]]
            others = random.integers(len(near), size=int(random.integers(0, 3)))
            chosen += [near[other] for other in others.tolist() if near[other] not in chosen]
            read.update(chosen)
            fresh.append(made.node("Sum", list(dict.fromkeys(chosen)), f"layer{len(layers)}/sum{at}"))
        layers.append(fresh)
    made.save(path, [name for layer in layers[1:] for name in layer if name not in read])


def write_chain(path: Path, count: int) -> None:
    """Writes one node after the other."""
    made = _Writer("x")
    value = "x"
    for number in range(count):
        value = made.node("Relu", [value], f"relu{number}")
    made.save(path, [value])


def write_fan(path: Path, count: int) -> None:
    """Writes one node whose value ``count`` nodes read."""
    made = _Writer("x")
    source = made.node("Relu", ["x"], "source")
    made.save(path, [made.node("Neg", [source], f"reader{number}") for number in range(count)])


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "transformer": write_transformer,
    "cnn": write_convolutions,
    "random": write_random,
    "chain": write_chain,
    "fan": write_fan,
}


if __name__ == "__main__":
    WRITERS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
