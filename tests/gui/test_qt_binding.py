"""What the program relies on in PySide6, and some releases break."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

CALLS = 1000


def paint(call: Callable[[QPainter], object]) -> None:
    image = QImage(8, 8, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    for _ in range(CALLS):
        call(painter)
    painter.end()


def lines() -> None:
    paint(lambda painter: painter.drawLine(0, 0, 7, 7))


def rectangles() -> None:
    paint(lambda painter: painter.drawRect(QRectF(1, 1, 5, 5)))


def pens() -> None:
    paint(lambda painter: painter.setPen(QPen()))


def updates() -> None:
    widget = QWidget()
    for _ in range(CALLS):
        widget.update()
    widget.deleteLater()


def points() -> None:
    point = QPointF()
    for number in range(CALLS):
        point.setX(number)


@pytest.mark.usefixtures("qapp")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on, its count never changes")
@pytest.mark.parametrize("calls", [lines, rectangles, pens, updates, points])
def test_calls_into_qt_leave_the_references_to_none_as_they_were(calls: Callable[[], None]) -> None:
    calls()  # what is made once, at the first call, is made here
    before = sys.getrefcount(None)
    calls()
    assert abs(sys.getrefcount(None) - before) < CALLS // 10
