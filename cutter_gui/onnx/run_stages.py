"""Running stages: the plain form one after the other, the Send/Recv form all at once.

In the Send/Recv form each stage has a thread of its own and its own session; a channel is a queue for each (source,
destination, tag). A thread takes what its Recvs wait for, runs, and hands on what its Sends send, checking counts and
element types on both sides. The first failure stops all.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.onnx.channels import ChannelEnd, DetachedStage
from cutter_gui.onnx.runtime_values import RuntimeValue
from cutter_gui.onnx.session import open_session, run_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_POLL_SECONDS = 0.05

Values = dict[str, RuntimeValue]


def run_plain(
    stages: Sequence[DetachedStage],
    feeds: Mapping[str, RuntimeValue],
    optimized: bool,
    started: Callable[[int], None] | None = None,
    watch: Callable[[str, RuntimeValue], None] | None = None,
) -> Values:
    """Runs plain stages in order.

    Args:
        stages: The stages.
        feeds: The model's inputs.
        optimized: Whether optimizations are on.
        started: Told the number of each stage as it starts.
        watch: Told every tensor that a stage hands out, in order.

    Returns:
        Every output of every stage, by name.

    Raises:
        CutterError: A stage reads what no earlier one made, or onnxruntime fails.
    """
    pool: Values = dict(feeds)
    for index, stage in enumerate(stages):
        if started is not None:
            started(index)
        session = open_session(stage.model, optimized)
        wanted = [value.name for value in session.get_outputs()]
        # A stage whose results nobody reads has no outputs, which the runtime would not run.
        made = run_session(session, wanted, _feeds(session, pool, index), stage.model.path) if wanted else {}
        for name, value in made.items():
            if watch is not None:
                watch(name, value)
        pool.update(made)
    return pool


def _feeds(session: InferenceSession, pool: Mapping[str, RuntimeValue], index: int) -> Values:
    feeds = {}
    for value in session.get_inputs():
        if value.name not in pool:
            raise CutterError(
                f"stage {index} reads {one_line(value.name, 80)}, which no earlier stage hands out",
                "plain form",
                "split the model again",
            )
        feeds[value.name] = pool[value.name]
    return feeds


@dataclass
class _Channels:
    """The queues between stages, and the flag that stops everybody."""

    queues: dict[tuple[int, int, int], queue.SimpleQueue[list[RuntimeValue]]] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def between(self, source: int, destination: int, tag: int) -> queue.SimpleQueue[list[RuntimeValue]]:
        with self.lock:
            return self.queues.setdefault((source, destination, tag), queue.SimpleQueue())

    def take(self, source: int, destination: int, tag: int) -> list[RuntimeValue]:
        """Waits for a message; raises `_Stopped` when another stage has failed."""
        channel = self.between(source, destination, tag)
        while not self.stopped.is_set():
            try:
                return channel.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
        raise _Stopped


class _Stopped(Exception):
    """Another stage has failed; its error is the one to report."""


def run_sendrecv(
    stages: Sequence[DetachedStage],
    feeds: Mapping[str, RuntimeValue],
    optimized: bool,
    own_sent: Mapping[str, Sequence[str]] | None = None,
) -> Values:
    """Runs Send/Recv stages all at once, one thread a stage.

    Args:
        stages: The stages, without their Send and Recv nodes; a stage's position is its rank.
        feeds: The model's inputs.
        optimized: Whether optimizations are on.
        own_sent: What the original's own Sends send, by their output signal: its names there, in order.

    Returns:
        The model's outputs, and what its own Sends send, by the original's names.

    Raises:
        CutterError: A Recv has no Send that answers it, types or counts disagree, or onnxruntime fails.
    """
    _check_pairs(stages)
    channels = _Channels()
    with ThreadPoolExecutor(max_workers=len(stages), thread_name_prefix="stage") as pool:
        futures = [
            pool.submit(_run_stage, rank, stage, feeds, channels, optimized, own_sent or {})
            for rank, stage in enumerate(stages)
        ]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        if any(future.exception() is not None for future in done):
            channels.stopped.set()
    errors = [future.exception() for future in futures]
    for error in errors:
        if error is not None and not isinstance(error, _Stopped):
            raise error
    outputs: Values = {}
    for future in futures:
        outputs.update(future.result())
    return outputs


def _check_pairs(stages: Sequence[DetachedStage]) -> None:
    """Every Send must be answered by one Recv with the same tag and types, or a stage would wait for ever."""
    sent = [(rank, end.peer, end.tag, end.element_types) for rank, stage in enumerate(stages) for end in stage.sends]
    received = [
        (end.peer, rank, end.tag, end.element_types) for rank, stage in enumerate(stages) for end in stage.receives
    ]
    alone = set(sent) ^ set(received)
    if alone or len(set(sent)) != len(sent) or len(set(received)) != len(received):
        source, destination, tag, _ = sorted(alone or sent)[0]
        raise CutterError(
            "Sends and Recvs do not pair up",
            f"stage {source} to stage {destination}, tag {tag}",
            "split the model again",
        )


def _run_stage(
    rank: int,
    stage: DetachedStage,
    feeds: Mapping[str, RuntimeValue],
    channels: _Channels,
    optimized: bool,
    own_sent: Mapping[str, Sequence[str]],
) -> Values:
    try:
        session = open_session(stage.model, optimized)
        pool = dict(feeds)
        for end in stage.receives:
            values = channels.take(end.peer, rank, end.tag)
            _check_values(values, end, f"Recv of stage {rank} from stage {end.peer}")
            pool.update(zip(end.tensors, values, strict=True))
        wanted = [*stage.outputs, *(name for end in (*stage.sends, *stage.own_sends) for name in end.tensors)]
        made = run_session(session, wanted, _feeds(session, pool, rank), stage.model.path) if wanted else {}
        for end in stage.sends:
            values = [made[name] for name in end.tensors]
            _check_values(values, end, f"Send of stage {rank} to stage {end.peer}")
            channels.between(rank, end.peer, end.tag).put(values)
        results = {name: made[name] for name in stage.outputs}
        for end in stage.own_sends:
            names = own_sent.get(end.signal, end.tensors)
            results.update(zip(names, (made[name] for name in end.tensors), strict=True))
        return results
    except BaseException:
        channels.stopped.set()
        raise


def _check_values(values: Sequence[RuntimeValue], end: ChannelEnd, where: str) -> None:
    found = tuple(0 if isinstance(value, dict) else value.element_type() for value in values)
    if found != end.element_types:
        raise CutterError(f"element_types {end.element_types} do not match {found}", where, "split the model again")
