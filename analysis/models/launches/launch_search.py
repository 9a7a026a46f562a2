"""The search over every launch of a kernel, with one of the models as its cost (Haigh & McCreath, exhaustive)."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import Column, Flags
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.counted_launches import count_launches
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.launch_cases import LaunchCases
from warplens.analysis.models.launch_work.request_latency import record_bytes_per_warp
from warplens.analysis.models.launch_work.work_of_launches import work_of_launches
from warplens.analysis.models.launches.costed_launches import CostedLaunches, Rows
from warplens.analysis.models.launches.launch_heuristic import familiarity, heuristic_launch
from warplens.analysis.models.launches.launch_reasons import launch_reasons
from warplens.analysis.models.launches.launch_space import launch_space
from warplens.analysis.models.results.current_launch import DEFAULT_ORIGIN
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.models.results.launch_ranking import LaunchMap, LaunchRanking, RankedLaunch

TOLERANCE = 0.01
"""Launches predicted within this share of the best are taken as alike: the simplest of them is recommended."""

GAIN_PER_DOUBLING = 0.08
"""Twice the outputs per thread must gain this share to be put first. Assumed: less is no more than the models' error,
and what a longer body costs in instruction cache and scheduling is not modelled. On an RTX 2080 Ti twice 64 outputs of
a GEMM gained 3 % and twice 8 of a convolution lost 40 %, on an RTX A4000 1 % (Kernel Tuner's benchmark hub)."""

REGROUPED_GAIN = 0.11
"""What a launch whose requests touch `_MUCH_MORE` sectors must gain over one that regroups them in shared memory, to be
put first: that caches keep the rest of a sector until a neighbour asks for it supposes warps and blocks in step. A
transpose whose loads scatter took 1.19 times as long as predicted on an H100, one through a tile 1.07 times."""

_MUCH_MORE = 1.25

LARGE_BLOCK_THREADS = 512
"""An SM starts a new block when all warps of one are done, which is not modelled: larger blocks are recommended where
they are predicted to gain. On a K20 1024 threads cost vector addition 4 % and matrix addition 6 % over 256, on SMs with
room for 1536 threads up to 40 % (gpuperfpredict traces)."""

ESTIMATE_TOLERANCE = 0.05
"""By how much the closed form may be wrong about which of two launches is faster: of those within it, the preferred
ones are simulated too."""

_IN_FRONT = (1, 2)
"""Launches that are simulated of all, of those with one output per thread, and of these without staging: the first, and
the preferred ones within `ESTIMATE_TOLERANCE`."""

_LINES = (64, 128, 256, 512)
"""Threads of a block along a loop that is not x."""

_SIMULATIONS = 12
"""At most, of launches with one output and then of all: the ones above, the heuristic's, and then what stands first."""

_FEW = 6
"""Launches of a group that has no more, as where the user has pinned the block, are all simulated."""

NO_ROWS: Rows = np.zeros(0, dtype=np.int64)


def search(
    sized: SizedKernel,
    gpu: Gpu,
    model: str,
    current: LaunchConfig | None = None,
    current_origin: str = "",
    most: int | None = None,
    cases: LaunchCases | None = None,
    pin: LaunchPin = FREE,
) -> LaunchRanking:
    """Rank all launches of a kernel by the time that a model predicts.

    Outputs per thread count `GAIN_PER_DOUBLING`, sectors that only a tile would use whole `REGROUPED_GAIN`. Launches
    within `TOLERANCE` of the first stand in order of preference: no more than `LARGE_BLOCK_THREADS` threads, nothing
    staged, few outputs, the heuristic's block (Resios 5.2.1), shapes that people try. Of a model that simulates, the
    closed form ranks all and the simulation those in front; the others keep the closed form's time times the ratio of
    both. `most` launches are listed (None: all); `current` is costed beside the best. `cases` has launches of the
    kernel that the caller asks for too.
    `pin` leaves only launches that are as it says.
    Units: seconds, launch overhead not included. Source: Haigh & McCreath, section 2, with any of the models.
    Raises: KeyError for a model that there is not, or for a parameter without value.
    """
    counted = count_launches(sized, launch_space(sized, gpu, pin), gpu)
    work = work_of_launches(counted)
    cases = cases or LaunchCases(sized, gpu)
    costed = CostedLaunches(counted, work, COST_MODELS[model], cases)
    order = _Order(costed, heuristic_launch(sized, gpu))
    # Launches with one output are simulated as if there were no others: without them the same ones are found.
    single, plain = costed.possible & order.has_one_output, costed.possible & order.is_plain
    if pin.shared is None:
        single = single & ~costed.regroups
    if costed.simulates:
        _simulate_first(costed, order, (single, plain), order.of(plain & order.is_heuristic, 1))
    one_output, unstaged = (costed.ranked(order.of(group, 1)) for group in (single, plain))
    alike = one_output[0].launch.threads_per_block if one_output else 0
    line = None if current is None else _best_in_line(costed, order, cases, model, current, current_origin, alike)
    if costed.simulates and (costed.possible & ~single).any():
        _simulate_first(costed, order, (costed.possible,))
    first = order.of(costed.possible, most)
    now = None if current is None else _costed_alone(cases.of(current), model)
    return LaunchRanking(
        model=model,
        searched=len(work.launches),
        ranked=costed.ranked(first),
        reasons=launch_reasons(work, costed.times_s, int(first[0])) if len(first) else (),
        current=now,
        current_origin=current_origin,
        map=_launch_map(work.launches.threads_per_block, order.outputs, costed.times_s),
        possible=int(costed.possible.sum()),
        one_output=one_output[0] if one_output else None,
        unstaged=unstaged[0] if unstaged else None,
        line=line,
    )


class _Order:
    """Rows by time, more outputs handicapped; those within the tolerance of the first by preference."""

    def __init__(self, costed: CostedLaunches, heuristic: LaunchConfig) -> None:
        launches = costed.work.launches
        self._costed = costed
        self.outputs = launches.outputs_per_thread.prod(axis=1)
        self._handicap: Column = 1 + GAIN_PER_DOUBLING * np.log2(self.outputs)
        self._beside_regrouped: Column = self._handicap
        if costed.regroups.any():
            touched = record_bytes_per_warp(costed.work) * costed.work.warps
            least = np.min(touched, where=costed.possible, initial=np.inf)
            self._beside_regrouped = self._handicap * np.where(touched > _MUCH_MORE * least, 1 + REGROUPED_GAIN, 1.0)
        self.has_one_output: Flags = self.outputs == 1
        self.is_plain: Flags = self.has_one_output & ~launches.staged.any(axis=1)
        self.is_heuristic: Flags = (launches.block == np.array(heuristic.block)).all(axis=1)
        self._preferences = (
            familiarity(launches.block),
            ~self.is_heuristic,
            self.outputs,
            launches.staged.sum(axis=1),
            launches.threads_per_block > LARGE_BLOCK_THREADS,
        )

    def of(self, wanted: Flags, most: int | None = None, tolerance: float = TOLERANCE) -> Rows:
        """Return the numbers of the rows for which `wanted` is true, in order, or the first `most` of them."""
        rows = np.flatnonzero(wanted)
        if not len(rows):
            return rows
        handicap = self._beside_regrouped if self._costed.regroups[rows].any() else self._handicap
        times = self._costed.times_s[rows] * handicap[rows]
        alike = times <= times.min() * (1 + tolerance)
        near: Rows = rows[alike]
        near = near[np.lexsort((times[alike], *(column[near] for column in self._preferences)))]
        if most is not None and len(near) >= most:
            return near[:most]
        far = rows[~alike]
        return np.concatenate((near, far[np.argsort(times[~alike], kind="stable")]))[:most]


def _simulate_first(costed: CostedLaunches, order: _Order, groups: tuple[Flags, ...], besides: Rows = NO_ROWS) -> None:
    """Simulate what stands in front of each group until what stands first is simulated, and all of a small group."""
    first, preferred = _IN_FRONT
    chosen = [order.of(group, first if group.sum() > _FEW else None) for group in groups]
    chosen += [order.of(group, preferred, ESTIMATE_TOLERANCE) for group in groups]
    front = dict.fromkeys(np.concatenate((*chosen, besides)).tolist())
    costed.simulate(front)
    for _ in range(_SIMULATIONS - len(front)):
        if not costed.simulate({row for group in groups for row in order.of(group, 1).tolist()}):
            return
    costed.keep_simulated_in_front(TOLERANCE)


def _best_in_line(
    costed: CostedLaunches,
    order: _Order,
    cases: LaunchCases,
    model: str,
    current: LaunchConfig,
    origin: str,
    threads: int,
) -> RankedLaunch | None:
    """The best plain launch with all threads along the current one's axis; costed alike where a clause asks for that.

    One with so many `threads` as the recommended launch has is taken where it is predicted alike, within
    `ESTIMATE_TOLERANCE`: the user meets one number. Along y and z, where the search has no such shapes, a few are
    costed.
    """
    axis = current.block.index(max(current.block))
    block = costed.work.launches.block
    if axis == 0:
        is_line: Flags = block[:, 0] == block.prod(axis=1)
        found = order.of(costed.possible & order.is_plain & is_line, 1)
        if not len(found):
            return None
        same = order.of(
            costed.possible & order.is_plain & is_line & (costed.work.launches.threads_per_block == threads), 1
        )
        if len(same) and costed.times_s[same[0]] <= costed.times_s[found[0]] * (1 + ESTIMATE_TOLERANCE):
            found = same
        ranked = costed.ranked(found)[0]
        return ranked if origin in {"", DEFAULT_ORIGIN} else _costed_alone(cases.of(ranked.launch), model)
    shapes = [(1, length, 1) if axis == 1 else (1, 1, length) for length in _LINES]
    tried = [_costed_alone(cases.of(LaunchConfig(shape)), model) for shape in shapes]
    possible = [each for each in tried if each.occupancy > 0]
    best = min(possible, key=lambda each: each.time_s, default=None)
    alike = [each for each in possible if each.launch.threads_per_block == threads]
    if best is None or not alike or alike[0].time_s > best.time_s * (1 + ESTIMATE_TOLERANCE):
        return best
    return alike[0]


def _costed_alone(case: KernelOnGpu, model: str) -> RankedLaunch:
    return RankedLaunch(
        case.launch,
        COST_MODELS[model].time_s(case),
        case.occupancy.fraction,
        case.registers.per_thread,
        case.registers.spill_stores + case.registers.spill_loads > 0,
    )


def _launch_map(threads: Rows, outputs: Rows, times_s: Column) -> LaunchMap:
    columns, column = np.unique(threads, return_inverse=True)
    rows, row = np.unique(outputs, return_inverse=True)
    least = np.full((len(rows), len(columns)), np.inf)
    np.minimum.at(least, (row, column), times_s)
    return LaunchMap(tuple(columns.tolist()), tuple(rows.tolist()), tuple(map(tuple, least.tolist())))
