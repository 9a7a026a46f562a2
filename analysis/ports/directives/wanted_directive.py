"""A directive that a port wants above a loop or a statement, in either language, and what came of all of them."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ports.directives.broken_lines import directive_lines
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.text.directive_text import Clause


@dataclass(frozen=True, slots=True)
class WantedDirective:
    """A line above a loop, or above the statement that must be atomic: `node`. `language` is `omp` or `acc`.

    `at` is the offset in the source of what it stands above, where that is not the node itself. `guard` is a C
    condition without which the loop has no iteration, and which is to stand in an `if` above a new line.
    """

    node: NodeId
    construct: str
    clauses: tuple[Clause, ...] = ()
    language: str = "omp"
    at: int | None = None
    guard: str = ""

    @property
    def text(self) -> str:
        """The line, without indentation and line end."""
        return " ".join((f"#pragma {self.language}", self.construct, *(clause.text for clause in self.clauses)))

    def lines(self, indentation: str) -> tuple[str, ...]:
        """The same where it stands so far in, a long one broken between clauses."""
        return directive_lines(f"#pragma {self.language} {self.construct}", self.clauses, indentation)

    @property
    def has_condition(self) -> bool:
        """Whether the host runs the loop under some conditions."""
        return any(clause.name == "if" for clause in self.clauses)


@dataclass(frozen=True, slots=True)
class PlacedDirectives:
    """Edits in source order; `is_update`: a directive of the user's is among what they change.

    `teams` are the roots of kernels with a team per row, each with what its teams put together; `no_team` is why a
    kernel has none that is predicted to gain by it, empty for no such.
    """

    edits: tuple[TextEdit, ...] = ()
    wanted: tuple[WantedDirective, ...] = ()
    is_update: bool = False
    taken_for_granted: tuple[str, ...] = ()
    refusal: str = ""
    teams: tuple[tuple[NodeId, tuple[PlannedReduction, ...]], ...] = ()
    no_team: str = ""
