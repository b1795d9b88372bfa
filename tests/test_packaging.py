"""What is installed is whole: the code, the resources, the command, the formats."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cutter_gui import __version__
from cutter_gui.resource_files import resource

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False, env=clean_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def shipped(folder: Path) -> set[str]:
    """Returns the files below a resources folder, without what running code leaves there."""
    return {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; its dependencies are those of the environment the tests run in."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=venv.parent)
    python = venv / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel, cwd=venv.parent)
    site_packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=venv).strip())
    # A plain path, so that the editable install among those dependencies stays out.
    dependencies = Path(pytest.__file__).parent.parent
    (site_packages / "dependencies.pth").write_text(f"{dependencies}\n")
    return venv


def test_the_wheel_holds_every_resource_and_installs_no_second_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert top == {"cutter_gui", f"cutter_gui-{__version__}.dist-info"}
    packed = {name.removeprefix("cutter_gui/resources/") for name in names if "cutter_gui/resources/" in name}
    assert packed == shipped(ROOT / "resources")


def test_the_wheel_carries_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert f"cutter_gui-{__version__}.dist-info/licenses/LICENSE" in names


def test_an_installed_program_finds_its_resources_in_the_installation(installed: Path) -> None:
    code = "from cutter_gui.resource_files import resource; print(resource('models'))"
    found = Path(run(installed / "bin" / "python", "-c", code, cwd=installed).strip())
    assert found.is_relative_to(installed)
    assert found.is_dir()


def test_a_checkout_finds_its_resources_beside_the_package() -> None:
    assert resource("models") == ROOT / "resources" / "models"


def test_a_resource_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="models/none"):
        resource("models", "none")


def test_an_installed_program_knows_its_formats_and_its_version(installed: Path) -> None:
    code = (
        "from importlib.metadata import entry_points, version\n"
        "found = {entry.name for entry in entry_points(group='cutter_gui.formats')}\n"
        "print(version('cutter-gui'), *found)"
    )
    number, *formats = run(installed / "bin" / "python", "-c", code, cwd=installed).split()
    assert number == __version__
    assert "onnx" in formats


def test_an_installed_program_cuts_the_model_it_ships(installed: Path, tmp_path: Path) -> None:
    run(installed / "bin" / "cutter-gui", "demo", "--out", tmp_path / "demo", cwd=tmp_path)
    assert list((tmp_path / "demo").rglob("pipeline.yaml"))
