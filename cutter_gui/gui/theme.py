"""Light and dark: the tokens of `cutter_gui.gui.palette` as Qt's palette, style and fonts."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from cutter_gui.gui.palette import DARK, LIGHT, Palette

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = get_args(Mode)
STYLE = ("-style", "Fusion")
"""Arguments of an application. To name the style later makes Qt's whole class of styles, with its enums, in Python."""


class Theme(QObject):
    """The theme of an application; it applies itself at once and whenever it changes.

    Args:
        app: The application.
        mode: Light, dark, or as the system is.
        system: What the system wants, if it is known already; to ask the system takes long before the first frame, and
            `follow_system` makes up for it.

    Signals:
        changed: The palette is another; Qt's own palette has been set before.
    """

    changed = Signal()

    def __init__(self, app: QApplication, mode: Mode = "system", system: Palette | None = None) -> None:
        super().__init__(app)
        self._app = app
        self._mode: Mode = mode
        self._palette = system if system is not None and mode == "system" else self._wanted()
        app.setPalette(qt_palette(self._palette))
        app.styleHints().colorSchemeChanged.connect(self.follow_system)

    @property
    def mode(self) -> Mode:
        return self._mode

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        return self._palette

    def set_mode(self, mode: Mode) -> None:
        """Switches to light or dark, or to follow the system."""
        self._mode = mode
        self._apply()

    def _wanted(self) -> Palette:
        if self._mode == "system":
            from PySide6.QtCore import Qt

            return DARK if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode == "dark" else LIGHT

    def follow_system(self) -> None:
        """Takes over whether the system is light or dark, unless one of them was chosen."""
        if self._mode == "system":
            self._apply()

    def _apply(self) -> None:
        wanted = self._wanted()
        if wanted is self._palette:
            return
        self._palette = wanted
        self._app.setPalette(qt_palette(wanted))
        for kind in ("QCheckBox", "QRadioButton"):
            self._app.setPalette(_tick_palette(wanted), kind)
        self.changed.emit()


def palette_of(qt: QPalette) -> Palette:
    """Returns the tokens that go with Qt's palette: dark ones where its windows are dark."""
    return DARK if qt.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def qt_palette(tokens: Palette) -> QPalette:
    """Returns Qt's palette made of the tokens."""
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    for colour_role, colour in (
        (role.Window, tokens.window),
        (role.WindowText, tokens.text),
        (role.Base, tokens.panel),
        (role.AlternateBase, tokens.field),
        (role.Text, tokens.text),
        (role.Button, tokens.panel),
        (role.ButtonText, tokens.text),
        (role.BrightText, tokens.error),
        (role.PlaceholderText, tokens.text_off),
        (role.Highlight, tokens.accent),
        (role.HighlightedText, tokens.accent_text),
        (role.Accent, tokens.accent),
        (role.Link, tokens.accent),
        (role.LinkVisited, tokens.accent),
        (role.ToolTipBase, tokens.panel),
        (role.ToolTipText, tokens.text),
        (role.Light, tokens.panel),
        (role.Midlight, tokens.field),
        (role.Mid, tokens.line),
        (role.Dark, tokens.line),
        (role.Shadow, tokens.line),
    ):
        palette.setColor(colour_role, QColor(colour))
    for colour_role in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(group.Disabled, colour_role, QColor(tokens.text_off))
    palette.setColor(group.Disabled, role.Highlight, QColor(tokens.line))
    return palette


def _tick_palette(tokens: Palette) -> QPalette:
    """Returns the palette of boxes to tick: the style draws their frames in a darker shade of the ground."""
    palette = qt_palette(tokens)
    palette.setColor(QPalette.ColorRole.Window, QColor(tokens.text_soft).lighter(127))
    return palette


def body_font() -> QFont:
    """Returns the system's font."""
    return QGuiApplication.font()


def figures_font() -> QFont:
    """Returns the system's font with figures of one width, for numbers that stand below each other."""
    font = body_font()
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def title_font() -> QFont:
    """Returns the font of panel titles, which are written in capitals."""
    font = body_font()
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * 0.85)
    font.setBold(True)
    font.setCapitalization(QFont.Capitalization.AllUppercase)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 106)
    return font


def mono_font() -> QFont:
    """Returns the fixed font, for names of tensors."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    size = body_font().pointSizeF()
    if size > 0:
        font.setPointSizeF(size * 0.94)
    return font
