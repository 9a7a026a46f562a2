"""What is at stake at each nest of a program: its time now, and what a GPU would save of it.

Each nest is counted once, or as often as a real run started it where that was counted. A nest whose function another
nest calls, and whose body stands in that one, is part of it: its time is that one's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warplens.analysis.advice.worth import WORTH, Worth, worth_of
from warplens.analysis.models.results.evaluation import NestEvaluation

if TYPE_CHECKING:  # a lens needs none, and the analysis process starts without
    from warplens.analysis.models.sizes.break_even import BreakEven


@dataclass(frozen=True, slots=True)
class Stake:
    """One nest of `function`, in which bodies of the functions `inlined` stand; `runs` times started.

    `is_part`: of a nest of another function whose time is known, and has this one's in it. `is_ported_with`: of one
    that is worth porting itself.
    """

    function: str
    inlined: frozenset[str]
    worth: Worth
    runs: float
    is_part: bool = False
    is_ported_with: bool = False

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

    @property
    def copied_gain_s(self) -> float:
        """What one saves that has to copy it in and out each time."""
        return self.worth.copied_gain_s * self.runs if self.has_time else 0.0


def stakes_of(nests: Iterable[tuple[str, NestEvaluation, BreakEven | None]]) -> tuple[Stake, ...]:
    """What is at stake at each nest, in their order; of each the name of its function and its break-even, if known."""
    return together([stake_of(*nest) for nest in nests])


def stake_of(function: str, evaluation: NestEvaluation, break_even: BreakEven | None) -> Stake:
    """What is at stake at one nest, seen alone."""
    nest = evaluation.facts.nest
    inlined = frozenset((*nest.inlined, *(name for name, _ in nest.elsewhere)))
    return Stake(function, inlined, worth_of(evaluation, break_even), _runs(evaluation))


def together(stakes: Sequence[Stake]) -> tuple[Stake, ...]:
    """The same, seen together: which of them are parts of others."""
    users: dict[str, dict[str, bool]] = {}
    for stake in (each for each in stakes if each.has_time):
        for name in stake.inlined:
            of_name = users.setdefault(name, {})
            of_name[stake.function] = of_name.get(stake.function, False) or stake.worth.word in WORTH
    return tuple(_among(stake, users.get(stake.function, {})) for stake in stakes)


def _among(stake: Stake, users: Mapping[str, bool]) -> Stake:
    others = [is_ported for user, is_ported in users.items() if user != stake.function]
    return replace(stake, is_part=bool(others), is_ported_with=any(others))


def total_now_s(stakes: Iterable[Stake]) -> float:
    """Time of all nests of which that has a ground, each counted once."""
    return sum(stake.now_s for stake in stakes if not stake.is_part)


def total_gain_s(stakes: Iterable[Stake]) -> float:
    """What porting these saves of `total_now_s`, if their data stays on the GPU."""
    return sum(stake.gain_s for stake in stakes if not stake.is_ported_with)


def total_copied_gain_s(stakes: Iterable[Stake]) -> float:
    """What porting these saves of `total_now_s`, if their data is copied in and out each time."""
    return sum(stake.copied_gain_s for stake in stakes if not stake.is_ported_with)


def _runs(evaluation: NestEvaluation) -> float:
    counts = evaluation.measured_counts(evaluation.facts.nest.root.id)
    return 1.0 if counts is None or counts.entries is None else float(counts.entries)
