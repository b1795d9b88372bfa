"""The command line: ``cutter-gui`` opens the window, ``cutter-gui COMMAND`` works without one.

Exit codes: 0 done; 1 the answer is no; 2 bad usage or unreadable input; 130 interrupted. A failure is one line on
standard error, ``error: <what> (<where>): <what to do>``; ``--debug`` shows the traceback too.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from cutter_gui import __version__
from cutter_gui.core.errors import Cancelled, CutterError, one_line

_INTERRUPTED = 130
_OBJECTS_BEFORE_COLLECTION = 50_000
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")

COMMANDS = {
    "info": "nodes, tensors, inputs, outputs, weights, opsets of a model",
    "check": "the stages that follow from a plan, and what is wrong with it",
    "split": "writes the stages",
    "verify": "runs the original and the stages and compares every output",
    "rewrite": "finds patterns in a torch.fx model and replaces them",
    "render": "draws the model or its stages without a window",
    "demo": "takes the bundled model through the whole job",
}


class _UsageError(Exception):
    """Arguments that cannot be understood."""


class _Parser(argparse.ArgumentParser):
    """Reports bad usage as one line, like every other failure."""

    def parse_known_args(  # type: ignore[override]  # of the overloads only this one is called
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuses ``--option=--``, which argparse before Python 3.13 reads as a list of no values."""
        for word in args or ():
            if re.fullmatch(r"--[a-z-]+=--", word):
                self.error(f"argument {word[:-3]}: expected one argument")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"error: {one_line(message)} ({self.prog}): see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever started us
            setattr(sys, stream, Path(os.devnull).open("w"))  # noqa: SIM115  # for as long as the program runs
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        return _dispatch(words)
    except _UsageError as error:
        return _fail(str(error), 2)
    except CutterError as error:
        if debug:
            traceback.print_exc()
        return _fail(f"error: {error}", error.exit_code)
    except (KeyboardInterrupt, Cancelled):
        return _fail("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing more can be said there.
        _drop_output(sys.stdout)
        return _INTERRUPTED
    except OSError as error:
        if debug:
            traceback.print_exc()
        if not error.filename:
            _drop_output(sys.stdout)
        where = one_line(str(error.filename or "standard output"))
        return _fail(f"error: {one_line(error.strerror or str(error))} ({where}): check the place and the disk", 2)
    except MemoryError:
        return _fail("error: not enough memory (this machine): close other programs, or use a larger machine", 2)
    except Exception as error:  # noqa: BLE001  # the last line of defence: a user never sees a traceback unasked
        if debug:
            traceback.print_exc()
        what = one_line(f"{type(error).__name__}: {error}")
        return _fail(
            f"error: an internal fault, {what} (cutter-gui {__version__}): run again with --debug, report it", 2
        )


def _drop_output(stream: TextIO) -> None:
    """Sends what is still to be written to nowhere, so that no complaint follows when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail(line: str, code: int) -> int:
    try:
        print(line.encode("utf-8", "backslashreplace").decode("utf-8"), file=sys.stderr, flush=True)
    except OSError:  # a full disk behind standard error; the code still says it
        _drop_output(sys.stderr)
    return code


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        return _run_command(words[0], words[1:])
    return _open_window(words)


def _run_command(name: str, words: list[str]) -> int:
    signal.signal(signal.SIGTERM, _interrupt)
    command = importlib.import_module(f"cutter_gui.commands.{name}")
    parser = _Parser(prog=f"cutter-gui {name}", description=f"{COMMANDS[name]}.", allow_abbrev=False)
    command.add_arguments(parser)
    parser.add_argument("--debug", action="store_true", help="show where an error comes from")
    # What the imports have made stays for good; a command is short, so looking among that for cyclic garbage over and
    # over costs a tenth of it and finds nothing. Garbage of the command itself is still collected, only less often.
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    code: int = command.run(parser.parse_args(words))
    sys.stdout.flush()
    return code


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM unwinds like Ctrl+C, so that what was half-written is removed."""
    raise KeyboardInterrupt


def _open_window(words: list[str]) -> int:
    listing = "\n".join(f"  {name:8} {what}" for name, what in COMMANDS.items())
    parser = _Parser(
        prog="cutter-gui",
        description="Opens the window, with a model and a cut spec where they are given.",
        epilog=f"commands that work without a window:\n{listing}\n\ncutter-gui COMMAND --help tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a model, a cut spec, or both")
    parser.add_argument("--cuts", metavar="C", help="the cut spec to open over the model")
    parser.add_argument("--version", action="version", version=f"cutter-gui {__version__}")
    parser.add_argument("--debug", action="store_true", help="show where an error comes from")
    arguments = parser.parse_args(words)
    for word in arguments.paths:
        if not word or (re.fullmatch(r"[\w-]+", word) and not Path(word).exists()):
            shown = one_line(word, 80) or "''"
            raise CutterError("this is neither a command nor a file", shown, "see cutter-gui --help")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in _DISPLAYS):
        raise CutterError(
            "there is no display to open a window on",
            "DISPLAY and WAYLAND_DISPLAY are not set",
            "start it on a desktop, or use a command that works without a window (see cutter-gui --help)",
        )
    # Loading Qt makes thousands of objects that stay; looking among them for garbage costs a tenth of the start.
    gc.disable()
    from cutter_gui.gui.app import run

    return run(arguments.paths, arguments.cuts)
