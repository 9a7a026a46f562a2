"""The table of a loop's card: counts, times, launch and rates, a name and a value per row."""

from __future__ import annotations

from fractions import Fraction

from warplens.analysis.advice.mapping_words import mapping_reasons, shown_mapping
from warplens.analysis.advice.speedups import speedups_text
from warplens.analysis.facts.calls.call_assumptions import uncounted_functions
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.measured.measured_counts import LoopCounts
from warplens.analysis.models.choice.time_range import is_short, kernels_range
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.text.quantities import (
    average_text,
    bytes_text,
    count_text,
    extent_text,
    percent_text,
    time_text,
)
from warplens.server.render.amounts import plural, rate_text
from warplens.server.render.break_even_text import break_even_rows
from warplens.server.render.formula_text import formula_text
from warplens.server.render.grounds_text import ground_rows
from warplens.server.render.headline import written_text
from warplens.server.render.launch_words import kernel_time_text, shape_text
from warplens.server.render.loop_reasons import LineOf
from warplens.server.render.mapping_words import directives_text, index_of
from warplens.server.render.model_words import bound_text

Row = tuple[str, str]
MEASURED = "measured"
_LEAST_SHARE = 0.005
_SHORT = "less than launching takes"


def loop_rows(evaluation: NestEvaluation, loop: NodeId, kernel: KernelEvaluation | None) -> tuple[Row, ...]:
    """What is of one loop: how often it runs, as predicted and as counted, and which dimension of the threads it is."""
    rows = [("trip count", trip_count_text(evaluation, loop))]
    counts = evaluation.measured_counts(loop)
    if counts is not None:
        rows.append((MEASURED, measured_text(counts)))
    if kernel is not None and (index := index_of(evaluation, kernel, loop)):
        rows.append(("mapped to", f"`{index}`"))
    return tuple(rows)


def nest_rows(
    evaluation: NestEvaluation, kernel: KernelEvaluation | None, line_of: LineOf, break_even: BreakEven | None = None
) -> tuple[Row, ...]:
    """What is of the whole nest; of several kernels each has a row with its time, and `kernel` has its details.

    `break_even` is the nest's where it is known already.
    """
    offload, grounds = evaluation.offload, grounds_of(evaluation)
    if grounds.undeclared:
        return (*ground_rows(evaluation, grounds), *_uncounted_row(evaluation))
    rows = [*ground_rows(evaluation, grounds)]
    if offload is None or kernel is None or not offload.has_work:
        return (*rows, _cpu_row(evaluation), *_uncounted_row(evaluation))
    rows.append(("GPU time", _gpu_time(evaluation, offload, kernel)))
    several = len(evaluation.kernels) > 1
    if several:
        rows += [(f"kernel, line {line_of(evaluation.place(k.kernel))}", _kernel_text(k)) for k in evaluation.kernels]
    if directives := directives_text(evaluation):
        rows.append(("directives", directives))
    rows += [_cpu_row(evaluation), *_uncounted_row(evaluation)]
    if grounds.carry_numbers:
        between = kernels_range(evaluation)
        rows.append(("vs one core", speedups_text(offload.one_core_s, offload, between)))
        if evaluation.cpu.core_count > 1:
            rows.append(("vs all cores", speedups_text(offload.all_cores_s, offload, between)))
    rows += break_even_rows(break_even, evaluation.cpu.core_count)
    rows += _transfer_rows(evaluation, offload)
    if several:
        rows.append(("details", f"of the kernel of line {line_of(evaluation.place(kernel.kernel))}"))
    return (*rows, *_kernel_rows(evaluation, kernel))


def trip_count_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    """Iterations at the sizes in force, and as a formula."""
    trip_count = evaluation.facts.trip_count(loop)
    try:
        value = count_text(_number(trip_count.average.evaluate(dict(evaluation.sizes))))
    except (KeyError, ZeroDivisionError):
        value = "not known"
    average = " on average" if _varies(evaluation, loop) else ""
    formula = formula_text(trip_count.average) if trip_count.average.parameters else ""
    separator = ", " if formula.startswith("about") else " = "
    assumed = {a.subject for a in evaluation.assumptions if a.kind == "size" and a.origin in {"default", "inferred"}}
    note = "" if trip_count.exact or average else ", not exact (see Assumed)"
    if not note and not assumed.isdisjoint(trip_count.average.parameters):
        note = ", assumed"
    return f"{value}{average}{separator + formula if formula else ''}{note}"


def iterations_text(evaluation: NestEvaluation, loop: NodeId) -> str:
    """The same in few words: "4094 iterations (`n - 2`)"."""
    trip_count = evaluation.facts.trip_count(loop)
    formula = f" ({formula_text(trip_count.average)})" if trip_count.average.parameters else ""
    try:
        value = _number(trip_count.average.evaluate(dict(evaluation.sizes)))
    except (KeyError, ZeroDivisionError):
        return f"not known how many iterations{formula}"
    return f"{plural(value, 'iteration')}{' on average' if _varies(evaluation, loop) else ''}{formula}"


def measured_text(counts: LoopCounts) -> str:
    """What a real run counted of a loop.

    >>> measured_text(LoopCounts(1048576, 1024, 0.634, "2026-01-31"))
    "1 048 576 iterations in 1024 runs of the loop (1024 each), 63 % of the program's line executions"
    >>> measured_text(LoopCounts(0, 0, 0.0, "2026-01-31"))
    'never ran in the imported run'
    """
    if counts.never_ran:
        return "never ran in the imported run"
    text = plural(counts.iterations, "iteration")
    if counts.entries is None:
        text += " in all (in how many runs of the loop, the counts don't tell)"
    elif counts.entries > 1:
        each = counts.average_trips or 0.0
        how = "each" if each.is_integer() else "on average"
        text += f" in {plural(counts.entries, 'run')} of the loop ({average_text(each)} {how})"
    if not counts.is_confirmed:
        text += " (or it ran less than once on average: the counts are read as the likelier)"
    share = "less than 1 %" if counts.share < _LEAST_SHARE else percent_text(counts.share)
    return f"{text}, {share} of the program's line executions"


def _number(value: Fraction) -> float:
    return int(value) if value.denominator == 1 else float(value)


def _varies(evaluation: NestEvaluation, loop: NodeId) -> bool:
    """Whether the loop's bounds depend on other loops of the nest, as in a triangle."""
    loops = loops_of(evaluation.facts.nest)
    own = next(each for each in loops if each.id == loop)
    bounds = (*own.limits, *((own.start,) if own.start is not None else ()))
    return any(each.iterator in bound.symbols for bound in bounds for each in loops)


def _cpu_row(evaluation: NestEvaluation) -> Row:
    cpu = evaluation.cpu_time
    vector = "vectorised" if cpu.vectorised else "not vectorised"
    cores = f"{time_text(cpu.one_core_s)} on one core, {time_text(cpu.all_cores_s)} on {evaluation.cpu.core_count}"
    return "CPU", f"{cores} ({vector}, bound by {cpu.bound_by})"


def _uncounted_row(evaluation: NestEvaluation) -> tuple[Row, ...]:
    """What called functions do is in neither side's time, nor that the memory that they give has to be moved."""
    nest = evaluation.facts.nest
    functions = ", ".join(f"`{name}`" for name in uncounted_functions((nest.root,)))
    given = ", ".join(f"`{c_name(a.name)}`" for a in nest.arrays if a.scope == "body" and a.is_pointer)
    if not functions:
        return ()
    memory = f"; moving the memory behind {given}" if given else ""
    return (("not counted", f"on either side: the work of {functions}{memory}"),)


def _gpu_time(evaluation: NestEvaluation, offload: Offload, kernel: KernelEvaluation) -> str:
    kernels = evaluation.kernels
    launches = sum(each.launches for each in kernels)
    of_kernels = f" of {len(kernels)} kernels" if len(kernels) > 1 else ""
    if all(is_short(each.prediction) for each in kernels):
        often = f" in {plural(launches, 'launch')}{of_kernels}" if launches > 1 else ""
        return f"{kernel_time_text(offload.kernels_s)}{often}, {_SHORT} ({time_text(offload.launch_overhead_s)})"
    total = f"{time_text(offload.kernels_s)}{_band(evaluation, offload)}"
    if of_kernels:
        return f"{total} in {plural(launches, 'launch')}{of_kernels}"
    often = f": {_launches(kernel)}" if launches != 1 else ""
    return f"{total}{often}, {_bound(kernel.prediction)}"


def _band(evaluation: NestEvaluation, offload: Offload) -> str:
    """Between which times nine of ten lay where the model was checked; empty where nothing was, for any kernel."""
    found = kernels_range(evaluation)
    if found is None or not offload.kernels_s:
        return ""
    return f" (9 of 10 between {time_text(found.least_s)} and {time_text(found.most_s)})"


def _launches(kernel: KernelEvaluation) -> str:
    return f"{plural(kernel.launches, 'launch')} of {kernel_time_text(kernel.prediction.time_s)}"


def _kernel_text(kernel: KernelEvaluation) -> str:
    prediction = kernel.prediction
    is_summed = kernel.launches > 1 and not is_short(prediction)
    total = f" = {time_text(kernel.launches * prediction.time_s)}" if is_summed else ""
    return f"{_launches(kernel)}{total}, block {extent_text(prediction.launch.block)}, {_bound(prediction)}"


def _bound(prediction: Prediction) -> str:
    return _SHORT if is_short(prediction) else f"bound by {bound_text(prediction)}"


def _transfer_rows(evaluation: NestEvaluation, offload: Offload) -> list[Row]:
    moved_in = f"{bytes_text(offload.bytes_in)} in ({time_text(offload.transfer_in_s)})"
    moved_out = f"{bytes_text(offload.bytes_out)} out ({time_text(offload.transfer_out_s)})"
    launching, context = time_text(offload.launch_overhead_s), time_text(offload.context_init_s)
    rows = [
        ("transfers", f"{moved_in}, {moved_out}"),
        ("overheads", f"{launching} for launching; {context} once per process (not counted)"),
    ]
    if 100 * offload.host_s >= offload.resident_s:
        rows.append(("on the host", f"{time_text(offload.host_s)} on one core, for what is in no kernel"))
    footprint, memory = _footprint_bytes(evaluation), evaluation.gpu.dram.size_bytes
    if footprint > memory:
        more = f"{bytes_text(footprint)}, more than the GPU's {bytes_text(memory)}"
        rows.append(("memory", f"{more}: it would have to run in parts, which these times leave out"))
    return rows


def _footprint_bytes(evaluation: NestEvaluation) -> float:
    try:
        return float(evaluation.facts.footprint_bytes.evaluate(dict(evaluation.sizes)))
    except (KeyError, ZeroDivisionError, OverflowError):
        return 0.0


def _kernel_rows(evaluation: NestEvaluation, kernel: KernelEvaluation) -> list[Row]:
    prediction = kernel.prediction
    occupancy = prediction.occupancy
    resident = f"per SM {plural(occupancy.warps_per_sm, 'warp')}, {plural(occupancy.blocks_per_sm, 'block')}"
    spills = f", {prediction.spills_per_thread} spilled" if prediction.spills_per_thread else ""
    launch = prediction.launch
    ported = written_text(evaluation, kernel)
    mapping = shown_mapping(evaluation)
    rows = [
        *((("mapping", mapping),) if mapping else ()),
        *((("why", "; ".join(reasons)),) if (reasons := mapping_reasons(evaluation)) else ()),
        ("block", f"{shape_text(launch)}{ported}, {plural(prediction.threads, 'thread')} in all"),
        ("occupancy", f"{percent_text(occupancy.fraction)} ({resident}), limited by {occupancy.limited_by}"),
        ("registers", f"{prediction.registers_per_thread} per thread{spills}"),
    ]
    if launch.shared:
        rows.append(("shared memory", f"{bytes_text(launch.shared_bytes_per_block)} per block"))
    if not is_short(prediction):
        rows.append(("rates", _rates(prediction, evaluation.gpu)))
    return rows


def _rates(prediction: Prediction, gpu: Gpu) -> str:
    """What the program asks for and computes per second, and the intensity against what passes to and from the SMs."""
    asked = prediction.effective_bandwidth_bytes_per_s
    served = " (most from caches)" if asked > 2 * gpu.dram.bandwidth_bytes_per_s else ""
    text = f"{rate_text(asked, 'B/s')} effective{served}"
    if not prediction.flops:
        return text
    moved = prediction.bytes_moved
    intensity = f", {prediction.flops / moved:.3g} FLOP per byte from L2 or beyond" if moved > 0 else ""
    return f"{text}, {rate_text(prediction.flops_per_s, 'FLOP/s')}{intensity}"
