"""Graph inputs read anywhere, and graph outputs made anywhere, under any role."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from cutter_gui.core.plan import Transport
from strategies.kinds import BOTH, codes, found, names, tried
from strategies.onnx_text import model
from strategies.stage_files import plain_files, session


def test_a_graph_input_is_fed_to_every_stage_that_reads_it(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] mask) => (float[2,4] y)
        { a = Mul(x, mask) b = Neg(a) c = Mul(b, mask) d = Exp(c) y = Add(d, x) }"""
    )
    stages = tried(proto, tmp_path, "b", "d")
    assert stages.fed == [["x", "mask"], ["mask"], ["x"]]
    assert stages.sent == [["b"], ["d"], []]
    assert [names(stage.graph.input) for stage in stages.plain] == [["x", "mask"], ["mask", "b"], ["x", "d"]]


def test_a_cut_graph_input_puts_a_branch_that_reads_only_inputs_into_a_later_stage(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] z) => (float[2,4] y)
        { a = Neg(x) b = Exp(z) y = Add(a, b) }"""
    )
    assert tried(proto, tmp_path / "first", "a; b").fed == [["x", "z"], []]
    stages = tried(proto, tmp_path / "second", "a; z")
    assert stages.fed == [["x"], ["z"]]
    assert stages.sent == [["a"], []]


def test_an_input_that_nothing_reads_is_fed_to_no_stage(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x, float[3] unread) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")
    stages = tried(proto, tmp_path, "a")
    assert stages.fed == [["x"], []]
    assert "unread" not in names(stages.plain[0].graph.input)


def test_outputs_are_made_in_whatever_stage_makes_them(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] e, float[2,4] c, float[2,4] a, float[2,4] y)
        { a = Neg(x) b = Exp(a) c = Abs(b) d = Sqrt(c) e = Tanh(d) y = Neg(e) }"""
    )
    stages = tried(proto, tmp_path, "b", "d", "e")
    assert stages.results == [["a"], ["c"], ["e"], ["y"]]
    assert stages.sent == [["b"], ["d"], ["e"], []]
    assert names(stages.plain[2].graph.output) == ["e"], "sent and an output, listed once"
    assert names(stages.sendrecv[2].graph.output) == ["e", "receive_output_signal1", "send_output_signal2"]


def test_an_output_that_is_relayed_onwards_is_an_output_of_the_stage_that_makes_it_alone(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] a, float[2,4] y)
        { a = Neg(x) b = Exp(a) c = Abs(b) y = Add(c, a) }"""
    )
    stages = tried(proto, tmp_path, "a", "c; a > y")
    assert stages.results == [["a"], [], ["y"]]
    assert names(stages.plain[1].graph.output) == ["a", "c"]
    assert names(stages.sendrecv[1].graph.output) == ["receive_output_signal0", "send_output_signal1"]


def test_outputs_that_are_inputs_or_initializers_come_from_the_first_stage(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] z) => (float[2,4] z, float[2,4] x, float[4] w, float[2,4] y)
        <float[4] w = {1,2,3,4}> { a = Neg(x) b = Exp(a) y = Mul(b, w) }"""
    )
    stages = tried(proto, tmp_path, "b")
    assert stages.results == [["z", "x", "w"], ["y"]]
    assert stages.fed == [["x", "z"], []]
    assert np.array_equal(stages.outputs["w"], [1, 2, 3, 4])
    assert [names(stage.graph.initializer) for stage in stages.plain] == [["w"], ["w"]]


def test_an_output_consumed_inside_its_stage_and_in_later_ones(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] b, float[2,4] c, float[2,4] y)
        { a = Neg(x) b = Exp(a) c = Abs(b) d = Add(c, b) y = Mul(d, b) }"""
    )
    stages = tried(proto, tmp_path, "c; b > d y")
    assert stages.results == [["b", "c"], ["y"]]
    assert stages.sent == [["c", "b"], []]


@pytest.mark.parametrize("where", ["first stage", "last stage", "sent"])
def test_a_tensor_listed_twice_as_output_is_listed_once_and_made_once(tmp_path: Path, where: str) -> None:
    twice = {"first stage": "b", "last stage": "y", "sent": "a"}[where]
    proto = model(
        f"""g (float[2,4] x) => (float[2,4] {twice}, float[2,4] z, float[2,4] {twice})
        {{ a = Neg(x) b = Exp(a) y = Abs(a) z = Tanh(a) }}"""
    )
    stages = tried(proto, tmp_path, "a > y z")
    assert twice in stages.outputs
    assert sum(result.count(twice) for result in stages.results) == 1
    for models in (stages.plain, stages.sendrecv):
        assert sum(names(stage.graph.output).count(twice) for stage in models) == 1


@pytest.mark.parametrize("transport", BOTH)
def test_a_model_of_outputs_alone_without_nodes_is_one_stage(tmp_path: Path, transport: Transport) -> None:
    proto = model("g (float[2] x) => (float[2] x, float[2] w) <float[2] w = {1,2}> {  }")
    stages = tried(proto, tmp_path, transports=(transport,))
    assert stages.results == [["x", "w"]]


def test_overridable_weights_stay_inputs_of_each_stage_that_reads_them(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[4] w) => (float[2,4] y) <float[4] w = {1,2,3,4}>
        { a = Add(x, w) b = Neg(a) y = Mul(b, w) }"""
    )
    stages = tried(proto, tmp_path, "b")
    assert [names(stage.graph.input) for stage in stages.plain] == [["x", "w"], ["w", "b"]]
    assert stages.fed == [["x"], []], "only what must be fed"
    first, second = (session(path) for path in plain_files(stages.folder))
    ones, other = np.ones((2, 4), np.float32), np.full(4, 3, np.float32)
    (sent,) = first.run(["b"], {"x": ones, "w": other})
    (result,) = second.run(["y"], {"b": sent, "w": other})
    assert np.array_equal(result, np.full((2, 4), -12))


def test_a_weight_whose_graph_input_is_of_another_shape_keeps_both_as_they_are(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[N] w) => (float[2,4] y) <float[4] w = {1,2,3,4}>
        { a = Add(x, w) b = Neg(a) y = Mul(b, w) }"""
    )
    stages = tried(proto, tmp_path, "b")
    for stage in (*stages.plain, *stages.sendrecv):
        (value,) = (value for value in stage.graph.input if value.name == "w")
        assert value.type.tensor_type.shape.dim[0].dim_param == "N"


def test_a_branch_that_leads_to_no_output_is_kept(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) b = Abs(a) unread = Tanh(b) }")
    stages = tried(proto, tmp_path, "a > b")
    assert [[node.output[0] for node in stage.graph.node] for stage in stages.plain] == [["a", "y"], ["b", "unread"]]
    assert not [finding for finding in found(proto, tmp_path, "a > b") if finding.is_error]


def test_a_cut_graph_output_without_readers_is_a_warning(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,4] y) { a = Neg(x) y = Exp(a) }")
    assert "error" not in [str(finding.severity) for finding in found(proto, tmp_path, "a; y")]
    assert codes(found(proto, tmp_path, "a; y"))
    assert onnx.load(tmp_path / "found.onnx") == proto


def test_a_model_that_reads_no_input_is_one_stage_of_constants(tmp_path: Path) -> None:
    proto = model("g () => (float[2] y) <float[2] w = {1,2}> { a = Neg(w) y = Exp(a) }")
    assert tried(proto, tmp_path).results == [["y"]]
    assert "into-constant" in codes(found(proto, tmp_path, "a"))
