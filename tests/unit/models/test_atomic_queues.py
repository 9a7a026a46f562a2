"""Atomic updates of few elements: what was measured of them, and that no model says less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.atomic_queues import longest_queue, queue_s
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.workload.loops.derived_symbols import Sizes
from warplens.hwprofiles.loader import load_gpu

UPDATES = 1_548_288
"""HeCBench's atomicPerf."""
PARAMETERS = (
    "int n, const unsigned *restrict k, const unsigned char *restrict b, const float *restrict x, float *restrict f,"
    " int *restrict h, double *restrict d"
)


def sized(body: str, n: int = UPDATES) -> SizedKernel:
    facts = facts_of(f"void g({PARAMETERS}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    (kernel,) = facts.kernels
    values = {"n": n} | dict.fromkeys((name for name in facts.parameters if name != "n"), 1024)
    return SizedKernel.of(kernel, Sizes(values))


@pytest.mark.parametrize(
    ("body", "measured_us"),
    [
        pytest.param("f[0] += x[i];", 3405.8, id="floats into one element"),
        pytest.param("d[0] += x[i];", 3405.8, id="doubles into one element"),
        pytest.param("h[0] += b[i];", 39.0, id="whole numbers into one element"),
        pytest.param("f[i & 31] += x[i];", 180.1, id="floats into a line"),
        pytest.param("h[i % 32] += b[i];", 180.1, id="whole numbers into a line"),
    ],
)
def test_what_an_rtx_3080_took_at_its_base_clock(body: str, measured_us: float) -> None:
    gpu = replace(load_gpu("rtx3090"), clock_hz=1.44e9)
    assert queue_s(sized(body), gpu) * 1e6 == pytest.approx(measured_us, rel=0.05)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        ("h[k[i] % 64]++;", 64),
        ("h[k[i] & 255]++;", 256),
        ("h[k[i] >> 26]++;", 64),
        ("h[b[i]]++;", 256),
        ("h[1 + (k[i] & 15)]++;", 16),
        ("unsigned at = k[i]; h[at % 8u]++;", 8),
        ("h[k[i]]++;", 1024),
    ],
)
def test_elements_are_counted_by_what_their_subscript_can_be(body: str, elements: int) -> None:
    queue = longest_queue(sized(body))
    assert queue is not None
    assert queue.elements == elements
    assert queue.updates == UPDATES


def test_few_elements_take_longer_than_many() -> None:
    gpu = load_gpu("a100")
    times = [queue_s(sized(f"f[k[i] % {bins}] += x[i];"), gpu) for bins in (1, 8, 64, 512, 4096, 1 << 20)]
    assert times == sorted(times, reverse=True)
    assert times[0] > 100 * times[-1]
    assert queue_s(sized("f[i] += x[i];"), gpu) == 0


@pytest.mark.parametrize("name", sorted(PREDICT))
def test_no_model_is_faster_and_parts_sum_to_the_time(name: str) -> None:
    gpu = load_gpu("a100")
    kernel = sized("f[k[i] % 4] += x[i];")
    case = kernel_on_gpu(kernel, LaunchConfig((256, 1, 1)), gpu)
    found = PREDICT[name](case)
    assert found.time_s == COST_MODELS[name].time_s(case) == queue_s(kernel, gpu) + gpu.kernel_start_s
    assert found.bound_by == "atomic updates"
    assert sum(part for _, part in found.breakdown_s) == pytest.approx(found.time_s)
    assert dict(found.breakdown_s)["launch overhead"] == gpu.kernel_start_s
    assert any("meet in 4 elements of `f`" in each.text for each in found.assumptions)
    assert sum(each.idle_share for each in found.hotspots) <= 1
