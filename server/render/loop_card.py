"""What a hover on a loop header and the command line say of a loop: the prediction, and why."""

from __future__ import annotations

from collections.abc import Callable

from warplens.analysis.advice.naming import c_name, node_text
from warplens.analysis.advice.quantities import bytes_text, percent_text, ratio_text, time_text
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of, walk_statements
from warplens.analysis.models.evaluation import KernelEvaluation, NestEvaluation
from warplens.server.render.card import Card, Section
from warplens.server.render.headline import block_text, count_text, plural, rate_text, speedups_text

PARALLEL = "Parallel?"
SIMPLIFIED = "Simplified in the model"
"""Titles of the sections that the command line puts elsewhere."""

LineOf = Callable[[NodeId], int]
"""1-based line of a node in the user's file, 0 when it stands nowhere."""


def loop_card(evaluation: NestEvaluation, loop: NodeId, line_of: LineOf) -> Card:
    """The card of one loop of a nest; raises KeyError for an id that is no loop of it."""
    nest = evaluation.facts.nest
    verdict = evaluation.facts.verdict(loop)
    kernel = kernel_of(evaluation, loop)
    assumptions = distinct((*verdict.assumptions, *evaluation.assumptions, *(_kernel_assumptions(kernel))))
    program = (a for a in assumptions if a.kind not in {"machine", "profile"})
    machine = (a for a in assumptions if a.kind == "machine")
    return Card(
        headline=_headline(evaluation, verdict, kernel),
        rows=(*_loop_rows(evaluation, loop, kernel), *(_machine_rows(evaluation, kernel, line_of))),
        sections=(
            Section(PARALLEL, verdict_sentences(nest, verdict, line_of)),
            Section("Hotspot", _hotspot_sentences(nest, kernel, line_of)),
            Section("Shared memory", shared_sentences(kernel)),
            Section("Assumed", tuple(assumption_text(a) for a in program)),
            Section(SIMPLIFIED, tuple(a.text for a in machine)),
        ),
        footer=_provenance(evaluation, kernel, sum(a.kind == "profile" for a in assumptions)),
    )


def kernel_of(evaluation: NestEvaluation, loop: NodeId) -> KernelEvaluation | None:
    """The kernel that a loop is part of (a grid loop, or one that its threads run), else the nest's longest one."""
    loops = {each.id: each for each in loops_of(evaluation.facts.nest)}
    for kernel in evaluation.kernels:
        root = loops.get(kernel.kernel.root)
        if root is not None and any(inner.id == loop for inner in walk_statements((root,))):
            return kernel
    return max(evaluation.kernels, key=lambda k: k.launches * k.prediction.time_s, default=None)


def distinct(assumptions: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Each assumption once, in order."""
    return tuple(dict.fromkeys(assumptions))


def assumption_text(assumption: Assumption) -> str:
    """The sentence, with how to correct a size where the sentence doesn't say so itself."""
    text = assumption.text
    if assumption.kind == "size" and assumption.origin in {"default", "inferred"} and "warplens:" not in text:
        value = 4096 if assumption.value is None else int(assumption.value)
        return f"{text} To correct it: `// warplens: {assumption.subject} = {value}` above the loop."
    return text


def verdict_sentences(nest: LoopNest, verdict: LoopVerdict, line_of: LineOf) -> tuple[str, ...]:
    """Why the loop's iterations may run at the same time, or which two places stop them."""
    private = ", ".join(f"`{c_name(name)}`" for name in verdict.private)
    match verdict.kind:
        case "parallel":
            text = "Yes: no iteration needs another one's result."
            return (text, f"Each iteration has its own {private}.") if private else (text,)
        case "reduction":
            named = (f"`{c_name(r.variable)}` by `{r.operator}`" for r in verdict.reductions)
            return (f"As a reduction: the iterations only share {', '.join(named)}.",)
        case "carried":
            return tuple(dependence_text(nest, d, line_of) for d in verdict.dependences)
        case _:
            places = ", ".join(f"{node_text(nest, b)} (line {line_of(b)})" for b in verdict.blockers if line_of(b))
            return (f"Not known: {verdict.reason}{f': {places}' if places else ''}.",)


def dependence_text(nest: LoopNest, dependence: Dependence, line_of: LineOf) -> str:
    """The two places of a dependence, in the order they run."""
    what = {"flow": "reads what", "anti": "overwrites what", "output": "overwrites what"}[dependence.kind]
    earlier = {"flow": "wrote", "anti": "reads", "output": "wrote"}[dependence.kind]
    carrier = dependence.loops.index(dependence.carrier) if dependence.carrier in dependence.loops else -1
    distance = dependence.distances[carrier] if 0 <= carrier < len(dependence.distances) else None
    apart = f", {plural(distance, 'iteration')} earlier" if distance is not None else " in an earlier iteration"
    return (
        f"No: {node_text(nest, dependence.sink)} (line {line_of(dependence.sink)}) {what} "
        f"{node_text(nest, dependence.source)} (line {line_of(dependence.source)}) {earlier}{apart}."
    )


def shared_sentences(kernel: KernelEvaluation | None) -> tuple[str, ...]:
    """What the recommended launch stages, and what it left out of the greedy order."""
    if kernel is None:
        return ()
    chosen = kernel.prediction.launch.shared
    sentences = [
        f"Stage `{c.array}`: {bytes_text(c.size_bytes)} per block serve {count_text(c.reads_per_block)} reads and save "
        f"{bytes_text(c.saved_bytes)} of global traffic per block."
        for c in chosen
    ]
    left = [c for c in kernel.shared_greedy if c not in chosen]
    sentences += [f"Left out: `{c.array}`, {bytes_text(c.size_bytes)} per block." for c in left]
    return tuple(sentences)


def _headline(evaluation: NestEvaluation, verdict: LoopVerdict, kernel: KernelEvaluation | None) -> str:
    gpu = evaluation.gpu.name
    if evaluation.offload is None or kernel is None:
        return f"Not for the {gpu}: no loop of this nest is known to be parallel"
    block = block_text(kernel.prediction.launch.block)
    where = f"{speedups_text(evaluation)} vs one core on {gpu}, block {block}"
    if any(grid.loop == verdict.loop for grid in kernel.kernel.grid):
        return f"GPU {where}"
    if verdict.can_run_in_parallel:
        return f"Each thread runs this loop; the nest: GPU {where}"
    return f"This loop stays sequential; the nest: GPU {where}"


def _loop_rows(
    evaluation: NestEvaluation, loop: NodeId, kernel: KernelEvaluation | None
) -> tuple[tuple[str, str], ...]:
    trip_count = evaluation.facts.trip_count(loop)
    try:
        value = trip_count.average.evaluate(dict(evaluation.sizes))
        count = count_text(int(value)) if value.denominator == 1 else f"{float(value):.6g}"
    except (KeyError, ZeroDivisionError, OverflowError):
        count = "not known"
    formula = str(trip_count.average)
    text = count + (f" = `{formula}`" if trip_count.average.parameters else "")
    mapped = ""
    if kernel is not None and loop in kernel.kernel.thread_order:
        mapped = "xyz"[kernel.kernel.thread_order.index(loop)]
    return (("trip count", text if trip_count.exact else f"{text} (on average)"),) + (
        (("mapped to", f"`threadIdx.{mapped}`"),) if mapped else ()
    )


def _kernel_text(kernel: KernelEvaluation) -> str:
    prediction = kernel.prediction
    times = f" x {count_text(kernel.launches)}" if kernel.launches > 1 else ""
    return f"{time_text(prediction.time_s)}{times}, {prediction.bound_by}, block {block_text(prediction.launch.block)}"


def _machine_rows(
    evaluation: NestEvaluation, kernel: KernelEvaluation | None, line_of: LineOf
) -> tuple[tuple[str, str], ...]:
    cpu = evaluation.cpu_time
    vector = "vectorised" if cpu.vectorised else "not vectorised"
    cores = f"{time_text(cpu.one_core_s)} one core, {time_text(cpu.all_cores_s)} on {evaluation.cpu.core_count} cores"
    cpu_row = ("CPU", f"{cores} ({vector}, {cpu.bound_by})")
    offload = evaluation.offload
    if offload is None or kernel is None:
        return (cpu_row,)
    prediction = kernel.prediction
    occupancy = prediction.occupancy
    all_cores = ", ".join(
        f"{ratio_text(offload.all_cores_s / s) if s > 0 else 'no work'} {name}"
        for s, name in ((offload.cold_s, "cold"), (offload.resident_s, "resident"))
    )
    moved_in = f"{bytes_text(offload.bytes_in)} in ({time_text(offload.transfer_in_s)})"
    moved_out = f"{bytes_text(offload.bytes_out)} out ({time_text(offload.transfer_out_s)})"
    resident = f"per SM {plural(occupancy.warps_per_sm, 'warp')}, {plural(occupancy.blocks_per_sm, 'block')}"
    bandwidth = rate_text(prediction.effective_bandwidth_bytes_per_s, "B/s")
    flops = rate_text(prediction.flops_per_s, "FLOP/s")
    intensity = f"{float(kernel.kernel.arithmetic_intensity):.3g}"
    count = sum(each.launches for each in evaluation.kernels)
    launches = f" in {count_text(count)} launches" if count > 1 else ""
    kernels: tuple[tuple[str, str], ...] = ()
    if len(evaluation.kernels) > 1:
        kernels = tuple((f"kernel, line {line_of(k.kernel.root)}", _kernel_text(k)) for k in evaluation.kernels)
    return (
        ("GPU time", f"{time_text(offload.kernels_s)}{launches}, bound by {prediction.bound_by}"),
        *kernels,
        ("transfers", f"{moved_in}, {moved_out}"),
        (
            "overheads",
            f"{time_text(offload.launch_overhead_s)} launch; once per process {time_text(offload.context_init_s)}",
        ),
        cpu_row,
        ("vs all cores", all_cores),
        ("block", f"{block_text(prediction.launch.block)}, {count_text(prediction.threads)} threads in all"),
        ("occupancy", f"{percent_text(occupancy.fraction)} ({resident}), limited by {occupancy.limited_by}"),
        ("registers", _registers(kernel)),
        ("shared memory", f"{bytes_text(prediction.launch.shared_bytes_per_block)} per block"),
        (
            "rates",
            f"{bandwidth} effective, {flops}, arithmetic intensity {intensity}",
        ),
    )


def _registers(kernel: KernelEvaluation) -> str:
    spills = kernel.prediction.spills_per_thread
    return f"{kernel.prediction.registers_per_thread} per thread" + (f", {spills} spilled" if spills else "")


def _hotspot_sentences(nest: LoopNest, kernel: KernelEvaluation | None, line_of: LineOf) -> tuple[str, ...]:
    if kernel is None:
        return ()
    hottest = sorted(kernel.prediction.hotspots, key=lambda h: -h.idle_share)[:3]
    return tuple(
        f"{node_text(nest, h.access if h.access is not None else h.statement)} "
        f"(line {line_of(h.access if h.access is not None else h.statement)}): {percent_text(h.idle_share)} of the "
        f"kernel's time is spent waiting for it{' (a spill)' if h.access is None else ''}."
        for h in hottest
        if h.idle_share >= 0.005
    )


def _kernel_assumptions(kernel: KernelEvaluation | None) -> tuple[Assumption, ...]:
    return () if kernel is None else (*kernel.kernel.assumptions, *kernel.prediction.assumptions)


def _provenance(evaluation: NestEvaluation, kernel: KernelEvaluation | None, assumed: int) -> str:
    weak = sum(p.kind in {"assumed", "memory", "measured_proxy", "simulator_config"} for p in evaluation.gpu.provenance)
    total = len(evaluation.gpu.provenance)
    model = f"Model {kernel.prediction.model}; " if kernel else ""
    return (
        f"{model}GPU profile {evaluation.gpu.id} ({total - weak} of {total} values sourced for this device"
        f"{f', {weak} assumed or from a sibling' if weak or assumed else ''}); CPU profile {evaluation.cpu.id}"
    )
