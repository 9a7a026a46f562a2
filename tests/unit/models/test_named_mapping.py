"""A mapping by its name: the one that was tried, one that was not, and what becomes of it in a what-if."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest, mappings_of
from warplens.analysis.models.nest.named_mapping import named_mapping
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.models.sizes.gpu_comparison import compare_gpus
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

MATVEC = """void f(int n, double *restrict y, const double *restrict a, const double *restrict x) {
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
        y[i] = s;
    }
}"""
ROWS = """void f(float y[64][96], const float x[64][96][768]) {
    for (int b = 0; b < 64; b++)
        for (int t = 0; t < 96; t++) {
            float s = 0.0f;
            for (int j = 0; j < 768; j++) s += x[b][t][j];
            y[b][t] = s;
        }
}"""
TWO = """void f(float y[256], float z[8], const float x[256][6144]) {
    for (int t = 0; t < 10; t++) {
        for (int i = 0; i < 256; i++) {
            float m = 0.0f, v = 0.0f;
            for (int j = 0; j < 6144; j++) m += x[i][j];
            for (int j = 0; j < 6144; j++) v += (x[i][j] - m) * (x[i][j] - m);
            y[i] = v;
        }
        for (int k = 0; k < 8; k++) {
            float m = 0.0f;
            for (int j = 0; j < 6144; j++) m += x[k][j] * y[k];
            z[k] += m;
        }
    }
}"""
LONG = """void f(const double a[24][1000000], const double b[24][1000000], double c[24][24]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            double s = 0.0;
            for (int k = 0; k < 1000000; k++) s += a[i][k] * b[j][k];
            c[i][j] = s;
        }
}"""
PRODUCT = """void f(int n, float *restrict c, const float *restrict a, const float *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}"""
LU = """void f(int n, double a[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++) a[i][j] -= a[i][k] * a[k][j];
    }
}"""
N = {"n": 4096}
CPU = load_cpu("server")


def evaluated(source: str, sizes: dict[str, int], mapping: str = "", gpu: str = "a100") -> NestEvaluation:
    return evaluate_nest(facts_of(source), sizes, load_gpu(gpu), CPU, model_errors(), mapping)


def asked(base: NestEvaluation, **changes: object) -> NestEvaluation:
    found = what_if(base, Changes(**changes), model_errors())  # type: ignore[arg-type]
    assert not found.refusals
    return found.evaluation


def compared(evaluation: NestEvaluation) -> NestEvaluation:
    """Without who said the sizes, and what a directive could ask for, which is no part of a what-if."""
    order, plain = (None if one is None else compared(one) for one in (evaluation.source_order, evaluation.plain))
    return replace(evaluation, assumptions=(), source_order=order, plain=plain, row_teams=None)


@pytest.mark.parametrize("source", [MATVEC, ROWS, TWO, LONG, LU])
def test_each_that_was_tried_is_found_by_its_name(source: str) -> None:
    evaluation = evaluated(source, N if source in {MATVEC, LU} else {})
    tried = mappings_of(evaluation, model_errors()).tried
    assert len({one.name for one in tried}) == len(tried) > 0
    for one in tried:
        assert named_mapping(evaluation.facts, one.name, evaluation.gpu) == one.mapped


def test_one_that_was_not_tried_is_a_team_of_as_many_threads() -> None:
    found = evaluated(MATVEC, {"n": 100}, "block1024:j")
    assert found.pinned is not None
    assert found.kernels[0].kernel.team.threads == 1024
    assert [one.name for one in found.mappings if one.time_s > 0].count("block1024:j") == 1


def test_a_gpu_whose_lanes_read_no_registers_of_others_has_no_teams() -> None:
    assert evaluated(MATVEC, N, "warp:j", "c2050").pinned is None
    parts = evaluated(MATVEC, N, "parts8:j", "c2050")
    assert parts.pinned is not None
    assert len(parts.kernels) == 2


@pytest.mark.parametrize("name", ["source", "warp:j", "block64:j", "parts16:j"])
def test_what_if_keeps_the_pin_at_other_sizes_and_on_other_gpus(name: str) -> None:
    base = evaluated(MATVEC, N, name)
    for sizes, gpu in (((("n", 700),), "a100"), ((), "h100"), ((("n", 9000),), "k20")):
        found = asked(base, sizes=sizes, gpu=load_gpu(gpu))
        assert compared(found) == compared(evaluated(MATVEC, N | dict(sizes), name, gpu))


def test_what_if_may_ask_for_another_mapping_than_the_pinned_one() -> None:
    base = evaluated(MATVEC, N, "block64:j")
    assert asked(base, mapping="block64:j") is base
    for name in ("warp:j", "source", "block1024:j"):
        found = asked(base, mapping=name)
        free = asked(evaluated(MATVEC, N), mapping=name)
        assert (found.pin, found.kernels) == (None, free.kernels)


def test_a_wish_for_a_launch_leaves_the_mapping_and_says_no_comparison() -> None:
    base = evaluated(MATVEC, N, "warp:j")
    found = asked(base, sizes=(("n", 2000),), pin=LaunchPin((32, 4, 1)))
    assert found.kernels[0].kernel == base.kernels[0].kernel
    assert (found.pinned.name, found.pinned.recommended) == ("warp:j", "")
    fresh = evaluated(MATVEC, {"n": 2000})
    times = {one.name: one.time_s for one in fresh.mappings}
    assert {one.name: one.time_s for one in found.mappings} == times
    assert found.in_source_order.offload.kernels_s == fresh.in_source_order.offload.kernels_s


def test_a_name_that_is_none_is_refused_with_those_there_are() -> None:
    found = what_if(evaluated(MATVEC, N), Changes(mapping="warp:q"), model_errors())
    (refusal,) = found.refusals
    assert refusal.message.startswith("there is no mapping `warp:q` here: there are `")


def test_other_gpus_are_compared_in_the_pinned_mapping() -> None:
    base = evaluated(MATVEC, N, "warp:j")
    on_a100, on_h100 = compare_gpus(base, (base.gpu, load_gpu("h100")), model_errors())
    assert on_a100 is base
    assert on_h100.pinned.name == "warp:j"
    assert on_h100.kernels == evaluated(MATVEC, N, "warp:j", "h100").kernels


def test_a_pin_of_one_kernel_leaves_the_others_in_the_sources_order() -> None:
    free = evaluated(TWO, {})
    found = evaluated(TWO, {}, "1:warp:j")
    assert found.pinned is not None
    assert [one.kernel.team is not None for one in found.kernels] == [True, False]
    assert found.kernels[1].kernel == free.in_source_order.kernels[1].kernel
    assert evaluated(TWO, {}, "warp:j").pinned is None
    assert evaluated(TWO, {}, "3:warp:j").pinned is None


def test_a_pin_of_several_kernels_names_each() -> None:
    found = evaluated(TWO, {}, "1:block64:j+2:warp:j")
    assert found.pinned is not None
    assert [one.kernel.team.threads for one in found.kernels] == [64, 32]
    (listed,) = [one for one in found.mappings if one.name == "1:block64:j+2:warp:j"]
    assert listed.time_s == found.offload.kernels_s + found.offload.launch_overhead_s
    for name in ("1:warp:j+1:block64:j", "1:warp:j+3:warp:j", "1:warp:j+"):
        assert evaluated(TWO, {}, name).pinned is None


def test_a_nest_in_steps_is_pinned_by_its_name_at_any_size() -> None:
    (name,) = [one.name for one in evaluated(LU, N).mappings if one.name.startswith("steps:")]
    found = evaluated(LU, {"n": 8}, name)
    assert found.pinned is not None
    assert evaluated(LU, {"n": 8}, "steps:q").pinned is None
    assert evaluated(MATVEC, N, "steps:i").pinned is None


def test_pinning_the_sources_order_has_the_launch_that_a_port_writes() -> None:
    free, found = evaluated(PRODUCT, N), evaluated(PRODUCT, N, "source")
    assert free.mapped is None
    assert found.kernels == free.kernels
    assert prod(found.kernels[0].prediction.launch.outputs_per_thread) > 1
    assert found.pinned.recommended == "source"


DISTRIBUTED = """void f(int n, int m, float *restrict y, float *restrict s, const float *restrict x) {
    for (int h = 0; h < n; h++) {
        for (int t = 0; t < m; t++) {
            float e = 0.0f;
            for (int i = 0; i < 512; i++) e += x[(h * m + t) * 512 + i];
            s[h * m + t] = e;
        }
        float z = 0.0f;
        for (int t = 0; t < m; t++) z += s[h * m + t];
        y[h] = z;
    }
}"""


def test_kernels_that_one_is_distributed_into_have_names_of_their_own() -> None:
    found = evaluate_nest(facts_of(DISTRIBUTED), {"n": 16, "m": 2048}, load_gpu("a100"), load_cpu("server"))
    name = found.mappings[0].name
    assert re.fullmatch(r"points>1:warp:h,t/i>2:block\d+:t", name)
    assert found.mapped is not None
    again = named_mapping(found.facts, name, found.gpu)
    assert again is not None
    assert [kernel.team for kernel in again.facts.kernels] == [kernel.team for kernel in found.mapped.facts.kernels]
    assert [team is not None for team in (each.kernel.team for each in found.kernels)] == [True, True]


@pytest.mark.parametrize("again", ["3:warp:t", "1:points", "1:warp:h,t/i>1:warp:h,t/i", "0:warp:h,t/i", "1:", "1"])
def test_other_kernels_of_one_that_is_distributed_have_no_such_names(again: str) -> None:
    assert named_mapping(facts_of(DISTRIBUTED), f"points>{again}", load_gpu("a100")) is None
