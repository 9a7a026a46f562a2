"""What is asked of one loop: its references, and all that is known and said when it is decided."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.scalars.reduction import Accumulation
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.named import TablePromise


@dataclass(frozen=True, slots=True)
class Question:
    """A loop of a nest, its references and folds, and what somebody or the source itself says."""

    nest: LoopNest
    loop: Loop
    references: tuple[Reference, ...]
    folds: tuple[Accumulation, ...]
    solver: ConflictSolver
    promises: PromisesInForce
    tables: tuple[TablePromise, ...] = ()
    """What the source itself says of arrays of subscripts."""


def references_in(every: tuple[Reference, ...], loop: NodeId) -> tuple[list[Reference], int]:
    """References in a loop, and its depth among the loops around them."""
    # References in one place share it: it is looked at once.
    places = {id(r.place): r.place for r in every}
    depths = {
        key: depth for key, place in places.items() for depth, around in enumerate(place.loops) if around.id == loop
    }
    inside = [r for r in every if id(r.place) in depths]
    return inside, depths[id(inside[0].place)] if inside else 0
