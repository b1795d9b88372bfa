"""Messages between the window and a worker process.

A frame is eight bytes, the length as a big-endian number, then a pickled `Message`. Both ends are the same program on
the same machine and the pipe is private to them, so unpickling is safe here; it would not be for a file.

A graph of 50,000 nodes unpickles in far more time than one frame of a screen. It is therefore sent in pieces: one
frame for each field, long tuples cut into slices, so that the window can handle one piece, draw, and go on. A graph
that goes with a request is sent in the same way, before it.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions, SplitRequest, VerifyRequest

_HEADER = 8
_SLICE = 4000


@dataclass(frozen=True)
class OpenModel:
    """Reads a model and lays it out; sends the graph, its groups, how they are folded, then the scene, as parts.

    Attributes:
        path: The model.
        options: `LayoutOptions`, None for the defaults.
        folding: The `Folding` to draw, None for the one remembered or else what suits the graph.
        remembered: Foldings as text, by the fingerprint of the graph.
        load: How to open what is no plain file of a graph, None for the defaults.
        graph: The graph, when the window has it already and only the picture is to be made.
    """

    path: Path
    options: Any = None
    folding: Any = None
    remembered: Mapping[str, str] = dataclasses.field(default_factory=dict)
    load: LoadOptions | None = None
    graph: Any = None


@dataclass(frozen=True)
class LayOut:
    """Lays a graph out that the window has; sends the scene as a part."""

    graph: Any  # Graph
    options: Any  # LayoutOptions


@dataclass(frozen=True)
class SplitStages:
    """Writes the stages of a plan; the result is a `SplitResult`."""

    request: SplitRequest


@dataclass(frozen=True)
class VerifyStages:
    """Compares written stages with their original; the result is a `VerifyReport`."""

    request: VerifyRequest


class Task:
    """Work that brings its own code along, so that the worker need not know it.

    Its class is imported in the worker when the request arrives there; what it needs is imported when it runs.
    """

    def run(self, progress: Callable[[str, float], None]) -> object:
        """Does the work and returns its result."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReadSpec(Task):
    """Reads a cut spec; the result is a `CutSpec`."""

    path: Path

    def run(self, progress: Callable[[str, float], None]) -> object:
        from cutter_gui.core.spec import read_spec

        progress("Reading the cut spec", 0.0)
        return read_spec(self.path)


Request: TypeAlias = "OpenModel | LayOut | SplitStages | VerifyStages | Task"


class InternalError(CutterError):
    """An error that no code foresaw: a defect of the program, with the traceback for a report."""

    def __init__(self, what: str, where: str = "", remedy: str = "", details: str = "") -> None:
        super().__init__(what, where, remedy)
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.where, self.remedy, self.details))


@dataclass(frozen=True)
class Progress:
    """What is being done, and the fraction done, 0 to 1."""

    what: str
    fraction: float


@dataclass(frozen=True)
class PartBegins:
    """The pieces of an object of this class follow."""

    of: type


@dataclass(frozen=True)
class Piece:
    """A field of the part, or, when ``continues``, the next slice of one."""

    field: str
    value: object
    continues: bool = False


@dataclass(frozen=True)
class PartEnds:
    """All pieces of the part were sent."""


@dataclass(frozen=True)
class Attached:
    """The part that follows is this field of the request to come."""

    field: str


@dataclass(frozen=True)
class Result:
    """The job is done."""

    value: object


@dataclass(frozen=True)
class Failed:
    """The job ended in an error; ``details`` is the traceback of an error that no code foresaw, else empty."""

    error: CutterError
    details: str = ""


@dataclass(frozen=True)
class Stopping:
    """The request to stop was heard; what was begun is being removed."""


@dataclass(frozen=True)
class Stopped:
    """The job was cancelled and left nothing behind."""


Message: TypeAlias = "Progress | PartBegins | Piece | PartEnds | Result | Failed | Stopping | Stopped"


def encode(message: object) -> bytes:
    """Returns the frame of a message."""
    body = pickle.dumps(message, protocol=5)
    return len(body).to_bytes(_HEADER, "big") + body


def decode(body: bytes) -> Any:
    """Returns the message of a frame's body."""
    return pickle.loads(body)


class FrameReader:
    """Cuts a stream of bytes into the bodies of frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yields the bodies that ``data`` completes, in order."""
        self._buffer += data
        at = 0
        try:
            while len(self._buffer) - at >= _HEADER:
                end = at + _HEADER + int.from_bytes(self._buffer[at : at + _HEADER], "big")
                if len(self._buffer) < end:
                    return
                body = bytes(self._buffer[at + _HEADER : end])
                at = end
                yield body
        finally:
            del self._buffer[:at]


def read_exactly(stream: Any, size: int) -> bytes:
    """Reads ``size`` bytes from a blocking stream; fewer mean that it ended."""
    data = b""
    while len(data) < size:
        more = stream.read(size - len(data))
        if not more:
            break
        data += more
    return data


def request_in_pieces(request: Any) -> Iterator[object]:
    """Yields the messages that carry a request; what is large in it comes before it, piece by piece."""
    large = {field.name: getattr(request, field.name) for field in dataclasses.fields(request)}
    large = {name: value for name, value in large.items() if _is_large(value)}
    for name, value in large.items():
        yield Attached(name)
        yield from in_pieces(value)
    yield dataclasses.replace(request, **dict.fromkeys(large)) if large else request


def _is_large(value: object) -> bool:
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return False
    lengths = (len(part) for part in vars(value).values() if isinstance(part, tuple))
    return max(lengths, default=0) > _SLICE


def read_request(stream: Any) -> Any:
    """Reads one request from a blocking stream, with what was sent before it; None when the stream has ended."""
    attached: dict[str, object] = {}
    name, assembly = "", None
    while (message := read_frame(stream)) is not None:
        if isinstance(message, Attached):
            name = message.field
        elif isinstance(message, PartBegins):
            assembly = Assembly(message)
        elif isinstance(message, Piece) and assembly is not None:
            assembly.add(message)
        elif isinstance(message, PartEnds) and assembly is not None:
            attached[name] = assembly.finish()
        else:
            return dataclasses.replace(message, **attached) if attached else message
    return None


def read_frame(stream: Any) -> Any:
    """Reads one message from a blocking stream; None when the stream has ended."""
    header = read_exactly(stream, _HEADER)
    if len(header) < _HEADER:
        return None
    size = int.from_bytes(header, "big")
    body = read_exactly(stream, size)
    return decode(body) if len(body) == size else None


def in_pieces(part: Any) -> Iterator[Message]:
    """Yields the messages that carry a dataclass instance piece by piece."""
    yield PartBegins(type(part))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if not isinstance(value, tuple) or len(value) <= _SLICE:
            yield Piece(field.name, value)
            continue
        for start in range(0, len(value), _SLICE):
            yield Piece(field.name, value[start : start + _SLICE], continues=True)
    yield PartEnds()


class Assembly:
    """Puts the pieces of one part together."""

    def __init__(self, begins: PartBegins) -> None:
        self._of = begins.of
        self._fields: dict[str, object] = {}
        self._slices: dict[str, list[object]] = {}

    def add(self, piece: Piece) -> None:
        if piece.continues and isinstance(piece.value, tuple):
            self._slices.setdefault(piece.field, []).extend(piece.value)
        else:
            self._fields[piece.field] = piece.value

    def finish(self) -> object:
        """Returns the whole part."""
        return self._of(**self._fields, **{name: tuple(values) for name, values in self._slices.items()})
