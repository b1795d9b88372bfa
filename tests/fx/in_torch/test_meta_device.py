"""A model of 70 billion parameters, none of which has memory."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
from torch import nn

from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.program import Program, program_of
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.in_torch.tracing import export_program, symbolic_program
from cutter_gui.fx.load import load_graph, read_archive

BLOCKS = 33
PARAMETERS = BLOCKS * 2 * 16384 * 65536
MEMORY = 256e6  # bytes beyond those of torch itself; the model would take 280e9


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(16384, 65536, bias=False)
        self.down = nn.Linear(65536, 16384, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


def made() -> tuple[nn.Module, tuple[torch.Tensor]]:
    with torch.device("meta"):
        return nn.Sequential(*(Block() for _ in range(BLOCKS))), (torch.randn(1, 16384),)


@pytest.fixture(scope="module")
def exported() -> Program:
    return export_program(*made(), {})


def test_it_is_opened_by_either_way_of_tracing_with_the_sizes_of_all_values(exported: Program) -> None:
    assert PARAMETERS > 70e9
    for whole in (exported, symbolic_program(*made(), {})):
        graph = graph_of(draft_of(whole))
        assert int(graph.tensor_stored.sum()) == PARAMETERS * 4
        assert all(graph.tensor_shapes[t] for t in range(graph.tensor_count))
        assert graph.tensor_shapes[int(graph.outputs[0])] == (1, 16384)


def test_its_archive_holds_its_sizes_though_all_its_weights_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "large.pt2"
    torch.export.save(torch.export.export(*made(), strict=False), path)
    assert path.stat().st_size < 1e6
    graph = load_graph(path)
    assert int(graph.tensor_stored.sum()) == PARAMETERS * 4
    assert read_archive(path).weights == draft_of(program_of(torch.export.load(path))).weights


def test_opening_it_takes_little_memory() -> None:
    code = f"""
        import resource, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import test_meta_device as model
        def kilobytes(field):  # what getrusage() calls the peak begins with the peak of the process that started this
            [line] = [line for line in open("/proc/self/status") if line.startswith(field + ":")]
            return int(line.split()[1])
        held = kilobytes("VmRSS")
        limit = kilobytes("VmSize") * 1024 + 8 * 2**30  # of addresses: to allocate the weights would fail, and so this
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        graph = model.graph_of(model.draft_of(model.export_program(*model.made(), {{}})))
        assert graph.node_count == 4 * model.BLOCKS
        print((kilobytes("VmHWM") - held) * 1024)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MEMORY
