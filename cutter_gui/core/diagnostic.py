"""What is wrong with a plan or a graph, and what would mend it (DESIGN, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import overload

from cutter_gui.core.plan import Plan


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        return ("error", "warning", "info").index(self.value)


@dataclass(frozen=True)
class Fix:
    """A mend that can be applied with one click.

    Attributes:
        title: What it does, in the imperative.
        edits: The plan edits in order, as plain data that `check --json` prints.
        plan: The plan after the edits.
    """

    title: str
    edits: tuple[dict[str, object], ...]
    plan: Plan


class LaterFixes(Sequence[Fix]):
    """Mends that are worked out when they are first looked at: finding them may take far longer than the finding.

    It is true without being worked out, so there must be at least one mend.

    Args:
        find: Works them out, best first.
    """

    def __init__(self, find: Callable[[], tuple[Fix, ...]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> tuple[Fix, ...]:
        return self._find()

    @property
    def are_known(self) -> bool:
        """Whether they have been worked out."""
        return "_found" in self.__dict__

    def settle(self, fixes: tuple[Fix, ...]) -> None:
        """Takes over what the same search found elsewhere, as in another process."""
        self.__dict__.setdefault("_found", fixes)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, at: int) -> Fix: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Fix, ...]: ...
    def __getitem__(self, at: int | slice) -> Fix | tuple[Fix, ...]:
        return self._found[at]

    def __iter__(self) -> Iterator[Fix]:
        return iter(self._found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._found == tuple(other)

    def __hash__(self) -> int:
        return hash(self._found)

    def __reduce__(self) -> tuple[type[tuple[Fix, ...]], tuple[tuple[Fix, ...]]]:
        return tuple, (self._found,)  # another process gets the mends, not the way to find them


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: A stable word for programs, such as ``incomplete-cut``.
        severity: Errors make the plan invalid.
        message: One plain sentence.
        tensors: Names of the tensors at fault.
        nodes: Indices of the nodes at fault; for ``incomplete-cut`` the path that is still joined, in order.
        node_names: How those nodes are named in files: by their first output.
        cut: The cut concerned, or None.
        fixes: Mends, best first; perhaps `LaterFixes`.
    """

    code: str
    severity: Severity
    message: str
    tensors: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    node_names: tuple[str, ...] = ()
    cut: int | None = None
    fixes: Sequence[Fix] = ()

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def as_json(self) -> dict[str, object]:
        """Returns the entry that ``check --json`` prints (DESIGN, section 5)."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "tensors": list(self.tensors),
            "nodes": list(self.node_names),
            "fixes": [{"title": fix.title, "edits": list(fix.edits)} for fix in self.fixes],
        }
