"""ncu's counters of a few nests: their ports once more, each under the profiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from accuracy.gpu_day.there.run_step import METRICS
from accuracy.gpu_day.there.steps import Step
from warplens.server.measure.counters.collecting import Collection

NESTS = ("gemm", "gemv", "transpose", "jacobi_2d", "convolution_2d", "csr", "histogram", "dot", "gather", "nbody")
"""One of each kind of traffic, in the order in which they run."""
OUTPUT = "counters.csv"
WITHOUT_THE_C = "-"
"""A profiler's counters say nothing of a result, and the C takes as long as all else."""
_LAUNCHES = 20
_PROCESS_S = 5.0
"""ncu itself, data, and of the first one the question which counters there are."""
_PER_PORT_S = 2.5


def counter_steps(measured: Sequence[Step]) -> tuple[Step, ...]:
    """A step under ncu for the first round of each of `NESTS`, out of the steps that measure."""
    first = {step.id.split("/")[2]: step for step in measured if step.id.startswith("measure/0/")}
    return tuple(_step(first[name]) for name in NESTS if name in first)


def _step(measured: Step) -> Step:
    kernels = sorted({launch["kernel"] for one in measured.about["planned"] for launch in one["launches"]})
    program = (*measured.argv[:2], "1", "0", WITHOUT_THE_C, *measured.parts)
    collection = Collection("ncu", (METRICS,), program, tuple(kernels), _LAUNCHES, measured.limit_s)
    argv = collection.command({}, Path(OUTPUT))
    return replace(
        measured,
        id=f"counters/{measured.id.partition('/')[2].partition('/')[2]}",
        stage="counters",
        digest=sha256("\0".join((measured.digest, *argv)).encode()).hexdigest()[:16],
        argv=argv,
        parts=(),
        output=OUTPUT,
        alone=True,
        takes_turns=False,
        needs="ncu",
        estimate_s=_PROCESS_S + _PER_PORT_S * len(measured.parts),
    )
