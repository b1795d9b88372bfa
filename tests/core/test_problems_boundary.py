"""What the findings say of what crosses a boundary and what several stages hold (DESIGN, section 7)."""

import pytest

from cutter_gui.core import Severity
from strategies.findings import codes, findings, mended, only
from strategies.small_graphs import small_graph, small_plan

CHAIN = small_graph("Neg x -> a", "Neg a -> b", "Neg b -> c", "Neg c -> d", outputs=["d"])


@pytest.mark.parametrize("dtype", ["bfloat16", "complex64", "string", "int4", "float8e5m2", "sequence", "opaque"])
def test_a_type_that_send_does_not_take_is_an_error_only_where_sends_are_written(dtype):
    graph = small_graph("Neg x -> a", "Neg a -> b", types={"a": (dtype, (1, 4))})
    for form, severity in (("both", Severity.ERROR), ("sendrecv", Severity.ERROR), ("plain", Severity.WARNING)):
        found = only(graph, "a", form=form)
        assert (found.code, found.severity, found.tensors) == ("unsendable-type", severity, ("a",))
        assert dtype in found.message


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int64", "int8", "uint8", "bool", "uint64"])
def test_types_that_send_takes_are_no_finding(dtype):
    graph = small_graph("Neg x -> a", "Neg a -> b", types={"a": (dtype, (1, 4))})
    assert findings(graph, "a") == []


@pytest.mark.parametrize("form", ["both", "plain"])
def test_a_boundary_tensor_of_unknown_type_is_an_error_that_names_the_flag(form):
    graph = small_graph("Neg x -> a", "Neg a -> b", types={"a": ("unknown", None)})
    found = only(graph, "a", form=form)
    assert (found.code, found.severity) == ("unknown-type", Severity.ERROR)
    assert "--type a=float32[1,16]" in found.message


def test_types_of_tensors_that_cross_no_boundary_do_not_matter():
    graph = small_graph("Neg x -> a", "Neg a -> b", types={"x": ("string", None), "b": ("unknown", None)})
    assert [f.message for f in findings(graph, "a x")] == [f.message for f in findings(graph, "x a")]
    assert codes(graph, "a") == []


def test_a_weight_that_several_stages_hold_is_told_with_its_size():
    graph = small_graph("Add x w -> a", "Add a w -> b", weights={"w": 2048})
    found = only(graph, "a")
    assert (found.code, found.severity, found.tensors) == ("shared-weight", Severity.INFO, ("w",))
    assert found.message == "Weight w (2 KiB) is used by stages 0 and 1; each gets a copy."


def test_a_weight_behind_constant_arithmetic_and_in_a_constant_node_is_shared_too():
    graph = small_graph(
        "Constant -> k",
        "Add w k -> m",
        "Add x m -> a",
        "Add a m -> b",
        weights={"w": 8},
        types={"k": ("float32", (3,))},
    )
    assert [found.tensors for found in findings(graph, "a")] == [("k",), ("w",)]


def test_a_weight_of_one_stage_is_not_shared():
    graph = small_graph("Add x w -> a", "Add a v -> b", weights=["w", "v"])
    assert findings(graph, "a") == []


def test_many_shared_weights_are_told_largest_first_and_the_rest_in_one():
    weights = {f"w{i}": 1000 + i for i in range(50)}
    names = " ".join(weights)
    graph = small_graph(f"Sum x {names} -> a", f"Sum a {names} -> b", weights=weights)
    found = findings(graph, "a")
    assert [finding.tensors for finding in found[:2]] == [("w49",), ("w48",)]
    assert len(found) == 21
    assert found[-1].message == "30 more weights (29.7 KiB in all) are used by several stages; each stage gets a copy."


def test_nothing_is_said_about_boundaries_before_the_plan_holds():
    graph = small_graph("Add x w -> a", "Neg a -> b", "Sum b a w -> c", weights=["w"], types={"b": ("string", None)})
    assert codes(graph, "b") == ["incomplete-cut"]


# quantized-boundary

QDQ = {"s": ("float32", (0,)), "q": ("int8", (1, 4)), "f": ("float32", (1, 4)), "t": ("float32", (1, 4))}


def quantized(*more):
    nodes = ["Neg x -> t", "QuantizeLinear t s -> q", "DequantizeLinear q s -> f", "Neg f -> y", *more]
    return small_graph(*nodes, weights={"s": 0}, outputs=["y"], types=QDQ)


@pytest.mark.parametrize("cut", ["t", "f"])
def test_a_float_beside_a_quantized_tensor_is_dear_to_send_and_the_cut_can_be_moved(cut):
    graph = quantized()
    found = only(graph, cut)
    assert (found.code, found.severity) == ("quantized-boundary", Severity.WARNING)
    assert (found.tensors, found.cut) == ((cut, "q"), 0)
    op = "QuantizeLinear" if cut == "t" else "DequantizeLinear"
    assert found.message == (
        f"{cut} (16 B) is sent as float32; cutting q on the other side of its {op} would send 4 B."
    )
    assert found.fixes[0].plan == small_plan("q")
    assert mended(graph, found) == []


def test_the_quantized_tensor_itself_is_no_finding():
    assert findings(quantized(), "q") == []


def test_a_dequantized_tensor_that_both_stages_read_stays_where_it_is():
    graph = quantized("Neg f -> z")
    assert codes(graph, "f->z") == []
    assert codes(graph, "f") == ["quantized-boundary"]


def test_a_quantizer_whose_move_would_empty_a_stage_is_told_without_a_mend():
    graph = quantized()
    found = [finding for finding in findings(graph, "t", "q") if finding.code == "quantized-boundary"]
    assert [len(finding.fixes) for finding in found] == [0]


def test_a_scale_that_is_computed_keeps_the_boundary_where_it_is():
    graph = small_graph(
        "Neg x -> t", "Max x -> s", "DequantizeLinear t s -> f", "Neg f -> y", types={"t": ("int8", None)}
    )
    assert codes(graph, "f") == []
