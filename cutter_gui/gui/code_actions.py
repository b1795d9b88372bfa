"""What has to do with code of models, as entries of the registry of actions: opening from it, rewriting, trust."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cutter_gui.core.dtypes import UNKNOWN
from cutter_gui.gui.actions import ActionSpec

if TYPE_CHECKING:
    from cutter_gui.core.format import LoadOptions
    from cutter_gui.gui.window import MainWindow


def code_actions(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Returns the actions."""
    tr = window.tr

    def trusted() -> None:
        from cutter_gui.gui.dialogs.trusted_files import TrustedFilesDialog
        from cutter_gui.gui.trust import trust_of

        TrustedFilesDialog(window, window.settings, trust_of(window)).open()

    def untyped() -> int | None:
        document = window.document
        tensor = None if document is None else document.selection.tensor
        if document is None or tensor is None or document.graph.tensor_dtype[tensor] != UNKNOWN:
            return None
        return tensor

    def give_type() -> None:
        from cutter_gui.gui.dialogs.give_type import ask_type

        tensor = untyped()
        if window.document is not None and tensor is not None:
            ask_type(window, window.document, window.document.graph.tensor_names[tensor])

    def rewrite() -> None:
        from cutter_gui.gui.rewriting import Rewriting

        tab = window.tabs.current
        (tab.findChild(Rewriting) or Rewriting(window, tab)).ask_for_rules()

    def rewrites() -> bool:
        if window.document is None or window.workspace is None or not window.workspace.has_picture or window.is_busy:
            return False
        from cutter_gui.gui.rewriting import can_rewrite

        return can_rewrite(window.document)

    return (
        ActionSpec(
            "file.open_code",
            tr("Open from co&de…"),
            lambda: window.warmup.when_basic(lambda: ask_for_code(window)),
            "Ctrl+Alt+O",
            tip=tr("Open a model that a Python function makes"),
        ),
        ActionSpec(
            "edit.trusted",
            tr("&Trusted files…"),
            lambda: window.warmup.when_full(trusted),
            tip=tr("Look at the files whose code may run without a question, and forget them"),
        ),
        ActionSpec(
            "edit.give_type",
            tr("Give a t&ype…"),
            give_type,
            tip=tr("Say which type the selected tensor has, where that cannot be told"),
            enabled=lambda: untyped() is not None,
        ),
        ActionSpec(
            "edit.rewrite",
            tr("Find and re&write by rules…"),
            rewrite,
            "Ctrl+Shift+R",
            tip=tr("Find the patterns of a Python file in the model, and replace them"),
            enabled=rewrites,
        ),
    )


def ask_for_code(window: MainWindow, file: Path | None = None) -> None:
    """Asks which function, in a file if one is given, makes the model, and opens it."""
    from cutter_gui.gui.dialogs.open_code import OpenCodeDialog

    dialog = OpenCodeDialog(window, window.last_folder())
    if file is not None:
        dialog.take(file.absolute())
    dialog.chosen.connect(lambda path, options: open_code(window, path, options))
    dialog.open()


def open_code(window: MainWindow, path: Path, options: LoadOptions) -> None:
    """Opens a model from code; one that is open already is read anew when it is to become a graph in another way."""
    from cutter_gui.gui.remembered_options import options_for, remember_options

    tab = window.tabs.with_model(path)
    before = options_for(window.settings, path)
    remember_options(window.settings, path, options)
    document = None if tab is None else tab.document
    if tab is not None and document is not None and tab.keeper is not None and before != options:
        window.tabs.select(tab)
        tab.keeper.reload()
    else:
        window.open_paths([path])
