"""Time to count the work of all launches that the search looks at, and of 2500 of them, and of whole searches with each
model (what it simulates included); printed, not asserted.

Run: python tests/bench/bench_search.py
"""

from __future__ import annotations

import numpy as np
from bench_simulation import NESTS, milliseconds, nest_facts
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.work_of_launches import kernel_work
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.launches.launch_space import launch_space
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

COUNTED = 2500
SIZES = (1024, 1000)
CURRENT = LaunchConfig((256, 1, 1))


def row(name: str, facts: NestFacts, n: int, gpu: Gpu) -> str:
    """One line of the table: milliseconds for all launches and for `COUNTED` of them."""
    sizes = {"n": n}
    kernel = kernel_at(facts.kernels[0], sizes)
    launches = launch_space(SizedKernel(kernel, sizes), gpu)
    some = launches.take(np.arange(0, len(launches), max(1, len(launches) // COUNTED))[:COUNTED])
    all_ms = milliseconds(lambda: kernel_work(SizedKernel(kernel, sizes), launches, gpu))
    some_ms = milliseconds(lambda: kernel_work(SizedKernel(kernel, sizes), some, gpu))
    return f"{name:12} {gpu.id:10} {n:6} {len(launches):9} {all_ms:9.1f} {len(some):9} {some_ms:9.1f}"


def search_row(name: str, facts: NestFacts, n: int, gpu: Gpu) -> str:
    """One line of the second table: milliseconds of a search, ten launches listed, with each model."""
    sizes = {"n": n}
    kernel = kernel_at(facts.kernels[0], sizes)
    searched = search(SizedKernel(kernel, sizes), gpu, "haigh", CURRENT, most=1).searched
    times = (
        milliseconds(lambda m=model: search(SizedKernel(kernel, sizes), gpu, m, CURRENT, most=10))
        for model in COST_MODELS
    )
    return f"{name:12} {gpu.id:10} {n:9} {searched:9} " + " ".join(f"{time:9.1f}" for time in times)


def main() -> None:
    """Print one line per nest, GPU and size."""
    print(f"{'nest':12} {'gpu':10} {'n':>6} {'launches':>9} {'ms':>9} {'launches':>9} {'ms':>9}")
    for name, body in NESTS.items():
        facts = nest_facts(body)
        for gpu in ("a100", "k20"):
            for n in SIZES:
                print(row(name, facts, n, load_gpu(gpu)))
    print(f"\n{'nest':12} {'gpu':10} {'n':>9} {'launches':>9} " + " ".join(f"{model:>9}" for model in COST_MODELS))
    for name, body in NESTS.items():
        facts = nest_facts(body)
        for gpu in ("rtx2080ti", "k20"):
            print(search_row(name, facts, 2**26 if len(facts.kernels[0].grid) == 1 else 4096, load_gpu(gpu)))


if __name__ == "__main__":
    main()
