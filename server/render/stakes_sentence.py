"""What a program's loops take and what a GPU would save of it, in one sentence; and how loops are counted for that."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.stakes import Stake, total_gain_s, total_now_s
from warplens.analysis.advice.worth import Word
from warplens.analysis.text.quantities import percent_text
from warplens.server.render.amounts import plural
from warplens.server.render.rounded import about_time_text

PORTED: tuple[Word, ...] = ("worth it", "if data stays")
"""Words of nests that are worth porting where the GPU keeps the data."""

_NEARLY_ALL, _LEAST_SHARE = 0.99, 0.005


def stakes_sentence(stakes: Sequence[Stake]) -> str:
    """The time of all nests that have one, and what is saved of it; ends with a full stop."""
    now_s, gain_s = total_now_s(stakes), total_gain_s(stakes)
    if now_s <= 0:
        return "No loop here has a predicted time." if stakes else "No loop was found."
    of_all = f"Of {about_time_text(now_s)} of predicted time in loops"
    if gain_s <= 0:
        return f"{of_all}, a GPU saves nothing, even if it keeps the data."
    share = gain_s / now_s
    part = "nearly all" if share > _NEARLY_ALL else "less than 1 %" if share < _LEAST_SHARE else percent_text(share)
    return f"{of_all}, a GPU that keeps the data saves about {about_time_text(gain_s)} ({part})."


def counting_sentence(stakes: Sequence[Stake]) -> str:
    """How often each nest is counted in that, and which are left out; empty where nothing is counted."""
    timed = [stake for stake in stakes if stake.has_time]
    if not timed:
        return ""
    is_counted = any(stake.runs != 1 for stake in timed)
    sentences = ["Each loop is counted once" + (", or as often as the imported run started it." if is_counted else ".")]
    parts = sum(stake.is_part for stake in timed)
    if parts:
        sentences.append(f"The time of {plural(parts, 'loop')} in functions that other loops call is counted there.")
    silent = len(stakes) - len(timed)
    if silent:
        sentences.append(f"{plural(silent, 'loop')} {'has' if silent == 1 else 'have'} no predicted time.")
    return " ".join(sentences)
