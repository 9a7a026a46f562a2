"""What a lowered nest uses, and whether a scalar's value may be read after it."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast
from warplens.analysis.frontend.extents import Extents
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import ScalarRef, walk
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, walk_statements
from warplens.analysis.ir.polynomial import Polynomial

_CONDITIONAL = frozenset({"if", "else", "switch", "while", "case", "?", "goto", "do"})


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


def is_read_after(unique: str, loop: c_ast.Node, extents: Extents) -> bool:
    """Whether the value may be read after the nest; the next use being `for (name = ...` it is not."""
    name = unique.partition("'")[0]
    tokens = extents.tokens
    end = extents.whole(extents.offset(loop.coord)).end
    seen_condition = False
    for index in range(len(tokens.texts)):
        if tokens.starts[index] < end:
            continue
        token = tokens.texts[index]
        seen_condition |= token in _CONDITIONAL
        if token == name and tokens.texts[index - 1] not in {".", "->"}:
            is_write = index + 1 < len(tokens.texts) and tokens.texts[index + 1] == "="
            return not is_write or seen_condition
    return False
