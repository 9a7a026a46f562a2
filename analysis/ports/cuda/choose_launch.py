"""Which launch the port has: the user's wish, else the best that is predicted and that can be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import wished_choice
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.fix import LaunchWish
from warplens.analysis.ports.guessed_grid import ported_threads, rests_on_a_guess
from warplens.analysis.text.quantities import extent_text

Write = Callable[[LaunchConfig], object]
"""Writes a kernel for a launch; raises PortRefusedError where that can't be done."""


@dataclass(frozen=True, slots=True)
class ChosenLaunch:
    """`time_s` is predicted for one launch; `passed_over` says why a launch that is predicted faster is not written."""

    launch: LaunchConfig
    time_s: float
    passed_over: str = ""
    is_wished: bool = False


def choose_launch(evaluation: NestEvaluation, kernel: KernelEvaluation, wish: LaunchWish, write: Write) -> ChosenLaunch:
    """The launch to write, found by trying: `write` is called until it does not refuse.

    Never one that is predicted slower than the best with one output per thread and nothing staged.
    Raises PortRefusedError: for a wish that can't be fulfilled, or where no launch can be written.
    """
    if wish != LaunchWish():
        wished = _wished(evaluation, kernel, wish)
        write(wished)
        return ChosenLaunch(wished, predicted_time_s(evaluation, kernel, wished), is_wished=True)
    passed_over = ""
    candidates = _candidates(kernel)
    if rests_on_a_guess(evaluation, kernel.kernel):
        best, candidates = candidates[0][0], _for_any_grid(evaluation, kernel, candidates)
        if best.threads_per_block != ported_threads(kernel):
            passed_over = (
                f"{launch_text(best)} is best for a guessed size only, {ported_threads(kernel)} threads suit any"
            )
    for launch, time_s in candidates:
        try:
            write(launch)
        except PortRefusedError as refused:
            if _is_plain(launch):
                raise
            passed_over = passed_over or f"{launch_text(launch)} is predicted faster, but {refused}"
        else:
            return ChosenLaunch(launch, time_s, passed_over)
    raise PortRefusedError("no launch of this kernel is possible on this GPU")


def predicted_time_s(evaluation: NestEvaluation, kernel: KernelEvaluation, launch: LaunchConfig) -> float:
    """What the model in use predicts for any launch; seconds, launch overhead not included."""
    if kernel.ranking is not None:
        for ranked in kernel.ranking.ranked:
            if ranked.launch == launch:
                return ranked.time_s
    return COST_MODELS[kernel.prediction.model].time_s(_case(evaluation, kernel, launch))


def prediction_of(evaluation: NestEvaluation, kernel: KernelEvaluation, launch: LaunchConfig) -> Prediction:
    """The launch as the model in use explains it."""
    if kernel.prediction.launch == launch:
        return kernel.prediction
    return PREDICT[kernel.prediction.model](_case(evaluation, kernel, launch))


def launch_text(launch: LaunchConfig) -> str:
    """The launch in a few words.

    >>> launch_text(LaunchConfig((32, 8, 1), outputs_per_thread=(1, 2, 1)))
    'block 32x8, 2 outputs per thread'
    """
    parts = [f"block {extent_text(launch.block)}"]
    outputs = launch.outputs_per_thread
    if outputs != (1, 1, 1):
        count = outputs[0] * outputs[1] * outputs[2]
        shape = "" if sum(extent > 1 for extent in outputs) < 2 else f" ({extent_text(outputs)})"
        parts.append(f"{count} outputs per thread{shape}")
    if launch.shared:
        parts.append(f"tile of {' and '.join(c_name(choice.array) for choice in launch.shared)}")
    return ", ".join(parts)


def _candidates(kernel: KernelEvaluation) -> list[tuple[LaunchConfig, float]]:
    ranking = kernel.ranking
    if ranking is None:
        return [(kernel.prediction.launch, kernel.prediction.time_s)]
    plain = [ranking.unstaged] if ranking.unstaged is not None else []
    ranked = [*ranking.ranked[:1], *([ranking.one_output] if ranking.one_output is not None else [])]
    others = [*ranking.ranked[1:], *plain]
    most_s = min((one.time_s for one in plain), default=float("inf"))
    # Of those in front each is no slower than the others: without what could not be written, the next ones count.
    found = {one.launch: one.time_s for one in (*ranked[:1], *others[:-1], *ranked[1:], *plain)}
    return [(launch, time_s) for launch, time_s in found.items() if time_s <= most_s or _is_plain(launch)]


def _for_any_grid(
    evaluation: NestEvaluation, kernel: KernelEvaluation, candidates: list[tuple[LaunchConfig, float]]
) -> list[tuple[LaunchConfig, float]]:
    """Those with as many threads as suit grids of any size; where none has, a plain block along the first axis."""
    threads = ported_threads(kernel)
    fitting = [one for one in candidates if one[0].threads_per_block == threads]
    if any(_is_plain(launch) for launch, _ in fitting):
        return fitting
    plain = LaunchConfig((threads, 1, 1))
    return [*fitting, (plain, predicted_time_s(evaluation, kernel, plain))]


def _is_plain(launch: LaunchConfig) -> bool:
    return not launch.shared and launch.outputs_per_thread == (1, 1, 1)


def _case(evaluation: NestEvaluation, kernel: KernelEvaluation, launch: LaunchConfig) -> KernelOnGpu:
    return kernel_on_gpu(SizedKernel.of(kernel.kernel, evaluation.known_sizes), launch, evaluation.gpu)


def _wished(evaluation: NestEvaluation, kernel: KernelEvaluation, wish: LaunchWish) -> LaunchConfig:
    """The predicted launch with what the user wants otherwise."""
    best = kernel.prediction.launch
    if kernel.ranking is not None and kernel.ranking.ranked:
        best = kernel.ranking.best.launch
    block = best.block if wish.block is None else wish.block
    outputs = best.outputs_per_thread if wish.outputs_per_thread is None else wish.outputs_per_thread
    _check_shape(kernel.kernel, block, "a block")
    _check_shape(kernel.kernel, outputs, "outputs per thread")
    threads = block[0] * block[1] * block[2]
    limit = evaluation.gpu.occupancy.max_threads_per_block
    if threads > limit:
        raise PortRefusedError(f"a block of {threads} threads is too large: {evaluation.gpu.name} runs {limit}")
    if block[2] > _MOST_Z:
        raise PortRefusedError(f"a block has at most {_MOST_Z} threads along its third axis")
    launch = replace(best, block=block, outputs_per_thread=outputs, shared=())
    names = tuple(c_name(choice.array) for choice in best.shared) if wish.shared is None else wish.shared
    sized = SizedKernel.of(kernel.kernel, evaluation.known_sizes)
    staged = tuple(_staged(sized, name, launch, evaluation.gpu, wish) for name in dict.fromkeys(names))
    launch = replace(launch, shared=tuple(choice for choice in staged if choice is not None))
    most = evaluation.gpu.occupancy.shared_per_block_bytes
    if launch.shared_bytes_per_block > most:
        raise PortRefusedError(
            f"the tiles take {launch.shared_bytes_per_block} bytes of shared memory: a block has {most} at most"
        )
    return launch


_MOST_Z = 64
"""Source: CUDA C++ Programming Guide, technical specifications (of every compute capability)."""


def _check_shape(kernel: Kernel, extent: Extent, what: str) -> None:
    dimensions = len(kernel.thread_order)
    if min(extent) < 1:
        raise PortRefusedError(f"{what} of {extent_text(extent)}: every extent is 1 or more")
    if any(size > 1 for size in extent[dimensions:]):
        loops = "one loop" if dimensions == 1 else f"{dimensions} loops"
        raise PortRefusedError(f"{what} of {extent_text(extent)}: the threads lie along {loops} only")


def _staged(sized: SizedKernel, name: str, launch: LaunchConfig, gpu: Gpu, wish: LaunchWish) -> SharedChoice | None:
    """The region of an array that is wished for; None of one that only the prediction had, for another block."""
    known = {c_name(access.access.array): access.access.array for access in sized.kernel.accesses}
    if name not in known:
        arrays = ", ".join(f"`{one}`" for one in sorted(known))
        raise PortRefusedError(f"there is no array `{name}` to stage: the loop uses {arrays}")
    choice = wished_choice(sized, known[name], launch.block, gpu, launch.outputs_per_thread)
    if wish.shared is None:
        return choice if choice is not None and choice.benefit else None
    if choice is None:
        raise PortRefusedError(
            f"`{name}` can't be staged: it is written, or which part of it a block reads is not known"
        )
    return choice
