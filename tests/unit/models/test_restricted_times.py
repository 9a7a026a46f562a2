"""Pointers without `restrict`: the time is the source's, mappings are compared with what a port declares."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.restricted_times import restrict_gain
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER
from warplens.hwprofiles.loader import load_cpu, load_gpu

DECAY = (
    "void f(int n, int m, double *{0} out, const double *in) {{ for (int j = 0; j < m; j++) {{ double s = 0;"
    " for (int i = 0; i < n; i++) {{ s = 0.9 * s + in[i*m + j]; out[i*m + j] = s; }} }} }}"
)
SUMS = (
    "void f(int n, int m, float *{0} y, const float *a) {{"
    " for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i] += a[i*m + k]; }}"
)


def evaluated(source: str, word: str, n: int, m: int) -> NestEvaluation:
    return evaluate_nest(facts_of(source.format(word)), {"n": n, "m": m}, load_gpu("a100"), load_cpu("server"))


def kernels_s(evaluation: NestEvaluation) -> float:
    assert evaluation.offload is not None
    return evaluation.offload.kernels_s


def test_the_gain_is_what_the_word_changes() -> None:
    plain, promised = evaluated(DECAY, "", 4096, 10000), evaluated(DECAY, "restrict", 4096, 10000)
    assert restrict_gain(plain) > 2
    assert restrict_gain(plain) == pytest.approx(kernels_s(plain) / kernels_s(promised), rel=0.05)
    assert restrict_gain(promised) == 1


def test_a_nest_that_fills_the_memory_gains_nothing() -> None:
    assert restrict_gain(evaluated(DECAY, "", 64, 4_000_000)) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("n", "m"), [(64, 65536), (65536, 64), (1 << 20, 32)])
def test_the_word_decides_on_no_mapping(n: int, m: int) -> None:
    """What a mapping's pointers gain by being `restrict` the source's order would gain too."""
    plain, promised = evaluated(SUMS, "", n, m), evaluated(SUMS, "restrict", n, m)
    names = [[one.name for one in each.mappings if one.is_recommended] for each in (plain, promised)]
    assert names[0] == names[1]


def test_the_source_order_is_listed_with_its_own_time() -> None:
    plain, promised = evaluated(SUMS, "", 65536, 64), evaluated(SUMS, "restrict", 65536, 64)
    times = [{one.name: one.time_s for one in each.mappings} for each in (plain, promised)]
    assert times[0][SOURCE_ORDER] >= times[1][SOURCE_ORDER]
    others = times[0].keys() - {SOURCE_ORDER}
    assert others
    assert all(times[0][name] == pytest.approx(times[1][name]) for name in others)
