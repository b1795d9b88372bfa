"""Colours, pens and fonts of the drawing, made once each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QPen,
    QStaticText,
    QTransform,
)

from cutter_gui.gui.palette import Palette

OP_PIXELS = 13
NAME_PIXELS = 11
LABEL_PIXELS = 10


@lru_cache(maxsize=512)
def colour(text: str) -> QColor:
    return QColor(text)


@lru_cache(maxsize=512)
def mixed(first: str, second: str, share: float) -> QColor:
    """Returns the first colour with a share of the second."""
    a, b = QColor(first), QColor(second)
    return QColor.fromRgbF(*(x + (y - x) * share for x, y in zip(a.getRgbF(), b.getRgbF(), strict=True)))


@lru_cache(maxsize=256)
def pen(text: str, width: float, *, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Returns a pen with round ends; it is everybody's and must not be changed."""
    made = QPen(colour(text), width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if style is not Qt.PenStyle.SolidLine:
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
    return made


@lru_cache(maxsize=256)
def dashed(text: str, width: float, dash: float, gap: float) -> QPen:
    """Returns a dashed pen, everybody's too; dash and gap are in pixels at the pen's scale."""
    made = QPen(colour(text), width)
    made.setDashPattern([dash / width, gap / width])
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    return made


def hatch(palette: Palette) -> QBrush:
    """Returns the hatch that tells the eighth stage from the first."""
    return QBrush(colour(palette.canvas), Qt.BrushStyle.BDiagPattern)


def font(pixels: int, *, bold: bool = False, mono: bool = False) -> QFont:
    """Returns a font of the drawing; its size is in scene pixels."""
    found = _font(pixels, bold, mono, QGuiApplication.font().key())
    return found[0]


def metrics(pixels: int, *, bold: bool = False, mono: bool = False) -> QFontMetricsF:
    """Returns the measures of such a font at scale 1."""
    return _font(pixels, bold, mono, QGuiApplication.font().key())[1]


@lru_cache(maxsize=32)
def _font(pixels: int, bold: bool, mono: bool, _system: str) -> tuple[QFont, QFontMetricsF]:
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont) if mono else QFont(QGuiApplication.font())
    made.setPixelSize(pixels)
    made.setBold(bold)
    # Hinting would make words jump in width from one zoom to the next.
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made, QFontMetricsF(made)


@dataclass(frozen=True)
class StaticText:
    """Text laid out once.

    Attributes:
        text: What to draw.
        width: Its width, in pixels at scale 1.
        height: Its height.
        ascent: From its top to the line it stands on.
    """

    text: QStaticText
    width: float
    height: float
    ascent: float


def static_text(text: str, pixels: int, width: float, *, bold: bool = False, mono: bool = False) -> StaticText:
    """Returns text that fits a width, its middle elided, ready to be drawn with the font of these measures."""
    return _static_text(text, pixels, width, bold, mono, QGuiApplication.font().key())


@lru_cache(maxsize=20_000)
def _static_text(text: str, pixels: int, width: float, bold: bool, mono: bool, _system: str) -> StaticText:
    made = QStaticText(elided(text, pixels, width, bold, mono))
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.prepare(QTransform(), font(pixels, bold=bold, mono=mono))
    size = made.size()
    return StaticText(made, size.width(), size.height(), metrics(pixels, bold=bold, mono=mono).ascent())


@lru_cache(maxsize=50_000)
def elided(text: str, pixels: int, width: float, bold: bool = False, mono: bool = False) -> str:
    """Returns text that fits a width, its middle elided."""
    measures = metrics(pixels, bold=bold, mono=mono)
    return measures.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
