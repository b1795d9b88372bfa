"""Symbolic tracing that keeps what fx loses: ``assert`` statements, assignments to buffers, changes in place."""

from __future__ import annotations

import ast
import inspect
import operator
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any, cast

import torch
from torch import fx, nn
from torch.fx.graph import _PyTreeCodeGen

from cutter_gui.fx.in_torch.program import put_back

_IN_PLACE = (
    *(operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod),
    *(operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift),
)


class _Proxy(fx.Proxy):
    """A proxy on which ``x += y`` changes what ``x`` stands for, as it does a tensor; that of fx makes a new value."""


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[fx.Proxy, Any], fx.Proxy]:
    def apply(self: fx.Proxy, other: Any) -> fx.Proxy:
        return self.tracer.create_proxy("call_function", function, (self, other), {})

    return apply


for _function in _IN_PLACE:
    setattr(_Proxy, f"__{_function.__name__}__", _in_place(_function))


class _Tracer(fx.Tracer):
    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)


def symbolic_trace_with_rewrite(
    root: nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> fx.GraphModule:
    """Traces a module or function symbolically, with its ``assert`` statements turned into ``torch._assert`` calls.

    Args:
        root: What to trace.
        concrete_args: Arguments that are constants.
    """
    try:
        return _traced(root, concrete_args, buffers=True)
    except fx.proxy.TraceError:
        # Code that decides by the value of a buffer can only be traced with that value.
        return _traced(root, concrete_args, buffers=False)


def _traced(
    root: nn.Module | Callable[..., Any], concrete_args: dict[str, Any] | None, buffers: bool
) -> fx.GraphModule:
    tracer = _Tracer()
    # Buffers are read when the graph runs, not when it is made: a change to one would be lost otherwise.
    tracer.proxy_buffer_attributes = buffers
    name = type(root).__name__ if isinstance(root, nn.Module) else root.__name__
    with _state_as_it_was(root) as held:
        with _asserts_in_the_graph(root) as rewritten:
            graph = tracer.trace(rewritten, concrete_args)
        if isinstance(root, nn.Module):
            _add_updates(graph, root, held)
        if isinstance(graph._codegen, _PyTreeCodeGen):
            # Where a default is a container, torch.fx writes defaults to places in its code where none may stand.
            for node in graph.find_nodes(op="placeholder"):
                node.args = ()
        # Here, where the module still has what tracing added to it.
        return fx.GraphModule(tracer.root, graph, name)


@contextmanager
def _state_as_it_was(root: nn.Module | Callable[..., Any]) -> Iterator[dict[str, torch.Tensor]]:
    """Puts back the attributes of a module and of those in it, and what is in its buffers: its code may change them.

    Yields:
        The buffers by qualified name.
    """
    modules = list(root.modules()) if isinstance(root, nn.Module) else []
    held = dict(root.named_buffers(remove_duplicate=False)) if isinstance(root, nn.Module) else {}
    values = [(tensor, tensor.detach().clone()) for tensor in held.values()]
    kept = [
        {name: dict(value) if type(value) is dict else value for name, value in vars(module).items()}
        for module in modules
    ]
    try:
        yield held
    finally:
        for module, attributes in zip(modules, kept, strict=True):
            for name in [name for name in vars(module) if name not in attributes]:
                del vars(module)[name]
            for name, value in attributes.items():
                now = vars(module).get(name)
                if type(value) is dict and type(now) is dict:
                    now.clear()
                    now.update(value)
                else:
                    vars(module)[name] = value
        put_back(values)


def _add_updates(graph: fx.Graph, root: nn.Module, held: Mapping[str, torch.Tensor]) -> None:
    """Lets a graph leave in each buffer what the code assigned to it, which fx drops."""
    output = next(node for node in reversed(list(graph.nodes)) if node.op == "output")
    for path, module in root.named_modules():
        for name, value in module._buffers.items():
            if not isinstance(value, fx.Proxy):
                continue
            target = f"{path}.{name}" if path else name
            module._buffers[name] = held.get(target)
            if target not in held:
                continue
            read = [node for node in graph.nodes if node.op == "get_attr" and node.target == target]
            if value.node.target in _IN_PLACE and value.node.args[0] in read:
                continue
            with graph.inserting_before(output):
                place = read[0] if read else graph.create_node("get_attr", target)
                graph.call_method("copy_", (place, value.node))


@contextmanager
def _asserts_in_the_graph(root: nn.Module | Callable[..., Any]) -> Iterator[nn.Module | Callable[..., Any]]:
    """Gives code whose ``assert`` statements are calls, for as long as it is traced.

    torch's own ``RewritingTracer`` rewrites every module, into a class that is no ``Sequential`` or ``ModuleList`` any
    more and whose methods have lost what they close over; here only the ``forward`` of those that assert is replaced.
    """
    if not isinstance(root, nn.Module):
        yield _rewritten(root) if isinstance(root, FunctionType) and _asserts(root) else root
        return
    changed = [
        module
        for module in root.modules()
        if not type(module).__module__.startswith("torch.nn")
        and isinstance(type(module).forward, FunctionType)
        and _asserts(type(module).forward)
    ]
    classes = [type(module) for module in changed]
    try:
        for module, kind in zip(changed, classes, strict=True):
            # Of a subclass, as the tracer asks the class of the root for its code.
            forward = _rewritten(cast(FunctionType, kind.forward))
            module.__class__ = type(kind.__name__, (kind,), {"forward": forward, "__module__": kind.__module__})
        yield root
    finally:
        for module, kind in zip(changed, classes, strict=True):
            module.__class__ = kind


def _rewritten(function: FunctionType) -> FunctionType:
    """Returns a function with calls in place of its ``assert`` statements."""
    # Imported when there is one: torch's compiler comes along with it, as long to import as all else of torch.
    from torch.fx.experimental.rewriter import AST_Rewriter

    return cast(FunctionType, AST_Rewriter().rewrite(function))


def _asserts(function: Callable[..., Any]) -> bool:
    """Whether the source of a function has an ``assert``; without its source nothing can be rewritten."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return False
    return any(isinstance(node, ast.Assert) for node in ast.walk(tree))
