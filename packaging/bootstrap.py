"""Prepares a checkout: system libraries where they are missing and may be installed, then the environment ``.venv``.

Run by make, with nothing but the standard library of Python 3.10 or newer. A stamp in the environment makes repeated
runs quick.

    python3 packaging/bootstrap.py            the program
    python3 packaging/bootstrap.py --tests    the program, the tools of its tests, and torch
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "prepared.txt"
# An exact release: a bare requirement takes a build of several gigabytes for graphics cards on Linux.
TORCH = "torch==2.13.0"

# What the wheels of PySide6-Essentials 6.8 to 6.11 link to and do not carry: shared library, Debian package.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
# Only a window on an X server needs these; a desktop on Wayland does without.
X11_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def main() -> None:
    parser = argparse.ArgumentParser(description="Prepares this checkout to run the program.")
    parser.add_argument("--tests", action="store_true", help="also install what the tests need")
    for_tests = bool(parser.parse_args().tests)
    if sys.version_info < (3, 10):  # noqa: UP036 - this script alone runs before anything checked the version
        stop(f"Python {sys.version.split()[0]} is too old", "use 3.10 or newer: make PYTHON=python3.12 …")
    if sys.platform == "linux":
        prepare_system()
    if not is_prepared(for_tests):
        make_environment()
        install(for_tests)
        STAMP.write_text(stamp(for_tests), encoding="utf-8")


def prepare_system() -> None:
    """Installs missing system packages as root on Debian and its kin; elsewhere says which are missing."""
    needed = missing_packages(QT_LIBRARIES)
    wanted = missing_packages(X11_LIBRARIES)
    if not has_fonts():
        wanted.append("fonts-dejavu-core")
    if shutil.which("Xvfb") is None:
        wanted.append("xvfb")
    if not needed and not wanted:
        return
    apt = shutil.which("apt-get")
    if apt is not None and os.geteuid() == 0:
        install_packages(apt, needed + wanted)
        still = missing_packages(QT_LIBRARIES)
        if still:
            stop("system packages could not be installed", f"install {' '.join(still)}")
        return
    remedy = f"sudo apt-get install {' '.join(needed + wanted)}" if apt else f"install {' '.join(needed + wanted)}"
    if needed:
        stop("Qt's system libraries are missing", remedy)
    say(f"not installed, some tests will be skipped or a window may not open; to change that: {remedy}")


def missing_packages(libraries: dict[str, str]) -> list[str]:
    return sorted({package for library, package in libraries.items() if not loads(library)})


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_fonts() -> bool:
    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    return any(next(folder.rglob(f"*.{kind}"), None) for folder in folders for kind in ("ttf", "otf", "pfb"))


def install_packages(apt: str, packages: list[str]) -> None:
    say(f"installing system packages: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = [apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    # An old package list still serves where the update fails; the install then says what it lacks.
    for step in ([apt, "update", "-qq"], command):
        subprocess.run(step, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


def python_of(venv: Path) -> Path:
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def runs(python: Path) -> bool:
    if not python.exists():
        return False
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def stamp(for_tests: bool) -> str:
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + Path(__file__).read_bytes())
    return f"{digest.hexdigest()} {'tests' if for_tests else 'program'}\n"


def is_prepared(for_tests: bool) -> bool:
    if not STAMP.exists() or not python_of(VENV).exists():
        return False
    found = STAMP.read_text(encoding="utf-8")
    return found == stamp(True) or (not for_tests and found == stamp(False))


def make_environment() -> None:
    if runs(python_of(VENV)):
        return
    say("creating .venv")
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        stop(
            "the environment .venv could not be created",
            "install Python's venv module (Debian: sudo apt-get install python3-venv)",
            made.stdout + made.stderr,
        )


def install(for_tests: bool) -> None:
    requirements = [TORCH, "--editable", ".[dev]"] if for_tests else ["--editable", "."]
    say(f"installing into .venv: {' '.join(requirements)}")
    done = subprocess.run(
        [
            python_of(VENV),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
            *requirements,
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        stop("packages could not be installed", "read pip's message above")


def say(text: str) -> None:
    print(f"bootstrap: {text}", flush=True)


def stop(what: str, remedy: str, details: str = "") -> NoReturn:
    if details:
        print(details.strip(), file=sys.stderr)
    sys.exit(f"error: {what} (bootstrap): {remedy}")


if __name__ == "__main__":
    main()
