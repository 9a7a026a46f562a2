"""How long 12 000 runs with 100 counters take to fit, and the model to load; printed, never asserted.

Each figure is of a fresh process, with its peak of memory. Run: python tests/bench/bench_counters.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

RUNS, COUNTERS = 12_000, 100
_ROUNDS = 5


def main() -> None:
    """Fit once, load five times; with `fit` or `load` and a file: do it and print seconds, bytes, and one more."""
    if sys.argv[1:]:
        what, path = sys.argv[1:]
        start = perf_counter()
        seconds, more = _fit(Path(path)) if what == "fit" else _load(Path(path), start)
        print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, more)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made_up.counters"
        time_s, peak, explained = _child("fit", path)
        print(f"fit: {time_s:.1f} s, {peak / 2**30:.2f} GiB at most, {explained:.1%} explained out of bag")
        loads = sorted(_child("load", path) for _ in range(_ROUNDS))
        time_s, peak, imports_s = loads[_ROUNDS // 2]
        print(
            f"load: {time_s:.2f} s (slowest {loads[-1][0]:.2f}), {peak / 2**30:.2f} GiB at most, "
            f"{imports_s:.2f} s for imports; {path.stat().st_size / 2**20:.1f} MiB"
        )


def _child(what: str, path: Path) -> tuple[float, float, float]:
    command = [sys.executable, __file__, what, str(path)]
    first, second, third = map(float, subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.split())
    return first, second, third


def _fit(path: Path) -> tuple[float, float]:
    """Seconds, and the share of the variance that the forest explains out of bag.

    Runs of 120 sizes; the time is made of three counters, ten go with each of them, the rest is noise.
    """
    import numpy as np
    from warplens.analysis.counters.counter_table import CounterTable, Run
    from warplens.analysis.engine.counter_study import study_kernel
    from warplens.hwprofiles.counter_metrics import counter_vocabulary
    from warplens.server.measure.counters.model_file import save_model

    rng = np.random.default_rng(8)
    n = rng.choice(np.unique(np.geomspace(64, 16384, 120).round()), RUNS)
    causes = np.column_stack([n**3, n**2 * rng.lognormal(0, 0.3, RUNS), rng.lognormal(12, 0.5, RUNS)])
    together = np.repeat(causes, 10, axis=1) * rng.lognormal(0, 0.05, (RUNS, 30))
    values = np.column_stack([together, rng.lognormal(8, 1, (RUNS, COUNTERS - together.shape[1]))])
    time_s = (1e-5 + causes @ np.array([2e-11, 4e-9, 3e-10])) * rng.normal(1, 0.02, RUNS)
    runs = tuple(
        Run("k", "a GPU", (("n", float(size)),), float(time), (256, 1, 1)) for size, time in zip(n, time_s, strict=True)
    )
    table = CounterTable(runs, tuple(f"counter_{j}" for j in range(COUNTERS)), values)
    start = perf_counter()
    study = study_kernel(table, counter_vocabulary().metrics, None)
    seconds = perf_counter() - start
    save_model(path, (study,))
    return seconds, study.fit.quality.out_of_bag


def _load(path: Path, start: float) -> tuple[float, float]:
    """Seconds, and those for imports."""
    from warplens.server.measure.counters.model_file import load_model

    imported = perf_counter()
    load_model(path)
    return perf_counter() - imported, imported - start


if __name__ == "__main__":
    main()
