"""Statements between kernels that use arrays: one thread of the device runs them, so that nothing goes back and forth.

    for (k) { kernel over i;  r[k][k] = sqrt(norm);  kernel over j; }

has the statement as a kernel of one thread. One that sets a variable for the host stays there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT
from warplens.analysis.mapping.moved_values import assigned, is_understood, used_arrays
from warplens.analysis.mapping.new_names import NewNames

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SingleThreads:
    """The body with such statements in loops that run once; `copies` are these, each with the loop around it."""

    body: Statements
    copies: tuple[tuple[NodeId, NodeId], ...]


def with_single_threads(body: Statements, is_kernel: Callable[[Loop], bool], names: NewNames) -> SingleThreads:
    """Write them in all loops around kernels."""
    writer = _Writer(is_kernel, names)
    return SingleThreads(writer.body(body, None), tuple(writer.copies))


def once(names: NewNames, body: Statements) -> Loop:
    """A loop that runs the body once, with one thread where it is a kernel."""
    one, ends = Polynomial.constant(1), Polynomial(())
    return Loop(names.id(), names.name("once"), INT, ends, (one,), 1, body, declares_iterator=True)


class _Writer:
    def __init__(self, is_kernel: Callable[[Loop], bool], names: NewNames) -> None:
        self._is_kernel, self._names = is_kernel, names
        self.copies: list[tuple[NodeId, NodeId]] = []

    def body(self, body: Statements, around: Loop | None) -> Statements:
        found: list[Statement] = []
        run: list[Statement] = []
        for one in body:
            if around is not None and self._may_be_alone(one):
                run.append(one)
                continue
            found += self._alone(run, around)
            run = []
            found.append(self._inside(one))
        return (*found, *self._alone(run, around))

    def _inside(self, one: Statement) -> Statement:
        """A loop around kernels with what stands between them."""
        if not isinstance(one, Loop) or self._is_kernel(one) or not _kernels((one,), self._is_kernel):
            return one
        return replace(one, body=self.body(one.body, one))

    def _may_be_alone(self, one: Statement) -> bool:
        has_loop = any(isinstance(inner, Loop) for inner in walk_statements((one,)))
        if has_loop or assigned((one,)) or not is_understood((one,)):
            return False
        return bool(used_arrays((one,)))

    def _alone(self, run: list[Statement], around: Loop | None) -> Statements:
        if not run or around is None:
            return tuple(run)
        loop = once(self._names, tuple(run))
        self.copies.append((loop.id, around.id))
        return (loop,)


def _kernels(body: Statements, is_kernel: Callable[[Loop], bool]) -> tuple[Loop, ...]:
    """The outermost loops that are kernels."""
    return tuple(_found(body, is_kernel))


def _found(body: Statements, is_kernel: Callable[[Loop], bool]) -> Iterator[Loop]:
    for one in body:
        if isinstance(one, Loop):
            if is_kernel(one):
                yield one
            else:
                yield from _found(one.body, is_kernel)
