"""How a cut spec is written: the text of a new one, and of single edges and cuts that are put into an existing one."""

from __future__ import annotations

from dataclasses import dataclass

from cutter_gui.core.errors import CutterError
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.yaml_edit import Fresh
from cutter_gui.core.yaml_scalars import scalar

FORMAT = "cutter-gui/cuts"
VERSION = 1
MODEL_KEYS = ("path", "kind", "fingerprint")


@dataclass(frozen=True)
class ModelRef:
    """The model a plan is for.

    Attributes:
        path: The model file, relative to the file that says so where it can be.
        kind: The format's name: ``onnx``, ``fx``.
        fingerprint: ``sha256:...`` of the structure.
    """

    path: str | None = None
    kind: str | None = None
    fingerprint: str | None = None


def new_text(plan: Plan, model: ModelRef | None) -> str:
    """Returns the text of a new cut spec."""
    lines = [f"format: {FORMAT}", f"version: {VERSION}"]
    if model is not None:
        lines += model_entry(model).lines
    lines += [f"transport: {plan.transport}", *cuts_entry(plan.cuts).lines]
    return "\n".join(lines) + "\n"


def model_entry(model: ModelRef) -> Fresh:
    """Returns ``model: ...``."""
    pairs = [f"{key}: {scalar(value)}" for key in MODEL_KEYS if (value := getattr(model, key)) is not None]
    flow = f"model: {{{', '.join(pairs)}}}"
    return Fresh(("model:", *(f"  {pair}" for pair in pairs)) if pairs else (flow,), flow)


def cuts_entry(cuts: tuple[Cut, ...]) -> Fresh:
    """Returns ``cuts: ...``."""
    return _list_entry("cuts", [cut_item(cut) for cut in cuts])


def consumers_entry(consumers: tuple[str, ...]) -> Fresh:
    """Returns ``consumers: [...]``, on one line in either style."""
    text = f"consumers: [{', '.join(map(scalar, consumers))}]"
    return Fresh((text,), text)


def cut_item(cut: Cut, edges: list[Fresh] | None = None) -> Fresh:
    """Returns a cut as an item of a list; ``edges`` are its edges as they are to be written."""
    entries = [_list_entry("edges", [edge_item(edge) for edge in cut.edges] if edges is None else edges)]
    if cut.name is not None:
        entries.insert(0, name_entry(cut.name))
    lines = [line for entry in entries for line in entry.lines]
    flow = f"{{{', '.join(entry.flow for entry in entries)}}}"
    return Fresh((f"- {lines[0]}", *(f"  {line}" for line in lines[1:])), flow)


def name_entry(name: str) -> Fresh:
    """Returns ``name: ...``."""
    text = f"name: {scalar(name)}"
    return Fresh((text,), text)


def edge_item(edge: CutEdge) -> Fresh:
    """Returns an edge as an item of a list."""
    tensor = f"tensor: {scalar(edge.tensor)}"
    if edge.consumers is None:
        return Fresh((f"- {tensor}",), f"{{{tensor}}}")
    flow = f"{{{tensor}, {consumers_entry(edge.consumers).flow}}}"
    return Fresh((f"- {flow}",), flow)


def consumer_item(name: str) -> Fresh:
    """Returns a consumer as an item of a list."""
    return Fresh((f"- {scalar(name)}",), scalar(name))


def check_writable(plan: Plan) -> None:
    """Refuses a plan with names that no spec can hold.

    Raises:
        CutterError: A tensor or consumer has the empty name, which no edge can have.
    """
    for index, cut in enumerate(plan.cuts):
        for edge in cut.edges:
            if not edge.tensor or (edge.consumers is not None and "" in edge.consumers):
                raise CutterError("an edge with an empty name", f"cut {index + 1}", "take the edge out of the plan")


def _list_entry(key: str, items: list[Fresh]) -> Fresh:
    flow = f"{key}: [{', '.join(item.flow for item in items)}]"
    if not items:
        return Fresh((flow,), flow)
    return Fresh((f"{key}:", *(f"  {line}" for item in items for line in item.lines)), flow)
