"""The tables of CONTRIBUTING name functions and tests that are there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## What torch.fx utilities became")[2]


def names_in(file: str) -> set[str]:
    source = (ROOT / "tests" / "fx" / "in_torch" / file).read_text(encoding="utf-8")
    return set(re.findall(r"^def (test_\w+)", source, re.MULTILINE))


def test_each_function_lives_where_it_is_said_to_and_its_tests_exist() -> None:
    rows = re.findall(r"^\| .+ \| `(\w+)\.(\w+)` \| `(test_\w+\.py)` \| (.+) \|$", TEXT, re.MULTILINE)
    assert len(rows) > 20
    for module, name, file, listed in rows:
        assert hasattr(importlib.import_module(f"cutter_gui.fx.in_torch.{module}"), name), f"{module}.{name}"
        assert set(re.findall(r"`(test_\w+)`", listed)) <= names_in(file), listed


def test_each_field_has_a_test_that_exists() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ((?:`test_\w+`(?:, )?)+) \|$", TEXT, re.MULTILINE)
    assert len(rows) > 10
    for field, listed in rows:
        assert set(re.findall(r"`(test_\w+)`", listed)) <= names_in("test_serialize.py"), field
