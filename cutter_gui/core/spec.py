"""Cut specs, ``*.cuts.yaml``: a plan in a file that people edit (DESIGN, section 3).

A plain scalar is a name as it is written, whatever YAML would make of it. Comments, key order, quoting and layout of
the file that a spec was read from survive edits of its plan.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import cast

from cutter_gui.core.errors import CutterError
from cutter_gui.core.plan import TRANSPORTS, Cut, CutEdge, Plan, Transport
from cutter_gui.core.real_path import real_path
from cutter_gui.core.spec_edit import Source, edited_text
from cutter_gui.core.spec_text import FORMAT, MODEL_KEYS, VERSION, ModelRef, check_writable, new_text
from cutter_gui.core.text_file import read_text, write_text
from cutter_gui.core.yaml_checks import document, mapping, one_of, sequence, string
from cutter_gui.core.yaml_layout import UnusualLayout
from cutter_gui.core.yaml_parse import parse_tree
from cutter_gui.core.yaml_tree import Node, Tree

SUFFIX = ".cuts.yaml"


@dataclass(frozen=True)
class CutSpec:
    """A plan and what a file says besides.

    Attributes:
        plan: The plan.
        model: The model it is for, if the file says so.
        source: The text it was read from, which `spec_text` edits; None for a new spec.
    """

    plan: Plan
    model: ModelRef | None = None
    source: Source | None = field(default=None, compare=False, repr=False)

    def with_plan(self, plan: Plan) -> CutSpec:
        """Returns the same spec with another plan; the comments stay with the cuts and edges that are left."""
        return replace(self, plan=plan)

    def with_model(self, model: ModelRef | None) -> CutSpec:
        """Returns the same spec for another model."""
        return replace(self, model=model)


def read_spec(path: str | os.PathLike[str]) -> CutSpec:
    """Reads a cut spec.

    Raises:
        CutterError: The file cannot be read or is no cut spec; the place is ``file:line:column``.
    """
    return parse_spec(read_text(path), os.fspath(path))


def parse_spec(text: str, where: str) -> CutSpec:
    """Reads a cut spec from its text.

    Args:
        text: The text as it stands in the file; line ends and a byte order mark are kept for writing.
        where: The file's name, for messages.

    Raises:
        CutterError: The text is no cut spec; the place is ``where:line:column``.
    """
    tree = parse_tree(text, where)
    keys = document(tree, FORMAT, VERSION, required=("cuts",), optional=("model", "transport"))
    model = _model(tree, keys["model"]) if "model" in keys else None
    transport: Transport = "relay"
    if "transport" in keys:
        transport = cast(Transport, one_of(tree, keys["transport"], "transport", TRANSPORTS))
    cuts = sequence(tree, keys["cuts"], "cuts", "- edges: ...")
    plan = Plan(tuple(_cut(tree, cut) for cut in cuts), transport)
    return CutSpec(plan, model, Source(text, tree, plan, model))


def spec_text(spec: CutSpec) -> str:
    """Returns the text of a spec: as it was read where nothing has changed, else with the fewest edits.

    Raises:
        CutterError: A name in the plan is empty.
    """
    check_writable(spec.plan)
    if spec.source is None:
        return new_text(spec.plan, spec.model)
    try:
        text = edited_text(spec.source, spec.plan, spec.model)
    except UnusualLayout:
        return new_text(spec.plan, spec.model)
    # An edit that came out wrong must not cost the user the plan: rather lose comments than cuts.
    return text if text == spec.source.text or _says(text, spec) else new_text(spec.plan, spec.model)


def write_spec(spec: CutSpec, path: str | os.PathLike[str]) -> None:
    """Writes a cut spec atomically; an existing file keeps its mode.

    Raises:
        CutterError: A name in the plan is empty, or the file cannot be written.
    """
    write_text(path, spec_text(spec))


def model_file(spec: CutSpec, path: str | os.PathLike[str]) -> Path | None:
    """Returns the model file that the spec at ``path`` names, or None."""
    if spec.model is None or spec.model.path is None:
        return None
    return Path(path).parent / spec.model.path


def path_for_spec(model: str | os.PathLike[str], path: str | os.PathLike[str]) -> str:
    """Returns how the spec at ``path`` names a model file: relative to itself where that can be, with ``/``."""
    try:
        return PurePath(os.path.relpath(real_path(model), real_path(path).parent)).as_posix()
    except ValueError:  # another drive
        return real_path(model).as_posix()


def _says(text: str, spec: CutSpec) -> bool:
    try:
        found = parse_spec(text, "")
    except CutterError:
        return False
    return found == spec


def _model(tree: Tree, node: Node) -> ModelRef:
    keys = mapping(tree, node, "model", (), MODEL_KEYS, "path: model.onnx")
    return ModelRef(**{key: string(tree, value, key) for key, value in keys.items()})


def _cut(tree: Tree, node: Node) -> Cut:
    keys = mapping(tree, node, "a cut", ("edges",), ("name",), "edges: [...]")
    name = string(tree, keys["name"], "name", empty_allowed=True) if "name" in keys else None
    edges = sequence(tree, keys["edges"], "edges", "- tensor: ...")
    return Cut(tuple(_edge(tree, edge) for edge in edges), name)


def _edge(tree: Tree, node: Node) -> CutEdge:
    keys = mapping(tree, node, "an edge", ("tensor",), ("consumers",), "tensor: ...")
    tensor = string(tree, keys["tensor"], "tensor")
    if "consumers" not in keys:
        return CutEdge(tensor)
    items = sequence(tree, keys["consumers"], "consumers", "[...] with their names")
    if not items:
        remedy = "leave out consumers to cut all, or name at least one"
        raise tree.error("an edge lists no consumers", keys["consumers"], remedy)
    return CutEdge(tensor, [string(tree, item, "a consumer") for item in items])
