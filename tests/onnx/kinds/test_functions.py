"""Model-local functions go along with the stages that call them, with all that they call and import."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser
from onnx import ModelProto, helper

from cutter_gui.onnx.format import FORMAT
from strategies.kinds import found, names, nodes_of, tried
from strategies.onnx_text import saved

HEAD = '<ir_version: 10, opset_import: ["" : 21, "local" : 1, "other" : 2]>'


def parsed(graph: str, *functions: str, head: str = HEAD) -> ModelProto:
    return onnx.parser.parse_model("\n".join((head, graph, *functions)))


OUTER = '<domain: "local", opset_import: ["" : 21, "local" : 1]> Outer (p) => (q) { r = local.Inner(p) q = Neg(r) }'
INNER = '<domain: "local", opset_import: ["" : 21, "other" : 2]> Inner (p) => (q) { q = other.Deepest(p) }'
DEEPEST = '<domain: "other", opset_import: ["" : 21]> Deepest (p) => (q) { q = Exp(p) }'
UNUSED = '<domain: "local", opset_import: ["" : 21]> Unused (p) => (q) { q = Abs(p) }'


def test_functions_are_taken_along_with_those_they_call_and_no_others(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { a = local.Outer(x) b = Neg(a) c = other.Deepest(b) y = Abs(c) }",
        *(OUTER, INNER, DEEPEST, UNUSED),
    )
    stages = tried(proto, tmp_path, "a", "b")
    kept = [["Outer", "Inner", "Deepest"], [], ["Deepest"]]
    assert [names(stage.functions) for stage in stages.plain] == kept
    assert [names(stage.functions) for stage in stages.sendrecv] == kept


def test_a_function_keeps_its_own_opset_imports_and_the_stage_those_of_the_model(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { a = local.Outer(x) b = Neg(a) y = local.Inner(b) }",
        *(OUTER, INNER, DEEPEST),
    )
    proto.functions[0].doc_string = "what it does"
    entry = proto.functions[0].metadata_props.add()
    entry.key, entry.value = "author", "somebody"
    stages = tried(proto, tmp_path, "b")
    for stage in stages.both(0):
        assert list(stage.functions) == list(proto.functions)
    imported = {opset.domain: opset.version for opset in stages.plain[1].opset_import}
    assert imported == {"": 21, "local": 1, "other": 2}
    assert imported.items() <= {opset.domain: opset.version for opset in stages.sendrecv[1].opset_import}.items()


def test_functions_called_only_in_a_body_or_by_a_body_of_a_function_are_taken_along(tmp_path: Path) -> None:
    proto = parsed(
        """g (float[2,4] x, bool c) => (float[2,4] y) {
            a = Neg(x)
            b = Exp(a)
            y = If (c) <
                then_branch = t () => (float[2,4] p) { p = local.Chosen(b, c) },
                else_branch = e () => (float[2,4] r) { r = Identity(b) }
            >
        }""",
        """<domain: "local", opset_import: ["" : 21, "other" : 2]> Chosen (v, c) => (q) {
            q = If (c) <
                then_branch = t () => (float[2,4] p) { p = other.Deepest(v) },
                else_branch = e () => (float[2,4] r) { r = Identity(v) }
            >
        }""",
        DEEPEST,
        UNUSED,
    )
    stages = tried(proto, tmp_path, "b")
    assert [names(stage.functions) for stage in stages.plain] == [[], ["Chosen", "Deepest"]]


def test_attributes_and_their_defaults_reach_the_function(tmp_path: Path) -> None:
    proto = parsed(
        """g (float[2,4] x) => (float[2,4] y)
        { a = local.Scaled <alpha = 0.5> (x) b = Neg(a) c = local.Scaled(b) y = Abs(c) }""",
        '<domain: "local", opset_import: ["" : 21]> Scaled <alpha: float = 0.25> (p) => (q) '
        "{ q = LeakyRelu <alpha: float = @alpha> (p) }",
    )
    stages = tried(proto, tmp_path, "b")
    for index in (0, 1):
        (function,) = stages.plain[index].functions
        assert function == proto.functions[0]


def test_functions_of_one_name_told_apart_by_their_overload_go_their_own_ways(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { a = local.Act(x) b = Neg(a) y = local.Act(b) }",
        '<domain: "local", opset_import: ["" : 21]> Act (p) => (q) { q = Exp(p) }',
        '<domain: "local", opset_import: ["" : 21]> Act (p) => (q) { q = Tanh(p) }',
    )
    for place, overload in ((0, "first"), (1, "second")):
        proto.functions[place].overload = overload
        nodes_of(proto, "Act")[place].overload = overload
    stages = tried(proto, tmp_path, "b")
    assert [[function.overload for function in stage.functions] for stage in stages.plain] == [["first"], ["second"]]
    assert stages.plain[1].graph.node[0].overload == "second"


def test_a_function_that_hides_an_op_of_onnx_is_called_in_every_stage(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { a = local.Relu(x) b = Neg(a) y = Relu(b) }",
        '<domain: "local", opset_import: ["" : 21]> Relu (p) => (q) { q = Abs(p) }',
    )
    stages = tried(proto, tmp_path, "b")
    assert [names(stage.functions) for stage in stages.plain] == [["Relu"], []]


def test_a_function_that_draws_random_numbers_is_no_constant(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { r = local.Noise() a = Add(x, r) b = Neg(a) y = Mul(b, r) }",
        '<domain: "local", opset_import: ["" : 21, "local" : 1]> Noise () => (q) { q = local.Draw() }',
        '<domain: "local", opset_import: ["" : 21]> Draw () => (q) '
        "{ q = RandomNormal <shape = [2, 4], seed = 2.0> () }",
    )
    assert "incomplete-cut" in [finding.code for finding in found(proto, tmp_path, "b")]
    graph = FORMAT.load(saved(proto, tmp_path / "noise.onnx"))
    assert bool(graph.node_volatile[0])
    assert not bool(graph.node_constant[0])


def test_a_function_of_weights_alone_is_a_constant(tmp_path: Path) -> None:
    proto = parsed(
        """g (float[2,4] x) => (float[2,4] y) <float[4] w = {1,2,3,4}>
        { k = local.Halved(w) a = Add(x, k) b = Neg(a) y = Mul(b, k) }""",
        '<domain: "local", opset_import: ["" : 21]> Halved (p) => (q) '
        "{ half = Constant <value_float = 0.5> () q = Mul(p, half) }",
    )
    stages = tried(proto, tmp_path, "b")
    assert stages.sent == [["b"], []]
    assert [names(stage.functions) for stage in stages.plain] == [["Halved"], ["Halved"]]


def test_types_behind_a_function_are_known(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (double[2,4] y) { a = local.Widened(x) b = Neg(a) y = Abs(b) }",
        '<domain: "local", opset_import: ["" : 21]> Widened (p) => (q) { q = Cast <to = 11> (p) }',
    )
    stages = tried(proto, tmp_path, "a")
    (entry,) = stages.manifest["stages"][0]["sends"][0]["tensors"]
    assert entry == {"name": "a", "dtype": "float64", "shape": [2, 4]}


def test_domains_that_no_function_defines_are_imported_in_every_stage(tmp_path: Path) -> None:
    proto = parsed(
        "g (float[2,4] x) => (float[2,4] y) { a = com.microsoft.Gelu(x) b = Neg(a) y = com.microsoft.Gelu(b) }",
        head='<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>',
    )
    proto.graph.value_info.append(helper.make_tensor_value_info("a", 1, [2, 4]))
    proto.graph.value_info.append(helper.make_tensor_value_info("b", 1, [2, 4]))
    stages = tried(proto, tmp_path, "b")
    for stage in (*stages.plain, *stages.sendrecv):
        assert [(opset.domain, opset.version) for opset in stage.opset_import] == [("", 17), ("com.microsoft", 1)]
