"""What leaves statements early."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.ir.nest import Exit, Loop, Statement, walk_statements


def exits_of(body: tuple[Statement, ...]) -> Iterator[Exit]:
    """The statements in a body that end more than a loop inside of it: in a loop's body its own `break`s too."""
    inside = {statement.id for statement in walk_statements(body) if isinstance(statement, Loop)}
    for statement in walk_statements(body):
        if isinstance(statement, Exit) and statement.leaves not in inside:
            yield statement
