"""How many of a program's loops are worth porting, and what that saves: the first lines of every view of them all."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.stakes import Stake, total_copied_gain_s, total_gain_s, total_now_s
from warplens.analysis.advice.worth import WORTH, Word
from warplens.analysis.text.quantities import percent_text
from warplens.server.render.amounts import plural
from warplens.server.render.rounded import about_time_text

BY_SIZE: Word = "size decides"
LISTED: tuple[Word, ...] = (*WORTH, BY_SIZE)
"""What pays, or may."""

NOT_WORTH: tuple[Word, ...] = ("all cores", "little gain", "not worth it", "nothing to run")
"""What was decided; all other words leave something open."""


def stakes_sentence(stakes: Sequence[Stake], nests: int) -> str:
    """What porting saves; `stakes` are those of all nests that were evaluated, of `nests` in all."""
    sure, by_size = ([stake for stake in stakes if stake.worth.word in words] for words in (WORTH, (BY_SIZE,)))
    if not sure and not by_size:
        return "No loop is known to be worth porting."
    if not sure:
        hang = f"{plural(len(by_size), 'loop nest')} of {nests} may be, which hangs on a size that is guessed"
        return f"No loop is sure to be worth porting. {hang}."
    now_s, gain_s, copied_s = total_now_s(stakes), total_gain_s(sure), total_copied_gain_s(sure)
    hang = f"; {len(by_size)} more {'hang' if by_size[1:] else 'hangs'} on a guessed size" if by_size else ""
    count = f"{len(sure)} of {plural(nests, 'loop nest')} {'are' if sure[1:] else 'is'} worth porting{hang}."
    copied = f"{about_time_text(copied_s)} with copies each time" if copied_s else "nothing with copies each time"
    counted = "as often as it was counted" if any(stake.runs != 1 for stake in sure) else "once"
    saves = f"saves about {about_time_text(gain_s)} of {about_time_text(now_s)} ({percent_text(gain_s / now_s)})"
    that = "That" if len(sure) == 1 else "Together that"
    return f"{count} {that} {saves} if their data stays on the GPU, {copied}; each loop run {counted}."


def counting_sentence(stakes: Sequence[Stake], nests: int) -> str:
    """Which nests' times are not in that, or are in another one's; empty where all are counted."""
    parts = sum(stake.is_part for stake in stakes if stake.has_time)
    silent = nests - sum(stake.has_time for stake in stakes)
    within = f"The time of {plural(parts, 'loop nest')} in functions that other loops call is counted there."
    without = f"{plural(silent, 'loop nest')} {'has' if silent == 1 else 'have'} no predicted time."
    return " ".join((*((within,) if parts else ()), *((without,) if silent else ())))
