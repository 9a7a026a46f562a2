"""What becomes of each loop in a mapping, and the mappings that were tried, as views show them."""

from __future__ import annotations

from warplens.analysis.advice.mapping_words import owner_text
from warplens.analysis.facts.mapping import Level
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.directive_time import directive_time
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingTime
from warplens.analysis.text.quantities import time_text
from warplens.analysis.text.rounded import about_time_text
from warplens.server.render.columns import Table
from warplens.server.render.launch_words import factor_text

_ROLES: dict[Level, str] = {
    "host": "starts the kernels from the CPU",
    "grid": "its iterations are threads",
    "block": "the threads of a block share its iterations",
    "warp": "the lanes of a warp share its iterations",
    "thread": "each thread runs it from start to end",
}


def level_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    """What becomes of a loop of a nest in another mapping than the source's order."""
    assert evaluation.mapped is not None
    levels = evaluation.mapped.mapping.levels(loop)
    inner = tuple(level for level in levels if level not in {"host", "grid"})
    for kernel in evaluation.kernels if levels == ("grid",) else ():
        team = kernel.kernel.team
        if team is not None and loop in evaluation.loops_of_kernel(kernel.kernel):
            return owner_text(evaluation, kernel)
    if levels and "grid" in levels and inner:
        return f"its iterations are in parts, one for each block; of a part {_ROLES[inner[-1]]}"
    return _ROLES[levels[-1]] if levels else ""


def index_of(evaluation: NestEvaluation, kernel: KernelEvaluation, loop: NodeId) -> str:
    """CUDA's index that a loop of the source runs along; empty where each thread runs it.

    The axes of the grid hold a team's rows from x on, and a row that has a block has no index within it.
    """
    team = kernel.kernel.team
    if team is not None and loop in map(evaluation.in_source, team.spread):
        return "threadIdx.x"
    for axis, each in enumerate(kernel.kernel.thread_order):
        if evaluation.in_source(each) == loop:
            has_block = team is not None and kernel.prediction.launch.block[axis] == 1
            return f"blockIdx.{'xyz'[axis - 1]}" if has_block else f"threadIdx.{'xyz'[axis]}"
    return ""


def directives_text(evaluation: NestEvaluation, *, brief: bool = False) -> str:
    """What directives take at best, where what is recommended is faster and they can't say it; else empty."""
    found = directive_time(evaluation)
    if found is None:
        return ""
    if brief:
        return f"{about_time_text(found.time_s)} with directives"
    how = "a team per row" if found.has_teams else "a thread per iteration, one output each, no tiles"
    return f"{time_text(found.time_s)} at best with OpenMP or OpenACC: {how}"


def listed_mappings(evaluation: NestEvaluation) -> tuple[MappingTime, ...]:
    """The source's own order and all mappings that were tried, the fastest first."""
    offload = evaluation.offload
    if evaluation.mappings or offload is None:
        return evaluation.mappings
    return (MappingTime(SOURCE_ORDER, offload.kernels_s + offload.launch_overhead_s, is_recommended=True),)


def mapping_table(evaluation: NestEvaluation) -> Table:
    """The same as rows, the recommended one marked, and one that a comment pins."""
    found = listed_mappings(evaluation)
    least = found[0].time_s if found else 0.0
    pinned = "" if evaluation.pinned is None else evaluation.pinned.name
    rows = [
        (
            one.name,
            time_text(one.time_s),
            factor_text(one.time_s / least) if least else "",
            ", ".join((*("recommended",) * one.is_recommended, *("pinned",) * (one.name == pinned))),
        )
        for one in found
    ]
    return (("mapping", "time", "vs first", ""), *rows)
