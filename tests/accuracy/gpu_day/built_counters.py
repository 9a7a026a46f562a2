"""ncu's counters of a few nests: their ports once more, each under the profiler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from accuracy.gpu_day.there.run_step import METRICS
from accuracy.gpu_day.there.steps import Step
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.counters.collecting import ALWAYS, TIME

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


def wanted_counters() -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What is always asked for, and for each metric the raw names that it goes by, best first."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for name, source in counter_vocabulary().sources["ncu"].items():
        if "__" in name and " " not in name:
            groups.setdefault(source.metric, []).append((source.order, name))
    return (TIME, *ALWAYS), tuple(tuple(name for _, name in sorted(group)) for group in groups.values())


def _step(measured: Step) -> Step:
    kernels = sorted({launch["kernel"] for one in measured.about["planned"] for launch in one["launches"]})
    ncu = (
        "ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics", METRICS,
        "--kernel-name", f"regex:^({'|'.join(map(re.escape, kernels))})$", "--launch-count", str(_LAUNCHES),
        "--log-file", OUTPUT,
    )  # fmt: skip
    argv = (*ncu, measured.argv[0], measured.argv[1], "1", "0", WITHOUT_THE_C, *measured.parts)
    return replace(
        measured,
        id=f"counters/{measured.id.partition('/')[2].partition('/')[2]}",
        stage="counters",
        digest=f"{measured.digest} counters",
        argv=argv,
        parts=(),
        output=OUTPUT,
        alone=True,
        takes_turns=False,
        needs="ncu",
        estimate_s=_PROCESS_S + _PER_PORT_S * len(measured.parts),
    )
