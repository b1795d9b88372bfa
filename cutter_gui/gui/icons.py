"""Icons as vectors from one icon font, drawn in the colours of the palette.

The font comes with the package qtawesome. Its file is read directly: importing the package takes longer than showing
the window does.
"""

from __future__ import annotations

import importlib.util
import math
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QPainter,
    QPainterPath,
    QPalette,
    QPixmap,
    QRawFont,
    QTransform,
)

from cutter_gui.gui.qt_values import solid

_FONT = "remixicon"
SIZE = 18  # logical pixels
_EM = 64.0


@lru_cache(maxsize=1)
def _font() -> tuple[QRawFont, str]:
    """Returns the font, and the text of the JSON file that gives the code point of each icon name."""
    found = importlib.util.find_spec("qtawesome")
    if found is None or found.origin is None:
        raise FileNotFoundError("the package qtawesome, which carries the icons, is not installed")
    folder = Path(found.origin).parent / "fonts"
    font = next(iter(folder.glob(f"{_FONT}-[0-9]*.ttf")))
    charmap = next(iter(folder.glob(f"{_FONT}-charmap-*.json")))
    return QRawFont(str(font), _EM), charmap.read_text("utf-8")


@lru_cache(maxsize=128)
def glyph(name: str) -> QPainterPath:
    """Returns the outline of an icon in a square of side 1, centred on its origin.

    Raises:
        KeyError: The font has no such icon.
    """
    font, charmap = _font()
    # A handful of names of thousands are needed, most of them before the window is there: no parser is loaded for them.
    key = f'"{name}"'
    at = charmap.find(key)
    if at < 0:
        raise KeyError(name)
    code = charmap[at + len(key) :].split('"', 2)[1]
    path = font.pathForGlyph(font.glyphIndexesForString(chr(int(code, 16)))[0])
    path.translate(-path.boundingRect().center())
    return QTransform.fromScale(1 / _EM, 1 / _EM).map(path)


def draw(painter: QPainter, name: str, center: QPointF, size: float, color: QColor) -> None:
    """Draws an icon of ``size`` logical pixels around ``center``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(center)
    painter.scale(size, size)
    painter.fillPath(glyph(name), solid(color))
    painter.restore()


def icon(name: str, palette: QPalette) -> QIcon:
    """Returns an icon in the text colours of a palette; make it anew when the palette changes."""
    made = QIcon()
    ratios = sorted({1, *(math.ceil(screen.devicePixelRatio()) for screen in QGuiApplication.screens())})
    group = QPalette.ColorGroup
    for shade, mode in ((group.Active, QIcon.Mode.Normal), (group.Disabled, QIcon.Mode.Disabled)):
        color = palette.color(shade, QPalette.ColorRole.ButtonText)
        for ratio in ratios:
            made.addPixmap(_pixmap(name, SIZE, ratio, color), mode)
    return made


def _pixmap(name: str, size: int, ratio: int, color: QColor) -> QPixmap:
    pixmap = QPixmap(size * ratio, size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(QColor(0, 0, 0, 0))
    painter = QPainter(pixmap)
    draw(painter, name, QPointF(size / 2, size / 2), size, color)
    painter.end()
    return pixmap
