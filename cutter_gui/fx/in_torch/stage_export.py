"""A stage as an exported program, put together rather than traced again, so that every operator stays.

Steps: (1) weights become placeholders, and so do the elements of a tuple that is received; (2) the stage's nodes are
copied with the FakeTensors that the program has of them, which keeps symbolic sizes; (3) tuples that are sent are taken
apart into their elements, as exported programs return only single values; the calling convention puts them together
again; (4) the signature says what each placeholder and output is. ``torch.export`` itself checks the result.

Left out: shape guards of the original. Stages of a program that was traced symbolically have no operators of ATen yet
and are exported with ``torch.export`` from example values.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import fx, nn
from torch._export.verifier import TrainingIRVerifier
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ConstantArgument,
    CustomObjArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from torch.utils import _pytree as pytree

from cutter_gui.fx.in_torch.program import HeldWeight, copied, get_by_path, named_node, named_placeholder, set_by_path
from cutter_gui.fx.in_torch.stage_modules import StageModule

_KINDS = {
    "parameter": InputKind.PARAMETER,
    "buffer": InputKind.BUFFER,
    "temporary": InputKind.BUFFER,
    "constant": InputKind.CONSTANT_TENSOR,
    "object": InputKind.CUSTOM_OBJ,
}


def exported_stage(stage: StageModule, ranges: Mapping[Any, Any], constants: Mapping[str, Any]) -> ExportedProgram:
    """Returns a stage of an exported program as an exported program.

    Args:
        stage: The stage.
        ranges: Range constraints of the program.
        constants: Inputs of the program that are constants.

    Raises:
        Exception: torch refuses the program; which class says so is not part of its interface.
    """
    return _Exporter(stage, constants).program(ranges)


class _Exporter:
    """Puts one exported program together."""

    def __init__(self, stage: StageModule, constants: Mapping[str, Any]) -> None:
        self._stage = stage
        self._constants = constants
        self._weights = {weight.target: weight for weight in stage.weights}
        self._graph = fx.Graph()
        self._root = nn.Module()
        self._mapped: dict[fx.Node, Any] = {}
        self._inputs: list[InputSpec] = []
        self._names = {node.name for node in stage.module.graph.nodes}

    def program(self, ranges: Mapping[Any, Any]) -> ExportedProgram:
        nodes = list(self._stage.module.graph.nodes)
        state, held = self._add_weights(node for node in nodes if node.op == "get_attr")
        taken = [self._add_input(node) for node in nodes if node.op == "placeholder"]
        for node in nodes:
            self._add_node(node)
        outputs, returned = self._returned(nodes[-1])
        self._graph.output(tuple(leaf for leaf, _ in outputs)).meta["val"] = tuple(
            leaf.meta["val"] if isinstance(leaf, fx.Node) else leaf for leaf, _ in outputs
        )
        in_spec = pytree.tree_structure((tuple(taken), {}), is_leaf=_is_none)
        out_spec = pytree.tree_structure(tuple(returned), is_leaf=_is_none)
        names = [f"arg{position}" for position in range(len(taken))]
        call = ModuleCallSignature([], [], in_spec, out_spec, forward_arg_names=names)
        return ExportedProgram(
            root=self._root,
            graph=self._graph,
            graph_signature=ExportGraphSignature(self._inputs, [spec for _, spec in outputs]),
            state_dict=state,
            range_constraints=_used_ranges(self._graph, ranges),
            module_call_graph=[ModuleCallEntry("", call)],
            constants=held,
            verifiers=[TrainingIRVerifier],
        )

    def _add_weights(self, nodes: Iterator[fx.Node]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Adds a placeholder for each weight; returns the saved state and the other constants."""
        state: dict[str, Any] = {}
        held: dict[str, Any] = {}
        for node in nodes:
            weight = self._weights.get(str(node.target))
            if weight is None:
                continue
            value = get_by_path(self._stage.module, weight.target)
            (state if weight.kind in ("parameter", "buffer") else held)[weight.target] = value
            self._mapped[node] = named_placeholder(self._graph, weight.placeholder, node.meta)
            self._inputs.append(_weight_spec(weight, value))
        return state, held

    def _add_input(self, node: fx.Node) -> Any:
        """Adds the placeholders of an input; returns something of the same structure, for the calling convention."""
        if node.name in self._constants:
            self._mapped[node] = named_placeholder(self._graph, node.name, node.meta)
            argument = ConstantArgument(node.name, self._constants[node.name])
            self._inputs.append(InputSpec(InputKind.USER_INPUT, argument, None))
            return 0
        self._mapped[node] = self._placeholders(node.name, node.meta["val"], node.meta)
        return _like(node.meta["val"])

    def _placeholders(self, name: str, value: Any, meta: Mapping[str, Any]) -> Any:
        if isinstance(value, (tuple, list)):
            parts = [self._placeholders(self._new_name(f"{name}_{i}"), part, meta) for i, part in enumerate(value)]
            return parts if isinstance(value, list) else tuple(parts)
        made = named_placeholder(self._graph, name, {**meta, "val": value})
        self._inputs.append(InputSpec(InputKind.USER_INPUT, argument_spec(name, value), None))
        return made

    def _new_name(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self._names:
            number += 1
            name = f"{wanted}_{number}"
        self._names.add(name)
        return name

    def _add_node(self, node: fx.Node) -> None:
        if node.op in ("placeholder", "output") or node in self._mapped:
            return
        if node.op == "get_attr":
            set_by_path(self._root, str(node.target), get_by_path(self._stage.module, str(node.target)), "constant")
        if node.target is operator.getitem and isinstance(node.args[0], fx.Node):
            source = self._mapped[node.args[0]]
            if isinstance(source, (tuple, list)):
                self._mapped[node] = source[_index(node)]
                return
        self._mapped[node] = copied(self._graph, node, self._mapped)

    def _returned(self, output: fx.Node) -> tuple[list[tuple[Any, OutputSpec]], list[Any]]:
        """Returns the leaves that are returned, each with what it is, and the structure they are returned in."""
        leaves: list[tuple[Any, OutputSpec]] = []
        structure = []
        returned = output.args[0]
        assert isinstance(returned, (tuple, list))
        for value in returned:
            apart = self._apart(self._mapped[value] if isinstance(value, fx.Node) else value)
            structure.append(pytree.tree_map(lambda _: 0, apart, is_leaf=_is_none))
            for leaf in pytree.tree_leaves(apart, is_leaf=_is_none):
                spec: Any = ConstantArgument("", leaf)
                if isinstance(leaf, fx.Node):
                    spec = argument_spec(leaf.name, leaf.meta.get("val"))
                leaves.append((leaf, OutputSpec(OutputKind.USER_OUTPUT, spec, None)))
        return leaves, structure

    def _apart(self, value: Any) -> Any:
        """Takes a value that is a tuple apart into nodes that are single values."""
        if isinstance(value, (tuple, list)):
            parts = [self._apart(part) for part in value]
            return parts if isinstance(value, list) else tuple(parts)
        if not isinstance(value, fx.Node):
            return value
        held = value.meta.get("val")
        if held is None:
            return None
        if not isinstance(held, (tuple, list)):
            return value
        present = {_index(user): user for user in value.users if user.target is operator.getitem}
        parts = []
        for index, part in enumerate(held):
            made = present.get(index)
            if made is None:
                meta = {**value.meta, "val": part}
                name = self._new_name(f"{value.name}_{index}")
                made = named_node(self._graph, "call_function", operator.getitem, (value, index), {}, name, meta)
            parts.append(self._apart(made))
        return parts if isinstance(held, list) else tuple(parts)


def _index(node: fx.Node) -> int:
    index = node.args[1]
    assert isinstance(index, int)
    return index


def _is_none(item: Any) -> bool:
    return item is None


def _like(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        parts = [_like(part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return 0


def _weight_spec(weight: HeldWeight, value: Any) -> InputSpec:
    kind = _KINDS[weight.kind]
    persistent = weight.kind == "buffer" if kind is InputKind.BUFFER else None
    if kind is InputKind.CUSTOM_OBJ:
        name = str(value._type().qualified_name())
        return InputSpec(kind, CustomObjArgument(weight.placeholder, name), weight.target, persistent)
    return InputSpec(kind, TensorArgument(weight.placeholder), weight.target, persistent)


def argument_spec(name: str, value: Any) -> Any:
    """Returns how a signature states a value of this kind."""
    if isinstance(value, torch.Tensor):
        return TensorArgument(name)
    if isinstance(value, torch.SymInt):
        return SymIntArgument(name)
    if isinstance(value, torch.SymFloat):
        return SymFloatArgument(name)
    if isinstance(value, torch.SymBool):
        return SymBoolArgument(name)
    return ConstantArgument(name, value)


def _used_ranges(graph: fx.Graph, ranges: Mapping[Any, Any]) -> dict[Any, Any]:
    """Returns the constraints of the symbols that some value of the graph has in its size."""
    used: set[Any] = set()
    for node in graph.nodes:
        for value in pytree.tree_leaves(node.meta.get("val")):
            sizes: Sequence[Any] = value.shape if isinstance(value, torch.Tensor) else (value,)
            for size in sizes:
                if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                    used |= size.node.expr.free_symbols
    return {symbol: limits for symbol, limits in ranges.items() if symbol in used}
