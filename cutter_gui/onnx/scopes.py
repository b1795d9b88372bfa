"""Which group a node belongs to, as its exporter tells.

Keys of node metadata: torch's exporter writes ``pkg.torch.onnx.name_scopes`` (a list in text, outermost first, each
entry the whole dotted path) and ``namespace`` (``path: class/path: class/...``).
"""

from __future__ import annotations

import ast

from onnx import NodeProto

_NAME_SCOPES = "pkg.torch.onnx.name_scopes"
_NAMESPACE = "namespace"


def scope_of(node: NodeProto) -> tuple[str, ...]:
    """Returns the groups of a node, outermost first, without the node's own name."""
    metadata = {entry.key: entry.value for entry in node.metadata_props}
    if _NAME_SCOPES in metadata:
        return _from_name_scopes(metadata[_NAME_SCOPES])
    if _NAMESPACE in metadata:
        parts = [part.split(":")[0].strip() for part in metadata[_NAMESPACE].split("/")]
        return tuple(part for part in parts[:-1] if part)
    separator = "/" if "/" in node.name else "." if "." in node.name else ""
    if not separator:
        return ()
    return tuple(part for part in node.name.split(separator)[:-1] if part)


def _from_name_scopes(text: str) -> tuple[str, ...]:
    """Reads ``['', 'layers', 'layers.0', 'linear']``: each entry but the last is a path; the last is the node."""
    try:
        entries = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ()
    if not isinstance(entries, list):
        return ()
    paths = [entry for entry in entries[:-1] if isinstance(entry, str) and entry]
    return tuple(path.rsplit(".", 1)[-1] for path in paths)
