"""The process that runs code from a file: loads, traces, splits and verifies what the user has said to trust.

Started by `cutter_gui.fx.child` only. Whatever the code prints goes to standard error, so that standard output carries
nothing but messages.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from cutter_gui.core.errors import CutterError, one_line
from cutter_gui.core.foreign_code import require_agreed
from cutter_gui.core.format import LoadOptions, Progress, TypeHint

Task = Callable[[Mapping[str, Any], Progress], dict[str, Any]]


def main() -> None:
    """Reads one request, runs it and writes the answer."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    request = json.loads(sys.stdin.readline())
    # Code that asks for input finds none, rather than waiting for what nobody can type.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    source = one_line(str(request.get("source", "")), 200)

    def progress(what: str, fraction: float) -> None:
        _send(out, {"progress": [what, fraction]})

    try:
        _require_agreed(request)
        answer: dict[str, Any] = {"result": TASKS[request["task"]](request, progress)}
    except CutterError as error:
        answer = {"error": _told(error)}
    except MemoryError:
        answer = _failure("not enough memory", source, "use a larger machine")
    except SystemExit as error:
        said = "" if error.code is None else one_line(" ".join(str(error.code).split()), 200)
        answer = _failure(f"the model's code ends the program, sys.exit({said})", source, "let it return instead")
    except Exception as error:  # noqa: BLE001  # what is left is a fault of ours or of the model's code
        import traceback

        traceback.print_exc()
        answer = _failure(
            f"an internal fault, {one_line(f'{type(error).__name__}: {error}', 200)}", source, "report it"
        )
    except BaseException as error:  # noqa: BLE001  # what only code that is not ours raises, KeyboardInterrupt among it
        what = one_line(f"{type(error).__name__}: {error}", 200)
        answer = _failure(f"the model's code ends in {what}", source, "let it return instead")
    _send(out, answer)
    out.close()
    sys.stderr.flush()
    # Threads that the model's code started must not keep the process.
    os._exit(0)


def _send(out: IO[str], message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _failure(what: str, where: str, remedy: str) -> dict[str, Any]:
    return {"error": {"what": what, "where": where, "remedy": remedy, "exit_code": 2}}


def _require_agreed(request: Mapping[str, Any]) -> None:
    """Refuses files that are not those whose code the user said may run."""
    require_agreed(tuple((file, digest) for file, digest in request.get("agreed", ())))


def _told(error: CutterError) -> dict[str, Any]:
    return {"what": error.what, "where": error.where, "remedy": error.remedy, "exit_code": error.exit_code}


def _options(request: Mapping[str, Any]) -> LoadOptions:
    return LoadOptions(True, request.get("trace", "export"), tuple(request.get("dynamic", ())))


def _types(request: Mapping[str, Any]) -> dict[str, TypeHint]:
    return {
        name: TypeHint(dtype, None if shape is None else tuple(shape))
        for name, (dtype, shape) in request.get("types", {}).items()
    }


def draft(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Opens a model and returns its draft."""
    progress("Loading torch", 0.1)
    from cutter_gui.fx.in_torch.opening import open_program
    from cutter_gui.fx.in_torch.program_draft import draft_of
    from cutter_gui.fx.source import source_of

    progress("Tracing", 0.3)
    _require_agreed(request)
    program = open_program(source_of(request["source"]), _options(request), _types(request))
    return {"draft": draft_of(program).as_json()}


def split(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Opens a model and writes its stages."""
    progress("Loading torch", 0.1)
    from cutter_gui.fx.in_torch.opening import open_program
    from cutter_gui.fx.in_torch.write_stages import write_stages
    from cutter_gui.fx.source import source_of

    progress("Loading the model", 0.2)
    _require_agreed(request)
    program = open_program(source_of(request["source"]), _options(request), _types(request))
    return write_stages(program, request, lambda what, part: progress(what, 0.3 + 0.7 * part))


def verify(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Runs a model and its stages and compares them."""
    progress("Loading torch", 0.1)
    from cutter_gui.fx.in_torch.run_verify import verify_folder

    _require_agreed(request)
    return verify_folder(
        Path(request["directory"]),
        request["source"],
        _options(request),
        {**request, "types": _types(request)},
        lambda what, part: progress(what, 0.2 + 0.8 * part),
    )


def rewrite(request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Applies rules to a model."""
    progress("Loading torch", 0.1)
    from cutter_gui.fx.in_torch.rules import rewrite_model

    _require_agreed(request)
    return rewrite_model({**request, "types": _types(request)}, _options(request), progress)


TASKS: dict[str, Task] = {"draft": draft, "split": split, "verify": verify, "rewrite": rewrite}
