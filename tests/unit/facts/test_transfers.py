"""What a cold run copies in and out, and what sizes the source implies."""

from __future__ import annotations

import pytest
from warplens.analysis.facts.nest_facts import NestFacts


def moved(facts: NestFacts, **sizes: int) -> dict[str, tuple[int, int]]:
    return {t.array: (int(t.in_bytes.evaluate(sizes)), int(t.out_bytes.evaluate(sizes))) for t in facts.transfers}


def test_inputs_go_in_and_outputs_out(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict x, double *restrict y) { for (int i = 0; i < n; i++) y[i] = x[i]; }"
    )
    assert moved(facts, n=10) == {"x": (40, 0), "y": (0, 80)}


def test_an_element_written_before_it_is_read_is_not_copied_in(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) { c[i] = 0;"
        " for (int k = 0; k < n; k++) c[i] += a[i*n+k]; } }"
    )
    assert moved(facts, n=10) == {"a": (400, 0), "c": (0, 40)}


def test_an_accumulator_that_is_not_cleared_is_copied_in(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) c[i] += a[i]; }"
    )
    assert moved(facts, n=10)["c"] == (40, 40)


def test_a_box_written_by_an_earlier_loop_is_not_copied_in(facts_of) -> None:
    time_loop = (
        "f(int t, int n, float *restrict a, float *restrict b) {{ for (int s = 0; s < t; s++) {{"
        " for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i+1];"
        " for (int i = {start}; i < n - 1; i++) a[i] = b[i]; }} }}"
    )
    assert moved(facts_of(time_loop.format(start=1)), t=3, n=10) == {"a": (40, 32), "b": (0, 32)}
    assert moved(facts_of(time_loop.format(start=0)), t=3, n=10)["b"] == (36, 32)


@pytest.mark.parametrize("statement", ["if (x[i] > 0) y[i] = 1;", "y[2 * i] = 1;", "y[x[i]] = 1;"])
def test_an_array_written_in_part_keeps_its_other_elements(facts_of, statement: str) -> None:
    facts = facts_of(f"f(int n, const int *restrict x, float y[100]) {{ for (int i = 0; i < n; i++) {statement} }}")
    into, out = moved(facts, n=10)["y"]
    assert into == out > 0


@pytest.mark.parametrize(
    "write",
    [
        "for (int x = 0; x < 64; x++) p[y * 64 + x] = 1;",
        "for (int x = 0; x < 64; x++) { int t = 0; while (t < 9) { if (t * x > 7) break; t++; } p[64 * y + x] = t; }",
        "for (int x = 0; x < 16; x++) for (int c = 3; c >= 0; c--) p[(y * 16 + x) * 4 + c] = c;",
    ],
)
def test_an_image_that_is_written_whole_is_not_copied_in(facts_of, write: str) -> None:
    facts = facts_of(f"f(int n, float *p) {{ for (int y = 0; y < n; y++) {{ {write} }} }}")
    assert moved(facts, n=10) == {"p": (0, 2560)}


@pytest.mark.parametrize(
    "write",
    [
        "for (int x = 0; x < 63; x++) p[y * 64 + x] = 1;",
        "for (int x = 0; x < 64; x++) { p[y * 64 + x] = 1; if (x * y > 70) break; }",
        "for (int x = 0; x < 64; x++) { for (int t = 0; t < q[x]; t++) if (t > x) goto on; p[y * 64 + x] = 1; on:; }",
    ],
)
def test_an_image_that_is_written_with_gaps_is_copied_in(facts_of, write: str) -> None:
    facts = facts_of(
        f"f(int n, float *restrict p, const int *restrict q) {{ for (int y = 0; y < n; y++) {{ {write} }} }}"
    )
    into, out = moved(facts, n=10)["p"]
    assert into == out > 0


def test_arrays_of_the_body_do_not_move(facts_of) -> None:
    facts = facts_of(
        "f(int n, float *restrict y) { for (int i = 0; i < n; i++) { float t[4];"
        " for (int k = 0; k < 4; k++) t[k] = k; y[i] = t[0] + t[3]; } }"
    )
    assert list(moved(facts, n=10)) == ["y"]
    assert all(a.is_private == (a.access.array == "t") for kernel in facts.kernels for a in kernel.accesses)


def test_gathered_arrays_of_unknown_extent_have_a_parameter(facts_of) -> None:
    facts = facts_of(
        "f(int n, const int *restrict row, const int *restrict col, const double *restrict v, const double *restrict x,"
        " double *restrict y) { for (int i = 0; i < n; i++) { double s = 0;"
        " for (int k = row[i]; k < row[i + 1]; k++) s += v[k] * x[col[k]]; y[i] = s; } }"
    )
    sizes = {"n": 10, "iterations of k": 5, "elements of x": 30}
    assert set(facts.parameters) == set(sizes)
    assert moved(facts, **sizes) == {"row": (44, 0), "col": (200, 0), "v": (400, 0), "x": (240, 0), "y": (0, 80)}


def test_extents_cap_the_footprint_and_imply_sizes(facts_of) -> None:
    facts = facts_of("f(int n, float a[100], float b[90]) { for (int i = 1; i < n - 1; i++) a[i + 1] = b[i - 1]; }")
    assert facts.size_hints == (("n", 92),)
    assert moved(facts, n=4096)["a"][1] == 400


def test_the_footprint_is_the_sum_over_arrays(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] = y[i] + x[i]; }"
    )
    assert facts.footprint_bytes.evaluate({"n": 100}) == 800


@pytest.mark.parametrize(
    ("given", "is_of_thread"),
    [
        ("double t[8]; t[0] = y; for (int x = 0; x < m; x++) a[y * m + x] = t[0] * x;", False),
        ("double *t = row_of(y); for (int x = 0; x < m; x++) a[y * m + x] = t[x];", False),
        ("double *t = malloc(8 * m); for (int x = 0; x < m; x++) t[x] = x; use(y);", False),
        ("for (int x = 0; x < m; x++) { double t[8]; t[0] = a[y * m + x]; a[y * m + x] = 2 * t[0]; } use(y);", True),
    ],
)
def test_memory_from_around_a_kernel_is_not_its_threads_own(facts_of, given: str, is_of_thread: bool) -> None:
    facts = facts_of(
        "#include <stdlib.h>\ndouble *row_of(int); void use(int);"
        f"void f(int n, int m, double *restrict a) {{ for (int y = 0; y < n; y++) {{ {given} use(m); }} }}"
    )
    (kernel,) = facts.kernels
    found = {a.is_private for a in kernel.accesses if a.access.array.startswith("t")}
    assert found == {is_of_thread}
