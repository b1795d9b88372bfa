"""Random ONNX models that onnxruntime runs, for property tests.

Every tensor is [rows, 2 or 4], where rows is 2, 1, or a symbol that all inputs share, or a scalar; so any two of one
type and width can be added. What occurs: tensors read often, nodes with two outputs (``Split``, ``TopK``), omitted
inputs and outputs (``Clip``, ``Resize``, ``Dropout``), constants and chains of them, ``If`` and ``Loop`` bodies that
read outer tensors, weights above and below the size that stays inline, weights that may be overridden, seeded random
nodes, five element types, nodes without names and with one name, types that are not written down, nodes in no order,
outputs that are inputs, weights or read by others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

FLOAT, DOUBLE, INT64, INT32, BOOL = (
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.INT64,
    TensorProto.INT32,
    TensorProto.BOOL,
)
NUMBERS = (FLOAT, FLOAT, FLOAT, DOUBLE, INT64, INT32)
ROWS = 2
WIDE = 300

Kind = tuple[int, int]
"""Element type and width of a tensor; width 0 is a scalar."""


@dataclass
class _Draft:
    """A model in the making."""

    draw: st.DrawFn
    rows: int | str
    kinds: dict[str, Kind] = field(default_factory=dict)
    nodes: list[NodeProto] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    weights: list[TensorProto] = field(default_factory=list)
    listed_weights: list[str] = field(default_factory=list)
    rows_of: dict[str, int | str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    repeats_node_names: bool = False

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def fresh(self) -> str:
        style = self.pick("{}", "t{}", "block/{}/out", "t{}:0", "größe {}")
        name = style.format(len(self.names) + 100)
        self.names.add(name)
        return name

    def declare(self, kind: Kind, rows: int | str | None = None) -> str:
        name = self.fresh()
        self.kinds[name] = kind
        self.rows_of[name] = self.rows if rows is None else rows
        return name

    def tensor(self, dtype: int | None = None, width: int | None = None) -> str | None:
        """Picks a tensor made so far, often one of the newest; None when none fits."""
        fitting = [
            name
            for name, (own_dtype, own_width) in self.kinds.items()
            if (own_dtype == dtype if dtype is not None else own_dtype != BOOL)
            and (own_width == width if width is not None else own_width > 0)
        ]
        if not fitting:
            return None
        return self.draw(st.one_of(st.sampled_from(fitting[-3:]), st.sampled_from(fitting)))

    def node(self, op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        name = self.pick("", f"node {len(self.nodes)}", "again" if self.repeats_node_names else "")
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, **attributes))

    def weight(self, array: np.ndarray) -> str:
        """Adds an initializer, or takes one with the same content that is there."""
        for tensor in self.weights:
            if list(tensor.dims) == list(array.shape) and self.pick(True, False):
                held = numpy_helper.to_array(tensor)
                if held.dtype == array.dtype and np.array_equal(held, array):
                    return tensor.name
        name = self.fresh()
        tensor = numpy_helper.from_array(array, name)
        if array.dtype == np.float32 and self.pick(True, False):
            tensor.ClearField("raw_data")
            tensor.float_data.extend(array.ravel().tolist())
        self.weights.append(tensor)
        if self.pick(True, False, False):
            self.listed_weights.append(name)
        return name

    def value(self, name: str, rows: int | str | None = None) -> ValueInfoProto:
        dtype, width = self.kinds[name]
        return helper.make_tensor_value_info(name, dtype, [rows or self.rows_of[name], width] if width else [])

    def first_rows(self, *names: str) -> int | str:
        """Rows of what is made of these tensors together."""
        return next((self.rows_of[name] for name in names if self.rows_of[name] != 1), 1)


def _numbers(draw: st.DrawFn, count: int, dtype: int) -> np.ndarray:
    values = draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    scale = 0.37 if dtype in (FLOAT, DOUBLE) else 1
    return (np.asarray(values) * scale).astype(helper.tensor_dtype_to_np_dtype(dtype))


def _wide(draw: st.DrawFn, rows: int, columns: int) -> np.ndarray:
    seed = draw(st.integers(0, 3))
    return np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32) / 10


def _arithmetic(d: _Draft) -> None:
    left = d.tensor()
    if left is None:
        return
    kind = d.kinds[left]
    right = d.tensor(*kind)
    if d.pick(True, False, False):
        right = d.weight(_numbers(d.draw, kind[1], kind[0]).reshape(1, kind[1]))
        d.kinds[right], d.rows_of[right] = kind, 1
    assert right is not None
    d.node(d.pick("Add", "Mul", "Sub"), [left, right], [d.declare(kind, d.first_rows(left, right))])


def _unary(d: _Draft) -> None:
    source = d.tensor()
    if source is not None:
        d.node(d.pick("Neg", "Identity", "Abs"), [source], [d.declare(d.kinds[source], d.rows_of[source])])


def _sum(d: _Draft) -> None:
    first = d.tensor(FLOAT)
    if first is not None:
        others = [d.tensor(*d.kinds[first]) for _ in range(d.pick(0, 1, 2))]
        read = [first, *(name for name in others if name is not None)]
        d.node(d.pick("Sum", "Max"), read, [d.declare(d.kinds[first], d.first_rows(*read))])


def _cast(d: _Draft) -> None:
    source = d.tensor()
    if source is not None:
        dtype = d.pick(*NUMBERS)
        d.node("Cast", [source], [d.declare((dtype, d.kinds[source][1]), d.rows_of[source])], to=dtype)


def _split(d: _Draft) -> None:
    source = d.tensor(width=4)
    if source is not None:
        half = (d.kinds[source][0], 2)
        left, right = d.declare(half, d.rows_of[source]), d.declare(half, d.rows_of[source])
        sizes = d.weight(np.asarray([2, 2], np.int64))
        d.node("Split", [source, sizes], [left, right], axis=1)


def _concat(d: _Draft) -> None:
    left = d.tensor(width=2)
    if left is None:
        return
    dtype = d.kinds[left][0]
    fitting = [n for n, kind in d.kinds.items() if kind == (dtype, 2) and d.rows_of[n] == d.rows_of[left]]
    right = d.pick(*fitting)
    d.node("Concat", [left, right], [d.declare((dtype, 4), d.rows_of[left])], axis=1)


def _top_k(d: _Draft) -> None:
    source = d.tensor(FLOAT, 4)
    if source is not None:
        rows = d.rows_of[source]
        count = d.weight(np.asarray([2], np.int64))
        d.node("TopK", [source, count], [d.declare((FLOAT, 2), rows), d.declare((INT64, 2), rows)], axis=1)


def _clip(d: _Draft) -> None:
    source = d.tensor(FLOAT)
    if source is not None:
        limit = d.weight(np.asarray(0.5, np.float32))
        given = ["", limit] if d.pick(True, False) else [limit, ""]
        d.node("Clip", [source, *given], [d.declare(d.kinds[source], d.rows_of[source])])


def _resize(d: _Draft) -> None:
    source = d.tensor(FLOAT)
    if source is not None:
        scales = d.weight(np.asarray([1.0, 1.0], np.float32))
        d.node("Resize", [source, "", scales], [d.declare(d.kinds[source], d.rows_of[source])], mode="nearest")


def _dropout(d: _Draft) -> None:
    source = d.tensor(FLOAT)
    if source is None:
        return
    kept = d.declare(d.kinds[source], d.rows_of[source])
    form = d.pick("one", "omitted", "mask")
    mask = {"one": [], "omitted": [""]}.get(form)
    if mask is None:
        mask = [d.declare((BOOL, d.kinds[source][1]), d.rows_of[source])]
    d.node("Dropout", [source], [kept, *mask])


def _compare(d: _Draft) -> None:
    left = d.tensor(FLOAT)
    if left is not None:
        right = d.tensor(*d.kinds[left])
        assert right is not None
        d.node("Greater", [left, right], [d.declare((BOOL, d.kinds[left][1]), d.first_rows(left, right))])


def _where(d: _Draft) -> None:
    condition = d.tensor(BOOL)
    if condition is None:
        return
    left = d.tensor(FLOAT, d.kinds[condition][1])
    right = d.tensor(FLOAT, d.kinds[condition][1])
    if left is not None and right is not None:
        rows = d.first_rows(condition, left, right)
        d.node("Where", [condition, left, right], [d.declare(d.kinds[left], rows)])


def _constant(d: _Draft) -> None:
    kind = (d.pick(*NUMBERS), 4)
    made = d.declare(kind, 1)
    d.node("Constant", [], [made], value=numpy_helper.from_array(_numbers(d.draw, 4, kind[0]).reshape(1, 4)))
    if d.pick(True, False):
        source, made = made, d.declare(kind, 1)
        d.node("Neg", [source], [made])
        d.node("Add", [source, made], [d.declare(kind, 1)])


def _weight_read_only(d: _Draft) -> None:
    dtype = d.pick(*NUMBERS)
    name = d.weight(_numbers(d.draw, 4, dtype).reshape(1, 4))
    d.kinds[name], d.rows_of[name] = (dtype, 4), 1


def _wide_product(d: _Draft) -> None:
    source = d.tensor(FLOAT, 4)
    if source is not None:
        inner, made = d.fresh(), d.declare((FLOAT, 4), d.rows_of[source])
        d.node("MatMul", [source, d.weight(_wide(d.draw, 4, WIDE))], [inner])
        d.node("MatMul", [inner, d.weight(_wide(d.draw, WIDE, 4))], [made])


def _seeded_random(d: _Draft) -> None:
    source = d.tensor(FLOAT)
    if source is not None:
        made = d.declare(d.kinds[source], d.rows_of[source])
        d.node("RandomUniformLike", [source], [made], seed=float(d.draw(st.integers(1, 9))))


def _condition(d: _Draft) -> str | None:
    """Makes a bool scalar out of a tensor."""
    source = d.tensor(FLOAT)
    if source is None:
        return None
    total, verdict = d.fresh(), d.fresh()
    d.node("ReduceSum", [source], [total], keepdims=0)
    d.node("Greater", [total, d.weight(np.asarray(0.1, np.float32))], [verdict])
    return verdict


def _if(d: _Draft) -> None:
    condition = d.weight(np.asarray(True)) if d.pick(True, False, False) else _condition(d)
    first = d.tensor(FLOAT)
    if condition is None or first is None:
        return
    kind = d.kinds[first]
    second = d.tensor(*kind)
    assert second is not None
    rows = d.first_rows(first, second)
    made = d.declare(kind, rows)
    branches = []
    for op, read in (("Add", [first, second]), ("Mul", [second, first])):
        result = d.fresh()
        nodes = [helper.make_node(op, read, [result])]
        branches.append(helper.make_graph(nodes, op, [], [helper.make_tensor_value_info(result, kind[0], None)]))
    if d.pick(True, False):
        branches[0] = _nested(d, condition, branches[0], kind)
    d.node("If", [condition], [made], then_branch=branches[0], else_branch=branches[1])


def _nested(d: _Draft, condition: str, body: GraphProto, kind: Kind) -> GraphProto:
    """Wraps a body in one more If, so that what it captures is captured at depth two."""
    result = d.fresh()
    other = GraphProto()
    other.CopyFrom(body)
    renamed = d.fresh()
    other.node[-1].output[0] = other.output[0].name = renamed
    node = helper.make_node("If", [condition], [result], then_branch=body, else_branch=other)
    return helper.make_graph([node], "nested", [], [helper.make_tensor_value_info(result, kind[0], None)])


def _loop(d: _Draft) -> None:
    start = d.tensor(FLOAT)
    if start is None:
        return
    kind = d.kinds[start]
    fitting = [n for n, own in d.kinds.items() if own == kind and d.rows_of[n] in (1, d.rows_of[start])]
    captured = d.pick(*fitting)
    count, going, state, kept, result = (d.fresh() for _ in range(5))
    body = helper.make_graph(
        [helper.make_node("Identity", [going], [kept]), helper.make_node("Add", [state, captured], [result])],
        "body",
        [
            helper.make_tensor_value_info(count, INT64, []),
            helper.make_tensor_value_info(going, BOOL, []),
            helper.make_tensor_value_info(state, kind[0], None),
        ],
        [helper.make_tensor_value_info(kept, BOOL, []), helper.make_tensor_value_info(result, kind[0], None)],
    )
    trips = d.weight(np.asarray(2, np.int64))
    d.node("Loop", [trips, "", start], [d.declare(kind, d.rows_of[start])], body=body)


_STEPS = (
    (_arithmetic, 4),
    (_unary, 2),
    (_sum, 2),
    (_cast, 2),
    (_split, 3),
    (_concat, 1),
    (_top_k, 2),
    (_clip, 1),
    (_resize, 1),
    (_dropout, 1),
    (_compare, 1),
    (_where, 1),
    (_constant, 2),
    (_weight_read_only, 1),
    (_wide_product, 2),
    (_seeded_random, 1),
    (_if, 2),
    (_loop, 1),
)
_WEIGHTED = tuple(step for step, weight in _STEPS for _ in range(weight))


@st.composite
def runnable_models(draw: st.DrawFn, max_steps: int = 12) -> ModelProto:
    """Draws a model with at least one node; a step is one node or a few that belong together."""
    d = _Draft(draw, draw(st.sampled_from([ROWS, ROWS, "n"])))
    d.repeats_node_names = draw(st.integers(0, 4)) == 0
    for _ in range(draw(st.integers(1, 3))):
        d.inputs.append(d.declare((draw(st.sampled_from(NUMBERS)), draw(st.sampled_from([4, 4, 2])))))
    for step in draw(st.lists(st.sampled_from(_WEIGHTED), min_size=3, max_size=max_steps)):
        step(d)
    if not d.nodes:
        _unary(d)
    outputs = draw(st.lists(st.sampled_from(list(d.kinds)), min_size=1, max_size=4, unique=True))
    # Mostly the last tensor made is wanted too: a model whose outputs come early is cut only at its start.
    outputs = list(dict.fromkeys([*outputs, list(d.kinds)[-1]]))
    nodes = draw(st.permutations(d.nodes)) if draw(st.integers(0, 5)) == 0 else d.nodes
    held = {tensor.name for tensor in d.weights}
    inside = [name for name in d.kinds if name not in held and name not in d.inputs and name not in outputs]
    told = draw(st.lists(st.sampled_from(inside), unique=True)) if inside else []
    listed = [
        helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
        for tensor in d.weights
        if tensor.name in d.listed_weights
    ]
    graph = helper.make_graph(
        nodes,
        "random",
        [*(d.value(name) for name in d.inputs), *listed],
        [
            helper.make_tensor_value_info(name, d.kinds[name][0], None) if name not in held else d.value(name)
            for name in outputs
        ],
        d.weights,
        value_info=[d.value(name) for name in told],
    )
    opset = draw(st.sampled_from([13, 17, 21]))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def feeds_for(model: ModelProto, seed: int = 0) -> dict[str, np.ndarray]:
    """Returns inputs for a drawn model."""
    generator = np.random.default_rng(seed)
    held = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in held:
            continue
        shape = [dim.dim_value or ROWS for dim in value.type.tensor_type.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        feeds[value.name] = (generator.standard_normal(shape) * 3).astype(dtype)
    return feeds
