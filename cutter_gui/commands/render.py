"""``cutter-gui render``: draws the model or its stages without a window, with the window's own painters."""

from __future__ import annotations

import argparse

from cutter_gui.commands.arguments import add_model, add_plan, path_argument, read_options, read_plan, read_types
from cutter_gui.commands.terminal import print_text, progress_shown
from cutter_gui.core.errors import CutterError
from cutter_gui.core.format import format_for
from cutter_gui.core.stages import assign_stages

_SUFFIXES = (".svg", ".png", ".pdf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_plan(parser, required=False)
    parser.add_argument("--out", type=path_argument, required=True, metavar="F", help="the picture: .svg, .png or .pdf")
    parser.add_argument("--view", choices=("model", "stages"), default="model", help="what to draw (default: model)")
    parser.add_argument(
        "--direction", choices=("TB", "LR"), default="TB", help="edges run top to bottom or left to right (default: TB)"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="colours (default: light)")
    parser.add_argument(
        "--scale",
        type=float,
        metavar="X",
        help="size of the picture, in parts where one file or page has no room (default: 1, a .png 2, less to fit)",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.out.suffix.lower() not in _SUFFIXES:
        raise CutterError(
            "the kind of picture cannot be told from the file name",
            str(arguments.out),
            f"give a file ending in {', '.join(_SUFFIXES)}",
        )
    with progress_shown() as progress:
        types = read_types(arguments.types)
        graph = format_for(arguments.model).load(
            arguments.model, lambda what, part: progress(what, part * 0.3), types, read_options(arguments)
        )
        staging = None
        if arguments.cuts is not None or arguments.cut:
            staging = assign_stages(graph, read_plan(arguments, graph)[0])
        elif arguments.view == "stages":
            raise CutterError("there are no stages without cuts", "--view stages", "give --cuts or --cut")
        from cutter_gui.layout import LayoutOptions, lay_out

        scene = lay_out(
            graph, LayoutOptions(direction=arguments.direction), lambda what, part: progress(what, 0.3 + part * 0.6)
        )
        progress("Drawing", 0.9)
        from cutter_gui.gui.offscreen import drawing_application

        drawing_application()
        from cutter_gui.gui.export import export_picture

        written = export_picture(
            arguments.out,
            graph,
            scene,
            staging,
            theme=arguments.theme,
            view=arguments.view,
            scale=arguments.scale,
            title=arguments.model.name,
        )
    reduced = f", scaled down to {written.scale:.2g}" if written.reduced else ""
    size = f"{written.width:.0f} x {written.height:.0f}{reduced}"
    if len(written.files) > 1:
        print_text(f"{written.files[0]} to {written.files[-1].name}: {len(written.files)} files, {size} in all")
    elif written.pages > 1:
        print_text(f"{arguments.out}: {written.pages} pages, {size} in all")
    else:
        print_text(f"{arguments.out}: {size}")
    return 0
