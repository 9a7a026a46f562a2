"""An element that a thread's loop only ever uses in one place, held in a variable while the loop runs.

    for (k) c[i][j] += a[i][k] * b[k][j];

reads and writes memory in each iteration, since no compiler may keep a store back that it does not know to happen.
With the loop inside of those over i and j the thread reads `c[i][j]` once, and writes it once behind the loop. The
values, and how they are rounded, are the source's.

Assumes: the element is the thread's own, which the loops around being parallel shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, Load, ScalarRef
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, ScalarObject, Statement, walk_statements
from warplens.analysis.mapping.moved_values import assigned
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.partial_sums import in_register, is_number, is_same_element, runs_at_all

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class HeldElements:
    """What stands in a loop's place, and the variables that it needs."""

    statements: Statements
    scalars: tuple[ScalarObject, ...] = ()


def held_elements(nest: LoopNest, loop: Loop, names: NewNames) -> HeldElements:
    """The loop with each element in a variable that it accumulates in and does not move."""
    runs = runs_at_all(nest, loop)
    elements = _elements(loop)
    if runs is None or not elements:
        return HeldElements((loop,))
    starts: list[Statement] = []
    ends: list[Statement] = []
    scalars: list[ScalarObject] = []
    for element in elements:
        held = ScalarObject(names.name("held"), element.type, "body", used_after=False)
        here = ScalarRef(held.name, element.type)
        loop = replace(loop, body=tuple(in_register(one, element, held) for one in loop.body))
        starts.append(Assign(names.id(), here, "", Load(replace(element, id=names.id()))))
        ends.append(Assign(names.id(), element, "", here))
        scalars.append(held)
    statements: Statements = (*starts, loop, *ends)
    return HeldElements(statements if runs is True else (If(names.id(), runs, statements),), tuple(scalars))


def _elements(loop: Loop) -> tuple[Access, ...]:
    """Elements that statements of the loop write in each iteration, and that nothing in it uses at another place."""
    changing = assigned((loop,))
    accesses = [access for one in walk_statements((loop,)) for access in accesses_of(one)]
    found: list[Access] = []
    for one in loop.body:
        if not isinstance(one, Assign) or not isinstance(one.target, Access) or not is_number(one.target.type):
            continue
        target = one.target
        if any(index is None or index.symbols & changing for index in target.indices):
            continue
        is_new = not any(is_same_element(target, other) for other in found)
        if is_new and all(is_same_element(access, target) for access in accesses if access.array == target.array):
            found.append(target)
    return tuple(found)
