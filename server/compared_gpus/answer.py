"""A nest on several GPUs: what is worked out of it."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.advice.worth import worth_of
from warplens.analysis.models.choice.time_range import kernels_range
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.break_even import break_even
from warplens.analysis.models.sizes.gpu_comparison import compare_gpus, fastest_first, gpu_size
from warplens.hwprofiles.loader import load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.compared_gpus.job import ComparedGpu, CompareJob
from warplens.server.render.break_even_text import break_even_starts
from warplens.server.render.headline import blocks_text
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.model_names import model_name
from warplens.server.render.model_words import bound_text
from warplens.server.render.trust import gpu_caveat
from warplens.server.worker.packing import unpack


def compared(job: CompareJob) -> tuple[ComparedGpu, ...]:
    """The rows, fastest first; none where the nest has no kernel or nothing to run at its sizes.

    The nest's own GPU is among them. Raises ProfileError for a name without a profile.
    """
    base = unpack(job.packed)
    gpus = (base.gpu, *(load_gpu(name) for name in job.gpus))
    names = {gpu: name for gpu, name in zip(gpus, ("", *job.gpus), strict=True) if name}
    found = fastest_first(compare_gpus(base, gpus, model_errors()), job.data)
    rows = [row(each, names.get(each.gpu, each.gpu.id), is_current=each is base) for each in found]
    if not job.with_break_even:
        return tuple(rows)
    starts = (break_even_starts(break_even(each)) for each in found)
    return tuple(replace(each, break_even=start) for each, start in zip(rows, starts, strict=True))


def row(evaluation: NestEvaluation, name: str, *, is_current: bool) -> ComparedGpu:
    """The nest on its GPU; raises ValueError for one without a kernel."""
    offload, gpu = evaluation.offload, evaluation.gpu
    kernel = kernel_of(evaluation, evaluation.facts.nest.root.id)
    if offload is None:
        raise ValueError("the nest has no kernel")
    times = kernels_range(evaluation)
    factors = [each.error.profile_factor for each in evaluation.kernels if each.error is not None]
    return ComparedGpu(
        gpu=name,
        name=gpu.name,
        is_current=is_current,
        cold_s=offload.cold_s,
        resident_s=offload.resident_s,
        kernels_s=offload.kernels_s,
        range_s=None if times is None else (times.least_s, times.most_s),
        one_core_s=offload.one_core_s,
        cpu_s=min(offload.one_core_s, offload.all_cores_s),
        against=worth_of(evaluation).against,
        core_count=evaluation.cpu.core_count,
        bound=bound_text(kernel.prediction) if kernel else "",
        model=model_name(kernel.prediction.model) if kernel else "",
        launch=blocks_text(evaluation),
        values_assumed=len(gpu.assumptions),
        profile_factor=max(factors, default=1.0),
        gpu_size=gpu_size(gpu),
        caveat=gpu_caveat(gpu),
        has_ground=grounds_of(evaluation).carry_numbers,
    )
