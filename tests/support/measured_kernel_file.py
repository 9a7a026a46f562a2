"""A model of a made-up matrix multiplication, as a workspace has it in .warplens/counters."""

from pathlib import Path

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.engine.counter_study import study_kernel
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.hwprofiles.loader import load_gpu
from warplens.server.measure.counters.model_file import save_model

SIZES = tuple(range(256, 4097, 256))


def measured_matmul(kernel: str = "matmul", gpu: str = "Tesla K20c") -> CounterTable:
    """n cubed of work, loads that are eight times what is asked for; every size with two blocks."""
    rng = np.random.default_rng(7)
    n = np.repeat(np.array(SIZES, dtype=float), 2)
    slower = np.tile([1.0, 1.25], len(SIZES))
    columns = {
        "instructions_executed": n**3 / 32 * 9,
        "global_load_transactions": n**3 / 4 * slower,
        "global_load_requests": n**3 / 32,
        "global_load_efficiency": np.full(len(n), 0.125),
        "achieved_occupancy": rng.uniform(0.6, 0.9, len(n)),
    }
    time_s = (1e-5 + 2.5e-11 * n**3 * slower) * rng.normal(1, 0.01, len(n))
    runs = tuple(
        Run(kernel, gpu, (("n", size),), float(time), block, None)
        for size, time, block in zip(n, time_s, [(16, 16, 1), (8, 8, 1)] * len(SIZES), strict=True)
    )
    return CounterTable(runs, tuple(columns), np.column_stack(list(columns.values())))


def write_model(path: Path, kernel: str = "matmul", gpu: str = "Tesla K20c", profile: str | None = "k20") -> None:
    """Fit and save."""
    known = load_gpu(profile) if profile else None
    study = study_kernel(measured_matmul(kernel, gpu), counter_vocabulary().metrics, known)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_model(path, (study,))
