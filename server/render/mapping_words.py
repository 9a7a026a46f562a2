"""Which loops of a nest become blocks, warps and threads, in words: "a warp per iteration of `i`"."""

from __future__ import annotations

from warplens.analysis.facts.mapping import Level
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingTime
from warplens.analysis.text.quantities import time_text
from warplens.analysis.text.rounded import times_text
from warplens.server.render.amounts import plural
from warplens.server.render.columns import Table
from warplens.server.render.grounds_text import listed
from warplens.server.render.launch_words import factor_text

_ROLES: dict[Level, str] = {
    "host": "starts the kernels from the CPU",
    "grid": "its iterations are threads",
    "block": "the threads of a block share its iterations",
    "warp": "the lanes of a warp share its iterations",
    "thread": "each thread runs it from start to end",
}
_CLEARLY = 1.05


def mapping_text(evaluation: NestEvaluation) -> str:
    """The recommended mapping where it is another than the source's order, and what it gains; else empty."""
    if evaluation.mapped is None:
        return ""
    texts = tuple(dict.fromkeys(kernel_mapping_text(evaluation, kernel) for kernel in evaluation.kernels))
    said = "; then ".join(texts)
    if len(evaluation.kernels) > 1:
        said = f"{plural(len(evaluation.kernels), 'kernel')}: {said}"
    gain = mapping_gain(evaluation)
    return f"{said} ({times_text(gain)} over the source's own order)" if gain > _CLEARLY else said


def kernel_mapping_text(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """One kernel's: who has an iteration of which loops, and which loops they share.

    "a warp per iteration of `i`: its lanes share `j`", "a thread per iteration of `i` and `j`".
    """
    own, team = kernel.kernel, kernel.kernel.team
    lanes = None if team is None else team.lanes
    in_source = {loop.id for loop in loops_of(evaluation.facts.nest)}
    grid = [loop for loop in own.grid if loop.loop != lanes]
    rows = [f"`{c_name(loop.iterator)}`" for loop in grid if evaluation.in_source(loop.loop) in in_source]
    parts = [loop for loop in grid if evaluation.in_source(loop.loop) not in in_source]
    per = f" per iteration of {listed(rows)}" if rows else ""
    if parts:
        per += f" and per one of {parts[0].trip_count.value} parts of the sum"
    if team is None:
        return f"a thread{per}"
    shared = [f"`{c_name(loop.iterator)}`" for loop in _shared(evaluation, team.spread)]
    if team.is_warp:
        return f"a warp{per}: its lanes share {listed(shared)}"
    return f"a block of {team.threads} threads{per}: they share {listed(shared)}"


def mapping_gain(evaluation: NestEvaluation) -> float:
    """How many times faster the mapping's kernels are than those of the source's own order; 1 where they are these."""
    order = evaluation.in_source_order.offload
    if evaluation.mapped is None or order is None or evaluation.offload is None:
        return 1.0
    return order.resident_s / evaluation.offload.resident_s if evaluation.offload.resident_s > 0 else 1.0


def level_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    """What becomes of a loop of a nest in another mapping than the source's order."""
    assert evaluation.mapped is not None
    levels = evaluation.mapped.mapping.levels(loop)
    inner = tuple(level for level in levels if level != "grid")
    if levels and "grid" in levels and inner:
        return f"its iterations are in parts, one for each block; of a part {_ROLES[inner[-1]]}"
    return _ROLES[levels[-1]] if levels else ""


def axis_of(evaluation: NestEvaluation, kernel: KernelEvaluation, loop: NodeId) -> int | None:
    """Along which axis of a block's threads (0 to 2) a loop of the source lies; None where it lies along none."""
    team = kernel.kernel.team
    if team is not None and loop in team.spread:
        return 0
    for axis, each in enumerate(kernel.kernel.thread_order):
        if evaluation.in_source(each) == loop:
            return axis
    return None


def _shared(evaluation: NestEvaluation, spread: tuple[NodeId, ...]) -> list[Loop]:
    """Loops that a team shares, those with one iterator once."""
    loops = {loop.id: loop for loop in loops_of(evaluation.facts.nest)}
    by_name = {c_name(loops[loop].iterator): loops[loop] for loop in reversed(spread)}
    return list(reversed(by_name.values()))


OWN_ORDER = "the source's own order"


def listed_mappings(evaluation: NestEvaluation) -> tuple[MappingTime, ...]:
    """The source's own order and all mappings that were tried, the fastest first."""
    order = evaluation.in_source_order.offload
    own = () if order is None else (MappingTime(SOURCE_ORDER, order.kernels_s + order.launch_overhead_s),)
    return tuple(sorted((*own, *evaluation.mappings), key=lambda one: one.time_s))


def mapping_table(evaluation: NestEvaluation) -> Table:
    """The same as rows, the recommended one marked."""
    found = listed_mappings(evaluation)
    least = found[0].time_s if found else 0.0
    rows = [(one.name, time_text(one.time_s), factor_text(one.time_s / least) if least else "") for one in found]
    return (("mapping", "time", "vs first"), *rows)
