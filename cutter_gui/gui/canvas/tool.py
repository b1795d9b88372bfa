"""The tools of the canvas: what the left button does."""

from __future__ import annotations

from enum import Enum


class Tool(Enum):
    SELECT = "select"
    KNIFE = "knife"
    START_STAGE = "start_stage"
