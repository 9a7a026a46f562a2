"""A nest with its loops at other levels than the source spells out, as the nest that spells it."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.mapping import Mapping
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class MappedNest:
    """A nest with its loops at other levels than the source spells out.

    `facts` are those of the nest as the mapping writes it: its kernels, and of its loops verdicts and trip counts; what
    it touches is as in the source. `copies` are loops that the source has not, each with the one that it stands for.
    """

    mapping: Mapping
    facts: NestFacts
    copies: tuple[tuple[NodeId, NodeId], ...] = ()
    regions: tuple[tuple[NodeId, NodeId], ...] = ()
    """Outermost loops of kernels, each with that of the kernel of the source's order whose work it has a part in."""

    def region(self, root: NodeId) -> NodeId:
        """The outermost loop of the source's kernel that a kernel with this one stands for, or for a part of."""
        return dict(self.regions).get(root, root)

    def in_source(self, loop: NodeId) -> NodeId:
        """The loop of the source that a loop of the mapped nest is, or is one of."""
        return dict(self.copies).get(loop, loop)
