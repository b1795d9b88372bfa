"""Subgraph bodies of nodes: what they read from outside, and renaming what they read.

Terms: a *body* is a graph in an attribute of ``If``, ``Loop``, ``Scan`` or the like; it *captures* the outer tensors it
reads. Names are scoped: a body's own inputs, initializers and node outputs hide outer ones of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onnx import AttributeProto, GraphProto, NodeProto


def bodies(node: NodeProto) -> Iterator[GraphProto]:
    """Yields the bodies of a node, not those nested in them."""
    for attribute in node.attribute:
        kind = attribute.type
        if kind == AttributeProto.GRAPH or (kind == AttributeProto.UNDEFINED and attribute.HasField("g")):
            yield attribute.g
        elif kind in (AttributeProto.GRAPHS, AttributeProto.UNDEFINED):
            yield from attribute.graphs


def body_names(node: NodeProto) -> tuple[str, ...]:
    """Returns the attribute that each body of a node stands in, with its number where one holds several."""
    found: list[str] = []
    for attribute in node.attribute:
        kind = attribute.type
        if kind == AttributeProto.GRAPH or (kind == AttributeProto.UNDEFINED and attribute.HasField("g")):
            found.append(attribute.name)
        elif kind in (AttributeProto.GRAPHS, AttributeProto.UNDEFINED):
            found += [f"{attribute.name} {number}" for number in range(len(attribute.graphs))]
    return tuple(found)


def captures(node: NodeProto) -> set[str]:
    """Returns the names of outer tensors that the node's bodies read, at any depth."""
    found: set[str] = set()
    for body in bodies(node):
        own = defined_names(body)
        for inner in body.node:
            found.update(name for name in inner.input if name and name not in own)
            found.update(captures(inner) - own)
        found.update(output.name for output in body.output if output.name and output.name not in own)
    return found


def defined_names(graph: GraphProto) -> set[str]:
    """Returns the names that a graph defines itself: inputs, initializers, node outputs."""
    names = {value.name for value in graph.input}
    names.update(initializer.name for initializer in graph.initializer)
    names.update(sparse.values.name for sparse in graph.sparse_initializer)
    for node in graph.node:
        names.update(node.output)
    return names


def all_names(graph: GraphProto) -> set[str]:
    """Returns every tensor name in a graph and its bodies, read or defined."""
    names = defined_names(graph)
    names.update(output.name for output in graph.output)
    for node in graph.node:
        names.update(node.input)
        for body in bodies(node):
            names |= all_names(body)
    return names


def rename_reads(node: NodeProto, renamed: Mapping[str, str]) -> None:
    """Changes, in place, the tensors that a node and its bodies read; what a body defines itself stays."""
    for slot, name in enumerate(node.input):
        if name in renamed:
            node.input[slot] = renamed[name]
    for body in bodies(node):
        _rename_in_body(body, renamed)


def _rename_in_body(body: GraphProto, renamed: Mapping[str, str]) -> None:
    own = defined_names(body)
    visible = {old: new for old, new in renamed.items() if old not in own}
    if not visible:
        return
    for node in body.node:
        rename_reads(node, visible)
    for output in body.output:
        if output.name in visible:
            output.name = visible[output.name]
