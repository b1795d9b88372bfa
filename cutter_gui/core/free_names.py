"""Names that nothing in a model has."""

from __future__ import annotations

from collections.abc import Iterable


class FreeNames:
    """Gives out names that nothing in the model has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def take(self, wanted: str) -> str:
        """Returns ``wanted``, or with ``_1``, ``_2``, ... where that is taken."""
        name, count = wanted, 0
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name
