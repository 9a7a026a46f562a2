"""Flags and counters that only report: `if (failed) status = 0;`, `if (status == 0) continue;`, `show(++done, rows)`.

What iterations leave in such a variable decides at most whether others do their work, or is handed to functions that
are not in sight; it never gets into a value or an address. Whether that matters only the user can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from warplens.analysis.facts.reduction import Accumulation
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Access, Call, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, ScalarObject, Statement, walk_statements


def reporting_scalars(
    loop: Loop, scalars: Iterable[ScalarObject], folds: Iterable[Accumulation]
) -> dict[str, tuple[Reduction, ...]]:
    """Scalars of outside the loop that only report, each with what its writes amount to if nobody minds its reads."""
    outer = {s.name for s in scalars if s.declared_in is None and not s.address_taken}
    assigns = [s for s in walk_statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)]
    written = {s.target.name for s in assigns if isinstance(s.target, ScalarRef)}
    counting = {fold.statement: fold for fold in folds if not fold.is_array_element}
    found: dict[str, tuple[Reduction, ...]] = {}
    for name in sorted(written & outer):
        writes = [s for s in assigns if isinstance(s.target, ScalarRef) and s.target.name == name]
        followers = _followers(name, assigns)
        if any(follower in outer for follower in followers - {name}) or _gets_into_a_value(loop, followers):
            continue
        operators = {counting[s.id].operator for s in writes if s.id in counting}
        if len(operators) == 1 and all(s.id in counting for s in writes):
            found[name] = tuple(Reduction(name, operator, writes[0].id) for operator in operators)
        elif not operators and all(_is_conditional(loop.body, s) for s in writes):
            found[name] = (Reduction(name, "store", writes[0].id),)
    return found


def _followers(name: str, assigns: Sequence[Assign]) -> frozenset[str]:
    """The scalar and those that get a value computed from it, transitively."""
    names = {name}
    before = 0
    while len(names) != before:
        before = len(names)
        names |= {
            s.target.name for s in assigns if isinstance(s.target, ScalarRef) and not names.isdisjoint(_read(s.value))
        }
    return frozenset(names)


def _gets_into_a_value(loop: Loop, names: frozenset[str]) -> bool:
    """Whether one of the names decides what is stored, where, or how often a loop runs."""
    for statement in walk_statements((loop,)):
        match statement:
            case Assign(_, ScalarRef(target), _, value):
                if target not in names and not names.isdisjoint(_read(value)):
                    return True
                parts = [value]
            case Assign(_, Access() as target, _, value):
                if not names.isdisjoint(_read(value)):
                    return True
                parts = [value, *target.subscripts]
                if _in_address(target, names):
                    return True
            case If(_, condition):
                parts = [condition]
            case Evaluate(_, expression):
                parts = [expression]
            case Loop():
                bounds = [p for p in (statement.start, *statement.limits) if p is not None]
                if any(not names.isdisjoint(p.symbols) for p in bounds):
                    return True
                if any(not names.isdisjoint(_read(bound)) for bound in statement.bound_reads):
                    return True
                parts = []
            case _:
                parts = []
        for part in parts:
            if any(isinstance(node, Load) and _in_address(node.access, names) for node in walk(part)):
                return True
    return False


def _read(expression: Expression) -> frozenset[str]:
    """Scalars whose value an expression has, those apart that only unseen functions get."""
    return frozenset(_values(expression))


def _values(expression: Expression) -> Iterator[str]:
    handed = {
        id(part)
        for call in walk(expression)
        if isinstance(call, Call) and call.effects == "unseen"
        for argument in call.arguments
        for part in walk(argument)
    }
    return (n.name for n in walk(expression) if isinstance(n, ScalarRef) and id(n) not in handed)


def _in_address(access: Access, names: frozenset[str]) -> bool:
    symbols = {name for index in access.indices if index is not None for name in index.symbols}
    read = {n.name for subscript in access.subscripts for n in walk(subscript) if isinstance(n, ScalarRef)}
    return not names.isdisjoint(symbols | read)


def _is_conditional(body: tuple[Statement, ...], statement: Statement) -> bool:
    return not any(s.id == statement.id for s in body)
