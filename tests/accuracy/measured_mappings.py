"""Hand-written kernels of a nest in several mappings, measured on a GPU day, beside the mappings that are predicted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from support.c_nests.parsed import facts_of
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.mapping.candidate_mappings import split_choices, team_choices, team_rewritten
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import split_over_grid
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.validation import model_errors

RESULTS = Path(__file__).parent / "gpu_day" / "results"

NESTS = {
    "matrix_vector": """void f(int n, int m, const float *restrict a, const float *restrict x, float *restrict y) {
    for (int i = 0; i < n; i++) { float s = 0;
        for (int j = 0; j < m; j++) s += a[i * m + j] * x[j];
        y[i] = s; } }""",
    "row_softmax": """float expf(float);
void f(int n, int m, const float *restrict x, float *restrict y) {
    for (int i = 0; i < n; i++) { float t = x[i * m], s = 0;
        for (int j = 1; j < m; j++) if (x[i * m + j] > t) t = x[i * m + j];
        for (int j = 0; j < m; j++) s += expf(x[i * m + j] - t);
        for (int j = 0; j < m; j++) y[i * m + j] = expf(x[i * m + j] - t) / s; } }""",
    "column_sums": """void f(int n, int m, const float *restrict a, float *restrict y) {
    for (int j = 0; j < m; j++) { float s = 0;
        for (int i = 0; i < n; i++) s += a[i * m + j];
        y[j] = s; } }""",
}
"""The nests that the programs of these names are ports of."""


@dataclass(frozen=True)
class MeasuredMapping:
    """A kernel of a program: its mapping in the program's words, and the median of its times."""

    program: str
    sizes: tuple[tuple[str, int], ...]
    variant: str
    block: tuple[int, int, int]
    time_s: float


def measured(results: str) -> Iterator[MeasuredMapping]:
    """All kernels of the nests above that a GPU day's file has."""
    with gzip.open(RESULTS / results, "rt") as lines:
        for line in lines:
            step = {} if line.startswith("#") else json.loads(line)
            if not step.get("step", "").startswith("programs/"):
                continue
            for part in map(json.loads, step["output"].splitlines()):
                if part.get("program") in NESTS and part.get("block") and part.get("times_s"):
                    x, y, z = part["block"]
                    yield MeasuredMapping(
                        part["program"],
                        tuple(part["sizes"].items()),
                        part["variant"],
                        (x, y, z),
                        median(part["times_s"]),
                    )


def predicted_s(one: MeasuredMapping, gpu: Gpu) -> float:
    """What is predicted of the same mapping with the same block; of a sum in two kernels both of them."""
    facts = facts_of(NESTS[one.program])
    launches = _kernels(facts, one)
    return sum(_time_s(kernel, launch, dict(one.sizes), nest, gpu) for kernel, launch, nest in launches)


def _kernels(facts: NestFacts, one: MeasuredMapping) -> list[tuple[Kernel, LaunchConfig, NestFacts]]:
    source = SourceNest(facts)
    (kernel,) = facts.kernels
    if one.variant.startswith("thread per"):
        return [(kernel, LaunchConfig(one.block), facts)]
    names = NewNames(facts.nest)
    if one.variant.endswith("rows per block"):
        (split,) = split_choices(source, kernel)
        parts = max(2, dict(one.sizes)["n"] // 256)
        rewritten = split_over_grid(source, names, split, parts, 1)
        block = LaunchConfig(one.block)
    else:
        (choice,) = team_choices(source, kernel)
        threads = 32 if one.variant == "warp per row" else one.block[0]
        rewritten = team_rewritten(source, names, choice, threads)
        block = LaunchConfig((threads, one.block[0] // threads, 1))
    assert rewritten is not None
    mapped = mapped_nest(source, names, (rewritten,)).facts
    first, *others = mapped.kernels
    return [(first, block, mapped), *((each, LaunchConfig((256, 1, 1)), mapped) for each in others)]


def _time_s(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], facts: NestFacts, gpu: Gpu) -> float:
    sized = SizedKernel.of(kernel, extend_sizes(sizes, facts.nest))
    model = COST_MODELS[choose_model(family_of(sized.kernel), _errors()).model]
    return model.time_s(kernel_on_gpu(sized, launch, gpu))


@cache
def _errors():
    return model_errors()
