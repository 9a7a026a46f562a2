"""What is at stake at each nest of a program: its time now, and what a GPU would save of it.

Each nest is counted once, or as often as a real run started it where that was counted. A nest whose function another
nest calls, and whose body stands in that one, is part of it: its time is that one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.advice.worth import Worth, worth_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven


@dataclass(frozen=True, slots=True)
class Stake:
    """One nest: `runs` times started; `is_part` of another one that is in view."""

    worth: Worth
    runs: float
    is_part: bool

    @property
    def has_time(self) -> bool:
        """Whether its time has a ground: no more than one size is guessed, and nothing is missing."""
        return self.worth.grounds.carry_numbers

    @property
    def now_s(self) -> float:
        """Time of all its runs, as the code is written; 0 where nobody can know."""
        return self.worth.now_s * self.runs if self.has_time else 0.0

    @property
    def gain_s(self) -> float:
        """What a GPU that has the data saves of that."""
        return self.worth.gain_s * self.runs if self.has_time else 0.0


def stakes_of(nests: Sequence[tuple[str, NestEvaluation, BreakEven | None]]) -> tuple[Stake, ...]:
    """What is at stake at each nest, in their order; of each the name of its function and its break-even, if known."""
    inside = [_called(evaluation) for _, evaluation, _ in nests]
    return tuple(
        Stake(
            worth_of(evaluation, break_even),
            _runs(evaluation),
            any(function in names for other, names in enumerate(inside) if other != at),
        )
        for at, (function, evaluation, break_even) in enumerate(nests)
    )


def total_now_s(stakes: Sequence[Stake]) -> float:
    """Time of all nests of which that has a ground, each counted once."""
    return sum(stake.now_s for stake in stakes if not stake.is_part)


def total_gain_s(stakes: Sequence[Stake]) -> float:
    """What is saved of `total_now_s` where all that is worth it is ported and its data stays on the GPU."""
    return sum(stake.gain_s for stake in stakes if not stake.is_part)


def _called(evaluation: NestEvaluation) -> frozenset[str]:
    nest = evaluation.facts.nest
    return frozenset((*nest.inlined, *(name for name, _ in nest.elsewhere)))


def _runs(evaluation: NestEvaluation) -> float:
    counts = evaluation.measured_counts(evaluation.facts.nest.root.id)
    return 1.0 if counts is None or counts.entries is None else float(counts.entries)
