"""Every profile through the whole analysis: caches or none, 32 lanes or 64, with fp64 or without."""

from collections.abc import Callable
from math import isfinite

import pytest
from warplens.analysis.engine.report import Report
from warplens.analysis.models.results.prediction import Prediction
from warplens.hwprofiles.loader import gpu_names, load_gpu

_NESTS = """
void product(int n, const float *restrict a, const float *restrict b, float *restrict c) {
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
  float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; c[i*n+j] = s; } }
void column(int n, double *restrict a, const double *restrict b) {
 for (int j = 0; j < 4096; j++) { double s = 0; for (int i = 0; i < 4096; i++) s += b[i*4096+j] / 3.0; a[j] = s; } }
void sum(float *restrict a, const float *restrict b, const float *restrict c) {
 for (int i = 0; i < 16777216; i++) a[i] = b[i] + c[i]; }
"""


def _predictions(report: Report) -> list[Prediction]:
    """Of all kernels of the three nests, in the source's order and in the mapping that is recommended."""
    evaluations = [nest.evaluation for function in report.functions for nest in function.nests]
    assert all(each is not None and len(each.in_source_order.kernels) == 1 for each in evaluations)
    found = [each for evaluation in evaluations if evaluation for each in (evaluation.in_source_order, evaluation)]
    return [kernel.prediction for evaluation in found for kernel in evaluation.kernels]


@pytest.mark.long
@pytest.mark.parametrize("name", gpu_names())
def test_times_add_up_and_a_sum_takes_about_its_bytes_over_the_bandwidth(
    name: str, analyse_c: Callable[..., Report]
) -> None:
    gpu, predictions = load_gpu(name), _predictions(analyse_c(_NESTS, gpu=name))
    assert len(predictions) >= 6
    for prediction in predictions:
        assert isfinite(prediction.time_s)
        assert prediction.time_s > 0
        assert sum(part for _, part in prediction.breakdown_s) == pytest.approx(prediction.time_s)
        assert all(part >= 0 for _, part in prediction.breakdown_s)
        assert 0 < prediction.occupancy.fraction <= 1
        assert prediction.launch.threads_per_block <= gpu.occupancy.max_threads_per_block
    least_s = 3 * 4 * 16777216 / gpu.dram.theoretical_bandwidth_bytes_per_s
    assert least_s < predictions[-1].time_s < 2 * least_s
