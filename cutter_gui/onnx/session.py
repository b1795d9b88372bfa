"""onnxruntime sessions as verification needs them: the same bits every time, weights read by the runtime itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onnx import GraphProto, ModelProto

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.onnx.bodies import bodies
from cutter_gui.onnx.model import OnnxModel, referring
from cutter_gui.onnx.runtime_values import RuntimeValue, runtime_value, type_proto_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_FOLDER_KEY = "session.model_external_initializers_file_folder_path"
_SPIN_KEY = "session.intra_op.allow_spinning"
_FATAL_ONLY = 4


def run_error_types() -> tuple[type[Exception], ...]:
    """Returns what onnxruntime raises for a model or an input that it does not take."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.EPFail,
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoModel,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
        RuntimeError,
        ValueError,
    )


def open_session(model: OnnxModel, optimized: bool = False) -> InferenceSession:
    """Makes a session of a model as it is in memory; its weights are read from their files by the runtime.

    Args:
        model: The model; weights that stand in its file are referred to there.
        optimized: Whether graph optimizations are on; off, the whole and its stages give the same bits.

    Raises:
        CutterError: onnxruntime does not take the model.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimized else level.ORT_DISABLE_ALL
    options.log_severity_level = _FATAL_ONLY
    onnxruntime.set_default_logger_severity(_FATAL_ONLY)  # its allocator speaks through this one
    options.add_session_config_entry(_SPIN_KEY, "0")
    options.add_session_config_entry(_FOLDER_KEY, str(model.path.parent.resolve()))
    data = _with_distinct_node_names(referring(model)).SerializeToString()
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except run_error_types() as error:
        raise CutterError(
            f"onnxruntime does not take the model: {first_line(error)}",
            str(model.path),
            "it cannot be verified by running; the stages are written all the same",
        ) from None


def _with_distinct_node_names(proto: ModelProto) -> ModelProto:
    """Returns the model without repeated node names, which onnxruntime refuses though nothing depends on them."""
    if not _repeats_names(proto.graph):
        return proto
    renamed = ModelProto()
    renamed.CopyFrom(proto)
    _clear_names(renamed.graph)
    return renamed


def _repeats_names(graph: GraphProto) -> bool:
    names = [node.name for node in graph.node if node.name]
    return len(set(names)) < len(names) or any(_repeats_names(body) for node in graph.node for body in bodies(node))


def _clear_names(graph: GraphProto) -> None:
    for node in graph.node:
        node.ClearField("name")
        for body in bodies(node):
            _clear_names(body)


def run_session(
    session: InferenceSession, outputs: Sequence[str], feeds: Mapping[str, RuntimeValue], path: Path
) -> dict[str, RuntimeValue]:
    """Runs a session once.

    Args:
        session: The session.
        outputs: Names of the outputs wanted; a name may repeat.
        feeds: Values of the inputs, by name.
        path: The file it came from, for messages.

    Raises:
        CutterError: onnxruntime fails, which it says why.
    """
    wanted = list(dict.fromkeys(outputs))
    # The runtime crashes when it is handed an optional that holds nothing; one that it is not handed holds nothing.
    present = {name: value for name, value in feeds.items() if isinstance(value, dict) or value.has_value()}
    values: Sequence[RuntimeValue]
    try:
        if any(isinstance(value, dict) for value in present.values()):
            values = _run_with_maps(session, wanted, present)
        else:
            values = session.run_with_ort_values(wanted, present)
    except run_error_types() as error:
        raise CutterError(
            f"onnxruntime cannot run the model: {first_line(error)}", str(path), "give inputs that fit with --inputs"
        ) from None
    return dict(zip(wanted, values, strict=True))


def _run_with_maps(
    session: InferenceSession, wanted: list[str], feeds: Mapping[str, RuntimeValue]
) -> list[RuntimeValue]:
    """Runs a session that takes maps, which the runtime accepts only where it hands out Python's values."""
    kinds = {output.name: type_proto_of(output.type) for output in session.get_outputs()}
    return [
        runtime_value(value, kinds[name]) for name, value in zip(wanted, session.run(wanted, dict(feeds)), strict=True)
    ]


def first_line(error: BaseException) -> str:
    text = str(error).strip()
    return one_line(text.splitlines()[0] if text else type(error).__name__, 300)
