"""Statements that may be run again at another place of a nest: they set variables of the iteration and nothing else.

`float w = weight[i];` between two loops may stand inside the inner one, where each iteration sets `w` for itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, Call, Expression, ScalarRef, Unknown, loads, reads_volatile, walk
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, OpaqueStatement, Statement, walk_statements

_PURE = ("none", "assumed")


def sets_values_only(statement: Statement) -> bool:
    """Whether it assigns scalars, perhaps under conditions, and does nothing else that could be noticed."""
    for one in walk_statements((statement,)):
        match one:
            case Assign(target=ScalarRef()) | If():
                if any(not _is_repeatable(expression) for expression in expressions_of(one)):
                    return False
            case _:
                return False
    return True


def is_understood(body: Iterable[Statement]) -> bool:
    """Whether all that a body does is in the nest: no statement is opaque, no call unknown, nothing leaves early."""
    for one in walk_statements(tuple(body)):
        if isinstance(one, Exit | OpaqueStatement | Evaluate):
            return False
        if any(not _is_repeatable(expression) for expression in expressions_of(one)):
            return False
    return True


def assigned(body: Iterable[Statement]) -> frozenset[str]:
    """Scalars that a body sets, iterators of its loops among them."""
    names: set[str] = set()
    for one in walk_statements(tuple(body)):
        if isinstance(one, Loop):
            names.add(one.iterator)
        elif isinstance(one, Assign) and isinstance(one.target, ScalarRef):
            names.add(one.target.name)
    return frozenset(names)


def read(body: Iterable[Statement]) -> frozenset[str]:
    """Scalars whose value a body uses, in bounds and subscripts too."""
    names: set[str] = set()
    for one in walk_statements(tuple(body)):
        for expression in expressions_of(one):
            names |= {node.name for node in walk(expression) if isinstance(node, ScalarRef)}
        for access in accesses_of(one):
            names |= {symbol for index in access.indices if index is not None for symbol in index.symbols}
        match one:
            case Assign(target=ScalarRef(name), operator=operator) if operator:
                names.add(name)
            case Loop():
                names |= header_names(one)
            case _:
                pass
    return frozenset(names)


def header_names(loop: Loop) -> frozenset[str]:
    """Names of scalars, parameters and other loops' iterators that a loop's header uses."""
    bounds = (loop.start, *loop.limits, *(added for _, added in loop.limit_reads))
    names = {symbol for bound in bounds if bound is not None for symbol in bound.symbols}
    reads = [*loop.bound_reads, *(one for one, _ in loop.limit_reads)]
    reads += [] if loop.start_read is None else [loop.start_read]
    names |= {node.name for each in reads for node in walk(each) if isinstance(node, ScalarRef)}
    for each in reads:
        for access in loads(each):
            names |= {symbol for index in access.indices if index is not None for symbol in index.symbols}
    return frozenset(names)


def written_arrays(body: Iterable[Statement]) -> frozenset[str]:
    """Arrays that a body writes."""
    found = (one.target for one in walk_statements(tuple(body)) if isinstance(one, Assign))
    return frozenset(target.array for target in found if isinstance(target, Access))


def used_arrays(body: Iterable[Statement]) -> frozenset[str]:
    """Arrays that a body reads or writes."""
    return frozenset(access.array for one in walk_statements(tuple(body)) for access in accesses_of(one))


def _is_repeatable(expression: Expression) -> bool:
    if reads_volatile(expression):
        return False
    return not any(
        isinstance(node, Unknown) or (isinstance(node, Call) and not node.is_math and node.effects not in _PURE)
        for node in walk(expression)
    )
