"""What the bodies of If, Loop, Scan and their like read from outside, at any depth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import GraphProto, ModelProto, TensorProto

from cutter_gui.core.format import TypeHint
from strategies.kinds import codes, found, names, nodes_of, tried
from strategies.onnx_text import model

X = np.arange(8, dtype=np.float32).reshape(2, 4) / 8 - 0.4


def body(stage: ModelProto, op: str, name: str) -> GraphProto:
    (node,) = nodes_of(stage, op)
    return next(attribute.g for attribute in node.attribute if attribute.name == name)


IF = """g (float[2,4] x, bool c) => (float[2,4] y) <float[4] w = {1,2,3,4}> {
    a = Neg(x)
    b = Exp(a)
    d = Mul(b, w)
    y = If (c) <
        then_branch = t () => (float[2,4] p) { q = Add(a, d) p = Mul(q, w) },
        else_branch = e () => (float[2,4] r) { r = Sub(x, d) }
    >
}"""


@pytest.mark.parametrize("taken", [True, False])
def test_what_the_branches_of_an_if_capture_is_received_before_they_run(tmp_path: Path, taken: bool) -> None:
    stages = tried(model(IF), tmp_path, "a > b y", "d; a > y", feeds={"x": X, "c": np.asarray(taken)})
    assert stages.sent == [["a"], ["a", "d"], []]
    assert stages.fed == [["x"], [], ["x", "c"]]
    assert sorted(names(stages.plain[2].graph.input)) == ["a", "c", "d", "x"]
    assert list(body(stages.plain[2], "If", "then_branch").node[0].input) == ["a", "d"]
    assert list(body(stages.sendrecv[2], "If", "then_branch").node[0].input) == ["a_recv1", "d_recv1"]
    assert list(body(stages.sendrecv[2], "If", "else_branch").node[0].input) == ["x", "d_recv1"]
    assert names(stages.plain[2].graph.initializer) == ["w"]


def test_a_tensor_read_only_inside_a_body_is_told_and_cut_all_the_same(tmp_path: Path) -> None:
    assert "inside-subgraph" in codes(found(model(IF), tmp_path, "a > b y", "d; a > y"))
    assert "incomplete-cut" in codes(found(model(IF), tmp_path, "a > b"))


LOOP = """g (float[2,4] x, int64 n) => (float[2,4] y, float[?,2,4] steps) <float[4] w = {0.5,0.25,1,1}, bool go = {1}> {
    a = Neg(x)
    b = Exp(a)
    last, steps = Loop (n, go, b) <body = l (int64 i, bool before, float[2,4] state)
        => (bool after, float[2,4] next, float[2,4] seen)
        { after = Identity(before) next = Mul(state, w) seen = Add(next, a) }>
    y = Abs(last)
}"""


def test_a_loop_captures_a_sent_tensor_and_a_weight(tmp_path: Path) -> None:
    hint = {"last": TypeHint(TensorProto.FLOAT, (2, 4))}
    feeds = {"x": X, "n": np.asarray(3)}
    stages = tried(model(LOOP), tmp_path, "b; a > last", "last", feeds=feeds, types=hint)
    assert stages.sent == [["b", "a"], ["last"], []]
    assert stages.results == [[], ["steps"], ["y"]]
    assert list(body(stages.sendrecv[1], "Loop", "body").node[2].input) == ["next", "a_recv0"]
    assert sorted(names(stages.plain[1].graph.initializer)) == ["go", "w"]


SCAN = """g (float[3,4] x) => (float[4] y, float[3,4] rows) <float[4] w = {1,2,3,4}, float[4] start = {0,0,0,0}> {
    a = ReduceMax <axes = [0], keepdims = 0> (x)
    b = Sub(x, a)
    end, rows = Scan (start, b) <num_scan_inputs = 1, body = s (float[4] total, float[4] row)
        => (float[4] sum, float[4] kept)
        { scaled = Mul(row, w) shifted = Add(scaled, a) sum = Add(total, shifted) kept = Identity(sum) }>
    y = Exp(end)
}"""


def test_a_scan_captures_a_sent_tensor_and_a_weight(tmp_path: Path) -> None:
    stages = tried(model(SCAN), tmp_path, "b; a > end", "end")
    assert stages.sent == [["b", "a"], ["end"], []]
    assert list(body(stages.sendrecv[1], "Scan", "body").node[1].input) == ["scaled", "a_recv0"]


NESTED = """g (float[2,4] x, bool c, int64 n) => (float[2,4] y) <bool go = {1}, float[4] w = {1,2,3,4}> {
    a = Neg(x)
    k = Constant <value_float = 0.5> ()
    b = Exp(a)
    y = If (c) <
        then_branch = t () => (float[2,4] p) {
            p = Loop (n, go, b) <body = l (int64 i, bool before, float[2,4] state) => (bool after, float[2,4] next) {
                after = Identity(before)
                next = If (c) <
                    then_branch = tt () => (float[2,4] pp) { s = Mul(state, k) u = Add(s, a) pp = Add(u, w) },
                    else_branch = ee () => (float[2,4] rr) { rr = Identity(b) }
                >
            }>
        },
        else_branch = e () => (float[2,4] r) { r = Identity(a) }
    >
}"""


@pytest.mark.parametrize("taken", [True, False])
def test_captures_three_bodies_deep_are_sent_copied_and_renamed(tmp_path: Path, taken: bool) -> None:
    feeds = {"x": X, "c": np.asarray(taken), "n": np.asarray(2)}
    stages = tried(model(NESTED), tmp_path, "b; a > y", feeds=feeds)
    assert stages.sent == [["b", "a"], []]
    assert [len(nodes_of(stage, "Constant")) for stage in stages.plain] == [0, 1]
    loop = body(stages.sendrecv[1], "If", "then_branch").node[0]
    assert loop.input[2] == "b_recv0"
    inner = next(node for node in loop.attribute[0].g.node if node.op_type == "If")
    assert list(inner.attribute[0].g.node[1].input) == ["s", "a_recv0"]
    assert inner.attribute[1].g.node[0].input[0] == "b_recv0"
    assert names(stages.plain[1].graph.initializer) == ["go", "w"]


def test_a_body_that_hands_out_a_captured_tensor_itself_gets_it(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, bool c) => (float[2,4] y) {
            a = Neg(x)
            b = Exp(a)
            d = If (c) <
                then_branch = t () => (float[2,4] p) { p = Identity(a) },
                else_branch = e () => (float[2,4] r) { r = Identity(b) }
            >
            y = Abs(d)
        }"""
    )
    for branch in nodes_of(proto, "If")[0].attribute:
        branch.g.output[0].name = branch.g.node[0].input[0]
        del branch.g.node[:]
    # onnx takes such a body, onnxruntime does not.
    stages = tried(proto, tmp_path, "b; a > d", runs=False)
    assert stages.sent == [["b", "a"], []]
    assert names(body(stages.sendrecv[1], "If", "then_branch").output) == ["a_recv0"]


def test_names_that_a_body_defines_itself_hide_outer_ones(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, int64 n) => (float[2,4] y) <bool go = {1}> {
            a = Neg(x)
            b = Exp(a)
            z = Loop (n, go, b) <body = l (int64 i, bool before, float[2,4] state) => (bool after, float[2,4] next) {
                after = Identity(before) next = Add(state, a)
            }>
            y = Abs(z)
        }"""
    )
    loop = nodes_of(proto, "Loop")[0].attribute[0].g
    loop.input[2].name = "x"
    loop.node[1].input[0] = "x"
    stages = tried(proto, tmp_path, "b; a > z", feeds={"x": X, "n": np.asarray(2)})
    assert stages.fed == [["x"], ["n"]], "the x of the body is not the model's"
    assert list(body(stages.sendrecv[1], "Loop", "body").node[1].input) == ["x", "a_recv0"]


def test_a_body_of_a_constant_condition_and_captured_weights_is_constant(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}, bool c = {1}> {
            k = If (c) <
                then_branch = t () => (float[4] p) { p = Neg(w) },
                else_branch = e () => (float[4] r) { r = Exp(w) }
            >
            a = Add(x, k)
            b = Neg(a)
            y = Mul(b, k)
        }"""
    )
    stages = tried(proto, tmp_path, "b")
    assert stages.sent == [["b"], []]
    assert [len(nodes_of(stage, "If")) for stage in stages.plain] == [1, 1]
    assert [sorted(names(stage.graph.initializer)) for stage in stages.plain] == [["c", "w"], ["c", "w"]]


def test_a_body_that_reads_a_graph_input_brings_it_into_a_later_stage(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x, float[2,4] z, bool c) => (float[2,4] y) {
            a = Neg(x)
            y = If (c) <
                then_branch = t () => (float[2,4] p) { p = Add(a, z) },
                else_branch = e () => (float[2,4] r) { r = Mul(a, x) }
            >
        }"""
    )
    stages = tried(proto, tmp_path, "a", feeds={"x": X, "z": X + 1, "c": np.asarray(True)})
    assert stages.fed == [["x"], ["x", "z", "c"]]


def test_random_nodes_in_a_body_keep_it_from_being_copied(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) <bool c = {1}> {
            k = If (c) <
                then_branch = t () => (float[4] p) { p = RandomNormal <shape = [4], seed = 3.0> () },
                else_branch = e () => (float[4] r) { r = RandomUniform <shape = [4], seed = 4.0> () }
            >
            a = Add(x, k)
            b = Neg(a)
            y = Mul(b, k)
        }"""
    )
    stages = tried(proto, tmp_path, "b; k > y")
    assert stages.sent == [["b", "k"], []]


def test_a_sequence_map_runs_its_body_in_a_later_stage(tmp_path: Path) -> None:
    proto = model(
        """g (float[2,4] x) => (float[2,4] y) {
            a = Neg(x)
            s = SequenceConstruct(x, a)
            m = SequenceMap (s, a) <body = f (float[2,4] one, float[2,4] two) => (float[2,4] sum)
                { half = Add(one, two) sum = Add(half, a) }>
            zero = Constant <value_int = 0> ()
            y = SequenceAt(m, zero)
        }"""
    )
    stages = tried(proto, tmp_path, "a > m; s", form="plain", feeds={"x": X})
    assert stages.sent == [["a", "s"], []]
