"""Values that were not measured on the GPU: which resources they are of, and how much wider a range they make."""

from collections.abc import Callable
from math import log

import pytest
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.hwprofiles.entry import WEAK_KINDS
from warplens.hwprofiles.loader import gpu_names, load_gpu, load_profile
from warplens.hwprofiles.schema import GPU_SCHEMA
from warplens.hwprofiles.uncertainty import resource_values
from warplens.hwprofiles.validation import model_errors
from warplens.server.render.trust import trust_sentences

_STREAM = "void sum(float *restrict a, const float *restrict b) { for (int i = 0; i < 1 << 26; i++) a[i] = b[i] + 1; }"
_DIVIDE = """void f(double *restrict a, const double *restrict b) {
 for (int i = 0; i < 1 << 22; i++) { double x = b[i]; for (int k = 0; k < 64; k++) x = 1.5 / x + 0.5; a[i] = x; } }"""


@pytest.fixture
def kernel_on(analyse_c: Callable[..., Report]) -> Callable[[str, str], KernelEvaluation]:
    def evaluated(source: str, gpu: str) -> KernelEvaluation:
        (function,) = analyse_c(source, gpu=gpu, options=AnalysisOptions(model_errors=model_errors())).functions
        evaluation = function.nests[0].evaluation
        assert evaluation is not None
        return evaluation.kernels[0]

    return evaluated


def test_every_resource_names_keys_that_there_are_and_weak_kinds_only() -> None:
    known = {f"{section}.{key.name}" for section, keys in GPU_SCHEMA.items() for key in keys}
    for each in resource_values():
        assert set(each.keys) <= known
        assert set(each.factors) == WEAK_KINDS
        assert all(factor > 1 for factor in each.factors.values())
        assert each.pairs


@pytest.mark.parametrize("name", gpu_names())
def test_a_resource_is_as_uncertain_as_its_worst_value(name: str) -> None:
    entries = load_profile(name).entries
    found = {each.resource: each for each in load_gpu(name).uncertainties}
    for resource in resource_values():
        factor = max(resource.factors.get(entries[key].kind, 1.0) for key in resource.keys)
        assert (found[resource.resource].factor if resource.resource in found else 1.0) == factor


def test_a_stream_on_a_proxied_bandwidth_is_as_uncertain_as_that(kernel_on: Callable[..., KernelEvaluation]) -> None:
    kernel = kernel_on(_STREAM, "l40s")
    error = kernel.error
    assert error is not None
    parts = dict(kernel.prediction.breakdown_s)
    busy = parts["memory bandwidth"] / sum(parts.values())
    assert error.uncertain[0].key == "dram.bandwidth_gb_per_s"
    half_width = log(error.high)
    measured = half_width - log(error.profile_factor)
    unknown = (half_width**2 - measured**2) ** 0.5
    assert busy * log(1.23) == pytest.approx(unknown, rel=0.1)
    assert error.low == pytest.approx(1 / error.high)


def test_a_chain_of_divisions_is_uncertain_where_nobody_measured_them(
    kernel_on: Callable[..., KernelEvaluation],
) -> None:
    kernel = kernel_on(_DIVIDE, "v100_pcie")
    assert kernel.error is not None
    assert kernel.prediction.bound_by == "computation"
    assert 1.5 < kernel.error.profile_factor <= 6.5
    assert kernel.error.high > 4
    assert kernel.error.uncertain[0].resource == "division"


def test_where_the_error_was_measured_nothing_is_added(kernel_on: Callable[..., KernelEvaluation]) -> None:
    kernel = kernel_on(_STREAM, "rtx2080ti")
    assert kernel.error is not None
    assert "rtx2080ti" in kernel.error.gpus
    assert (kernel.error.profile_factor, kernel.error.uncertain) == (1.0, ())


def test_the_reason_is_said_where_the_range_is(analyse_c: Callable[..., Report]) -> None:
    def said(gpu: str) -> str:
        (function,) = analyse_c(_STREAM, gpu=gpu, options=AnalysisOptions(model_errors=model_errors())).functions
        evaluation = function.nests[0].evaluation
        assert evaluation is not None
        return trust_sentences(evaluation)[-1]

    assert said("l40s").endswith(
        "times wider each way, for values not measured on this GPU: DRAM bandwidth "
        "(dram.bandwidth_gb_per_s: measured on L40)."
    )
    assert "wider" not in said("v100_pcie")
