"""What a launch does for the purpose of errors, its kind, and the range that follows from it."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, log, sqrt

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.range_model import LEAST_HALF_WIDTH, MOST_HALF_WIDTH, RangeModel
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.launch_kind import kind_of
from warplens.analysis.models.choice.launch_range import ranged
from warplens.analysis.models.choice.launch_traits import LaunchTraits, launch_traits
from warplens.analysis.models.choice.profile_uncertainty import profile_uncertainty
from warplens.analysis.models.choice.time_range import launch_range
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.resios.kernel_time import predict_kernel
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

_STREAM = "void f(int n, float *restrict a, const float *restrict b) { for (int i = 0; i < n; i++) a[i] = b[i] + 1; }"
_GATHER = """void f(int n, float *restrict a, const float *restrict b, const int *restrict at) {
 for (int i = 0; i < n; i++) a[i] = b[at[i]]; }"""
_DIVIDE = """void f(int n, double *restrict a, const double *restrict b) {
 for (int i = 0; i < n; i++) { double x = b[i]; for (int k = 0; k < 64; k++) x = 1.5 / x + 0.5; a[i] = x; } }"""
_BRANCH = """void f(int n, float *restrict a, const float *restrict b) {
 for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = b[i] * 2; }"""
_STRIDED = """void f(int n, float *restrict a, const float *restrict b) {
 for (int i = 0; i < n; i++) a[i] = b[32 * i]; }"""

Cased = Callable[..., KernelOnGpu]


@pytest.fixture
def cased(facts_of: Callable[[str], NestFacts]) -> Cased:
    def case_of(source: str, n: int = 1 << 24, gpu: str = "h100", **sizes: int) -> KernelOnGpu:
        facts = facts_of(source)
        known = dict.fromkeys(facts.parameters, n) | {"n": n} | sizes
        return kernel_on_gpu(
            SizedKernel(kernel_at(facts.kernels[0], known), known), LaunchConfig((256, 1, 1)), load_gpu(gpu)
        )

    return case_of


def traits_of(case: KernelOnGpu) -> LaunchTraits:
    return launch_traits(case, predict_kernel(case).time_s)


def test_a_stream_is_bound_by_dram_and_nothing_of_it_is_decided_by_data(cased: Cased) -> None:
    found = traits_of(cased(_STREAM))
    assert found.dram > 0.8
    assert found.dram + found.start <= 1 + 1e-9
    assert (found.gathered, found.unknown_branch, found.unknown_trips, found.reduced, found.local) == (0, 0, 0, 0, 0)
    assert (found.strided, found.over_fetched, found.empty) == pytest.approx((0, 0, 0), abs=1e-6)
    assert kind_of(found) == "DRAM"


def test_traits_are_of_what_a_launch_does(cased: Cased) -> None:
    assert traits_of(cased(_GATHER)).gathered == 1
    assert kind_of(traits_of(cased(_GATHER))) == "gathered"
    assert traits_of(cased(_BRANCH)).unknown_branch == 1
    assert kind_of(traits_of(cased(_BRANCH))) == "decided by data"
    assert traits_of(cased(_STRIDED)).strided > 0.5
    divided = traits_of(cased(_DIVIDE))
    assert divided.division > 0.8 * divided.issue > 0.4
    assert kind_of(divided) == "slow arithmetic"


def test_a_small_grid_is_short_and_leaves_the_gpu_empty(cased: Cased) -> None:
    found = traits_of(cased(_STREAM, n=4096))
    assert found.start > 0.3
    assert found.empty > 0.9
    assert kind_of(found) == "short"


def test_shares_are_of_the_time_that_is_predicted(cased: Cased) -> None:
    case = cased(_STREAM)
    time_s = predict_kernel(case).time_s
    once, twice = launch_traits(case, time_s), launch_traits(case, 2 * time_s)
    assert twice.dram == pytest.approx(once.dram / 2)
    assert twice.latency > 0.4
    assert kind_of(twice) == "waits for latency"


_ERROR = ModelError("resios", "streaming", 1.0, 0.5, 1.25, 0.2, 1.2, 9, 90, ("k20",))
_RANGES = RangeModel(log(0.3), (("gathered", log(2)),), ("h100",))


def test_a_range_hangs_on_what_the_launch_does(cased: Cased) -> None:
    for source, half_width in ((_STREAM, 0.3), (_GATHER, 0.6)):
        case = cased(source)
        found = ranged(replace(_ERROR, ranges=_RANGES), predict_kernel(case), case)
        assert (found.low, found.high) == pytest.approx((exp(-half_width), exp(half_width)))
        assert (found.profile_factor, found.uncertain, found.ranges) == (1.0, (), None)


def test_what_a_profile_does_not_know_is_another_error(cased: Cased) -> None:
    case = cased(_STREAM, gpu="l40s")
    prediction = predict_kernel(case)
    found = ranged(replace(_ERROR, ranges=_RANGES), prediction, case)
    unknown = profile_uncertainty(traits_of(case), case.gpu).half_width
    assert unknown > 0
    assert found.high == pytest.approx(exp(sqrt(0.3**2 + unknown**2)))
    assert found.profile_factor == pytest.approx(found.high / exp(0.3))
    assert found.uncertain


def test_an_error_without_ranges_contains_the_prediction(cased: Cased) -> None:
    case = cased(_STREAM)
    found = ranged(replace(_ERROR, low=0.4, high=0.8, gpus=("h100",)), predict_kernel(case), case)
    assert (found.low, found.high) == pytest.approx((0.4, 1.0))


def test_no_range_is_narrower_or_wider_than_ranges_are() -> None:
    assert RangeModel(-9.0, (), ()).half_width({}) == LEAST_HALF_WIDTH
    assert RangeModel(9.0, (), ()).half_width({}) == MOST_HALF_WIDTH


def test_a_range_starts_where_grids_start(cased: Cased) -> None:
    gpu = load_gpu("h100")
    error = replace(_ERROR, low=0.2, high=5.0)
    short = launch_range(4e-6, error, gpu)
    assert (short.least_s, short.most_s) == (gpu.kernel_start_s, pytest.approx(20e-6))
    assert launch_range(11e-6, error, gpu).least_s == gpu.kernel_start_s
    assert launch_range(100e-6, error, gpu).least_s == pytest.approx(20e-6)
    assert launch_range(1e-6, error, gpu).least_s == 1e-6
