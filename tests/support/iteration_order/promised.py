"""Loops that call functions of another file, run in any order: where promises are kept, and where they are broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run


@dataclass(frozen=True, slots=True)
class Promised:
    """C text whose last loop over `i` is undecided; `kept` and `broken` are bodies of the functions that it calls."""

    source: str
    kept: str
    broken: str


def matters_in_any_order(case: Promised, tmp_path: Path) -> tuple[bool, bool]:
    """Whether another order of the loop computes something else: with the promises kept, and with them broken."""
    undecided = [v for nest in judged(case.source) for v in nest.verdicts if v.kind == "unknown"]
    conditions = tuple(dict.fromkeys(promise for verdict in undecided for promise in verdict.conditions))
    assert conditions
    line = case.source[: case.source.rindex(" for (int i")].count("\n") + 1
    changed = any_order(case.source, promises=conditions)
    assert line in {each.line for each in changed.loops}, changed.left_out
    outcomes = [run(changed, tmp_path, body) for body in (case.kept, case.broken)]
    assert all(line not in outcome.idle for outcome in outcomes)
    kept, broken = (line in outcome.differs for outcome in outcomes)
    return kept, broken
