"""What is said of the launches that the best one is held against."""

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.work_of_launches import kernel_work
from warplens.analysis.models.launches.launch_reasons import launch_reasons
from warplens.analysis.models.launches.launch_space import launch_space
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

Shape = tuple[int, int, int]
ONE: Shape = (1, 1, 1)


def work_of_all(facts: NestFacts, n: int, gpu: str) -> KernelWork:
    machine, sizes = load_gpu(gpu), {"n": n}
    kernel = kernel_at(facts.kernels[0], sizes)
    return kernel_work(SizedKernel(kernel, sizes), launch_space(SizedKernel(kernel, sizes), machine), machine)


def row(work: KernelWork, block: Shape, outputs: Shape = ONE, staged: tuple[str, ...] = ()) -> int:
    launches = work.launches
    same = (launches.block == block).all(axis=1) & (launches.outputs_per_thread == outputs).all(axis=1)
    same &= (launches.staged == [array in staged for array in launches.arrays]).all(axis=1)
    (found,) = np.flatnonzero(same)
    return int(found)


def reasons(work: KernelWork, best: int, **others: int) -> tuple[str, ...]:
    """Of a search in which `others` took 1.5 times as long as the best and nothing else was possible."""
    times = np.full(len(work.launches), np.inf)
    times[best] = 1e-3
    for other in others.values():
        times[other] = 1.5e-3
    return launch_reasons(work, times, best)


def test_thread_slots_that_stay_empty(vecadd: NestFacts) -> None:
    work = work_of_all(vecadd, 2**24, "gtx580")
    (reason,) = reasons(work, row(work, (256, 1, 1)), other=row(work, (1024, 1, 1)))
    assert reason == "1024 threads would take 1.5x as long: 1024 threads leave 512 of 1536 thread slots empty"


def test_warps_that_are_missing(vecadd: NestFacts) -> None:
    work = work_of_all(vecadd, 2**24, "k20")
    (reason,) = reasons(work, row(work, (256, 1, 1)), other=row(work, (64, 1, 1)))
    assert reason == "64 threads would take 1.5x as long: only 32 of 64 warps are there to hide latency"


def test_sectors_of_a_request(matmul: NestFacts) -> None:
    work = work_of_all(matmul, 4096, "rtx2080ti")
    (reason,) = reasons(work, row(work, (32, 8, 1)), other=row(work, (8, 8, 1)))
    assert reason == "8 x 8 would take 1.5x as long: a request of `a` touches 4 sectors instead of 1"


def test_loads_that_outputs_share(matmul: NestFacts) -> None:
    work = work_of_all(matmul, 4096, "rtx2080ti")
    (reason,) = reasons(work, row(work, (32, 8, 1), (4, 4, 1)), other=row(work, (32, 8, 1)))
    assert reason == "one output per thread (32 x 8) would take 1.5x as long: it needs 4 times the loads of `a`"


def test_registers_that_do_not_suffice(matmul: NestFacts) -> None:
    work = work_of_all(matmul, 4096, "rtx2080ti")
    (reason,) = reasons(work, row(work, (32, 8, 1), (8, 8, 1)), other=row(work, (32, 8, 1), (16, 16, 1)))
    assert reason.startswith("16 x 16 outputs per thread (32 x 8) would take 1.5x as long: it spills registers")


def test_what_staging_saves(matmul: NestFacts) -> None:
    work = work_of_all(matmul, 4096, "k20")
    (reason,) = reasons(work, row(work, (32, 8, 1), staged=("a", "b")), other=row(work, (32, 8, 1)))
    assert reason.startswith("nothing in shared memory (32 x 8) would take 1.5x as long: ")
    assert "bytes pass between L2" in reason or "load/store units" in reason or "sectors" in reason


def test_multiprocessors_without_a_block(vecadd: NestFacts) -> None:
    work = work_of_all(vecadd, 4096, "rtx2080ti")
    (reason,) = reasons(work, row(work, (64, 1, 1)), other=row(work, (512, 1, 1)))
    assert reason == "512 threads would take 1.5x as long: a grid of 8 blocks leaves 60 multiprocessors idle"


@pytest.mark.parametrize("factor", [1.0, 1.04])
def test_launches_that_are_as_fast_say_nothing(vecadd: NestFacts, factor: float) -> None:
    work = work_of_all(vecadd, 2**24, "a100")
    times = np.full(len(work.launches), factor)
    times[0] = 1.0
    assert launch_reasons(work, times, 0) == ("it is the simplest of those that are predicted about as fast",)
