"""A program in torch: one flat graph module, whatever it was made from.

Placeholders are the model's inputs flattened in pytree order, the output is a flat tuple, and weights are ``get_attr``
nodes on a holder module under their qualified names, tied ones under one name. Node names are those of the graph that
the program was made from, so that a plan made from the archive's data fits.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from cutter_gui.fx.structure import structure_text

_HELD = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ)
_UPDATES = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION)


@dataclass(frozen=True)
class HeldWeight:
    """A weight of a program.

    Attributes:
        name: Its name in the core's graph: the qualified name, unless a node has that name.
        target: Its qualified name in the graph module.
        also: Qualified names tied to it.
        placeholder: The name its placeholder has in an exported graph.
        kind: ``parameter``, ``buffer``, ``temporary`` (a buffer that is not saved), ``constant`` or ``object``.
    """

    name: str
    target: str
    also: tuple[str, ...]
    placeholder: str
    kind: str


@dataclass(eq=False)
class Program:
    """A model as one flat graph module.

    Attributes:
        module: The graph module.
        weights: Its weights by target.
        structure: How inputs and outputs nest (`cutter_gui.fx.structure`).
        outputs: What it returns, flattened: names of nodes as text, constants as ``{"constant": c}``.
        updates: (value, target or input) pairs: after a run the second has the value of the first.
        constants: Inputs that are constants, by name.
        examples: Example values of the inputs, flat, or None.
        exported: Whether torch.export made it, so that stages can be exported programs without tracing.
        ranges: Range constraints of its symbolic sizes.
        size_names: Symbols among its sizes to what the user calls them.
        call: Runs the model itself on its own arguments, for comparison.
        reference: The module behind ``call``, whose weights get gradients.
        example_call: Arguments and keyword arguments for ``call``, or None.
        metadata: What ``info`` shows besides.
        output_spec: torch's own description of how the outputs nest.
        argument_names: Names of the parameters of the model's ``forward``, where they are known.
    """

    module: fx.GraphModule
    weights: dict[str, HeldWeight]
    structure: str
    outputs: list[Any]
    call: Callable[..., Any]
    reference: nn.Module
    updates: list[tuple[str, str]] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    examples: list[Any] | None = None
    exported: bool = False
    ranges: Mapping[Any, Any] = field(default_factory=dict)
    size_names: Mapping[Any, str] = field(default_factory=dict)
    example_call: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    output_spec: Any = None
    argument_names: tuple[str, ...] = ()

    @property
    def input_names(self) -> list[str]:
        return [node.name for node in self.module.graph.nodes if node.op == "placeholder"]


def set_by_path(root: nn.Module, target: str, value: Any, kind: str = "buffer") -> None:
    """Puts a weight or module under its qualified name, with modules in between made as needed."""
    *path, last = target.split(".")
    at = root
    for part in path:
        if not hasattr(at, part):
            at.add_module(part, nn.Module())
        at = getattr(at, part)
    if isinstance(value, nn.Parameter):
        at.register_parameter(last, value)
    elif isinstance(value, torch.Tensor) and kind in ("buffer", "temporary"):
        at.register_buffer(last, value, persistent=kind == "buffer")
    elif isinstance(value, nn.Module):
        at.add_module(last, value)
    else:
        setattr(at, last, value)


def mark_temporary(module: nn.Module, targets: Iterable[str]) -> None:
    """Makes buffers ones that are not saved, which making a graph module forgets."""
    for target in targets:
        holder, _, last = target.rpartition(".")
        owner = module.get_submodule(holder)
        if last in owner._buffers:
            owner._non_persistent_buffers_set.add(last)


def get_by_path(root: nn.Module, target: str) -> Any:
    """Returns what has a qualified name.

    Raises:
        AttributeError: Nothing has.
    """
    at: Any = root
    for part in target.split("."):
        at = getattr(at, part)
    return at


def same_bytes(tensor: object) -> tuple[object, ...]:
    """Returns what is equal for two tensors when, and only when, they are the same bytes seen the same way."""
    # Tensors without memory may all have the storage of one file in an archive.
    if not isinstance(tensor, torch.Tensor) or tensor.is_meta:
        return (id(tensor),)
    try:
        storage: object = tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return (id(tensor),)
    return (storage, tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def program_of(exported: ExportedProgram) -> Program:
    """Returns the program of an exported one; nothing is traced again."""
    signature, graph = exported.graph_signature, exported.graph
    root = nn.Module()
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    weights = _held(exported)
    flat, mapped = fx.Graph(), {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    constants: dict[str, Any] = {}
    for node in placeholders:
        spec = specs[node.name]
        if spec.kind in _HELD:
            continue
        mapped[node] = named_placeholder(flat, node.name, node.meta)
        if isinstance(spec.arg, ConstantArgument):
            constants[node.name] = spec.arg.value
    made: dict[str, fx.Node] = {}
    for node in placeholders:
        spec = specs[node.name]
        if spec.kind not in _HELD:
            continue
        held = weights[str(spec.target)]
        if held.target not in made:
            set_by_path(root, held.target, _value_of(exported, held.target), held.kind)
            made[held.target] = named_node(flat, "get_attr", held.target, (), {}, held.placeholder, node.meta)
        mapped[node] = made[held.target]
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op == "get_attr":
            set_by_path(root, str(node.target), get_by_path(exported.graph_module, str(node.target)), "constant")
        mapped[node] = copied(flat, node, mapped)
        mapped[node].meta["val"] = as_returned(node.target, node.meta.get("val"))
    outputs, updates = _returned(exported)
    by_name = {node.name: node for node in mapped.values()}
    renamed = {node.name: mapped[node].name for node in placeholders}
    flat.output(
        tuple(by_name[renamed.get(leaf, leaf)] if isinstance(leaf, str) else leaf["constant"] for leaf in outputs)
    )
    names = {held.placeholder: held.name for held in weights.values()}
    call = exported.call_spec
    inputs = [
        {"constant": constants[node.name]} if node.name in constants else node.name
        for node in mapped
        if node.op == "placeholder" and specs[node.name].kind not in _HELD
    ]
    shown = [names.get(renamed.get(leaf, leaf), leaf) if isinstance(leaf, str) else leaf for leaf in outputs]
    module = exported.module(check_guards=False)
    flat_module = fx.GraphModule(root, flat)
    mark_temporary(flat_module, (held.target for held in weights.values() if held.kind == "temporary"))
    return Program(
        module=flat_module,
        weights={held.target: held for held in weights.values()},
        structure=structure_text(tree_of(call.in_spec, inputs), tree_of(call.out_spec, shown)),
        outputs=shown,
        updates=updates,
        constants=constants,
        examples=_examples(exported),
        exported=True,
        ranges=exported.range_constraints,
        call=module,
        reference=module,
        example_call=exported.example_inputs,
        output_spec=call.out_spec,
        argument_names=_argument_names(exported),
    )


def as_returned(target: Any, value: Any) -> Any:
    """Returns what is known of a value in the container that the operator returns: a list of tensors, or a tuple."""
    if not isinstance(value, (tuple, list)):
        return value
    returns = target._schema.returns if isinstance(target, torch._ops.OpOverload) else ()
    return list(value) if len(returns) == 1 else tuple(value)


def named_placeholder(graph: fx.Graph, name: str, meta: Mapping[str, Any]) -> fx.Node:
    """Adds a placeholder with exactly this name, which torch.fx itself would change where Python knows it."""
    node = graph.placeholder(name)
    node.name = name
    node.meta = dict(meta)
    return node


def named_node(
    graph: fx.Graph, op: str, target: Any, args: Any, kwargs: Any, name: str, meta: Mapping[str, Any]
) -> fx.Node:
    """Adds a node with exactly this name."""
    node = graph.create_node(op, target, args, kwargs, name)
    node.name = name
    node.meta = dict(meta)
    return node


def copied(graph: fx.Graph, node: fx.Node, mapped: Mapping[fx.Node, Any]) -> fx.Node:
    """Adds a copy of a node whose arguments are the mapped ones, under the node's own name."""
    args = fx.map_arg(node.args, lambda source: mapped[source])
    kwargs = fx.map_arg(node.kwargs, lambda source: mapped[source])
    return named_node(graph, node.op, node.target, args, kwargs, node.name, node.meta)


def _held(exported: ExportedProgram) -> dict[str, HeldWeight]:
    """Returns the weight behind each qualified name; tied ones are one, named by the first that a node reads."""
    signature = exported.graph_signature
    nodes = {node.name: node for node in exported.graph.nodes}
    specs = [spec for spec in signature.input_specs if spec.kind in _HELD and spec.target is not None]
    groups: dict[tuple[object, ...], list[Any]] = {}
    for spec in specs:
        groups.setdefault(same_bytes(_value_of(exported, str(spec.target))), []).append(spec)
    held_names = {spec.arg.name for spec in specs}
    taken = {name for name, node in nodes.items() if name not in held_names and node.op != "output"}
    found: dict[str, HeldWeight] = {}
    for group in groups.values():
        used = [spec for spec in group if any(user.op != "output" for user in nodes[spec.arg.name].users)]
        first = (used or group)[0]
        target = str(first.target)
        held = HeldWeight(
            name=first.arg.name if target in taken else target,
            target=target,
            also=tuple(str(spec.target) for spec in group if spec is not first),
            placeholder=first.arg.name,
            kind=_kind(first),
        )
        found.update({str(spec.target): held for spec in group})
    return found


def _kind(spec: Any) -> str:
    if spec.kind is InputKind.PARAMETER:
        return "parameter"
    if spec.kind is InputKind.BUFFER:
        return "buffer" if spec.persistent else "temporary"
    return "constant" if spec.kind is InputKind.CONSTANT_TENSOR else "object"


def _value_of(exported: ExportedProgram, target: str) -> Any:
    if target in exported.state_dict:
        return exported.state_dict[target]
    return exported.constants[target]


def _returned(exported: ExportedProgram) -> tuple[list[Any], list[tuple[str, str]]]:
    """Returns the outputs, names or constants, and the updates of weights and inputs."""
    outputs: list[Any] = []
    updates: list[tuple[str, str]] = []
    for spec in exported.graph_signature.output_specs:
        leaf: Any = {"constant": spec.arg.value} if isinstance(spec.arg, ConstantArgument) else spec.arg.name
        if spec.kind in _UPDATES:
            updates.append((str(leaf), str(spec.target)))
        elif spec.kind is not OutputKind.TOKEN:
            outputs.append(leaf)
    return outputs, updates


def _argument_names(exported: ExportedProgram) -> tuple[str, ...]:
    calls = exported.module_call_graph
    signature = calls[0].signature if calls else None
    return tuple(getattr(signature, "forward_arg_names", None) or ())


def _examples(exported: ExportedProgram) -> list[Any] | None:
    given = exported.example_inputs
    return None if given is None else list(pytree.tree_leaves(given, is_leaf=lambda item: item is None))


def tree_of(spec: Any, leaves: Sequence[Any]) -> Any:
    """Returns the tree (`cutter_gui.fx.structure`) of a torch treespec with these leaves."""
    rest = iter(leaves)
    return _branch(spec, rest)


def _branch(spec: Any, leaves: Any) -> Any:
    if spec.is_leaf():
        return next(leaves)
    items = [_branch(child, leaves) for child in spec.children()]
    if spec.type is tuple:
        return {"tuple": items}
    if spec.type is list:
        return items
    if spec.type is dict:
        return {"dict": [[key, item] for key, item in zip(spec.context, items, strict=True)]}
    name = f"{spec.type.__module__}.{spec.type.__qualname__}"
    try:
        context = json.dumps(spec.context)
    except TypeError:
        context = str(spec.context)
    return {"type": name, "context": context, "items": items}


def copy_of(value: Any) -> Any:
    """Returns a copy of a value that changes to the first do not reach; what is no tensor or container is kept."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), copy.copy(value))


def put_back(kept: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Gives tensors the values they had, as (tensor, value), and lets them forget what changed them."""
    with torch.no_grad():
        for tensor, value in kept:
            if tensor.grad_fn is not None and not tensor._is_view():
                tensor.detach_()
            if not tensor.is_quantized:
                tensor.copy_(value)
