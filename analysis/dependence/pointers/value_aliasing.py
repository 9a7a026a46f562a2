"""Pointers that may lead to a plain value of a loop: a variable that others reach, a bound read from memory.

`for (i = 0; i < *n; i++) a[i] = i;` ends elsewhere if `a` reaches `*n`, and `a[i] = g` stores another value once `a`
reached `g`. C allows both where the types may alias.

Source: ISO C17 6.5 paragraph 7, 6.7.3.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warplens.analysis.dependence.pointers.aliasing import may_overlap, overlap_assumption
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.polynomial import Polynomial


def value_assumptions(
    nest: LoopNest, loop: Loop, accessed: Collection[str], written: Collection[str]
) -> Iterator[Assumption]:
    """One per pair of a pointer and a value, at least one of them written in the loop."""
    symbols = _symbols_read(loop)
    for derived in nest.derived:
        read_from = derived.read_from if derived.name in symbols else ()
        for source in read_from:
            for array in nest.arrays:
                if array.name in written and array.name != source.name and may_overlap(array, source):
                    yield overlap_assumption(*sorted((array, source), key=lambda one: one.name))
        if derived.name in symbols and derived.formula is not None:
            symbols |= derived.formula.parameters
    assigned = {
        s.target.name for s in walk_statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    }
    for scalar in nest.scalars:
        if not (scalar.is_exposed or scalar.address_taken) or scalar.name not in symbols | assigned:
            continue
        for array in nest.arrays:
            is_changed = array.name in written or (scalar.name in assigned and array.name in accessed)
            if is_changed and may_overlap(array, _in_memory(scalar)):
                text = f"`{array.name}` is assumed not to point to `{scalar.name}`."
                yield Assumption("alias", f"{array.name}, {scalar.name}", text, names=(array.name, scalar.name))


def _symbols_read(loop: Loop) -> frozenset[str]:
    """Symbols and scalars that iterations read: all but the start of the loop itself, which is read before them."""
    polynomials: list[Polynomial | None] = []
    names: set[str] = set()
    for statement in walk_statements((loop,)):
        if isinstance(statement, Loop):
            polynomials += statement.limits
            if statement is not loop:
                polynomials.append(statement.start)
        for access in accesses_of(statement):
            polynomials += access.indices
        for expression in expressions_of(statement):
            names.update(node.name for node in walk(expression) if isinstance(node, ScalarRef))
    return frozenset(names).union(*(p.symbols for p in polynomials if p is not None))


def _in_memory(scalar: ScalarObject) -> ArrayObject:
    return ArrayObject(scalar.name, scalar.type, 0, (), scalar.scope, is_pointer=False)
