"""What the program remembers between runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

_RECENT_KEPT = 10


class Settings(QObject):
    """Typed access to the settings file.

    Signals:
        recent_changed: The list of recent files is another.
    """

    recent_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "cutter-gui", "cutter-gui", self)

    def text(self, key: str, default: str = "") -> str:
        return str(self._store.value(key, default))

    def set_text(self, key: str, value: str) -> None:
        self._store.setValue(key, value)

    def state(self, key: str) -> QByteArray:
        """Returns the saved geometry of a window or splitter, empty when none was saved."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_state(self, key: str, value: QByteArray) -> None:
        self._store.setValue(key, value)

    @property
    def recent(self) -> list[Path]:
        """The files opened last, newest first."""
        value = self._store.value("recent", [])
        paths = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [Path(str(path)) for path in paths]

    def add_recent(self, path: Path) -> None:
        kept = [path, *(other for other in self.recent if other != path)][:_RECENT_KEPT]
        self._set_recent(kept)

    def remove_recent(self, path: Path) -> None:
        self._set_recent([other for other in self.recent if other != path])

    def clear_recent(self) -> None:
        self._set_recent([])

    def _set_recent(self, paths: list[Path]) -> None:
        self._store.setValue("recent", [str(path) for path in paths])
        self.recent_changed.emit()

    def sync(self) -> None:
        self._store.sync()
