"""Nodes and seeded weights of small own models, collected in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

FloatArray = npt.NDArray[np.float32]


class SampleParts:
    """Collects the nodes and weights of a model; each node is named after its output."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        # Unlike numpy's newer generators, the legacy one promises the same numbers in every release.
        self._random = np.random.RandomState(seed)

    def node(self, op: str, output: str, *inputs: str, **attributes: int | float | Sequence[int] | GraphProto) -> str:
        """Adds a node with one output and returns the name of that."""
        made = helper.make_node(op, inputs, [output], output)
        made.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(made)
        return output

    def numbers(self, bound: float, *shape: int) -> FloatArray:
        """Returns random float32 numbers between ``-bound`` and ``bound``."""
        return np.asarray((2 * self._random.random_sample(shape) - 1) * bound, dtype=np.float32)

    def weight(self, name: str, values: npt.NDArray[np.generic]) -> str:
        """Adds an initializer and returns its name."""
        self.weights.append(numpy_helper.from_array(values, name))
        return name
