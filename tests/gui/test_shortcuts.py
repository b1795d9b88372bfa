"""Keys of actions: listed, found, changed by pressing others, clashes told, brought back one by one or all."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cutter_gui.gui.canvas.tool import Tool
from cutter_gui.gui.dialogs.shortcuts import Change, Reset, ShortcutsDialog
from cutter_gui.gui.settings import Settings
from cutter_gui.gui.shortcuts import Shortcuts
from cutter_gui.gui.theme import Theme
from cutter_gui.gui.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
CTRL, SHIFT, ALT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.NoModifier,
)


@pytest.fixture
def dialog(window, hand) -> ShortcutsDialog:
    hand.press("Ctrl+F1")
    return hand.dialog(ShortcutsDialog)


@pytest.fixture
def change(dialog, hand):
    """Finds an action, clicks it and presses keys."""

    def do(action_id: str, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        dialog.field.setText(dialog._registry.spec(action_id).plain_text)
        hand.click_target(dialog.list, Change(action_id))
        QTest.keyClick(dialog.list, key, modifier)
        hand.settle()

    return do


def row(dialog: ShortcutsDialog, action_id: str) -> str:
    return next(row.text for row in dialog.list.rows_model.rows if row.key == action_id)


def test_every_action_is_listed_and_found_by_name_menu_or_keys(dialog, window, hand, qtbot) -> None:
    listed = {row.key for row in dialog.list.rows_model.rows}
    assert listed >= {spec.id for spec in window.actions_registry}
    assert any("Drag the ground" in row.text for row in dialog.list.rows_model.rows)
    qtbot.keyClicks(dialog.field, "ctrl+z")
    assert {row.key for row in dialog.list.rows_model.rows if isinstance(row.key, str)} == {"edit.undo"}
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "go model tab")
    found = {row.key for row in dialog.list.rows_model.rows if isinstance(row.key, str)}
    assert found == {"go.next_tab", "go.previous_tab"}


def test_other_keys_work_at_once_and_at_the_next_start(opened, dialog, change, hand, qapp, qtbot) -> None:
    change("cut.new", Qt.Key.Key_J, CTRL | ALT)
    assert "Ctrl+Alt+J" in row(dialog, "cut.new")
    assert "Ctrl+Alt+J" in opened.actions_registry["cut.new"].toolTip()
    dialog.close()
    hand.press("N")
    assert len(opened.document.plan.cuts) == 0
    hand.press("Ctrl+Alt+J")
    assert len(opened.document.plan.cuts) == 1
    theme = Theme(qapp, "light")
    again = MainWindow(theme, Settings())
    qtbot.addWidget(again, before_close_func=lambda widget: widget.close_now())
    again.show()
    qtbot.waitUntil(lambda: again.is_complete)
    assert [keys.toString() for keys in again.actions_registry["cut.new"].shortcuts()] == ["Ctrl+Alt+J"]
    again.close_now()
    theme.deleteLater()


def test_a_clash_is_told_and_the_keys_are_taken_over_only_when_that_is_wanted(window, dialog, change, hand) -> None:
    change("cut.compare", Qt.Key.Key_R, CTRL)
    assert dialog.said.text() == "Ctrl+R is the shortcut of “Repeat elsewhere”."
    QTest.mouseClick(dialog.keep, LEFT)
    assert window.shortcuts.keys("cut.compare") == []
    assert window.shortcuts.keys("cut.repeat") == ["Ctrl+R"]
    change("cut.compare", Qt.Key.Key_R, CTRL)
    QTest.keyClick(dialog.take, Qt.Key.Key_Space)
    hand.settle()
    assert window.shortcuts.keys("cut.compare") == ["Ctrl+R"]
    assert window.shortcuts.keys("cut.repeat") == []


def test_keys_are_brought_back_one_by_one_and_all(window, dialog, change, hand) -> None:
    change("cut.rename", Qt.Key.Key_R, CTRL)  # which repeating the cut elsewhere had
    QTest.mouseClick(dialog.take, LEFT)
    change("cut.new", Qt.Key.Key_Backspace)
    assert window.shortcuts.keys("cut.new") == []
    dialog.field.clear()
    hand.click_target(dialog.list, Reset("cut.new"))
    assert window.shortcuts.keys("cut.new") == ["N"]
    assert (window.shortcuts.keys("cut.rename"), window.shortcuts.keys("cut.repeat")) == (["Ctrl+R"], [])
    QTest.mouseClick(dialog.reset_all, LEFT)
    assert (window.shortcuts.keys("cut.rename"), window.shortcuts.keys("cut.repeat")) == (["F2"], ["Ctrl+R"])
    assert not dialog.reset_all.isEnabled()
    assert Settings().text("shortcuts") == "{}"


def test_keys_that_are_needed_everywhere_are_refused_and_escape_leaves_all_as_it_is(window, dialog, change) -> None:
    change("cut.new", Qt.Key.Key_5)
    assert "5 alone is needed elsewhere" in dialog.said.text()
    QTest.keyClick(dialog.list, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert window.shortcuts.keys("cut.new") == ["N"]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_keys_that_the_window_shows_are_those_chosen_and_the_knife_s_is_held_whichever_it_is(
    opened, dialog, change, hand
) -> None:
    change("tool.knife", Qt.Key.Key_X)
    button = opened.toolbar.widgetForAction(opened.actions_registry["tool.knife"])
    assert button.text() == "Knife  X"
    change("go.find", Qt.Key.Key_L, CTRL)
    assert opened.workspace.search.field.placeholderText().endswith("…  Ctrl+L")
    dialog.close()
    canvas = opened.workspace.canvas
    canvas.setFocus()
    QTest.keyPress(canvas, Qt.Key.Key_X)
    assert canvas.tool is Tool.KNIFE
    QTest.keyRelease(canvas, Qt.Key.Key_X)
    hand.key(canvas, Qt.Key.Key_V)
    hand.key(canvas, Qt.Key.Key_K)
    assert canvas.tool is Tool.SELECT


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"edit.undo": 3}', '{"gone.action": ["Ctrl+1"]}'])
def test_settings_that_were_edited_do_no_harm(window, text: str) -> None:
    settings = Settings()
    settings.set_text("shortcuts", text)
    made = Shortcuts(window.actions_registry, settings)
    made.load()
    assert made.keys("edit.undo")[0] == "Ctrl+Z"
    assert made.keys("cut.new") == ["N"]


def test_no_two_actions_come_with_the_same_keys(window) -> None:
    owners: dict[str, list[str]] = {}
    for spec in window.actions_registry:
        for keys in window.shortcuts.keys(spec.id):
            owners.setdefault(keys, []).append(spec.id)
    assert {keys: ids for keys, ids in owners.items() if len(ids) > 1} == {}
