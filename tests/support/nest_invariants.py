"""Invariants of a nest that every pass relies on; tests hold every lowered nest against them."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Exit, Loop, LoopNest, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial


def violations(nest: LoopNest) -> tuple[str, ...]:
    """Broken invariants, in words; empty for a sound nest."""
    found: list[str] = []
    statements = tuple(walk_statements((nest.root,)))
    found += _ids(nest, statements)
    found += _names(nest, statements)
    for statement in statements:
        for access in accesses_of(statement):
            found += _access(access)
    found += _symbols(nest)
    return tuple(found)


def _ids(nest: LoopNest, statements: tuple[Statement, ...]) -> list[str]:
    found: list[str] = []
    ids = [statement.id for statement in statements]
    if nest.root.id != 0:
        found.append(f"the root loop is node {nest.root.id}")
    if ids != sorted(set(ids)):
        found.append(f"statement ids are not unique and ascending: {ids}")
    accesses = [access.id for statement in statements for access in accesses_of(statement)]
    twice = {a for a in accesses if accesses.count(a) > 1} | set(accesses).intersection(ids)
    if twice:
        found.append(f"ids used twice: {sorted(twice)}")
    loops = {statement.id for statement in statements if isinstance(statement, Loop)}
    found += [f"node {s.id} leaves {s.leaves}, which is no loop" for s in statements
              if isinstance(s, Exit) and s.leaves not in loops]  # fmt: skip
    return found


def _names(nest: LoopNest, statements: tuple[Statement, ...]) -> list[str]:
    scalars = [scalar.name for scalar in nest.scalars]
    arrays = {array.name for array in nest.arrays}
    known = {*scalars, *(symbol.name for symbol in nest.derived)}  # a subscript may be written in derived values
    found = [f"scalar {name} is declared twice" for name in set(scalars) if scalars.count(name) > 1]
    for statement in statements:
        used = [node.name for e in expressions_of(statement) for node in walk(e) if isinstance(node, ScalarRef)]
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            used.append(statement.target.name)
        if isinstance(statement, Loop):
            used.append(statement.iterator)
        found += [f"scalar {name} is not declared" for name in used if name not in known]
        found += [f"array {a.array} is not declared" for a in accesses_of(statement) if a.array not in arrays]
    return found


def _access(access: Access) -> list[str]:
    found: list[str] = []
    if not len(access.subscripts) == len(access.indices) == len(access.extents):
        found.append(f"access {access.id} has subscripts, indices and extents of different length")
    if access.element_bytes < 1:
        found.append(f"access {access.id} has elements of {access.element_bytes} bytes")
    return found


def _symbols(nest: LoopNest) -> list[str]:
    """Every symbol is an iterator of a loop around its use, a parameter or derived; no name is two of them."""
    computed = {symbol.name for symbol in nest.derived if symbol.formula is not None}
    constant = set(nest.parameters) | {symbol.name for symbol in nest.derived}
    found = [f"{name} is a parameter and derived" for name in computed.intersection(nest.parameters)]
    found += [
        f"the formula of {symbol.name} uses {name}"
        for symbol in nest.derived
        if symbol.formula is not None
        for name in symbol.formula.parameters - set(nest.parameters)
    ]
    if list(nest.parameters) != sorted(nest.parameters):
        found.append("the parameters are not sorted")
    stack: list[tuple[Statement, frozenset[str]]] = [(nest.root, frozenset())]
    while stack:
        statement, iterators = stack.pop()
        inner = iterators
        if isinstance(statement, Loop):
            if statement.step == 0:
                found.append(f"loop {statement.id} has step 0")
            inner = iterators | {statement.iterator}
            bounds = (statement.start, *statement.limits)
            found += _free(statement.id, bounds, constant | iterators)
        for access in accesses_of(statement):
            found += _free(access.id, (*access.indices, *access.extents), constant | inner)
        for body in ("body", "then", "otherwise"):
            stack += [(child, inner) for child in getattr(statement, body, ())]
    return found


def _free(node: NodeId, polynomials: Iterable[Polynomial | None], known: set[str] | frozenset[str]) -> list[str]:
    symbols = frozenset(name for p in polynomials if p is not None for name in p.symbols)
    return [f"node {node} uses {name}, which is neither iterator nor parameter" for name in symbols - known]
