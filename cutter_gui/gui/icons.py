"""Icons as vectors from one icon font, drawn in the colours of the palette.

The font comes with the package qtawesome. Its file is read directly: importing the package takes longer than showing
the window does.
"""

from __future__ import annotations

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPixmap, QRawFont, QTransform

_FONT = "remixicon"
_SIZES = (16, 18)  # logical pixels: menus and lists, toolbars
_RATIOS = (1, 2)
_EM = 64.0


@lru_cache(maxsize=1)
def _font() -> tuple[QRawFont, dict[str, str]]:
    """Returns the font and the code point, in hexadecimal, of each icon name."""
    found = importlib.util.find_spec("qtawesome")
    if found is None or found.origin is None:
        raise FileNotFoundError("the package qtawesome, which carries the icons, is not installed")
    folder = Path(found.origin).parent / "fonts"
    font = next(iter(folder.glob(f"{_FONT}-[0-9]*.ttf")))
    charmap = next(iter(folder.glob(f"{_FONT}-charmap-*.json")))
    return QRawFont(str(font), _EM), json.loads(charmap.read_text("utf-8"))


@lru_cache(maxsize=128)
def glyph(name: str) -> QPainterPath:
    """Returns the outline of an icon in a square of side 1, centred on its origin.

    Raises:
        KeyError: The font has no such icon.
    """
    font, charmap = _font()
    path = font.pathForGlyph(font.glyphIndexesForString(chr(int(charmap[name], 16)))[0])
    path.translate(-path.boundingRect().center())
    return QTransform.fromScale(1 / _EM, 1 / _EM).map(path)


def draw(painter: QPainter, name: str, center: QPointF, size: float, color: QColor) -> None:
    """Draws an icon of ``size`` logical pixels around ``center``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(center)
    painter.scale(size, size)
    painter.fillPath(glyph(name), color)
    painter.restore()


def icon(name: str, palette: QPalette) -> QIcon:
    """Returns an icon in the text colours of a palette; make it anew when the palette changes."""
    made = QIcon()
    group = QPalette.ColorGroup
    for shade, mode in ((group.Active, QIcon.Mode.Normal), (group.Disabled, QIcon.Mode.Disabled)):
        color = palette.color(shade, QPalette.ColorRole.ButtonText)
        for size in _SIZES:
            for ratio in _RATIOS:
                made.addPixmap(_pixmap(name, size, ratio, color), mode)
    return made


def _pixmap(name: str, size: int, ratio: int, color: QColor) -> QPixmap:
    pixmap = QPixmap(size * ratio, size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw(painter, name, QPointF(size / 2, size / 2), size, color)
    painter.end()
    return pixmap
