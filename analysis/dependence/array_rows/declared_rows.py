"""Subscripts of declared dimensions: in their rows, assumed to be, or taken as places in the whole object.

`a[i][j]` with `j` beyond its row is undefined, yet it names an element of the next row on every machine. So two
subscripts may be compared dimension by dimension only where each is known to stay in its row (ISO C17 6.5.6, J.2).
What sizes decide is a condition of the access (`row_conditions`). Where constants show that a subscript leaves its row,
or a pointer to the first element walks over all rows, the array's accesses get one dimension instead, which is exact;
not where an extent is no constant: a product of an iterator and a size fits in no integer set, so that is assumed too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.dependence.array_rows.row_bounds import at_least_zero, extreme, in_row
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import as_written
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Conditional,
    Constant,
    Load,
    c_text,
    children,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import member_steps
from warplens.analysis.ir.nest import ArrayObject, LoopNest, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rewrite_accesses import Change
from warplens.analysis.ir.symbol import kind_of
from warplens.analysis.ir.types import LONG, ArrayOf, CType, StructOf


@dataclass(frozen=True, slots=True)
class _Row:
    """A subscript that is not known to stay in its row of `extent` elements."""

    reference: Reference
    access: Access
    dimension: int
    extent: Polynomial
    is_conditional: bool

    @property
    def index(self) -> Polynomial | None:
        return self.reference.positions[self.dimension]

    def differences(self) -> tuple[Polynomial, ...] | None:
        """What must be at least zero, from the loops' own bounds; None where they don't say it in parameters."""
        index = self.index
        if index is None:
            return None
        lowest, highest = extreme(index, self.reference.place, -1), extreme(index, self.reference.place, 1)
        if lowest is None or highest is None:
            return None
        both = (lowest, self.extent - 1 - highest)
        plain = all(as_written(name) == name and kind_of(name) != "computed" for d in both for name in d.symbols)
        return both if plain else None

    @property
    def is_left(self) -> bool:
        """Whether it certainly leaves the row, or strides over rows, or walks over the object from its start."""
        index, place = self.index, self.reference.place
        if index is None:
            return False
        iterators = {loop.iterator for loop in place.loops}
        slopes = [index.coefficient(name) for name in iterators & index.symbols]
        width = self.extent.constant_term
        if self.extent.is_constant and any(s.is_constant and abs(s.constant_term) >= width for s in slopes):
            return True
        outer = self.access.indices[: self.dimension]
        if not self.access.member and slopes and all(i is not None and iterators.isdisjoint(i.symbols) for i in outer):
            text = self.access.text
            if text.count("[") < len(outer) + 1 and text:
                return True
        found = self.differences()
        is_sure = place.uncertain_depth == 0 and not self.is_conditional
        return is_sure and found is not None and any(d.is_constant and d.constant_term < 0 for d in found)


def keep_rows(
    group: tuple[Reference, ...], array: ArrayObject | None, conditional: frozenset[NodeId], solver: ConflictSolver
) -> dict[NodeId, Change]:
    """How the accesses of one array that the nest writes change where a declared row may be left.

    `conditional` are accesses that are not evaluated whenever their statement is.
    """
    rows = _rows(group, array, conditional, solver)
    accesses = [r.access for r in group if r.access is not None]
    inner = [extent for access in accesses for extent in access.extents[1:]]
    if any(row.is_left for row in rows) and all(extent is not None and extent.is_constant for extent in inner):
        return {access.id: in_one_dimension for access in accesses}
    strongest = _strongest([d for row in rows for d in row.differences() or () if not d.is_constant])
    found: dict[NodeId, tuple[str, ...]] = {}
    for row in rows:
        found[row.access.id] = (*found.get(row.access.id, ()), *_conditions(row, strongest))
    return {access: _Assuming(tuple(dict.fromkeys(conditions))) for access, conditions in found.items()}


@dataclass(frozen=True, slots=True)
class _Assuming:
    """The access under more conditions."""

    conditions: tuple[str, ...]

    def __call__(self, access: Access) -> Access:
        return replace(access, row_conditions=self.conditions)


def conditional_accesses(nest: LoopNest) -> frozenset[NodeId]:
    """Accesses on one side of `?:`, `&&` or `||`."""
    found: set[NodeId] = set()
    for statement in walk_statements((nest.root,)):
        for expression in expressions_of(statement):
            for node in walk(expression):
                if isinstance(node, Conditional) or (isinstance(node, Binary) and node.operator in {"&&", "||"}):
                    later = (below for operand in children(node)[1:] for below in walk(operand))
                    found |= {below.access.id for below in later if isinstance(below, Load)}
    return frozenset(found)


def _rows(
    group: tuple[Reference, ...], array: ArrayObject | None, conditional: frozenset[NodeId], solver: ConflictSolver
) -> list[_Row]:
    found: list[_Row] = []
    proved: dict[tuple[object, ...], bool] = {}
    for reference in group:
        access = reference.access
        if access is None:
            continue
        extents = access.extents if array is None else _declared(access, array)
        for dimension in range(1, len(extents)):
            extent, index = extents[dimension], reference.positions[dimension]
            if extent is None:
                continue
            question = (index, extent, reference.place)
            if question not in proved:
                proved[question] = index is not None and in_row(
                    index, extent, reference.place, solver, reference.definitions
                )
            if not proved[question]:
                found.append(_Row(reference, access, dimension, extent, access.id in conditional))
    return found


def _declared(access: Access, array: ArrayObject) -> tuple[Polynomial | None, ...]:
    """The access's extents, those of a member's own subscripts as declared: accesses have the struct's in elements."""
    rows = _rows_of_member(array.element, access.member) if access.member else ()
    own = len(access.extents) - len(array.extents)
    if not rows or own < 1:
        return access.extents
    if own == len(rows):
        return (*access.extents[: len(array.extents)], *(extent for extent, _ in rows))
    extent, element = rows[0]
    bytes_each = size_bytes(element)
    if own > 1 or extent is None or bytes_each is None or bytes_each % access.element_bytes:
        return access.extents
    return (*access.extents[:-1], extent * (bytes_each // access.element_bytes))  # one subscript for all of the member


def _rows_of_member(kind: CType, member: str) -> tuple[tuple[Polynomial | None, CType], ...]:
    """Extents and elements of the arrays in a member that its name leaves without a subscript: two of `a[2].b`."""
    rows: list[tuple[Polynomial | None, CType]] = []
    for step in member_steps(member):
        while isinstance(kind, ArrayOf):
            rows.append((kind.extent, kind.element))
            kind = kind.element
        field = next((f for f in kind.fields if f.name == step.name), None) if isinstance(kind, StructOf) else None
        if field is None:
            return ()
        kind = field.type
        for _ in step.subscripts:
            kind = kind.element if isinstance(kind, ArrayOf) else kind
    while isinstance(kind, ArrayOf):
        rows.append((kind.extent, kind.element))
        kind = kind.element
    return tuple(rows)


def _strongest(differences: list[Polynomial]) -> list[Polynomial]:
    """Those that are not at least another one, by a constant."""
    distinct = list(dict.fromkeys(differences))
    return [
        d for d in distinct
        if not any((d - other).is_constant and (d - other).constant_term > 0 for other in distinct)
    ]  # fmt: skip


def _conditions(row: _Row, strongest: list[Polynomial]) -> Iterator[str]:
    differences = row.differences()
    if differences is not None and all(d.is_constant is False or d.constant_term >= 0 for d in differences):
        for difference in differences:
            if not difference.is_constant:
                yield at_least_zero(next(s for s in strongest if (difference - s).is_constant))
        return
    index = row.access.indices[row.dimension]
    text = c_text(row.access.subscripts[row.dimension]) if index is None else str(index)
    yield f"0 <= {text} && {text} < {row.extent}"


def in_one_dimension(access: Access) -> Access:
    """The access with one subscript, in elements from the object's start, where the inner extents are known."""
    if not access.subscripts:
        return access
    subscript, index, whole = access.subscripts[0], access.indices[0], access.extents[0]
    for inner, position, extent in zip(access.subscripts[1:], access.indices[1:], access.extents[1:], strict=True):
        if extent is None:
            return access
        row = Binary("*", subscript, expression_of(extent, LONG), LONG)
        subscript = Binary("+", row, inner, LONG)
        index = None if index is None or position is None else index * extent + position
        whole = None if whole is None else whole * extent
    # Members of one struct are elements of the object too.
    ahead, first_byte = divmod(access.member_offset_bytes, access.element_bytes)
    if ahead:
        subscript = Binary("+", subscript, Constant(ahead, LONG), LONG)
        index = None if index is None else index + ahead
    return replace(
        access,
        subscripts=(subscript,),
        indices=(index,),
        extents=(whole,),
        member_offset_bytes=first_byte,
    )
