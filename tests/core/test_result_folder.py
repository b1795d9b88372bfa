from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cutter_gui.core import result_folder
from cutter_gui.core.errors import CutterError
from cutter_gui.core.result_folder import ResultFolder

MANIFEST = "list.txt"


def listed(manifest: Path) -> Sequence[str]:
    return manifest.read_text().split()


def write(target: Path, files: dict[str, str], force: bool = False) -> None:
    with ResultFolder(target, MANIFEST, listed, force) as folder:
        for name, content in files.items():
            (folder.workspace / name).write_text(content)
        (folder.workspace / MANIFEST).write_text(" ".join(files))
        folder.commit(list(files))


def held(target: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in target.iterdir() if path.is_file()}


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


OLD = {"a": "old a", "b": "old b"}
NEW = {"b": "new b", "c": "new c"}
NEW_WHOLE = {**NEW, MANIFEST: "b c"}


@pytest.fixture(params=["exchange", "no exchange"])
def exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test with and without the system call that exchanges two folders."""
    if request.param == "no exchange":
        monkeypatch.setattr(result_folder, "_exchange", lambda *_: False)


@pytest.mark.usefixtures("exchange")
def test_a_new_folder_and_its_parents_are_made(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "down", NEW)
    assert held(tmp_path / "deep" / "down") == NEW_WHOLE
    assert not hidden(tmp_path / "deep")


@pytest.mark.usefixtures("exchange")
def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", NEW)
    assert held(tmp_path / "out") == NEW_WHOLE
    assert not hidden(tmp_path)


@pytest.mark.usefixtures("exchange")
def test_an_earlier_result_is_replaced_with_force_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    before = held(out)
    with pytest.raises(CutterError, match="--force"):
        write(out, NEW)
    assert held(out) == before
    write(out, NEW, force=True)
    assert held(out) == NEW_WHOLE
    assert not hidden(tmp_path)
    assert not hidden(out)


@pytest.mark.usefixtures("exchange")
def test_foreign_files_stay_and_only_the_earlier_results_files_go(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    (out / "notes").write_text("mine")
    (out / "folder").mkdir()
    write(out, NEW, force=True)
    assert held(out) == {**NEW_WHOLE, "notes": "mine"}
    assert (out / "folder").is_dir()
    assert not hidden(out)


@pytest.mark.parametrize("force", [False, True])
def test_a_foreign_file_of_the_same_name_is_never_overwritten(tmp_path: Path, force: bool) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "c").write_text("mine")
    with pytest.raises(CutterError, match="not from an earlier result"):
        write(out, NEW, force=force)
    assert held(out) == {"c": "mine"}
    assert not hidden(out)


def test_a_folder_under_the_name_of_an_earlier_file_is_foreign(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    (out / "b").unlink()
    (out / "b").mkdir()
    (out / "b" / "inside").write_text("mine")
    with pytest.raises(CutterError, match="not from an earlier result"):
        write(out, NEW, force=True)
    assert (out / "b" / "inside").read_text() == "mine"
    assert held(out) == {"a": "old a", MANIFEST: "a b"}


def test_a_manifest_cannot_make_files_elsewhere_go(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "precious").write_text("mine")
    write(out, OLD)
    (out / "sub").mkdir()
    (out / "sub" / "precious").write_text("mine")
    (out / MANIFEST).write_text("a b ../precious sub/precious .. .")
    write(out, NEW, force=True)
    assert (tmp_path / "precious").read_text() == "mine"
    assert (out / "sub" / "precious").read_text() == "mine"


def test_a_failure_leaves_neither_files_nor_folders(tmp_path: Path) -> None:
    def write_half() -> None:
        with ResultFolder(tmp_path / "deep" / "down", MANIFEST, listed, force=False) as folder:
            (folder.workspace / "a").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_earlier_result_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    before = held(out)
    with pytest.raises(CutterError, match="No space left"), ResultFolder(out, MANIFEST, listed, force=True):
        raise OSError(28, "No space left on device")
    assert held(out) == before
    assert not hidden(tmp_path)


def test_a_file_where_the_folder_or_a_parent_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CutterError, match="is a file"):
        write(tmp_path / "file", NEW)
    with pytest.raises(CutterError):
        write(tmp_path / "file" / "out", NEW)
    assert held(tmp_path) == {"file": "mine"}


def test_a_linked_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    write(tmp_path / "out", OLD)
    write(tmp_path / "out", NEW, force=True)
    assert (tmp_path / "out").is_symlink()
    assert held(tmp_path / "real") == NEW_WHOLE


def test_the_folders_permissions_are_kept_and_a_new_one_has_the_usual_ones(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.mkdir()
    write(tmp_path / "new", OLD)
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode
    (tmp_path / "new").chmod(0o750)
    write(tmp_path / "new", NEW, force=True)
    assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o750


def kill_while(target: Path, where: str) -> None:
    """Starts writing `NEW` in another process and kills it at the given line of code."""
    code = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_result_folder as tests
from cutter_gui.core import result_folder
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
{where}
tests.write(Path({str(target)!r}), tests.NEW, force=True)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -9


DURING_WRITING = "result_folder.ResultFolder.commit = die"
DURING_REPLACING = """
replaced = Path.replace
def replace_b_and_die(self, target):
    replaced(self, target)
    if self.name == "b": die()
Path.replace = replace_b_and_die
"""


@pytest.mark.parametrize("foreign", [True, False])
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path, foreign: bool) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    if foreign:
        (out / "notes").write_text("mine")
    kill_while(out, DURING_WRITING)
    assert len(hidden(out if foreign else tmp_path)) == 2
    assert (out / "a").read_text() == "old a"
    write(out, NEW, force=True)
    assert held(out) == {**NEW_WHOLE, **({"notes": "mine"} if foreign else {})}
    assert not hidden(out)
    assert not hidden(tmp_path)


def test_what_a_killed_run_left_beside_the_folder_goes_also_when_the_next_works_inside(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    kill_while(out, DURING_WRITING)
    (out / "notes").write_text("mine")
    write(out, NEW, force=True)
    assert not hidden(out)
    assert not hidden(tmp_path)


def test_files_of_a_run_killed_while_it_replaced_them_are_not_taken_for_foreign_ones(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(out, OLD)
    (out / "notes").write_text("mine")
    kill_while(out, DURING_REPLACING)
    assert not (out / MANIFEST).exists()
    assert (out / "b").read_text() == "new b"
    write(out, NEW)
    assert held(out) == {**NEW_WHOLE, "notes": "mine"}
    assert not hidden(out)


def test_a_foreign_file_of_a_name_that_a_killed_run_would_have_used_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "b").write_text("mine")
    kill_while(out, DURING_WRITING)
    with pytest.raises(CutterError, match="not from an earlier result"):
        write(out, NEW, force=True)
    assert held(out) == {"b": "mine"}


def test_a_workspace_in_use_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with ResultFolder(out, MANIFEST, listed, force=False) as first:
        (first.workspace / "b").write_text("first")
        write(out, NEW)
        assert (first.workspace / "b").read_text() == "first"
    assert held(out) == NEW_WHOLE


Mount = Callable[..., None]


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mounts file systems, where that is allowed, and takes them off again."""
    mounted: list[Path] = []

    def mount(where: Path, *arguments: str) -> None:
        where.mkdir(exist_ok=True)
        if sys.platform != "linux" or os.geteuid() != 0:
            pytest.skip("mounting needs Linux and root")
        done = subprocess.run(["mount", *arguments, where], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("mounting is not allowed here")
        mounted.append(where)

    yield mount
    for where in reversed(mounted):
        subprocess.run(["umount", where], check=True)


@pytest.mark.parametrize("kind", ["another file system", "a bind mount of the same one"])
def test_a_folder_that_is_a_mount_point_is_written_into(tmp_path: Path, mount: Mount, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "another file system":
        mount(out, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
    else:
        (tmp_path / "real").mkdir()
        mount(out, "--bind", str(tmp_path / "real"))
    write(out, OLD)
    assert held(out) == {**OLD, MANIFEST: "a b"}
    write(out, NEW, force=True)
    assert held(out) == NEW_WHOLE
    assert not hidden(out)
    assert not hidden(tmp_path)


def test_a_full_disk_leaves_the_earlier_result(tmp_path: Path, mount: Mount) -> None:
    disk = tmp_path / "disk"
    mount(disk, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
    write(disk / "out", OLD)
    before = held(disk / "out")
    with pytest.raises(CutterError, match="No space left"):
        write(disk / "out", {"b": "x" * 100_000}, force=True)
    assert held(disk / "out") == before
    assert not hidden(disk)


def test_a_read_only_disk_is_told(tmp_path: Path, mount: Mount) -> None:
    disk = tmp_path / "disk"
    mount(disk, "-t", "tmpfs", "-o", "ro", "tmpfs")
    with pytest.raises(CutterError, match="Read-only"):
        write(disk / "out", NEW)


def test_of_two_runs_into_one_new_folder_the_later_does_not_replace_the_result_unasked(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with ResultFolder(target, MANIFEST, listed, force=False) as late:
        (late.workspace / "b").write_text("late b")
        (late.workspace / MANIFEST).write_text("b")
        write(target, OLD)
        with pytest.raises(CutterError, match="holds an earlier result"):
            late.commit(["b"])
    assert held(target) == {**OLD, MANIFEST: "a b"}
    assert hidden(tmp_path) == []
