"""Interchange of two loops, and any other order of a band's loops.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.2 (a permutation is legal if no
direction vector becomes lexicographically negative); Wolf, Lam, A loop transformation theory, IEEE TPDS 2(4), 1991.
Not modelled: values of iterators after the nest (a band whose iterators are used later is refused).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph
from warplens.analysis.dependence.transforms.legality import Legality, band, decide, may_run_backwards
from warplens.analysis.dependence.transforms.permuted_bounds import LoopBounds, permuted_bounds
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Permutation:
    """A band in a new order; `bounds` are the new headers, outermost first, empty when it is not legal."""

    legality: Legality
    bounds: tuple[LoopBounds, ...] = ()


def permutation(graph: DependenceGraph, order: Sequence[NodeId]) -> Permutation:
    """Whether a band's loops may stand in this order, outermost first."""
    chosen = band(graph, order)
    places = [chosen.ids.index(loop) for loop in order] if not chosen.reason else []

    def violates(directions: tuple[Direction, ...]) -> bool:
        return may_run_backwards(directions[place] for place in places)

    legality = decide(graph, chosen, violates)
    if not legality.is_legal:
        return Permutation(legality)
    bounds = permuted_bounds(chosen.loops, [chosen.loops[place] for place in places])
    if isinstance(bounds, str):
        return Permutation(Legality(is_legal=False, reason=bounds))
    return Permutation(legality, bounds)


def interchange(graph: DependenceGraph, outer: NodeId, inner: NodeId) -> Permutation:
    """Whether two adjacent loops of a perfect nest may change places."""
    return permutation(graph, (inner, outer))
