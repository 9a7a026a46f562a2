"""Time to count the work of all launches that the search looks at, and of 2500 of them; printed, not asserted.

Run: python tests/bench/bench_search.py
"""

from __future__ import annotations

import numpy as np
from bench_simulation import NESTS, milliseconds, nest_facts
from warplens.analysis.facts.kernel_at import kernel_at
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.models.batch_work import kernel_work
from warplens.analysis.models.launch_space import launch_space
from warplens.hwprofiles.loader import load_gpu

COUNTED = 2500
SIZES = (1024, 1000)


def row(name: str, facts: NestFacts, n: int, gpu: Gpu) -> str:
    """One line of the table: milliseconds for all launches and for `COUNTED` of them."""
    sizes = {"n": n}
    kernel = kernel_at(facts.kernels[0], sizes)
    launches = launch_space(kernel, sizes, gpu)
    some = launches.take(np.arange(0, len(launches), max(1, len(launches) // COUNTED))[:COUNTED])
    all_ms = milliseconds(lambda: kernel_work(kernel, launches, sizes, gpu))
    some_ms = milliseconds(lambda: kernel_work(kernel, some, sizes, gpu))
    return f"{name:12} {gpu.id:10} {n:6} {len(launches):9} {all_ms:9.1f} {len(some):9} {some_ms:9.1f}"


def main() -> None:
    """Print one line per nest, GPU and size."""
    print(f"{'nest':12} {'gpu':10} {'n':>6} {'launches':>9} {'ms':>9} {'launches':>9} {'ms':>9}")
    for name, body in NESTS.items():
        facts = nest_facts(body)
        for gpu in ("a100", "k20"):
            for n in SIZES:
                print(row(name, facts, n, load_gpu(gpu)))


if __name__ == "__main__":
    main()
