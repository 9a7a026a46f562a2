"""What the CPU model says of the timed nests, on the profile of the machine that timed them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy.cpu_nests.corpus import TimedNest, corpus
from support.c_nests.parsed import unit_of
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.compiler_flags import compilation_of
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.hwprofiles.loader import load_cpu

HERE = Path(__file__).parent
WITHIN = 1.5


@dataclass(frozen=True, slots=True)
class TimedCase:
    """A nest at one size and one set of flags, with its shortest time and what is predicted."""

    nest: TimedNest
    n: int
    flags: str
    measured_s: float
    predicted: CpuTime

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted.one_core_s / self.measured_s

    @property
    def is_near(self) -> bool:
        """Within a factor 1.5, either way."""
        return 1.0 / WITHIN <= self.ratio <= WITHIN


@cache
def machine() -> Cpu:
    """The profile that `warplens calibrate cpu` measured where the nests were timed."""
    return load_cpu(str(HERE / "machine.toml"))


@cache
def facts_of(nest: TimedNest) -> NestFacts:
    """Facts of the function's only nest."""
    (function,) = (
        one for one in unit_of(nest.source.replace("#include <math.h>\n", "")).functions if one.name == nest.name
    )
    (lowered,) = function.nests
    return analyse_nest(lowered.nest)


def predicted(nest: TimedNest, n: int, flags: str) -> CpuTime:
    """What the model says of a nest at one size, built with these flags."""
    facts = facts_of(nest)
    sizes = {"n": n, **nest.also, **nest.unnamed}
    return cpu_time(facts, {name: sizes.get(name, n) for name in facts.parameters}, machine(), compilation(flags))


@cache
def compilation(flags: str) -> Compilation:
    """What the flags mean on the machine."""
    return compilation_of(flags.split(), machine())


@cache
def timed_cases() -> Sequence[TimedCase]:
    """Every row of times.csv with its prediction."""
    nests = {nest.name: nest for nest in corpus()}
    cases = []
    with (HERE / "times.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            nest, n, flags = nests[row["nest"]], int(row["n"]), row["flags"]
            cases.append(TimedCase(nest, n, flags, float(row["seconds"]), predicted(nest, n, flags)))
    return tuple(cases)


def share_near(cases: Sequence[TimedCase]) -> float:
    """Share within the factor."""
    return sum(case.is_near for case in cases) / len(cases)
