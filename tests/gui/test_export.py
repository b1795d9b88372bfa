"""Exported pictures."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter

from cutter_gui.core.build import GraphBuilder
from cutter_gui.core.errors import CutterError
from cutter_gui.core.graph import Graph
from cutter_gui.core.plan import Cut, CutEdge, Plan
from cutter_gui.core.stages import assign_stages
from cutter_gui.gui import export_sizes
from cutter_gui.gui.export import export_picture
from cutter_gui.gui.export_sizes import PNG_SIDE, TILES_AT_MOST, tiling
from cutter_gui.gui.palette import DARK, STAGES
from cutter_gui.layout import LayoutOptions, lay_out

pytestmark = pytest.mark.usefixtures("qapp")


def chain(length: int) -> Graph:
    builder = GraphBuilder("onnx")
    builder.add_input("t0")
    for number in range(length):
        builder.add_node("Relu", [f"t{number}"], [f"t{number + 1}"], name='<b>&"name')
    builder.add_output(f"t{length}")
    return builder.build()


PLAN = Plan((Cut((CutEdge("t2"),)),))


def export(path: Path, length: int = 4, **options: object):
    graph = chain(length)
    scene = lay_out(graph, LayoutOptions(engine="layered"))
    return export_picture(path, graph, scene, assign_stages(graph, PLAN), **options)


def test_a_png_has_the_size_told_and_the_colours_of_the_stages(tmp_path: Path) -> None:
    told = export(tmp_path / "a.png", scale=1.0)
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (told.width, told.height)
    seen = {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(0, image.height(), 3)}
    assert {STAGES[0], STAGES[1]} <= seen


def test_twice_the_scale_is_twice_the_pixels(tmp_path: Path) -> None:
    one, two = export(tmp_path / "a.png", scale=1.0), export(tmp_path / "b.png", scale=2.0)
    assert two.height == pytest.approx(2 * one.height, abs=2)


def test_dark_is_dark(tmp_path: Path) -> None:
    export(tmp_path / "a.png", theme="dark", scale=1.0)
    assert QImage(str(tmp_path / "a.png")).pixelColor(0, 0).name().upper() == DARK.canvas


def test_an_svg_holds_every_node_the_title_and_the_legend_as_text(tmp_path: Path) -> None:
    export(tmp_path / "a.svg", title="model <1> & more")
    text = " ".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert text.count("Relu") == 4
    for part in ("model <1> & more", "2 nodes", "Cut 0", '<b>&"name', "t0"):
        assert part in text


def test_a_pdf_is_one_page(tmp_path: Path) -> None:
    export(tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert b"/Count 1" in data


def test_nothing_of_the_graph_or_its_cuts_is_cut_off(tmp_path: Path) -> None:
    export(tmp_path / "a.png", scale=1.0)
    image = QImage(str(tmp_path / "a.png"))
    ground = image.pixelColor(0, 0)
    for x in range(image.width()):
        assert image.pixelColor(x, image.height() - 1) == ground
    for y in range(image.height()):
        assert image.pixelColor(image.width() - 1, y) == image.pixelColor(0, y) == ground


def test_the_stages_view_shows_nodes_weights_and_what_is_sent(tmp_path: Path) -> None:
    export(tmp_path / "a.svg", view="stages", title="stages")
    text = " ".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    for part in ("2 nodes", "weights 0 B", "Send 0", "Recv 0", "to rank 1 · tag 0", "1 tensor", "t2", "t0", "t4"):
        assert part in text


def joined(files: tuple[Path, ...], width: int, height: int) -> QImage:
    """Returns the picture that the parts of a PNG make, put together as their names say."""
    whole = QImage(width, height, QImage.Format.Format_RGB32)
    painter, top = QPainter(whole), 0
    rows: dict[int, list[QImage]] = {}
    for file in files:
        rows.setdefault(int(file.stem.split("_")[-2]), []).append(QImage(str(file)))
    for row in rows.values():
        left = 0
        for image in row:
            painter.drawImage(left, top, image)
            left += image.width()
        assert left == width
        top += row[0].height()
    painter.end()
    assert top == height
    return whole


def test_a_png_too_large_for_one_file_is_divided_and_the_parts_are_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = export(tmp_path / "whole.png", scale=1.5)
    assert whole.files == (tmp_path / "whole.png",)
    monkeypatch.setattr(export_sizes, "PNG_SIDE", 301)
    parts = export(tmp_path / "a.png", scale=1.5)
    assert len(parts.files) == 9
    assert parts.files[0].name == "a_1_1.png"
    assert not parts.reduced
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*(p.name for p in parts.files), "whole.png"])
    one, put_together = QImage(str(tmp_path / "whole.png")), joined(parts.files, parts.width, parts.height)
    assert one.size() == put_together.size()
    differ = sum(
        one.pixel(x, y) != put_together.pixel(x, y) for x in range(one.width()) for y in range(0, one.height(), 2)
    )
    assert differ < one.width() * one.height() / 2 * 0.002  # smoothed edges of text differ by a shade where it is cut


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
@pytest.mark.parametrize("size", [(300.0, 90_000.0), (90_000.0, 80_000.0), (10.0, 10.0)])
def test_parts_fit_their_format_and_cover_the_whole_once(suffix: str, size: tuple[float, float]) -> None:
    tiles = tiling(*size, 1.3, suffix)
    parts = tiles.parts()
    assert len(parts) == tiles.count
    assert sum(width * height for _, _, width, height in parts) == tiles.width * tiles.height
    longest = PNG_SIDE if suffix == ".png" else 14_400
    assert all(0 < width <= longest and 0 < height <= longest for _, _, width, height in parts)
    if suffix == ".png":
        assert all(width * height <= 200_000_000 for _, _, width, height in parts)


def test_a_pdf_too_large_for_one_page_has_several(tmp_path: Path) -> None:
    told = export(tmp_path / "a.pdf", length=220, scale=1.5)
    assert told.pages > 1
    assert f"/Count {told.pages}".encode() in (tmp_path / "a.pdf").read_bytes()


def test_more_parts_than_anyone_wants_are_refused_with_a_scale_that_works(tmp_path: Path) -> None:
    with pytest.raises(CutterError, match="parts") as caught:
        export(tmp_path / "a.pdf", length=60, scale=2000.0)
    assert list(tmp_path.iterdir()) == []
    scale = float(caught.value.remedy.split("at most ")[1].split(",")[0])
    assert export(tmp_path / "a.pdf", length=4, scale=min(scale, 40.0)).pages <= TILES_AT_MOST


def test_a_part_of_the_graph_is_drawn_alone(tmp_path: Path) -> None:
    graph = chain(30)
    scene = lay_out(graph, LayoutOptions(engine="layered"))
    left, top, width, height = scene.box_rect[scene.node_box[10]].tolist()
    told = export_picture(
        tmp_path / "a.svg", graph, scene, None, scale=2.0, part=(left - 20, top - 10, width + 40, height + 20)
    )
    assert (told.width, told.height) == (round(2 * (width + 40)), round(2 * (height + 20)))
    text = " ".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert text.count("Relu") == 1


def test_without_a_scale_a_large_png_is_drawn_smaller_and_whole(tmp_path: Path) -> None:
    told = export(tmp_path / "a.png", length=500)
    assert told.reduced
    assert told.height <= PNG_SIDE
    assert not export(tmp_path / "b.png").reduced


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("a.jpg", {}, "kind of picture"),
        ("missing/a.svg", {}, "cannot be written"),
        ("a.svg", {"scale": 0.0}, "scale 0"),
        ("a.svg", {"scale": float("nan")}, "scale nan"),
    ],
)
def test_what_cannot_be_written_is_an_error_and_leaves_no_file(
    tmp_path: Path, name: str, options: dict[str, float], said: str
) -> None:
    with pytest.raises(CutterError, match=said):
        export(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_stages_without_a_plan_are_an_error(tmp_path: Path) -> None:
    graph = chain(2)
    with pytest.raises(CutterError, match="no stages"):
        export_picture(tmp_path / "a.svg", graph, lay_out(graph), None, view="stages")


def test_a_failure_keeps_the_picture_there_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path / "a.svg")
    before = (tmp_path / "a.svg").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CutterError, match="no space left"):
        export(tmp_path / "a.svg", length=5)
    assert (tmp_path / "a.svg").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_an_empty_graph_and_many_stages_can_be_drawn(tmp_path: Path) -> None:
    empty = GraphBuilder("onnx").build()
    export_picture(tmp_path / "empty.png", empty, lay_out(empty), None)
    graph = chain(12)
    plan = Plan(tuple(Cut((CutEdge(f"t{k + 1}"),)) for k in range(10)))
    for view in ("model", "stages"):
        export_picture(tmp_path / f"{view}.png", graph, lay_out(graph), assign_stages(graph, plan), view=view)
        assert not QImage(str(tmp_path / f"{view}.png")).isNull()


def test_a_picture_needs_no_application_and_no_screen(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from cutter_gui.core.build import GraphBuilder\n"
        "from cutter_gui.layout import lay_out; from cutter_gui.gui.export import export_picture\n"
        "b = GraphBuilder('onnx'); b.add_input('x'); b.add_node('Relu', ['x'], ['y']); g = b.build()\n"
        "for name in ('a.svg', 'a.png', 'a.pdf'): export_picture(Path(sys.argv[1]) / name, g, lay_out(g), None)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]
