from __future__ import annotations

import pytest
import torch

from cutter_gui.core.errors import CutterError
from cutter_gui.fx.in_torch.allowed_calls import checked_method, function_of
from cutter_gui.fx.in_torch.serialize import target_name


@pytest.mark.parametrize(
    "name",
    [
        *("os.system", "builtins.eval", "eval", "operator.methodcaller", "math.nothing"),
        *("torch.load", "torch.save", "torch.hub.load", "torch.compile", "torch.from_file", "torch.frombuffer"),
        *(
            "torch.ops.load_library",
            "torch.ops.aten.from_file.default",
            "torch.ops.aten.from_file",
            "torch.ops.aten.save",
        ),
        *("torch.ops.aten.save.default", "torch.ops.debugprims.load_tensor.default", "torch.ops.aten.nothing.default"),
    ],
)
def test_a_document_may_not_call_anything_else(name: str) -> None:
    with pytest.raises(CutterError, match="may not call"):
        function_of(name)


def test_no_operator_that_takes_the_name_of_a_file_may_be_called() -> None:
    """Whichever torch is installed."""
    named = [
        schema.name.replace("::", ".")
        for schema in torch._C._jit_get_all_schemas()
        if any("file" in argument.name and "str" in str(argument.type) for argument in schema.arguments)
    ]
    assert "aten.from_file" in named
    for name in named:
        with pytest.raises(CutterError, match="may not call"):
            function_of(f"torch.ops.{name}")


@pytest.mark.parametrize(
    "function",
    [
        *(
            torch.relu,
            torch.relu_,
            torch.arange,
            torch.zeros,
            torch.full,
            torch.tensor,
            torch.einsum,
            torch.ops.aten.add.Tensor,
        ),
        *(torch.nn.functional.gelu, torch.nn.functional.hardsigmoid, torch.nn.functional.elu_, torch.fft.fftfreq),
        *(torch.linalg.norm, torch.special.expit, torch.sym_int, len, getattr),
    ],
)
def test_what_traced_code_calls_a_document_may_call(function: object) -> None:
    assert function_of(target_name(function)) is function


@pytest.mark.parametrize("name", ["__reduce_ex__", "_make_subclass", "numpy", "register_hook", "absent"])
def test_methods_that_are_none_of_a_tensor_for_graphs_may_not_be_called(name: str) -> None:
    assert checked_method("view") == "view"
    with pytest.raises(CutterError, match="may not call the method"):
        checked_method(name)
