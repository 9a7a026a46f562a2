"""The accesses of `volatile` objects in a loop: each happens, in the order of the source.

Source: ISO C17 6.7.3 paragraph 7, 5.1.2.3 paragraph 6.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, Statement, walk_statements
from warplens.analysis.ir.types import is_volatile


def volatile_accesses(loop: Loop) -> Iterator[tuple[str, NodeId]]:
    """What is read or written, in C syntax, with its statement; reads in the headers of loops are the loops' own."""
    for statement in walk_statements((loop,)):
        for part in _parts(statement):
            for node in walk(part):
                if isinstance(node, ScalarRef | Load) and is_volatile(node.type):
                    yield node.access.written if isinstance(node, Load) else node.name, statement.id


def _parts(statement: Statement) -> tuple[Expression, ...]:
    parts = expressions_of(statement)
    match statement:
        case Loop():
            starts = () if statement.start_read is None else (statement.start_read,)
            iterator = ScalarRef(statement.iterator, statement.iterator_type)
            return (*parts, *starts, *(read for read, _ in statement.limit_reads), iterator)
        case Assign(_, target):
            return (*parts, target if isinstance(target, ScalarRef) else Load(target))
        case _:
            return parts
