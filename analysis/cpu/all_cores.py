"""How the work of a nest spreads over all cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Threading:
    """`cores_of` says for each outermost parallel loop how many cores its iterations keep busy.

    `regions` counts how often such loops are entered: each is a parallel region with its overhead.
    """

    cores_of: Mapping[NodeId, int]
    regions: float


def threading(facts: NestFacts, tree: CoreLoop, cpu: Cpu) -> Threading:
    """Take the outermost parallel loop on every path down the nest, as an `omp parallel for` on it would.

    Assumes: static schedule, equal iterations; a loop with fewer iterations than cores leaves cores idle.
    """
    parallel = {verdict.loop for verdict in facts.verdicts if verdict.can_run_in_parallel}
    cores_of: dict[NodeId, int] = {}
    regions = 0.0
    pending = [tree]
    while pending:
        node = pending.pop()
        if node.loop is not None and node.loop in parallel:
            cores_of[node.loop] = max(int(min(node.trips, cpu.core_count)), 1)
            regions += node.entries
        else:
            pending += node.children
    return Threading(cores_of, regions)


def cores_around(around: tuple[NodeId, ...], threads: Threading) -> int:
    """Cores that share the code inside these loops; 1 outside every parallel loop."""
    return next((threads.cores_of[loop] for loop in around if loop in threads.cores_of), 1)


def share_of_a_core(
    loops: Mapping[NodeId | None, CoreLoop], cores_of: Mapping[NodeId, int]
) -> dict[NodeId | None, CoreLoop]:
    """The loops, outer before inner, as one of the cores runs them: its share of the iterations of parallel ones."""
    shares: dict[NodeId | None, CoreLoop] = {}
    inside: dict[NodeId | None, int] = {}
    for loop, node in loops.items():
        around = inside.get(loop, 1)
        cores = cores_of.get(loop, 1) if loop is not None else 1
        shares[loop] = replace(node, trips=node.trips / cores, entries=node.entries / around)
        inside.update((child.loop, around * cores) for child in node.children)
    return shares
