"""Reversal of a loop: its last iteration first.

Source: Wolf, Lam, A loop transformation theory, IEEE TPDS 2(4), 1991.
"""

from __future__ import annotations

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph
from warplens.analysis.dependence.transforms.legality import Legality, band, decide
from warplens.analysis.ir.ids import NodeId


def reversal(graph: DependenceGraph, loop: NodeId) -> Legality:
    """Whether the loop's iterations may run from the last to the first: nothing that counts is carried by it."""
    return decide(graph, band(graph, [loop]), lambda directions: directions[0] != "=")
