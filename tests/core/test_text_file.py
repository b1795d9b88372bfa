"""A text file is written whole or not at all, and every failure is a sentence."""

from __future__ import annotations

import errno
import os
import sys
from functools import partial
from pathlib import Path

import pytest

from cutter_gui.core.errors import CutterError
from cutter_gui.core.text_file import read_text, write_text

windows = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are those of POSIX")


def failure(path: Path | str, text: str | None = None) -> str:
    act = partial(read_text, path) if text is None else partial(write_text, path, text)
    with pytest.raises(CutterError) as caught:
        act()
    assert caught.value.remedy
    return f"{caught.value.what}: {caught.value.remedy}"


def test_text_comes_back_with_its_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    for text in ("", "a\n", "\ufeffé\r\nb\rc", "🙂"):
        write_text(path, text)
        assert path.read_bytes() == text.encode()
        assert read_text(path) == text
    assert list(tmp_path.iterdir()) == [path]


@windows
def test_an_existing_file_keeps_its_mode_and_a_new_one_gets_the_usual_one(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    path = tmp_path / "a.yaml"
    write_text(path, "a")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    write_text(path, "b")
    assert path.stat().st_mode & 0o777 == 0o640


@windows
def test_a_link_goes_on_pointing_at_the_file_that_is_written(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    link.symlink_to("file")
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "the disk is full: free some space"),
        (errno.EROFS, "no permission to write the file: choose another place"),
        (errno.EIO, "the file cannot be written, "),
    ],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")

    def fail(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    assert failure(path, "new").startswith(said)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "old"


def test_what_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure(tmp_path / "no" / "a.yaml", "x") == "the folder does not exist: create it or choose another"
    (tmp_path / "file").touch()
    assert failure(tmp_path / "file" / "a.yaml", "x") == "the folder does not exist: create it or choose another"
    assert failure(tmp_path, "x") == "there is a folder of this name: choose another name"
    assert failure(tmp_path / "a\0b", "x") == "not a file name: choose another name"
    assert failure(tmp_path / ("n" * 300), "x").startswith("the file cannot be written, file name too long: ")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    assert failure(tmp_path / "file", "x").startswith("no permission to write the file")
    assert (tmp_path / "file").read_text() == ""


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure(tmp_path / "no.yaml") == "the file does not exist: check the name"
    assert failure(tmp_path) == "this is a folder: give the name of a file in it"
    assert failure(tmp_path / "a\0b") == "not a file name: give the name of an existing file"

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patches:
        patches.setattr(os, "open", refuse)
        assert failure(tmp_path / "a.yaml") == "no permission to read the file: change its permissions"
