"""A loop inside of a kernel's rows whose iterations the threads of a row's team share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.text.directive_text import Clause


@dataclass(frozen=True, slots=True)
class TeamLoop:
    """`private` are variables from outside of the loop that each of its iterations sets for itself, as C names.

    `has_lanes`: nothing in it runs in a loop or calls a function, so that lanes may run it in step.
    """

    loop: NodeId
    private: tuple[str, ...]
    reductions: tuple[PlannedReduction, ...]
    has_lanes: bool


def reduction_clauses(reductions: Sequence[PlannedReduction]) -> Iterator[Clause]:
    """One clause per operator."""
    for operator in dict.fromkeys(each.operator for each in reductions):
        yield Clause("reduction", operator, tuple(each.text for each in reductions if each.operator == operator))
