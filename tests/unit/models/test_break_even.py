"""From which size the GPU wins: what is said agrees with what is shown, and with the parts it is made of."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of
from support.examples import examples
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.models.choice.time_range import kernels_range
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven, WinsFrom, break_even, break_even_steps
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

SOURCES = {
    "axpy": "void f(int n, double *restrict y, const double *restrict x) {\
        for (int i = 0; i < n; i++) y[i] += 2 * x[i]; }",
    "sum": "double f(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "rows": "void f(int n, const float *restrict a, float *restrict b) { for (int i = 0; i < n; i++)\
        for (int j = 0; j < n; j++) b[j*n+i] = a[i*n+j]; }",
    "product": "void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {\
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;\
        for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; c[i*n+j] = s; } }",
}  # fmt: skip
FACTS = {name: facts_of(source) for name, source in SOURCES.items()}


def evaluated(facts: NestFacts, n: int, gpu: str = "a100") -> NestEvaluation:
    return evaluate_nest(facts, {"n": n}, load_gpu(gpu), load_cpu("server"), model_errors())


def found(evaluation: NestEvaluation) -> BreakEven:
    result = break_even(evaluation)
    assert result is not None
    return result


def shown(evaluation: NestEvaluation, wins: WinsFrom, kernels_s: float | None = None) -> bool:
    """Whether the GPU is shown to win at the size in force."""
    assert evaluation.offload is not None
    offload = evaluation.offload if kernels_s is None else replace(evaluation.offload, kernels_s=kernels_s)
    gpu_s = offload.resident_s if wins.data == "resident" else offload.cold_s
    return gpu_s < (offload.one_core_s if wins.cores == "one core" else offload.all_cores_s)


@pytest.mark.long
@settings(max_examples=examples(10))
@given(st.sampled_from(sorted(FACTS)), st.integers(1, 20_000), st.sampled_from(["a100", "k20", "rtx2080ti"]))
def test_what_is_said_agrees_with_what_is_shown_at_the_size_in_force(name: str, n: int, gpu: str) -> None:
    evaluation = evaluated(FACTS[name], n, gpu)
    result = found(evaluation)
    assert result.current == n
    if n > result.most:
        assert result.ends_at == "device memory"
        return
    at = result.curve.sizes.index(n)
    assert evaluation.offload is not None
    assert result.curve.gpu_cold_s[at] == evaluation.offload.cold_s
    assert result.curve.gpu_resident_s[at] == evaluation.offload.resident_s
    assert result.curve.one_core_s[at] == evaluation.offload.one_core_s
    assert result.curve.all_cores_s[at] == evaluation.offload.all_cores_s
    band = kernels_range(evaluation)
    assert band is not None
    for wins in result.wins:
        assert wins.size is None or wins.size > n or shown(evaluation, wins)
        assert wins.latest is None or wins.latest > n or shown(evaluation, wins, band.most_s)
        assert wins.earliest is None or wins.earliest > n or shown(evaluation, wins, band.least_s)
        assert wins.latest is None or (wins.earliest is not None and wins.earliest <= wins.latest)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_the_curve_rises_through_the_sizes_found_and_is_small(name: str) -> None:
    result = found(evaluated(FACTS[name], 1000))
    curve = result.curve
    assert list(curve.sizes) == sorted(set(curve.sizes))
    for wins in result.wins:
        assert wins.size is None or wins.size in curve.sizes
    columns = (curve.gpu_cold_s, curve.gpu_resident_s, curve.one_core_s, curve.all_cores_s, curve.resident_band_s)
    assert {len(column) for column in columns} == {len(curve.sizes)}
    assert all(low <= high for low, high in curve.resident_band_s)
    assert result.least <= curve.sizes[0]
    assert curve.sizes[-1] == result.most
    assert len(pickle.dumps(result)) < 6000


def test_copies_and_more_cores_only_make_it_later() -> None:
    result = found(evaluated(FACTS["product"], 1000))
    sizes = {(wins.data, wins.cores): wins.size for wins in result.wins}
    one, cold = sizes["resident", "one core"], sizes["cold", "one core"]
    every, both = sizes["resident", "all cores"], sizes["cold", "all cores"]
    assert None not in {one, cold, every, both}
    assert 1 < (one or 0) <= (cold or 0) <= (both or 0)
    assert (one or 0) <= (every or 0) <= (both or 0)


def test_without_measured_errors_there_is_no_band() -> None:
    bare = evaluate_nest(FACTS["rows"], {"n": 1000}, load_gpu("a100"), load_cpu("server"))
    result = found(bare)
    assert not result.has_band
    assert result.curve.resident_band_s == ()
    assert all(wins.earliest == wins.size == wins.latest for wins in result.wins)


def test_other_sizes_stay(steps: NestFacts) -> None:
    few, many = (
        found(evaluate_nest(steps, {"n": 1000, "t": t}, load_gpu("a100"), load_cpu("server"))) for t in (1, 100)
    )
    assert (few.name, few.others, many.others) == ("n", (("t", 1),), (("t", 100),))
    # Copies are shared by all steps.
    assert (many.wins_from("cold", "one core").size or 0) < (few.wins_from("cold", "one core").size or 2**31)


def test_nothing_to_vary_is_said() -> None:
    fixed = facts_of("void f(float *restrict a) { for (int i = 0; i < 1000; i++) a[i] *= 2; }")
    result = found(evaluate_nest(fixed, {}, load_gpu("a100"), load_cpu("server")))
    assert result.why_not == "no size to vary"
    assert result.wins == ()
    large = facts_of(
        "void f(long n, long m, char *restrict a) {\
        for (long i = 0; i < n; i++) for (long j = 0; j < m; j++) a[i*m+j] = 1; }"
    )
    over = evaluate_nest(large, {"n": 2, "m": 10**12}, load_gpu("a100"), load_cpu("server"))
    assert found(over).why_not == "no size fits into the GPU's memory"


def test_none_without_kernel_or_work(prefix: NestFacts) -> None:
    assert break_even(evaluated(prefix, 1000)) is None
    assert break_even(evaluated(FACTS["axpy"], 0)) is None


def test_steps_stop_after_every_size() -> None:
    evaluation = evaluated(FACTS["axpy"], 1000)
    stops = sum(1 for _ in break_even_steps(evaluation))
    result = found(evaluation)
    assert stops == len(result.curve.sizes)
    with pytest.raises(KeyError):
        replace(result, wins=()).wins_from("cold", "one core")
