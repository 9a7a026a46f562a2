"""Every colour that the product chooses: enough contrast on light and on dark, apart for every kind of colour vision.

Contrast as WCAG 2.2 has it (1.4.3: 4.5 for text, 1.4.11: 3 for shapes); colour vision as simulated by Machado, Oliveira
and Fernandes (2009), full severity.
"""

import re
from itertools import pairwise
from math import dist
from pathlib import Path

import pytest
from rich.console import Console
from warplens.server.cli import overview_text, report_text
from warplens.server.cli.overview import Overview
from warplens.server.render import heat_map_svg
from warplens.server.render.heat_map import BANDS
from warplens.server.render.pictures.theme import THEMES

TEXT, SHAPE = 4.5, 3.0
PAGES = {"light": "#ffffff", "dark": "#0d1117"}
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def linear(colour: str) -> list[float]:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour: str) -> float:
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, other: str) -> float:
    least, most = sorted((luminance(one), luminance(other)))
    return (most + 0.05) / (least + 0.05)


def lab(colour: str, vision: str) -> tuple[float, float, float]:
    """CIELAB of a colour as it is seen."""
    rgb = linear(colour)
    seen = [min(1.0, max(0.0, sum(m * c for m, c in zip(row, rgb, strict=True)))) for row in VISION[vision]]
    matrix = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(m * c for m, c in zip(row, seen, strict=True)) for row in matrix]
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def test_the_measures_are_right() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert lab("#ffffff", "usual")[0] == pytest.approx(100, abs=0.1)
    assert dist(lab("#ff0000", "deuteranopia"), lab("#00a000", "deuteranopia")) < 0.5 * dist(
        lab("#ff0000", "usual"), lab("#00a000", "usual")
    )


@pytest.mark.parametrize("band", BANDS, ids=lambda band: band.label)
def test_numbers_in_the_heat_map_read_on_their_band(band) -> None:
    assert contrast(band.text_colour, band.colour) >= TEXT


def test_bands_of_the_heat_map_grow_darker_and_differ_for_every_eye() -> None:
    lightness = [luminance(band.colour) for band in BANDS]
    assert lightness == sorted(lightness, reverse=True)
    for vision in VISION:
        for one, other in pairwise(BANDS):
            assert dist(lab(one.colour, vision), lab(other.colour, vision)) > 10, (vision, one.label, other.label)


def styles(css: str) -> dict[str, str]:
    return dict(re.findall(r"(\.?\w+)[^{}]*\{[^{}]*?(?:fill|stroke): (#[0-9a-f]{6})", css))


@pytest.mark.parametrize("page", PAGES)
def test_words_and_outlines_of_the_heat_map_read_on_the_page(page: str) -> None:
    light, _, dark = heat_map_svg._STYLE.partition("@media (prefers-color-scheme: dark)")
    colours = styles(light) | (styles(dark.lstrip(" {\n")) if page == "dark" else {})
    assert contrast(colours["text"], PAGES[page]) >= TEXT
    assert contrast(colours[".note"], PAGES[page]) >= TEXT
    assert contrast(colours[".best"], PAGES[page]) >= SHAPE


@pytest.mark.parametrize("name", THEMES)
def test_pictures_in_hovers_read_in_both_themes(name: str) -> None:
    theme = THEMES[name]
    for words in (theme.text, theme.faint, theme.gain, theme.second):
        assert contrast(words, theme.background) >= TEXT
    assert contrast(theme.gain, theme.grid) >= SHAPE  # a bar on its own full length
    for vision in VISION:
        assert dist(lab(theme.gain, vision), lab(theme.second, vision)) > 20, vision


def test_colour_in_the_terminal_says_nothing_alone() -> None:
    source = "".join(Path(module.__file__).read_text() for module in (report_text, overview_text))
    named = set(re.findall(r'"(?:bold )?(black|red|green|yellow|blue|magenta|cyan|white)"', source))
    assert named
    assert not {"red", "green"} <= named  # the pair that is confused most often
    text = {}
    for color in (True, False):
        console = Console(force_terminal=color, no_color=not color, width=100)
        with console.capture() as capture:
            overview_text.print_overview(console, Overview(), 1, is_quiet=False)
        text[color] = re.sub(r"\x1b\[[\d;]*m", "", capture.get())
    assert text[True] == text[False]
    assert "not analysed" in text[False]
