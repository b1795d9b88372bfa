"""Writing a set of files into a folder so that a killed run leaves no mixture (DESIGN, section 4, "Writing is atomic").

Terms: a *result* is a manifest and the files it lists; *foreign* files are all others in the folder.

Steps: everything is written into a folder of its own beside the target, or inside it where foreign files live. (1) A
target that does not exist yet is made by renaming. (2) One that holds only an earlier result, or nothing, is exchanged
whole, in one system call where the system has it (Linux ``renameat2``), else file by file as in (3). (3) Beside foreign
files, or where the target is the current folder and has to stay the same one, the old manifest is removed first, files
are replaced one by one, and the new manifest comes last.

A folder left behind by a killed run is removed by the next run into the same target; a lock tells it from one in use.
Left out: syncing to disk, since the promise is about killed programs, not about power cuts.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.real_path import real_path

_PREFIX = ".cutter-gui-"
_LOCK = ".lock"
_TAKEN_AWAY = ".replaced"  # the old manifest, in a workspace whose files are being put in place
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2

ListedFiles = Callable[[Path], Sequence[str]]
"""Reads a manifest and returns the names of the files it lists; raises `CutterError` when it is no manifest of ours."""


class ResultFolder:
    """A folder that gets a new result, whole or not at all.

    Use it as a context manager: write into `workspace`, then call `commit`. Leaving without `commit` removes what was
    written and every folder that was made for it.
    """

    def __init__(self, target: Path, manifest: str, listed_files: ListedFiles, force: bool) -> None:
        """Checks whether a result may be written.

        Args:
            target: The folder.
            manifest: Name of the manifest in it.
            listed_files: Reads the files of an earlier result from its manifest.
            force: Whether an earlier result may be replaced.

        Raises:
            CutterError: The target is no folder, or holds an earlier result and ``force`` is not set, or a foreign file
                under the manifest's name.
        """
        self._target = real_path(target)
        self._manifest = manifest
        self._listed_files = listed_files
        self._parents_made: list[Path] = []
        self._workspaces: list[Path] = []
        self._lock: _Lock | None = None
        self._inside = False
        self.workspace = self._target
        _refuse_unreachable(self._target)
        if self._target.exists() and not self._target.is_dir():
            raise CutterError("the output folder is a file", str(target), "give another folder")
        old = self._target / manifest
        self._old_files: tuple[str, ...] = ()
        self._force = force
        if old.exists():
            self._old_files = self._files_listed(old)
            if not force:
                raise _earlier_result(target)
        self._foreign: frozenset[str] = frozenset()

    def __enter__(self) -> ResultFolder:
        try:
            self._make_parents()
            beside = f"{_PREFIX}{self._target.name[:80]}-"
            _remove_abandoned(self._target.parent, beside)
            if self._target.is_dir():
                _remove_abandoned(self._target, _PREFIX, self._finish_interrupted)
                self._foreign = self._find_foreign()
                self._inside = bool(self._foreign) or not self._can_be_exchanged() or self._is_where_we_are()
            holder = self._target if self._inside else self._target.parent
            prefix = _PREFIX if self._inside else beside
            handle, lock = tempfile.mkstemp(prefix=prefix, suffix=_LOCK, dir=holder)
            self._lock = _Lock(handle, Path(lock))
            self.workspace = Path(lock.removesuffix(_LOCK))
            self.workspace.mkdir()
            self._workspaces.append(self.workspace)
            self.workspace.chmod(self._mode())
        except OSError as error:
            self._remove_made()
            raise _cannot_write(self._target, error) from None
        except BaseException:
            self._remove_made()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove_made()
        if isinstance(error, OSError):
            raise _cannot_write(self._target, error) from None

    def commit(self, files: Sequence[str]) -> None:
        """Puts the written files in place.

        Args:
            files: Names of the files in `workspace`, without the manifest, which is there too.

        Raises:
            CutterError: A foreign file has one of the names, another run has written a result meanwhile, or the files
                cannot be put in place.
        """
        if not self._force and (self._target / self._manifest).exists():
            raise _earlier_result(self._target)
        self.refuse_foreign([*files, self._manifest])
        if not self._target.exists():
            self.workspace.rename(self._target)
            self._parents_made.clear()
        elif self._inside or not _exchange(self.workspace, self._target):
            self._move_inside()
            self._replace_one_by_one(files)

    def refuse_foreign(self, names: Sequence[str]) -> None:
        """Checks that files of these names may be put in place, before the work of writing them is done.

        Raises:
            CutterError: A foreign file has one of the names.
        """
        taken = sorted(self._foreign.intersection(names))
        if taken:
            raise CutterError(
                f"the folder holds a file {one_line(taken[0], 80)} that is not from an earlier result",
                str(self._target),
                "move it away, or give another folder",
            )

    def replaces(self, path: Path) -> bool:
        """Whether a file is one of the earlier result's, which is about to go."""
        resolved = real_path(path)
        return resolved.parent == self._target and resolved.name in self._old_files

    def _files_listed(self, manifest: Path) -> tuple[str, ...]:
        """Returns the files that a manifest lists, without what no result can have written."""
        names = self._listed_files(manifest)
        return tuple(name for name in names if _is_plain_name(name) and not (self._target / name).is_dir())

    def _find_foreign(self) -> frozenset[str]:
        present = {entry.name for entry in self._target.iterdir() if not entry.name.startswith(_PREFIX)}
        return frozenset(present - set(self._old_files) - {self._manifest})

    def _can_be_exchanged(self) -> bool:
        """Whether the folder's parent may be written, and is on the same file system."""
        parent = self._target.parent
        may_write = os.access(parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
        return may_write and parent.stat().st_dev == self._target.stat().st_dev

    def _is_where_we_are(self) -> bool:
        """Whether the target holds the current folder; exchanged, it would leave whoever works there in no folder."""
        try:
            return Path.cwd().is_relative_to(self._target)
        except OSError:
            return False

    def _finish_interrupted(self, workspace: Path) -> None:
        """Removes the files of a run that was killed while it put them in place."""
        if (workspace / _TAKEN_AWAY).exists() and not (self._target / self._manifest).exists():
            for manifest in (workspace / _TAKEN_AWAY, workspace / self._manifest):
                with suppress(CutterError):
                    for name in self._files_listed(manifest):
                        (self._target / name).unlink(missing_ok=True)

    def _move_inside(self) -> None:
        """Moves the workspace into the target, so that its files can be renamed into place."""
        if not self._inside:
            inside = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._target))
            self._workspaces.append(inside)
            for entry in list(self.workspace.iterdir()):
                shutil.move(entry, inside)
            self.workspace = inside

    def _replace_one_by_one(self, files: Sequence[str]) -> None:
        manifest = self._target / self._manifest
        if manifest.exists():
            manifest.replace(self.workspace / _TAKEN_AWAY)
        else:
            (self.workspace / _TAKEN_AWAY).touch()
        # All of them first: a file renamed over another one is written to disk at once by some file systems (ext4).
        for name in self._old_files:
            (self._target / name).unlink(missing_ok=True)
        for name in files:
            (self.workspace / name).replace(self._target / name)
        (self.workspace / self._manifest).replace(manifest)

    def _make_parents(self) -> None:
        missing: list[Path] = []
        parent = self._target.parent
        while not parent.exists():
            missing.append(parent)
            parent = parent.parent
        for folder in reversed(missing):
            folder.mkdir()
            self._parents_made.append(folder)

    def _mode(self) -> int:
        """The target's permissions, or those a new folder would get."""
        if self._target.is_dir():
            return self._target.stat().st_mode & 0o7777
        umask = os.umask(0)
        os.umask(umask)
        return 0o777 & ~umask

    def _remove_made(self) -> None:
        """Removes the workspaces, and the parents made for a result that did not come, while they are empty."""
        for workspace in self._workspaces:
            shutil.rmtree(workspace, ignore_errors=True)
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        for folder in reversed(self._parents_made):
            try:
                folder.rmdir()
            except OSError:
                break


class _Lock:
    """A file that is locked for as long as this process lives, where the system has such locks."""

    def __init__(self, handle: int, path: Path) -> None:
        self._handle = handle
        self._path = path
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def _is_plain_name(name: str) -> bool:
    return bool(name) and name not in (".", "..") and "/" not in name and os.sep not in name and "\0" not in name


def _earlier_result(target: Path) -> CutterError:
    return CutterError(
        "the folder holds an earlier result", str(target), "give --force to replace it, or another folder"
    )


def _refuse_unreachable(target: Path) -> None:
    """Refuses, before any work is done, a folder that no path of the system can lead to: a loop of links, a long name.

    Raises:
        CutterError: The folder is one.
    """
    try:
        target.stat()
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
            raise _cannot_write(target, error) from None


def _cannot_write(target: Path, error: OSError) -> CutterError:
    reason = one_line(error.strerror or str(error))
    return CutterError(f"the result cannot be written: {reason}", str(target), "free space or choose another folder")


def _remove_abandoned(holder: Path, prefix: str, before: Callable[[Path], None] | None = None) -> None:
    """Removes workspaces whose process is gone: their lock is free or already removed.

    Args:
        holder: Where they are.
        prefix: How their names begin.
        before: Called with each workspace before it is removed.
    """
    if sys.platform == "win32":
        return
    import fcntl

    def remove(workspace: Path) -> None:
        if before is not None:
            before(workspace)
        shutil.rmtree(workspace, ignore_errors=True)

    for stem in {entry.name.removesuffix(_LOCK) for entry in holder.iterdir() if entry.name.startswith(prefix)}:
        lock = holder / f"{stem}{_LOCK}"
        try:
            handle = os.open(lock, os.O_RDWR)
        except FileNotFoundError:
            remove(holder / stem)
            continue
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        else:
            remove(holder / stem)
            lock.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _exchange(first: Path, second: Path) -> bool:
    """Exchanges two folders in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), ctypes.c_uint(_RENAME_EXCHANGE))
    return bool(done == 0)
