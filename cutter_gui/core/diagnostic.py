"""What is wrong with a plan or a graph, and what would mend it (DESIGN, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

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
        fixes: Mends, best first.
    """

    code: str
    severity: Severity
    message: str
    tensors: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()
    node_names: tuple[str, ...] = ()
    cut: int | None = None
    fixes: tuple[Fix, ...] = ()

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
