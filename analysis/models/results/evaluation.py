"""A nest at one problem size on one GPU and one CPU: what rules, hovers and reports read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.measured.measured_counts import LoopCounts
from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.models.results.comparison import ModelComparison
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.models.results.mapping_time import MappingPin, MappingTime
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.models.results.prediction import BoundBy, Prediction
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes


@dataclass(frozen=True, slots=True)
class KernelEvaluation:
    """One kernel: the recommended launch's prediction and what it was chosen from.

    Recommended is the best launch that a port writes (`recommended_launch.py`). `shared_greedy` is the greedy
    order of Resios 6.2 (every opportunity, decreasing benefit), `prediction.launch.shared` what the search over all
    subsets stages of them. `shared_left_out` says of each other opportunity, by array,
    why it is not staged: a clause that follows "not staged: `a`,". `ranking` is of all launches under the chosen model,
    `comparison` of all models on the recommended launch (None: not made), `benefits` what each removed bottleneck of
    that launch would gain.
    """

    kernel: Kernel
    launches: int
    prediction: Prediction
    shared_greedy: tuple[SharedChoice, ...]
    shared_left_out: tuple[tuple[str, str], ...] = ()
    ranking: LaunchRanking | None = None
    comparison: ModelComparison | None = None
    benefits: tuple[Benefit, ...] = ()

    @property
    def error(self) -> ModelError | None:
        """What was measured of the model whose time is shown, on kernels like this one."""
        return None if self.comparison is None else self.comparison.error_of(self.prediction.model)


@dataclass(frozen=True, slots=True)
class NestEvaluation:
    """A nest at `sizes` (every parameter's value). `offload` is None when there is no kernel.

    `measured` has what a real run counted, of the loops that it tells anything of. `missing_headers` are those that the
    file includes and that were not found. `steady_bound` is what bounds the longest kernel whatever guessed sizes are,
    None where that hangs on them, or was not asked. Of a nest in the source's order `row_teams` is the same with a team
    per row, where directives can say that and it is predicted to gain. `pin` is the mapping that a comment asks for.
    """

    facts: NestFacts
    sizes: tuple[tuple[str, int], ...]
    kernels: tuple[KernelEvaluation, ...]
    offload: Offload | None
    cpu_time: CpuTime
    gpu: Gpu
    cpu: Cpu
    assumptions: tuple[Assumption, ...]
    measured: tuple[tuple[NodeId, LoopCounts], ...] = ()
    missing_headers: tuple[str, ...] = ()
    steady_bound: BoundBy | None = None
    mapped: MappedNest | None = None
    source_order: NestEvaluation | None = None
    mappings: tuple[MappingTime, ...] = ()
    row_teams: NestEvaluation | None = None
    plain: NestEvaluation | None = None
    pin: MappingPin | None = None

    @property
    def kernel_facts(self) -> NestFacts:
        """Facts of the nest as its kernels run it."""
        return self.facts if self.mapped is None else self.mapped.facts

    @property
    def pinned(self) -> MappingPin | None:
        """The pin that decides in which mapping the nest is."""
        return self.pin if self.pin is not None and self.pin.is_in_force else None

    @property
    def in_source_order(self) -> NestEvaluation:
        """The nest with the kernels that the source spells out: all that a directive above its loops can ask for.

        What is known of its sizes beside the facts is as here.
        """
        return self if self.source_order is None else self._with_what_is_known(self.source_order)

    @property
    def with_one_output(self) -> NestEvaluation:
        """The nest in the same mapping with launches of one output per thread: what is said of its accesses."""
        return self if self.plain is None else self._with_what_is_known(self.plain)

    @property
    def in_row_teams(self) -> NestEvaluation | None:
        """The nest with a team per row where directives can say that and it is predicted to gain, else None."""
        teams = (self.source_order or self).row_teams
        return None if teams is None else self._with_what_is_known(teams)

    def _with_what_is_known(self, other: NestEvaluation) -> NestEvaluation:
        sizes = tuple(one for one in self.assumptions if one.kind == "size")
        rest = tuple(one for one in other.assumptions if one.kind != "size")
        return replace(other, assumptions=(*sizes, *rest), measured=self.measured, missing_headers=self.missing_headers)

    def in_source(self, loop: NodeId) -> NodeId:
        """The loop of the source that a kernel's loop is, or is one of."""
        return loop if self.mapped is None else self.mapped.in_source(loop)

    def loops_of_kernel(self, kernel: Kernel) -> frozenset[NodeId]:
        """Loops of the source that a kernel runs, or a part of."""
        roots = tuple(loop for loop in loops_of(self.kernel_facts.nest) if loop.id == kernel.root)
        inside = (one for one in walk_statements(roots) if isinstance(one, Loop))
        return frozenset(map(self.in_source, (loop.id for loop in inside))) & self._source_loops

    def place(self, kernel: Kernel) -> NodeId:
        """The loop of the source at which a kernel is shown: its outermost, of several that share it their own."""
        if self.mapped is None:
            return kernel.root
        own = self.loops_of_kernel(kernel)
        others = frozenset[NodeId]().union(
            *(self.loops_of_kernel(k.kernel) for k in self.kernels if k.kernel != kernel)
        )
        return min(own - others or own)

    @property
    def _source_loops(self) -> frozenset[NodeId]:
        return frozenset(loop.id for loop in loops_of(self.facts.nest))

    @property
    def known_sizes(self) -> Sizes:
        """`sizes` with the values of derived symbols."""
        return extend_sizes(dict(self.sizes), self.kernel_facts.nest)

    def measured_counts(self, loop: NodeId) -> LoopCounts | None:
        """What a real run counted of a loop."""
        return dict(self.measured).get(loop)
