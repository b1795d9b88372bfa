"""How large a picture of a format may be, and into which parts a larger one is divided. No Qt: dialogs ask too.

Units are those of the format: pixels of a PNG or SVG, points of a PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

SUFFIXES = (".svg", ".png", ".pdf")
PNG_SIDE = 32_767  # Qt's raster engine draws no farther
PNG_PIXELS = 200_000_000  # 800 MB while drawing
PDF_SIDE = 14_400.0  # points; the PDF specification's largest page (ISO 32000-1, annex C)
POINTS_PER_PIXEL = 0.75
DEFAULT_SCALE = 1.0
PNG_DEFAULT_SCALE = 2.0
TILES_AT_MOST = 200


@dataclass(frozen=True)
class Tiling:
    """A picture in parts.

    Attributes:
        width: Of the whole.
        height: Of the whole.
        columns: Parts beside each other.
        rows: Parts above each other.
    """

    width: int
    height: int
    columns: int
    rows: int

    @property
    def count(self) -> int:
        return self.columns * self.rows

    def parts(self) -> list[tuple[int, int, int, int]]:
        """Returns left, top, width and height of each part, row by row; together they are the whole."""
        across = [self.width * at // self.columns for at in range(self.columns + 1)]
        down = [self.height * at // self.rows for at in range(self.rows + 1)]
        return [
            (left, top, right - left, bottom - top)
            for top, bottom in pairwise(down)
            for left, right in pairwise(across)
        ]


def units_per_pixel(suffix: str) -> float:
    """Returns how many units of a format a pixel at scale 1 is."""
    return POINTS_PER_PIXEL if suffix == ".pdf" else 1.0


def largest_scale(width: float, height: float, suffix: str) -> float:
    """Returns the largest scale at which a drawing is one file or page.

    Args:
        width: Of the drawing, in pixels at scale 1.
        height: Likewise.
        suffix: Of the file.
    """
    longest = max(width, height)
    if suffix == ".png":
        return min(PNG_SIDE / (longest + 1), sqrt(PNG_PIXELS / (width * height)))
    return PDF_SIDE / POINTS_PER_PIXEL / (longest + 1) if suffix == ".pdf" else float("inf")


def tiling(width: float, height: float, scale: float, suffix: str) -> Tiling:
    """Returns the fewest parts, all about as large, in which a drawing fits its format; see `largest_scale`."""
    unit = units_per_pixel(suffix) * scale
    whole = max(ceil(width * unit), 1), max(ceil(height * unit), 1)
    if suffix == ".svg":
        return Tiling(*whole, 1, 1)
    side = PNG_SIDE if suffix == ".png" else int(PDF_SIDE)
    columns, rows = (ceil(length / side) for length in whole)
    if suffix == ".png":
        while ceil(whole[0] / columns) * ceil(whole[1] / rows) > PNG_PIXELS:
            if whole[0] / columns >= whole[1] / rows:
                columns += 1
            else:
                rows += 1
    return Tiling(*whole, columns, rows)
