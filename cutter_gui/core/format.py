"""What a model format offers, and how the formats installed are found.

A format is a package of its own behind `ModelFormat`; it registers under the entry point group
``cutter_gui.formats``. Neither the core nor the window names one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.foreign_code import Agreed, ForeignCode, Step
from cutter_gui.core.graph import Graph, Shape
from cutter_gui.core.plan import Plan

ENTRY_POINTS = "cutter_gui.formats"

Form = Literal["sendrecv", "plain", "both"]
FORMS: tuple[Form, ...] = ("sendrecv", "plain", "both")
Weights = Literal["copy", "share"]

Progress = Callable[[str, float], None]
"""Called with what is being done and the fraction done, 0 to 1; may raise `Cancelled`."""


def no_progress(what: str, fraction: float) -> None:
    """A `Progress` that tells nobody."""


@dataclass(frozen=True)
class TypeHint:
    """A dtype and shape given by the user where inference cannot tell (``--type name=float32[1,16]``)."""

    dtype: int
    shape: Shape


@dataclass(frozen=True)
class BodyStep:
    """A step from a graph into a subgraph body: the node, and which of its bodies (`Graph.node_bodies`)."""

    node: int
    body: int = 0


Trace = Literal["export", "symbolic"]
TRACES: tuple[Trace, ...] = ("export", "symbolic")


@dataclass(frozen=True)
class LoadOptions:
    """How to open what is no plain file of a graph; formats that have only such files ignore it.

    Attributes:
        trust: Whether code from the file may run.
        trace: How code becomes a graph.
        dynamic: Which sizes stay open, as ``input:dim`` or ``input:dim=name``; ``all`` for every one that can.
        agreed: The files that trust was given for, as they were then: code of others in their place does not run.
    """

    trust: bool = False
    trace: Trace = "export"
    dynamic: tuple[str, ...] = ()
    agreed: Agreed = ()


@dataclass(frozen=True)
class SplitRequest:
    """What to split and how.

    Attributes:
        model: The model file.
        plan: The plan.
        out: The folder to write into.
        form: Which of the two forms to write; ``both`` by default.
        weights: ``copy`` them, or ``share`` the source's data file.
        force: Whether an earlier result in ``out`` may be replaced.
        types: Types of tensors that inference cannot tell.
        trust: Whether code from the file may run.
        graph: The graph that `load` returned for this file with these types, so that it need not be read again.
        options: How the model was opened, and what was agreed to; ``trust`` above says whether code may run.
    """

    model: Path
    plan: Plan
    out: Path
    form: Form = "both"
    weights: Weights = "copy"
    force: bool = False
    types: Mapping[str, TypeHint] = field(default_factory=dict)
    trust: bool = False
    graph: Graph | None = None
    options: LoadOptions = field(default_factory=LoadOptions)


@dataclass(frozen=True)
class SplitResult:
    """What a split wrote.

    Attributes:
        out: The folder.
        files: The files written, the manifest last, relative to ``out``.
        bytes_written: Their total size.
        stage_count: Number of stages.
        notes: What could not be written, and why.
    """

    out: Path
    files: tuple[str, ...]
    bytes_written: int
    stage_count: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerifyRequest:
    """What to verify and how.

    Attributes:
        directory: A folder that `split` wrote.
        inputs: An ``.npz`` file with the inputs, or None to make them.
        seed: Seed of the inputs made.
        optimized: Whether to run with optimizations on and compare with a tolerance.
        trust: Whether code from the file may run.
        train: Whether to compare gradients of every weight too.
        agreed: The files that trust was given for, as they were then.
    """

    directory: Path
    inputs: Path | None = None
    seed: int = 0
    optimized: bool = False
    trust: bool = False
    train: bool = False
    agreed: Agreed = ()


@dataclass(frozen=True)
class OutputReport:
    """How one model output compares.

    Attributes:
        name: The output.
        stage: The stage that makes it.
        form: ``plain`` or ``sendrecv``.
        identical: Whether every bit agrees.
        accepted: Whether it is identical, or within a tolerance that applies.
        max_abs: Largest absolute difference; None where identical or not comparable.
        max_rel: Largest relative difference; None likewise.
        first_difference: Index of the first differing element, or None.
        note: Why a tolerance applies, or what else is to be said.
    """

    name: str
    stage: int
    form: str
    identical: bool
    accepted: bool
    max_abs: float | None = None
    max_rel: float | None = None
    first_difference: tuple[int, ...] | None = None
    note: str = ""

    def sentence(self) -> str:
        """Returns the finding in words."""
        if self.identical:
            return "identical"
        parts = []
        if self.max_abs is not None:
            parts.append(f"differs by at most {self.max_abs:.3g} (relative {self.max_rel or 0.0:.3g})")
        if self.first_difference:
            parts.append(f"first at {list(self.first_difference)}")
        if self.note:
            parts.append(self.note)
        return "; ".join(parts) or "differs"


@dataclass(frozen=True)
class VerifyReport:
    """How stages compare with the original.

    Attributes:
        outputs: One entry per form and model output.
        inputs: Descriptions of the inputs used, by name.
        first_boundary: Name of the first boundary tensor that differs from the original's, or None.
        seconds: Time taken.
    """

    outputs: tuple[OutputReport, ...]
    inputs: Mapping[str, str]
    first_boundary: str | None
    seconds: float

    @property
    def identical(self) -> bool:
        return all(output.identical for output in self.outputs)

    @property
    def accepted(self) -> bool:
        return all(output.accepted for output in self.outputs)


@dataclass(frozen=True)
class RewriteRequest:
    """What to rewrite and how.

    Attributes:
        model: The model.
        pattern: The Python file with the rules.
        out: The file to write, or None to find only.
        options: How the model is opened; must trust it.
        force: Whether ``out`` may be replaced.
        types: Types of inputs that the model does not keep.
    """

    model: Path
    pattern: Path
    out: Path | None = None
    options: LoadOptions = field(default_factory=LoadOptions)
    force: bool = False
    types: Mapping[str, TypeHint] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundMatch:
    """A place where a pattern occurs.

    Attributes:
        anchor: Name of the node that the pattern's result matched.
        nodes: Names of the pattern's nodes to names of the model's.
        own: Names of the model's nodes that the pattern stands for, without what it only reads.
    """

    anchor: str
    nodes: dict[str, str]
    own: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppliedRule:
    """What a rule did.

    Attributes:
        replaces: Whether it replaces what it finds.
        matches: Where its pattern occurs; names of a later rule are those after the rules before it.
    """

    replaces: bool
    matches: tuple[FoundMatch, ...]


@dataclass(frozen=True)
class RewriteResult:
    """What rules found, and what became of names.

    Attributes:
        rules: What each rule did.
        names: Names of the model as they were, to what they are in the file written; those not in it have no
            counterpart. Empty when nothing was written.
    """

    rules: tuple[AppliedRule, ...]
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(len(rule.matches) for rule in self.rules)


class ModelFormat(Protocol):
    """One model format.

    Attributes:
        kind: Its name in specs and manifests.
        title: Its name for people.
        suffixes: File name endings it reads, with the dot, lower case.
        forms: The forms of a stage to choose from; none where there is no choice.
        shares_weights: Whether stages can refer to the source's data file.
        rewrites: Whether `rewrite` is offered.
    """

    kind: str
    title: str
    suffixes: tuple[str, ...]
    forms: tuple[Form, ...]
    shares_weights: bool
    rewrites: bool

    def reads(self, path: Path) -> bool:
        """Whether a path that ends in none of the suffixes still names a model of this format."""
        ...

    def load(
        self,
        path: Path,
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,
        options: LoadOptions | None = None,
    ) -> Graph:
        """Reads the graph of a model without its weights."""
        ...

    def load_body(
        self,
        path: Path,
        way: Sequence[BodyStep],
        progress: Progress = no_progress,
        types: Mapping[str, TypeHint] | None = None,
    ) -> Graph:
        """Reads the graph of a subgraph body; what it reads from outside is among its inputs.

        Args:
            path: The model.
            way: From the model's graph into a body of one of its nodes, from there into one of its, and so on.
            progress: Told what is being done.
            types: The types that the user gave for tensors of the model.

        Raises:
            CutterError: The model cannot be read, or has no such body any more.
        """
        ...

    def split(self, request: SplitRequest, progress: Progress = no_progress) -> SplitResult:
        """Writes the stages and the manifest (DESIGN, section 4)."""
        ...

    def verify(self, request: VerifyRequest, progress: Progress = no_progress) -> VerifyReport:
        """Runs the original and the stages on the same inputs and compares every output."""
        ...

    def rewrite(self, request: RewriteRequest, progress: Progress = no_progress) -> RewriteResult:
        """Finds patterns in a model, and replaces them where a place for the result is given.

        Raises:
            CutterError: It cannot, or this format does not.
        """
        ...

    def file_of(self, path: Path) -> Path | None:
        """Returns the file that a model's name stands for; None when it is found by name, as a package is."""
        ...

    def code_to_run(self, path: Path, step: Step) -> Sequence[ForeignCode]:
        """Returns the code that a step would run, without running any of it; none where a step runs none.

        Args:
            path: The model; for ``verify`` the folder of stages.
            step: What is to be done.

        Raises:
            CutterError: What would run it is not installed.
        """
        ...

    def calls_in(self, path: Path) -> tuple[str, ...]:
        """Returns the names that a file of `code_to_run` calls, where it tells without being run."""
        ...


@cache
def formats() -> Sequence[ModelFormat]:
    """Returns the formats installed, by name; looked up once, for the window asks often."""
    from importlib.metadata import entry_points

    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    return tuple(found[name].load() for name in sorted(found))


@cache
def _formats_of_this_program() -> Sequence[ModelFormat]:
    """Returns the formats that come with the program: found without reading what every installed package registers."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        registered = distribution("cutter-gui").entry_points
    except PackageNotFoundError:
        return ()
    return tuple(entry.load() for entry in sorted(registered) if entry.group == ENTRY_POINTS)


def format_for(path: Path) -> ModelFormat:
    """Returns the format that reads a file, by its ending.

    Raises:
        CutterError: No format installed reads such files.
    """
    for look in (_formats_of_this_program, formats):
        for known_format in look():
            if path.name.lower().endswith(known_format.suffixes) or known_format.reads(path):
                return known_format
    endings = ", ".join(suffix for known_format in formats() for suffix in known_format.suffixes)
    raise CutterError(
        "the kind of model cannot be told from the file name",
        one_line(str(path)),
        f"give a file ending in {endings}, or the function that makes it, as model.py:make",
    )


def format_named(kind: str) -> ModelFormat:
    """Returns the format with this name.

    Raises:
        CutterError: It is not installed.
    """
    for known_format in formats():
        if known_format.kind == kind:
            return known_format
    raise CutterError(
        "no installed format reads models of this kind",
        f"kind {one_line(kind, 40)}",
        "install the package that reads them",
    )
