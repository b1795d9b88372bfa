"""What holds for tests of torch.fx graphs."""

from __future__ import annotations

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
