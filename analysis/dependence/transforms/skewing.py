"""Skewing: the inner of two loops counts from `inner + factor * outer`, which is always legal and bends dependences.

Source: Wolfe, Loop skewing: the wavefront method revisited, IJPP 15(4), 1986.
Not modelled: loops with steps other than 1 and -1.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, StatementDependence
from warplens.analysis.dependence.transforms.legality import Band, Legality, assumptions, band
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name


@dataclass(frozen=True, slots=True)
class Skewing:
    """Smallest factors after which two loops may be tiled, and after which wavefronts run in parallel.

    Both are None, with the reason in `legality`, when a distance is not bounded. A wavefront is what has one value of
    `inner + wavefront_factor * outer`; the loop over these values stands outside.
    """

    legality: Legality
    tiling_factor: int | None = None
    wavefront_factor: int | None = None


def skewing(graph: DependenceGraph, outer: NodeId, inner: NodeId) -> Skewing:
    """Smallest non-negative factors, in iterations of the loops' own directions, for two adjacent loops.

    Each distance (a, b) must become one with factor * a + b >= 0 for tiling and >= 1 for a wavefront. Where a distance
    is not constant its bounds stand for it, and the factor is large enough but may not be the smallest.
    """
    chosen = band(graph, (outer, inner))
    if not chosen.reason:
        for loop in chosen.loops:
            if abs(loop.step) != 1:
                reason = f"the loop over `{c_name(loop.iterator)}` has steps of {abs(loop.step)}"
                return Skewing(Legality(is_legal=False, reason=reason))
    if chosen.reason or chosen.ids != (outer, inner):
        return Skewing(Legality(is_legal=False, reason=chosen.reason or "the loops are the other way around"))
    private: set[str] = set()
    reordered: set[str] = set()
    unbounded: list[StatementDependence] = []
    tiling = wavefront = 0
    for dependence in graph.within(outer):
        if {"="}.issuperset(_pair(dependence, chosen)):
            continue
        if dependence.variable in chosen.private:
            private.add(dependence.variable)
        elif dependence.accumulates:
            reordered.add(dependence.variable)
        elif (factors := _factors(dependence, chosen)) is None:
            unbounded.append(dependence)
        else:
            tiling, wavefront = max(tiling, factors[0]), max(wavefront, factors[1])
    if unbounded:
        return Skewing(Legality(is_legal=False, because=tuple(unbounded)))
    legality = Legality(
        is_legal=True,
        private=tuple(sorted(private)),
        reordered=tuple(sorted(reordered)),
        assumptions=assumptions(graph, chosen.loops[0], private),
    )
    return Skewing(legality, tiling, wavefront)


def _pair(dependence: StatementDependence, chosen: Band) -> tuple[str, str]:
    at = dependence.loops.index(chosen.ids[0])
    return dependence.vector.directions[at], dependence.vector.directions[at + 1]


def _factors(dependence: StatementDependence, chosen: Band) -> tuple[int, int] | None:
    at = dependence.loops.index(chosen.ids[0])
    (nearest, _), (least, _) = dependence.vector.ranges[at : at + 2]
    if _pair(dependence, chosen)[0] == "=":
        return 0, 0  # the inner loop carries it: its distance is at least 1 already
    if least is None or nearest is None:
        return None
    return max(0, -(least // nearest)), max(0, -((least - 1) // nearest))
