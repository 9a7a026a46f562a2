"""Words for the line itself: which access the GPU waits for, why a loop stays sequential, where the others go."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.advice.mapping_words import owner_text, row_names
from warplens.analysis.advice.naming import access_text, accesses_of
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.quantities import extent_text, percent_text
from warplens.server.render.launch_words import shape_text
from warplens.server.render.loop_reasons import access_verb
from warplens.server.render.mapping_words import index_of

_LEAST_SHARE = 0.1
"""Accesses that the kernel waits for less than this are no hint."""

_LEAST_PART = 0.02
"""Equal accesses of a statement are added up; less than this of one of them is no part of a hotspot."""

_SHOWN_PER_KERNEL = 3
_WHERE = "`warplens check FILE:LINE` names the places."
_DEPENDENCE = {
    "flow": "needs {what} of {which}",
    "anti": "{which} reads {what} first",
    "output": "{which} writes {what} first",
}
"""Short: of the hints of a line VS Code shows about 43 letters."""


@dataclass(frozen=True, slots=True)
class LoopHint:
    """`label` stands behind `node`, a loop's header or an access. `is_main`: the one that is shown by default."""

    node: NodeId
    label: str
    tooltip: str
    is_main: bool = False


def loop_hints(evaluation: NestEvaluation) -> tuple[LoopHint, ...]:
    """All hints of a nest, at most one of them the main one; none where the GPU is not worth a thought.

    That is where a kernel takes less than its launch, or the whole nest on one core less than any launch.
    """
    if not evaluation.kernels or evaluation.offload is None:
        if evaluation.cpu_time.one_core_s < evaluation.gpu.host.launch_overhead_s:
            return ()
        first, *others = (_sequential_hint(evaluation, loop) for loop in loops_of(evaluation.facts.nest))
        return (replace(first, is_main=True), *others)
    if not evaluation.offload.has_work:
        return ()
    if not grounds_of(evaluation).carry_numbers:
        first, *others = (_header_hint(evaluation, loop) for loop in loops_of(evaluation.facts.nest))
        return (replace(first, is_main=True), *others)
    kernels = sorted(evaluation.kernels, key=lambda each: -each.launches * each.prediction.time_s)
    hot = [hint for kernel in kernels if not is_short(kernel.prediction) for hint in _hot_accesses(evaluation, kernel)]
    if hot:
        hot[0] = replace(hot[0], is_main=True)
    return (*hot, *(_header_hint(evaluation, loop) for loop in loops_of(evaluation.facts.nest)))


def _hot_accesses(evaluation: NestEvaluation, kernel: KernelEvaluation) -> list[LoopHint]:
    """The accesses that a kernel waits for most; equal ones of a statement are one, at the first."""
    spots = [each for each in kernel.prediction.hotspots if each.idle_share >= _LEAST_PART and each.access is not None]
    if not spots:
        return []
    nest = evaluation.facts.nest
    accesses = accesses_of(nest)
    shares: dict[tuple[NodeId, str], tuple[NodeId, float]] = {}
    for spot in spots:
        if spot.access in accesses:
            key = spot.statement, access_text(nest, accesses[spot.access])
            first, share = shares.get(key, (spot.access, 0.0))
            shares[key] = first, min(1.0, share + spot.idle_share)
    hottest = sorted(shares.items(), key=lambda item: -item[1][1])[:_SHOWN_PER_KERNEL]
    return [
        LoopHint(
            access,
            f"hotspot: {percent_text(share)} of time",
            f"{access_verb(kernel, access)} `{text}`: {percent_text(share)} of the kernel's time is spent waiting for "
            "it. The hover on it says why.",
        )
        for (_, text), (access, share) in hottest
        if share >= _LEAST_SHARE
    ]


def _header_hint(evaluation: NestEvaluation, loop: Loop) -> LoopHint:
    """Where a loop of a nest with kernels goes."""
    verdict = evaluation.facts.verdict(loop.id)
    levels = () if evaluation.mapped is None else evaluation.mapped.mapping.levels(loop.id)
    if levels == ("host",):
        return LoopHint(loop.id, "starts kernels", "Each iteration is a step, which starts kernels on the GPU.")
    for kernel in evaluation.kernels:
        if index := index_of(evaluation, kernel, loop.id):
            return _grid_hint(evaluation, kernel, loop, index, with_block=grounds_of(evaluation).carry_numbers)
        if loop.id in evaluation.loops_of_kernel(kernel.kernel):
            why = "" if verdict.can_run_in_parallel else f": {_why(verdict, loop)}"
            return LoopHint(loop.id, f"in each thread{why}", "Each thread runs this loop from its start to its end.")
    if "grid" in levels:
        return LoopHint(loop.id, "threads", "On the GPU its iterations are threads of a kernel beside others.")
    if not verdict.can_run_in_parallel:
        return _sequential_hint(evaluation, loop)
    inner = {each.id for each in walk_statements((loop,))}
    if any(evaluation.place(kernel.kernel) in inner for kernel in evaluation.kernels):
        return LoopHint(
            loop.id, "starts kernels", "Each iteration starts a kernel on the GPU; it could be parallel too."
        )
    return LoopHint(loop.id, "on the CPU", "This loop could be parallel, but is left on the CPU.")


def _grid_hint(
    evaluation: NestEvaluation, kernel: KernelEvaluation, loop: Loop, index: str, *, with_block: bool
) -> LoopHint:
    """The dimension of the threads; the kernel's first loop names the block too, where that has a ground."""
    launch, team = kernel.prediction.launch, kernel.kernel.team
    is_first = with_block and loop.id == evaluation.place(kernel.kernel)
    if team is not None and loop.id in map(evaluation.in_source, team.spread):
        who = "the lanes of a warp" if team.is_warp else f"the {team.threads} threads of a block"
        return LoopHint(loop.id, index, f"On the GPU {who} share the iterations over `{c_name(loop.iterator)}`.")
    if team is not None:
        who = "a warp" if team.is_warp else f"a block of {team.threads}"
        rows = row_names(evaluation, kernel.kernel)
        label = f"{who} each" if len(rows) < 2 else f"{who} per {', '.join(rows)}"
        return LoopHint(loop.id, label, f"On the GPU there is {owner_text(evaluation, kernel)}.")
    block = f" in a block of {extent_text(launch.block)} threads" if with_block else ""
    return LoopHint(
        loop.id,
        f"{index}, block {shape_text(launch)}" if is_first else index,
        f"On the GPU the iterations over `{c_name(loop.iterator)}` run at the same time, each in a thread of its own: "
        f"`{index}`{block}.",
    )


def _sequential_hint(evaluation: NestEvaluation, loop: Loop) -> LoopHint:
    why = _why(evaluation.facts.verdict(loop.id), loop)
    return LoopHint(loop.id, f"sequential: {why}", f"One iteration after another: {why}. {_WHERE}")


def short_reason(evaluation: NestEvaluation, verdict: LoopVerdict) -> str:
    """What keeps a loop sequential, in few words."""
    return _why(verdict, next(loop for loop in loops_of(evaluation.facts.nest) if loop.id == verdict.loop))


def _why(verdict: LoopVerdict, loop: Loop) -> str:
    """What keeps a loop sequential, in few words."""
    if verdict.conditions:
        return "parallel if you promise it"
    if not verdict.dependences:
        return "not known to be parallel"
    first = verdict.dependences[0]
    carrier = first.loops.index(first.carrier) if first.carrier in first.loops else -1
    distance = first.distances[carrier] if 0 <= carrier < len(first.distances) else None
    which = "an earlier one" if distance is None else f"iteration {_iteration(loop, abs(distance))}"
    return _DEPENDENCE[first.kind].format(what=c_name(first.variable), which=which)


def _iteration(loop: Loop, distance: int) -> str:
    """The iteration that is so many before."""
    back = distance * loop.step
    return f"{c_name(loop.iterator)} {'-' if back > 0 else '+'} {abs(back)}"
