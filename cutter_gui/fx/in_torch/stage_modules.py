"""Stages as graph modules: what each holds is lifted out of a program's module.

Terms: a *stage module* takes the stage's own model inputs, then what it receives, and returns a flat tuple of what it
sends, then its model outputs, each in the manifest's order (DESIGN, section 4).

Steps, for each stage: placeholders; the weights it reads, as ``get_attr`` nodes on a holder module that has those only;
its nodes in the order of the program, under their own names; the updates of buffers whose new value is made here; the
output. A weight that several stages read is in each of them, as the same tensor.

Complexity: linear in the nodes and weights of all stages together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx, nn

from cutter_gui.core.contents import StageContents
from cutter_gui.core.graph import Graph
from cutter_gui.core.stages import Staging
from cutter_gui.fx.in_torch.program import (
    HeldWeight,
    Program,
    copied,
    get_by_path,
    mark_temporary,
    named_node,
    named_placeholder,
    set_by_path,
)


@dataclass(frozen=True, eq=False)
class StageModule:
    """A stage that runs.

    Attributes:
        index: Its number.
        module: The graph module; its placeholders and outputs are as the manifest lists them.
        inputs: Names of the model inputs it takes.
        receives: Names of the values it receives, after the inputs.
        sends: Names of the values it sends; one that goes to two stages is listed twice.
        outputs: Names of the model outputs it returns, after what it sends.
        weights: The weights it holds.
    """

    index: int
    module: fx.GraphModule
    inputs: tuple[str, ...]
    receives: tuple[str, ...]
    sends: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: tuple[HeldWeight, ...]

    @property
    def returned(self) -> tuple[str, ...]:
        return (*self.sends, *self.outputs)


def cut_program(program: Program, staging: Staging, stages: Sequence[StageContents]) -> list[StageModule]:
    """Returns the stage modules.

    Args:
        program: The program.
        staging: Stages of the graph that was made from it.
        stages: What each holds (`cutter_gui.core.contents.stage_contents`).
    """
    cutter = _Cutter(program, staging.graph)
    return [cutter.stage(contents) for contents in stages]


class _Cutter:
    """Builds stages of one program."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self._program = program
        self._graph = graph
        self._nodes = {node.name: node for node in program.module.graph.nodes}
        self._position = {name: position for position, name in enumerate(self._nodes)}
        self._by_name = {weight.name: weight for weight in program.weights.values()}
        self._readers: dict[str, list[fx.Node]] = {}  # get_attr nodes of each weight, by target
        for node in program.module.graph.nodes:
            if node.op == "get_attr" and str(node.target) in program.weights:
                self._readers.setdefault(str(node.target), []).append(node)

    def stage(self, contents: StageContents) -> StageModule:
        names = self._graph.tensor_names
        inputs = tuple(names[int(tensor)] for tensor in contents.inputs)
        receives = tuple(names[tensor] for move in contents.receives for tensor in move.tensors)
        sends = tuple(names[tensor] for move in contents.sends for tensor in move.tensors)
        outputs = tuple(dict.fromkeys(names[int(tensor)] for tensor in contents.outputs))
        graph, root = fx.Graph(), nn.Module()
        mapped: dict[fx.Node, fx.Node] = {}
        for name in (*inputs, *receives):
            mapped[self._nodes[name]] = named_placeholder(graph, name, self._nodes[name].meta)
        own = sorted(
            (self._nodes[self._graph.node_names[int(node)]] for node in contents.nodes),
            key=lambda node: self._position[node.name],
        )
        updates = self._updates(own)
        held = self._weights(contents, own, updates)
        made = {weight.target: self._add_weight(graph, root, weight, mapped) for weight in held}
        for node in own:
            if node.op in ("call_module", "get_attr"):
                kind = "constant" if node.op == "get_attr" else "module"
                set_by_path(root, str(node.target), get_by_path(self._program.module, str(node.target)), kind)
            mapped[node] = copied(graph, node, mapped)
        for value, target in updates:
            place = made[target] if target in made else mapped[self._nodes[target]]
            args = (place, mapped[self._nodes[value]])
            named_node(graph, "call_function", torch.ops.aten.copy_.default, args, {}, f"update_{value}", place.meta)
        returned = []
        for name in (*sends, *outputs):
            weight = self._by_name.get(name)
            returned.append(made[weight.target] if weight is not None else mapped[self._nodes[name]])
        graph.output(tuple(returned)).meta["val"] = tuple(node.meta.get("val") for node in returned)
        module = fx.GraphModule(root, graph, f"Stage{contents.index}")
        module.training = self._program.module.training
        mark_temporary(module, (weight.target for weight in held if weight.kind == "temporary"))
        graph.lint()
        return StageModule(contents.index, module, inputs, receives, sends, outputs, tuple(held))

    def _updates(self, own: Sequence[fx.Node]) -> list[tuple[str, str]]:
        """The program's updates whose new value is made by one of the given nodes."""
        names = {node.name for node in own}
        return [(value, target) for value, target in self._program.updates if value in names]

    def _weights(
        self, contents: StageContents, own: Sequence[fx.Node], updates: Sequence[tuple[str, str]]
    ) -> list[HeldWeight]:
        """The weights that a stage reads by nodes of their own; those within modules come with the module."""
        wanted = dict.fromkeys(self._targets(own))
        wanted.update(dict.fromkeys(target for _, target in updates if target in self._program.weights))
        for tensor in contents.outputs:
            weight = self._by_name.get(self._graph.tensor_names[int(tensor)])
            if weight is not None:
                wanted[weight.target] = None
        return [weight for target, weight in self._program.weights.items() if target in wanted]

    def _targets(self, own: Sequence[fx.Node]) -> Iterator[str]:
        for node in own:
            for source in node.all_input_nodes:
                if source.op == "get_attr" and str(source.target) in self._program.weights:
                    yield str(source.target)

    def _add_weight(
        self, graph: fx.Graph, root: nn.Module, weight: HeldWeight, mapped: dict[fx.Node, fx.Node]
    ) -> fx.Node:
        value: Any = get_by_path(self._program.module, weight.target)
        set_by_path(root, weight.target, value, weight.kind)
        readers = self._readers.get(weight.target, [])
        meta = readers[0].meta if readers else {}
        made = named_node(graph, "get_attr", weight.target, (), {}, weight.placeholder, meta)
        mapped.update(dict.fromkeys(readers, made))
        return made
