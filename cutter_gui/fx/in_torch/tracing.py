"""From code to a program: ``torch.export``, or symbolic tracing that keeps ``assert`` statements."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim
from torch.fx.graph import _PyTreeCodeGen
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils import _pytree as pytree

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.fx.in_torch.program import (
    HeldWeight,
    Program,
    copied,
    get_by_path,
    mark_temporary,
    named_placeholder,
    program_of,
    put_back,
    same_bytes,
    set_by_path,
    tree_of,
)
from cutter_gui.fx.in_torch.symbolic_tracing import symbolic_trace_with_rewrite
from cutter_gui.fx.structure import structure_text

ALL = "all"


def export_program(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: Sequence[str] = ()
) -> Program:
    """Exports a module.

    Args:
        module: The module.
        args: Example arguments.
        kwargs: Example keyword arguments.
        dynamic: Sizes that stay open, as ``input:dim`` or ``input:dim=name``, or ``all``.

    Raises:
        CutterError: ``dynamic`` names no input or dimension.
    """
    shapes = dynamic_shapes(module, args, kwargs, dynamic) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=False)
    program = program_of(exported)
    program.call, program.reference = module, module
    program.example_call = (args, kwargs)
    program.metadata["traced"] = "torch.export"
    program.size_names = _size_names(program.module, dynamic)
    return program


def dynamic_shapes(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: Sequence[str]
) -> dict[str, Any]:
    """Returns what ``torch.export.export`` takes as ``dynamic_shapes``.

    An input is named as the graph names it: ``x``, or ``batch_ids`` for ``batch["ids"]``.

    Raises:
        CutterError: A text does not read ``input:dim`` or ``input:dim=name``, or names no input or dimension.
    """
    everything = ALL in dynamic
    wanted: dict[str, dict[int, Any]] = {}
    for start, dim, name in _open_dims(dynamic):
        wanted.setdefault(start, {})[dim] = Dim(name) if name else Dim.DYNAMIC
    bound = _arguments_by_name(module, args, kwargs)
    used: set[str] = set()

    def shape_of(path: Any, value: Any) -> Any:
        name = "_".join(_key(key) for key in path)
        if not isinstance(value, torch.Tensor):
            return None
        sizes = wanted.get(name, {})
        used.add(name)
        if any(dim >= value.dim() for dim in sizes):
            raise CutterError(
                f"{one_line(name, 80)} has {value.dim()} dimensions", "--dynamic", f"give 0 to {value.dim() - 1}"
            )
        automatic = dict.fromkeys(range(value.dim()), Dim.AUTO) if everything else {}
        return {**automatic, **sizes}

    shapes: dict[str, Any] = pytree.tree_map_with_path(shape_of, bound)
    unknown = sorted(set(wanted) - used)
    if unknown:
        raise CutterError(
            f"there is no input {one_line(unknown[0], 80)}", "--dynamic", f"the inputs are {', '.join(sorted(used))}"
        )
    return shapes


def _open_dims(dynamic: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yields input, dimension and name or "" of each size that stays open, but for ``all``."""
    for text in dynamic:
        if text == ALL:
            continue
        place, _, name = text.partition("=")
        start, _, dim = place.rpartition(":")
        if not start or not dim.isdigit() or (name and not name.isidentifier()):
            raise CutterError(
                "a dynamic size cannot be read", f"--dynamic {one_line(text, 80)}", "write it as input:0=batch"
            )
        yield start, int(dim), name


def _size_names(module: fx.GraphModule, dynamic: Sequence[str]) -> dict[Any, str]:
    """Returns the symbols that torch made for sizes with a name, to these names; torch itself forgets them.

    A name that torch gave to another symbol is left out, for the two would be taken for one.
    """
    values = {node.name: node.meta.get("val") for node in module.graph.nodes}
    found: dict[Any, str] = {}
    for start, dim, name in _open_dims(dynamic):
        value = values.get(start)
        size: Any = value.shape[dim] if name and isinstance(value, torch.Tensor) and dim < value.dim() else None
        if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
            found.setdefault(size.node.expr, name)
    shapes: list[Any] = [value.shape for value in values.values() if isinstance(value, torch.Tensor)]
    sizes = [size for shape in shapes for size in shape if isinstance(size, torch.SymInt)]
    used = {str(symbol) for size in sizes for symbol in size.node.expr.free_symbols}
    return {symbol: name for symbol, name in found.items() if name not in used}


def _arguments_by_name(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)


def _key(key: Any) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def symbolic_program(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: Sequence[str] = ()
) -> Program:
    """Traces a module symbolically, leaf modules kept as they are.

    Raises:
        CutterError: ``dynamic`` is given, which only ``torch.export`` knows.
    """
    if dynamic:
        raise CutterError("symbolic tracing keeps no sizes open", "--dynamic", "leave out --trace symbolic")
    call: Callable[..., Any] | None = None
    if isinstance(module, fx.GraphModule):
        graph_module = module
    else:
        given = inspect.signature(module.forward).bind(*args, **kwargs)
        omitted = {
            name: parameter.default
            for name, parameter in inspect.signature(module.forward).parameters.items()
            if name not in given.arguments and parameter.default is not inspect.Parameter.empty
        }
        graph_module = symbolic_trace_with_rewrite(module, omitted or None)
        given.apply_defaults()
        args, kwargs = _in_order(given, omitted), {}
        call = _Call(module, given, omitted)
    program = traced_program(graph_module, [*args, *kwargs.values()])
    program.call, program.reference = call or program.call, module
    program.metadata["traced"] = "torch.fx, symbolically"
    return program


def _in_order(bound: inspect.BoundArguments, omitted: Collection[str]) -> tuple[Any, ...]:
    """Returns the arguments as placeholders stand in a traced graph: in order, omitted ones flattened."""
    values: list[Any] = []
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            values.extend(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            values.extend(value.values())
        elif name in omitted:
            values.extend(pytree.tree_leaves(value, is_leaf=lambda item: item is None))
        else:
            values.append(value)
    return tuple(values)


class _Call:
    """Calls a module with the values of a traced graph's placeholders."""

    def __init__(self, module: nn.Module, bound: inspect.BoundArguments, omitted: Collection[str]) -> None:
        self._module, self._bound, self._omitted = module, bound, omitted

    def __call__(self, *flat: Any) -> Any:
        values = iter(flat)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for name, example in self._bound.arguments.items():
            kind = self._bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                args.extend(next(values) for _ in example)
                continue
            if kind is inspect.Parameter.VAR_KEYWORD:
                kwargs.update((key, next(values)) for key in example)
                continue
            if name in self._omitted:
                leaves, spec = pytree.tree_flatten(example, is_leaf=lambda item: item is None)
                value = pytree.tree_unflatten([next(values) for _ in leaves], spec)
            else:
                value = next(values)
            if kind is inspect.Parameter.KEYWORD_ONLY:
                kwargs[name] = value
            else:
                args.append(value)
        return self._module(*args, **kwargs)


def traced_program(module: fx.GraphModule, examples: list[Any] | None) -> Program:
    """Returns the program of a graph module that was traced before.

    Args:
        module: The graph module, in topological order.
        examples: A value for each placeholder, or None, in which case sizes are not known.
    """
    weights = _held(module)
    names = {target: held for held in weights.values() for target in (held.target, *held.also)}
    flat, root, mapped = fx.Graph(), nn.Module(), {}
    for node in module.graph.nodes:
        if node.op == "placeholder":
            mapped[node] = named_placeholder(flat, node.name, node.meta)
            mapped[node].args = node.args
    output = next(node for node in reversed(list(module.graph.nodes)) if node.op == "output")
    returned, containers = _returned(output.args[0])
    for node in module.graph.nodes:
        if node.op in ("placeholder", "output") or node in containers:
            continue
        made = mapped[node] = copied(flat, node, mapped)
        if node.op == "get_attr" and str(node.target) in names:
            made.target = names[str(node.target)].target
    leaves, spec = pytree.tree_flatten(returned, is_leaf=lambda item: item is None)
    codegen = module.graph._codegen
    inputs: Any = [node.name for node in mapped if node.op == "placeholder"]
    input_tree: Any = {"tuple": [{"tuple": inputs}, {"dict": []}]}
    if isinstance(codegen, _PyTreeCodeGen):
        in_spec = codegen.pytree_info.in_spec
        if in_spec.num_leaves == len(inputs) + 1:  # symbolic tracing counts the module itself
            input_tree = {"tuple": [{"tuple": tree_of(in_spec, ["self", *inputs])["tuple"][1:]}, {"dict": []}]}
        else:
            input_tree = tree_of(in_spec, inputs)
        if codegen.pytree_info.out_spec is not None:
            spec = codegen.pytree_info.out_spec
    flat.output(tuple(mapped[leaf] if isinstance(leaf, fx.Node) else leaf for leaf in leaves))
    for target, held in names.items():
        if target == held.target:
            _hold(root, module, target)
    for node in module.graph.nodes:
        if node.op == "call_module" or (node.op == "get_attr" and str(node.target) not in names):
            _hold(root, module, str(node.target))
    flat_module = fx.GraphModule(root, flat)
    mark_temporary(flat_module, (held.target for held in weights.values() if held.kind == "temporary"))
    # Only its own: the modules that it calls are those of the given one and have modes of their own.
    flat_module.training = module.training
    shown = _shown_outputs(leaves, weights)
    if examples is not None:
        _propagate(flat_module, examples)
    return Program(
        module=flat_module,
        weights={held.target: held for held in weights.values()},
        structure=structure_text(input_tree, tree_of(spec, shown)),
        outputs=shown,
        # With its inputs flat, as its placeholders are; the module itself may take them nested.
        call=partial(fx.Interpreter(module).run, enable_io_processing=False),
        reference=module,
        examples=examples,
        example_call=None if examples is None else (tuple(examples), {}),
        metadata={"traced": "before it was saved"},
        output_spec=spec,
        argument_names=tuple(node.name for node in module.graph.nodes if node.op == "placeholder"),
    )


def _returned(value: Any) -> tuple[Any, set[fx.Node]]:
    """Returns what a graph returns as plain containers of nodes, and the nodes that only make a named tuple of others.

    torch.fx writes a named tuple that is returned as a node that calls its class.
    """
    containers: set[fx.Node] = set()

    def plain(item: Any) -> Any:
        if isinstance(item, fx.Node) and _makes_named_tuple(item) and all(u.op == "output" for u in item.users):
            containers.add(item)
            target: Any = item.target
            return target(*(plain(part) for part in item.args))
        if isinstance(item, tuple):
            parts = [plain(part) for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else tuple(parts)
        if isinstance(item, list):
            return [plain(part) for part in item]
        if isinstance(item, dict):
            return {key: plain(part) for key, part in item.items()}
        return item

    return plain(value), containers


def _makes_named_tuple(node: fx.Node) -> bool:
    target = node.target
    return (
        node.op == "call_function"
        and isinstance(target, type)
        and issubclass(target, tuple)
        and hasattr(target, "_fields")
        and not node.kwargs
    )


def _hold(root: nn.Module, module: nn.Module, target: str) -> None:
    value = get_by_path(module, target)
    holder, _, last = target.rpartition(".")
    owner = module.get_submodule(holder)
    persistent = last in owner._buffers and last not in owner._non_persistent_buffers_set
    set_by_path(root, target, value, "buffer" if persistent else "temporary" if last in owner._buffers else "constant")


def _held(module: fx.GraphModule) -> dict[str, HeldWeight]:
    """Returns the weights of a graph module: what its nodes read, and what the modules that it calls hold."""
    targets: dict[str, str] = {}
    for node in module.graph.nodes:
        if node.op == "get_attr" and isinstance(get_by_path(module, str(node.target)), torch.Tensor):
            targets.setdefault(str(node.target), node.name)
        elif node.op == "call_module":
            called = module.get_submodule(str(node.target))
            for name in [*called.state_dict(keep_vars=True), *(n for n, _ in called.named_buffers())]:
                full = f"{node.target}.{name}"
                targets.setdefault(full, full.replace(".", "_"))
    taken = {node.name for node in module.graph.nodes if node.op not in ("output", "get_attr")}
    groups: dict[tuple[object, ...], list[str]] = {}
    for target in targets:
        value = get_by_path(module, target)
        if isinstance(value, torch.Tensor):
            groups.setdefault(same_bytes(value), []).append(target)
    found = {}
    parameters = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    saved = set(module.state_dict())
    buffers = {name for name, _ in module.named_buffers(remove_duplicate=False)}
    for group in groups.values():
        first = group[0]
        kind = "parameter" if first in parameters else "constant"
        if first in buffers:
            kind = "buffer" if first in saved else "temporary"
        name = targets[first] if first in taken else first
        found[first] = HeldWeight(name, first, tuple(group[1:]), targets[first], kind)
    return found


def _shown_outputs(leaves: Sequence[Any], weights: dict[str, HeldWeight]) -> list[Any]:
    by_target = {target: held.name for held in weights.values() for target in (held.target, *held.also)}
    shown: list[Any] = []
    for leaf in leaves:
        if not isinstance(leaf, fx.Node):
            shown.append({"constant": leaf})
        elif leaf.op == "get_attr":
            shown.append(by_target.get(str(leaf.target), leaf.name))
        else:
            shown.append(leaf.name)
    return shown


def _propagate(module: fx.GraphModule, examples: Sequence[Any]) -> None:
    """Computes the sizes of all values with FakeTensors, which takes no memory and changes no weight.

    Quantized tensors have no FakeTensors; a graph with some is run on real ones, with its buffers put back after.
    """
    quantized = any("quantize" in str(node.target) for node in module.graph.nodes) or any(
        tensor.is_quantized for tensor in module.state_dict().values() if isinstance(tensor, torch.Tensor)
    )
    kept = [(tensor, tensor.detach().clone()) for tensor in module.buffers()]
    try:
        _compute(module, examples, quantized)
    finally:
        put_back(kept)


def _compute(module: fx.GraphModule, examples: Sequence[Any], quantized: bool) -> None:
    if not quantized:
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            try:
                FakeTensorProp(module, mode).propagate(*examples)
                _note_absent_values(module)
                return
            except (RuntimeError, NotImplementedError, AssertionError, TypeError):
                for node in module.graph.nodes:
                    node.meta.pop("val", None)
    _run_for_types(module, examples)


def _note_absent_values(module: fx.GraphModule) -> None:
    """Notes that nodes without a value, such as assertions, give None; torch leaves them without a note."""
    for node in module.graph.nodes:
        node.meta.setdefault("val", None)


class _Recorder(fx.Interpreter):
    """Runs a graph and keeps what is known of each value without the value itself."""

    def run_node(self, n: fx.Node) -> Any:
        result = super().run_node(n)
        n.meta["val"] = pytree.tree_map_only(
            torch.Tensor, lambda t: t.detach() if t.is_quantized else t.detach().to("meta"), result
        )
        return result


def _run_for_types(module: fx.GraphModule, examples: Sequence[Any]) -> None:
    state = torch.get_rng_state()
    with torch.no_grad():
        _Recorder(module).run(*(pytree.tree_map_only(torch.Tensor, torch.clone, example) for example in examples))
    torch.set_rng_state(state)
