"""Arrays with a part for each thread: `double *mine = work + n * omp_get_thread_num();`.

Code written for threads numbers them and gives each its own part of a work array. Here the number is a constant of the
nest, as it is for the iterations that one thread runs. Its own value means nothing to them: it may only pick parts.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.facts.calls.printing import only_print
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Expression,
    Load,
    ScalarRef,
    Unknown,
    children,
    walk,
)
from warplens.analysis.ir.nest import Assign, Loop, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.thread_number import THREAD_NUMBER, THREAD_NUMBER_SYMBOL
from warplens.analysis.ir.types import PointerTo


def picks_parts_only(loop: Loop) -> bool:
    """Whether the loop uses the number of its thread for nothing but subscripts, addresses, prints and unseen calls."""
    every = tuple(walk_statements((loop,)))
    if not any(_asks_for_it(statement) for statement in every):
        return True
    holders = _holders(loop)
    return not any(_uses_the_value(statement, holders) for statement in every)


def number_assumption(loop: Loop) -> tuple[Assumption, ...]:
    """What is taken for granted where the number decides what is printed."""
    every = tuple(walk_statements((loop,)))
    if not any(_asks_for_it(statement) for statement in every):
        return ()
    holders = _holders(loop)
    if not any(_prints_the_value(statement, holders) for statement in every):
        return ()
    text = (
        f"`{THREAD_NUMBER}` is 0 where one thread runs the loop (OpenMP 5.2, 18.2.4): that what is printed depends on "
        "it is assumed not to matter."
    )
    return (Assumption("context", THREAD_NUMBER, text),)


def _holders(loop: Loop) -> frozenset[str]:
    """Scalars with a value computed from the number, transitively."""
    assigns = [s for s in walk_statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)]
    names: set[str] = set()
    before = -1
    while len(names) != before:
        before = len(names)
        names |= {s.target.name for s in assigns if isinstance(s.target, ScalarRef) and _reveals(s, names)}
    return frozenset(names)


def has_part_per_thread(references: Iterable[Reference]) -> bool:
    """Whether all references to one array pick the part of their own thread, by one of its subscripts.

    Parts of a size that is a number are checked to hold what is picked, others are assumed to (`part_assumption`).
    """
    indices = [reference.positions or reference.indices for reference in references]
    shortest = min((len(each) for each in indices), default=0)
    return any(_is_in_one_part([each[d] for each in indices]) for d in range(shortest))


def _is_in_one_part(indices: Iterable[Polynomial | None]) -> bool:
    sizes: set[Polynomial] = set()
    for index in indices:
        if index is None:
            return False
        size, rest = index.coefficient(THREAD_NUMBER_SYMBOL), index.without((THREAD_NUMBER_SYMBOL,))
        if not size.terms or THREAD_NUMBER_SYMBOL in size.symbols:
            return False
        if size.is_constant and not (rest.is_constant and 0 <= rest.constant_term < size.constant_term):
            return False
        sizes.add(size)
    return len(sizes) == 1


def part_assumption(name: str) -> Assumption:
    """What a verdict takes for granted of such an array."""
    text = (
        f"`{name}` has a part for each thread (`{THREAD_NUMBER}`): each iteration is assumed to have one of its own, "
        "apart from the others."
    )
    return Assumption("context", name, text)


def _asks_for_it(statement: Statement) -> bool:
    """Whether the statement has the number itself: most loops have no such statement."""
    if _decides_how_often(statement, frozenset()):
        return True
    return any(_is_thread_number(part) for expression in expressions_of(statement) for part in walk(expression))


def _is_thread_number(value: Expression) -> bool:
    return isinstance(value, Call) and value.function == THREAD_NUMBER


def _is_holder(part: Expression, holders: Container[str]) -> bool:
    return _is_thread_number(part) or (isinstance(part, ScalarRef) and part.name in holders)


def _uses_the_value(statement: Statement, holders: frozenset[str]) -> bool:
    if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef) and statement.target.name in holders:
        return False
    return not only_print((statement,)) and (_decides_how_often(statement, holders) or _reveals(statement, holders))


def _prints_the_value(statement: Statement, holders: frozenset[str]) -> bool:
    """Whether the number is printed, or decides whether something is."""
    if not only_print((statement,)):
        return False
    used = (part for expression in expressions_of(statement) for part in walk(expression))
    return _decides_how_often(statement, holders) or any(_is_holder(part, holders) for part in used)


def _decides_how_often(statement: Statement, holders: frozenset[str]) -> bool:
    if not isinstance(statement, Loop):
        return False
    bounds = [p for p in (statement.start, *statement.limits) if p is not None]
    return any(not holders.isdisjoint(p.symbols) or THREAD_NUMBER_SYMBOL in p.symbols for p in bounds)


def _reveals(statement: Statement, holders: Container[str]) -> bool:
    """Whether the value matters to the statement, and not just which part of an array it touches or hands on."""
    harmless: set[int] = set()
    for access in _accesses(statement):
        for subscript, index in zip(access.subscripts, access.indices, strict=True):
            harmless.update(map(id, walk(subscript) if index is not None else _added_up(subscript)))
    for expression in expressions_of(statement):
        for whole in walk(expression):
            is_unseen = isinstance(whole, Call) and whole.effects == "unseen"
            is_address = isinstance(whole, Unknown) and isinstance(whole.type, PointerTo)
            if is_unseen or is_address:
                harmless.update(id(part) for part in walk(whole) if part is not whole)
    return any(
        _is_holder(part, holders)
        for expression in expressions_of(statement)
        for part in walk(expression)
        if id(part) not in harmless
    )


def _added_up(subscript: Expression) -> Iterator[Expression]:
    """What a subscript is the sum of: data may decide where in the part, but not from the number which part it is."""
    stack = [subscript]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Cast) or (isinstance(part, Binary) and part.operator in {"+", "-", "*"}):
            stack += children(part)


def _accesses(statement: Statement) -> Iterator[Access]:
    if isinstance(statement, Assign) and isinstance(statement.target, Access):
        yield statement.target
    for expression in expressions_of(statement):
        yield from (part.access for part in walk(expression) if isinstance(part, Load))
