"""Saving: the cut spec, the stages, the picture; and verifying what was saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialogButtonBox

from cutter_gui.core.errors import CutterError, InvalidPlan
from cutter_gui.core.foreign_code import Agreed
from cutter_gui.core.format import SplitRequest, SplitResult, VerifyReport, VerifyRequest, format_named
from cutter_gui.core.manifest import MANIFEST_NAME
from cutter_gui.core.spec import SUFFIX, CutSpec, spec_text
from cutter_gui.core.spec_text import ModelRef
from cutter_gui.core.text_file import write_text
from cutter_gui.frames import SplitStages, VerifyStages
from cutter_gui.gui.commands import SpecFile
from cutter_gui.gui.dialogs import files
from cutter_gui.gui.dialogs.errors import error_message
from cutter_gui.gui.dialogs.export_picture import ExportPictureDialog, PictureOptions
from cutter_gui.gui.dialogs.give_type import ask_type
from cutter_gui.gui.dialogs.message import Choice, Message
from cutter_gui.gui.dialogs.pictures import Subject
from cutter_gui.gui.dialogs.results import ResultsDialog, verdict
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog, StageOptions
from cutter_gui.gui.document import Document
from cutter_gui.gui.export_job import ExportPicture
from cutter_gui.gui.mending import UNKNOWN_TYPE, has_untyped_boundary, sentence_of
from cutter_gui.gui.model_file import file_of
from cutter_gui.gui.trust import trust_of

if TYPE_CHECKING:
    from cutter_gui.gui.export import Exported
    from cutter_gui.gui.window import MainWindow


def nothing() -> None:
    """What follows when nothing does."""


class Saver(QObject):
    """Saves what the user has made.

    Signals:
        saved: A file or folder was written: its name.
    """

    saved = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def save_cuts(self, then: Callable[[], None] = nothing) -> None:
        """Saves the plan in its file, or asks for one; ``then`` follows only when it was saved."""
        document = self._window.document
        if document is None:
            return
        if document.spec is None:
            self.save_cuts_as(then)
        else:
            self._write_cuts(document, document.spec.path, then)

    def save_cuts_as(self, then: Callable[[], None] = nothing) -> None:
        """Asks for a file and saves the plan there."""
        document = self._window.document
        if document is None:
            return
        suggested = document.spec.path if document.spec else document.path.with_name(f"{document.path.stem}{SUFFIX}")
        filters = (self.tr("Cut specs (*{})").format(SUFFIX),)

        def write(path: Path, _filter: str) -> None:
            named = path if path.name.lower().endswith((".yaml", ".yml")) else path.with_name(f"{path.name}{SUFFIX}")
            self._write_cuts(document, named.absolute(), then)

        files.ask_save(self._window, self.tr("Save cuts"), suggested, filters, write)

    def _write_cuts(self, document: Document, path: Path, then: Callable[[], None]) -> None:
        old = document.spec.spec if document.spec else CutSpec(document.plan)
        spec = old.with_plan(document.plan).with_model(_model_ref(document, path))
        try:
            write_text(path, spec_text(spec))
        except CutterError as error:
            self._window.show_error(self.tr("Save cuts"), error)
            return
        document.mark_saved(SpecFile(path, spec))
        self._window.settings.add_recent(path)
        self.saved.emit(path.name)
        then()

    def save_stages(self) -> None:
        """Asks where and how, and saves the stages; an invalid plan is refused with the reason."""
        document = self._window.document
        if document is None:
            return
        if not document.staging.is_valid or has_untyped_boundary(document):
            self._refuse(document)
            return
        count = document.staging.stage_count
        summary = self.tr("{0} stages of {1}").format(count, document.path.name)
        folder = document.path.parent / f"{document.path.stem}-stages"
        dialog = SaveStagesDialog(self._window, folder, document.plan.transport, summary)
        known = format_named(document.graph.kind)
        dialog.offer(known.forms, known.shares_weights)
        preferences = self._window.preferences
        dialog.prefer(preferences.form, preferences.weights, preferences.flag("stages/verify"))
        dialog.chosen.connect(lambda options: self._ask_to_replace(document, options))
        dialog.open()

    def _refuse(self, document: Document) -> None:
        self._window.workspace_shows_problems()
        errors = [found for found in document.diagnostics if found.is_error]
        first = sentence_of(errors[0]) if errors else self.tr("The plan is not valid.")
        more = len(errors) - 1
        remedy = self.tr("The Problems panel lists what to do.")
        if more > 0:
            remedy = self.tr("There are {} more; the Problems panel lists what to do.").format(more)
        error = InvalidPlan(self.tr("the stages cannot be saved yet: {}").format(first), "", remedy)
        choices = []
        if errors and errors[0].code == UNKNOWN_TYPE:
            tensor = errors[0].tensors[0]
            give, role = self.tr("Give its type…"), QDialogButtonBox.ButtonRole.ActionRole
            choices.append(Choice(give, role, lambda: ask_type(self._window, document, tensor), default=True))
        error_message(self._window, self.tr("Save stages"), error, choices).open()

    def _ask_to_replace(self, document: Document, options: StageOptions) -> None:
        document.set_transport(options.transport)
        if not (options.folder / MANIFEST_NAME).exists():
            self._ask_to_split(document, options, force=False)
            return
        message = Message(
            self._window,
            self.tr("Save stages"),
            self.tr("This folder holds stages saved earlier. Replace them?"),
            where=str(options.folder),
            remedy=self.tr("Files that do not belong to them are left alone."),
            choices=(
                Choice(
                    self.tr("Replace"),
                    QDialogButtonBox.ButtonRole.AcceptRole,
                    lambda: self._ask_to_split(document, options, force=True),
                    default=True,
                ),
                Choice(self.tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole),
            ),
        )
        message.open()

    def _ask_to_split(self, document: Document, options: StageOptions, force: bool) -> None:
        """Saves the stages, after the question whether code of the model may run, where that has to."""

        def go(trusted: bool, agreed: Agreed) -> None:
            self._split(document, options, force, trusted, agreed)

        trust_of(self._window).to_split(document.path, go)

    def _split(self, document: Document, options: StageOptions, force: bool, trusted: bool, agreed: Agreed) -> None:
        request = SplitRequest(
            model=document.path,
            plan=document.plan,
            out=options.folder,
            form=options.form,
            weights=options.weights,
            force=force,
            types=document.types,
            trust=trusted,
            graph=document.graph if trusted else None,
            options=replace(document.options, trust=trusted, agreed=agreed),
        )
        job = self._window.workers.run(SplitStages(request))

        def done(result: SplitResult) -> None:
            self.saved.emit(options.folder.name)
            if options.verify:
                # What was written just now, by code that was allowed to, is no question of its own.
                self._verify(options.folder, result, trusted, agreed)
            else:
                self._show_results(options.folder, result, None, trusted, agreed)

        self._window.running.follow(job, self.tr("Saving stages"), done)

    def ask_to_verify(self) -> None:
        """Asks for a folder of saved stages and verifies them."""
        folder = self._window.last_folder()
        files.ask_folder(self._window, self.tr("Folder with saved stages"), folder, self.verify)

    def verify(self, folder: Path) -> None:
        """Verifies saved stages and shows the result, after the question whether their code may run."""
        trust_of(self._window).to_verify(folder, lambda trusted, agreed: self._verify(folder, None, trusted, agreed))

    def _verify(self, folder: Path, saved: SplitResult | None, trusted: bool, agreed: Agreed) -> None:
        job = self._window.workers.run(VerifyStages(VerifyRequest(folder, trust=trusted, agreed=agreed)))

        def done(report: VerifyReport) -> None:
            self._window.say(verdict(report)[0])
            self._show_results(folder, saved, report, trusted, agreed)

        self._window.running.follow(job, self.tr("Verifying"), done)

    def _show_results(
        self,
        folder: Path,
        saved: SplitResult | None,
        report: VerifyReport | None,
        trusted: bool,
        agreed: Agreed,
    ) -> None:
        def again() -> None:
            self._verify(folder, saved, trusted, agreed)

        ResultsDialog(self._window, folder, saved, report, again).open()

    def _subject(self) -> Subject | None:
        """Returns what there is to draw of the open model, as it is now."""
        workspace, document = self._window.workspace, self._window.document
        if workspace is None or document is None or not workspace.has_picture:
            return None
        inner, scene = workspace.bodies.document, workspace.bodies.scene
        sight = workspace.shown_canvas.visible_part
        if inner is not None and scene is not None:
            return Subject(document.path.name, inner.graph, scene, None, inner.staging, sight)
        groups = workspace.folds.groups
        return Subject(document.path.name, document.graph, workspace.scene, groups, document.staging, sight)

    def export_picture(self) -> None:
        """Asks what to export and where, and exports the picture of the graph."""
        document, subject = self._window.document, self._subject()
        if document is None or subject is None:
            return
        theme = self._window.theme.palette.name
        dialog = ExportPictureDialog(self._window, document.path.with_suffix(".svg"), subject, theme)
        dialog.chosen.connect(lambda options: self._export(subject, options))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Writes the picture of the whole graph as it is now, in the colours of the window."""
        subject = self._subject()
        if subject is not None:
            theme = self._window.theme.palette.name
            self._export(subject, PictureOptions(path.absolute(), "all", None, theme))

    def _export(self, subject: Subject, options: PictureOptions) -> None:
        """Writes a picture; changes made meanwhile are not in it."""
        more = {
            "groups": subject.groups,
            "scale": options.scale,
            "view": "stages" if options.part == "stages" else "model",
            "part": subject.in_sight if options.part == "sight" else None,
            "title": subject.title,
        }
        path = options.path
        task = ExportPicture(path, subject.graph, subject.scene, subject.staging, options.theme, more)

        def done(written: Exported) -> None:
            if len(written.files) > 1:
                self._window.say(self.tr("Saved {0} in {1} files").format(path.name, len(written.files)))
            elif not written.reduced or options.scale is not None:
                self.saved.emit(path.name)
            else:
                percent = max(1, round(100 * written.scale))
                text = self.tr("Saved {0} at {1} % of its size: the format has no room for more")
                self._window.say(text.format(path.name, percent))

        self._window.running.follow(self._window.workers.run(task), self.tr("Exporting picture"), done)

    def print_picture(self) -> None:
        """Shows the picture of the graph as it will be on paper, to print it."""
        subject = self._subject()
        if subject is not None:
            from cutter_gui.gui.dialogs.print_preview import PrintPreviewDialog

            PrintPreviewDialog(self._window, subject, self._window.say).open()


def _model_ref(document: Document, spec_path: Path) -> ModelRef:
    """Returns what a spec says of the model, its path relative to the spec where it can be."""
    if file_of(document.path) is None:
        return ModelRef(str(document.path), document.graph.kind, document.graph.fingerprint)
    try:
        path = Path(os.path.relpath(document.path, spec_path.parent)).as_posix()
    except ValueError:  # on another drive
        path = document.path.as_posix()
    return ModelRef(path, document.graph.kind, document.graph.fingerprint)
