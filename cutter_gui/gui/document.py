"""The open model with its plan: what the window shows and edits.

The plan is immutable and every change of it is a command on the undo stack. `Document.changed` says what a change
concerns, so that a view refreshes just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from cutter_gui.core import edits
from cutter_gui.core.contents import StageContents, stage_contents
from cutter_gui.core.diagnostic import Diagnostic, Fix
from cutter_gui.core.dtypes import dtype_of
from cutter_gui.core.errors import one_line
from cutter_gui.core.format import LoadOptions, TypeHint
from cutter_gui.core.graph import Graph, Shape
from cutter_gui.core.model_changed import changed_model
from cutter_gui.core.plan import Cut, Plan, Transport
from cutter_gui.core.problems import diagnose
from cutter_gui.core.stages import Staging, assign_stages
from cutter_gui.core.symbols import with_expressions
from cutter_gui.gui.commands import ChangePlan, PlanState, SpecFile
from cutter_gui.gui.opened_model import ModelPicture, OpenedModel, ReplaceModel
from cutter_gui.gui.selection import Selection

_NAME_SHOWN = 40


@dataclass(frozen=True)
class Change:
    """What a change of the document concerns.

    Attributes:
        plan: The plan, a given type or the value of a symbol, and with it stages, contents and diagnostics.
        active_cut: Which cut clicks go into.
        selection: What is selected.
        file: Where the plan is kept, or whether it is saved there.
        symbols: The values of symbols.
        model: The model itself; everything there was is of another graph then.
    """

    plan: bool = False
    active_cut: bool = False
    selection: bool = False
    file: bool = False
    symbols: bool = False
    model: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """What follows from one plan: computed once, however many views ask."""

    staging: Staging
    symbols: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def contents(self) -> tuple[StageContents, ...]:
        return stage_contents(self.staging)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return diagnose(self.staging, symbols=self.symbols)


class Document(QObject):
    """One model and the plan over it.

    Signals:
        changed: A `Change`.
        refused: One sentence: why an edit was not made.
    """

    changed = Signal(object)
    refused = Signal(str)

    def __init__(
        self,
        path: Path,
        graph: Graph,
        spec: SpecFile | None = None,
        parent: QObject | None = None,
        transport: Transport = "relay",
    ) -> None:
        """Opens a plan over a graph: that of a cut spec, or an empty one with this transport."""
        super().__init__(parent)
        self.path = path
        self.options = LoadOptions()
        """How the model was opened; trust says whether code of it ran then. Each further step asks for its own."""
        self.graph = graph
        self.part = ""
        """What of the model the graph is, such as a body of one of its nodes; empty for the whole of it."""
        self.picture: ModelPicture | None = None
        """The picture of a model that took the place of another; its views have that of any other."""
        self._as_read = graph
        self.undo_stack = QUndoStack(self)
        plan = spec.spec.plan if spec else Plan(transport=transport)
        self._state = PlanState(plan, 0 if plan.cuts else None, spec)
        self._given: dict[str, int] = {}
        self._behind: tuple[Mapping[str, TypeHint], Mapping[str, tuple[int, Shape]]] = ({}, {})
        self._outcome = Outcome(assign_stages(graph, plan))
        self._selection = Selection()
        self.undo_stack.cleanChanged.connect(self._on_clean_changed)

    def _on_clean_changed(self, _clean: bool) -> None:
        self.changed.emit(Change(file=True))

    @property
    def graph_as_read(self) -> Graph:
        """The graph without the types that the user gave."""
        return self._as_read

    @property
    def plan(self) -> Plan:
        return self._state.plan

    @property
    def active_cut(self) -> int | None:
        return self._state.active_cut

    @property
    def spec(self) -> SpecFile | None:
        return self._state.spec

    @property
    def types(self) -> Mapping[str, TypeHint]:
        """Types that the user gave for tensors of which inference cannot tell it, by name."""
        return self._state.types

    @property
    def given_symbols(self) -> Mapping[str, int]:
        """The values that the user gave symbols; not part of the plan, so no step of undo."""
        return self._given

    @cached_property
    def has_symbols(self) -> bool:
        """Whether some dimension of the model is open and has a name."""
        return any(isinstance(dim, str) for shape in self._as_read.tensor_shapes for dim in shape or ())

    @property
    def symbols(self) -> Mapping[str, int]:
        """Values by dimension as it is written: those given, and those of expressions that follow from them."""
        return self._outcome.symbols

    @property
    def staging(self) -> Staging:
        return self._outcome.staging

    @property
    def contents(self) -> tuple[StageContents, ...]:
        return self._outcome.contents

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self._outcome.diagnostics

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Findings that concern the file the plan is kept in rather than the plan."""
        return changed_model(self.graph, self.spec.spec if self.spec else None)

    @property
    def selection(self) -> Selection:
        return self._selection

    @property
    def is_modified(self) -> bool:
        return not self.undo_stack.isClean()

    @property
    def weight_bytes(self) -> int:
        """Bytes of all weights of the model."""
        return int(self.graph.tensor_stored.sum())

    def select(self, selection: Selection) -> None:
        if selection != self._selection:
            self._selection = selection
            self.changed.emit(Change(selection=True))

    def set_symbols(self, given: Mapping[str, int]) -> None:
        """Gives symbols of open dimensions values to count bytes with; those left out are open again."""
        if dict(given) == self._given:
            return
        self._given = dict(given)
        self._outcome = Outcome(self.staging, self._values())
        self.changed.emit(Change(plan=True, symbols=True))

    def _values(self) -> Mapping[str, int]:
        return with_expressions(self.graph, self._given)

    def set_active_cut(self, cut: int | None) -> None:
        """Chooses the cut that clicks go into; no change of the plan."""
        if cut is not None and not 0 <= cut < len(self.plan.cuts):
            return
        if cut != self.active_cut:
            self._state = replace(self._state, active_cut=cut)
            self.changed.emit(Change(active_cut=True))

    def toggle_tensor(self, tensor: int) -> None:
        """Puts all edges of a tensor into the active cut, or takes its edges out of it."""
        name = self.graph.tensor_names[tensor]
        plan, cut = self._plan_with_active_cut()
        text = self.tr("Uncut {0} in cut {1}") if edits.is_listed(plan, cut, name) else self.tr("Cut {0} in cut {1}")
        self._edit(edits.toggle_tensor(plan, cut, name), text.format(_short(name), cut), cut)

    def toggle_tensors(self, tensors: Sequence[int]) -> None:
        """Puts all edges of several tensors into the active cut, or takes them out when all are in, as one step."""
        plan, cut = self._plan_with_active_cut()
        names = [self.graph.tensor_names[tensor] for tensor in tensors]
        listed = [edits.is_listed(plan, cut, name) for name in names]
        for name, is_in in zip(names, listed, strict=True):
            if all(listed) or not is_in:
                plan = edits.toggle_tensor(plan, cut, name)
        text = self.tr("Uncut {0} tensors in cut {1}") if all(listed) else self.tr("Cut {0} tensors in cut {1}")
        self._edit(plan, text.format(len(names), cut), cut)

    def toggle_consumers(self, tensor: int, consumers: Sequence[int]) -> None:
        """Puts the edges to several consumers into the active cut, or takes them out when all are in, as one step."""
        name = self.graph.tensor_names[tensor]
        plan, cut = self._plan_with_active_cut()
        listings = self.staging.listings
        edges = listings.edge[listings.cut == cut]
        within = set(self.graph.edge_consumer[edges[self.graph.edge_tensor[edges] == tensor]].tolist())
        leaves = within.issuperset(consumers)
        try:
            for consumer in consumers:
                if leaves or consumer not in within:
                    plan = edits.toggle_consumer(self.graph, plan, cut, name, consumer)
        except ValueError as error:
            self.refused.emit(self.tr("This edge cannot be cut by itself: {}").format(error))
            return
        text = self.tr("Uncut {0} to {1} nodes in cut {2}") if leaves else self.tr("Cut {0} to {1} nodes in cut {2}")
        self._edit(plan, text.format(_short(name), len(consumers), cut), cut)

    def toggle_consumer(self, tensor: int, consumer: int, cut: int | None = None) -> None:
        """Puts the edge to one consumer into a cut, the active one unless given, or takes it out."""
        name = self.graph.tensor_names[tensor]
        plan, active = self._plan_with_active_cut()
        target = active if cut is None else cut
        try:
            changed = edits.toggle_consumer(self.graph, plan, target, name, consumer)
        except ValueError as error:
            self.refused.emit(self.tr("This edge cannot be cut by itself: {}").format(error))
            return
        grows = _listed_edges(changed.cuts[target], name) > _listed_edges(plan.cuts[target], name)
        whole = any(edge.tensor == name and edge.consumers is None for edge in changed.cuts[target].edges)
        text = (
            self.tr("Cut {0} to {1} in cut {2}") if grows or whole else self.tr("Uncut {0} to {1} in cut {2}")
        ).format(_short(name), _short(self.graph.node_label(consumer)), target)
        self._edit(changed, text, target)

    def add_cut(self) -> None:
        at = len(self.plan.cuts)
        self._edit(edits.add_cut(self.plan), self.tr("Add cut {}").format(at), at)

    def rename_cut(self, cut: int, name: str) -> None:
        clean = name.strip()
        text = self.tr("Rename cut {0} to {1}").format(cut, _short(clean))
        self._edit(edits.rename_cut(self.plan, cut, clean), text, self.active_cut)

    def remove_cut(self, cut: int) -> None:
        left = len(self.plan.cuts) - 1
        active = self.active_cut
        if active is not None and (active > cut or active == left):
            active -= 1
        text = self.tr("Remove cut {}").format(cut)
        self._edit(edits.remove_cut(self.plan, cut), text, active if left else None)

    def move_cut(self, source: int, target: int) -> None:
        """Moves a cut so that it stands at ``target`` afterwards, and makes it the active one."""
        if source == target or not 0 <= target < len(self.plan.cuts):
            return
        text = self.tr("Move cut {0} to place {1}").format(source, target)
        self._edit(edits.move_cut(self.plan, source, target), text, target)

    def clear_cut(self, cut: int) -> None:
        cuts = self.plan.cuts
        emptied = (*cuts[:cut], replace(cuts[cut], edges=()), *cuts[cut + 1 :])
        self._edit(replace(self.plan, cuts=emptied), self.tr("Clear cut {}").format(cut), cut)

    def remove_tensor(self, cut: int, name: str) -> None:
        """Takes a tensor out of a cut, by name, which the graph need not have."""
        text = self.tr("Uncut {0} in cut {1}").format(_short(name), cut)
        self._edit(edits.remove_tensor(self.plan, cut, name), text, cut)

    def set_transport(self, transport: Transport) -> None:
        text = self.tr("Relay tensors over every boundary")
        if transport == "direct":
            text = self.tr("Send tensors directly")
        self._edit(self.plan.with_transport(transport), text, self.active_cut)

    def give_type(self, tensor: str, hint: TypeHint) -> None:
        """States the type of a tensor of which inference cannot tell it."""
        text = self.tr("Give {0} the type {1}").format(_short(tensor), dtype_of(hint.dtype).name)
        after = replace(self._state, types={**self.types, tensor: hint})
        self.undo_stack.push(ChangePlan(self, text, self._state, after))

    def take_types(self, types: Mapping[str, TypeHint]) -> None:
        """Takes over the types that tensors of this model were given before; no step of undo."""
        there = {name: hint for name, hint in types.items() if name in self._as_read.tensor_index}
        if there != self.types:
            self._state = replace(self._state, types=there)
            self._retype()

    def knows_behind(self, types: Mapping[str, TypeHint]) -> bool:
        """Whether it is known what given types tell of other tensors."""
        return self._behind[0] == types

    def take_inferred(self, types: Mapping[str, TypeHint], found: Mapping[str, tuple[int, Shape]]) -> None:
        """Takes over what given types tell of the tensors behind them, while those are still the types given."""
        self._behind = (types, found)
        if types == self.types and found:
            self._retype()
            self.changed.emit(Change(plan=True))

    def _retype(self) -> None:
        self.graph = self._typed(self.types)
        self._outcome = Outcome(assign_stages(self.graph, self.plan), self._values())

    def _typed(self, types: Mapping[str, TypeHint]) -> Graph:
        """Returns the graph with the types that the user gave, and what is known to follow from them."""
        given = {name: (hint.dtype, hint.shape) for name, hint in types.items()}
        behind = self._behind[1] if self.knows_behind(types) else {}
        return self._as_read.with_types({**behind, **given}) if given else self._as_read

    def apply_fix(self, fix: Fix) -> None:
        self._edit(fix.plan, fix.title, self.active_cut)

    def take_plan(
        self, plan: Plan, text: str, active_cut: int | None, types: Mapping[str, TypeHint] | None = None
    ) -> None:
        """Takes a plan over that was made elsewhere, and types given there, as one step of undo."""
        at = active_cut if active_cut is not None and active_cut < len(plan.cuts) else None
        cut = len(plan.cuts) - 1 if at is None and plan.cuts else at
        there = {name: hint for name, hint in (types or {}).items() if name in self._as_read.tensor_index}
        self._edit(plan, text, cut, {**self.types, **there})

    def open_spec(self, spec: SpecFile) -> None:
        """Takes the plan of a cut spec over, as one step of undo; it is then what is saved in that file."""
        plan = spec.spec.plan
        after = PlanState(plan, 0 if plan.cuts else None, spec, self.types)
        text = self.tr("Open {}").format(_short(spec.path.name))
        self.undo_stack.push(ChangePlan(self, text, self._state, after))
        self.undo_stack.setClean()

    def mark_saved(self, spec: SpecFile) -> None:
        """States that the plan is now kept, as it is, in this file."""
        self._state = replace(self._state, spec=spec)
        self.undo_stack.setClean()
        self.changed.emit(Change(file=True))

    def replace_model(
        self, old: OpenedModel, new: OpenedModel, plan: Plan, types: Mapping[str, TypeHint], text: str
    ) -> None:
        """Puts another model in the place of the open one, with a plan that is kept in no file yet, as one step."""
        active = self.active_cut if self.active_cut is not None and self.active_cut < len(plan.cuts) else None
        after = PlanState(plan, active, None, types)
        self.undo_stack.push(ReplaceModel(self, text, (old, self._state), (new, after)))

    def take_model(self, model: OpenedModel, state: PlanState) -> None:
        """Sets model and state; for the commands of the undo stack only."""
        self.path, self.options, self.picture, self._as_read = model.path, model.options, model.picture, model.graph
        self.__dict__.pop("has_symbols", None)
        self._state = state
        self._selection = Selection()
        self._behind = ({}, {})
        self._retype()
        self.changed.emit(Change(plan=True, active_cut=True, selection=True, file=True, model=True))

    def restore(self, state: PlanState, with_file: bool) -> None:
        """Sets the state; for the commands of the undo stack only."""
        before = self._state
        self._state = state if with_file else replace(state, spec=before.spec)
        retyped = state.types != before.types
        if retyped:
            self._retype()
        elif state.plan != before.plan:
            self._outcome = Outcome(assign_stages(self.graph, state.plan), self._values())
        self.changed.emit(
            Change(
                plan=retyped or state.plan != before.plan,
                active_cut=state.active_cut != before.active_cut,
                file=self._state.spec is not before.spec,
            )
        )

    def _plan_with_active_cut(self) -> tuple[Plan, int]:
        """Returns the plan with a cut to click into, and that cut: a first click makes cut 0."""
        if self.active_cut is not None:
            return self.plan, self.active_cut
        if self.plan.cuts:
            return self.plan, len(self.plan.cuts) - 1
        return edits.add_cut(self.plan), 0

    def _edit(self, plan: Plan, text: str, active_cut: int | None, types: Mapping[str, TypeHint] | None = None) -> None:
        types = self.types if types is None else types
        if plan == self.plan and types == self.types:
            return
        if active_cut is not None and active_cut >= len(plan.cuts):  # the change took that cut away
            active_cut = len(plan.cuts) - 1 if plan.cuts else None
        after = PlanState(plan, active_cut, self.spec, types)
        self.undo_stack.push(ChangePlan(self, text, self._state, after))


def _listed_edges(cut: Cut, tensor: str) -> int:
    return sum(len(edge.consumers or ()) for edge in cut.edges if edge.tensor == tensor)


def _short(name: str) -> str:
    return one_line(name, _NAME_SHOWN)
