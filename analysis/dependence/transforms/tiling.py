"""Tiling of a band: all its loops cut into blocks, the loops over blocks outside.

Source: Wolf, Lam, A data locality optimizing algorithm, PLDI 1991, section 3 (a band is tileable if it is fully
permutable: no dependence carried in it runs backwards along any of its loops).
"""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph
from warplens.analysis.dependence.transforms.legality import Legality, band, decide
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop


def tiling(graph: DependenceGraph, loops: Sequence[NodeId]) -> Legality:
    """Whether a band may be tiled with blocks of any size; one loop always may."""
    chosen = band(graph, loops)
    return decide(graph, chosen, lambda directions: len(chosen.loops) > 1 and not {"<", "="}.issuperset(directions))


def tileable_band(graph: DependenceGraph, outermost: Loop) -> tuple[NodeId, ...]:
    """The longest band from this loop inwards that may be tiled; empty when not even the loop itself may."""
    found: list[NodeId] = []
    loop: Loop | None = outermost
    while loop is not None and tiling(graph, [*found, loop.id]).is_legal:
        found.append(loop.id)
        loop = loop.body[0] if len(loop.body) == 1 and isinstance(loop.body[0], Loop) else None
    return tuple(found)
