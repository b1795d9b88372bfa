"""Puts an edited plan into the text of the cut spec it came from.

What stays the same keeps its text. An edge that went to another cut takes its comments along.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.spec_match import match_cuts, match_edges, match_names
from cutter_gui.core.spec_text import (
    MODEL_KEYS,
    ModelRef,
    consumer_item,
    consumers_entry,
    cut_item,
    edge_item,
    model_entry,
    name_entry,
)
from cutter_gui.core.text_file import BYTE_ORDER_MARK
from cutter_gui.core.yaml_edit import Fresh, Keep, Part, Patch, moved, patched, rearranged
from cutter_gui.core.yaml_layout import Layouts, Place
from cutter_gui.core.yaml_scalars import scalar
from cutter_gui.core.yaml_tree import Collection, Scalar, Tree


@dataclass(frozen=True)
class Source:
    """The text that a spec was read from, and what it says.

    Attributes:
        text: The text as it stands in the file.
        tree: Its nodes.
        plan: The plan it holds.
        model: The model it names.
    """

    text: str
    tree: Tree
    plan: Plan
    model: ModelRef | None


def edited_text(source: Source, plan: Plan, model: ModelRef | None) -> str:
    """Returns the source's text with another plan and model put in.

    Raises:
        UnusualLayout: The text is written in a way that no edit is foreseen for.
    """
    if (plan, model) == (source.plan, source.model):
        return source.text
    patches = _Editor(source, plan).document(model)
    mark = BYTE_ORDER_MARK if source.text.startswith(BYTE_ORDER_MARK) else ""
    return mark + patched(source.tree.text, patches)


class _Editor:
    """One edit of one text.

    Attributes:
        _cut_matches: For each new cut the old one, or None.
        _edge_matches: For each new cut and each of its edges the old edge of that old cut, or None.
        _homeless: Old edges that no cut keeps, by what they say, as (cut, edge).
    """

    def __init__(self, source: Source, plan: Plan) -> None:
        self._source = source
        self._plan = plan
        self._layouts = Layouts(source.tree)
        self._root = self._layouts.root()
        old = source.plan.cuts
        self._cut_matches = match_cuts(old, plan.cuts)
        self._edge_matches = [
            match_edges(() if match is None else old[match].edges, cut.edges)
            for cut, match in zip(plan.cuts, self._cut_matches, strict=True)
        ]
        kept = {
            (match, edge)
            for match, edges in zip(self._cut_matches, self._edge_matches, strict=True)
            for edge in edges
            if match is not None and edge is not None
        }
        self._homeless: dict[CutEdge, deque[tuple[int, int]]] = {}
        for cut_index, cut in enumerate(old):
            for edge_index, edge in enumerate(cut.edges):
                if (cut_index, edge_index) not in kept:
                    self._homeless.setdefault(edge, deque()).append((cut_index, edge_index))

    def document(self, model: ModelRef | None) -> tuple[Patch, ...]:
        parts: list[Part] = []
        before_cuts: list[Part] = []
        keys = _keys(self._root.collection)
        if model is not None and "model" not in keys:
            before_cuts.append(model_entry(model))
        if self._plan.transport != "relay" and "transport" not in keys:
            line = f"transport: {self._plan.transport}"
            before_cuts.append(Fresh((line,), line))
        for index, key in enumerate(keys):
            if key == "cuts":
                parts += [*before_cuts, Keep(index, self._cuts(self._layouts.value(self._root, index)))]
            elif key == "transport":
                parts.append(Keep(index, _changed(self._root.collection, index, self._plan.transport)))
            elif key == "model" and model != self._source.model:
                if model is not None:
                    parts.append(Keep(index, self._model(self._layouts.value(self._root, index), model)))
            else:
                parts.append(Keep(index))
        return rearranged(self._layouts, self._root, parts)

    def _model(self, place: Place, model: ModelRef) -> tuple[Patch, ...]:
        parts: list[Part] = []
        keys = _keys(place.collection)
        for index, key in enumerate(keys):
            value = getattr(model, key)
            if value is not None:
                parts.append(Keep(index, _changed(place.collection, index, value)))
        for key in MODEL_KEYS:
            value = getattr(model, key)
            if value is not None and key not in keys:
                text = f"{key}: {scalar(value)}"
                parts.append(Fresh((text,), text))
        return rearranged(self._layouts, place, parts)

    def _cuts(self, place: Place) -> tuple[Patch, ...]:
        parts: list[Part] = []
        for index, (cut, match) in enumerate(zip(self._plan.cuts, self._cut_matches, strict=True)):
            if match is None:
                parts.append(cut_item(cut, [self._edge_from_elsewhere(edge) for edge in cut.edges]))
            else:
                parts.append(Keep(match, self._cut(self._layouts.value(place, match), index, match)))
        return rearranged(self._layouts, place, parts)

    def _cut(self, place: Place, index: int, match: int) -> tuple[Patch, ...]:
        cut, old = self._plan.cuts[index], self._source.plan.cuts[match]
        if cut == old:
            return ()
        parts: list[Part] = []
        if cut.name is not None and old.name is None:
            parts.append(name_entry(cut.name))
        for entry, key in enumerate(_keys(place.collection)):
            if key == "edges":
                edges = self._layouts.value(place, entry)
                parts.append(Keep(entry, self._edges(edges, cut, old, self._edge_matches[index])))
            elif cut.name is not None:
                parts.append(Keep(entry, _changed(place.collection, entry, cut.name)))
        return rearranged(self._layouts, place, parts)

    def _edges(self, place: Place, cut: Cut, old: Cut, matches: list[int | None]) -> tuple[Patch, ...]:
        if cut.edges == old.edges:
            return ()
        parts: list[Part] = []
        for edge, match in zip(cut.edges, matches, strict=True):
            if match is None:
                parts.append(self._edge_from_elsewhere(edge))
            elif edge == old.edges[match]:
                parts.append(Keep(match))
            else:
                value = self._layouts.value(place, match)
                parts.append(Keep(match, self._edge(value, edge, old.edges[match])))
        return rearranged(self._layouts, place, parts)

    def _edge(self, place: Place, edge: CutEdge, old: CutEdge) -> tuple[Patch, ...]:
        parts: list[Part] = []
        for entry, key in enumerate(_keys(place.collection)):
            if key == "tensor":
                parts.append(Keep(entry, _changed(place.collection, entry, edge.tensor)))
            elif edge.consumers is not None and old.consumers is not None:
                consumers = self._layouts.value(place, entry)
                parts.append(Keep(entry, self._consumers(consumers, edge.consumers, old.consumers)))
        if edge.consumers is not None and old.consumers is None:
            parts.append(consumers_entry(edge.consumers))
        return rearranged(self._layouts, place, parts)

    def _consumers(self, place: Place, names: tuple[str, ...], old: tuple[str, ...]) -> tuple[Patch, ...]:
        parts: list[Part] = [
            consumer_item(name) if match is None else Keep(match)
            for name, match in zip(names, match_names(old, names), strict=True)
        ]
        return rearranged(self._layouts, place, parts)

    def _edge_from_elsewhere(self, edge: CutEdge) -> Fresh:
        """Returns an edge with the comments it had in another cut, or a new one."""
        item = edge_item(edge)
        places = self._homeless.get(edge)
        if not places:
            return item
        cut, index = places.popleft()
        cuts = self._layouts.value(self._root, _keys(self._root.collection).index("cuts"))
        cut_place = self._layouts.value(cuts, cut)
        edges = self._layouts.value(cut_place, _keys(cut_place.collection).index("edges"))
        return item if edges.collection.flow else moved(self._layouts, edges, index, item.flow)


def _keys(mapping: Collection) -> list[str]:
    return [entry.key.value for entry in mapping.entries if entry.key is not None]


def _changed(mapping: Collection, index: int, text: str) -> tuple[Patch, ...]:
    """Returns the patch that gives an entry of a mapping another string as its value, if it has not that one."""
    value = mapping.entries[index].value
    assert isinstance(value, Scalar)
    if value.value == text:
        return ()
    # The lines below a block scalar up to the next token count as its own.
    end = value.end if value.style not in ("|", ">") else value.start + 1
    return (Patch(value.start, end, scalar(text)),)
