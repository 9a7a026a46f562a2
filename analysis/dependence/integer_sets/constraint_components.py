"""The part of a system that what is asked about depends on, and the rest: constraints that share no column with it.

Two iterations of an inner loop are compared while the loops around it stand still. What is known of those, of guards
there and of data read there, holds for both sides alike and says nothing of the inner iterations: whether it can hold
at all is one small question, the same for all pairs in these places.
"""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.dependence.integer_sets.constraint_rows import Row, Rows, System


def part_with(system: System, columns: Iterable[str]) -> tuple[System, System]:
    """The constraints that are linked to some of the columns, through other constraints or not, and those that aren't.

    A column's `extra` stays with the first part: it names no constraint.
    """
    linked = set(columns)
    every: list[tuple[Row | tuple[Rows, ...], frozenset[str]]] = [
        *((row, columns_of((row,))) for row in system.rows),
        *((choice, columns_of(row for rows in choice for row in rows)) for choice in system.choices),
    ]
    before = -1
    while len(linked) != before:
        before = len(linked)
        for _, used in every:
            if not linked.isdisjoint(used):
                linked |= used
    inside = [bool(used & linked) or not used for _, used in every]
    count = len(system.rows)
    main, rest = System(extra=system.extra), System()
    for at, is_inside in enumerate(inside):
        part = main if is_inside else rest
        if at < count:
            part.rows.append(system.rows[at])
        else:
            part.choices.append(system.choices[at - count])
    return main, rest


def columns_of(rows: Iterable[Row]) -> frozenset[str]:
    """Columns that occur in rows."""
    return frozenset(column for _, terms in rows for column, _ in terms if column)


def columns_of_system(system: System) -> frozenset[str]:
    """Columns that occur in a system."""
    return columns_of((*system.rows, *(row for choice in system.choices for rows in choice for row in rows)))
