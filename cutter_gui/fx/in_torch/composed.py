"""Stages composed into one module again, called in order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx, nn

from cutter_gui.core.errors import CutterError, one_line


@dataclass(frozen=True)
class StageCall:
    """What a stage takes and gives, by name.

    Attributes:
        inputs: Model inputs it takes, then values it receives.
        returned: Values it sends, then model outputs.
    """

    inputs: tuple[str, ...]
    returned: tuple[str, ...]


def run_in_order(
    calls: Sequence[StageCall],
    modules: Sequence[Callable[..., Any]],
    given: Mapping[str, Any],
    watch: Callable[[int, str, Any], None] | None = None,
) -> dict[str, Any]:
    """Runs stages one after the other.

    Args:
        calls: What each stage takes and gives.
        modules: The stages.
        given: The model's inputs by name.
        watch: Told of each value that a stage returns: stage, name, value.

    Returns:
        Every value by name, inputs included.
    """
    values = dict(given)
    for index, (call, module) in enumerate(zip(calls, modules, strict=True)):
        missing = [name for name in call.inputs if name not in values]
        if missing:
            raise CutterError(
                f"stage {index} takes {one_line(missing[0], 80)}, which no earlier stage gives",
                "",
                "split the model again",
            )
        returned = module(*(values[name] for name in call.inputs))
        for name, value in zip(call.returned, returned, strict=True):
            values[name] = value
            if watch is not None:
                watch(index, name, value)
    return values


def composed(
    calls: Sequence[StageCall], modules: Sequence[nn.Module], inputs: Sequence[str], outputs: Sequence[str]
) -> fx.GraphModule:
    """Returns a graph module that calls the stages as submodules ``stage_<i>``, in order.

    Args:
        calls: What each stage takes and gives.
        modules: The stages.
        inputs: The model's inputs, in the order in which the module takes them.
        outputs: The model's outputs, in the order in which it returns them, as a tuple.
    """
    root, graph = nn.Module(), fx.Graph()
    values = {name: graph.placeholder(f"in_{position}") for position, name in enumerate(inputs)}
    for index, (call, module) in enumerate(zip(calls, modules, strict=True)):
        root.add_module(f"stage_{index}", module)
        made = graph.call_module(f"stage_{index}", tuple(values[name] for name in call.inputs))
        for position, name in enumerate(call.returned):
            values[name] = graph.call_function(operator.getitem, (made, position))
    graph.output(tuple(values[name] for name in outputs))
    return fx.GraphModule(root, graph, "Composed")
