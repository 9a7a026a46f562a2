"""What keeps a loop from being analysed at all, in the terms of the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.dependence.conflicts.overlaps import overlaps
from warplens.analysis.dependence.pointers.aliasing import overlapping_rows
from warplens.analysis.dependence.pointers.moving_pointers import (
    moving_objects,
    own_rows,
    read_alone,
    scratch_objects,
)
from warplens.analysis.dependence.pointers.thread_parts import picks_parts_only
from warplens.analysis.dependence.pointers.volatile_accesses import volatile_accesses
from warplens.analysis.dependence.subscripts.wrapping import wrapping_subscripts
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, Call, Expression, Load, ScalarRef, Unknown, c_text, loads, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath, member_steps
from warplens.analysis.ir.nest import (
    Assign,
    Evaluate,
    Exit,
    Loop,
    LoopNest,
    OpaqueStatement,
    Statement,
    walk_statements,
)
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.thread_number import THREAD_NUMBER
from warplens.analysis.ir.types import ArrayOf, CType, Field, PointerTo, StructOf

_NOTHING = PromisesInForce()


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A reason and the statement it is about."""

    reason: str
    node: NodeId


def obstacles(nest: LoopNest, loop: Loop, promises: PromisesInForce = _NOTHING) -> tuple[Obstacle, ...]:
    """Everything in a loop that makes its verdict unknown before any dependence is looked at."""
    leaving, ordinary = leaving_functions(loop), promises.names(Ordinary)
    vouched = promises.names(Independent).difference((THREAD_NUMBER, *printing_functions(loop), *leaving))
    vouched |= promises.names(Uncalled).intersection(leaving)
    vouched |= frozenset((THREAD_NUMBER,) if picks_parts_only(loop) else ())
    vouched |= frozenset(() if promises.is_output_ordered else printing_functions(loop))
    found = [*_header(nest, loop, vouched)]
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    pointers = {array.name for array in nest.arrays}
    for statement in walk_statements(loop.body):
        match statement:
            case Exit(id, kind, leaves):
                if leaves == loop.id or leaves not in inside:
                    found.append(Obstacle(f"leaves the loop early by `{kind}`", id))
            case OpaqueStatement(id, reason):
                found.append(Obstacle(reason, id))
            case Evaluate(id, expression):
                found.extend(_unknown_calls(expression, id, vouched))
            case Assign(id, ScalarRef(name)) if name in pointers:
                found.append(Obstacle(f"the pointer `{name}` itself changes in the loop", id))
            case Loop() if not statement.step:
                found.append(Obstacle(_uncounted(statement), statement.id))
            case _:
                pass
        if not isinstance(statement, Evaluate):
            parts = expressions_of(statement)
            if _stores_an_address(nest, statement):
                parts = parts[:-1]
            for expression in parts:
                found.extend(_unknown_calls(expression, statement.id, vouched, _keeps_addresses(statement)))
    for access in volatile_accesses(nest, loop):
        if access.name not in ordinary:
            reason = f"`{c_name(access.written)}` is volatile or atomic: the order of its accesses matters"
            found.append(Obstacle(reason, access.statement))
    found.extend(
        Obstacle(f"`{w.text}`, a subscript of `{w.array}`, wraps", w.statement)
        for w in wrapping_subscripts(loop)
        if w.is_certain
    )
    copied = scratch_objects(nest, loop, promises.names(Private))
    apart, unshared = promises.apart, promises.names(Unshared)
    found.extend(_pointers(nest, loop, own_rows(nest, loop, unshared) | copied))
    met = (one for one in overlaps(nest, loop) if not (one.is_denied(apart, unshared) or one.objects <= copied))
    found.extend(Obstacle(one.reason, one.node) for one in met)
    return tuple(dict.fromkeys(found))


def _keeps_addresses(statement: Statement) -> bool:
    """Whether an address in the statement may be followed later by other names: not one that a variable gets.

    What pointer variables lead to is an object of its own, with those that it may meet. A number that is not known, as
    how often a loop inside runs, is none.
    """
    return isinstance(statement, Assign) and isinstance(statement.target, Access)


def _stores_an_address(nest: LoopNest, statement: Statement) -> bool:
    """Whether an address goes to memory through which nothing in the nest is reached: the value doesn't matter."""
    if not isinstance(statement, Assign) or isinstance(statement.target, ScalarRef) or statement.operator:
        return False
    target, value = statement.target, statement.value
    if not isinstance(value, Unknown) or not isinstance(value.type, PointerTo):
        return False
    if not target.member:
        return all(len(a.extents) <= len(target.subscripts) for a in nest.arrays if a.name == target.array)
    holder = MemoryPath.of(c_name(target.array))
    return not any(MemoryPath.of(c_name(a.name)).leads_through(holder, target.member) for a in nest.arrays)


def _pointers(nest: LoopNest, loop: Loop, own: frozenset[str]) -> list[Obstacle]:
    """Pointers that lead to other memory in other iterations, but those to each one's `own`, and rows that overlap."""
    nodes: dict[str, NodeId] = {}
    for statement in walk_statements((loop,)):
        for access in accesses_of(statement):
            nodes.setdefault(access.array, statement.id)
    moved = [a for a in moving_objects(nest, loop) if a.name in nodes and a.name not in own]
    read = read_alone(moved, nest, loop)
    found = [
        Obstacle(f"the pointer `{c_name(a.name)}` itself changes in the loop", nodes[a.name])
        for a in moved
        if a.name not in read
    ]
    for table, node in overlapping_rows(nest, loop):
        reason = f"the rows of `{c_name(table.name)}` may overlap: each is set from `{table.rows_from}`"
        found.append(Obstacle(reason, node))
    return found


def _header(nest: LoopNest, loop: Loop, independent: frozenset[str]) -> list[Obstacle]:
    if not loop.step or not (loop.limits or loop.bound_reads):
        return [Obstacle(_uncounted(loop), loop.id)]
    found: list[Obstacle] = []
    scalars = {loop.iterator: loop.id for loop in _inner_loops(loop)}
    stores: list[Access] = []
    objects = {array.name: array.element for array in nest.arrays}
    for statement in walk_statements(loop.body):
        if isinstance(statement, Assign):
            if isinstance(statement.target, ScalarRef):
                scalars.setdefault(statement.target.name, statement.id)
            else:
                stores.append(statement.target)
    if loop.iterator in scalars:
        found.append(Obstacle(f"its iterator `{loop.iterator}` changes in the body", scalars[loop.iterator]))
    for bound in loop.bound_reads:
        found.extend(_unknown_calls(bound, loop.id, independent))
        read = {node.name for node in walk(bound) if isinstance(node, ScalarRef)}
        changed = sorted(
            (read & scalars.keys())
            | {a.array for a in loads(bound) if any(_may_change(a, store, objects) for store in stores)}
        )
        if changed:
            found.append(Obstacle(f"its bound `{c_text(bound)}` changes in the body (`{c_name(changed[0])}`)", loop.id))
        elif _is_asked_again(bound, loop.iterator):
            reason = f"each iteration reads `{c_text(bound)}` to know whether there is a next one"
            found.append(Obstacle(reason, loop.id))
    for polynomial in (loop.start, *loop.limits):
        changed = sorted(polynomial.symbols & scalars.keys() - {loop.iterator}) if polynomial is not None else []
        if changed and polynomial is not loop.start:
            found.append(Obstacle(f"its bound `{polynomial}` changes in the body (`{c_name(changed[0])}`)", loop.id))
    return found


def _is_asked_again(bound: Expression, iterator: str) -> bool:
    """Whether a value in the header is another one in each iteration: memory the iterator leads to, a call of it."""
    for part in walk(bound):
        if isinstance(part, Load) and any(i is not None and iterator in i.symbols for i in part.access.indices):
            return True
        inner = part.access.subscripts if isinstance(part, Load) else part.arguments if isinstance(part, Call) else ()
        if any(isinstance(node, ScalarRef) and node.name == iterator for one in inner for node in walk(one)):
            return True
    return False


def _may_change(read: Access, store: Access, objects: Mapping[str, CType]) -> bool:
    """Whether a store may reach what is read in the same object: members of a struct beside each other share no bytes.

    Source: ISO C17 6.7.2.1 paragraph 15 (members lie one after the other), 6.5.6 paragraph 8 (a subscript stays in its
    array).
    """
    if read.array != store.array:
        return False
    element = objects.get(read.array)
    for one, other in zip(_members(element, read), _members(element, store), strict=False):
        if one.field != other.field:
            return one.is_union
    return True


@dataclass(frozen=True, slots=True)
class _Member:
    field: Field
    is_union: bool


def _members(ctype: CType | None, access: Access) -> list[_Member]:
    """The members that an access names from the outside in; none where it takes the memory for another type."""
    found: list[_Member] = []
    for step in member_steps(access.member):
        while isinstance(ctype, ArrayOf):
            ctype = ctype.element
        fields = ctype.fields if isinstance(ctype, StructOf) else ()
        field = next((field for field in fields if field.name == step.name), None)
        if field is None or not isinstance(ctype, StructOf):
            return []
        found.append(_Member(field, ctype.is_union))
        ctype = field.type
    offset_bytes = sum(one.field.offset_bytes for one in found)
    is_first = not any(step.subscripts for step in member_steps(access.member))  # `v[2]` is behind where `v` starts
    is_there = offset_bytes == access.member_offset_bytes if is_first else offset_bytes <= access.member_offset_bytes
    return found if is_there else []


def _inner_loops(loop: Loop) -> list[Loop]:
    return [s for s in walk_statements(loop.body) if isinstance(s, Loop)]


def _uncounted(loop: Loop) -> str:
    return f"its iterations can't be counted: {loop.bound_reason}" if loop.bound_reason else "it has no bound"


def _unknown_calls(
    expression: Expression, node: NodeId, independent: frozenset[str], keeps_addresses: bool = True
) -> list[Obstacle]:
    calls = []
    unknown = []
    for part in walk(expression):
        if isinstance(part, Call) and not part.is_math:
            can_be = part.effects in {"unseen", "prints", "leaves"} or part.function == THREAD_NUMBER
            is_vouched = part.function in independent and can_be
            if part.effects in {"unknown", "unseen", "prints", "leaves"} and not is_vouched:
                calls.append(Obstacle(part.note or f"calls `{part.function}`, whose effects are unknown", node))
        elif isinstance(part, Unknown) and (keeps_addresses or not part.is_pure):
            unknown.append(Obstacle(part.reason, node))
    return calls or unknown  # what a call is given doesn't matter once the call is in the way
