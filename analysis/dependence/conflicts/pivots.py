"""Updates in place through a row and a column that keep their values while they are used: `d[i][k]` and `d[k][j]`.

Step k of all pairs' shortest paths sets `d[i][j]` to the smaller of itself and `d[i][k] + d[k][j]`. An iteration
that writes row k has `d[k][j]` and `d[k][k] + d[k][j]` to choose from: no change where `d[k][k]` is not negative, which
is promised. In a transitive closure, `r[i][j] |= r[i][k] & r[k][j]`, it has `r[k][j] | (r[k][k] & r[k][j])`, which is
`r[k][j]` whatever the diagonal holds; so too for the smaller and the larger of integers. Column k is alike. So the
iterations of one step may read both in any order.

Source: Floyd, "Algorithm 97: Shortest path", Comm. ACM 5 (1962); Warshall, "A theorem on Boolean matrices", Journal of
the ACM 9 (1962); absorption, a law of all lattices.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.dependence.conflicts.pivot_shape import PivotShape
from warplens.analysis.dependence.conflicts.pivot_updates import only_update
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars
from warplens.analysis.ir.nest import Loop, LoopNest, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name


@dataclass(frozen=True, slots=True)
class Pivots:
    """Row and column `at` of an array keep their values in a loop: by proof, or where no cycle is negative."""

    at: Polynomial
    is_promised: bool


def pivots_of(nest: LoopNest, loop: Loop, array: str, group: list[Reference]) -> Pivots | None:
    """What keeps its values of an array that the iterations of a loop set in place; None if nothing is known to.

    `group` are the references of the loop to the array.
    """
    update = only_update(nest, loop, array)
    shape = None if update is None else PivotShape.of(update)
    if update is None or shape is None:
        return None
    inside = {statement.iterator for statement in walk_statements((loop,)) if isinstance(statement, Loop)}
    if not shape.at.symbols.isdisjoint(inside | assigned_scalars(loop.body)):
        return None
    reads = [r for r in group if not r.is_write and r.access is not None and _is_at(r, shape.at)]
    kind = shape.kind_of(update)
    if kind == "tested":
        # no more than the answer to one test stays the same: nothing else may be asked of them
        tested = all(
            r.access is not None and shape.is_pivot(r.access) and r.statement in update.statements for r in reads
        )
        return Pivots(shape.at, is_promised=False) if tested else None
    return None if kind is None else Pivots(shape.at, is_promised=kind == "promised")


def promised_pivots(nest: LoopNest, loop: Loop, inside: list[Reference]) -> list[str]:
    """Arrays of which a promise keeps rows and columns as they are in a loop; `inside` are its references."""
    groups: dict[str, list[Reference]] = {}
    for reference in inside:
        groups.setdefault(reference.variable, []).append(reference)
    written = (name for name, group in groups.items() if any(r.is_write and r.access is not None for r in group))
    found = ((name, pivots_of(nest, loop, name, groups[name])) for name in written)
    return [name for name, pivots in found if pivots is not None and pivots.is_promised]


def set_while_read(name: str, pivots: Pivots) -> str:
    """Why a loop is not known to be parallel as long as nothing is promised."""
    return f"row and column `{pivots.at}` of `{c_name(name)}` are set while they are read"


def without_pivots(group: list[Reference], pivots: Pivots) -> list[Reference]:
    """The references but the reads of what keeps its values."""
    return [r for r in group if r.is_write or not _is_at(r, pivots.at)]


def _is_at(reference: Reference, at: Polynomial) -> bool:
    return reference.access is not None and at in reference.access.indices[-2:]
