"""The tokens of the palette as colours and fonts that the panels paint with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGuiApplication

from cutter_gui.gui import theme
from cutter_gui.gui.palette import Palette, stage_colour, stage_is_hatched, stage_text


@dataclass(frozen=True)
class Ink:
    """Colours by role; see `cutter_gui.gui.palette.Palette`."""

    text: QColor
    muted: QColor
    off: QColor
    line: QColor
    track: QColor
    card: QColor
    canvas: QColor
    accent: QColor
    on_accent: QColor
    selected: QColor
    error: QColor
    warning: QColor
    good: QColor

    def stage(self, stage: int) -> QColor:
        return QColor(stage_colour(stage))

    def on_stage(self, stage: int) -> QColor:
        return QColor(stage_text(stage))

    def hatch(self, stage: int) -> QBrush | None:
        """The hatch over a stage's colour that was used before, or None."""
        if not stage_is_hatched(stage):
            return None
        colour = self.on_stage(stage)
        colour.setAlphaF(0.35)
        return QBrush(colour, Qt.BrushStyle.BDiagPattern)


@lru_cache(maxsize=2)
def _ink(palette: Palette) -> Ink:
    return Ink(
        text=QColor(palette.text),
        muted=QColor(palette.text_soft),
        off=QColor(palette.text_off),
        line=QColor(palette.line),
        track=QColor(palette.track),
        card=QColor(palette.panel),
        canvas=QColor(palette.canvas),
        accent=QColor(palette.accent),
        on_accent=QColor(palette.accent_text),
        selected=QColor(palette.accent_soft),
        error=QColor(palette.error),
        warning=QColor(palette.warning),
        good=QColor(palette.success),
    )


def ink() -> Ink:
    """Returns the colours of the theme in use."""
    return _ink(theme.palette_of(QGuiApplication.palette()))


def mono_font(base: QFont) -> QFont:
    """Returns the font for names of the model, to stand beside ``base``."""
    font = theme.mono_font()
    font.setWeight(base.weight())
    return font
