"""`predict`: times that physics allows, breakdowns that add up, hotspots in order."""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import pytest
from support.examples import is_nightly
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.resios.kernel_time import predict_kernel
from warplens.analysis.models.resios.resios import predict
from warplens.analysis.models.results.prediction import Prediction
from warplens.hwprofiles.loader import gpu_names, load_gpu

HEAVY = """void f(int n, double *restrict a) { for (int i = 0; i < n; i++) {
 double x = a[i]; for (int k = 0; k < 200; k++) x = x * 1.000001 + 0.5; a[i] = x; } }"""
SIZES = {"n": 4096, "t": 10}
EXTREME_SIZES = (0, 1, 31, 1000, 2**20, 2**62)


def prediction(facts: NestFacts, gpu: Gpu, block: tuple[int, int, int] = (32, 8, 1), **sizes: int) -> Prediction:
    return predict(SizedKernel(facts.kernels[0], SIZES | sizes), LaunchConfig(block), gpu)


def sizes_of(gpu: int, kernel: str) -> tuple[int, ...]:
    """Every GPU meets every kernel, and every kernel every size; all three together in `make nightly`."""
    at = gpu + sum(map(ord, kernel))
    return EXTREME_SIZES if is_nightly() else (EXTREME_SIZES[at % len(EXTREME_SIZES)],)


@pytest.mark.long
@pytest.mark.parametrize("gpu", range(len(gpu_names())), ids=gpu_names())
def test_every_number_is_finite_and_adds_up(some_facts: NestFacts, gpu: int, request: pytest.FixtureRequest) -> None:
    for n in sizes_of(gpu, request.node.callspec.params["some_facts"]):
        check_numbers(prediction(some_facts, load_gpu(gpu_names()[gpu]), n=n), n)


def check_numbers(made: Prediction, n: int) -> None:
    assert isfinite(made.time_s)
    assert (made.time_s > 0) == (n > 0)
    assert sum(seconds for _, seconds in made.breakdown_s) == pytest.approx(made.time_s, rel=1e-12, abs=0.0)
    assert all(seconds >= 0 for _, seconds in made.breakdown_s)
    assert all(0 <= spot.idle_share <= 1 for spot in made.hotspots)
    assert sum(spot.idle_share for spot in made.hotspots) <= 1 + 1e-9
    shares = [spot.idle_share for spot in made.hotspots]
    assert shares == sorted(shares, reverse=True)


def test_streaming_reaches_the_bandwidth_and_no_more(vecadd: NestFacts) -> None:
    gpu = load_gpu("a100")
    made = prediction(vecadd, gpu, (256, 1, 1), n=2**24)
    roof_s = 3 * 4 * 2**24 / gpu.dram.bandwidth_bytes_per_s
    assert roof_s <= made.time_s <= 1.05 * roof_s
    assert (made.bound_by, made.memory_level) == ("memory bandwidth", "dram")
    assert made.useful_bytes == pytest.approx(made.bytes_moved)
    assert made.flops == 2**24


def test_naive_matrix_product_takes_about_a_millisecond_on_an_a100(matmul: NestFacts) -> None:
    made = prediction(matmul, load_gpu("a100"), n=1024)
    assert 0.2e-3 < made.time_s < 2e-3
    assert made.flops == 2 * 1024**3
    assert made.memory_level == "load/store"
    # Of one request, though the loop makes 1024.
    assert all(0 < spot.delay_cycles < 2 * load_gpu("a100").dram.latency_cycles for spot in made.hotspots)


def test_a_staged_product_moves_each_tile_once(matmul: NestFacts) -> None:
    gpu, kernel, sizes, block = load_gpu("k20"), matmul.kernels[0], {"n": 1024}, (32, 32, 1)
    shared = shared_opportunities(SizedKernel(kernel, sizes), block, gpu)
    made = predict(SizedKernel(kernel, sizes), LaunchConfig(block, shared), gpu)
    assert made.bytes_moved == pytest.approx(4 * (2 * 1024**3 / 32 + 1024**2))


def test_a_block_alone_keeps_its_own_sm_busy(vecadd: NestFacts) -> None:
    case = kernel_on_gpu(SizedKernel(vecadd.kernels[0], {"n": 256}), LaunchConfig((256, 1, 1)), load_gpu("k20"))
    busy_s = 8 * max(case.trace.pipe_cycles_per_warp[1:]) / case.gpu.clock_hz
    assert dict(predict_kernel(case).breakdown_s)["memory bandwidth"] == pytest.approx(busy_s)


def test_the_uncoalesced_side_moves_more_than_is_useful(transpose: NestFacts) -> None:
    made = prediction(transpose, load_gpu("a100"), (32, 8, 1), n=4096)
    assert made.useful_bytes == 2 * 4 * 4096**2
    assert made.bytes_moved > 1.5 * made.useful_bytes


def test_a_few_threads_take_less_than_a_launch(vecadd: NestFacts) -> None:
    made = prediction(vecadd, load_gpu("a100"), (256, 1, 1), n=100)
    assert made.bound_by == "launch overhead"
    parts = dict(made.breakdown_s)
    assert parts["memory latency"] > 0.5 * (made.time_s - parts["launch overhead"])


def test_a_chain_in_double_precision_is_bound_by_its_throughput(facts_of: Callable[[str], NestFacts]) -> None:
    gpu = load_gpu("rtx2080ti")
    made = prediction(facts_of(HEAVY), gpu, (256, 1, 1), n=2**20)
    fused = 200 * 2**20 / (gpu.sm_count * gpu.timing("fp64_fma").results_per_cycle_per_sm * gpu.clock_hz)
    assert made.bound_by == "computation"
    assert fused <= made.time_s < 1.5 * fused


@pytest.mark.parametrize("factor", [1.25, 2.0, 10.0])
def test_a_faster_part_is_never_slower(some_facts: NestFacts, factor: float) -> None:
    gpu = load_gpu("v100")
    now = prediction(some_facts, gpu)
    dram = replace(gpu.dram, bandwidth_bytes_per_s=gpu.dram.bandwidth_bytes_per_s * factor)
    l2 = replace(gpu.l2, bandwidth_bytes_per_s=gpu.l2.bandwidth_bytes_per_s * factor)
    for better in (replace(gpu, dram=dram), replace(gpu, l2=l2), replace(gpu, clock_hz=gpu.clock_hz * factor)):
        assert prediction(some_facts, better).time_s <= now.time_s * (1 + 1e-9)


def test_more_work_takes_longer(some_facts: NestFacts) -> None:
    gpu = load_gpu("a100")
    times = [prediction(some_facts, gpu, n=n).time_s for n in (512, 1024, 2048, 4096, 8192)]
    assert times == sorted(times)


def test_a_block_that_does_not_fit_is_still_an_answer(vecadd: NestFacts) -> None:
    made = prediction(vecadd, load_gpu("a100"), (2048, 1, 1))
    assert made.occupancy.blocks_per_sm == 0
    assert isfinite(made.time_s)
