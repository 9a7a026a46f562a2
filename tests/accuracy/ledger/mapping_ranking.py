"""Mappings of one nest that were timed beside each other: whether the one that is predicted fastest was the fastest.

They are predicted again by the models as they are now, each with the launch that was measured, by the model that the
choice takes for its family of kernels. Times are those of all kernels of the nest, from the start of the first to the
end of the last: of several launches the intervals between them are in it, in front of the first there is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from accuracy.gpu_day.mapping_nests import path_of
from accuracy.gpu_day.mapping_ports import in_mapping_named
from accuracy.gpu_day.recorded import RecordedMapping
from accuracy.ledger.measured_nests import StaleError, measured_cases, nest_facts, sizes_now
from accuracy.real_c.tables import table
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.kernel_family import family_of
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

AS_FAST = 1.05
"""A mapping within this factor of the fastest is as good a choice: runs of one port differ by as much."""
NONE_YET = "No mapping of a nest was timed beside another one yet."
_CPU = "server"


@dataclass(frozen=True, slots=True)
class RankedMapping:
    """One mapping: its name with what it stages, and seconds of all its kernels."""

    name: str
    predicted_s: float
    measured_s: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Mappings of a nest at its sizes on one GPU, at least two."""

    nest: str
    sizes: tuple[tuple[str, int], ...]
    gpu: str
    mappings: tuple[RankedMapping, ...]

    @property
    def chosen(self) -> RankedMapping:
        """The one that is predicted fastest."""
        return min(self.mappings, key=lambda one: one.predicted_s)

    @property
    def fastest(self) -> RankedMapping:
        """The one that was measured fastest."""
        return min(self.mappings, key=lambda one: one.measured_s)

    @property
    def lost(self) -> float:
        """How many times as long as the fastest the chosen one takes; 1 where it is that."""
        return self.chosen.measured_s / self.fastest.measured_s


def rankings(found: Iterable[RecordedMapping]) -> tuple[tuple[Ranking, ...], tuple[str, ...]]:
    """Those of each nest, sizes and GPU together, and what can no longer be predicted, with the reason."""
    cases: dict[tuple[str, tuple[tuple[str, int], ...], str], list[RankedMapping]] = {}
    stale = dict[str, None]()
    for one in found:
        measured = one.measured
        assert measured.timing is not None
        try:
            time_s = predicted_s(one)
        except StaleError as error:
            stale[str(error)] = None
            continue
        ranked = RankedMapping(_name(one), time_s, measured.timing.kernels.median_s)
        nest = measured.path.removesuffix(".c")
        cases.setdefault((nest, measured.sizes, measured.profile), []).append(ranked)
    several = (Ranking(*case, tuple(mappings)) for case, mappings in cases.items() if len(mappings) > 1)
    return tuple(several), tuple(stale)


def predicted_s(one: RecordedMapping) -> float:
    """What is predicted now of the mapping with its launches; raises StaleError."""
    source = nest_facts(path_of(one.measured.path))
    known = sizes_now(one.measured, source)
    sizes = tuple((name, known[name]) for name in sorted(source.parameters) if name in known)
    evaluation = in_mapping_named(_evaluated(one.measured.path, sizes, one.planned_for), one.mapping)
    if evaluation is None:
        raise StaleError(f"{one.measured.path}: the mapping {one.mapping} is no longer tried at its sizes")
    return _kernels_s(one, evaluation.kernel_facts, load_gpu(one.measured.profile))


def rankings_table(found: Sequence[Ranking]) -> str:
    """Markdown: how often the choice is right, then a row for each mapping; without any that there is none."""
    if not found:
        return NONE_YET
    right = sum(one.lost <= AS_FAST for one in found)
    lost = prod(one.lost for one in found) ** (1 / len(found))
    worst = max(one.lost for one in found)
    summary = (
        "The mapping that is predicted fastest was the fastest, or within 5 % of it, "
        f"for {right} of {len(found)} nests and sizes; "
        f"it takes {lost:.2f} times as long in the geometric mean, {worst:.2f} times at worst."
    )
    rows = [
        [one.nest, ", ".join(f"{name} = {size}" for name, size in one.sizes), one.gpu, mapping.name,
         f"{1e6 * mapping.predicted_s:.1f} µs", f"{1e6 * mapping.measured_s:.1f} µs", _choice(one, mapping)]
        for one in found
        for mapping in sorted(one.mappings, key=lambda each: each.predicted_s)
    ]  # fmt: skip
    head = ["nest", "sizes", "GPU", "mapping", "predicted", "measured", "predicted fastest"]
    return f"{summary}\n\n{table(head, rows, 4)}"


def _choice(ranking: Ranking, mapping: RankedMapping) -> str:
    """Beside the mapping that is predicted fastest whether it is."""
    if mapping != ranking.chosen:
        return ""
    if ranking.lost == 1:
        return "the fastest"
    return "within 5 %" if ranking.lost <= AS_FAST else f"{ranking.lost:.2f} times {ranking.fastest.name}"


def _name(one: RecordedMapping) -> str:
    staged = dict.fromkeys(name for launch in one.measured.launches for name in launch.shared)
    return f"{one.mapping}, {', '.join(staged)} staged" if staged else one.mapping


@cache
def _evaluated(file: str, sizes: tuple[tuple[str, int], ...], gpu: str) -> NestEvaluation:
    """As it was when the mappings were named: on the GPU that the kit was built for."""
    return evaluate_nest(nest_facts(path_of(file)), dict(sizes), load_gpu(gpu), load_cpu(_CPU), model_errors())


def _kernels_s(one: RecordedMapping, facts: NestFacts, gpu: Gpu) -> float:
    total_s = total_launches = 0.0
    for case, launches in measured_cases(one.measured, facts, gpu):
        model = COST_MODELS[choose_model(family_of(case.counted.sized.kernel), model_errors()).model]
        total_s += launches * model.time_s(case)
        total_launches += launches
    return total_s + launch_overhead_s(gpu.host, total_launches) - launch_overhead_s(gpu.host, min(1.0, total_launches))
