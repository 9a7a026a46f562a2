"""Which launches the directives of a port ask for: the blocks of their clauses, and what one is predicted to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.launch_ranking import RankedLaunch
from warplens.analysis.ports.directives.wanted_directive import WantedDirective
from warplens.analysis.text.quantities import extent_text

_THREADS = ("thread_limit", "vector_length")


def blocks_text(blocks: Sequence[Extent]) -> str:
    """Blocks in a few words, empty for none.

    >>> blocks_text([(32, 8, 1)]), blocks_text([(64, 1, 1), (64, 1, 1)]), blocks_text([(64, 1, 1), (8, 8, 1)])
    ('block 32x8', 'block 64', 'blocks 64 and 8x8')
    """
    texts = list(dict.fromkeys(extent_text(block) for block in blocks))
    if len(texts) < 2:
        return f"block {texts[0]}" if texts else ""
    return f"blocks {', '.join(texts[:-1])} and {texts[-1]}"


def launch_text(wanted: Sequence[WantedDirective], teams: Sequence[tuple[NodeId, object]]) -> str:
    """The launches of a port in a few words; `teams` are kernels with a team per row, by root.

    `a team of 32 per row, 4 to a block`; of others the blocks. Empty where no directive asks for one.
    """
    of_teams = {root for root, _ in teams}
    asked = list(_asked(wanted))
    texts = [_team_text(block) for root, block in asked if root in of_teams]
    others = blocks_text([block for root, block in asked if root not in of_teams])
    return " and ".join(dict.fromkeys((*texts, *([others] if others else []))))


def _team_text(block: Extent) -> str:
    threads, rows, _ = block
    together = f", {rows} to a block" if rows > 1 else ""
    return f"a team of {threads} per row{together}"


def asked_times_s(evaluation: NestEvaluation, wanted: Sequence[WantedDirective]) -> Mapping[NodeId, float]:
    """Predicted time of one launch as the directives ask for it, by the kernel's root; without those nobody costed."""
    blocks = dict(_asked(wanted))
    found: dict[NodeId, float] = {}
    for kernel in evaluation.kernels:
        block = blocks.get(kernel.kernel.root)
        alike = [each for each in _costed(kernel) if _is_like(each, block)] if block is not None else []
        if alike:
            found[kernel.kernel.root] = alike[0].time_s
    return found


def _costed(kernel: KernelEvaluation) -> Iterator[RankedLaunch]:
    """Launches with a predicted time that a directive may ask for, nothing staged."""
    ranking = kernel.ranking
    if ranking is not None:
        yield from (each for each in (ranking.line, ranking.unstaged, ranking.current) if each is not None)
        yield from (each for each in ranking.ranked if not each.launch.shared and not _has_many_outputs(each))


def _has_many_outputs(ranked: RankedLaunch) -> bool:
    return prod(ranked.launch.outputs_per_thread) > 1


def _is_like(ranked: RankedLaunch, block: Extent) -> bool:
    """Whether a launch has that block, in whatever order its loops lie along y and z."""
    asked, shape = (sorted(size for size in each if size > 1) for each in (block, ranked.launch.block))
    return asked == shape


def _asked(wanted: Sequence[WantedDirective]) -> Iterator[tuple[NodeId, Extent]]:
    for each in wanted:
        clauses = {clause.name: clause.items for clause in each.clauses}
        if tile := clauses.get("tile"):
            x, y, z, *_ = (*map(int, tile), 1, 1)  # the innermost loop first
            yield each.node, (x, y, z)
        elif threads := next((clauses[name] for name in _THREADS if name in clauses), ()):
            workers = clauses.get("num_workers", ("1",))
            yield each.node, (int(threads[0]), int(workers[0]), 1)
