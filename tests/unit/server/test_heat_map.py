"""The map of launches: its cells, in a terminal of any width, and as a picture."""

import re
from dataclasses import replace
from io import StringIO
from math import inf
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console
from warplens.analysis.models.results.launch_ranking import LaunchMap, LaunchRanking
from warplens.server.cli.heat_map_text import print_heat_map
from warplens.server.render.heat_map import BANDS, Cell, heat_map
from warplens.server.render.heat_map_svg import heat_map_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(ranking: LaunchRanking, width: int | None) -> list[str]:
    console = Console(file=StringIO(), force_terminal=width is not None, width=width, no_color=True, soft_wrap=True)
    print_heat_map(console, heat_map(ranking), 2)
    return re.sub(r"\x1b\[\d*m", "", console.file.getvalue()).splitlines()


@pytest.fixture
def wide(ranking: LaunchRanking) -> LaunchRanking:
    """All block sizes up to 1024: faster up to 256 threads, slower from there."""
    threads, outputs = tuple(range(32, 1025, 32)), (1, 2)
    times = tuple(tuple(each * 1e-3 * max(block / 256, 256 / block) for block in threads) for each in outputs)
    return replace(ranking, map=LaunchMap(threads, outputs, times))


def test_cells_are_against_the_first_launch(ranking: LaunchRanking) -> None:
    cells = heat_map(ranking)
    assert cells.best == Cell(256, 4, 1e-3, 1.0)
    second = heat_map(replace(ranking, ranked=ranking.ranked[1:]))
    assert second.best == Cell(256, 2, 1.01e-3, 1.0)
    faster = second.rows[2][2]
    assert faster is not None
    assert (faster.text, faster.band) == ("0.99", BANDS[0])
    assert cells.current is not None
    assert (cells.current.threads_per_block, cells.current.outputs_per_thread) == (128, 1)
    assert cells.rows[0][3] is None


def test_rows_and_columns_without_a_launch_are_left_out(ranking: LaunchRanking) -> None:
    times = ((inf, inf, inf), (inf, 2e-3, 1e-3), (inf, 3e-3, inf))
    cells = heat_map(replace(ranking, map=LaunchMap((32, 64, 96), (1, 2, 4), times)))
    assert (cells.threads_per_block, cells.outputs_per_thread) == ((64, 96), (2, 4))
    assert [[cell and cell.ratio for cell in row] for row in cells.rows] == [[2.0, 1.0], [3.0, None]]


def test_no_launch_at_all_is_an_empty_map(ranking: LaunchRanking) -> None:
    empty = replace(ranking, ranked=(), map=LaunchMap((32,), (1,), ((inf,),)))
    assert heat_map(empty).best is None
    ET.fromstring(heat_map_svg(heat_map(empty), "f()", "", ""))
    assert drawn(empty, 80)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "1.00"), (9.994, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100"), (999.4, "999"), (1e9, ">999")],
)
def test_a_cell_has_room_for_any_factor(ratio: float, text: str) -> None:
    assert Cell(32, 1, 1.0, ratio).text == text
    assert len(text) <= 4


def test_the_bands_cover_every_factor_and_rise() -> None:
    limits = [band.limit for band in BANDS]
    assert limits == sorted(limits)
    assert Cell(32, 1, 1.0, 1.05).band is BANDS[0]
    assert Cell(32, 1, 1.0, 1.051).band is BANDS[1]
    assert Cell(32, 1, 1.0, 1e30).band is BANDS[-1]


def test_factors_stand_under_their_block_sizes(ranking: LaunchRanking) -> None:
    _, scale, *rows, legend = drawn(ranking, None)
    assert [row.split() for row in rows] == [
        ["1", "2.00", "1.32", "1.20", "-"],
        ["2", "2.10", "1.10", "1.01", "-"],
        ["4", "3.00", "1.60", "1.00", "40.0"],
    ]
    assert scale.index("256") + 3 == rows[2].index("1.00") + 4
    assert "- cannot be launched" in legend


@pytest.mark.parametrize("width", [200, 80, 50, 40])
def test_a_map_keeps_to_the_width_of_a_terminal(wide: LaunchRanking, width: int) -> None:
    lines = drawn(wide, width)
    assert max(map(len, lines)) <= width
    cells = "".join(line[10:] for line in lines if line.startswith("       1  "))
    if width == 200:
        assert "1.00" in cells
    else:
        bands = [int(band) for band in cells.replace(" ", "")]
        assert len(bands) == 32
        assert bands[7] == 1 == min(bands)
        assert bands[:8] == sorted(bands[:8], reverse=True)
        assert bands[7:] == sorted(bands[7:])
        assert any("7 over 4x" in line for line in lines)


def test_block_sizes_stand_over_the_ends_of_their_columns(wide: LaunchRanking) -> None:
    _, scale, first, *_ = drawn(wide, 80)
    for size in map(int, scale.split()):
        end = scale.index(f"{size}") + len(str(size))
        assert (end - 10) // 2 == size // 32
        assert first[end - 1].isdigit()


def test_the_picture_says_all_in_words(ranking: LaunchRanking) -> None:
    picture = heat_map_svg(heat_map(ranking), "f<g>(), line 3 & on", "predicted", "thread_limit(128)")
    root = ET.fromstring(picture)
    labels = dict.fromkeys(root.attrib["aria-labelledby"].split())
    named = {element.attrib["id"]: element.text for element in root if element.attrib.get("id") in labels}
    title, description = named.values()
    assert title == "f<g>(), line 3 & on"
    assert "Best: 256 threads per block, 4 outputs per thread: 1 ms, 1.00x the best." in (description or "")
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"threads per block", "outputs per thread", "1.32", "up to 1.05x", "over 4x"} <= set(texts)
    tips = [element.text for element in root.iter(f"{SVG}title")]
    assert "128 threads per block, 1 output per thread: 1.32 ms, 1.32x the best" in tips
    assert tips.count("cannot be launched") == 2
    assert "prefers-color-scheme: dark" in picture


def test_everything_lies_inside_the_picture(ranking: LaunchRanking, wide: LaunchRanking) -> None:
    for each in (ranking, wide):
        root = ET.fromstring(heat_map_svg(heat_map(each), "f()", "note", "thread_limit(128)"))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for rect in root.iter(f"{SVG}rect"):
            assert float(rect.attrib["x"]) + float(rect.attrib["width"]) <= width
            assert float(rect.attrib["y"]) + float(rect.attrib["height"]) <= height


def test_best_and_current_are_outlined_once(ranking: LaunchRanking) -> None:
    def outlines(each: LaunchRanking) -> list[str]:
        root = ET.fromstring(heat_map_svg(heat_map(each), "f()", "", "now"))
        return sorted(rect.attrib["class"] for rect in root.iter(f"{SVG}rect") if "class" in rect.attrib)

    assert [kind for kind in outlines(ranking) if kind != "none"] == ["best", "current"]
    same = replace(ranking, current=replace(ranking.ranked[0]))
    best_cell = replace(same, map=LaunchMap((256,), (4,), ((1e-3,),)))
    assert outlines(best_cell) == ["best"]


def test_text_on_a_cell_has_enough_contrast() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for band in BANDS:
        light, dark = sorted((luminance(band.colour), luminance(band.text_colour)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2.1, 1.4.3
