"""``cutter-gui demo``: the bundled model through the whole job, leaving verified stages and pictures."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from cutter_gui.commands.arguments import path_argument
from cutter_gui.commands.check import print_stages
from cutter_gui.commands.terminal import print_text, progress_shown
from cutter_gui.commands.verify import print_report
from cutter_gui.core.contents import stage_contents
from cutter_gui.core.format import SplitRequest, VerifyRequest, format_for
from cutter_gui.core.spec import read_spec
from cutter_gui.core.stages import assign_stages
from cutter_gui.core.units import bytes_text
from cutter_gui.resource_files import resource

_WINDOW = (1440, 900)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=path_argument, default=Path("demo-output"), metavar="DIR", help="where to (default: demo-output)"
    )


def run(arguments: argparse.Namespace) -> int:
    model, cuts = resource("models", "bert_small.onnx"), resource("models", "bert_small.cuts.yaml")
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    model_format = format_for(model)
    with progress_shown() as progress:
        graph = model_format.load(model)
        staging = assign_stages(graph, read_spec(cuts).plan)
        stages = out / "stages"
        result = model_format.split(SplitRequest(model, staging.plan, stages, force=True), progress)
        report = model_format.verify(VerifyRequest(stages), progress)
    print_text(f"model   {model.name}, {graph.node_count} nodes, cut as {cuts.name} says")
    print_stages(staging, stage_contents(staging))
    print_text(f"stages  {stages}: {len(result.files)} files, {bytes_text(result.bytes_written)}")
    print_report(report)
    from cutter_gui.gui.offscreen import drawing_application
    from cutter_gui.layout import LayoutOptions, lay_out

    app = drawing_application()
    from cutter_gui.gui.export import export_picture
    from cutter_gui.gui.window_picture import save_window_pictures

    scene = lay_out(graph, LayoutOptions())
    export_picture(out / "graph.svg", graph, scene, staging, theme="light", view="model", scale=1.0)
    export_picture(out / "graph.png", graph, scene, staging, theme="light", view="model", scale=2.0)
    export_picture(out / "stages.png", graph, scene, staging, theme="light", view="stages", scale=2.0)
    windows = {mode: out / f"window-{mode}.png" for mode in ("light", "dark")}
    with tempfile.TemporaryDirectory() as scratch:
        save_window_pictures(app, [model, cuts], _WINDOW, windows, Path(scratch))
    print_text(f"pictures  {out}: graph.svg, graph.png, stages.png, {', '.join(p.name for p in windows.values())}")
    return 0 if report.accepted else 1
