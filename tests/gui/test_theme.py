"""Light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from cutter_gui.gui.palette import DARK, LIGHT, STAGE_TEXT, STAGES, Palette
from cutter_gui.gui.theme import Theme, mono_font, palette_of, qt_palette, title_font


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    before = QPalette(qapp.palette())
    yield qapp
    qapp.setPalette(before)


@pytest.fixture
def theme(app: QApplication) -> Iterator[Theme]:
    made = Theme(app)
    yield made
    made.setParent(None)
    made.deleteLater()


def test_switching_changes_the_palette_of_the_application_and_says_so(app: QApplication, theme: Theme) -> None:
    said: list[str] = []
    theme.changed.connect(lambda: said.append(theme.palette.name))
    theme.set_mode("dark")
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    theme.set_mode("light")
    theme.set_mode("light")
    assert said == ["dark", "light"]


def test_the_system_is_followed_only_when_asked_to(app: QApplication, theme: Theme) -> None:
    hints = app.styleHints()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.palette is LIGHT
    theme.set_mode("dark")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.palette is DARK


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
def test_the_tokens_are_found_again_from_qt_s_palette(tokens: Palette) -> None:
    assert palette_of(qt_palette(tokens)) is tokens


def luminance(colour: str) -> float:
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in QColor(colour).getRgbF()]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
@pytest.mark.parametrize("role", ["text", "text_soft", "accent", "error", "warning", "success"])
def test_text_can_be_read_on_every_ground(tokens: Palette, role: str) -> None:
    for ground in (tokens.window, tokens.panel, tokens.canvas, tokens.node):
        assert contrast(getattr(tokens, role), ground) >= 4.5


def test_the_number_on_a_stage_can_be_read() -> None:
    for ground, text in zip(STAGES, STAGE_TEXT, strict=True):
        assert contrast(ground, text) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
def test_every_token_is_a_colour(tokens: Palette) -> None:
    for role, colour in tokens._asdict().items():
        assert role == "name" or QColor(colour).isValid(), role


def test_titles_are_capitals_and_names_are_of_one_width(qapp: QApplication) -> None:
    assert title_font().capitalization() == title_font().Capitalization.AllUppercase
    assert mono_font().family() != qapp.font().family()


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
def test_a_box_to_tick_can_be_seen_on_the_ground_of_a_dialog(theme: Theme, tokens: Palette) -> None:
    theme.set_mode("dark" if tokens is LIGHT else "light")
    theme.set_mode(tokens.name)
    dialog = QWidget()
    box = QCheckBox(dialog)
    box.resize(box.sizeHint())
    picture = dialog.grab().toImage()
    row = [picture.pixelColor(x, box.height() // 2).name() for x in range(box.width())]
    assert max(contrast(colour, tokens.window) for colour in row) > 3
    dialog.deleteLater()
