from __future__ import annotations

import pytest
import torch

from cutter_gui.fx.op_effects import CHANGES_ONLY_BOOKKEEPING, DROPOUTS, RANDOM, RANDOM_IN_PART, base_name, effects_of

NOT_IN_GRAPHS = frozenset(
    {
        *("manual_seed", "seed", "setdefault", "pop", "insert", "Delete", "clear", "_set_item", "append", "update"),
        *("record_stream", "reverse", "popitem", "remove", "extend", "sort", "as_tensor", "select", "slice", "values"),
        "_test_autograd_multiple_dispatch_view",
    }
)
"""Of TorchScript's lists, dictionaries and streams, and of torch's own tests: no exported graph has them."""


def schemas() -> list[torch.FunctionSchema]:
    return [
        schema
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.startswith("aten::")
        and any("Tensor" in str(argument.type) for argument in schema.arguments)
        and not any(str(argument.type).startswith("Dict") for argument in schema.arguments)
    ]


def target_of(schema: torch.FunctionSchema) -> str:
    return f"torch.ops.aten.{schema.name.removeprefix('aten::')}.{schema.overload_name or 'default'}"


def test_operators_that_change_an_argument_are_known_to() -> None:
    unknown = []
    for schema in schemas():
        name = schema.name.removeprefix("aten::")
        written = {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write}
        outs = {a.name for a in schema.arguments if a.is_out}
        if not written or outs or name in NOT_IN_GRAPHS or name in CHANGES_ONLY_BOOKKEEPING:
            continue
        arguments = dict.fromkeys(a.name for a in schema.arguments)
        if not written <= set(effects_of(target_of(schema), arguments).changed):
            unknown.append((target_of(schema), written))
    assert unknown == []


def test_operators_that_return_storage_they_are_given_are_known_to() -> None:
    unknown = []
    for schema in schemas():
        name = schema.name.removeprefix("aten::")
        if name in NOT_IN_GRAPHS or any(a.is_out for a in schema.arguments):
            continue
        if not any(result.alias_info is not None for result in schema.returns):
            continue
        given = [a.name for a in schema.arguments if a.alias_info is not None]
        arguments = dict.fromkeys(a.name for a in schema.arguments)
        if not set(given[:1]) <= set(effects_of(target_of(schema), arguments).shared):
            unknown.append(target_of(schema))
    assert unknown == []


def test_operators_that_draw_random_numbers_are_known_to() -> None:
    unknown = []
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if not isinstance(packet, torch._ops.OpOverloadPacket):
            continue
        seeded = any(
            torch.Tag.nondeterministic_seeded in getattr(packet, overload).tags for overload in packet.overloads()
        )
        if seeded and name not in RANDOM and name not in RANDOM_IN_PART and name not in DROPOUTS:
            unknown.append(name)
    assert unknown == []


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("torch.ops.aten.view.default", "view"),
        ("torch.nn.functional.relu", "relu"),
        ("torch.nn.modules.dropout.Dropout", "Dropout"),
        ("_operator.iadd", "iadd"),
        ("relu_", "relu_"),
    ],
)
def test_the_bare_name_is_found(target: str, name: str) -> None:
    assert base_name(target) == name


def test_batch_norm_changes_its_statistics_in_training_only() -> None:
    arguments = {"input": None, "running_mean": None, "running_var": None, "training": True}
    target = "torch.ops.aten.batch_norm.default"
    assert effects_of(target, arguments).changed == ("running_mean", "running_var")
    assert effects_of(target, arguments).shared == ()
    assert effects_of(target, {**arguments, "training": False}).changed == ()


def test_dropout_is_random_in_training_and_hands_its_input_through_in_evaluation() -> None:
    target = "torch.ops.aten.dropout.default"
    training = effects_of(target, {"input": None, "p": 0.1, "train": True})
    assert training.random
    assert training.shared == ()
    evaluation = effects_of(target, {"input": None, "p": 0.1, "train": False})
    assert not evaluation.random
    assert evaluation.shared == ("input",)


def test_attention_is_random_only_with_dropout() -> None:
    target = "torch.ops.aten.scaled_dot_product_attention.default"
    assert not effects_of(target, {"query": None, "dropout_p": 0.0}).random
    assert effects_of(target, {"query": None, "dropout_p": 0.1}).random


def test_detaching_in_place_changes_no_value() -> None:
    effects = effects_of("torch.ops.aten.detach_.default", {"self": None})
    assert effects.changed == ()
    assert effects.shared == ("self",)


def test_an_unknown_operator_that_returns_nothing_is_there_for_what_it_changes() -> None:
    assert effects_of("torch.ops.mine.write.default", {"to": None, "what": None}, returns_nothing=True).changed == (
        "to",
        "what",
    )
    assert effects_of("torch.ops.aten._assert_async.msg", {"self": None}, returns_nothing=True).changed == ()
