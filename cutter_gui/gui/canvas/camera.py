"""Which part of the scene the viewport shows, and how large."""

from __future__ import annotations

from dataclasses import dataclass, replace

MAX_SCALE = 4.0
MIN_SCALE = 0.05
FIT_MARGIN = 24.0

Rect = tuple[float, float, float, float]
"""Left, top, width, height."""


@dataclass(frozen=True)
class Camera:
    """A view of the scene.

    Attributes:
        scale: Viewport pixels for one scene pixel.
        x: Scene x at the viewport's left.
        y: Scene y at the viewport's top.
    """

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_view(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.x) * self.scale, (y - self.y) * self.scale

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        return x / self.scale + self.x, y / self.scale + self.y

    def visible(self, width: float, height: float) -> Rect:
        """Returns the part of the scene that a viewport of this size shows."""
        return self.x, self.y, width / self.scale, height / self.scale

    def panned(self, dx: float, dy: float) -> Camera:
        """Returns the view after the scene moved by viewport pixels."""
        return replace(self, x=self.x - dx / self.scale, y=self.y - dy / self.scale)

    def zoomed(self, factor: float, at_x: float, at_y: float, lowest: float = MIN_SCALE) -> Camera:
        """Returns the view scaled about a viewport point, which keeps its place in the scene."""
        scale = min(max(self.scale * factor, lowest), MAX_SCALE)
        x, y = self.to_scene(at_x, at_y)
        return Camera(scale, x - at_x / scale, y - at_y / scale)

    def kept_near(self, bounds: Rect, width: float, height: float) -> Camera:
        """Returns the view moved back so that a part of the scene stays in sight."""
        left, top, scene_width, scene_height = bounds
        seen_width, seen_height = width / self.scale, height / self.scale
        keep_x, keep_y = min(seen_width, scene_width) / 3, min(seen_height, scene_height) / 3
        x = min(max(self.x, left - seen_width + keep_x), left + scene_width - keep_x)
        y = min(max(self.y, top - seen_height + keep_y), top + scene_height - keep_y)
        return replace(self, x=x, y=y)


def fit_scale(bounds: Rect, width: float, height: float, largest: float = 1.0) -> float:
    """Returns the scale at which a part of the scene just fits, at most ``largest``."""
    room_x, room_y = max(width - 2 * FIT_MARGIN, 1.0), max(height - 2 * FIT_MARGIN, 1.0)
    return min(room_x / max(bounds[2], 1.0), room_y / max(bounds[3], 1.0), largest)


def fitted(bounds: Rect, width: float, height: float, largest: float = 1.0) -> Camera:
    """Returns the view with a part of the scene whole and in the middle."""
    scale = fit_scale(bounds, width, height, largest)
    return centred(bounds[0] + bounds[2] / 2, bounds[1] + bounds[3] / 2, scale, width, height)


def centred(x: float, y: float, scale: float, width: float, height: float) -> Camera:
    """Returns the view with a scene point in the middle."""
    return Camera(scale, x - width / scale / 2, y - height / scale / 2)
