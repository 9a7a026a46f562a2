"""Flags and counters that only report: `if (failed) status = 0;`, `if (status == 0) continue;`, `show(++done, rows)`.

What iterations leave in such a variable decides at most whether others do their work, or is handed to functions that
are not in sight and give nothing back that is kept; it never gets into a value or an address, and in the end it holds
the same in whichever order they ran: a count, or the one value that all of them store. Whether anybody minds what it
holds in between only the user can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from warplens.analysis.facts.reduction import Accumulation, accumulations
from warplens.analysis.facts.same_value_store import store_one_value
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Access, Call, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.types import PointerTo


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
        operators = {counting[s.id].operator for s in writes if s.id in counting}
        counts = len(operators) == 1 and all(s.id in counting for s in writes)
        if not counts and (operators or not store_one_value(loop, writes)):
            continue
        followers = _followers(name, assigns)
        if any(follower in outer for follower in followers - {name}) or _gets_into_a_value(loop, followers):
            continue
        if counts and not _ends_itself(loop, followers, writes):
            found[name] = tuple(Reduction(name, operator, writes[0].id) for operator in operators)
        elif not counts:
            found[name] = (Reduction(name, "store", writes[0].id),)
    return found


def only_reports(nest: LoopNest, loops: Iterable[Loop], name: str) -> bool:
    """Whether a name is such a variable of one of the loops."""
    if all(scalar.name != name for scalar in nest.scalars):
        return False
    folds = accumulations((nest.root,), nest.scalars)
    return any(name in reporting_scalars(loop, nest.scalars, folds) for loop in loops)


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
                gives_pointer = isinstance(expression, Call) and isinstance(expression.type, PointerTo)
                if gives_pointer and not names.isdisjoint(_read(expression)):
                    return True
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


def _ends_itself(loop: Loop, names: frozenset[str], writes: Sequence[Assign]) -> bool:
    """Whether what a counter holds decides if it counts on: `if (done < 5) done++;` ends elsewhere in another order."""
    counted = {s.id for s in writes}
    return any(
        isinstance(s, If)
        and not names.isdisjoint(_read(s.condition))
        and any(inner.id in counted for inner in walk_statements((*s.then, *s.otherwise)))
        for s in walk_statements(loop.body)
    )


def _read(expression: Expression) -> frozenset[str]:
    return frozenset(node.name for node in walk(expression) if isinstance(node, ScalarRef))


def _in_address(access: Access, names: frozenset[str]) -> bool:
    symbols = {name for index in access.indices if index is not None for name in index.symbols}
    read = {n.name for subscript in access.subscripts for n in walk(subscript) if isinstance(n, ScalarRef)}
    return not names.isdisjoint(symbols | read)
