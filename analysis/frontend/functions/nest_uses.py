"""What a lowered nest uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, Call, ScalarRef, walk
from warplens.analysis.ir.nest import ArrayObject, Assign, DerivedSymbol, Loop, walk_statements
from warplens.analysis.ir.polynomial import Polynomial


def symbols_used(root: Loop, arrays: Mapping[str, ArrayObject]) -> set[str]:
    """Symbols of all polynomials of the nest."""
    found: set[str] = set()

    def add(polynomial: Polynomial | None) -> None:
        if polynomial is not None:
            found.update(polynomial.symbols)

    for statement in walk_statements((root,)):
        if isinstance(statement, Loop):
            add(statement.start)
            for limit in statement.limits:
                add(limit)
        for access in accesses_of(statement):
            for polynomial in (*access.indices, *access.extents):
                add(polynomial)
    for array in arrays.values():
        for extent in array.extents:
            add(extent)
    return found


def scalars_used(root: Loop) -> frozenset[str]:
    """Scalars that the nest reads or writes."""
    names: set[str] = set()
    for statement in walk_statements((root,)):
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            names.add(statement.target.name)
        elif isinstance(statement, Loop):
            names.add(statement.iterator)
        for expression in expressions_of(statement):
            names.update(node.name for node in walk(expression) if isinstance(node, ScalarRef))
    return frozenset(names)


def arrays_used(root: Loop) -> frozenset[str]:
    """Objects that the nest accesses."""
    return frozenset(access.array for s in walk_statements((root,)) for access in accesses_of(s))


def has_unseen_calls(root: Loop) -> bool:
    """Whether functions are called whose code is not in sight, those included that are assumed to be pure."""
    return any(
        isinstance(part, Call) and part.effects in {"unseen", "assumed", "ends"}
        for statement in walk_statements((root,))
        for expression in expressions_of(statement)
        for part in walk(expression)
    )


def with_reads(symbol: DerivedSymbol, loaded: Mapping[str, Access], arrays: Mapping[str, ArrayObject]) -> DerivedSymbol:
    """The symbol with the objects that its value is loaded from; `loaded` are loads by the symbols that they became."""
    names = {symbol.name} if symbol.formula is None else symbol.formula.parameters
    reads = [loaded[name] for name in sorted(names & loaded.keys())]
    return replace(symbol, read_from=tuple(replace(arrays[read.array], element=read.type) for read in reads))
