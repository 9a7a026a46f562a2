"""An element that a thread's loop only ever uses in one place, held in a variable while the loop runs.

    for (k) c[i][j] += a[i][k] * b[k][j];

reads and writes memory in each iteration, since no compiler may keep a store back that it does not know to happen.
With the loop inside of those over i and j the thread reads `c[i][j]` once, and writes it once behind the loop. The
values, and how they are rounded, are the source's.

Assumes: the element is the thread's own, which the loops around being parallel shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, Binary, Expression, Load, ScalarRef
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, ScalarObject, Statement, walk_statements
from warplens.analysis.ir.types import INT
from warplens.analysis.mapping.moved_values import assigned, header_names
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.partial_sums import in_register, is_number, is_same_element, runs_at_all

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class HeldElements:
    """What stands in a loop's place, and the variables that it needs."""

    statements: Statements
    scalars: tuple[ScalarObject, ...] = ()


def held_elements(nest: LoopNest, loop: Loop, names: NewNames) -> HeldElements:
    """The loop with each element in a variable that it, or a loop inside of it, accumulates in and does not move."""
    found = _elements(nest, loop)
    if not found:
        return HeldElements((loop,))
    runs = found[0][1]
    starts: list[Statement] = []
    ends: list[Statement] = []
    scalars: list[ScalarObject] = []
    for element in (one for one, when in found if when == runs):
        held = ScalarObject(names.name("held"), element.type, "body", used_after=False)
        here = ScalarRef(held.name, element.type)
        loop = replace(loop, body=tuple(in_register(one, element, held) for one in loop.body))
        starts.append(Assign(names.id(), here, "", Load(replace(element, id=names.id()))))
        ends.append(Assign(names.id(), element, "", here))
        scalars.append(held)
    statements: Statements = (*starts, loop, *ends)
    return HeldElements(statements if runs is True else (If(names.id(), runs, statements),), tuple(scalars))


def _elements(nest: LoopNest, loop: Loop) -> list[tuple[Access, Expression | Literal[True]]]:
    """Elements that each iteration writes and nothing in the loop uses elsewhere, with when any of them runs."""
    changing = assigned((loop,))
    accesses = [access for one in walk_statements((loop,)) for access in accesses_of(one)]
    found: list[tuple[Access, Expression | Literal[True]]] = []
    for target, path in _written(loop, ()):
        if not is_number(target.type) or any(index is None or index.symbols & changing for index in target.indices):
            continue
        if any(header_names(one) & changing for one in path[1:]):
            continue  # how often the inner loop runs is not known before the outer one does
        runs = _run_at_all(nest, path)
        is_new = not any(is_same_element(target, other) for other, _ in found)
        of_array = (access for access in accesses if access.array == target.array)
        if runs is not None and is_new and all(is_same_element(access, target) for access in of_array):
            found.append((target, runs))
    return found


def _written(loop: Loop, around: tuple[Loop, ...]) -> Iterator[tuple[Access, tuple[Loop, ...]]]:
    """What each iteration of a loop, and of those inside of it, writes; with these loops, outer ones first."""
    path = (*around, loop)
    for one in loop.body:
        if isinstance(one, Loop):
            yield from _written(one, path)
        elif isinstance(one, Assign) and isinstance(one.target, Access):
            yield one.target, path


def _run_at_all(nest: LoopNest, path: tuple[Loop, ...]) -> Expression | Literal[True] | None:
    """Whether all loops have an iteration: True, or a condition of C; None where a header has no such form."""
    found: Expression | Literal[True] = True
    for loop in path:
        runs = runs_at_all(nest, loop)
        if runs is None:
            return None
        if runs is not True:
            found = runs if found is True else Binary("&&", found, runs, INT)
    return found
