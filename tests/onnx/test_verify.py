"""`verify` runs original and stages: it says identical only of what is, and where what is not begins to differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
import ruamel.yaml
from onnx import ModelProto, TensorProto, helper, numpy_helper

from cutter_gui.core.dtypes import BY_NAME
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import OutputReport, TypeHint, VerifyReport, VerifyRequest
from cutter_gui.onnx.format import FORMAT
from strategies.onnx_text import model, plan, saved, split

CHAIN = """g (float[2,4] x) => (float[2,4] b, float[2,4] y) <float[4] v = {1,2,3,4}, float[4] w = {4,3,2,1}>
{ a = Add(x, v) b = Exp(a) c = Mul(b, w) d = Neg(c) y = Add(d, a) }"""


def split_chain(tmp_path: Path, text: str = CHAIN, *cuts: str, **options: object) -> Path:
    out = tmp_path / "out"
    split(saved(model(text), tmp_path / "m.onnx"), plan(*(cuts or ("a > y; b", "d; a > y"))), out, **options)
    return out


def verify(out: Path, **options: object) -> VerifyReport:
    return FORMAT.verify(VerifyRequest(out, **options))  # type: ignore[arg-type]  # options vary by test


def change(path: Path, edit: Callable[[ModelProto], object]) -> None:
    proto = onnx.load(path, load_external_data=False)
    edit(proto)
    path.write_bytes(proto.SerializeToString())


def set_weight(name: str, values: list[float]) -> Callable[[ModelProto], None]:
    def edit(proto: ModelProto) -> None:
        tensor = next(tensor for tensor in proto.graph.initializer if tensor.name == name)
        kept = numpy_helper.to_array(tensor)
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(values, kept.dtype).reshape(kept.shape), name))

    return edit


def set_attribute(op: str, name: str, value: object) -> Callable[[ModelProto], None]:
    def edit(proto: ModelProto) -> None:
        node = next(node for node in proto.graph.node if node.op_type == op)
        at = next(at for at, attribute in enumerate(node.attribute) if attribute.name == name)
        node.attribute[at].CopyFrom(helper.make_attribute(name, value))

    return edit


def of(report: VerifyReport, name: str, form: str) -> OutputReport:
    (found,) = (output for output in report.outputs if (output.name, output.form) == (name, form))
    return found


def test_untouched_stages_are_identical_in_both_forms(tmp_path: Path) -> None:
    report = verify(split_chain(tmp_path))
    assert report.identical
    assert report.accepted
    assert report.first_boundary is None
    assert [(output.name, output.form, output.stage) for output in report.outputs] == [
        ("b", "plain", 0),
        ("y", "plain", 2),
        ("b", "sendrecv", 0),
        ("y", "sendrecv", 2),
    ]
    assert set(report.inputs) == {"x"}


@pytest.mark.parametrize("form", ["plain", "sendrecv"])
def test_a_form_written_alone_is_verified_alone(tmp_path: Path, form: str) -> None:
    report = verify(split_chain(tmp_path, form=form))
    assert {output.form for output in report.outputs} == {form}
    assert report.identical


def test_a_changed_weight_is_found_with_the_first_element_and_the_first_boundary(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    change(out / "m_1.plain.onnx", set_weight("w", [4, 3, 2.5, 1]))
    report = verify(out)
    assert not report.identical
    assert not report.accepted
    assert report.first_boundary == "d"
    assert of(report, "b", "plain").identical
    assert of(report, "y", "sendrecv").identical
    changed = of(report, "y", "plain")
    assert changed.first_difference == (0, 2)
    assert changed.max_abs is not None
    assert changed.max_abs > 0
    assert "first at [0, 2]" in changed.sentence()


def test_a_changed_weight_in_the_last_stage_differs_at_no_boundary(tmp_path: Path) -> None:
    text = CHAIN.replace("y = Add(d, a)", "e = Add(d, a) y = Mul(e, w)")
    out = split_chain(tmp_path, text, "a > e; b", "d; a > e")
    change(out / "m_2.plain.onnx", set_weight("w", [4, 3, 2, 1.5]))
    report = verify(out)
    assert not report.accepted
    assert report.first_boundary is None
    assert of(report, "y", "plain").first_difference == (0, 3)


def test_a_change_of_one_bit_is_found(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    nearly = float(np.nextafter(np.float32(1), np.float32(2)))
    change(out / "m_0.onnx", set_weight("v", [nearly, 2, 3, 4]))
    report = verify(out, seed=1)
    found = of(report, "y", "sendrecv")
    assert not found.identical
    assert found.max_abs is not None
    assert found.max_abs < 1e-3


def test_negative_zero_is_not_zero_and_equal_nans_are_identical(tmp_path: Path) -> None:
    text = "g (float[3] x) => (float[3] y) { a = Mul(x, z) b = Sqrt(a) y = Add(b, z) }"
    text = text.replace("=> (float[3] y)", "=> (float[3] y) <float[3] z = {0,0,0}>")
    out = split_chain(tmp_path, text, "b")
    np.savez(tmp_path / "x.npz", x=np.asarray([np.nan, np.inf, 1], np.float32))
    assert verify(out, inputs=tmp_path / "x.npz").identical
    signs = "g (float[3] x) => (float[3] y) <float[3] z = {0,0,0}> { a = Abs(x) y = Mul(a, z) }"
    other = tmp_path / "signs"
    split(saved(model(signs), tmp_path / "signs.onnx"), plan("a"), other)
    change(other / "signs_1.plain.onnx", set_weight("z", [0, -0.0, 0]))
    found = of(verify(other), "y", "plain")
    assert found.first_difference == (1,)
    assert found.max_abs == 0


@pytest.mark.parametrize(
    ("file", "edit", "complaint"),
    [
        ("m_0.onnx", set_weight("send_dst_rank0", [2]), "pair up"),
        ("m_0.onnx", set_weight("send_dst_rank0", [7]), "pair up"),
        ("m_1.onnx", set_weight("recv_src_rank0", [2]), "pair up"),
        ("m_0.onnx", set_weight("send_input_signal0", [0]), "signal is not true"),
        ("m_0.onnx", set_attribute("Send", "tag", 1), "pair up"),
        ("m_1.onnx", set_attribute("Recv", "tag", 1), "pair up"),
        ("m_0.onnx", set_attribute("Send", "element_types", [1, 11]), "pair up"),
        ("m_0.onnx", set_attribute("Send", "element_types", [1]), "does not count"),
        ("m_1.onnx", set_attribute("Recv", "element_types", [7, 1]), "pair up"),
    ],
)
def test_a_changed_send_or_recv_is_an_error(
    tmp_path: Path, file: str, edit: Callable[[ModelProto], None], complaint: str
) -> None:
    out = split_chain(tmp_path)
    change(out / file, edit)
    with pytest.raises(CutterError, match=complaint):
        verify(out)


def test_element_types_that_are_wrong_on_both_sides_are_an_error(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    change(out / "m_0.onnx", set_attribute("Send", "element_types", [1, 11]))
    change(out / "m_1.onnx", set_attribute("Recv", "element_types", [1, 11]))
    with pytest.raises(CutterError):
        verify(out)


def swap_sent(proto: ModelProto) -> None:
    send = next(node for node in proto.graph.node if node.op_type == "Send")
    send.input[2], send.input[3] = send.input[3], send.input[2]


def test_tensors_sent_in_another_order_make_another_result(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    change(out / "m_0.onnx", swap_sent)
    report = verify(out)
    assert not of(report, "y", "sendrecv").accepted
    assert of(report, "y", "plain").identical


@pytest.mark.parametrize("file", ["m_1.onnx", "m_1.plain.onnx"])
def test_a_missing_stage_file_is_named(tmp_path: Path, file: str) -> None:
    out = split_chain(tmp_path)
    (out / file).unlink()
    with pytest.raises(CutterError, match="does not exist") as refusal:
        verify(out)
    assert str(out / file) in refusal.value.where


def test_a_damaged_stage_file_is_named(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    (out / "m_2.plain.onnx").write_bytes(b"\xff" * 100)
    with pytest.raises(CutterError, match="damaged") as refusal:
        verify(out)
    assert "m_2.plain.onnx" in refusal.value.where


def test_a_missing_weight_file_of_a_stage_is_an_error(tmp_path: Path) -> None:
    proto = model("g (float[2,4] x) => (float[2,300] y) { a = Neg(x) y = MatMul(a, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((4, 300), np.float32), "w"))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    (tmp_path / "out" / "m_1.onnx.data").unlink()
    with pytest.raises(CutterError, match="does not exist") as refusal:
        verify(tmp_path / "out")
    assert str(tmp_path / "out" / "m_1.onnx.data") in refusal.value.where


def test_a_model_that_has_changed_its_structure_is_told_and_one_that_is_gone(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    saved(model(CHAIN.replace("Neg(c)", "Abs(c)")), tmp_path / "m.onnx")
    with pytest.raises(CutterError, match="has changed"):
        verify(out)
    (tmp_path / "m.onnx").unlink()
    with pytest.raises(CutterError, match="is missing"):
        verify(out)


def test_a_model_with_other_weights_differs(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    saved(model(CHAIN.replace("{4,3,2,1}", "{4,3,2,7}")), tmp_path / "m.onnx")
    report = verify(out)
    assert not report.accepted
    assert report.first_boundary == "d"


def test_an_output_that_the_manifest_leaves_out_is_missed(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    yaml = ruamel.yaml.YAML()
    content = yaml.load(out / "pipeline.yaml")
    content["stages"][2]["outputs"] = []
    yaml.dump(content, out / "pipeline.yaml")
    with pytest.raises(CutterError, match="output y"):
        verify(out)


def test_a_plain_stage_that_lacks_an_output_is_an_error(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    change(out / "m_2.plain.onnx", lambda proto: proto.graph.output.pop())
    with pytest.raises(CutterError, match="y"):
        verify(out)


def test_a_plain_stage_that_reads_what_nobody_makes_is_an_error(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    change(out / "m_0.plain.onnx", lambda proto: proto.graph.output.pop(0))
    with pytest.raises(CutterError, match="no earlier stage hands out"):
        verify(out)


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_gives_the_same_inputs_again_and_another_seed_others(tmp_path: Path, seed: int) -> None:
    out = split_chain(tmp_path)
    change(out / "m_1.plain.onnx", set_weight("w", [4, 3, 2.5, 1]))
    first, again, other = (verify(out, seed=number) for number in (seed, seed, seed + 1))
    assert first.outputs == again.outputs
    assert of(first, "y", "plain").max_abs != of(other, "y", "plain").max_abs


class TestInputsFromAFile:
    @staticmethod
    def refused(tmp_path: Path, complaint: str, **arrays: np.ndarray) -> None:
        out = split_chain(tmp_path)
        np.savez(tmp_path / "x.npz", **arrays)
        with pytest.raises(CutterError, match=complaint) as refusal:
            verify(out, inputs=tmp_path / "x.npz")
        assert refusal.value.exit_code == 2

    def test_they_are_used(self, tmp_path: Path) -> None:
        out = split_chain(tmp_path)
        change(out / "m_1.plain.onnx", set_weight("w", [4, 3, 2.5, 1]))
        np.savez(tmp_path / "x.npz", x=np.full((2, 4), -np.inf, np.float32))
        assert verify(out, inputs=tmp_path / "x.npz").accepted, "exp(-inf) times any weight is 0"

    def test_a_missing_one_is_named(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "lack the input x", other=np.zeros(1))

    def test_one_too_many_is_named(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "no input: extra", x=np.zeros((2, 4), np.float32), extra=np.zeros(1))

    def test_another_dtype_is_told(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "float64", x=np.zeros((2, 4)))

    def test_another_rank_is_told(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "rank 1", x=np.zeros(8, np.float32))

    def test_another_size_is_told(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "cannot run the model", x=np.zeros((2, 5), np.float32))

    def test_python_objects_are_not_unpickled(self, tmp_path: Path) -> None:
        self.refused(tmp_path, "cannot be read", x=np.asarray([{}, {}], dtype=object))

    @pytest.mark.parametrize(
        "content", [b"", b"no archive", b"PK\x03\x04 and then nothing", b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}"]
    )
    def test_what_is_no_archive_is_told(self, tmp_path: Path, content: bytes) -> None:
        out = split_chain(tmp_path)
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(CutterError, match="cannot be read"):
            verify(out, inputs=tmp_path / "x.npz")

    def test_a_single_array_is_no_archive(self, tmp_path: Path) -> None:
        out = split_chain(tmp_path)
        np.save(tmp_path / "x.npy", np.zeros((2, 4), np.float32))
        with pytest.raises(CutterError, match=r"\.npz"):
            verify(out, inputs=tmp_path / "x.npy")

    def test_a_missing_file_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(CutterError, match="cannot be read"):
            verify(split_chain(tmp_path), inputs=tmp_path / "x.npz")

    def test_strings_and_booleans_are_taken(self, tmp_path: Path) -> None:
        text = """g (string[2] s, bool[2] c) => (string[2] y) <string[2] other = {"p", "q"}>
        { n = Not(c) m = Not(n) y = Where(m, s, other) }"""
        out = split_chain(tmp_path, text, "n")
        np.savez(tmp_path / "x.npz", s=np.asarray(["one", "two"]), c=np.asarray([True, False]))
        assert verify(out, inputs=tmp_path / "x.npz").identical

    def test_bfloat16_is_taken_as_numpy_saves_it(self, tmp_path: Path) -> None:
        out = split_chain(tmp_path, "g (bfloat16[2] x) => (float[2] y) { a = Cast <to = 1> (x) y = Neg(a) }", "a")
        np.savez(tmp_path / "x.npz", x=np.asarray([1, 2], ml_dtypes.bfloat16))
        assert verify(out, inputs=tmp_path / "x.npz").identical


def test_symbols_have_one_size_across_inputs_and_indices_stay_within_their_table(tmp_path: Path) -> None:
    text = """g (int64[batch,seq] ids, float[batch,seq,4] extra) => (float[batch,seq,4] y)
    { a = Gather(table, ids) b = Add(a, extra) y = Neg(b) }"""
    proto = model(text)
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((3, 4), np.float32), "table"))
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    assert verify(tmp_path / "out", seed=3).identical


def test_seeded_random_nodes_are_identical_also_when_the_first_inputs_tried_do_not_fit(tmp_path: Path) -> None:
    proto = model(
        """g (float[batch,len] x) => (float[batch,4] y)
        { r = RandomUniformLike <seed = 3.0> (x) s = Add(r, x) a = MatMul(s, w) y = Neg(a) }"""
    )
    proto.graph.initializer.append(numpy_helper.from_array(np.ones((48, 4), np.float32), "w"))
    split(saved(proto, tmp_path / "m.onnx"), plan("s", "a"), tmp_path / "out")
    assert verify(tmp_path / "out").identical


def test_a_random_node_without_a_seed_is_exempt_and_only_what_depends_on_it(tmp_path: Path) -> None:
    text = """g (float[2,4] x) => (float[2,4] y, float[2,4] z)
    { a = Neg(x) r = RandomNormalLike(a) b = Add(a, r) y = Exp(b) z = Abs(a) }"""
    out = split_chain(tmp_path, text, "a > r b")
    report = verify(out)
    assert report.accepted
    assert not report.identical
    assert "without a seed" in of(report, "y", "plain").note
    assert of(report, "z", "plain").identical


def test_float16_that_crosses_is_accepted_within_a_tolerance_that_is_said(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    for step in range(4):
        weights.append(numpy_helper.from_array(generator.standard_normal((64, 64)).astype(np.float16), f"w{step}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{step}"], [f"t{step}"]))
        last = f"t{step}"
    graph = helper.make_graph(
        nodes,
        "halves",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT16, [2, 64])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT16, [2, 64])],
        weights,
    )
    path = saved(
        helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx"
    )
    split(path, plan("t0", "t1", "t2"), tmp_path / "out")
    report = verify(tmp_path / "out")
    assert report.accepted
    for output in report.outputs:
        assert output.identical or ("float16" in output.note and "tolerance 0.01" in output.note)


def test_a_wrong_float16_result_is_not_accepted(tmp_path: Path) -> None:
    text = "g (float16[4] x) => (float16[4] y) <float16[4] w = {1,2,3,4}> { a = Neg(x) y = Mul(a, w) }"
    out = split_chain(tmp_path, text, "a")
    change(out / "m_1.plain.onnx", set_weight("w", [1, 2, 3, 5]))
    report = verify(out)
    assert not report.accepted
    assert not of(report, "y", "plain").accepted


@pytest.mark.parametrize(
    "text",
    [
        """g (float[2,4] x) => (float[2,4] y)
        { s = SequenceConstruct(x, x) t = SequenceInsert(s, x) y = ConcatFromSequence <axis = 0> (t) }""",
        "g (string[2] x) => (string[2] y) { s = Identity(x) y = Identity(s) }",
        "g (float[4] x) => (float[4] y) { s = Cast <to = 16> (x) t = Identity(s) y = Cast <to = 1> (t) }",
    ],
    ids=["sequences", "strings", "bfloat16"],
)
def test_what_send_does_not_take_is_verified_in_the_plain_form(tmp_path: Path, text: str) -> None:
    out = split_chain(tmp_path, text.replace("(float[2,4] y)", "(y)"), "s", form="plain")
    report = verify(out)
    assert report.identical, report


def test_a_sequence_as_output_is_compared_element_by_element(tmp_path: Path) -> None:
    text = """g (float[2] x) => (seq(float[2]) y) <float[2] w = {1,2}>
    { a = Neg(x) b = Mul(a, w) y = SequenceConstruct(a, b) }"""
    out = split_chain(tmp_path, text, "a")
    assert verify(out).identical
    change(out / "m_1.plain.onnx", set_weight("w", [1, 3]))
    assert of(verify(out), "y", "plain").first_difference == (1, 1)


def test_with_optimizations_on_the_tolerance_is_said(tmp_path: Path) -> None:
    report = verify(split_chain(tmp_path), optimized=True)
    assert report.accepted
    for output in report.outputs:
        assert output.identical or "optimizations" in output.note


def test_gradients_are_for_torch(tmp_path: Path) -> None:
    with pytest.raises(CutterError, match=r"without gradients \(--train\): leave it out"):
        verify(split_chain(tmp_path), train=True)


def test_nodes_of_one_name_are_no_obstacle(tmp_path: Path) -> None:
    proto = model(CHAIN)
    for node in proto.graph.node:
        node.name = "same"
    split(saved(proto, tmp_path / "m.onnx"), plan("a > y; b", "d; a > y"), tmp_path / "out")
    assert verify(tmp_path / "out").identical


def test_a_stage_whose_results_nobody_reads_is_run_as_well(tmp_path: Path) -> None:
    text = "g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) unread = Abs(a) }"
    assert verify(split_chain(tmp_path, text, "a > unread")).identical


def test_a_stage_that_was_split_again_is_verified(tmp_path: Path) -> None:
    out = split_chain(tmp_path)
    again = tmp_path / "again"
    split(out / "m_1.onnx", plan("c; a_recv0"), again)
    assert verify(again).identical


@pytest.mark.parametrize("form", ["plain", "sendrecv"])
def test_a_stage_that_lacks_a_form_which_others_have_is_told(tmp_path: Path, form: str) -> None:
    out = split_chain(tmp_path)
    assert verify(out).identical
    manifest = out / "pipeline.yaml"
    file = {"plain": "plain: m_1.plain.onnx", "sendrecv": "sendrecv: m_1.onnx"}[form]
    text = manifest.read_text()
    assert file in text
    manifest.write_text(text.replace(f"{file}, ", "").replace(f", {file}", ""))
    with pytest.raises(CutterError, match=f"stage 1 has no {form} form") as refusal:
        verify(out)
    assert refusal.value.exit_code == 2
    assert str(manifest) in refusal.value.where


def test_a_model_without_outputs_is_split_but_there_is_nothing_to_verify(tmp_path: Path) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Exp(a) }")
    del proto.graph.output[:]
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    with pytest.raises(CutterError, match="no outputs") as refusal:
        verify(tmp_path / "out")
    assert "outputs of its graph" in refusal.value.remedy


def test_the_runtime_says_nothing_on_its_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) b = Identity(w) y = Exp(a) }")
    proto.graph.initializer.append(
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2**63 - 1], raw_data=b"1234")
    )
    split(saved(proto, tmp_path / "m.onnx"), plan("a"), tmp_path / "out")
    with pytest.raises(CutterError, match="does not take the model"):
        verify(tmp_path / "out")
    assert capfd.readouterr().err == ""


def test_a_folder_without_a_result_is_told(tmp_path: Path) -> None:
    with pytest.raises(CutterError, match=r"pipeline\.yaml"):
        verify(tmp_path)


def test_a_difference_behind_a_tensor_whose_type_was_given_is_found(tmp_path: Path) -> None:
    text = (
        "g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}> { a = com.microsoft.QuickGelu(x) y = Mul(a, w) }"
    )
    path = saved(model(text, opsets=[("com.microsoft", 1)]), tmp_path / "m.onnx")
    hint = TypeHint(BY_NAME["float32"].code, None)
    split(path, plan("a"), tmp_path / "out", types={"a": hint})
    assert verify(tmp_path / "out").identical
    change(
        tmp_path / "out" / "m_0.plain.onnx", lambda proto: proto.graph.node[0].attribute.add(name="alpha", f=2, type=1)
    )
    report = verify(tmp_path / "out")
    assert not report.accepted
    assert report.first_boundary == "a"
