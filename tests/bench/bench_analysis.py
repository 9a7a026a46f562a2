"""CPU time of the analysis process: its start, the first analysis of a file, one nest changed; printed, not asserted.

CPU time hardly depends on what else runs: this tells two commits apart where the times of `bench_editor.py` do not.

Run: python tests/bench/bench_analysis.py
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from statistics import median
from time import process_time

from generated_source import c_source
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.child import collect_seldom
from warplens.server.worker.job import AnalysisJob

COLD_ROUNDS = 5
WARM_ROUNDS = 20


def start_cpu_ms() -> float:
    """CPU time of a process that imports all and ends, once everything is compiled."""
    used = []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(4):
        before = os.times()
        subprocess.run([sys.executable, "-P", "-c", "import warplens.server.worker.child"], check=True, env=environment)
        after = os.times()
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return 1e3 * min(used[1:])


def cpu_ms(text: str, remembered: Remembered) -> float:
    """CPU time of one analysis in this process; the preprocessor's own is not in it."""
    job = AnalysisJob("/nowhere/bench.c", text, Settings(), ())
    gc.collect()
    started = process_time()
    analyse_document(job, remembered)
    return 1e3 * (process_time() - started)


def measure(nest_count: int, line_count: int) -> None:
    """One file size: with nothing remembered, then with one nest changed each time."""
    text = c_source(nest_count, line_count)
    cold = [cpu_ms(text, Remembered()) for _ in range(1 + COLD_ROUNDS)]
    remembered = Remembered()
    cpu_ms(text, remembered)
    changed = (
        text.replace("a[(i - 1) * m + j]", f"{round_ + 2}.5 * a[(i - 1) * m + j]", 1) for round_ in range(WARM_ROUNDS)
    )
    warm = sorted(cpu_ms(each, remembered) for each in changed)
    print(
        f"{line_count} lines, {nest_count} nests: first {cold[0]:.0f} ms, again without memory least {min(cold):.0f} "
        f"median {median(cold):.0f} ms; one nest changed least {warm[0]:.0f} median {median(warm):.0f} "
        f"95 % {warm[-(-WARM_ROUNDS * 95 // 100) - 1]:.0f} ms"
    )


if __name__ == "__main__":
    print(f"start of the process {start_cpu_ms():.0f} ms")
    collect_seldom()
    measure(40, 1000)
    measure(60, 2000)
