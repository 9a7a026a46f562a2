"""A thread's body for several outputs or with tiles: loops that all threads of a block run alike, and groups between.

A group is run for each output before the next group is (unroll and jam), which the independence of the grid's
iterations allows. A loop around groups has bounds that are the same for all threads, so that barriers may stand in it.
Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 8.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Binary, Cast, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ports.cuda.body_text import names_in
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.workload.kernels.steps_together import why_apart


@dataclass(frozen=True, slots=True)
class Group:
    """Statements that run for one output after the other."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """A loop that all threads of a block run alike."""

    loop: Loop
    parts: tuple[Part, ...]


Part = Group | SharedLoop


def parts_of(
    body: tuple[Statement, ...], varying: frozenset[str], staged: frozenset[NodeId], *, shares_all: bool
) -> tuple[Part, ...]:
    """The body as groups and loops around them.

    `varying` are names that threads have other values of, `staged` loops that must be shared because tiles are filled
    in them; `shares_all` shares every other loop that can be. Raises PortRefusedError where a loop must be and can't.
    """
    found: list[Part] = []
    run: list[Statement] = []
    for number, statement in enumerate(body):
        holds = any(one.id in staged for one in walk_statements((statement,)))
        rest = body[:number] + body[number + 1 :]
        why = _why_not_shared(statement, varying, rest)
        if isinstance(statement, Loop) and not why and (holds or shares_all):
            if run:
                found.append(Group(tuple(run)))
                run = []
            found.append(SharedLoop(statement, parts_of(statement.body, varying, staged, shares_all=shares_all)))
            continue
        if holds:
            raise PortRefusedError(f"a tile can't be filled inside of a branch or loop that threads run apart: {why}")
        run.append(statement)
    if run:
        found.append(Group(tuple(run)))
    return tuple(found)


def groups_in(parts: tuple[Part, ...], around: tuple[Loop, ...] = ()) -> Iterator[tuple[Group, tuple[Loop, ...]]]:
    """All groups with the shared loops around them."""
    for part in parts:
        if isinstance(part, Group):
            yield part, around
        else:
            yield from groups_in(part.parts, (*around, part.loop))


def kept_between(parts: tuple[Part, ...], scalars: frozenset[str], arrays: dict[str, NodeId | None]) -> list[str]:
    """Variables and arrays of a thread that live from one group to another, so that each output needs its own copy.

    `arrays` are by the loop that they are declared in.
    """
    kept: list[str] = []
    every = [(group, around, frozenset().union(*map(names_in, group.statements))) for group, around in groups_in(parts)]
    for name in (*sorted(scalars), *sorted(arrays)):
        users = [(group, around) for group, around, names in every if name in names]
        if len(users) > 1:
            if name in arrays or any(is_read_before_written(group.statements, name) for group, _ in users):
                kept.append(name)
        elif len(users) == 1 and users[0][1]:
            group, around = users[0]
            inner = {around[-1].id, *(s.id for s in walk_statements(group.statements) if isinstance(s, Loop))}
            is_fresh = arrays[name] in inner if name in arrays else not is_read_before_written(group.statements, name)
            if not is_fresh:
                kept.append(name)
    return kept


def shared_iterators(parts: tuple[Part, ...]) -> frozenset[str]:
    """Iterators of the shared loops; raises PortRefusedError where a group outside of the loop reads one."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, SharedLoop):
            found |= {part.loop.iterator, *shared_iterators(part.parts)}
    for group, around in groups_in(parts):
        for name in sorted(found - {loop.iterator for loop in around}):
            if is_read_before_written(group.statements, name):
                raise PortRefusedError(f"`{c_name(name)}` is used outside of its loop")
    return frozenset(found)


def is_harmless(group: Group, staged: frozenset[NodeId], own: frozenset[str]) -> bool:
    """Whether running the group for an output that does not exist changes nothing and touches no global memory.

    Tiles of floating-point numbers may be read: what comes of a place that nobody filled is thrown away. `own` are the
    variables that each output has.
    """
    for statement in walk_statements(group.statements):
        match statement:
            case Assign(target=ScalarRef(name) as target) if name in own and _is_floating(target):
                pass
            case Loop() if statement.start is not None and not statement.limit_reads and not statement.exact_end:
                pass
            case _:
                return False
        for expression in expressions_of(statement):
            if not all(_is_safe(node, staged, own) for node in walk(expression)):
                return False
    return True


def _is_safe(node: Expression, staged: frozenset[NodeId], own: frozenset[str]) -> bool:
    match node:
        case Load(access):
            return access.id in staged and _is_floating(node)
        case ScalarRef(name):
            return name not in own or _is_floating(node)
        case Cast(operand):
            return _is_floating(node) or not _is_floating(operand)
        case Binary(operator):
            return _is_floating(node) or operator not in {"/", "%", "<<", ">>"}
        case _:
            return True


def _why_not_shared(statement: Statement, varying: frozenset[str], rest: tuple[Statement, ...]) -> str:
    if not isinstance(statement, Loop):
        return "it stands under a condition"
    why = why_apart(statement, varying)
    if why:
        return why
    if any(is_read_before_written((one,), statement.iterator) for one in rest):
        return f"`{c_name(statement.iterator)}` is used outside of its loop"
    return ""


def _is_floating(node: Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "float"
