"""Sums that the source keeps in a variable, kept in the element that they begin with and end in.

    w = a[i][j];  for (k) w -= a[i][k] * a[k][j];  a[i][j] = w / a[j][j];

is the same as `for (k) a[i][j] -= a[i][k] * a[k][j];  a[i][j] = a[i][j] / a[j][j];`, where the loop uses that element
nowhere else: then steps of many such sums may be done at once, as no variable can hold them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.integer_sets.bounded_sets import TooComplexError
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.transforms.dependence_vectors import VectorSolver
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, Statement, walk_statements
from warplens.analysis.ir.rewrite_accesses import with_operands
from warplens.analysis.mapping.moved_values import assigned, read
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.partial_sums import is_same_element

Statements = tuple[Statement, ...]


def sums_in_elements(nest: LoopNest) -> LoopNest:
    """The nest with such sums in their elements; itself where it has none, or the variable is used for more."""
    writer = _Writer(NewNames(nest))
    root = writer.loop(nest.root)
    if not writer.sums or (assigned((root,)) | read((root,))) & writer.variables:
        return nest
    if any(scalar.used_after for scalar in nest.scalars if scalar.name in writer.variables):
        return nest
    found = replace(nest, root=root)
    return found if _are_used_once(found, writer.sums) else nest


class _Writer:
    """Writes bodies anew; `sums` are loops with the element of each, `variables` those that held them."""

    def __init__(self, names: NewNames) -> None:
        self._names = names
        self.sums: dict[NodeId, Access] = {}
        self.variables: set[str] = set()

    def loop(self, loop: Loop) -> Loop:
        """The loop with sums in elements."""
        return replace(loop, body=self._body(loop.body))

    def _body(self, body: Statements) -> Statements:
        found: list[Statement] = []
        at = 0
        while at < len(body):
            written = self._sum(body[at : at + 3])
            if written is not None:
                found += written
                at += 3
                continue
            one = body[at]
            if isinstance(one, Loop):
                one = self.loop(one)
            elif isinstance(one, If):
                one = replace(one, then=self._body(one.then), otherwise=self._body(one.otherwise))
            found.append(one)
            at += 1
        return tuple(found)

    def _sum(self, three: Statements) -> Statements | None:
        """A load, a loop that adds and a store as a loop that adds to the element, and the store where it does more."""
        match three:
            case (
                Assign(_, ScalarRef(name, ctype), "", Load(element)),
                Loop(body=(Assign(_, ScalarRef(added), "+" | "-", value) as step,)) as loop,
                Assign(_, Access() as target, "", stored) as store,
            ) if added == name and ctype == element.type and is_same_element(target, element):
                pass
            case _:
                return None
        if _reads(value, name) or any(index is None for index in element.indices):
            return None
        self.sums[loop.id] = element
        self.variables.add(name)
        sums = replace(loop, body=(replace(step, target=element),))
        if stored == ScalarRef(name, ctype):
            return (sums,)
        here = Load(replace(element, id=self._names.id()))
        return sums, replace(store, value=_with(stored, name, here))


def _reads(expression: Expression, name: str) -> bool:
    return _with(expression, name, None) is not expression


def _with(expression: Expression, name: str, value: Expression | None) -> Expression:
    """The expression with a value in the place of a variable; with None another object where it has that."""

    def change(node: Expression) -> Expression:
        if not (isinstance(node, ScalarRef) and node.name == name):
            return node
        return replace(node) if value is None else value

    return with_operands(expression, change)


def _are_used_once(nest: LoopNest, sums: dict[NodeId, Access]) -> bool:
    """Whether in no iteration of the loops around it a sum's loop uses its element for anything else."""
    every = references(nest)
    solver = VectorSolver()
    for loop in (one for one in walk_statements((nest.root,)) if isinstance(one, Loop) and one.id in sums):
        element = sums[loop.id]
        inside = {access.id for one in loop.body for access in accesses_of(one) if access.array == element.array}
        here = [one for one in every if one.id in inside]
        own = next((one for one in here if one.id == element.id and one.is_write), None)
        others = [one for one in here if one.id != element.id]
        if own is None or _meet(own, others, loop, solver):
            return False
    return True


def _meet(own: Reference, others: Iterable[Reference], loop: Loop, solver: VectorSolver) -> bool:
    """Whether the sum's loop uses its element elsewhere, in any two of its iterations."""
    level = [each.id for each in own.place.loops].index(loop.id)
    try:
        for other in others:
            if solver.carried(own, other, level) or solver.carried(other, own, level):
                return True
            if solver.in_one_iteration(own, other):
                return True
    except TooComplexError:
        return True
    return False
