"""Fields for the values of symbols: what bytes are counted with, in the preview and wherever else bytes are told."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSpinBox, QToolButton, QWidget

from cutter_gui.core.errors import one_line
from cutter_gui.core.symbols import LARGEST, symbols_of
from cutter_gui.gui.document import Document
from cutter_gui.gui.scroll_bars import with_thin_bars
from cutter_gui.gui.soft_label import SoftLabel
from cutter_gui.gui.theme import mono_font, title_font

_HEIGHT = 52
_FIELD = 92
_MOST = 200  # fields
_NAME = 32


class SymbolFields(QWidget):
    """One field for each symbol: those of the model's inputs and of what is sent, or on demand all of the model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._shown: tuple[str, ...] = ()
        self._of_graph: tuple[object, tuple[str, ...]] = (None, ())
        self._all = False
        self.fields: dict[str, QSpinBox] = {}
        title = SoftLabel(self.tr("Symbols"))
        title.setFont(title_font())
        self.more = QToolButton()
        self.more.setAutoRaise(True)
        self.more.clicked.connect(self._show_all)
        self.clear = QToolButton()
        self.clear.setAutoRaise(True)
        self.clear.setText(self.tr("Leave all open"))
        self.clear.setToolTip(self.tr("Take the values away: bytes are then told with symbols"))
        self.clear.clicked.connect(self._clear)
        self._area = QScrollArea()
        with_thin_bars(self._area)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(12)
        row.addWidget(title)
        row.addWidget(self._area, 1)
        row.addWidget(self.more)
        row.addWidget(self.clear)
        self.setFixedHeight(_HEIGHT)
        self.setVisible(False)

    def set_document(self, document: Document | None) -> None:
        self._document = document
        self._all = False
        self.refresh(())

    def refresh(self, sent: Iterable[int]) -> None:
        """Shows the symbols that matter now, with their values.

        Args:
            sent: The tensors that are sent from stage to stage.
        """
        document = self._document
        if document is None:
            self.setVisible(False)
            return
        known = self._symbols()
        wanted = known
        if not self._all and known:
            near = symbols_of(document.graph, dict.fromkeys(sent))
            wanted = tuple(dict.fromkeys((*near, *document.given_symbols)))
        wanted = tuple(wanted)[:_MOST]
        if wanted != self._shown or not self.fields:
            self._build(wanted)
        for symbol, field in self.fields.items():
            with QSignalBlocker(field):
                field.setValue(document.given_symbols.get(symbol, 0))
        others = len(known) - len(set(wanted) & set(known))
        self.more.setText(self.tr("1 more") if others == 1 else self.tr("{} more").format(others))
        self.more.setVisible(others > 0 and not self._all)
        self.clear.setEnabled(bool(document.given_symbols))
        self.setVisible(bool(known))

    def begin(self) -> None:
        """Gives the keyboard to the first field."""
        for field in list(self.fields.values())[:1]:
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            field.selectAll()

    def _symbols(self) -> tuple[str, ...]:
        """Returns all symbols of the model, found once."""
        assert self._document is not None
        graph = self._document.graph
        if self._of_graph[0] is not graph:
            self._of_graph = graph, symbols_of(graph)
        return self._of_graph[1]

    def _build(self, symbols: tuple[str, ...]) -> None:
        self._shown = symbols
        self.fields = {}
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for symbol in symbols:
            name = one_line(symbol, _NAME)
            label = QLabel(f"{name} =")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(mono_font())
            field = QSpinBox()
            field.setRange(0, LARGEST)
            field.setSpecialValueText(self.tr("open"))
            field.setKeyboardTracking(False)
            field.setFixedWidth(_FIELD)
            field.setAccessibleName(self.tr("Value of {}").format(name))
            field.setToolTip(self.tr("What bytes are counted with; 0 leaves it open"))
            field.valueChanged.connect(lambda value, symbol=symbol: self._give(symbol, value))
            label.setBuddy(field)
            row.addWidget(label)
            row.addWidget(field)
            row.addSpacing(12)
            self.fields[symbol] = field
        row.addStretch(1)
        self._area.setWidget(holder)

    def _give(self, symbol: str, value: int) -> None:
        if self._document is None:
            return
        given = {name: size for name, size in self._document.given_symbols.items() if name != symbol}
        self._document.set_symbols({**given, symbol: value} if value else given)

    def _clear(self) -> None:
        if self._document is not None:
            self._document.set_symbols({})

    def _show_all(self) -> None:
        self._all = True
        self.refresh(())
