"""Which operators change what they read, which return its storage, and which draw random numbers.

torch's operators state this in their schemas, but those come with torch, and a file can be looked at without it. The
tables here hold what cannot be told from a name; ``tests/fx/test_op_effects.py`` compares them with every schema of
the torch that is installed. What no schema states is here too: operators that return their input when there is nothing
to do (``dropout`` in evaluation), and statistics that training updates (``batch_norm``).

Left out: operators of other namespaces whose names do not tell. They count as changing nothing, unless they return
nothing at all, in which case they can only be there for what they change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VIEWS = _names(
    """
    _autocast_to_full_precision _autocast_to_reduced_precision _conj _fw_primal _grad_sum_to_size _indices
    _make_dual _ncf_unsqueeze _ncf_view _neg_view _nested_get_values _nested_view_from_buffer
    _nested_view_from_jagged _reshape_alias _sparse_broadcast_to _unpack_dual _unsafe_view _unwrap_optional _values
    adjoint alias as_strided as_tensor atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to ccol_indices
    chunk coalesce col_indices conj contiguous cpu crow_indices cuda detach detach_ diagonal dsplit einsum expand
    expand_as flatten getattr hsplit imag indices lift_fresh linalg_diagonal mH mT matrix_H meshgrid moveaxis
    movedim narrow numpy_T permute pin_memory positive ravel real requires_grad_ reshape reshape_as resolve_conj
    resolve_neg row_indices select slice slice_inverse split split_copy split_with_sizes squeeze sum_to_size
    swapaxes swapdims t tensor_split to to_dense transpose type_as unbind unflatten unfold unsafe_chunk unsafe_split
    unsafe_split_with_sizes unsqueeze values view view_as view_as_complex view_as_real vsplit double float half
    bfloat16 int long short bool type T H data Flatten Unflatten Identity
    """
)
"""Operators, tensor methods and module types whose value may share the storage of what they read."""

DROPOUTS = _names(
    """
    dropout feature_dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d Dropout Dropout1d
    Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout
    """
)
"""Random in training; in evaluation they return what they were given."""

RANDOM = _names(
    """
    _cudnn_rnn _efficient_attention_forward _flash_attention_forward _flash_attention_forward_no_dropout_inplace
    _fused_dropout _scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention
    _scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_fused_attention_overrideable _scaled_dot_product_attention_math_for_mps
    _scaled_dot_product_cudnn_attention_backward _scaled_dot_product_efficient_attention_backward _standard_gamma
    bernoulli bernoulli_ binomial cauchy cauchy_ exponential exponential_ geometric geometric_ log_normal
    log_normal_ miopen_rnn multinomial native_dropout normal normal_ normal_functional poisson rand rand_like randint
    randint_like randn randn_like random random_ randperm rrelu rrelu_ rrelu_with_noise rrelu_with_noise_
    rrelu_with_noise_functional uniform uniform_ _sample_dirichlet
    """
)
"""Operators that draw random numbers, whatever their arguments."""

RANDOM_IN_PART = {
    "scaled_dot_product_attention": "dropout_p",
    "_scaled_dot_product_attention_math": "dropout_p",
    "lstm": "dropout",
    "gru": "dropout",
    "rnn_relu": "dropout",
    "rnn_tanh": "dropout",
    "multi_head_attention_forward": "dropout_p",
}
"""Operators that draw random numbers when this argument is not zero."""

CHANGES_ONLY_BOOKKEEPING = frozenset({"detach_", "requires_grad_", "retain_grad"})
"""Operators with the name of one that changes its input, though the values stay."""

CHANGES = {
    "_amp_foreach_non_finite_check_and_unscale_": ("self", "found_inf"),
    "_amp_update_scale_": ("self", "growth_tracker"),
    "_fused_adagrad_": ("self", "grads", "state_sums", "state_steps"),
    "_fused_adam_": ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"),
    "_fused_adamw_": ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"),
    "_fused_sgd_": ("self", "grads", "momentum_buffer_list"),
    "_cummax_helper": ("values", "indices"),
    "_cummin_helper": ("values", "indices"),
    "_batch_norm_with_update": ("running_mean", "running_var"),
    "_fused_moving_avg_obs_fq_helper": ("running_min", "running_max", "scale", "zero_point"),
    "fused_moving_avg_obs_fake_quant": ("running_min", "running_max", "scale", "zero_point"),
    "rrelu_with_noise": ("noise",),
    "rrelu_with_noise_": ("self", "noise"),
    "set_data": ("self",),
    "setitem": ("a",),
    "iadd": ("a",),
    "isub": ("a",),
    "imul": ("a",),
    "itruediv": ("a",),
    "ifloordiv": ("a",),
    "imod": ("a",),
    "imatmul": ("a",),
    "ipow": ("a",),
    "iand": ("a",),
    "ior": ("a",),
    "ixor": ("a",),
    "ilshift": ("a",),
    "irshift": ("a",),
}
"""Arguments that are changed, for operators where that is not the first one or the name does not tell."""

_IN_PLACE_OPERATORS = _names(
    """
    __iadd__ __isub__ __imul__ __ior__ __iand__ __ixor__ __ilshift__ __irshift__
    """
)

CHANGES_IN_TRAINING = {
    "batch_norm": ("training", ("running_mean", "running_var")),
    "native_batch_norm": ("training", ("running_mean", "running_var")),
    "_native_batch_norm_legit": ("training", ("running_mean", "running_var")),
    "cudnn_batch_norm": ("training", ("running_mean", "running_var")),
    "miopen_batch_norm": ("training", ("running_mean", "running_var")),
    "_batch_norm_impl_index": ("training", ("running_mean", "running_var")),
    "instance_norm": ("use_input_stats", ("running_mean", "running_var")),
}
"""Statistics that are updated when an argument is true."""


@dataclass(frozen=True)
class Effects:
    """What an operator does besides computing its value.

    Attributes:
        changed: Names of the arguments that it changes.
        shared: Names of the arguments whose storage its value may share.
        random: Whether it draws random numbers.
    """

    changed: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    random: bool = False


def base_name(target: str) -> str:
    """Returns an operator's bare name: ``view`` for ``torch.ops.aten.view.default``, ``aten.view`` and ``view``."""
    parts = target.removeprefix("torch.ops.").split(".")
    if len(parts) >= 3 and not target.startswith(("torch.nn", "torch._C", "torch.functional")):
        return parts[1]
    return parts[-1]


def effects_of(target: str, arguments: Mapping[str, Any], returns_nothing: bool = False) -> Effects:
    """Returns what an operator does besides computing its value.

    Args:
        target: The operator, method, function or module type.
        arguments: Its arguments by name, in order; constants as such, anything else for values.
        returns_nothing: Whether it has no value.
    """
    name = base_name(target)
    first = next(iter(arguments), "")
    changed = _changed(target, name, arguments, first, returns_nothing)
    random = name in RANDOM or bool(arguments.get(RANDOM_IN_PART.get(name, ""), 0))
    shared = changed if name.endswith("_") or not _updates_state(name) else ()
    if name in DROPOUTS:
        random = arguments.get("train", arguments.get("training", True)) is not False
        shared = changed if random else (first,)
    elif name in VIEWS:
        shared = tuple(arguments)
    return Effects(changed, shared, random)


def _updates_state(name: str) -> bool:
    """Whether what an operator changes is a state beside its value, not the value itself."""
    return name in CHANGES_IN_TRAINING or (name in CHANGES and "self" not in CHANGES[name] and "a" not in CHANGES[name])


def _changed(
    target: str, name: str, arguments: Mapping[str, Any], first: str, returns_nothing: bool
) -> tuple[str, ...]:
    if name in CHANGES_ONLY_BOOKKEEPING or name.startswith(("_assert", "sym_constrain", "_check")):
        return ()
    if name in CHANGES:
        named = tuple(argument for argument in CHANGES[name] if argument in arguments)
        return named or (first,)
    if name in CHANGES_IN_TRAINING:
        switch, statistics = CHANGES_IN_TRAINING[name]
        return statistics if arguments.get(switch, True) is not False else ()
    if arguments.get("inplace") is True:
        return (first,)
    written = tuple(argument for argument in arguments if argument == "out" or argument.startswith("out_"))
    if written or target.endswith((".out", "_out")):
        return written or tuple(arguments)[-1:]
    if name in _IN_PLACE_OPERATORS or (name.endswith("_") and not name.endswith("__")):
        return (first,)
    if returns_nothing and "aten" not in target:
        return tuple(arguments)
    return ()
