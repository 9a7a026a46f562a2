"""Legality of every transformation of one nest, decided when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, dependence_graph
from warplens.analysis.dependence.transforms.fission import Fission, fission
from warplens.analysis.dependence.transforms.fusion import fusion
from warplens.analysis.dependence.transforms.interchange import Permutation, interchange, permutation
from warplens.analysis.dependence.transforms.legality import Legality
from warplens.analysis.dependence.transforms.reversal import reversal
from warplens.analysis.dependence.transforms.skewing import Skewing, skewing
from warplens.analysis.dependence.transforms.tiling import tiling
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest


@dataclass(frozen=True)
class NestLegality:
    """Questions about one nest; its dependences are computed at the first one and shared by all."""

    nest: LoopNest
    verdicts: tuple[LoopVerdict, ...]

    @cached_property
    def graph(self) -> DependenceGraph:
        """All dependences of the nest."""
        return dependence_graph(self.nest, self.verdicts)

    def interchange(self, outer: NodeId, inner: NodeId) -> Permutation:
        """Two adjacent loops of a perfect nest in each other's place."""
        return interchange(self.graph, outer, inner)

    def permutation(self, order: Sequence[NodeId]) -> Permutation:
        """Loops of a band in this order, outermost first."""
        return permutation(self.graph, order)

    def tiling(self, loops: Sequence[NodeId]) -> Legality:
        """Loops of a band in blocks."""
        return tiling(self.graph, loops)

    def skewing(self, outer: NodeId, inner: NodeId) -> Skewing:
        """Factors that make two loops tileable, and wavefronts of them parallel."""
        return skewing(self.graph, outer, inner)

    def reversal(self, loop: NodeId) -> Legality:
        """A loop from its last iteration to its first."""
        return reversal(self.graph, loop)

    def fission(self, loop: NodeId) -> Fission:
        """A loop as several, one after the other."""
        return fission(self.graph, loop)

    def fusion(self, first: NodeId, second: NodeId) -> Legality:
        """Two neighbouring loops as one."""
        return fusion(self.graph, first, second)


def legality_of(nest: LoopNest, verdicts: tuple[LoopVerdict, ...]) -> NestLegality:
    """Legality of a nest after delinearisation, with the verdicts of its loops. Costs nothing until it is asked."""
    return NestLegality(nest, verdicts)
