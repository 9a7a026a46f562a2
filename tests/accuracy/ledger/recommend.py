"""Which of the measured launches a model recommends: the choice of the search (launch_search.py) among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import log2

import numpy as np
from accuracy.ledger.kernels import kernel_of, sizes_of
from accuracy.ledger.measurement import Extent, Measurement
from accuracy.ledger.predictions import Predicted
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launches.launch_heuristic import familiarity, heuristic_launch
from warplens.analysis.models.launches.launch_search import GAIN_PER_DOUBLING, LARGE_BLOCK_THREADS, TOLERANCE
from warplens.hwprofiles.loader import load_gpu


def recommended(group: Sequence[Predicted], model: str) -> Measurement:
    """Return the launch that the search would put first; the group is not empty."""
    times_s = {one: _handicapped_s(one, model) for one in group}
    limit_s = min(times_s.values()) * (1 + TOLERANCE)
    alike = [one for one in group if times_s[one] <= limit_s]
    return min(alike, key=lambda one: (_preference(one.measured), times_s[one])).measured


def _handicapped_s(one: Predicted, model: str) -> float:
    return one.time_s(model) * (1 + GAIN_PER_DOUBLING * log2(one.measured.outputs_per_thread))


def _preference(measured: Measurement) -> tuple[float, ...]:
    return (
        measured.threads_per_block > LARGE_BLOCK_THREADS,
        len(measured.staged),
        measured.outputs_per_thread,
        measured.block != _heuristic_block(replace(measured, block=(0, 0, 0), time_s=0.0)),
        float(familiarity(np.array([measured.block]))[0]),
    )


@cache
def _heuristic_block(launch: Measurement) -> Extent:
    """Of the kernel at its size on its GPU: nothing else of the launch counts."""
    return heuristic_launch(SizedKernel(kernel_of(launch), sizes_of(launch)), load_gpu(launch.gpu)).block
