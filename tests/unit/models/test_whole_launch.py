"""From the time of a launch's threads to the launch: its start, what no launch is faster than, the second pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.c_nests import parsed
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import Launches
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.atomic_queues import queue_s
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.partial_stores import partial_stores_s
from warplens.analysis.models.launch_work.second_pass import SECOND_PASS_THREADS, second_pass_s
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.launch_work.work_of_launches import kernel_work
from warplens.hwprofiles.loader import load_gpu

HEAD = "void f(int n, const float *restrict a, const int *restrict k, float *restrict b)"
SOURCES = {
    "copy": f"{HEAD} {{ for (int i = 0; i < n; i++) b[i] = a[i]; }}",
    "sum": f"{HEAD} {{ float s = 0; for (int i = 0; i < n; i++) s += a[i]; b[0] = s; }}",
    "two sums": f"{HEAD} {{ float s = 0, t = 0; for (int i = 0; i < n; i++) {{ s += a[i]; t += a[i] * a[i]; }}"
    " b[0] = s; b[1] = t; }",
    "histogram": f"{HEAD} {{ for (int i = 0; i < n; i++) b[i % 4] += a[i]; }}",
    "scatter": f"{HEAD} {{ for (int i = 0; i < n; i++) b[8 * i] = a[i]; }}",
}
SUMS = {"sum": 1, "two sums": 2}


def sized_kernel(name: str, n: int) -> SizedKernel:
    facts = parsed.facts_of(SOURCES[name])
    return SizedKernel.of(facts.kernels[0], {**dict.fromkeys(facts.parameters, 8 * n), "n": n})


def case_of(name: str, n: int, block: int = 256, gpu: Gpu | None = None) -> KernelOnGpu:
    return kernel_on_gpu(sized_kernel(name, n), LaunchConfig((block, 1, 1)), gpu or load_gpu("h100"))


def started_after(start_s: float) -> Gpu:
    return replace(load_gpu("h100"), kernel_start_s=start_s)


@pytest.mark.parametrize("model", sorted(PREDICT.keys() & COST_MODELS.keys()))
@pytest.mark.parametrize("n", [1000, 1 << 20])
@pytest.mark.parametrize("name", SOURCES)
def test_the_start_is_on_top_of_all_else(name: str, n: int, model: str) -> None:
    """Whatever the model says of the threads: the prediction is longer by the start, and says so."""
    at_once, later = case_of(name, n, gpu=started_after(0.0)), case_of(name, n, gpu=started_after(3e-6))
    starts = 1 + SUMS.get(name, 0)
    sooner, prediction = PREDICT[model](at_once), PREDICT[model](later)
    assert prediction.time_s == pytest.approx(sooner.time_s + starts * 3e-6)
    assert prediction.time_s == pytest.approx(COST_MODELS[model].time_s(later))
    parts = dict(prediction.breakdown_s)
    assert sum(parts.values()) == pytest.approx(prediction.time_s)
    assert parts["launch overhead"] == pytest.approx(3e-6 + second_pass_s(later.work)[0])
    assert sum(each.idle_share for each in prediction.hotspots) <= 1 + 1e-9


@pytest.mark.parametrize("name", SOURCES)
def test_no_launch_is_faster_than_its_queue_and_its_parts_of_sectors(name: str) -> None:
    case = case_of(name, 1 << 20)
    more_s = case.gpu.kernel_start_s + float(second_pass_s(case.work)[0])
    least_s = max(queue_s(case.counted.sized, case.gpu), float(partial_stores_s(case.work)[0]))
    assert (least_s > 0) == (name in {"histogram", "scatter"})
    times = {each: float(whole_launches_s(case.work, np.array([each]))[0]) - more_s for each in (0.0, 1e-9, 1.0)}
    assert times == {
        0.0: pytest.approx(least_s),
        1e-9: pytest.approx(max(1e-9, least_s)),
        1.0: pytest.approx(1.0),
    }


def test_a_launch_without_threads_takes_no_time() -> None:
    for name in SOURCES:
        case = case_of(name, 0)
        assert whole_launches_s(case.work, np.array([0.0])).tolist() == [0.0]
        assert PREDICT["resios"](case).time_s == 0.0


def test_values_that_are_left_to_the_host_have_no_second_pass() -> None:
    case = case_of("sum", 1 << 20)
    whole, left = (whole_launches_s(case.work, np.array([1e-4]), ends=ends)[0] for ends in (True, False))
    assert left == pytest.approx(1e-4 + case.gpu.kernel_start_s)
    assert whole - left == pytest.approx(second_pass_s(case.work)[0])


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("n", [256, 257, 1 << 16, (1 << 16) + 1, 1 << 25])
def test_the_second_pass_reads_a_value_of_each_block(name: str, n: int) -> None:
    """One block of 256 threads, which wait for device memory once for each of the values that they read in turn."""
    case = case_of(name, n)
    blocks, gpu = -(-n // 256), case.gpu
    in_turn = -(-blocks // SECOND_PASS_THREADS)
    one_s = gpu.kernel_start_s + in_turn * gpu.dram.latency_cycles / gpu.clock_hz
    expected = SUMS.get(name, 0) * one_s if blocks > 1 else 0.0
    assert second_pass_s(case.work)[0] == pytest.approx(expected)


def test_larger_blocks_leave_less_to_the_second_pass() -> None:
    sized, blocks = sized_kernel("sum", 1 << 25), [32, 64, 128, 256, 512, 1024]
    block = np.array([[each, 1, 1] for each in blocks])
    launches = Launches(block, np.ones_like(block), (), np.zeros((len(blocks), 0), dtype=np.bool_))
    times = second_pass_s(kernel_work(sized, launches, load_gpu("h100")))
    assert (np.diff(times) < 0).all()
    assert times.tolist() == [float(second_pass_s(case_of("sum", 1 << 25, each).work)[0]) for each in blocks]


def test_the_second_pass_of_a_large_sum_on_an_h100() -> None:
    """131 072 values of 33 million numbers took 0.25 ms; the waits for them alone are seven tenths of that."""
    assert second_pass_s(case_of("sum", 1 << 25).work)[0] == pytest.approx(0.25e-3, rel=0.3)
