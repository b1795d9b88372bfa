"""What holds for tests of torch.fx graphs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Any

import pytest

# torch warns of its own deprecated internals while it exports and saves.
_OF_TORCH = (
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::UserWarning:torch",
    "ignore::ResourceWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/fx/" in item.path.as_posix():
            for text in _OF_TORCH:
                item.add_marker(pytest.mark.filterwarnings(text))


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    import torch
    import tqdm

    torch.set_num_threads(1)
    # torch shows progress of its own while it decomposes, and the thread that watches it would outlive the test.
    tqdm.tqdm.monitor_interval = 0


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Returns what lets tasks run here from now on, where torch is imported already; what passes is JSON all the same.

    For what a task does, once another test or the same one has shown that it runs in a process of its own.
    """

    def run(task: str, request: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
        from cutter_gui.fx.child_main import TASKS

        given = json.loads(json.dumps({"task": task, **request}))
        with redirect_stdout(sys.stderr):  # as in the process: code may print
            result: dict[str, Any] = json.loads(json.dumps(TASKS[task](given, progress)))
        return result

    return lambda: monkeypatch.setattr("cutter_gui.fx.child.run_child", run)
