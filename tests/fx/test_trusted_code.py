from __future__ import annotations

import hashlib
import os
import pickle
import zipfile
from pathlib import Path

import pytest

from cutter_gui.core.errors import Cancelled, CutterError
from cutter_gui.core.foreign_code import agreed_on, inspect_code, python_code, require_agreed
from cutter_gui.core.format import LoadOptions, format_for, format_named, no_progress
from cutter_gui.fx.child_main import TASKS
from cutter_gui.fx.pickle_calls import pickle_calls
from strategies.fx_programs import archive

FX = format_named("fx")


class Runs:
    """Pickles to what makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.path),))


def test_an_archive_runs_nothing_to_be_opened_and_is_unpickled_for_its_stages() -> None:
    path = archive("nested")
    assert FX.code_to_run(path, "open") == ()
    (code,) = FX.code_to_run(path, "split")
    assert (code.title, code.file, code.function) == (path.name, path, "")
    assert "unpickles" in code.what
    assert format_for(Path("m.onnx")).code_to_run(Path("m.onnx"), "split") == ()


def test_a_factory_is_told_with_its_file_and_function(tmp_path: Path) -> None:
    (code,) = FX.code_to_run(tmp_path / "model.py:make", "open")
    assert (code.title, code.file, code.function) == ("model.py:make", tmp_path / "model.py", "make()")
    assert FX.file_of(tmp_path / "model.py:make") == tmp_path / "model.py"
    assert FX.file_of(Path("package.module:make")) is None


def test_the_file_of_a_package_is_found_without_running_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    package = tmp_path / "cut_me"
    package.mkdir()
    (package / "__init__.py").write_text(f"import os\nos.mkdir({str(trap)!r})\n")
    (package / "model.py").write_text("def make(): ...\n")
    monkeypatch.chdir(tmp_path)
    (code,) = FX.code_to_run(Path("cut_me.model:make"), "open")
    assert code.file == package / "model.py"
    assert FX.code_to_run(Path("cut_me.absent:make"), "open")[0].file is None
    assert not trap.exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_calls_of_a_pickle_are_read_without_making_them(tmp_path: Path, protocol: int) -> None:
    trap, path = tmp_path / "trap", tmp_path / "model.pt"
    payload = pickle.dumps([Runs(trap), {"again": Runs(trap)}], protocol)
    path.write_bytes(payload)
    named = (f"{os.mkdir.__module__}.mkdir",)
    assert pickle_calls(path) == named
    with zipfile.ZipFile(tmp_path / "zipped.pt", "w") as zipped:
        zipped.writestr("model/data.pkl", payload)
        zipped.writestr("model/data/0", b"cposix\nnothing\n")
    assert pickle_calls(tmp_path / "zipped.pt") == named
    assert not trap.exists()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 not a zip", b"\x80\x05\x95", b"no pickle at all"])
def test_a_damaged_file_calls_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.pt").write_bytes(data)
    assert pickle_calls(tmp_path / "model.pt") == ()


def test_an_answer_is_remembered_by_the_bytes_and_for_code_by_its_place_too(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("x = 1\n")
    (tmp_path / "model.pt").write_bytes(b"bytes")
    digest = hashlib.sha256(b"bytes").hexdigest()
    pickled = inspect_code(FX.code_to_run(tmp_path / "model.pt", "open")[0], FX.calls_in, no_progress)
    assert pickled.key == pickled.digest == digest
    code = inspect_code(python_code(tmp_path / "model.py"), FX.calls_in, no_progress)
    assert code.key == f"{code.digest} {tmp_path / 'model.py'}"
    with pytest.raises(CutterError, match="the file cannot be read"):
        inspect_code(python_code(tmp_path / "absent.py"), FX.calls_in, no_progress)


def test_each_step_refuses_code_that_is_not_what_was_agreed_to(tmp_path: Path) -> None:
    trap, path = tmp_path / "trap", tmp_path / "model.py"
    path.write_text("def make(): ...\n")
    agreed = agreed_on([inspect_code(python_code(path), FX.calls_in, no_progress)])
    require_agreed(agreed)
    path.write_text(f"import os\nos.mkdir({str(trap)!r})\n")
    request = {"source": f"{path}:make", "directory": str(tmp_path), "pattern": str(path), "agreed": agreed}
    for step in TASKS.values():
        with pytest.raises(CutterError, match="has changed since you were asked"):
            step(request, no_progress)
    options = LoadOptions(trust=True, agreed=agreed)
    with pytest.raises(CutterError, match="has changed since you were asked"):
        FX.load(Path(f"{path}:make"), options=options)
    path.unlink()
    with pytest.raises(CutterError, match="cannot be read"):
        require_agreed(agreed)
    assert not trap.exists()


def test_reading_a_file_may_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(b"bytes")

    def cancel(what: str, fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        inspect_code(FX.code_to_run(tmp_path / "model.pt", "open")[0], FX.calls_in, cancel)
