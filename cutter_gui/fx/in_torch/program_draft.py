"""From a `Program` in torch to a `Draft`.

What an operator changes and shares is taken from its schema here, besides the tables that the reading of archives goes
by: both must give the same graph for what both know.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import sympy
import torch
from torch import fx, nn
from torch.fx.operator_schemas import get_signature_for_torch_op

from cutter_gui.core.dtypes import OPAQUE, UNKNOWN
from cutter_gui.core.errors import one_line
from cutter_gui.core.graph import Dim
from cutter_gui.fx.draft import Draft, DraftNode, DraftWeight, ValueType
from cutter_gui.fx.in_torch.program import Program, get_by_path
from cutter_gui.fx.op_effects import Effects, effects_of
from cutter_gui.fx.program_json import op_label
from cutter_gui.fx.scalar_types import BY_TORCH_NAME
from cutter_gui.fx.symbols import size_text

_SHOWN = 120
_STATEFUL_IN_TRAINING = (nn.modules.batchnorm._NormBase,)


def draft_of(program: Program) -> Draft:
    """Returns the draft of a program."""
    reader = _Drafter(program)
    for node in program.module.graph.nodes:
        reader.add(node)
    names = {weight.target: weight.name for weight in program.weights.values()}
    return Draft(
        inputs=tuple(program.input_names),
        weights=tuple(reader.weights.values()),
        nodes=tuple(reader.nodes),
        outputs=tuple(reader.shown(leaf) for leaf in program.outputs if isinstance(leaf, str)),
        updates=tuple((value, names.get(target, target)) for value, target in program.updates),
        types=reader.types,
        structure=program.structure,
        metadata=dict(program.metadata),
    )


def value_type(value: Any, names: Mapping[Any, str]) -> ValueType:
    """Returns the type of a value: of a tensor its dtype and shape; anything else is opaque."""
    if isinstance(value, torch.Tensor):
        return ValueType(dtype_code(value.dtype), tuple(dim_of(size, names) for size in value.shape))
    return ValueType(OPAQUE, None)


def dtype_code(dtype: torch.dtype) -> int:
    return BY_TORCH_NAME.get(str(dtype).removeprefix("torch."), OPAQUE)


def dim_of(size: Any, names: Mapping[Any, str] = MappingProxyType({})) -> Dim:
    """Returns a size as an integer, or a symbolic one as text, with other names for some of its symbols."""
    if isinstance(size, torch.SymInt):
        expression = size.node.expr
        named = {symbol: sympy.Symbol(names[symbol]) for symbol in expression.free_symbols if symbol in names}
        return size_text(sympy.srepr(expression.xreplace(named)))
    return int(size)


def stored_bytes(value: Any) -> int:
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0


class _Drafter:
    """Turns nodes into those of a draft."""

    def __init__(self, program: Program) -> None:
        self._module = program.module
        self._held = program.weights
        self._size_names = program.size_names
        self._modules = dict(program.module.named_modules(remove_duplicate=False))
        self._names: dict[str, str] = {}  # of get_attr nodes that stand for weights: the weight's name
        self.weights: dict[str, DraftWeight] = {}
        self.nodes: list[DraftNode] = []
        self.types: dict[str, ValueType] = {}
        for weight in program.weights.values():
            value = get_by_path(program.module, weight.target)
            self.weights[weight.name] = DraftWeight(weight.name, stored_bytes(value), weight.also)
            self.types[weight.name] = value_type(value, self._size_names)

    def shown(self, name: str) -> str:
        """The name in the core's graph of the value of a node."""
        return self._names.get(name, name)

    def add(self, node: fx.Node) -> None:
        if node.op == "output":
            return
        if node.op == "get_attr" and str(node.target) in self._held:
            self._names[node.name] = self._held[str(node.target)].name
            return
        value = node.meta.get("val")
        unknown = ValueType(OPAQUE if node.op == "get_attr" else UNKNOWN, None)
        told = value_type(value, self._size_names) if "val" in node.meta else unknown
        self.types[node.name] = told
        if node.op != "placeholder":
            self.nodes.append(self._node(node))

    def _node(self, node: fx.Node) -> DraftNode:
        target = target_text(node, self._modules)
        arguments = named_arguments(node)
        effects = self._effects(node, target, arguments)
        inputs = [self.shown(source) for argument in arguments.values() for source in _sources(argument)]
        element = _element(node)
        if node.op == "call_module":
            inputs += [name for name in self._parameters(str(node.target)) if name not in inputs]
        changed = self._named(arguments, effects.changed)
        if node.op == "call_module":
            changed += tuple(self._changed_buffers(str(node.target)))
        return DraftNode(
            name=node.name,
            op=op_label(target),
            inputs=tuple(inputs),
            attributes=_texts(arguments),
            scope=_scope(node),
            mutates=changed,
            aliases=self._named(arguments, effects.shared),
            element=element,
            random=effects.random,
        )

    def _effects(self, node: fx.Node, target: str, arguments: Mapping[str, Any]) -> Effects:
        if node.target is operator.getitem:
            return Effects(shared=(next(iter(arguments)),))
        known = dict(arguments)
        if node.op == "call_module":
            module = self._modules[str(node.target)]
            known = {"input": None, **arguments}
            known["inplace"] = getattr(module, "inplace", False)
            known["training"] = module.training
            if isinstance(module, _STATEFUL_IN_TRAINING):
                return Effects()
            effects = effects_of(target, known)
            if isinstance(module, (nn.RNNBase, nn.MultiheadAttention)):
                return Effects(effects.changed, effects.shared, bool(module.training and module.dropout))
            return effects
        body = [
            get_by_path(self._module, str(source.target))
            for source in node.all_input_nodes
            if source.op == "get_attr" and isinstance(get_by_path(self._module, str(source.target)), fx.GraphModule)
        ]
        effects = effects_of(target, known, returns_nothing=_returns_nothing(node.target))
        if isinstance(node.target, torch._ops.OpOverload):
            effects = _with_schema(node.target, effects, arguments)
        for inner in body:
            changes, shares, draws = _body_effects(inner)
            names = tuple(arguments)
            effects = Effects(
                names if changes else effects.changed,
                names if changes or shares else effects.shared,
                effects.random or draws,
            )
        return effects

    def _named(self, arguments: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
        found = (self.shown(source) for name in names for source in _sources(arguments.get(name)))
        return tuple(dict.fromkeys(found))

    def _parameters(self, target: str) -> Iterator[str]:
        """Yields the weights that a module called as a whole holds."""
        for held in self._held.values():
            if any(name.startswith(f"{target}.") for name in (held.target, *held.also)):
                yield held.name

    def _changed_buffers(self, target: str) -> Iterator[str]:
        """Yields the buffers that a module may update when it runs: all, where it is not known to update none."""
        module = self._modules[target]
        known_calm = type(module).__module__.startswith("torch.nn") and not (
            module.training and any(isinstance(part, _STATEFUL_IN_TRAINING) for part in module.modules())
        )
        if known_calm:
            return
        buffers = {f"{target}.{name}" for name, _ in module.named_buffers()}
        for held in self._held.values():
            if buffers & {held.target, *held.also}:
                yield held.name


def target_text(node: fx.Node, modules: Mapping[str, nn.Module]) -> str:
    """Returns what a node calls, as text: ``torch.ops.aten.add.Tensor``, ``torch.nn.modules.conv.Conv2d``, ``view``."""
    target = node.target
    if node.op == "call_module":
        kind = type(modules[str(target)])
        return f"{kind.__module__}.{kind.__qualname__}"
    if node.op in ("call_method", "get_attr") or isinstance(target, str):
        return str(target) if node.op == "call_method" else "get_attr"
    if isinstance(target, torch._ops.OpOverload):
        return f"torch.ops.{target}"
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"torch.ops.higher_order.{target._name}"
    if isinstance(target, torch._ops.OpOverloadPacket):
        return f"torch.ops.{target}.default"
    module = getattr(target, "__module__", None) or ""
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", str(target))
    return f"{module}.{name}" if module and module != "builtins" else str(name)


def named_arguments(node: fx.Node) -> dict[str, Any]:
    """Returns a node's arguments by name, in order; names are made up where none are known."""
    names: list[str] = []
    if isinstance(node.target, torch._ops.OpOverload):
        names = [argument.name for argument in node.target._schema.arguments]
    elif node.op == "call_function" and not isinstance(node.target, torch._ops.HigherOrderOperator):
        names = _parameter_names(node)
    found: dict[str, Any] = {}
    for position, argument in enumerate(node.args):
        name = names[position] if position < len(names) else f"arg{position}"
        found[name] = argument
    found.update(node.kwargs)
    return found


def _parameter_names(node: fx.Node) -> list[str]:
    assert callable(node.target)
    try:
        return list(inspect.signature(node.target).parameters)
    except (ValueError, TypeError):
        pass
    signatures = get_signature_for_torch_op(node.target)
    for signature in signatures or ():
        if len(signature.parameters) >= len(node.args):
            return list(signature.parameters)
    return []


def _sources(argument: Any) -> Iterator[str]:
    """Yields the names of the nodes in an argument, in order, repeats included."""
    found: list[str] = []
    fx.map_arg(argument, lambda node: found.append(node.name))
    yield from found


def _element(node: fx.Node) -> int | None:
    if node.target is not operator.getitem or not isinstance(node.args[1], int):
        return None
    source = node.args[0]
    held = source.meta.get("val") if isinstance(source, fx.Node) else None
    return node.args[1] if isinstance(held, (tuple, list)) else None


def _returns_nothing(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and not target._schema.returns


def _with_schema(target: torch._ops.OpOverload, effects: Effects, arguments: Mapping[str, Any]) -> Effects:
    """Adds what the schema states of an operator that the tables do not know."""
    if target.namespace == "aten":
        return effects
    changed = [
        argument.name
        for argument in target._schema.arguments
        if argument.alias_info is not None and argument.alias_info.is_write and argument.name in arguments
    ]
    shared = [
        argument.name
        for argument in target._schema.arguments
        if argument.alias_info is not None and any(result.alias_info is not None for result in target._schema.returns)
    ]
    return Effects(
        tuple(dict.fromkeys((*effects.changed, *changed))),
        tuple(dict.fromkeys((*effects.shared, *shared))),
        effects.random or torch.Tag.nondeterministic_seeded in target.tags,
    )


def _body_effects(module: fx.GraphModule) -> tuple[bool, bool, bool]:
    """Returns whether a body changes an input of its own, returns one's storage, and draws random numbers."""
    roots = {node.name for node in module.graph.nodes if node.op == "placeholder"}
    changes = draws = shares = False
    modules = dict(module.named_modules(remove_duplicate=False))
    for node in module.graph.nodes:
        if node.op == "output":
            shares = any(source.name in roots for source in node.all_input_nodes)
        elif node.op == "call_function":
            arguments = named_arguments(node)
            effects = effects_of(target_text(node, modules), arguments, returns_nothing=_returns_nothing(node.target))
            if node.target is operator.getitem:
                effects = Effects(shared=(next(iter(arguments)),))
            for source in node.all_input_nodes:
                inner = get_by_path(module, str(source.target)) if source.op == "get_attr" else None
                if isinstance(inner, fx.GraphModule):
                    found = _body_effects(inner)
                    names = tuple(arguments)
                    effects = Effects(
                        names if found[0] else effects.changed,
                        names if found[0] or found[1] else effects.shared,
                        effects.random or found[2],
                    )
            draws = draws or effects.random
            touched = {source for name in effects.changed for source in _sources(arguments.get(name))}
            changes = changes or bool(touched & roots)
            if any(source in roots for name in effects.shared for source in _sources(arguments.get(name))):
                roots.add(node.name)
    return changes, shares, draws


def _texts(arguments: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, one_line(str(argument).removeprefix("torch."), _SHOWN))
        for name, argument in arguments.items()
        if not any(True for _ in _sources(argument))
    )


def _scope(node: fx.Node) -> tuple[str, ...]:
    """Returns the modules a node was called in, outermost first."""
    stack = node.meta.get("nn_module_stack") or {}
    deepest = ""
    for entry in stack.values():
        path = entry[0] if isinstance(entry, tuple) else ""
        if path and not path.startswith("_empty_nn_module_stack"):
            deepest = path
    deepest = deepest.removeprefix("L['self'].")
    if node.op == "call_module" and not deepest:
        deepest = str(node.target)
    return tuple(part.split("@")[0] for part in deepest.split(".") if part)
