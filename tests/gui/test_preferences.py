"""Preferences take effect as they are chosen, and are still there at the next start."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from cutter_gui.gui.dialogs.preferences import PreferencesDialog
from cutter_gui.gui.dialogs.save_stages import SaveStagesDialog
from cutter_gui.gui.preferences import Preferences
from cutter_gui.gui.recovery import recovery_folder
from cutter_gui.gui.settings import Settings
from cutter_gui.layout.scene import BoxKind

LEFT = Qt.MouseButton.LeftButton
LOAD_MS = 60_000


@pytest.fixture
def dialog(opened, hand) -> PreferencesDialog:
    hand.press("Ctrl+,")
    return hand.dialog(PreferencesDialog)


def choose(combo: QComboBox, word: str, hand) -> None:
    """Chooses an entry by keyboard."""
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.findData(word)):
        QTest.keyClick(combo, Qt.Key.Key_Down)
    hand.settle()
    assert combo.currentData() == word


def test_the_theme_changes_at_once_and_all_that_is_chosen_is_kept(opened, dialog, hand) -> None:
    choose(dialog.theme, "dark", hand)
    assert opened.theme.palette.name == "dark"
    assert opened.palette().window().color().lightness() < 128
    assert dialog.restore.isChecked()
    qtest_click(dialog.restore)
    assert Settings().text("theme") == "dark"
    assert not Preferences(Settings()).flag("session/restore")


def test_the_graph_is_laid_out_anew_by_the_engine_and_in_the_direction_that_are_chosen(
    opened, dialog, hand, qtbot
) -> None:
    workspace = opened.workspace
    assert (workspace.scene.engine, workspace.scene.direction) == ("graphviz", "TB")
    choose(dialog.engine, "layered", hand)
    choose(dialog.direction, "LR", hand)

    def there() -> bool:
        scene = workspace.scene
        return scene is not None and (scene.engine, scene.direction) == ("layered", "LR")

    qtbot.waitUntil(there, timeout=LOAD_MS)
    qtbot.waitUntil(lambda: not opened.opener.is_busy, timeout=LOAD_MS)
    workspace.folds.fold_to_level(0)  # a picture of another folding is made so too
    qtbot.waitUntil(lambda: not workspace.folds.is_busy, timeout=LOAD_MS)
    assert there()


def test_a_tensor_becomes_stubs_when_it_has_more_consumers_than_is_wanted(opened, dialog, hand, qtbot) -> None:
    opened.workspace.folds.unfold_all()
    qtbot.waitUntil(lambda: not opened.workspace.folds.is_busy, timeout=LOAD_MS)
    assert BoxKind.STUB not in opened.workspace.scene.box_kind
    dialog.hub.setFocus()
    dialog.hub.selectAll()
    QTest.keyClicks(dialog.hub, "2")
    QTest.keyClick(dialog.hub, Qt.Key.Key_Tab)
    stubs = lambda: opened.workspace.has_picture and BoxKind.STUB in opened.workspace.scene.box_kind  # noqa: E731
    qtbot.waitUntil(stubs, timeout=LOAD_MS)
    qtbot.waitUntil(lambda: not opened.opener.is_busy, timeout=LOAD_MS)


def test_a_model_in_another_tab_is_laid_out_anew_when_it_is_looked_at(opened, dialog, hand, qtbot, model) -> None:
    other = model.with_name("other.onnx")
    other.write_bytes(model.read_bytes())
    opened.open_paths([other])
    first = next(iter(opened.tabs))
    assert first.workspace.scene.engine == "graphviz"
    qtbot.waitUntil(lambda: opened.document is not None and opened.document.path == other, timeout=LOAD_MS)
    qtbot.waitUntil(lambda: opened.workspace.has_picture and not opened.opener.is_busy, timeout=LOAD_MS)
    opened.preferences.set("layout/engine", "layered")
    qtbot.waitUntil(lambda: opened.workspace.scene is not None and opened.workspace.scene.engine == "layered")
    qtbot.waitUntil(lambda: not opened.opener.is_busy, timeout=LOAD_MS)
    assert first.workspace.scene.engine == "graphviz"
    hand.press("Ctrl+Tab")
    qtbot.waitUntil(lambda: first.workspace.scene is not None and first.workspace.scene.engine == "layered")
    qtbot.waitUntil(lambda: not first.is_opening, timeout=LOAD_MS)


def test_what_is_chosen_for_stages_is_what_the_dialog_to_save_them_begins_with(opened, dialog, hand) -> None:
    choose(dialog.form, "plain", hand)
    choose(dialog.weights, "copy", hand)
    qtest_click(dialog.verify)
    dialog.close()
    hand.press("Ctrl+E")
    save = hand.dialog(SaveStagesDialog)
    assert (save.form.currentData(), save.weights.currentData(), save.verify.isChecked()) == ("plain", "copy", False)


def test_a_model_opened_without_cuts_takes_the_transport_that_is_preferred(opened, dialog, hand, model, qtbot) -> None:
    choose(dialog.transport, "direct", hand)
    assert opened.document.plan.transport == "relay", "a plan that is there stays"
    other = model.with_name("other.onnx")
    other.write_bytes(model.read_bytes())
    opened.open_paths([other])
    qtbot.waitUntil(lambda: opened.document is not None and opened.document.path == other, timeout=LOAD_MS)
    qtbot.waitUntil(lambda: not opened.opener.is_busy, timeout=LOAD_MS)
    assert opened.document.plan.transport == "direct"
    assert not opened.document.is_modified


def test_changes_are_kept_for_recovery_or_not_from_the_click_on(opened, dialog, hand) -> None:
    opened.document.toggle_tensor(opened.document.graph.tensor_index["10"])
    assert len(list(recovery_folder().glob("*.log"))) == 1
    qtest_click(dialog.keep_unsaved)
    assert list(recovery_folder().glob("*.log")) == []
    opened.document.toggle_tensor(opened.document.graph.tensor_index["20"])
    assert list(recovery_folder().glob("*.log")) == []
    qtest_click(dialog.keep_unsaved)
    assert len(list(recovery_folder().glob("*.log"))) == 1


def qtest_click(box) -> None:
    """Clicks a check box on its sign."""
    from PySide6.QtCore import QPoint

    QTest.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("layout/hub_threshold", "many", 8),
        ("layout/hub_threshold", "-3", 2),
        ("layout/hub_threshold", "99999", 1000),
    ],
)
def test_a_settings_file_that_was_edited_does_no_harm(qapp, key: str, text: str, expected: int) -> None:
    settings = Settings()
    settings.set_text(f"preferences/{key}", text)
    settings.set_text("preferences/layout/engine", "magic")
    assert Preferences(settings).number(key) == expected
    assert Preferences(settings).choice("layout/engine") == "auto"
    with pytest.raises(ValueError, match="magic"):
        Preferences(settings).set("layout/engine", "magic")
