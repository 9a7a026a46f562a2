"""The comment behind each loop of tests/fixtures/dependence: what is true of it, and what is found where that is less.

`// loop: parallel`, `// loop: reduction(+:s)`, `// loop: carried`, `// loop: unknown` (data decides, or a function that
is not seen: no better answer exists). Then, as they apply and in this order: `private(t)` and `induction(k)`, the names
that the rewriting test must know where the analysis finds less; `| found: unknown`, a weaker answer of today (`none`:
no loop was lowered); `(not run: why)` or `(alike: why)`, it can't run in other orders, or does so without a trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from support.compiler_output import compiler_output
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.comments.translation_unit import LoweredNest, TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.source_names import c_name

FIXTURES = tuple(sorted((Path(__file__).parents[2] / "fixtures" / "dependence").glob("*.c")))

_LABEL = re.compile(
    r"// loop: (?P<truth>parallel|carried|unknown|reduction\([^)]*\))"
    r"(?: private\((?P<private>[\w,]+)\))?(?: induction\((?P<induction>[\w,]+)\))?"
    r"(?: \| found: (?P<found>none|parallel|carried|unknown|reduction\([^)]*\)))?"
    r"(?: \((?P<note>not run|alike): (?P<why>[^)]+)\))?$"
)


@dataclass(frozen=True, slots=True)
class Label:
    """What a loop's comment says; `found` is the truth where the comment gives no weaker answer."""

    truth: str
    found: str
    private: tuple[str, ...] = ()
    inductions: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_parallel(self) -> bool:
        """Whether the loop's iterations may truly run in any order."""
        return can_run_in_parallel(self.truth)

    @property
    def is_found(self) -> bool:
        """Whether the analysis says so."""
        return can_run_in_parallel(self.found)


def can_run_in_parallel(shown: str) -> bool:
    """Of a verdict as labels write it."""
    return shown == "parallel" or shown.startswith("reduction")


def labels(source: str) -> dict[int, Label]:
    """Labels by 1-based line; a comment that starts as one and isn't is an error."""
    found = {}
    for number, line in enumerate(source.splitlines(), 1):
        if "// loop:" not in line:
            continue
        match = _LABEL.search(line)
        assert match is not None, f"line {number}: {line}"
        private, inductions = (tuple((match[key] or "").split(",")) for key in ("private", "induction"))
        names = (tuple(filter(None, private)), tuple(filter(None, inductions)))
        found[number] = Label(match["truth"], match["found"] or match["truth"], *names, match["note"] or "")
    return found


def shown(verdict: LoopVerdict) -> str:
    """A verdict as labels write it."""
    if verdict.kind != "reduction":
        return verdict.kind
    return "reduction(" + ",".join(f"{r.operator}:{c_name(r.variable)}" for r in verdict.reductions) + ")"


def parse(source: str) -> TranslationUnit:
    """The C text as the command line would read it."""
    return parse_unit(source, compiler_output("main.c", source), Memo())


@dataclass(frozen=True, slots=True)
class JudgedNest:
    """A nest of a function, delinearised, with its loops' verdicts and the 1-based line of each loop."""

    function: str
    lowered: LoweredNest
    nest: LoopNest
    verdicts: tuple[LoopVerdict, ...]
    lines: tuple[int, ...]


@lru_cache(maxsize=64)
def judged(source: str, promises: tuple[Promise, ...] = ()) -> tuple[JudgedNest, ...]:
    """Every nest of a C text with its verdicts, under what is promised; several tests ask about one text."""
    return tuple(_judged(source, promises))


def _judged(source: str, promises: tuple[Promise, ...]) -> Iterator[JudgedNest]:
    for function in parse(source).functions:
        for lowered in function.nests:
            nest = delinearise(lowered.nest)
            verdicts = loop_verdicts(nest, promises)
            headers = dict(lowered.spans.header)
            starts = [lowered.spans.base + headers[verdict.loop].start for verdict in verdicts]
            lines = tuple(source.count("\n", 0, start) + 1 for start in starts)
            yield JudgedNest(function.name, lowered, nest, verdicts, lines)
