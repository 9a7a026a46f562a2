"""Which loops of a nest become blocks, warps and threads, in words: "a warp per iteration of `i`"."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.formula import ONE
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER
from warplens.analysis.text.quantities import count_text
from warplens.analysis.text.rounded import round_ratio, speed_text, times_text

OWN_ORDER = "the source's own order"

_CLEARLY = 1.05


def mapping_text(evaluation: NestEvaluation, only: KernelEvaluation | None = None) -> str:
    """The mapping of a nest where it is another than the source's order, and what it gains; else empty.

    Of several kernels all are told, or `only` the longest: "2 kernels, the longest: a thread per iteration of `i`".
    """
    if evaluation.mapped is None:
        return ""
    kernels = evaluation.kernels if only is None else (only,)
    texts = tuple(dict.fromkeys(kernel_mapping_text(evaluation, kernel) for kernel in kernels))
    said = "; then ".join(texts)
    if len(evaluation.kernels) > 1:
        said = f"{len(evaluation.kernels)} kernels{', the longest' if only is not None else ''}: {said}"
    if steps := _steps(evaluation):
        said = f"steps of {_listed(steps)} on the CPU, {said}"
    gain = mapping_gain(evaluation)
    return f"{said}; {times_text(gain)} as fast as the source's order" if gain > _CLEARLY else said


def _steps(evaluation: NestEvaluation) -> list[str]:
    """Iterators of the loops whose iterations start the kernels, and that are nothing else."""
    assert evaluation.mapped is not None
    names = {loop.id: f"`{c_name(loop.iterator)}`" for loop in loops_of(evaluation.facts.nest)}
    levels = evaluation.mapped.mapping.loops
    return list(dict.fromkeys(names[one.loop] for one in levels if one.levels == ("host",)))


def shown_mapping(evaluation: NestEvaluation, only: KernelEvaluation | None = None) -> str:
    """The same with what is recommended beside it where a comment pins it, be it the source's order."""
    mapping, pin = mapping_text(evaluation, only), pin_text(evaluation)
    return f"{mapping or OWN_ORDER}; {pin}" if pin else mapping


def pin_text(evaluation: NestEvaluation) -> str:
    """That a comment pins the mapping, and what is recommended; empty where none does.

    "pinned by a comment; recommended: `block256:j`, 2.5x faster".
    """
    pin, offload = evaluation.pinned, evaluation.offload
    if pin is None:
        return ""
    if pin.recommended == pin.name:
        return "pinned by a comment, as recommended"
    if not pin.recommended or offload is None or offload.resident_s <= 0 or pin.recommended_s <= 0:
        return "pinned by a comment"
    ratio = offload.resident_s / pin.recommended_s
    faster = "about as fast" if round_ratio(ratio) == 1 else speed_text(ratio)
    return f"pinned by a comment; recommended: `{pin.recommended}`, {faster}"


def kernel_mapping_text(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """One kernel's: who has an iteration of which loops, and which loops they share.

    "a warp per iteration of `i`: its lanes share `j`", "a thread per iteration of `i` and `j`".
    """
    who, team = owner_text(evaluation, kernel), kernel.kernel.team
    if team is None:
        return who
    shared = _listed([f"`{c_name(loop.iterator)}`" for loop in _shared(evaluation, team.spread)])
    return f"{who}: {'its lanes' if team.is_warp else 'they'} share {shared}"


def owner_text(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """Who has an iteration of which loops: "a warp per iteration of `b` and `t`"."""
    own, team = kernel.kernel, kernel.kernel.team
    in_source = {loop.id for loop in loops_of(evaluation.facts.nest)}
    teams = (loop for loop in own.grid if not _is_lanes(own, loop.loop))
    parts = [loop for loop in teams if evaluation.in_source(loop.loop) not in in_source]  # of a sum
    rows = [f"`{name}`" for name in row_names(evaluation, own)]
    per = f" per iteration of {_listed(rows)}" if rows else ""
    if parts:
        per += f" and per one of {parts[0].trip_count.value} parts of the sum"
    if team is None:
        return f"a thread{per}" if per else "one thread"
    return f"{'a warp' if team.is_warp else f'a block of {team.threads} threads'}{per}"


def row_names(evaluation: NestEvaluation, kernel: Kernel) -> tuple[str, ...]:
    """Iterators of the loops of the source of which a team, or a thread where there is none, has an iteration."""
    in_source = {loop.id for loop in loops_of(evaluation.facts.nest)}
    rows = (loop for loop in kernel.grid if not _is_lanes(kernel, loop.loop) and loop.trip_count != ONE)
    return tuple(c_name(loop.iterator) for loop in rows if evaluation.in_source(loop.loop) in in_source)


def _is_lanes(kernel: Kernel, loop: NodeId) -> bool:
    return kernel.team is not None and kernel.team.lanes == loop


def mapping_gain(evaluation: NestEvaluation) -> float:
    """How many times faster the mapping's kernels are than those of the source's own order; 1 where they are these."""
    source_s = next((one.time_s for one in evaluation.mappings if one.name == SOURCE_ORDER), 0.0)
    offload = evaluation.offload
    if evaluation.mapped is None or offload is None or offload.resident_s <= 0 or not source_s:
        return 1.0
    return (source_s + offload.host_s) / offload.resident_s


def _shared(evaluation: NestEvaluation, spread: tuple[NodeId, ...]) -> list[Loop]:
    """Loops that a team shares, those with one iterator once."""
    loops = {loop.id: loop for loop in loops_of(evaluation.facts.nest)}
    shared = [loops[evaluation.in_source(loop)] for loop in spread]
    by_name = {c_name(loop.iterator): loop for loop in reversed(shared)}
    return list(reversed(by_name.values()))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def mapping_reasons(evaluation: NestEvaluation) -> tuple[str, ...]:
    """Why the mapping is faster than the source's order, as clauses: more threads, whole lines of memory."""
    order = evaluation.in_source_order
    if evaluation.mapped is None or not order.kernels or (evaluation.pinned and mapping_gain(evaluation) < _CLEARLY):
        return ()
    longest = max(order.kernels, key=lambda each: each.launches * each.prediction.time_s)
    gpu, threads = evaluation.gpu, longest.prediction.threads
    room = gpu.sm_count * gpu.occupancy.max_warps_per_sm * gpu.warp_size_threads
    found: list[str] = []
    if threads < room:
        found.append(
            f"the source's order has {count_text(threads)} threads, and the GPU has room for {count_text(room)}"
        )
    before = {cost.access: cost for cost in longest.prediction.costs if cost.pattern == "strided"}
    arrays = {facts.access.id: c_name(facts.access.array) for facts in longest.kernel.accesses}
    better = [
        f"`{arrays[cost.access]}`"
        for kernel in evaluation.kernels
        for cost in kernel.prediction.costs
        if cost.access in before and cost.pattern == "coalesced"
    ]
    if better:
        found.append(f"neighbouring threads use neighbouring elements of {_listed(list(dict.fromkeys(better)))}")
    return tuple(found)
