"""How many of a program's loops are worth porting, and what that saves: the first lines of every view of them all."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.stakes import Stake, total_copied_gain_s, total_gain_s, total_now_s
from warplens.analysis.advice.worth import WORTH, Word
from warplens.analysis.text.quantities import percent_text
from warplens.analysis.text.rounded import about_time_text
from warplens.server.render.amounts import plural

BY_SIZE: Word = "size decides"
OPEN_SIZES: Word = "sizes unknown"
LISTED: tuple[Word, ...] = (*WORTH, BY_SIZE, OPEN_SIZES)
"""What pays, or may."""

_OPEN: tuple[Word, ...] = ("not parallel", "not known", "if promised")
_MUCH = 0.2
"""Of the time: less is not in the first lines."""

NOT_WORTH: tuple[Word, ...] = ("all cores", "on the GPU", "little gain", "not worth it", "nothing to run")
"""What was decided; all other words leave something open."""


def stakes_sentence(stakes: Sequence[Stake], nests: int) -> str:
    """What porting saves; `stakes` are those of all nests that were evaluated, of `nests` in all."""
    sure = [stake for stake in stakes if stake.worth.word in WORTH]
    hang, of = _hang_text(stakes), plural(nests, "loop nest")
    if not nests:
        return "No loop was found."
    if not sure:
        none = f"None of {of} is sure to be worth porting{f'; {hang}' if hang else ''}."
        return " ".join(filter(None, (none, _open_text(stakes, total_now_s(stakes)))))
    now_s, gain_s, copied_s = total_now_s(stakes), total_gain_s(sure), total_copied_gain_s(sure)
    copied = f"{about_time_text(copied_s)} with copies each time" if copied_s else "nothing with copies each time"
    counted = "as often as it was counted" if any(stake.runs != 1 for stake in sure) else "once"
    share = f" ({percent_text(gain_s / now_s)})" if now_s else ""
    saves = f"saves about {about_time_text(gain_s)} of {about_time_text(now_s)}{share}"
    that, its = ("Together that", "their") if sure[1:] else ("That", "its")
    sentences = (
        f"{len(sure)} of {of} {'are' if sure[1:] else 'is'} worth porting.",
        f"{that} {saves} if {its} data stays on the GPU, {copied}; each loop run {counted}.",
        f"{hang}." if hang else "",
        _open_text(stakes, now_s),
    )
    return " ".join(filter(None, sentences))


def _open_text(stakes: Sequence[Stake], now_s: float) -> str:
    """What share of the time is in loops that can't be ported as they are; empty where it is small."""
    open_s = sum(stake.now_s for stake in stakes if stake.worth.word in _OPEN and not stake.is_part)
    share = open_s / now_s if now_s else 0.0
    return (
        f"{percent_text(share)} of the time is in loops that are not parallel or not decided." if share >= _MUCH else ""
    )


def _hang_text(stakes: Sequence[Stake]) -> str:
    """How many are open since sizes are guessed; empty where none is."""
    cases: tuple[tuple[Word, str], ...] = (
        (BY_SIZE, "a size that is guessed"),
        (OPEN_SIZES, "several sizes that nothing says"),
    )
    counts = ((sum(stake.worth.word == word for stake in stakes), what) for word, what in cases)
    return ", ".join(f"{count} {'depend' if count > 1 else 'depends'} on {what}" for count, what in counts if count)


def counting_sentence(stakes: Sequence[Stake], nests: int) -> str:
    """Which nests' times are not in that, or are in another one's; empty where all are counted."""
    parts = sum(stake.is_part for stake in stakes if stake.has_time)
    silent = nests - sum(stake.has_time for stake in stakes)
    within = f"The time of {plural(parts, 'loop nest')} in functions that other loops call is counted there."
    without = f"{plural(silent, 'loop nest')} {'has' if silent == 1 else 'have'} no predicted time."
    return " ".join((*((within,) if parts else ()), *((without,) if silent else ())))
