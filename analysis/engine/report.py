"""The answer for one file: what server and CLI translate for their readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.stakes import Stake
from warplens.analysis.engine.program_sizes import OtherCalls, SizeRoots, SizeSources
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.comments.translation_unit import MacroUse, Opaque, Problem, SizeDirective
from warplens.analysis.frontend.comments.warplens_comments import KernelDirective
from warplens.analysis.frontend.declarations.companions import DefinedElsewhere
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.span import Span

SKIPPED = "the analysis of this loop did not end within its time limit"
"""The failure of a nest that an earlier attempt did not get past."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Why nothing is shown beside the code of a nest.

    off: a comment or a setting says so; small: `time_s` on one core is less than `limit_s`, at sizes that are known;
    no gain: the level of noise is "quiet" and a GPU would not be faster; pending: it has not been analysed yet.
    """

    reason: Literal["off", "small", "no gain", "pending"]
    time_s: float = 0.0
    limit_s: float = 0.0


@dataclass(frozen=True, slots=True)
class NestReport:
    """One nest. `evaluation` is None when the analysis of this nest failed or was refused; `failure` says why.

    `macros` are those it uses whose definitions are known. `fixes` are the quick fixes that are offered, and those
    that are refused with the reason. `kernel` is the comment that says which measured kernel it is. `elsewhere` are
    functions of other files of the program that it calls and that were looked into.
    """

    id: LoopId
    spans: NestSpans
    facts: NestFacts | None
    evaluation: NestEvaluation | None
    findings: tuple[Finding, ...]
    failure: str = ""
    macros: tuple[MacroUse, ...] = ()
    fixes: tuple[OfferedFix, ...] = ()
    hidden: Hidden | None = None
    kernel: KernelDirective | None = None
    size_sources: SizeSources = ()
    """Of sizes that the program gives, by name, the statements that they follow from, the nearest first."""
    size_roots: SizeRoots = ()
    """By what sizes that nothing gives are said once for the whole program, by name."""
    other_calls: OtherCalls = ()
    """What other calls and statements set the sizes to that the program gives, the heaviest first."""
    elsewhere: tuple[DefinedElsewhere, ...] = ()
    stake: Stake | None = None
    """What a port would gain, of the nest seen alone; None without an evaluation."""


@dataclass(frozen=True, slots=True)
class FunctionReport:
    """A function of the file, in source order. `has_one_nest`: one, and nothing that may be another."""

    name: str
    span: Span
    nests: tuple[NestReport, ...]
    has_one_nest: bool


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How much work this report took beyond what the memo had (tests hold it against what an edit may cost)."""

    declarations_parsed: int
    nests_analysed: int
    nests_evaluated: int


@dataclass(frozen=True, slots=True)
class Report:
    """One file on one GPU and CPU. Offsets refer to the user's text that was analysed.

    `is_cpp`: it is a header of C++, of which nothing is read.
    """

    functions: tuple[FunctionReport, ...]
    opaque: tuple[Opaque, ...]
    problems: tuple[Problem, ...]
    directives: tuple[SizeDirective, ...]
    loops_in_text: int
    loops_found: int
    recomputed: Recomputed
    said_sizes: frozenset[tuple[str, str]] = frozenset()
    """Sizes that settings say and that others follow from, by function and name."""
    is_cpp: bool = False


CPP_REPORT = Report((), (), (), (), 0, 0, Recomputed(0, 0, 0), is_cpp=True)
"""The report on a header of C++."""
