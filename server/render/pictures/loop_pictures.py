"""The pictures in a loop's hover."""

from __future__ import annotations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.analysis.models.time_range import is_short
from warplens.server.render.card import Picture
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.pictures.benefit_bars import benefit_bars
from warplens.server.render.pictures.theme import Theme


def loop_pictures(evaluation: NestEvaluation, loop: NodeId, theme: Theme) -> tuple[Picture, ...]:
    """What would help; nothing where the time is no matter, as in the text."""
    kernel = kernel_of(evaluation, loop)
    offload = evaluation.offload
    if kernel is None or offload is None or not offload.has_work or is_short(kernel.prediction):
        return ()
    bars = benefit_bars(kernel.benefits, theme)
    return (bars,) if bars else ()
