from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import fx, nn

from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import LoadOptions, TypeHint
from cutter_gui.fx.draft_graph import graph_of
from cutter_gui.fx.in_torch.opening import open_program
from cutter_gui.fx.in_torch.program_draft import draft_of
from cutter_gui.fx.source import SourceKind, is_factory, source_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a/m.pt2", SourceKind.ARCHIVE),
        ("m.pt", SourceKind.PICKLE),
        ("a/net.py:make", SourceKind.FILE_FACTORY),
        ("package.module:make", SourceKind.MODULE_FACTORY),
    ],
)
def test_a_path_tells_what_it_names(text: str, kind: SourceKind) -> None:
    assert source_of(text).kind is kind
    assert str(source_of(text)) == text


@pytest.mark.parametrize("text", ["m.onnx", "C:/models/m.pt", "net.py", "net.py:", "a b:c", "net.py:a.b"])
def test_other_texts_name_no_factory(text: str) -> None:
    assert not is_factory(text)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("def make(): return 3", r"gives int, not \(module, args\)"),
        ("def other(): pass", "no function make"),
        ("def make(): raise ValueError('no data')", "the factory fails: ValueError: no data"),
        ("import absent_package", "cannot be imported: ModuleNotFoundError"),
        (
            "import torch\nclass M(torch.nn.Module):\n def forward(self, x): return x if x.sum() > 0 else -x\n"
            "def make(): return M(), (torch.ones(2),)",
            "cannot be traced",
        ),
        *(
            (f"import torch\ndef make(): return torch.nn.ReLU(), (torch.ones(2),), {kwargs}", "keyword arguments are")
            for kwargs in ("7", "[('x', 1)]", "{1: 2}")
        ),
    ],
)
def test_a_factory_that_does_not_work_says_why(tmp_path: Path, body: str, what: str) -> None:
    path = tmp_path / "factory_that_fails.py"
    path.write_text(body)
    with pytest.raises(CutterError, match=what):
        open_program(source_of(f"{path}:make"), LoadOptions(trust=True))


def test_a_factory_without_a_seed_makes_the_same_weights_each_time(tmp_path: Path) -> None:
    path = tmp_path / "unseeded_factory.py"
    path.write_text("import torch\nheld = torch.nn.Linear(3, 3)\ndef make(): return held, (torch.ones(2, 3),)\n")
    first, second = (open_program(source_of(f"{path}:make"), LoadOptions(trust=True)) for _ in range(2))
    assert torch.equal(*(dict(made.reference.named_parameters())["weight"] for made in (first, second)))


def test_a_pickled_graph_module_opens_with_types_given(tmp_path: Path) -> None:
    module = fx.symbolic_trace(nn.Sequential(nn.Linear(4, 3), nn.ReLU()))
    torch.save(module, tmp_path / "m.pt")
    hint = {"input_1": TypeHint(1, (2, 4))}
    graph = graph_of(draft_of(open_program(source_of(tmp_path / "m.pt"), LoadOptions(trust=True), hint)))
    assert graph.op_types == ("torch.nn.modules.linear.Linear", "torch.nn.modules.activation.ReLU")
    assert graph.tensor_shapes[int(graph.outputs[0])] == (2, 3)
    assert "0.weight" in graph.tensor_index


def test_a_pickled_graph_module_opens_without_types_too(tmp_path: Path) -> None:
    torch.save(fx.symbolic_trace(nn.ReLU()), tmp_path / "m.pt")
    graph = graph_of(draft_of(open_program(source_of(tmp_path / "m.pt"), LoadOptions(trust=True))))
    assert graph.node_count == 1
    assert graph.tensor_shapes[int(graph.outputs[0])] is None


def test_a_pickle_of_a_module_with_its_arguments_is_traced(tmp_path: Path) -> None:
    torch.save((nn.Linear(4, 3), (torch.ones(2, 4),)), tmp_path / "m.pt")
    graph = graph_of(draft_of(open_program(source_of(tmp_path / "m.pt"), LoadOptions(trust=True))))
    assert graph.op_types == ("aten.linear",)


def test_a_file_that_is_no_pickle_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "m.pt").write_text("text")
    with pytest.raises(CutterError, match="cannot be unpickled"):
        open_program(source_of(tmp_path / "m.pt"), LoadOptions(trust=True))


class Failing:
    def __reduce__(self) -> tuple[object, ...]:
        return (int, ("no number",))


def test_a_pickle_whose_own_code_fails_is_an_error(tmp_path: Path) -> None:
    torch.save(Failing(), tmp_path / "m.pt")
    with pytest.raises(CutterError, match="cannot be unpickled: ValueError"):
        open_program(source_of(tmp_path / "m.pt"), LoadOptions(trust=True))


def test_an_archive_that_torch_cannot_load_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "m.pt2").write_text("text")
    with pytest.raises(CutterError, match="torch cannot load"):
        open_program(source_of(tmp_path / "m.pt2"), LoadOptions(trust=True))
