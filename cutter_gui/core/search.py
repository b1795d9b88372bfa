"""Finding nodes and tensors by what is typed.

Terms: a *query* is words with a space between; a thing is found when it fits all. A word is plain, or names what it is
about: ``name:``, ``op:``, ``tensor:``, ``dtype:``, ``shape:``, ``attr:``; ``/text/`` is a regular expression. A
*column* is a text for each of many things, kept as one string with a line for each.

Steps: (1) columns are made when they are first asked for: names, and the distinct ops, attributes, dtypes and shapes,
of which there are few; (2) a word is searched for in the whole of a column at once, and places where it stands become
lines by a binary search; (3) what was found in tensors is carried over to the nodes that make them, or, for weights, to
those that read them; (4) the sets for the words are intersected.

Complexity: O(text) once for the columns, and for a word O(text of its columns) in compiled code. Left out: ranking, but
for a tensor whose name is exactly what was typed, which comes first; words with a space in them. Expressions can take
exponential time: after `EXPRESSION_SECONDS` they are given up.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Bools, Graph, Ints, TensorKind
from cutter_gui.core.groups import places
from cutter_gui.core.time_limit import TooLong, limited
from cutter_gui.core.units import shape_text

FIELDS = ("name", "op", "tensor", "dtype", "shape", "attr")
EXPRESSION_SECONDS = 0.5  # of processor time
_FILTERS = ("op", "dtype", "shape")
_SHAPE = re.compile(r"\w+(?:[x×*,]\w+)+")


class TooComplex(CutterError):
    """An expression takes too long to look for."""


@dataclass(frozen=True, eq=False)
class Hits:
    """What a query found.

    Attributes:
        tensors: Tensors: the one of exactly that name, inputs, and those asked for as tensors.
        nodes: Nodes in the order of the graph.
        filters: Whether the query asks for a kind of thing, so that the rest is of no interest.
    """

    tensors: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    nodes: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    filters: bool = False

    def __len__(self) -> int:
        return len(self.tensors) + len(self.nodes)

    def at(self, index: int) -> tuple[int, int]:
        """Returns tensor and node of a hit, -1 for the one it is not."""
        if index < len(self.tensors):
            return int(self.tensors[index]), -1
        return -1, int(self.nodes[index - len(self.tensors)])


class _Column:
    """Texts of many things."""

    def __init__(self, texts: Iterable[str]) -> None:
        lines = [text.replace("\n", " ") for text in texts]
        self.count = len(lines)
        self._folded = "\n".join(lines).lower()
        if len(self._folded) != sum(map(len, lines)) + max(len(lines) - 1, 0):
            # A few letters become two when they are made small: places are those of the folded lines.
            lines = [line.lower() for line in lines]
        self._starts = np.cumsum([0, *(len(line) + 1 for line in lines)])[:-1] if lines else np.zeros(0, np.int64)

    def matching(self, places_of: Callable[[str], Iterable[int]]) -> Bools:
        """Returns which texts a search stands in."""
        found = np.zeros(self.count, dtype=np.bool_)
        at = np.fromiter(places_of(self._folded), dtype=np.int64)
        if len(at) and self.count:
            found[np.searchsorted(self._starts, at, side="right") - 1] = True
        return found


def _occurrences(word: str) -> Callable[[str], Iterable[int]]:
    """Returns a search for a word, whatever its case; of several places in a line the first is enough."""
    wanted = word.lower()

    def search(text: str) -> Iterable[int]:
        at = text.find(wanted)
        while at >= 0:
            yield at
            line_end = text.find("\n", at)
            at = text.find(wanted, line_end) if line_end >= 0 else -1

    return search


def _expression(pattern: str) -> Callable[[str], Iterable[int]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what may mean something else in a later Python is of no use here
            compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise CutterError("this is no regular expression", f"/{pattern}/", str(error)) from error
    return lambda text: (match.start() for match in compiled.finditer(text))


class SearchIndex:
    """Finds things in a graph; see the top of this file."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def find(self, query: str) -> Hits:
        """Returns what fits all words of a query; nothing for an empty one.

        Raises:
            CutterError: A word between slashes is no regular expression.
            TooComplex: It is one, but takes too long to look for.
        """
        words = _words(query)
        if not any(about.endswith("/") for about, _ in words):
            return self._fitting_all(words)
        self.prepare()  # making columns takes time of its own
        try:
            with limited(EXPRESSION_SECONDS):
                return self._fitting_all(words)
        except TooLong as error:
            raise TooComplex("this expression takes too long to look for", query, "use a simpler one") from error

    def _fitting_all(self, words: list[tuple[str, str]]) -> Hits:
        """Returns what fits all words."""
        if not words:
            return Hits()
        graph = self._graph
        nodes = np.ones(graph.node_count, dtype=np.bool_)
        tensors = np.ones(graph.tensor_count, dtype=np.bool_)
        for about, word in words:
            in_nodes, in_tensors = self._fitting(about, word)
            nodes &= in_nodes
            tensors &= in_tensors
        of_tensors = all(about == "tensor" for about, _ in words)
        listed = np.flatnonzero(tensors if of_tensors else tensors & (graph.tensor_kind == TensorKind.INPUT))
        exact = graph.tensor_index.get(words[0][1]) if len(words) == 1 and words[0][0] in ("", "tensor") else None
        if exact is not None and graph.tensor_kind[exact] != TensorKind.INITIALIZER:
            listed = np.concatenate([[exact], listed[listed != exact]])
        found = np.zeros(0, np.int64) if of_tensors and len(listed) else np.flatnonzero(nodes)
        return Hits(
            tensors=listed.astype(np.int32),
            nodes=found[np.argsort(self._places[found], kind="stable")].astype(np.int32),
            filters=any(about in _FILTERS for about, _ in words),
        )

    def prepare(self) -> None:
        """Makes all columns, so that the first search is as fast as any other."""
        for about in FIELDS:
            self._fitting(about, "\0")

    def _fitting(self, about: str, word: str) -> tuple[Bools, Bools]:
        """Returns the nodes and the tensors that a word fits."""
        is_expression = about.endswith("/")
        search = _expression(word) if is_expression else _occurrences(word)
        about = about.rstrip("/")
        if about == "shape":
            return self._by_tensor(self._shapes_with("" if is_expression else word, search))
        if about == "dtype":
            return self._by_tensor(self._dtypes_with(search))
        if about == "tensor":
            return self._by_tensor(self._tensor_names.matching(search))
        none = np.zeros(self._graph.tensor_count, dtype=np.bool_)
        if about == "op":
            return self._ops.matching(search)[self._graph.node_op], none
        if about == "attr":
            texts, which = self._attributes
            return texts.matching(search)[which], none
        if about == "name":
            return self._node_names.matching(search), none
        nodes, tensors = self._by_tensor(self._tensor_names.matching(search))
        for other in ("name", "op", "attr"):
            nodes = nodes | self._fitting(f"{other}/" if is_expression else other, word)[0]
        if is_expression:
            return nodes, tensors
        exact_type = self._dtypes_with(lambda text: _whole_lines(text, word.lower()))
        if np.any(exact_type):
            more, tensors = self._by_tensor(exact_type | tensors)
            nodes = nodes | more
        if _SHAPE.fullmatch(word):
            more, of_shape = self._by_tensor(self._shapes_with(word, search))
            nodes, tensors = nodes | more, tensors | of_shape
        return nodes, tensors

    def _by_tensor(self, tensors: Bools) -> tuple[Bools, Bools]:
        """Returns the nodes that go with tensors: their makers, for weights their readers; and the tensors."""
        graph = self._graph
        nodes = np.zeros(graph.node_count, dtype=np.bool_)
        makers = graph.tensor_producer[tensors]
        nodes[makers[makers >= 0]] = True
        weights = tensors & (graph.tensor_kind == TensorKind.INITIALIZER)
        nodes[graph.edge_consumer[weights[graph.edge_tensor]]] = True
        return nodes, tensors

    def _shapes_with(self, word: str, search: Callable[[str], Iterable[int]]) -> Bools:
        texts, which = self._shapes
        wanted = re.sub(r"[x*,]", "×", word.lower())
        found = texts.matching(_occurrences(f"×{wanted.strip('×')}×") if wanted.strip("×") else search)
        return np.asarray(found[which], dtype=np.bool_)

    def _dtypes_with(self, search: Callable[[str], Iterable[int]]) -> Bools:
        codes, which = self._dtypes
        return np.asarray(codes.matching(search)[which], dtype=np.bool_)

    @cached_property
    def _places(self) -> Ints:
        return places(self._graph)

    @cached_property
    def _node_names(self) -> _Column:
        graph = self._graph
        return _Column(graph.node_label(node) for node in range(graph.node_count))

    @cached_property
    def _tensor_names(self) -> _Column:
        return _Column(self._graph.tensor_names)

    @cached_property
    def _ops(self) -> _Column:
        return _Column(self._graph.op_types)

    @cached_property
    def _attributes(self) -> tuple[_Column, Ints]:
        return _distinct(self._graph.node_attributes, lambda found: " ".join(f"{name}={text}" for name, text in found))

    @cached_property
    def _shapes(self) -> tuple[_Column, Ints]:
        return _distinct(self._graph.tensor_shapes, lambda shape: f"×{shape_text(shape)}×")

    @cached_property
    def _dtypes(self) -> tuple[_Column, Ints]:
        return _distinct(
            self._graph.tensor_dtype.tolist(), lambda code: f"{dtype_of(code).name} {dtype_of(code).short}"
        )


def _distinct(values: Iterable[object], text: Callable[..., str]) -> tuple[_Column, Ints]:
    """Returns the texts of the distinct values, and for each value which text is its own."""
    known: dict[object, int] = {}
    which = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int32)
    return _Column(text(value) for value in known), which


def _whole_lines(text: str, word: str) -> Iterable[int]:
    """Yields where a word stands as one of the words of a line."""
    return (match.start() for match in re.finditer(rf"(?<!\S){re.escape(word)}(?!\S)", text))


def _words(query: str) -> list[tuple[str, str]]:
    """Returns what each word is about, ``""`` for anything, a slash behind for a regular expression, and the word."""
    found = []
    for word in query.split():
        about, colon, rest = word.partition(":")
        if not colon or about.lower() not in FIELDS:
            about, rest = "", word
        if len(rest) > 2 and rest.startswith("/") and rest.endswith("/"):
            found.append((about.lower() + "/", rest[1:-1]))
        elif rest:
            found.append((about.lower(), rest))
    return found
