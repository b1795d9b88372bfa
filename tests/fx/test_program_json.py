from __future__ import annotations

from pathlib import Path

import pytest
import torch

from cutter_gui.core.dtypes import OPAQUE, dtype_of
from cutter_gui.core.format import BodyStep
from cutter_gui.core.graph import Graph, TensorKind
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.program import program_of
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.load import load_body, load_graph, read_archive
from strategies.fx_models import EXPORTED
from strategies.fx_programs import archive, exported
from strategies.pt2_archives import with_program


def dtype_name(graph: Graph, name: str) -> str:
    return dtype_of(int(graph.tensor_dtype[graph.tensor_index[name]])).name


@pytest.mark.parametrize("name", EXPORTED)
def test_node_names_are_those_of_torchs_own_graph(name: str) -> None:
    graph = load_graph(archive(name))
    theirs = [
        node.name for node in torch.export.load(archive(name)).graph.nodes if node.op not in ("placeholder", "output")
    ]
    assert list(graph.node_names) == theirs


@pytest.mark.parametrize("name", EXPORTED)
def test_reading_as_data_and_reading_in_torch_give_the_same_draft(name: str) -> None:
    data = read_archive(archive(name))
    live = draft_of(program_of(torch.export.load(archive(name))))
    assert data.inputs == live.inputs
    assert data.outputs == live.outputs
    assert data.weights == live.weights
    assert data.types == live.types
    assert data.structure == live.structure
    facts = [
        [(n.name, n.op, n.inputs, n.scope, n.mutates, n.aliases, n.element, n.random) for n in draft.nodes]
        for draft in (data, live)
    ]
    assert facts[0] == facts[1]
    assert graph_of(data).fingerprint == graph_of(live).fingerprint


def test_a_program_whose_buffers_are_updated_by_outputs_reads_the_same_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "functional.pt2"
    torch.export.save(exported("nested").run_decompositions({}), path)
    data, live = read_archive(path), draft_of(program_of(torch.export.load(path)))
    assert data.updates == live.updates
    assert [target for _, target in data.updates] == ["calls"]
    assert graph_of(data).joins.tolist() == graph_of(live).joins.tolist() != []


def test_weights_have_qualified_names_and_stored_bytes() -> None:
    graph = load_graph(archive("encoder"))
    index = graph.tensor_index["attention.1.q.weight"]
    assert graph.tensor_kind[index] == TensorKind.INITIALIZER
    assert graph.tensor_stored[index] == 8 * 8 * 4
    assert graph.tensor_shapes[index] == (8, 8)
    state = exported("encoder").state_dict
    held = sum(tensor.numel() * tensor.element_size() for tensor in state.values())
    assert int(graph.tensor_stored.sum()) == held + 6 * 8, "the buffer of positions is no part of the state"


def test_tied_weights_are_one_weight_counted_once() -> None:
    draft = read_archive(archive("decoder"))
    (tied,) = (weight for weight in draft.weights if weight.also)
    assert {tied.name, *tied.also} == {"embed.weight", "head.weight"}
    graph = graph_of(draft)
    readers = [graph.op(int(node)) for node in graph.consumers(graph.tensor_index[tied.name])]
    assert readers == ["aten.embedding", "aten.linear"]


def test_modules_become_groups() -> None:
    graph = load_graph(archive("residual network"))
    node = list(graph.node_names).index("conv2d_1")
    assert graph.node_scopes[node] == ("blocks", "0", "conv1")


def test_sizes_that_are_open_are_symbols(tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(
        torch.nn.Flatten(0), (torch.randn(3, 4),), dynamic_shapes={"input": {0: batch}}, strict=False
    )
    torch.export.save(program, tmp_path / "open.pt2")
    graph = load_graph(tmp_path / "open.pt2")
    (symbol, four) = graph.tensor_shapes[int(graph.inputs[0])] or ()
    assert four == 4
    assert graph.tensor_shapes[int(graph.outputs[0])] == (f"4*{symbol}",)
    assert graph.metadata[f"size {symbol}"] == "2 to 64"


def test_values_that_are_no_tensors_are_opaque() -> None:
    graph = load_graph(archive("nested"))
    assert graph.tensor_dtype[graph.tensor_index["split"]] == OPAQUE


def test_dtypes_are_the_cores() -> None:
    graph = load_graph(archive("quantized by arithmetic"))
    assert dtype_name(graph, "first") == "int8"
    assert dtype_name(graph, "zeros") == "int64"
    assert dtype_name(graph, "x") == "float32"
    assert dtype_name(load_graph(archive("branching")), "gt") == "bool"


def test_branches_of_a_cond_are_nodes_that_every_stage_copies() -> None:
    graph = load_graph(archive("branching"))
    cond = [graph.op_types[op] for op in graph.node_op].index("higher_order.cond")
    branches = [int(graph.tensor_producer[t]) for t in graph.node_inputs.row(cond)][1:3]
    assert [graph.op(node) for node in branches] == ["get_attr", "get_attr"]
    assert all(graph.node_constant[node] for node in branches)


def test_the_branches_of_a_cond_can_be_looked_into() -> None:
    path = archive("branching")
    graph = load_graph(path)
    (cond,) = graph.node_bodies
    assert graph.op(cond) == "higher_order.cond"
    assert len(graph.node_bodies[cond]) == 2
    given = [dtype_name(graph, graph.tensor_names[t]) for t in graph.node_inputs.row(cond).tolist()[3:]]
    for branch in range(2):
        inner = load_body(path, [BodyStep(cond, branch)])
        assert [dtype_name(inner, inner.tensor_names[t]) for t in inner.inputs.tolist()] == given
        assert len(inner.outputs) == 1
        assert inner.node_count > 0


def test_an_archive_that_leaves_names_out_gets_those_torch_would_give(tmp_path: Path) -> None:
    def strip(program: dict) -> None:
        for node in program["graph_module"]["graph"]["nodes"]:
            node.pop("name", None)

    path = with_program(archive("recurrent"), tmp_path / "unnamed.pt2", strip)
    names = {node.name for node in read_archive(path).nodes}
    assert {"getitem", "getitem_3", "linear"} <= names


def test_a_model_input_of_the_name_of_a_weight_keeps_its_name(tmp_path: Path) -> None:
    class Named(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.x = torch.nn.Parameter(torch.ones(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.x

    torch.export.save(torch.export.export(Named(), (torch.ones(2),), strict=False), tmp_path / "named.pt2")
    graph = load_graph(tmp_path / "named.pt2")
    assert [graph.tensor_names[int(t)] for t in graph.inputs] == ["x"]
    assert graph.tensor_kind[graph.tensor_index["p_x"]] == TensorKind.INITIALIZER
