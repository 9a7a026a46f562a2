"""Stores of parts of sectors beside what was measured on an H100 (tests/accuracy/gpu_day/results)."""

from dataclasses import replace

import pytest
from support.c_nests import parsed
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import PREDICT
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.partial_stores import partial_stores_s
from warplens.hwprofiles.loader import load_gpu

HEAD = "void f(int n, const float *restrict a, float *restrict b)"
ROWS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
STAR = f"{HEAD} {{ for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++)\
 b[i*n+j] = a[i*n+j] + a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1]; }}"
TRANSPOSE = f"{HEAD} {{ {ROWS} b[j*n+i] = a[i*n+j]; }}"
ADD = f"{HEAD} {{ {ROWS} b[i*n+j] = a[i*n+j] + 1; }}"


def case_of(source: str, n: int, block: tuple[int, int, int], gpu: str = "h100") -> KernelOnGpu:
    facts = parsed.facts_of(source)
    sizes = dict.fromkeys(facts.parameters, n)
    return kernel_on_gpu(SizedKernel.of(facts.kernels[0], sizes), LaunchConfig(block), load_gpu(gpu))


@pytest.mark.parametrize(
    ("source", "n", "block", "measured_us"),
    [
        (TRANSPOSE, 2048, (32, 8, 1), 76.4),
        (TRANSPOSE, 8192, (32, 8, 1), 1227),
        (TRANSPOSE, 8192, (8, 32, 1), 326),
        (STAR, 8192, (8, 32, 1), 307.7),
    ],
)
def test_times_of_scattered_stores(source: str, n: int, block: tuple[int, int, int], measured_us: float) -> None:
    case = case_of(source, n, block)
    assert float(partial_stores_s(case.work)[0]) * 1e6 == pytest.approx(measured_us, rel=0.07)
    prediction = PREDICT["resios"](case)
    assert prediction.time_s == COST_MODELS["resios"].time_s(case)
    assert sum(time_s for _, time_s in prediction.breakdown_s) == pytest.approx(prediction.time_s)


def test_whole_sectors_are_no_parts() -> None:
    assert partial_stores_s(case_of(ADD, 2048, (32, 8, 1)).work)[0] == 0
    assert partial_stores_s(case_of(TRANSPOSE, 2048, (4, 64, 1)).work)[0] == 0


def test_members_of_a_record_are_put_together() -> None:
    record = "struct p { float x, y, z, w; }; void f(int n, struct p *restrict b, const float *restrict a)\
 { for (int i = 0; i < n; i++) { b[i].x = a[i]; b[i].y = 1; b[i].z = 2; %s } }"
    assert partial_stores_s(case_of(record % "b[i].w = 3;", 1 << 20, (256, 1, 1)).work)[0] == 0
    # 16 sectors of a warp lack the last numbers: not three times as many.
    of_three = float(partial_stores_s(case_of(record % "", 1 << 20, (256, 1, 1)).work)[0])
    assert of_three == pytest.approx((1 << 20) / 2 / load_gpu("h100").l2.partial_stores_per_s)


def test_where_nobody_measured_them_they_cost_nothing_more() -> None:
    work = case_of(TRANSPOSE, 2048, (32, 8, 1), "a100").work
    assert partial_stores_s(work)[0] > 0
    unknown = replace(work.gpu, l2=replace(work.gpu.l2, partial_stores_per_s=None))
    assert partial_stores_s(replace(work, gpu=unknown))[0] == 0
