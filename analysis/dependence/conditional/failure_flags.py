"""Flags that say what went wrong: where nothing does, they hold throughout a loop what they held before it.

`if (!status) y[i] = solve(i, &status);`, `if (r = step(i)) failed |= r;`. Such a flag gets one of several codes, or
functions of other files get its address. Which code is left depends on the order, if there is any: whoever knows that
there is none knows that each write stores what the flag holds already, and that stands in nobody's way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
    walk,
)
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_JOINING = frozenset(("|", "||", "&&", "==", "!="))


def kept_flags(loop: Loop, scalars: Iterable[ScalarObject]) -> dict[str, Reduction]:
    """Flags of outside the loop that may keep their values, each with what its writes then amount to.

    They are integers with a value before, that the loop sets under conditions alone, to constants and to what calls
    give; that are tested, joined by `|` and handed to calls, and get into no other value, no address and no bound.
    """
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    outer = {s.name for s in scalars if s.declared_in not in inside and _is_integer(s) and not s.is_unset}
    written: dict[str, list[Assign]] = {}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            written.setdefault(statement.target.name, []).append(statement)
    always = {s.id for s in loop.body if isinstance(s, Assign) and s.operator != "|"}
    moving = {loop.iterator, *(s.iterator for s in walk_statements(loop.body) if isinstance(s, Loop))}
    return {
        name: Reduction(name, "store", writes[0].id)
        for name, writes in sorted(written.items())
        if name in outer
        and always.isdisjoint(write.id for write in writes)
        and _gets_codes(name, written, moving, set())
        and _only_decides(loop, _copies(name, written))
    }


def says_kept(nest: LoopNest, loops: Iterable[Loop], name: str) -> bool:
    """Whether a name is such a flag of one of the loops."""
    return any(name in kept_flags(loop, nest.scalars) for loop in loops)


def _is_integer(scalar: ScalarObject) -> bool:
    return isinstance(scalar.type, Scalar) and scalar.type.kind != "float"


def _gets_codes(name: str, written: Mapping[str, Sequence[Assign]], moving: Collection[str], met: set[str]) -> bool:
    """Whether all that a variable is set to is made of constants and of what calls give, not of an iteration's data."""
    if name in met:
        return True
    met.add(name)
    if name in moving:
        return False
    for write in written.get(name, ()):
        if write.operator not in {"", "|"}:
            return False
        for node in _outside_calls(write.value):
            match node:
                case ScalarRef(other) if not _gets_codes(other, written, moving, met):
                    return False
                case ScalarRef() | Constant() | Call() | Cast() | Conditional() | Unary():
                    pass
                case Binary(operator) if operator in _JOINING:
                    pass
                case _:
                    return False
    return True


def _copies(name: str, written: Mapping[str, Sequence[Assign]]) -> frozenset[str]:
    """The flag and the variables that get a value made of it, but by a call."""
    names, before = {name}, 0
    while len(names) != before:
        before = len(names)
        names |= {n for n, writes in written.items() if any(_reads(write.value, names) for write in writes)}
    return frozenset(names)


def _only_decides(loop: Loop, names: Collection[str]) -> bool:
    """Whether names are read by tests against constants, by calls and by each other alone."""
    for statement in walk_statements((loop,)):
        if isinstance(statement, Loop):
            bounds = (statement.start, *statement.limits)
            if _is_in(bounds, names) or any(_reads(bound, names) for bound in statement.bound_reads):
                return False
        elif isinstance(statement, Assign) and isinstance(target := statement.target, Access):
            if _is_in(target.indices, names):
                return False
            if any(_reads(expression, names) for expression in expressions_of(statement)):
                return False
        for part in (node for expression in expressions_of(statement) for node in walk(expression)):
            if isinstance(part, Load) and _is_in(part.access.indices, names):
                return False
            if isinstance(part, Load) and any(_reads(subscript, names) for subscript in part.access.subscripts):
                return False
            if isinstance(part, Binary) and part.operator in _COMPARISONS and _reads(part, names):
                sides = (part.left, part.right)
                if not any(all(isinstance(n, Constant | Cast | Unary) for n in walk(side)) for side in sides):
                    return False
    return True


def _is_in(polynomials: Iterable[Polynomial | None], names: Collection[str]) -> bool:
    return any(p is not None and not p.symbols.isdisjoint(names) for p in polynomials)


def _reads(expression: Expression, names: Collection[str]) -> bool:
    """Whether a value is made of one of the names, but by a call."""
    return any(isinstance(node, ScalarRef) and node.name in names for node in _outside_calls(expression))


def _outside_calls(expression: Expression) -> Iterator[Expression]:
    """The expression and all below it, calls without what they get."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Call):
            stack += children(node)
