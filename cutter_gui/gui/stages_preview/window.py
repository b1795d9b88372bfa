"""The window of the Stages preview: beside the main window, or on a screen of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QColor, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.gui.document import Change, Document
from cutter_gui.gui.soft_label import ElidedLabel, ErrorLabel
from cutter_gui.gui.stages_preview.symbol_fields import SymbolFields
from cutter_gui.gui.stages_preview.view import StagesView
from cutter_gui.gui.theme import palette_of

if TYPE_CHECKING:
    from cutter_gui.gui.window import MainWindow

BAR = (
    ("preview.columns", "preview.rows"),
    ("stages.relay", "stages.direct"),
    ("preview.unfold_all", "preview.fold_all"),
)
"""The buttons, in groups."""

ALSO = ("edit.undo", "edit.redo", "edit.copy_name", "stages.save", "preview.symbols", "preview.show")
"""What can be done here besides, by its shortcut."""

_GEOMETRY = "preview/geometry"
_ARRANGEMENT = "preview/arrangement"
_INSET = 40


class StagesPreview(QWidget):
    """Shows the stages of the model that the main window shows.

    Signals:
        closing: It is about to close.
        came_or_went: It was shown or closed.
    """

    closing = Signal()
    came_or_went = Signal()

    def __init__(self, main: MainWindow) -> None:
        super().__init__(main, Qt.WindowType.Window)
        self.setObjectName("stages-preview")
        self._main = main
        self._document: Document | None = None
        self._is_stale = False  # whether the plan was changed while nothing was shown
        self.view = StagesView()
        self.summary = ElidedLabel(alignment=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.notice = ErrorLabel()
        self.notice.setWordWrap(True)
        self.notice.setContentsMargins(16, 6, 16, 6)
        self.notice.setVisible(False)
        self.symbols = SymbolFields()
        self.hint = ElidedLabel()
        self.hint.setFixedHeight(28)
        self.hint.setContentsMargins(12, 0, 12, 0)
        self._buttons: list[QToolButton] = []
        self._zoom_button = QToolButton()
        self._arrange()
        self.view.hint_changed.connect(self.hint.setText)
        self.view.zoom_changed.connect(lambda percent: self._zoom_button.setText(f"{percent} %"))
        self.view.stage_wanted.connect(self._show_stage)
        self.view.changed.connect(self._on_view_change)
        main.actions_registry.refreshed.connect(self._follow)
        self.closing.connect(self._keep_geometry)
        self.came_or_went.connect(main.actions_registry.refresh)
        main.installEventFilter(self)
        if main.settings.text(_ARRANGEMENT) == "rows":
            self.view.set_arrangement("rows")
        if not self.restoreGeometry(main.settings.state(_GEOMETRY)):
            self.setGeometry(main.geometry().adjusted(_INSET, _INSET, -_INSET, -_INSET))
        self._follow()

    def _arrange(self) -> None:
        registry = self._main.actions_registry
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 0, 8, 0)
        bar.setSpacing(2)
        for group in BAR:
            for action_id in group:
                bar.addWidget(self._button(registry[action_id]))
                self.addAction(registry[action_id])
            bar.addSpacing(16)
        for action_id in ALSO:
            self.addAction(registry[action_id])
        bar.addWidget(self.summary, 1)
        bar.addSpacing(12)
        for name, text, do in (
            ("−", self.tr("Zoom out"), self.view.zoom_out),
            ("100 %", self.tr("Actual size"), self.view.reset_zoom),
            ("+", self.tr("Zoom in"), self.view.zoom_in),
            (self.tr("Fit"), self.tr("Show all stages"), self.view.fit),
        ):
            button = self._zoom_button if name == "100 %" else QToolButton()
            button.setAutoRaise(True)
            button.setText(name)
            button.setToolTip(text)
            button.setAccessibleName(text)
            button.clicked.connect(lambda _checked=False, do=do: do())
            bar.addWidget(button)
        self._zoom_button.setFixedWidth(self._zoom_button.fontMetrics().horizontalAdvance("400 %") + 16)
        head = QWidget()
        head.setFixedHeight(44)
        head.setLayout(bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (head, self._line(), self.notice, self.view, self._line(), self.symbols, self.hint):
            column.addWidget(widget, 1 if widget is self.view else 0)
        self._colour()

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setDefaultAction(action)
        button.setIconSize(QSize(16, 16))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        action.toggled.connect(self._colour)
        self._buttons.append(button)
        return button

    def _line(self) -> QFrame:
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Plain)
        line.setForegroundRole(QPalette.ColorRole.Mid)
        return line

    def _colour(self, _on: bool = False) -> None:
        """Shows what is chosen in the accent colour."""
        tokens = palette_of(self.palette())
        for button in self._buttons:
            palette = QPalette(self.palette())
            if button.isChecked():
                palette.setColor(QPalette.ColorRole.Button, QColor(tokens.accent_soft))
                palette.setColor(QPalette.ColorRole.ButtonText, QColor(tokens.accent))
            button.setPalette(palette)

    # --- what is shown

    def _follow(self) -> None:
        """Takes over the document that the main window shows now."""
        document = self._main.document
        if document is self._document:
            return
        if self._document is not None and shiboken6.isValid(self._document):
            self._document.changed.disconnect(self._refresh)
        self._document = document
        self.view.set_document(document)
        self.symbols.set_document(document)
        if document is None:
            self.hide()
            return
        document.changed.connect(self._refresh)
        self.setWindowTitle(self.tr("Stages of {}").format(one_line(document.path.name)))
        self._tell()

    def _refresh(self, change: Change) -> None:
        if not self.isVisible():
            self._is_stale = self._is_stale or change.plan
            return
        self.view.refresh(change)
        if change.plan:
            self._tell()

    def _tell(self) -> None:
        """Says what the plan comes to, and that it cannot be saved where that is so."""
        document, facts = self._document, self.view.facts
        if document is None or facts is None:
            return
        self.summary.setText(facts.summary())
        self.notice.setText(
            self.tr("The cuts do not make valid stages yet: this is how they stand now. Problems says what to do.")
        )
        self.notice.setVisible(not document.staging.is_valid)
        self.symbols.refresh(tensor for transfer in facts.moved for tensor in transfer.tensors)

    def _on_view_change(self) -> None:
        self._main.settings.set_text(_ARRANGEMENT, self.view.arrangement)
        self._main.actions_registry.refresh()

    def _show_stage(self, stage: int) -> None:
        workspace, document = self._main.workspace, self._document
        if workspace is not None and document is not None and workspace.document is document:
            workspace.stages.reveal_wanted.emit(stage)

    def present(self) -> None:
        """Shows the window, in front, with the keyboard in the view."""
        self._follow()
        if self._is_stale:
            self._is_stale = False
            self.view.refresh(Change(plan=True))
            self._tell()
        if self.isVisible() and not self.isActiveWindow():
            self.raise_()
        self.show()
        self.activateWindow()
        self.view.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def _keep_geometry(self) -> None:
        self._main.settings.set_state(_GEOMETRY, self.saveGeometry())

    # --- events; what can fail hangs on signals (see "Decisions" in CONTRIBUTING.md)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._main and event.type() == QEvent.Type.Hide and not event.spontaneous():
            self.close()
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)
        self.came_or_went.emit()

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)
        self.came_or_went.emit()
