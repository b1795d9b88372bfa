"""Help, gestures, and what this program is."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from cutter_gui import __version__
from cutter_gui.resource_files import resource

_CONTENTS = "contents.md"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Help", text)


class TextDialog(QDialog):
    """Shows Markdown."""

    def __init__(self, parent: QWidget, title: str, markdown: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.resize(680, 600)
        self.browser = QTextBrowser()
        self.browser.setOpenExternalLinks(True)
        self.browser.document().setDocumentMargin(16)
        if markdown:
            self.browser.setMarkdown(markdown)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.addWidget(self.browser, 1)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignRight)
        box.setContentsMargins(0, 0, 12, 0)


def help_dialog(parent: QWidget) -> TextDialog:
    """Returns the help; links lead from page to page."""
    dialog = TextDialog(parent, _tr("Help"))
    dialog.browser.setSearchPaths([str(resource("help"))])
    dialog.browser.setSource(QUrl(_CONTENTS))
    return dialog


def gestures() -> tuple[tuple[str, str], ...]:
    """Returns what can be done with mouse and keys on the canvas, and what that does."""
    return (
        (_tr("Click an edge"), _tr("cut it in the active cut, or take it out")),
        (_tr("With a tensor selected, click a consumer"), _tr("cut only the edge to it, or take it out")),
        (_tr("With Ctrl or Shift, click an edge"), _tr("cut only the branch that is hit, or take it out")),
        (_tr("Hold K, or take the knife, and draw a line"), _tr("cut all edges it crosses, and what completes it")),
        (_tr("With Start a stage, click a node"), _tr("make the cheapest complete cut before it; with Alt after it")),
        (_tr("Drag the line or tag of a cut"), _tr("push the border past nodes")),
        (_tr("With Shift, drag around nodes, then 0 to 9 and Enter"), _tr("put them into that stage")),
        (_tr("Right click"), _tr("what can be done here; on an edge its consumers to tick")),
        (_tr("Enter, Esc"), _tr("apply what is shown, or drop it")),
        (_tr("Wheel"), _tr("zoom at the pointer")),
        (_tr("Drag the ground"), _tr("move the view")),
    )


def about_dialog(parent: QWidget) -> TextDialog:
    """Returns what this program is."""
    text = _tr(
        "# Cutter GUI {}\n\n"
        "Splits a neural network into pipeline stages: click edges of its graph to cut them, look at the stages that "
        "follow and at what they send each other, and save stages that run.\n\n"
        "Apache License 2.0"
    ).format(__version__)
    dialog = TextDialog(parent, _tr("About Cutter GUI"), text)
    dialog.resize(460, 260)
    return dialog
