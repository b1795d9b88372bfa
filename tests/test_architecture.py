"""The rules of how the code is arranged."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cutter_gui.resource_files import resource

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "cutter_gui"
HEAVY = ("PySide6", "shiboken6", "qtpy", "qtawesome", "onnx", "onnx_ir", "onnxruntime", "torch")
QT = ("PySide6", "shiboken6", "qtpy", "qtawesome")
NEEDS_TORCH = "cutter_gui.fx.in_torch"
WITHOUT_QT = ("cutter_gui.onnx", "cutter_gui.fx", "cutter_gui.layout")
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc", "tools"}
MOST_LINES = 500


def loaded_by(code: str, watched: tuple[str, ...]) -> set[str]:
    """Returns which of the watched packages a new interpreter has loaded after running the code."""
    program = f"{code}\nimport sys\nprint('loaded:', *(name for name in {watched!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].removeprefix("loaded:").split())


def import_all(package: str, without: str = "") -> str:
    """Returns code that imports every module of a package, but for those of one package within it."""
    return (
        f"import importlib, pkgutil, {package}\n"
        f"for module in pkgutil.walk_packages({package}.__path__, '{package}.'):\n"
        f"    if not {without!r} or not module.name.startswith({without!r}):\n"
        "        importlib.import_module(module.name)"
    )


def python_files() -> list[Path]:
    return [
        file for folder in ("cutter_gui", "tests", "packaging", "resources") for file in (ROOT / folder).rglob("*.py")
    ]


def test_importing_the_core_loads_neither_qt_nor_onnx_nor_a_runtime_nor_torch() -> None:
    assert loaded_by("import cutter_gui.core", HEAVY) == set()


def test_importing_every_module_of_the_core_loads_none_of_them_either() -> None:
    assert loaded_by(import_all("cutter_gui.core"), HEAVY) == set()


@pytest.mark.parametrize("package", WITHOUT_QT)
def test_formats_and_layout_never_load_qt(package: str) -> None:
    assert loaded_by(import_all(package), QT) == set()


@pytest.mark.parametrize("package", ["cutter_gui.onnx", "cutter_gui.fx", "cutter_gui.layout", "cutter_gui.gui"])
def test_nothing_loads_torch_before_it_is_asked_to(package: str) -> None:
    assert loaded_by(import_all(package, without=NEEDS_TORCH), ("torch",)) == set()


def test_knowing_every_format_loads_neither_torch_nor_a_runtime() -> None:
    code = "from cutter_gui.core.format import formats\nassert formats()"
    assert loaded_by(code, (*QT, "torch", "onnxruntime")) == set()


def test_the_window_reads_its_icon_font_without_the_package_that_carries_it() -> None:
    # Importing qtawesome takes longer than a bare window takes to open.
    assert loaded_by(import_all("cutter_gui.gui"), ("qtpy", "qtawesome")) == set()


def test_the_empty_window_waits_for_nothing_that_only_a_model_needs() -> None:
    for_models = ("numpy", "scipy", "onnx", "onnxruntime", "pygraphviz", "ruamel", "tqdm")
    assert loaded_by("import cutter_gui.cli, cutter_gui.gui.app", for_models) == set()


def test_the_command_line_tells_its_use_without_qt_and_without_a_runtime() -> None:
    assert loaded_by(command("--help"), HEAVY) == set()


@pytest.mark.parametrize("name", ["info", "check", "split"])
def test_commands_without_a_picture_load_neither_qt_nor_torch(tmp_path: Path, name: str) -> None:
    cuts = [] if name == "info" else ["--cuts", str(resource("models", "bert_small.cuts.yaml"))]
    out = ["--out", str(tmp_path / "stages")] if name == "split" else []
    model = str(resource("models", "bert_small.onnx"))
    assert loaded_by(command(name, model, *cuts, *out), (*QT, "torch")) == set()


def command(*arguments: str) -> str:
    """Returns code that runs the command line with these arguments and goes on when it is done without an error."""
    return (
        "import sys\n"
        f"sys.argv = ['cutter-gui', *{arguments!r}]\n"
        "from cutter_gui.cli import main\n"
        "try:\n"
        "    sys.exit(main())\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code"
    )


def test_no_file_has_more_lines_than_a_reader_can_hold() -> None:
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in python_files()}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_file_is_named_for_what_it_holds() -> None:
    assert [str(file.relative_to(ROOT)) for file in python_files() if file.stem.strip("_") in SAYS_NOTHING] == []


def test_no_test_folder_is_a_package_that_could_hide_a_library() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_neither_the_core_nor_the_window_names_a_format() -> None:
    named = [
        str(file.relative_to(ROOT))
        for folder in ("core", "gui")
        for file in (PACKAGE / folder).rglob("*.py")
        if any(f"cutter_gui.{format_name}" in file.read_text() for format_name in ("onnx", "fx"))
    ]
    assert named == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("core/plan.py", "import PySide6.QtCore"),
        ("core/plan.py", "import onnx"),
        ("core/plan.py", "from cutter_gui import layout"),
        ("onnx/__init__.py", "from cutter_gui import fx"),
        ("onnx/__init__.py", "from cutter_gui import gui"),
        ("layout/__init__.py", "from PySide6 import QtGui"),
    ],
)
def test_an_import_against_the_layers_breaks_a_contract(tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "cutter_gui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "cutter_gui" / module).open("a") as file:
        file.write(f"\n{line}\n")
    done = contracts(tmp_path)
    assert done.returncode == 1
    assert " BROKEN" in done.stdout, done.stdout + done.stderr


def test_the_layers_hold() -> None:
    done = contracts(ROOT)
    assert done.returncode == 0, done.stdout


def contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    """Checks the contracts of the package that lies in a folder."""
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from importlinter.cli import lint_imports_command as c; c()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )
