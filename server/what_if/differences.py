"""What changed between two predictions of a nest, in sentences: the total first, then why."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.mapping_words import OWN_ORDER, mapping_text
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.text.quantities import bytes_text, percent_text, time_text
from warplens.server.render.amounts import plural
from warplens.server.render.launch_words import factor_text, launch_text, slower_text
from warplens.server.what_if.data_places import DataPlace
from warplens.server.what_if.total import total_of

_NOTICEABLE = 0.01
"""Times that differ by less are the same."""

_WORTH_NAMING = 0.05
"""Parts that make less of the difference are not named."""

_WHERE = {"cold": "with copies", "resident": "with its data on the GPU"}
_OCCUPANCY_STEP = 0.02


def differences(base: NestEvaluation, result: NestEvaluation, data: DataPlace) -> tuple[str, ...]:
    """Sentences about everything that a change did to the numbers; none where nothing differs."""
    return (*_totals(base, result, data), *_kernels(base, result))


def _totals(base: NestEvaluation, result: NestEvaluation, data: DataPlace) -> Iterator[str]:
    before, after = total_of(base, data), total_of(result, data)
    if before is None or after is None or base.offload is None or result.offload is None:
        if (before is None) != (after is None):
            yield "There is nothing to run at these sizes." if after is None else "Now there is something to run."
        yield from _cpu(base, result)
        return
    if _differs(before.gpu_s, after.gpu_s):
        ratio = slower_text(after.gpu_s / before.gpu_s, "before")
        said = f"GPU {time_text(after.gpu_s)} instead of {time_text(before.gpu_s)} {_WHERE[data]}: {ratio}."
        yield f"{said}{_largest_parts(base.offload, result.offload, data)}"
    yield from _cpu(base, result)
    for cores, was, now in (
        ("one core", before.speedup_vs_one_core, after.speedup_vs_one_core),
        ("all cores", before.speedup_vs_all_cores, after.speedup_vs_all_cores),
    ):
        if now is None:
            continue
        if was is None:
            yield f"Speedup against {cores} {factor_text(now)}; before, too much was guessed for one."
        elif (was >= 1) != (now >= 1):
            who = "faster" if now >= 1 else "slower"
            yield f"The GPU is now {who} than {cores} ({factor_text(now)}, {factor_text(was)} before)."
        elif _differs(was, now):
            yield f"Speedup against {cores} {factor_text(now)} instead of {factor_text(was)}."


def _cpu(base: NestEvaluation, result: NestEvaluation) -> Iterator[str]:
    before, after = base.cpu_time, result.cpu_time
    for cores, was_s, now_s in (
        ("One core", before.one_core_s, after.one_core_s),
        ("All cores", before.all_cores_s, after.all_cores_s),
    ):
        if _differs(was_s, now_s):
            yield f"{cores} of the CPU {time_text(now_s)} instead of {time_text(was_s)}."


def _largest_parts(before: Offload, after: Offload, data: DataPlace) -> str:
    """Which parts of the total make the difference, when they are not all of it."""
    parts = {
        "the kernels": (before.kernels_s, after.kernels_s),
        "launching them": (before.launch_overhead_s, after.launch_overhead_s),
        "the code between them": (before.host_s, after.host_s),
    }
    if data == "cold":
        parts["copying to the GPU"] = (before.transfer_in_s, after.transfer_in_s)
        parts["copying back"] = (before.transfer_out_s, after.transfer_out_s)
    changes = {name: now - was for name, (was, now) in parts.items()}
    moved = sum(map(abs, changes.values()))
    named = sorted(changes, key=lambda name: -abs(changes[name]))
    named = [name for name in named if moved and abs(changes[name]) / moved >= _WORTH_NAMING]
    said = [f"{name} {'+' if changes[name] > 0 else '-'}{time_text(abs(changes[name]))}" for name in named]
    copied = after.bytes_in + after.bytes_out, before.bytes_in + before.bytes_out
    volume = ""
    if data == "cold" and _differs(*copied):
        volume = f" {bytes_text(copied[0])} are copied instead of {bytes_text(copied[1])}."
    return f" Of that {', '.join(said)}.{volume}" if said else volume


def _kernels(base: NestEvaluation, result: NestEvaluation) -> Iterator[str]:
    was, now = mapping_text(base), mapping_text(result)
    if was != now:
        yield f"Mapping: {now or OWN_ORDER} instead of {was or OWN_ORDER}."
    if len(base.kernels) != len(result.kernels):
        return
    several = len(base.kernels) > 1
    for number, (before, after) in enumerate(zip(base.kernels, result.kernels, strict=True), 1):
        for sentence in _kernel(before, after):
            yield f"Kernel {number}: {sentence[0].lower()}{sentence[1:]}" if several else sentence


def _kernel(before: KernelEvaluation, after: KernelEvaluation) -> Iterator[str]:
    was, now = before.prediction, after.prediction
    if was.launch != now.launch and launch_text(was.launch) != launch_text(now.launch):
        yield f"Launch: {launch_text(now.launch)} instead of {launch_text(was.launch)}."
    if before.launches != after.launches:
        yield f"Launched {_times(after.launches)} instead of {_times(before.launches)}."
    if was.bound_by != now.bound_by:
        yield f"Bound by {now.bound_by} instead of {was.bound_by}."
    if abs(now.occupancy.fraction - was.occupancy.fraction) >= _OCCUPANCY_STEP:
        now_resident, resident = now.occupancy.fraction, was.occupancy.fraction
        limit = f", limited by {now.occupancy.limited_by}" if now_resident < resident else ""
        yield f"Occupancy {percent_text(now_resident)} instead of {percent_text(resident)}{limit}."
    if (was.spills_per_thread > 0) != (now.spills_per_thread > 0):
        what = "Registers no longer spill" if was.spills_per_thread else "Registers spill"
        yield f"{what} ({now.registers_per_thread} per thread, {was.registers_per_thread} before)."
    if _differs(was.bytes_moved, now.bytes_moved) and not _differs(was.useful_bytes, now.useful_bytes):
        more = factor_text(now.bytes_moved / was.bytes_moved) if was.bytes_moved else ""
        yield f"The kernel moves {bytes_text(now.bytes_moved)} instead of {bytes_text(was.bytes_moved)} ({more})."
    if was.model != now.model:
        yield f"The time is that of the model {now.model} instead of {was.model}."


def _times(launches: int) -> str:
    return plural(launches, "time")


def _differs(one: float, other: float) -> bool:
    return abs(one - other) > _NOTICEABLE * max(abs(one), abs(other))
