"""Random models and plans for property tests.

A `ModelSpec` says what a model is made of, in words of ONNX, so that a test can make from the same draw a core graph
(`ModelSpec.graph`) or a real model. Every tensor is float32 of shape [1 or 2, 4] but for the scalar `LIMIT` and the
bool scalar `CONDITION`; every node is valid ONNX, opset 18 or later:

- ``Neg``, ``Add``, ``Sum`` (1 to 3 inputs), ``Split`` in two along axis 0, ``Clip`` with an omitted lower bound;
- ``Constant`` without inputs;
- ``RandomUniform`` without inputs and ``RandomUniformLike``: volatile, to be written with a seed;
- ``If`` on `CONDITION`, whose bodies capture one or two tensors a, b and return (a + b, -a).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from cutter_gui.core import Cut, CutEdge, Graph, GraphBuilder, Plan, assign_stages

LIMIT = "limit"
CONDITION = "condition"
FLOAT, BOOL = 1, 9
WIDTH = 4


@dataclass(frozen=True)
class NodeSpec:
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    captures: tuple[str, ...] = ()
    name: str = ""

    @property
    def volatile(self) -> bool:
        return self.op.startswith("Random")

    @property
    def reads(self) -> set[str]:
        return {tensor for tensor in (*self.inputs, *self.captures) if tensor}


@dataclass(frozen=True)
class ModelSpec:
    """A model: names of inputs and initializers, nodes, names of outputs, and the first dimension of each tensor."""

    inputs: tuple[str, ...]
    initializers: tuple[str, ...]
    nodes: tuple[NodeSpec, ...]
    outputs: tuple[str, ...]
    rows: dict[str, int]

    def shape(self, tensor: str) -> tuple[int, ...]:
        return () if tensor in (LIMIT, CONDITION) else (self.rows[tensor], WIDTH)

    def graph(self) -> Graph:
        builder = GraphBuilder("onnx")
        for name in self.initializers:
            builder.add_initializer(name, {LIMIT: 4, CONDITION: 1}.get(name, 4 * WIDTH * self.rows.get(name, 0)))
        for name in self.inputs:
            builder.add_input(name)
        for node in self.nodes:
            builder.add_node(
                node.op, node.inputs, node.outputs, name=node.name, captures=node.captures, volatile=node.volatile
            )
        for name in self.outputs:
            builder.add_output(name)
        for name in self.rows:
            builder.set_type(name, BOOL if name == CONDITION else FLOAT, self.shape(name))
        return builder.build()


@st.composite
def models(
    draw: st.DrawFn,
    max_nodes: int = 10,
    repeated_outputs: bool = False,
    min_nodes: int = 1,
    connected: bool = False,
) -> ModelSpec:
    """Draws a model with at least one node, input, and output.

    Args:
        draw: Given by Hypothesis.
        max_nodes: The most nodes to draw.
        repeated_outputs: Whether a tensor may be listed as output twice.
        min_nodes: The fewest nodes to draw.
        connected: Whether each node reads what the one before it made, so that there is something to cut.
    """
    rows: dict[str, int] = {}
    inputs = [f"x{i}" for i in range(draw(st.integers(1, 3)))]
    initializers = [f"w{i}" for i in range(draw(st.integers(0, 2)))]
    for name in (*inputs, *initializers):
        rows[name] = draw(st.integers(1, 2))
    nodes: list[NodeSpec] = []
    special: list[str] = []
    for index in range(draw(st.integers(min_nodes, max_nodes))):
        node = draw(_nodes(tuple(rows), rows, index, connected and index > 0))
        for scalar in (LIMIT, CONDITION):
            if scalar in node.inputs and scalar not in special:
                special.append(scalar)
        nodes.append(node)
        halves = 1 if node.op == "Split" else max((rows[t] for t in node.reads if t in rows), default=2)
        rows.update(dict.fromkeys(node.outputs, halves))
    outputs = draw(st.lists(st.sampled_from(list(rows)), min_size=1, max_size=3, unique=not repeated_outputs))
    rows.update(dict.fromkeys(special, 0))
    return ModelSpec(tuple(inputs), (*initializers, *special), tuple(nodes), tuple(outputs), rows)


OPS = ("Add", "Neg", "Sum", "Add", "Split", "Clip", "If", "RandomUniformLike", "Constant", "RandomUniform")


@st.composite
def _nodes(draw: st.DrawFn, names: tuple[str, ...], rows: dict[str, int], index: int, connected: bool) -> NodeSpec:
    tensor = st.one_of(st.sampled_from(names[-4:]), st.sampled_from(names))
    first = names[-1] if connected else draw(tensor)
    op = draw(st.sampled_from(OPS[:-2] if connected else OPS))
    if op == "Split" and rows[first] == 1:
        op = "Neg"
    inputs: tuple[str, ...] = (first,)
    captures: tuple[str, ...] = ()
    outputs: tuple[str, ...] = (f"t{index}",)
    if op in ("Constant", "RandomUniform"):
        inputs = ()
    elif op == "Clip":
        inputs = (first, "", LIMIT)
    elif op == "Add":
        inputs = (first, draw(tensor))
    elif op == "Sum":
        inputs = (first, *draw(st.lists(tensor, max_size=2)))
    elif op == "If":
        captures = tuple(dict.fromkeys([first, draw(tensor)]))
        inputs = (CONDITION,)
    if op in ("If", "Split"):
        outputs = (f"t{index}", f"t{index}b")
    return NodeSpec(op, inputs, outputs, captures, draw(st.sampled_from(["", f"node {index}", "again"])))


@st.composite
def valid_plans(draw: st.DrawFn, graph: Graph, max_cuts: int = 4, constants: bool = True) -> Plan:
    """Draws a plan that is valid by construction, with as many stages as come out, often several.

    Every node gets a stage no lower than those before it; then each edge that crosses is listed in some of the cuts it
    crosses, chosen so that rule 3 gives each component the stage it was meant to have.

    Args:
        draw: Given by Hypothesis.
        graph: A graph without cycles.
        max_cuts: The most cuts to draw.
        constants: Whether edges that start or end at constants may be listed as well.
    """
    wanted = _wanted_stages(draw, graph, max_cuts)
    count = max(wanted.values(), default=0)
    crossing, within = _edges_by_stage(graph, wanted)
    component = _components(wanted, within)
    entered: dict[int, int] = {}
    left: dict[int, int] = {}
    for edge, source, target in draw(st.permutations(crossing)):
        entered.setdefault(component[target], edge)
        left.setdefault(component[source], edge)
    listed: list[tuple[int, int]] = []
    for edge, source, target in crossing:
        span = range(wanted[source], wanted[target])
        cuts = draw(st.sets(st.sampled_from(span), min_size=1))
        if entered[component[target]] == edge:
            cuts.add(span[-1])
        if component[source] not in entered and left[component[source]] == edge:
            cuts.add(span[0])
        listed.extend((cut, edge) for cut in cuts)
    free = [edge for edge in range(graph.edge_count) if not graph.edge_joins[edge]]
    for group in sorted({component[node] for node in wanted}):
        members = {node for node in wanted if component[node] == group}
        stage = wanted[min(members)]
        own = [edge for edge in free if int(graph.edge_consumer[edge]) in members]
        alone = group not in entered and group not in left
        for edge in own:
            if stage and alone and edge == own[0]:
                listed.append((stage - 1, edge))
            elif stage and constants and draw(st.integers(0, 3)) == 0:
                listed.append((stage - 1 if group not in entered else draw(st.integers(0, stage - 1)), edge))
    if constants and count:
        into = [edge for edge in free if graph.node_constant[graph.edge_consumer[edge]]]
        listed.extend((draw(st.integers(0, count - 1)), edge) for edge in into if draw(st.integers(0, 3)) == 0)
    transport = draw(st.sampled_from(["relay", "direct"]))
    return Plan(tuple(Cut(_entries(draw, graph, cut, listed)) for cut in range(count)), transport)


def _wanted_stages(draw: st.DrawFn, graph: Graph, max_cuts: int) -> dict[int, int]:
    """Draws a stage for each node that is not constant, so that none is empty and each can be had by a plan."""
    wanted: dict[int, int] = {}
    for node in graph.order.tolist():
        if graph.node_constant[node]:
            continue
        sources = [int(graph.tensor_producer[graph.edge_tensor[edge]]) for edge in graph.node_edges.row(node)]
        lowest = max((wanted[source] for source in sources if source in wanted), default=0)
        wanted[node] = min(lowest + draw(st.sampled_from([1, 0, 0, 1, 2])), max_cuts)
    crossing, within = _edges_by_stage(graph, wanted)
    component = _components(wanted, within)
    crossed = {component[end] for _, source, target in crossing for end in (source, target)}
    for group in set(component.values()) - crossed:
        members = [node for node in wanted if component[node] == group]
        if not any(len(graph.node_edges.row(node)) > _joining(graph, node) for node in members):
            wanted.update(dict.fromkeys(members, 0))
    dense = {stage: place for place, stage in enumerate(sorted(set(wanted.values())))}
    return {node: dense[stage] for node, stage in wanted.items()}


def _joining(graph: Graph, node: int) -> int:
    return int(graph.edge_joins[graph.node_edges.row(node)].sum())


def _edges_by_stage(
    graph: Graph, wanted: dict[int, int]
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """Returns (edge, producer, consumer) of the joining edges that cross and of those that do not."""
    crossing, within = [], []
    for edge in range(graph.edge_count):
        if graph.edge_joins[edge]:
            source, target = int(graph.tensor_producer[graph.edge_tensor[edge]]), int(graph.edge_consumer[edge])
            (crossing if wanted[source] < wanted[target] else within).append((edge, source, target))
    return crossing, within


def _components(wanted: dict[int, int], within: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """Returns for each node the lowest node that it hangs together with."""
    group = {node: node for node in wanted}
    for _ in wanted:
        for _, source, target in within:
            group[source] = group[target] = min(group[source], group[target])
    return group


def _entries(draw: st.DrawFn, graph: Graph, cut: int, listed: list[tuple[int, int]]) -> tuple[CutEdge, ...]:
    """Writes the edges of one cut as entries, whole tensors or consumers, in any order and under any output."""
    by_tensor: dict[int, list[int]] = {}
    for edge in draw(st.permutations(sorted({edge for at, edge in listed if at == cut}))):
        by_tensor.setdefault(int(graph.edge_tensor[edge]), []).append(edge)
    entries = []
    for tensor, edges in by_tensor.items():
        name = graph.tensor_names[tensor]
        if len(edges) == len(graph.edges_of(tensor)) and draw(st.booleans()):
            entries.append(CutEdge(name))
            continue
        consumers = [draw(st.sampled_from(_output_names(graph, int(graph.edge_consumer[edge])))) for edge in edges]
        half = draw(st.integers(0, len(consumers) - 1)) if draw(st.booleans()) else 0
        entries.extend(CutEdge(name, part) for part in (consumers[:half], consumers[half:]) if part)
    return tuple(entries)


def _output_names(graph: Graph, node: int) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in graph.node_outputs.row(node) if tensor >= 0]


@st.composite
def arbitrary_plans(draw: st.DrawFn, graph: Graph, max_cuts: int = 4, unknown: bool = True) -> Plan:
    """Draws cuts of any edges; with ``unknown``, now and then a name that does not exist or does not fit."""
    names = [*graph.tensor_names, *(["no such tensor"] if unknown else [])]
    cuts = []
    for _ in range(draw(st.integers(0, max_cuts))):
        entries = []
        for name in draw(st.lists(st.sampled_from(names), max_size=4)):
            tensor = graph.tensor_index.get(name)
            readers = (
                [] if tensor is None else [n for c in graph.consumers(tensor) for n in _output_names(graph, int(c))]
            )
            pool = [*readers, *(["no such node", *graph.tensor_names[:1]] if unknown and draw(st.booleans()) else [])]
            consumers = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3)) if pool else None
            entries.append(CutEdge(name, consumers if draw(st.booleans()) else None))
        cuts.append(Cut(tuple(entries)))
    return Plan(tuple(cuts), draw(st.sampled_from(["relay", "direct"])))


@st.composite
def damaged_plans(
    draw: st.DrawFn,
    graph: Graph,
    max_cuts: int = 4,
    damages: Sequence[str] = ("exchange", "drop", "move", "add", "twice"),
) -> Plan:
    """Draws a valid plan and damages it once or twice.

    Args:
        draw: Given by Hypothesis.
        graph: A graph without cycles.
        max_cuts: The most cuts to draw.
        damages: Which damages to draw from: exchange two cuts, drop an entry, move one to another cut, add a cut
            without edges, put a cut in twice.
    """
    plan = draw(valid_plans(graph, max_cuts))
    cuts = list(plan.cuts)
    for damage in draw(st.lists(st.sampled_from(damages), min_size=1, max_size=2)):
        filled = [index for index, cut in enumerate(cuts) if cut.edges]
        if damage == "add" or not filled:
            cuts.insert(draw(st.integers(0, len(cuts))), Cut())
        elif damage == "exchange":
            first, second = draw(st.permutations(range(len(cuts))))[:2] if len(cuts) > 1 else (0, 0)
            cuts[first], cuts[second] = cuts[second], cuts[first]
        elif damage == "twice":
            index = draw(st.sampled_from(filled))
            cuts.insert(index, cuts[index])
        else:
            index = draw(st.sampled_from(filled))
            at = draw(st.integers(0, len(cuts[index].edges) - 1))
            entry = cuts[index].edges[at]
            cuts[index] = Cut(cuts[index].edges[:at] + cuts[index].edges[at + 1 :])
            if damage == "move":
                target = draw(st.integers(0, len(cuts) - 1))
                cuts[target] = Cut((*cuts[target].edges, entry))
    return Plan(tuple(cuts[: max_cuts + 1]), plan.transport)


@st.composite
def careless_plans(draw: st.DrawFn, graph: Graph, max_cuts: int = 2) -> Plan:
    """Draws cuts of one or two tensors that nodes make and read, without a thought for what else joins those."""
    joining = sorted({int(graph.edge_tensor[edge]) for edge in range(graph.edge_count) if graph.edge_joins[edge]})
    if not joining:
        return Plan()
    tensors = st.lists(st.sampled_from(joining), min_size=1, max_size=2, unique=True)
    cuts = draw(st.lists(tensors, min_size=1, max_size=max_cuts))
    return Plan(tuple(Cut(tuple(CutEdge(graph.tensor_names[tensor]) for tensor in cut)) for cut in cuts))


def plans(graph: Graph, max_cuts: int = 4) -> st.SearchStrategy[Plan]:
    """Draws plans of every kind: valid, damaged, arbitrary."""
    return st.one_of(valid_plans(graph, max_cuts), damaged_plans(graph, max_cuts), arbitrary_plans(graph, max_cuts))


@st.composite
def valid_cases(
    draw: st.DrawFn, max_nodes: int = 10, max_cuts: int = 4, connected: bool = False
) -> tuple[ModelSpec, Plan]:
    """Draws a model and a valid plan for it."""
    model = draw(models(max_nodes, connected=connected, min_nodes=max_nodes // 2 if connected else 1))
    return model, draw(valid_plans(model.graph(), max_cuts))


@st.composite
def invalid_cases(
    draw: st.DrawFn, max_nodes: int = 10, max_cuts: int = 4, connected: bool = False
) -> tuple[ModelSpec, Plan]:
    """Draws a model and a plan that `assign_stages` finds invalid."""
    model = draw(models(max_nodes, connected=connected, min_nodes=max_nodes // 2 if connected else 1))
    graph = model.graph()
    plan = draw(
        st.one_of(damaged_plans(graph, max_cuts), arbitrary_plans(graph, max_cuts)).filter(
            lambda plan: not assign_stages(graph, plan).is_valid
        )
    )
    return model, plan
