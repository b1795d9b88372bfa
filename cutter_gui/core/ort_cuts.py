"""ONNX Runtime's notation for cuts, as in its trainer's ``cut_group_info``.

    cuts := cut ("," cut)*        cut := edge (":" edge)*        edge := tensor ["-" consumer ("/" consumer)*]

The notation has no escapes, yet names in models do hold these characters. Reading therefore weighs all ways to split
the string: the one with the fewest names that the model lacks is taken, and of these the one with the fewest names
altogether, so that a name that exists whole wins over splitting it. A name the model lacks ends at the first character
that can end it. Steps: from the end of the string backwards, the best reading of what follows each separator is found
from those of what follows later ones. Time is the number of separators times the number of them that fit within the
longest name of the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.plan import Cut, CutEdge, Plan

_SEPARATORS = re.compile(r"[-/:,]")
_AFTER_TENSOR = "-:,"
_AFTER_CONSUMER = "/:,"


@dataclass(frozen=True)
class _Reading:
    """The best reading from some place on: what its first name is and where the next begins.

    Attributes:
        cost: Number of unknown names, then number of names.
        end: Index after the first name; the separator stands there.
    """

    cost: tuple[int, int]
    end: int


def parse_ort_cuts(text: str, names: Collection[str] | None = None) -> list[Cut]:
    """Reads cuts in ONNX Runtime's notation.

    Args:
        text: The cuts, separated by commas.
        names: The names of the model's tensors; None splits at every separator.

    Raises:
        CutterError: A name is missing; the place is the character, counted from 1.
    """
    return [cut for _, cut in _placed_cuts(text, names)]


def parse_ort_cut(text: str, names: Collection[str] | None = None) -> Cut:
    """Reads one cut in ONNX Runtime's notation.

    Args:
        text: The cut.
        names: The names of the model's tensors, which alone may hold a comma.

    Raises:
        CutterError: A name is missing, or there are several cuts.
    """
    cuts = _placed_cuts(text, names)
    if len(cuts) > 1:
        raise CutterError("a comma begins another cut", _where(text, cuts[1][0] - 1), "give each cut by itself")
    return cuts[0][1]


def ort_cuts_text(plan: Plan) -> str:
    """Returns the cuts in ONNX Runtime's notation; their names and the transport have no place in it.

    Raises:
        CutterError: The plan has no cuts, a cut no edges, or a name cannot be written so that it is read back.
    """
    if not plan.cuts:
        raise CutterError("a plan without cuts cannot be written for ONNX Runtime", "", "add a cut")
    return ",".join(_cut_text(cut, index) for index, cut in enumerate(plan.cuts))


def _placed_cuts(text: str, names: Collection[str] | None) -> list[tuple[int, Cut]]:
    """Returns each cut with the index at which it begins."""
    known = frozenset(names or ())
    readings = _best_readings(text, known)
    cuts: list[tuple[int, Cut]] = []
    edges: list[CutEdge] = []
    found: list[str] = []  # the names of the present edge
    start = begin = 0
    while start <= len(text):
        end = readings[start, not found].end
        name = text[start:end] if text[start:end] in known else text[start:end].strip()
        if not name:
            what = f"the name of a {'consumer' if found else 'tensor'} is missing"
            raise CutterError(what, _where(text, start), "write tensor, or tensor-consumer/consumer")
        found.append(name)
        if text[end : end + 1] not in ("-", "/"):
            edges.append(CutEdge(found[0], found[1:] or None))
            found = []
        if text[end : end + 1] in (",", ""):
            cuts.append((begin, Cut(tuple(edges))))
            edges, begin = [], end + 1
        start = end + 1
    return cuts


def _where(text: str, index: int) -> str:
    return f'character {index + 1} of "{one_line(text, 80)}"'


def _cut_text(cut: Cut, index: int) -> str:
    if not cut.edges:
        remedy = "add an edge or remove the cut"
        raise CutterError("a cut without edges cannot be written for ONNX Runtime", f"cut {index + 1}", remedy)
    return ":".join(_edge_text(edge) for edge in cut.edges)


def _edge_text(edge: CutEdge) -> str:
    for name in (edge.tensor, *(edge.consumers or ())):
        if not name or _SEPARATORS.search(name) or name != name.strip():
            remedy = "save the plan as a cut spec; this notation has no way to write - / : , in names"
            raise CutterError("a name cannot be written for ONNX Runtime", f"tensor {one_line(name, 80)}", remedy)
    return edge.tensor if edge.consumers is None else f"{edge.tensor}-{'/'.join(edge.consumers)}"


def _best_readings(text: str, known: frozenset[str]) -> dict[tuple[int, bool], _Reading]:
    """Returns the best reading from each place where a name can begin, as a tensor and as a consumer."""
    separators = [match.start() for match in _SEPARATORS.finditer(text)]
    ends = [*separators, len(text)]
    longest = max(map(len, known), default=0)
    readings = {(len(text) + 1, is_tensor): _Reading((0, 0), 0) for is_tensor in (True, False)}
    for first in range(len(ends) - 1, -1, -1):
        start = separators[first - 1] + 1 if first else 0
        for is_tensor in (True, False):
            best: _Reading | None = None
            for end in ends[first:]:
                name = text[start:end].strip()
                if best is not None and len(name) > longest:
                    break
                following = text[end : end + 1]
                if following not in (_AFTER_TENSOR if is_tensor else _AFTER_CONSUMER):
                    continue
                is_known = name in known or text[start:end] in known
                if best is None or is_known:
                    unknown, count = readings[end + 1, following not in ("-", "/")].cost
                    cost = (unknown + (not is_known), count + 1)
                    if best is None or cost <= best.cost:
                        best = _Reading(cost, end)
            assert best is not None  # a name can end where the text ends
            readings[start, is_tensor] = best
    return readings
