"""A log of every change of the plan and of given types, from which unsaved work is recovered after a crash.

A log is a file of lines, each a JSON object: first what model is open, then the plan after each change. Lines are only
ever added, and reach the operating system at once, which keeps them when the program is killed; at most a second later
they are on the disk, which keeps them when the machine stops. A lock file beside it tells logs of programs that run
from those of programs that died. A last line that was cut short is passed over.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, QTimer

from cutter_gui.core.format import TypeHint
from cutter_gui.core.plan import TRANSPORTS, Cut, CutEdge, Plan
from cutter_gui.core.type_hints import types_data, types_of

FORMAT = "cutter-gui/recovery"
VERSION = 1
SYNC_MS = 900
AT_MOST = 16 << 20  # bytes after which a log begins anew with the last plan


def recovery_folder() -> Path:
    """Returns the folder of the logs."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return Path(place) / "cutter-gui" / "recovery"


@dataclass(frozen=True)
class Recovered:
    """What a log holds.

    Attributes:
        log: The log.
        model: The model that was open.
        spec: The cut spec the plan was kept in, or None.
        plan: The plan after the last change.
        active_cut: The cut that clicks went into.
        changes: How many changes the log has.
        types: Types that the user had given.
    """

    log: Path
    model: Path
    spec: Path | None
    plan: Plan
    active_cut: int | None
    changes: int
    types: Mapping[str, TypeHint] = field(default_factory=dict)

    def remove(self) -> None:
        """Takes the log away, once it is of no more use."""
        self.log.unlink(missing_ok=True)
        self.log.with_suffix(".lock").unlink(missing_ok=True)


def plan_data(plan: Plan) -> dict[str, Any]:
    """Returns a plan as plain data."""
    cuts = [{"name": cut.name, "edges": [[edge.tensor, edge.consumers] for edge in cut.edges]} for cut in plan.cuts]
    return {"transport": plan.transport, "cuts": cuts}


def plan_of(data: dict[str, Any]) -> Plan:
    """Returns the plan of `plan_data`.

    Raises:
        KeyError, TypeError, ValueError: It is not such data.
    """
    cuts = tuple(Cut(tuple(CutEdge(*edge) for edge in cut["edges"]), cut["name"]) for cut in data["cuts"])
    if data["transport"] not in TRANSPORTS:
        raise ValueError(data["transport"])
    return Plan(cuts, data["transport"])


class RecoveryLog(QObject):
    """The log of one document; nothing is written before the first change."""

    def __init__(self, model: Path, fingerprint: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._head = {"format": FORMAT, "version": VERSION, "model": str(model), "fingerprint": fingerprint}
        self.path = recovery_folder() / f"{uuid.uuid4().hex}.log"
        self._lock: QLockFile | None = None
        self._file: IO[bytes] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SYNC_MS)
        self._timer.timeout.connect(self._sync)

    def write(
        self, plan: Plan, active_cut: int | None, spec: Path | None, types: Mapping[str, TypeHint] | None = None
    ) -> None:
        """Adds the plan, and the types given, after a change.

        Raises:
            OSError: It cannot be written.
        """
        line = {"plan": plan_data(plan), "active": active_cut, "spec": None if spec is None else str(spec)}
        if types:
            line["types"] = types_data(types)
        if self._file is None or self._file.tell() > AT_MOST:
            self._begin(line)
        else:
            self._file.write(_as_line(line))
        if not self._timer.isActive():
            self._timer.start()

    def _begin(self, line: dict[str, Any]) -> None:
        """Begins a log with a plan; one that is there already is exchanged whole, in case the program dies just now."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            self._lock = _lock_of(self.path)
            self._lock.tryLock(0)
        if self._file is not None:
            self._file.close()
            self._file = None
        beginning = self.path.with_suffix(".new")
        beginning.write_bytes(_as_line(self._head) + _as_line(line))
        beginning.replace(self.path)
        self._file = self.path.open("ab", buffering=0)

    def _sync(self) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Takes the log away: there is nothing to recover."""
        self._timer.stop()
        if self._file is not None:
            self._file.close()
            self._file = None
            self.path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None


def _as_line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True).encode() + b"\n"


def _lock_of(log: Path) -> QLockFile:
    lock = QLockFile(str(log.with_suffix(".lock")))
    lock.setStaleLockTime(0)
    return lock


def left_behind() -> Iterator[Recovered]:
    """Yields what programs that died have left, the newest first."""
    for log in sorted(recovery_folder().glob("*.log"), key=_written, reverse=True):
        lock = _lock_of(log)
        if not lock.tryLock(0):
            continue
        lock.unlock()
        found = read_log(log)
        if found is not None:
            yield found


def _written(log: Path) -> int:
    """Returns when a log was last written; 0 for one that its program has just taken away."""
    try:
        return log.stat().st_mtime_ns
    except OSError:
        return 0


def read_log(log: Path) -> Recovered | None:
    """Returns what a log holds, or None when it holds no change."""
    try:
        lines = log.read_bytes().split(b"\n")
    except OSError:
        return None
    entries: list[dict[str, Any]] = []
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the last line of a program that died while writing
        if isinstance(entry, dict):
            entries.append(entry)
    if len(entries) < 2 or entries[0].get("format") != FORMAT or entries[0].get("version") != VERSION:
        return None
    last = entries[-1]
    try:
        spec = None if last["spec"] is None else Path(last["spec"])
        types = types_of(last.get("types"))
        model, plan = Path(entries[0]["model"]), plan_of(last["plan"])
        return Recovered(log, model, spec, plan, last["active"], len(entries) - 1, types)
    except (KeyError, TypeError, ValueError):
        return None
