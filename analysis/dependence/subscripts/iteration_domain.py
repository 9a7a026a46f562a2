"""The iterations in which a reference executes, and what it touches there.

Shape: `{ S[i, j] : constraints }` per reference; a reference executes at each point of its set unless `uncertain_depth`
says that data decides too.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Lookup, Standing
from warplens.analysis.dependence.subscripts.whole_quotients import WholeQuotient
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    Assign,
    Loop,
    LoopNest,
    Statement,
    walk_statements,
)
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a statement stands: loops around it (outer first) and affine guards, all of which hold when it runs.

    `uncertain_depth` is d when something inside the d outermost loops, that affine constraints can't express, also
    decides whether it runs: within one iteration of d loops the set is exact, beyond that it is an upper bound.
    """

    loops: tuple[Loop, ...]
    guards: tuple[Disjunction, ...] = ()
    uncertain_depth: int = 0
    definitions: tuple[Definition, ...] = ()
    """Of the symbols in the guards and bounds that are neither iterators nor constant."""
    wholes: tuple[WholeQuotient, ...] = ()
    """Constants of the nest that are quotients without remainder, whether they occur here or not."""

    def is_exact_for(self, level: int) -> bool:
        """Whether the set is exact when the iterators of the loops outside loop number `level` are fixed."""
        return self.uncertain_depth <= level


@dataclass(frozen=True, slots=True)
class Reference:
    """One read or write of an array element, or of a scalar (no indices; `id` is the statement's).

    An index is None where it is not a polynomial over the iterators around it and the parameters. `positions` are the
    indices, with the subscripts that are quasi-affine: polynomials over iterators, parameters and the symbols of
    `definitions`. `first_byte` and `size_bytes` say which part of the element is touched (a member).
    """

    id: NodeId
    statement: NodeId
    variable: str
    indices: tuple[Polynomial | None, ...]
    is_write: bool
    place: Place
    first_byte: int = 0
    size_bytes: int = 0
    access: Access | None = None
    positions: tuple[Polynomial | None, ...] = ()
    definitions: tuple[Definition, ...] = ()

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """Values in memory that decide what it touches, or whether it does."""
        return tuple(d for d in (*self.definitions, *self.place.definitions) if isinstance(d, Lookup))

    def is_decided_by_data(self, level: int) -> bool:
        """Whether values in memory decide what it touches while the loops outside of loop number `level` stand."""
        fixed = {loop.iterator for loop in self.place.loops[:level]}
        moving = {loop.iterator for loop in self.place.loops} - fixed
        moving |= {definition.name for definition in (*self.definitions, *self.place.definitions)}
        data = (d for d in (*self.definitions, *self.place.definitions) if isinstance(d, Lookup | Standing))
        return any(not moving.isdisjoint(definition.symbols) for definition in data)

    @property
    def byte_address(self) -> Polynomial | None:
        """First byte touched, from the array's base; None where an index or an extent is not known."""
        linear = (
            None if self.access is None or None in self.indices or not self.size_bytes else self.access.linear_index
        )
        return None if linear is None or self.access is None else linear * self.access.element_bytes + self.first_byte


def same_layout(first: Reference, second: Reference) -> bool:
    """Whether equal indices mean the same element: the references see one array of one element type."""
    if len(first.indices) != len(second.indices):
        return False
    if first.access is None or second.access is None:
        return True
    left, right = first.access, second.access
    return left.element_bytes == right.element_bytes and left.extents[1:] == right.extents[1:]


def constant_symbols(nest: LoopNest) -> frozenset[str]:
    """Names whose value doesn't change in the nest."""
    return frozenset(nest.parameters) | {symbol.name for symbol in nest.derived}


def assigned_scalars(body: tuple[Statement, ...]) -> frozenset[str]:
    """Scalars that a statement of the body assigns; iterators of its loops are not among them unless assigned."""
    return frozenset(
        s.target.name for s in walk_statements(body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    )


def has_exact_bounds(loop: Loop) -> bool:
    """Whether the header's polynomials say exactly which iterations run."""
    return (
        loop.start is not None
        and bool(loop.limits)
        and loop.step != 0
        and not loop.bound_reads
        and not loop.bound_reason
        and (not loop.exact_end or abs(loop.step) == 1)
    )
