"""What holds for every test: nothing is left running, and nothing of the user's is read or written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from weakref import WeakSet

import hypothesis
import pytest

# Before anything imports Qt: the offscreen platform draws the same on every machine.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["LC_ALL"] = "C.UTF-8"
for _name in ("QT_SCALE_FACTOR", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(_name, None)

hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

GRACE_SECONDS = 2.0
PROC = Path("/proc/self/task")


@pytest.fixture(autouse=True)
def user_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Gives each test settings, caches and data of its own, in its own process and those it starts."""
    home = tmp_path_factory.getbasetemp() / f"user-{os.getpid()}"
    for name in ("CONFIG", "CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    core = sys.modules.get("PySide6.QtCore")
    if core is not None:
        settings = core.QSettings
        for kind in (settings.Format.NativeFormat, settings.Format.IniFormat):
            settings.setPath(kind, settings.Scope.UserScope, str(home / "config"))
        # Qt keeps files in memory that it read or is to write still, those of the test before among them.
        store = settings(settings.Format.IniFormat, settings.Scope.UserScope, "cutter-gui", "cutter-gui")
        store.clear()
        store.sync()
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def nothing_left_running(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that leaves a thread, a child process or an active QTimer behind."""
    threads = set(threading.enumerate())
    children = child_processes()
    started = record_timers(monkeypatch)
    yield
    settle_qt()
    left = wait_for_none(lambda: leaks(threads, children))
    left += [f"an active QTimer of {interval} ms" for interval in active_timers(started)]
    if left:
        pytest.fail(f"{request.node.name} leaves behind: {', '.join(left)}")


def leaks(threads: set[threading.Thread], children: set[int]) -> list[str]:
    found = [f"thread {thread.name}" for thread in threading.enumerate() if thread not in threads and lives(thread)]
    return found + [f"process {pid} ({command_of(pid)})" for pid in child_processes() - children]


def lives(thread: threading.Thread) -> bool:
    """Whether a thread still runs; Python goes on listing threads of others' making, such as a QThread's."""
    if isinstance(thread, threading._DummyThread) and PROC.exists():
        return (PROC / str(thread.native_id)).exists()
    return thread.is_alive()


def child_processes() -> set[int]:
    """Returns the ids of this process's children, dead ones that nobody waited for included."""
    found: set[int] = set()
    for listing in PROC.glob("*/children"):
        try:
            found.update(int(pid) for pid in listing.read_text().split())
        except OSError:  # the thread ended meanwhile
            continue
    return {pid for pid in found if "multiprocessing.resource_tracker" not in command_of(pid)}


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip() or "ended, not waited for"
    except OSError:
        return "ended"


def wait_for_none(left: Callable[[], list[str]]) -> list[str]:
    """Returns what is still there after a while in which it may come to its end."""
    deadline = time.monotonic() + GRACE_SECONDS
    found = left()
    while found and time.monotonic() < deadline:
        time.sleep(0.01)
        settle_qt()
        found = left()
    return found


def record_timers(monkeypatch: pytest.MonkeyPatch) -> WeakSet:
    """Returns a set that from now on takes in each QTimer that Python code starts."""
    started: WeakSet = WeakSet()
    core = sys.modules.get("PySide6.QtCore")
    if core is not None:
        start = core.QTimer.start

        def recording_start(timer, *args):
            started.add(timer)
            return start(timer, *args)

        monkeypatch.setattr(core.QTimer, "start", recording_start)
    return started


def settle_qt() -> None:
    """Lets Qt carry out what was posted, deletions included."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return
    core = sys.modules["PySide6.QtCore"]
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)
    core.QCoreApplication.processEvents()


def active_timers(started: WeakSet) -> list[int]:
    if not started:
        return []
    import shiboken6

    return [timer.interval() for timer in started if shiboken6.isValid(timer) and timer.isActive()]


@pytest.fixture(scope="session")
def xvfb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Starts an X server without a screen and gives the name of its display, such as ``:99``."""
    server = shutil.which("Xvfb")
    if server is None:
        message = "Xvfb is not installed (Debian: sudo apt-get install xvfb)"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    reading, writing = os.pipe()
    log = tmp_path_factory.mktemp("xvfb") / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [server, "-displayfd", str(writing), "-screen", "0", "2560x1440x24", "-nolisten", "tcp"],
            pass_fds=[writing],
            stdout=output,
            stderr=output,
        )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    try:
        if not number:
            pytest.fail(f"Xvfb did not start: {log.read_text()}")
        yield f":{number}"
    finally:
        process.terminate()
        process.wait()
