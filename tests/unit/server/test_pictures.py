"""The pictures of a hover: what they show, and that it can be read."""

import re
from base64 import b64decode
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, WinsFrom
from warplens.analysis.models.sizes.size_curve import SizeCurve
from warplens.server.render.card import Picture
from warplens.server.render.pictures.benefit_bars import benefit_bars
from warplens.server.render.pictures.loop_pictures import loop_pictures
from warplens.server.render.pictures.speedup_curve import speedup_curve
from warplens.server.render.pictures.theme import HEIGHT, THEMES, WIDTH

DARK = THEMES["dark"]
SVG = "{http://www.w3.org/2000/svg}"
CURVE = SizeCurve(
    sizes=(10, 100, 1000, 10_000),
    gpu_cold_s=(1e-3, 1e-3, 2e-3, 1e-2),
    gpu_resident_s=(1e-4, 1e-4, 1e-4, 1e-3),
    one_core_s=(1e-5, 1e-4, 1e-3, 1e-1),
    all_cores_s=(1e-5, 1e-4, 1e-3, 1e-2),
    resident_band_s=(),
)
FOUND = BreakEven(
    "n", 1000, (), 1, 10_000, "the GPU's memory",
    (
        WinsFrom("resident", "one core", 100, 90, 120), WinsFrom("cold", "one core", 3000, 3000, 3000),
        WinsFrom("resident", "all cores", 100, 90, 120), WinsFrom("cold", "all cores", 2000, 2000, 2000),
    ),
    has_band=True, curve=CURVE,
)  # fmt: skip


def drawn(picture: Picture | None) -> ET.Element:
    assert picture is not None
    return ET.fromstring(b64decode(picture.uri.removeprefix("data:image/svg+xml;base64,")))


def texts(svg: ET.Element) -> list[str]:
    return ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]


def test_the_curve_has_both_lines_and_the_sizes_from_which_they_win() -> None:
    svg = drawn(speedup_curve(FOUND, DARK))
    shown = texts(svg)
    assert {"100", "3000", "data there", "copies", "10", "10 000", "1x"} <= set(shown)
    resident, cold = ([tuple(map(float, p.split(","))) for p in line.attrib["points"].split()]
                      for line in svg.iter(f"{SVG}polyline"))  # fmt: skip
    circles = {float(c.attrib["cx"]): float(c.attrib["cy"]) for c in svg.iter(f"{SVG}circle")}
    # At 100 the resident line crosses 1x: its point there is the dot.
    assert resident[1] in circles.items()
    assert all(above[1] < below[1] for above, below in zip(resident, cold, strict=True))
    assert "with its data there from n = 100, with copies from n = 3000" in speedup_curve(FOUND, DARK).text


def test_a_line_that_never_wins_has_no_dot_and_says_so() -> None:
    lost = WinsFrom("cold", "all cores", None, None, None)
    never = replace(FOUND, wins=(*FOUND.wins[:-1], lost))
    picture = speedup_curve(never, DARK)
    assert len(list(drawn(picture).iter(f"{SVG}circle"))) == 1
    assert picture.text.endswith("with copies never")


def test_no_curve_is_drawn_of_too_few_sizes() -> None:
    few = SizeCurve((10, 20), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), ())
    assert speedup_curve(replace(FOUND, curve=few), DARK) is None


def test_bars_are_as_long_as_the_shares_and_small_ones_are_left_out() -> None:
    svg = drawn(benefit_bars([benefit("serialisation", 0.25), benefit("memory parallelism", 0.5),
                              benefit("other instructions", 0.001)], DARK))  # fmt: skip
    assert texts(svg)[1:] == ["Memory parallelism", "50 %", "Serialisation", "25 %"]
    widths = [float(bar.attrib["width"]) for bar in svg.iter(f"{SVG}rect")][1:]
    (full, half), (_, quarter) = widths[:2], widths[2:]
    assert half == pytest.approx(full / 2, abs=1)
    assert quarter == pytest.approx(full / 4, abs=1)
    assert benefit_bars([benefit("serialisation", 0.001)], DARK) is None


def benefit(kind: str, share: float) -> Benefit:
    return Benefit(kind, 100, share * 1e-3, share, "how")


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_text_is_inside_and_can_be_read_on_its_background(theme) -> None:
    for picture in (speedup_curve(FOUND, theme), benefit_bars([benefit("serialisation", 0.25)], theme)):
        for text in drawn(picture).iter(f"{SVG}text"):
            assert 0 <= float(text.attrib["x"]) <= WIDTH
            assert 8 <= float(text.attrib["y"]) <= HEIGHT
    for colour in (theme.text, theme.faint, theme.gain, theme.second):
        assert contrast(colour, theme.background) >= 4.5  # WCAG 2.2, 1.4.3


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    channels = [int(pair, 16) / 255 for pair in re.findall("[0-9a-f]{2}", colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_loop_has_the_pictures_that_there_is_something_to_draw_of(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    helped = replace(evaluation, kernels=(replace(kernel, benefits=(benefit("serialisation", 0.25),)),))
    assert len(loop_pictures(helped, NodeId(0), FOUND, DARK)) == 2
    assert len(loop_pictures(helped, NodeId(0), None, DARK)) == 1
    assert loop_pictures(replace(evaluation, kernels=(), offload=None), NodeId(0), None, DARK) == ()
