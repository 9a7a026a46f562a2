"""The size from which the GPU wins, against a look at every size."""

from dataclasses import replace
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of
from support.examples import examples
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, WinsFrom, break_even
from warplens.analysis.models.sizes.times_at_size import TimesAtSize, times_at
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

pytestmark = pytest.mark.long

NEARLY = 0.03
"""Losing by less than this behind the size found, or winning by less in front of it, is what may go unseen."""

MOST = 150
STENCIL = f"float a[{MOST}][2000], b[{MOST}][2000]; void f(int n) {{ for (int i = 1; i < n; i++)\
    for (int j = 1; j < 1999; j++) b[i][j] = a[i-1][j] + a[i][j-1] + a[i][j+1]; }}"
PRODUCT = f"float a[{MOST}][{MOST}], b[{MOST}][{MOST}], c[{MOST}][{MOST}]; void f(int n) {{\
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ float s = 0;\
    for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; }} }}"
ROWS = f"double a[{MOST}][1024], x[1024], y[{MOST}]; void f(int n) {{ for (int i = 0; i < n; i++) {{\
    double s = 0; for (int k = 0; k < 1024; k++) s += a[i][k] * x[k]; y[i] = s; }} }}"
HEAVY = f"double y[{MOST}]; void f(int n) {{ for (int i = 0; i < n; i++) {{ double x = y[i];\
    for (int k = 0; k < 3000; k++) x = x * 1.000001 + 0.5; y[i] = x; }} }}"
SUMS = f"double a[{MOST}][5000], s; void f(int n) {{ double t = 0; for (int i = 0; i < n; i++)\
    for (int j = 0; j < 5000; j++) t += a[i][j]; s = t; }}"
TURNED = f"float a[{MOST}][4096], b[4096][{MOST}]; void f(int n) {{ for (int i = 0; i < n; i++)\
    for (int j = 0; j < 4096; j++) b[j][i] = a[i][j]; }}"


def margin(times: TimesAtSize, wins: WinsFrom) -> float:
    """Logarithm of the speedup, as a reader of what is shown works it out."""
    offload = times.offload
    gpu_s = offload.resident_s if wins.data == "resident" else offload.cold_s
    cpu_s = offload.one_core_s if wins.cores == "one core" else offload.all_cores_s
    return log(cpu_s / gpu_s) if cpu_s > 0 and gpu_s > 0 else -1e9


def check(evaluation: NestEvaluation, result: BreakEven, every: dict[int, TimesAtSize]) -> None:
    for wins in result.wins:
        margins = {size: margin(times, wins) for size, times in every.items()}
        if wins.size is None:
            assert margins[result.most] <= 0
            continue
        assert all(margins[size] > -NEARLY for size in every if size >= wins.size)
        before = [size for size in every if wins.size / 1.02 - 2 <= size < wins.size]
        assert wins.size == result.least or min(margins[size] for size in before) <= NEARLY


def check_bands(result: BreakEven, every: dict[int, TimesAtSize]) -> None:
    """The same for the ends of the bands, which are found within gaps of 1.3 by a straight line."""
    for wins in result.wins:
        for end, is_slow in ((wins.earliest, False), (wins.latest, True)):
            margins = {size: margin(at_end(times, is_slow), wins) for size, times in every.items()}
            if end is None:
                assert margins[result.most] <= 0
                continue
            assert all(margins[size] > -NEARLY for size in every if size >= 1.3 * end + 1)
            before = [size for size in every if end / 1.3 - 1 <= size < end]
            assert end == result.least or min(margins[size] for size in before) <= NEARLY


def at_end(times: TimesAtSize, is_slow: bool) -> TimesAtSize:
    assert times.kernels is not None
    kernels_s = times.kernels.most_s if is_slow else times.kernels.least_s
    return replace(times, offload=replace(times.offload, kernels_s=kernels_s))


def every_size(evaluation: NestEvaluation, result: BreakEven) -> dict[int, TimesAtSize]:
    return {size: times_at(evaluation, {result.name: size}) for size in range(result.least, result.most + 1)}


@pytest.mark.parametrize(
    ("source", "gpu", "n"),
    [
        (STENCIL, "a100", 128), (STENCIL, "k20", 100), (PRODUCT, "a100", 150), (PRODUCT, "rtx2080ti", 64),
        (ROWS, "rtx2080ti", 150), (ROWS, "a100", 10), (HEAVY, "k20", 149), (SUMS, "a100", 100),
        (TURNED, "gtx580", 150),
    ],
)  # fmt: skip
def test_it_is_where_a_look_at_every_size_finds_it(source: str, gpu: str, n: int) -> None:
    evaluation = evaluate_nest(facts_of(source), {"n": n}, load_gpu(gpu), load_cpu("server"), model_errors())
    result = break_even(evaluation)
    assert result is not None
    assert (result.most, result.ends_at) == (MOST, "the arrays' extents")
    every = every_size(evaluation, result)
    check(evaluation, result, every)
    check_bands(result, every)
    assert len(result.curve.sizes) < 60 < len(every)


@settings(max_examples=examples(6))
@given(
    steps=st.integers(1, 2000),
    width=st.integers(1, 3000),
    kind=st.sampled_from(["float", "double"]),
    stride=st.sampled_from([1, 2, 16]),
    most=st.integers(2, 60),
    gpu=st.sampled_from(["a100", "h100", "k20", "v100", "gtx460"]),
    cpu=st.sampled_from(["server", "desktop"]),
)
def test_of_any_nest(steps: int, width: int, kind: str, stride: int, most: int, gpu: str, cpu: str) -> None:
    source = f"{kind} a[{most}][{width * stride}], b[{most}][{width}]; void f(int n) {{\
        for (int i = 0; i < n; i++) for (int j = 0; j < {width}; j++) {{ {kind} x = a[i][j * {stride}];\
        for (int k = 0; k < {steps}; k++) x = x * 1.5f + 0.5f; b[i][j] = x; }} }}"
    evaluation = evaluate_nest(facts_of(source), {"n": most}, load_gpu(gpu), load_cpu(cpu), model_errors())
    result = break_even(evaluation)
    assert result is not None
    check(evaluation, result, every_size(evaluation, result))
