"""The pictures in a loop's hover."""

from __future__ import annotations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.render.card import Picture
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.pictures.benefit_bars import benefit_bars
from warplens.server.render.pictures.speedup_curve import speedup_curve
from warplens.server.render.pictures.theme import Theme


def loop_pictures(
    evaluation: NestEvaluation, loop: NodeId, found: BreakEven | None, theme: Theme
) -> tuple[Picture, ...]:
    """What would help, where the time matters, as in the text; and speedup against size, once known."""
    kernel = kernel_of(evaluation, loop)
    is_long = kernel is not None and not is_short(kernel.prediction)
    bars = benefit_bars(kernel.benefits, theme) if kernel is not None and is_long else None
    curve = speedup_curve(found, theme) if found is not None else None
    return tuple(picture for picture in (bars, curve) if picture is not None)
