"""Short runs of device memory: what a wave touches of an array costs as much as the least runs that hold it."""

from dataclasses import replace

import numpy as np
import pytest
from support.c_nests import parsed
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.caches.dram_runs import ITERATIONS, run_cost
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import WalkGroup
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.launch_work.request_latency import dram_bytes_per_warp
from warplens.analysis.simulation.memory_time import request_time
from warplens.hwprofiles.loader import gpu_names, load_gpu

SIZES = {"n": 1 << 20}


def gpu_with(least_run_bytes: int) -> Gpu:
    gpu = load_gpu("h100")
    return replace(gpu, dram=replace(gpu.dram, least_run_bytes=least_run_bytes))


def groups_of(kernel: Kernel, array: str) -> tuple[SizedKernel, list[WalkGroup]]:
    sized = SizedKernel(kernel, SIZES)
    return sized, [group for group in sized.groups if group.walks[0].facts.access.array == array]


def cost_of(kernel: Kernel, array: str, threads: float, gpu: Gpu) -> float:
    sized, (group,) = groups_of(kernel, array)
    return float(run_cost(group, dict.fromkeys(kernel.thread_order, threads), sized.trips, gpu))


@pytest.fixture
def strided(builder, spec, loop):
    """Build `c[step * i] = a[i]` over n floats."""

    def build(step: int) -> Kernel:
        n, at_i = Polynomial.symbol("n"), Polynomial.symbol("i")
        return builder(
            [loop("i", 1 << 20)],
            ["i"],
            [
                spec("a", [at_i], [n]),
                spec("c", [at_i * step], [n * step], reads=False, writes=True),
                spec("g", [None], [n * step]),
            ],
        ).build()

    return build


@pytest.fixture
def rows(builder, spec, loop) -> Kernel:
    """Build `a[n * i + k]`, summed over the k: each thread reads a row."""
    n, at_i, at_k = (Polynomial.symbol(name) for name in "nik")
    accesses = [spec("a", [at_i, at_k], [n, n], ["k"]), spec("c", [at_i], [n], reads=False, writes=True)]
    return builder([loop("i", 1 << 20)], ["i"], accesses, [loop("k", 1 << 20)]).build()


def test_numbers_in_a_row_cost_their_bytes(strided) -> None:
    assert cost_of(strided(32), "a", 4096.0, gpu_with(64)) == 1.0


@pytest.mark.parametrize(("least_run_bytes", "cost"), [(0, 1.0), (32, 1.0), (48, 1.5), (64, 2.0), (96, 3.0)])
def test_numbers_in_sectors_of_their_own_cost_a_run_each(strided, least_run_bytes: int, cost: float) -> None:
    kernel = strided(32)
    assert cost_of(kernel, "c", 4096.0, gpu_with(least_run_bytes)) == pytest.approx(cost)
    assert cost_of(kernel, "g", 4096.0, gpu_with(least_run_bytes)) == pytest.approx(cost)


def test_every_sector_of_a_run_is_paid_once(strided) -> None:
    """Eight bytes apart numbers fill runs; 48 bytes apart two of three runs of 96 bytes have two sectors touched."""
    assert cost_of(strided(2), "c", 4096.0, gpu_with(64)) == 1.0
    assert 1.0 < cost_of(strided(12), "c", 4096.0, gpu_with(64)) < cost_of(strided(32), "c", 4096.0, gpu_with(64))


def test_loads_of_an_unrolled_loop_are_about_together(rows: Kernel) -> None:
    """Sixteen floats of each row are one run of 64 bytes, which no thread alone touches at once in a shorter loop."""
    assert pytest.approx(64) == ITERATIONS * 4
    sized, (group,) = groups_of(rows, "a")
    (path,) = group.path
    threads = dict.fromkeys(rows.thread_order, 4096.0)
    costs = [float(run_cost(group, threads, {**sized.trips, path: trips}, gpu_with(64))) for trips in (1.0, 8.0, 16.0)]
    assert costs == [2.0, 2.0, 1.0]
    assert run_cost(group, threads, sized.trips, gpu_with(64)) == 1.0


def test_columns_of_waves_are_each_alone(strided) -> None:
    kernel = strided(32)
    sized, (group,) = groups_of(kernel, "c")
    waves = np.array([1.0, 32.0, 4096.0])
    found = np.asarray(run_cost(group, dict.fromkeys(kernel.thread_order, waves), sized.trips, gpu_with(64)))
    assert found.tolist() == [cost_of(kernel, "c", threads, gpu_with(64)) for threads in waves.tolist()]


def test_a_warp_moves_what_its_runs_cost() -> None:
    """The closed forms' bytes of device memory, and the simulation's cycles, are longer by the same factor."""
    facts = parsed.facts_of(
        "void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) c[32*i] = a[i]; }"
    )
    kernel, sizes = facts.kernels[0], {**dict.fromkeys(facts.parameters, 1 << 25), **SIZES}
    runs, sectors = (
        kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig((256, 1, 1)), gpu_with(each)) for each in (64, 0)
    )
    assert runs.work.dram_run[0].tolist() == [1.0, 2.0]
    stored_bytes = 32 * float((sectors.work.requests_per_warp * sectors.work.dram_sectors_per_request)[0, 1])
    assert stored_bytes == 32 * 32
    assert dram_bytes_per_warp(runs.work)[0] - dram_bytes_per_warp(sectors.work)[0] == pytest.approx(stored_bytes)
    loaded, stored = (
        [request_time(case.requests[access.access.id], 4, case.gpu, 132).dram_cycles for case in (sectors, runs)]
        for access in kernel.accesses
    )
    assert loaded[1] == loaded[0] > 0
    assert stored[1] == pytest.approx(2 * stored[0])


@pytest.mark.parametrize("name", gpu_names())
def test_no_gpu_gains_from_short_runs(strided, name: str) -> None:
    gpu = load_gpu(name)
    least = max(1.0, gpu.dram.least_run_bytes / gpu.l2.sector_bytes)
    assert cost_of(strided(64), "c", 4096.0, gpu) == pytest.approx(least)
