"""Which ONNX nodes are random, mutate state, or communicate; they are never constant (DESIGN, section 1)."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import FunctionProto, GraphProto, NodeProto

from cutter_gui.onnx.bodies import bodies

MICROSOFT = "com.microsoft"

_RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Multinomial",
    "Bernoulli",
}
_MICROSOFT_STATEFUL = {
    "Send",
    "Recv",
    "BiasDropout",
    "BitmaskDropout",
    "BitmaskBiasDropout",
    "DropoutGrad",
    "BitmaskDropoutGrad",
    "RecordEvent",
    "WaitEvent",
    "YieldOp",
    "AllReduce",
    "AllGather",
    "AllToAll",
    "NcclAllReduce",
    "NcclAllGather",
    "NcclReduceScatter",
    "AdamOptimizer",
    "AdamWOptimizer",
    "LambOptimizer",
    "SGDOptimizer",
    "SGDOptimizerV2",
    "InPlaceAccumulator",
    "InPlaceAccumulatorV2",
    "Sampling",
    "PythonOp",
    "PythonOpGrad",
    "ATen",
}

FunctionKey = tuple[str, str, str]


def function_key(function: FunctionProto) -> FunctionKey:
    return (normal_domain(function.domain), function.name, getattr(function, "overload", ""))


def called_key(node: NodeProto) -> FunctionKey:
    """Returns the key of the function a node would call."""
    return (normal_domain(node.domain), node.op_type, getattr(node, "overload", ""))


def normal_domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def volatile_functions(functions: Mapping[FunctionKey, FunctionProto]) -> set[FunctionKey]:
    """Returns the model-local functions that run a volatile node, directly or through others."""
    found: set[FunctionKey] = set()
    while True:
        more = {
            key
            for key, function in functions.items()
            if key not in found and any(is_volatile(node, found) for node in function.node)
        }
        if not more:
            return found
        found |= more


def is_volatile(node: NodeProto, functions: set[FunctionKey]) -> bool:
    """Whether a node is volatile, given the volatile model-local functions."""
    domain = normal_domain(node.domain)
    if called_key(node) in functions:
        return True
    if domain == "" and (node.op_type in _RANDOM or (node.op_type == "Dropout" and _may_train(node))):
        return True
    if domain == MICROSOFT and node.op_type in _MICROSOFT_STATEFUL:
        return True
    if domain in ("ai.onnx.training", "ai.onnx.preview.training"):
        return True
    return any(_body_is_volatile(body, functions) for body in bodies(node))


def _may_train(node: NodeProto) -> bool:
    """Dropout is random only with a ``training_mode`` input (opset 12 and later)."""
    return len(node.input) > 2 and bool(node.input[2])


def _body_is_volatile(body: GraphProto, functions: set[FunctionKey]) -> bool:
    return any(is_volatile(node, functions) for node in body.node)
