"""What a nest's numbers stand on: how many sizes are guessed, what is not declared, and what no machine has.

A size is guessed where nobody said it and nothing shows it: its assumption is of origin "default", and the nest's
numbers depend on it. With two or more of them a speedup says more of the guesses than of the program, so that no view
shows one; what has a ground (the verdict, formulas, what bounds the kernel at any size) is shown in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import Branch, Region, ThreadLoop
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.undeclared import Undeclared
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.workload.loops.derived_symbols import roots_of

MOST_MEMORY_BYTES = 4 * 2**40
"""More than any node for GPUs has. Source: NVIDIA, DGX B200 data sheet: 2 TB of memory, 4 TB at most."""

MOST_TIME_S = 86_400.0
"""A day on one core: who waits for longer has said what the sizes are."""

_MOST_GUESSES = 1
"""With which a speedup is shown."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A size that nobody said, and the value that stands in for it."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Absurd:
    """What guesses lead to that can't be meant: `amount` in bytes or, on one core, seconds; `by` make it so large."""

    what: Literal["memory", "time"]
    amount: float
    by: tuple[Guess, ...]


@dataclass(frozen=True, slots=True)
class Grounds:
    """Guesses in the order of the loops that depend on them; `undeclared` is what the nest uses and nobody declares."""

    guesses: tuple[Guess, ...]
    undeclared: tuple[Undeclared, ...]
    absurd: Absurd | None

    @property
    def carry_numbers(self) -> bool:
        """Whether a speedup and a time of the nest may be shown."""
        return len(self.guesses) <= _MOST_GUESSES and not self.undeclared and self.absurd is None


def grounds_of(evaluation: NestEvaluation) -> Grounds:
    """What an evaluation's numbers rest on."""
    guesses = guessed_sizes(evaluation)
    return Grounds(guesses, _undeclared(evaluation), _absurd(evaluation, guesses))


def guessed_sizes(evaluation: NestEvaluation) -> tuple[Guess, ...]:
    """The independent guesses that the nest's numbers depend on.

    A start that is guessed (`lo`, taken as 0) is none where another guess stands in all the counts that it is in: what
    is guessed of such a loop is how long its range is. A size that only moves where accesses begin (`a[i + at]`)
    changes no number.
    """
    facts = evaluation.facts
    values = dict(evaluation.sizes)
    default = {a.subject for a in evaluation.assumptions if a.kind == "size" and a.origin == "default"}
    counted = [name for name in _counted_names(facts) if name in default and name in values]
    starts = {name for name, _ in facts.zero_hints if values.get(name) == 0}
    sizes = {name for name in counted if name not in starts}
    averages = [frozenset(count.average.parameters) for count in facts.trip_counts]
    return tuple(
        Guess(name, values[name])
        for name in counted
        if name in sizes or not all(sizes & names for names in averages if name in names)
    )


def _counted_names(facts: NestFacts) -> list[str]:
    """Parameters that counts, memory and distances between elements depend on, those of outer loops first."""
    found: dict[str, None] = {}

    def add(names: Collection[str]) -> None:
        found.update(dict.fromkeys(sorted(roots_of(names, facts.nest))))

    counts = {count.loop: count.average for count in facts.trip_counts}
    for loop in loops_of(facts.nest):
        if loop.id in counts:
            add(counts[loop.id].parameters)
    for formula in _formulas(facts):
        add(formula)
    for access in (*facts.sequential_accesses, *(a for kernel in facts.kernels for a in kernel.accesses)):
        for _, stride in access.stride_bytes:
            add(stride.symbols if stride is not None else ())
    return [name for name in found if name in facts.parameters]


def _formulas(facts: NestFacts) -> Iterator[Collection[str]]:
    yield facts.footprint_bytes.parameters
    for transfer in facts.transfers:
        yield transfer.in_bytes.parameters | transfer.out_bytes.parameters
    for kernel in facts.kernels:
        yield kernel.launches.parameters
        yield from _in_program(kernel.program)


def _in_program(program: Iterable[Region]) -> Iterator[Collection[str]]:
    for region in program:
        if isinstance(region, ThreadLoop):
            yield region.trip_count.parameters
            yield from _in_program(region.body)
        elif isinstance(region, Branch):
            yield from _in_program((*region.then, *region.otherwise))


def _undeclared(evaluation: NestEvaluation) -> tuple[Undeclared, ...]:
    """What is not declared, less sizes that somebody said; a function without declaration is C as it once was."""
    said = {a.subject for a in evaluation.assumptions if a.kind == "size" and a.origin != "default"}
    return tuple(
        one
        for one in evaluation.facts.nest.undeclared
        if one.name not in said and (one.kind != "function" or evaluation.missing_headers)
    )


def _absurd(evaluation: NestEvaluation, guesses: tuple[Guess, ...]) -> Absurd | None:
    """More memory than machines have before more time than anybody waits, where a guess makes it so."""
    facts = evaluation.facts
    memory_bytes = _memory_bytes(evaluation)
    if memory_bytes > MOST_MEMORY_BYTES:
        names = set(facts.footprint_bytes.parameters)
        names |= {n for each in facts.transfers for n in each.in_bytes.parameters | each.out_bytes.parameters}
        by = _of(guesses, names, facts)
        if by:
            return Absurd("memory", memory_bytes, by)
    time_s = evaluation.cpu_time.one_core_s
    if time_s > MOST_TIME_S:
        by = _of(guesses, {name for count in facts.trip_counts for name in count.average.parameters}, facts)
        if by:
            return Absurd("time", time_s, by)
    return None


def _of(guesses: tuple[Guess, ...], names: Collection[str], facts: NestFacts) -> tuple[Guess, ...]:
    roots = roots_of(names, facts.nest)
    return tuple(guess for guess in guesses if guess.name in roots)


def _memory_bytes(evaluation: NestEvaluation) -> float:
    """What the nest touches, or would have to be copied."""
    offload = evaluation.offload
    copied = 0.0 if offload is None else max(offload.bytes_in, offload.bytes_out)
    try:
        return max(copied, float(evaluation.facts.footprint_bytes.evaluate(dict(evaluation.sizes))))
    except (KeyError, ZeroDivisionError, OverflowError):
        return copied
