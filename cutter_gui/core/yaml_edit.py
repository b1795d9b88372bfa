"""Edits of YAML text that leave all that is not edited as it stands.

An edit of a collection is a list of parts, each an entry that is kept or a new one, in the order wanted; it results in
patches of the text. Entries take their comments along (see `cutter_gui.core.yaml_layout`), those of entries that are
not kept go. Time is linear in the text of the collections whose order or number of entries changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cutter_gui.core.yaml_layout import BlockLayout, FlowLayout, Layouts, Place


@dataclass(frozen=True)
class Patch:
    """``text[start:end]`` is replaced."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fresh:
    """A new entry.

    Attributes:
        lines: Its lines in block style, as they are at column 0.
        flow: Its text in flow style.
    """

    lines: tuple[str, ...]
    flow: str


@dataclass(frozen=True)
class Keep:
    """An entry that is kept, with patches of its inside."""

    index: int
    patches: tuple[Patch, ...] = ()


Part: TypeAlias = "Keep | Fresh"


def patched(text: str, patches: Iterable[Patch], start: int = 0, end: int | None = None) -> str:
    """Returns ``text[start:end]`` with patches applied that lie in it and do not overlap."""
    pieces = []
    for patch in sorted(patches, key=lambda patch: (patch.start, patch.end)):
        pieces += [text[start : patch.start], patch.text]
        start = patch.end
    pieces.append(text[start:end])
    return "".join(pieces)


def rearranged(layouts: Layouts, place: Place, parts: Sequence[Part]) -> tuple[Patch, ...]:
    """Returns the patches that give a collection these entries.

    Raises:
        UnusualLayout: The collection is written in a way that no edit is foreseen for.
    """
    collection = place.collection
    kept = [part.index for part in parts if isinstance(part, Keep)]
    if len(kept) == len(parts) and kept == list(range(len(collection.entries))):
        return tuple(patch for part in parts if isinstance(part, Keep) for patch in part.patches)
    if not collection.flow:
        return _block_patches(layouts, place, parts)
    if collection.entries:
        return (Patch(collection.start, collection.end, _flow_text(layouts, place, parts)),)
    return _filled(layouts, place, [part for part in parts if isinstance(part, Fresh)])


def moved(layouts: Layouts, place: Place, index: int, flow: str) -> Fresh:
    """Returns an entry of a block collection, comments included, for use in another collection.

    Args:
        layouts: The layouts of the text.
        place: The collection it is in.
        index: The entry.
        flow: Its text should it come to stand in a flow collection.
    """
    layout = layouts.block(place)
    start, end = layout.bodies[index]
    lines = (layout.leads[index] + " " * layout.column + layouts.text[start:end]).splitlines()
    return Fresh(tuple(_without_indent(line, layout.column) for line in lines), flow)


def _without_indent(line: str, column: int) -> str:
    return line[column:] if not line[:column].strip() else line.lstrip()


def _block_patches(layouts: Layouts, place: Place, parts: Sequence[Part]) -> tuple[Patch, ...]:
    layout = layouts.block(place)
    if not parts:
        brackets = " {}" if place.collection.mapping else " []"
        emptied = Patch(layout.start, layout.end, layout.head + layout.tail)
        return (Patch(place.header_end, place.header_end, brackets), emptied)
    newline, indent = layouts.newline, " " * layout.column
    between = layout.blanks[1:]
    usual = between[0] if between and all(between) else ""
    pieces = [layout.head]
    for position, part in enumerate(parts):
        if isinstance(part, Keep):
            lead = layout.leads[part.index]
            body = indent + patched(layouts.text, part.patches, *layout.bodies[part.index])
        else:
            lead = ""
            body = "".join(f"{indent if line else ''}{line}{newline}" for line in part.lines)
        if not body.endswith(("\n", "\r")):
            body += newline
        if position == 0 and layout.inline:
            pieces.append((lead + body).lstrip(" "))
        else:
            pieces.append(_blank_lines(layout, position, part, usual) + lead + body)
    text = "".join((*pieces, layout.tail))
    if layout.end == len(layouts.text) and not layouts.text.endswith(("\n", "\r")):
        text = text.removesuffix(newline)
    return (Patch(layout.start, layout.end, text),)


def _blank_lines(layout: BlockLayout, position: int, part: Part, usual: str) -> str:
    """The blank lines above an entry: its own, but those above the first belong to the first whichever that is."""
    if position == 0:
        return layout.blanks[0]
    return layout.blanks[part.index] if isinstance(part, Keep) and part.index > 0 else usual


def _filled(layouts: Layouts, place: Place, parts: Sequence[Fresh]) -> tuple[Patch, ...]:
    """Fills an empty flow collection, in block style where that can be."""
    collection = place.collection
    start, end = collection.start, collection.end
    inside = layouts.text[start + 1 : end - 1]
    if not place.in_block or inside.strip():
        inside = inside if inside.strip() else ""
        flow = ", ".join(part.flow for part in parts)
        return (Patch(start + 1, end - 1, inside + flow),)
    newline, indent = layouts.newline, " " * place.column
    lines = [f"{indent if line else ''}{line}" for part in parts for line in part.lines]
    below = layouts.line_end(end)
    line_open = not layouts.text[end:below].endswith(("\n", "\r"))
    body = newline.join(lines)
    body = newline + body if line_open else body + newline
    return (Patch(place.header_end, end, ""), Patch(below, below, body))


def _flow_text(layouts: Layouts, place: Place, parts: Sequence[Part]) -> str:
    collection, text = place.collection, layouts.text
    layout = layouts.flow(place)
    opening, closing = text[collection.start], text[collection.end - 1]
    if not parts:
        rest = layout.head + layout.closing
        return opening + (rest if "#" in rest else "") + closing
    next_line = _next_line(layout, layouts.newline)
    pieces = [opening, layout.head]
    after_comment = bool(layout.head)
    for position, part in enumerate(parts):
        lead, before, trail = _blank_lead(layout, position), "", ""
        if isinstance(part, Keep):
            lead = layout.leads[part.index] if "#" in layout.leads[part.index] else lead
            before = layout.before_commas[part.index] if "#" in layout.before_commas[part.index] else ""
            trail = layout.trails[part.index]
            body = patched(text, part.patches, *layout.bodies[part.index])
        else:
            body = part.flow
        comma = "," if position + 1 < len(parts) or layout.trailing_comma else ""
        pieces += [_on_next_line(lead, next_line) if after_comment else lead, body, before, comma, trail]
        after_comment = bool(trail)
    pieces += [_on_next_line(layout.closing, next_line) if after_comment else layout.closing, closing]
    return "".join(pieces)


def _blank_lead(layout: FlowLayout, position: int) -> str:
    """The blanks before the entry at a position."""
    if position and len(layout.leads) == 1 and not any(c in layout.leads[0] for c in "\r\n"):
        return " "
    lead = layout.leads[min(position, len(layout.leads) - 1)]
    return lead[len(lead.rstrip(" \t\r\n")) :] if "#" in lead else lead


def _next_line(layout: FlowLayout, newline: str) -> str:
    """A line break with the indentation that entries have."""
    for lead in layout.leads:
        stripped = lead.rstrip(" \t")
        if stripped.endswith(("\n", "\r")):
            return newline + lead[len(stripped) :]
    return newline + "  "


def _on_next_line(blanks: str, next_line: str) -> str:
    return blanks if blanks.lstrip(" \t").startswith(("\n", "\r")) else next_line + blanks.lstrip(" \t")
