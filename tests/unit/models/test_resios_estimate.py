"""The simulation's closed form beside the simulation, on many launches of several kernels and GPUs."""

from collections.abc import Callable

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.resios.kernel_time import kernel_time_s
from warplens.analysis.models.resios.resios_estimate import estimated_time_s
from warplens.hwprofiles.loader import load_gpu

LARGEST_FACTOR = 1.35
"""Between the closed form and the simulation, over all launches below."""

_LINES = tuple((threads, 1, 1) for threads in (32, 64, 160, 256, 512, 1024))
_RECTANGLES = tuple((x, y, 1) for x in (8, 16, 32, 128) for y in (1, 4, 8, 32) if 32 <= x * y <= 1024)
CONVOLUTION = """void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {
 for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;
 for (int i = 0; i < 15; i++) for (int j = 0; j < 15; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j];
 c[y*n+x] = s; } }"""


def cases(kernel: Kernel, n: int, gpu: Gpu) -> list[KernelOnGpu]:
    """Blocks of many shapes with nothing and with everything staged, those that can be launched."""
    sizes = {"n": n, "t": 3}
    found = []
    for block in _LINES if len(kernel.grid) == 1 else _RECTANGLES:
        for shared in dict.fromkeys(((), shared_opportunities(SizedKernel(kernel, sizes), block, gpu))):
            case = kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block, shared), gpu)
            if case.occupancy.blocks_per_sm:
                found.append(case)
    return found


def agreement(kernel: Kernel, n: int, gpu: Gpu) -> tuple[float, float]:
    """Largest factor between estimate and simulation, and their rank correlation (times within 1 % are ties)."""
    some = cases(kernel, n, gpu)
    simulated = np.array([kernel_time_s(case) for case in some])
    estimated = np.array([float(estimated_time_s(case.work)[0]) for case in some])
    factor = float(np.exp(np.abs(np.log(estimated / simulated)).max()))
    return factor, _concordance(simulated, estimated)


def _concordance(simulated: np.ndarray, estimated: np.ndarray) -> float:
    """Share of the pairs whose simulated times differ by more than 5 % that the estimate puts in the same order."""
    apart = simulated[:, None] > 1.05 * simulated[None, :]
    same = estimated[:, None] > estimated[None, :]
    return float(same[apart].mean()) if apart.any() else 1.0


@pytest.mark.parametrize("n", [100, 1000, 4096])
@pytest.mark.parametrize("gpu", ["k20", "rtx2080ti", "a100"])
def test_the_estimate_stays_near_the_simulation(some_facts: NestFacts, gpu: str, n: int) -> None:
    factor, concordance = agreement(some_facts.kernels[0], n, load_gpu(gpu))
    assert factor <= LARGEST_FACTOR
    assert concordance >= 0.85


@pytest.mark.parametrize("gpu", ["k20", "rtx2080ti"])
def test_the_fastest_launch_is_among_the_estimates_first(
    facts_of: Callable[[str], NestFacts], some_facts: NestFacts, gpu: str
) -> None:
    for facts in (some_facts, facts_of(CONVOLUTION)):
        some = cases(facts.kernels[0], 2048, load_gpu(gpu))
        simulated = np.array([kernel_time_s(case) for case in some])
        estimated = np.array([float(estimated_time_s(case.work)[0]) for case in some])
        first = np.argsort(estimated, kind="stable")[:6]
        assert simulated[first].min() <= 1.03 * simulated.min()


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_work_takes_hardly_any_time(some_facts: NestFacts, n: int) -> None:
    gpu = load_gpu("v100")
    case = kernel_on_gpu(SizedKernel(some_facts.kernels[0], {"n": n, "t": 1}), LaunchConfig((32, 1, 1)), gpu)
    (time_s,) = estimated_time_s(case.work)
    assert time_s == 0 if n == 0 else 0 < time_s < 1e-4
