"""In which order loops are listed: what a port saves most of the time now comes first."""

from __future__ import annotations

from warplens.analysis.advice.stakes import Stake
from warplens.analysis.advice.worth import WORTH
from warplens.analysis.ir.nest import Loop, walk_statements
from warplens.server.render.stakes_sentence import BY_SIZE, OPEN_SIZES

LEAST_GAIN_S = 20e-6
"""What a loop has to save to be listed: about what is spoken of beside the code."""


def stakes_order(stake: Stake | None, depth: int) -> tuple[float, float, float, float]:
    """A key to sort by; `stake` is None of a nest that was not evaluated, `depth` how many loops lie in each other.

    What may gain by sizes that nobody says comes before what gains next to nothing.
    """
    gain_s = listed_gain_s(stake)
    is_open = stake is not None and stake.worth.word == OPEN_SIZES
    rank = 0 if gain_s >= LEAST_GAIN_S else 1 if is_open else 2
    return rank, -gain_s, -depth, 0.0 if stake is None else -stake.now_s


def listed_gain_s(stake: Stake | None) -> float:
    """What a port saves of a nest that is worth it or, at its guess, may be; else 0."""
    return stake.gain_s if stake is not None and stake.worth.word in {*WORTH, BY_SIZE} else 0.0


def depth_of(loop: Loop) -> int:
    """How many loops lie in each other, with the loop itself."""
    return 1 + max((depth_of(inner) for inner in walk_statements(loop.body) if isinstance(inner, Loop)), default=0)
