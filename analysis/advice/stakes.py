"""What is at stake at each nest of a program: its time now, and what a GPU would save of it.

Each nest is counted once, or as often as a real run started it where that was counted. A nest whose function another
nest calls, and whose body stands in that one, is part of it: its time is that one's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warplens.analysis.advice.worth import WORTH, Worth, worth_of
from warplens.analysis.models.results.evaluation import NestEvaluation

if TYPE_CHECKING:  # a lens needs none, and the analysis process starts without
    from warplens.analysis.models.sizes.break_even import BreakEven


ANY_FILE = "*"


@dataclass(frozen=True, slots=True)
class Stake:
    """One nest of `function` of `file`, in which bodies of the functions `inlined` stand; `runs` times started.

    `inlined` are functions by the file that they are of, which is ANY_FILE for those of other files.

    `is_part`: of a nest of another function whose time is known, and has this one's in it. `is_ported_with`: of one
    that is worth porting itself.
    """

    function: str
    inlined: frozenset[tuple[str, str]]
    worth: Worth
    runs: float
    is_part: bool = False
    is_ported_with: bool = False
    file: str = ""

    def in_file(self, file: str) -> Stake:
        """The same of a nest that was looked at without its file."""
        inlined = frozenset((file if of == self.file else of, name) for of, name in self.inlined)
        return replace(self, file=file, inlined=inlined)

    def holds(self, other: Stake) -> bool:
        """Whether the body of another nest's function stands in this one, which is of another function."""
        if (self.file, self.function) == (other.file, other.function):
            return False
        return bool(self.inlined & {(other.file, other.function), (ANY_FILE, other.function)})

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


def stake_of(function: str, evaluation: NestEvaluation, break_even: BreakEven | None, file: str = "") -> Stake:
    """What is at stake at one nest, seen alone; the file is needed where nests of several are seen together."""
    nest = evaluation.facts.nest
    elsewhere = {name for name, _ in nest.elsewhere}
    inlined = {(ANY_FILE if name in elsewhere else file, name) for name in (*nest.inlined, *elsewhere)}
    return Stake(function, frozenset(inlined), worth_of(evaluation, break_even), _runs(evaluation), file=file)


def together(stakes: Sequence[Stake]) -> tuple[Stake, ...]:
    """The same, seen together: which of them are parts of others."""
    users: dict[str, list[Stake]] = {}
    for stake in (each for each in stakes if each.has_time):
        for _, name in stake.inlined:
            users.setdefault(name, []).append(stake)
    return tuple(
        _among(stake, [each for each in users.get(stake.function, ()) if each.holds(stake)]) for stake in stakes
    )


def _among(stake: Stake, users: Sequence[Stake]) -> Stake:
    return replace(stake, is_part=bool(users), is_ported_with=any(user.worth.word in WORTH for user in users))


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
