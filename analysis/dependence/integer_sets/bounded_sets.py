"""Integer sets from rows, within a budget of operations that all questions about one nest share.

A system's choices are taken one by one, and combinations without an integer point are dropped at once: isl's own
reading of a formula would multiply all of them out first. isl reads the rows in the notation of PolyLib, a tenth of
the work that a formula takes.

An operation here is one coefficient that is read or worked on. isl counts its allocations besides, within a limit for
each question; neither depends on the machine. No isl object leaves the files of the solvers.

Source: Verdoolaege, isl: an integer set library for the polyhedral model, ICMS 2010; Loechner, PolyLib, 1999 (format).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import islpy as isl
from warplens.analysis.dependence.integer_sets.constraint_rows import Row, Symbols
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget, TooComplexError
from warplens.analysis.dependence.integer_sets.pair_rows import PairRows, Question
from warplens.analysis.dependence.subscripts.iteration_domain import Reference

__all__ = ["BoundedSets", "TooComplexError"]

Answer = TypeVar("Answer")

OPERATION_LIMIT = 600_000
"""Coefficients for all questions that the verdicts of a nest ask, whatever its budget leaves."""

ALLOCATIONS = (20_000, 200_000)
"""What isl may allocate for one question: few at first; one that needs more is charged for it, and asked once more."""

QUICK_TEST_OPERATIONS = 20
"""What a test without integer programming counts as."""

MOST_PARTS = 32
"""Combinations of choices, each with an integer point, that one question may have once neighbours are joined."""

FEW_UNKNOWNS = 6
"""Columns to project out that no equality gives a value, which are eliminated at once."""

MOST_CONSTRAINTS = 128
"""Of one set while many columns are eliminated: the next one may square them."""

MOST_UNKNOWNS = 24
"""Columns to project out that no equality gives a value: isl's work explodes with them, unseen by its own limit."""

LONG_EQUALITY = 6
"""Columns to project out that one equality may hold: beyond, isl's rows triple with each, and so does the charge."""


COEFFICIENTS_PER_OPERATION = 3
"""Coefficients that count as one operation of the nest's budget."""

ALLOCATIONS_PER_OPERATION = 2
"""The same of isl's allocations."""

ROW_OPERATIONS = 3
"""What it counts as to make one row, or one case of a choice."""

MANY_ROWS = 64
"""Constraints of one set, beyond which what is asked of it takes as long as their square: eliminating unknowns may
make hundreds of them."""

LARGE_SYSTEM = 1000
"""Coefficients of one system, beyond which deciding it grows with their cube, as the simplex algorithm does."""


class BoundedSets:
    """Sets of one nest; `operations` are those used so far, which the nest's budget counts too."""

    def __init__(self, budget: NestBudget, limit: int = OPERATION_LIMIT, beside: BoundedSets | None = None) -> None:
        """Sets within a limit of their own."""
        self.operations = 0
        self.budget = budget
        self._limit = limit
        if beside is None:
            self.context = isl.Context()
        else:
            self.context = beside.context

    @property
    def is_spent(self) -> bool:
        """Whether no operation is left for another question."""
        return self.budget.is_spent or self.operations == self._limit

    def within_limits(self, ask: Callable[[], Answer]) -> Answer:
        """The answer to one question, if isl does not need too much for it. Raises TooComplexError.

        isl does not tell how much it used. So a question is charged for all that it was allowed where that was too
        little: what isl uses unseen is little.
        """
        before = self.operations
        for allowed in ALLOCATIONS:
            self.operations = before
            self.context.reset_operations()
            self.context.set_max_operations(allowed)
            try:
                return ask()
            except isl.Error:
                self.budget.use(allowed // ALLOCATIONS_PER_OPERATION)
        raise TooComplexError

    def charge(self, found: isl.Set, times: int = 1) -> None:
        """Count so many operations on each coefficient of the set, before they are done. Raises TooComplexError.

        Of a large system each constraint is held against all others.
        """
        sizes = [(part.n_constraint(), part.total_dim()) for part in found.get_basic_sets()]
        self.use(times * sum(rows * columns for rows, columns in sizes))
        large = sum(rows * columns * (rows // MANY_ROWS) for rows, columns in sizes)
        self.budget.use(times * large // COEFFICIENTS_PER_OPERATION)

    def pair(
        self,
        source: Reference,
        sink: Reference,
        level: int,
        symbols: Symbols | None = None,
        *,
        in_one_iteration: bool = False,
        is_filling: bool = False,
    ) -> PairRows:
        """Rows of a pair, counted by how many there are. Raises TooComplexError."""
        rows = PairRows(source, sink, level, symbols, in_one_iteration=in_one_iteration, is_filling=is_filling)
        self.budget.use(ROW_OPERATIONS * rows.size)
        return rows

    def points(self, question: Question) -> isl.Set:
        """The question's points over its kept columns; one whose parts are known to be empty has none.

        Raises TooComplexError, isl.Error.
        """
        layout = _Layout(question)
        if layout.longest_equality > LONG_EQUALITY:
            self.use(layout.width * 3**layout.longest_equality)
        parts = [part for part in (self._part(question.system.rows, layout),) if not part.is_empty()]
        for choice in question.system.choices if parts else ():
            cases = [self._part(rows, layout) for rows in choice]
            self.use(layout.width * len(parts) * len(cases))
            parts = [both for part in parts for case in cases if not (both := part.intersect(case)).is_empty()]
            if len(parts) > MOST_PARTS:
                self.use(layout.width * len(parts) ** 2)
                parts = self._union(parts, layout).coalesce().get_basic_sets()
            if len(parts) > MOST_PARTS:
                raise TooComplexError
        if any(layout.others - _equalities(part) > MOST_UNKNOWNS for part in parts if layout.others > MOST_UNKNOWNS):
            raise TooComplexError
        found = self._union(parts, layout)
        if any(layout.others - _equalities(part) > FEW_UNKNOWNS for part in parts):
            return self._eliminated(found, layout)
        return found.project_out(isl.dim_type.set, layout.kept, layout.others)

    def _eliminated(self, found: isl.Set, layout: _Layout) -> isl.Set:
        """The set without its columns to project out, one by one: each may square the number of constraints."""
        for column in reversed(range(layout.kept, layout.kept + layout.others)):
            found = found.project_out(isl.dim_type.set, column, 1)
            self.budget.use(layout.width)
            if any(part.n_constraint() > MOST_CONSTRAINTS for part in found.get_basic_sets()):
                raise TooComplexError
        return found

    def _union(self, parts: Iterable[isl.BasicSet], layout: _Layout) -> isl.Set:
        found = isl.Set.empty(isl.Space.set_alloc(self.context, layout.parameters, layout.kept + layout.others))
        for part in parts:
            found = found.union(part.to_set())
        return found

    def _part(self, rows: Iterable[Row], layout: _Layout) -> isl.BasicSet:
        text = layout.text(rows)
        read = layout.width * text.count("\n")
        self.use(read * max(1, (read // LARGE_SYSTEM) ** 2))
        return isl.BasicSet.read_from_str(self.context, text)

    def use_quick_test(self) -> None:
        """Count a test before it is made. Raises TooComplexError."""
        self.budget.use_kept(QUICK_TEST_OPERATIONS)

    def use(self, operations: int) -> None:
        """Count operations before they are done; once there were too many, none is left. Raises TooComplexError."""
        self.operations = min(self.operations + operations, self._limit)
        if self.operations == self._limit:
            raise TooComplexError
        self.budget.use(operations // COEFFICIENTS_PER_OPERATION)


def _equalities(part: isl.BasicSet) -> int:
    kinds = (isl.dim_type.cst, isl.dim_type.param, isl.dim_type.set, isl.dim_type.div)
    return int(part.equalities_matrix(*kinds).rows())


class _Layout:
    """Order of a question's columns in isl's rows: kept, others, parameters, constant."""

    def __init__(self, question: Question) -> None:
        system, parameters = question.system, question.table.columns
        every = (*system.rows, *(row for choice in system.choices for rows in choice for row in rows))
        used = dict.fromkeys(column for _, terms in every for column, _ in terms)
        others = [column for column in used if column and column not in {*question.kept, *parameters}]
        order = (*question.kept, *others, *parameters, "")
        self.kept, self.others, self.parameters = len(question.kept), len(others), len(parameters)
        self.width = len(order) + 1
        self._at = {column: at for at, column in enumerate(order, 1)}
        lengths = [self._unknowns(terms) for is_equality, terms in every if is_equality]
        self.longest_equality = max(lengths, default=0) - max(len(lengths) - 1, 0)
        """Columns to project out in one equality, less those that the others give a value: solved for one of them, it
        becomes rows that hold all the rest."""

    def _unknowns(self, terms: Iterable[tuple[str, int]]) -> int:
        return sum(self.kept < self._at[column] <= self.kept + self.others for column, _ in terms if column)

    def text(self, rows: Iterable[Row]) -> str:
        """PolyLib's notation: a head with the counts, then a line per row that begins with 0 for an equality."""
        lines = []
        for is_equality, terms in rows:
            line = ["0"] * self.width
            line[0] = "0" if is_equality else "1"
            for column, coefficient in terms:
                line[self._at[column]] = str(coefficient)
            lines.append(" ".join(line))
        head = f"{len(lines)} {self.width} {self.kept + self.others} 0 0 {self.parameters}"
        return "\n".join([head, *lines, ""])
