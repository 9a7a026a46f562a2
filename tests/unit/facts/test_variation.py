"""Along which grid loops instructions and registers have a copy per output of a thread."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import blocks

MATRIX_PRODUCT = """f(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        float s = 0;
        for (int k = 0; k < n; k++) s += A * b[k*n+j];
        c[i*n+j] = s;
    } }"""


def varying(kernel: Kernel) -> list[tuple[str, str]]:
    """Instructions in program order with the iterators along which they vary."""
    names = {loop.loop: loop.iterator for loop in kernel.grid}
    return [
        (instruction.op, "".join(sorted(names[loop] for loop in instruction.varies)))
        for block, _ in blocks(kernel.program)
        for instruction in block.instructions
    ]


def kernel_of(function: str) -> Kernel:
    return only_kernel(f"void {function}")


def test_loads_of_a_matrix_product_are_shared_along_the_other_axis() -> None:
    # Rows of `a` are n floats apart: an address per output along i. The other addresses are at constant distances.
    assert varying(kernel_of(MATRIX_PRODUCT.replace("A", "a[i*n+k]"))) == [
        ("int_mad", "i"), ("load", "i"), ("int_mad", ""), ("load", "j"), ("fp32_fma", "ij"),
        ("int_add", ""), ("compare", ""), ("branch", ""),
        ("int_mad", "i"), ("store", "ij"),
    ]  # fmt: skip


def test_an_address_at_constant_distance_serves_all_outputs() -> None:
    found = varying(kernel_of(MATRIX_PRODUCT.replace("A", "a[k*n+i]")))
    assert found[:2] == [("int_mad", ""), ("load", "i")]


def test_registers_of_a_matrix_product_by_axes() -> None:
    """At the multiply-add: indices of i, j and k, one value of each matrix, one sum; x is j, so bit 0 is j."""
    kernel = kernel_of(MATRIX_PRODUCT.replace("A", "a[k*n+i]"))
    assert (3, 1, 1, 1) in kernel.live_by_axes


@pytest.mark.parametrize("a", ["a[k*n+i]", "a[i*n+k]", "a[i*i+k]"])
def test_the_largest_row_is_the_register_pressure(a: str) -> None:
    kernel = kernel_of(MATRIX_PRODUCT.replace("A", a))
    assert max(sum(row) for row in kernel.live_by_axes) == kernel.register_pressure
    assert all(len(row) == 4 for row in kernel.live_by_axes)


def test_all_of_a_loop_varies_whose_bounds_do() -> None:
    kernel = kernel_of(
        "f(int n, const float *restrict a, const float *restrict b, float *restrict c) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < i; k++) s += a[k*n+j] * b[k]; c[i*n+j] = s; } }"
    )
    names = {loop.iterator: loop.loop for loop in kernel.grid}
    in_loop = [i for block, around in blocks(kernel.program) if around for i in block.instructions]
    assert all(names["i"] in instruction.varies for instruction in in_loop)
    assert varying(kernel)[-1] == ("store", "ij")


def test_what_a_branch_sets_varies_with_its_condition() -> None:
    found = varying(
        kernel_of(
            "f(int n, const float *restrict a, const float *restrict b, float *restrict c) {"
            " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {"
            " float s = b[0]; if (a[j] > 0) s = b[1] * 2; c[i*n+j] = s * 3; } }"
        )
    )
    assert found == [
        ("load", ""), ("int_mad", ""), ("load", "j"), ("compare", "j"), ("branch", "j"),
        ("load", "j"), ("fp32_mul", "j"),
        ("int_mad", "i"), ("fp32_mul", "j"), ("store", "ij"),
    ]  # fmt: skip


def test_a_sum_that_ends_early_varies_with_what_ends_it() -> None:
    found = varying(
        kernel_of(
            "f(int n, int m, const float *restrict v, int *restrict y) { for (int i = 0; i < n; i++) { int c = 0;"
            " for (int k = 0; k < m; k++) { if (v[k*n+i] > 1) break; c = c + 1; } y[i] = c; } }"
        )
    )
    assert [axes for op, axes in found if op == "int_add"] == ["i", "i"]


def test_a_gathered_load_varies_with_its_subscript() -> None:
    found = varying(
        kernel_of(
            "f(int n, const int *restrict t, const float *restrict x, float *restrict y) {"
            " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i*n+j] = x[t[j]]; }"
        )
    )
    assert found == [
        ("int_mad", "i"), ("int_mad", ""), ("load", "j"), ("int_mad", "j"), ("load", "j"), ("store", "ij"),
    ]  # fmt: skip


def test_an_array_of_the_iteration_varies_with_what_is_stored_in_it() -> None:
    found = varying(
        kernel_of(
            "f(int n, const float *restrict v, float *restrict y) {"
            " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float t[4];"
            " for (int k = 0; k < 4; k++) t[k] = v[4*i+k]; float s = 0;"
            " for (int k = 0; k < 4; k++) s += t[k]; y[i*n+j] = s; } }"
        )
    )
    assert [axes for op, axes in found if op == "fp32_add"] == ["i"]


STENCIL = """f(int n, const float *restrict a, float *restrict c) {
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
        c[i*n+j] = a[(i-1)*n+j] + a[i*n+j-1] + a[i*n+j] + a[i*n+j+1] + a[(i+1)*n+j]; }"""


def test_outputs_side_by_side_share_what_the_next_one_loads() -> None:
    """Along i, F outputs of a column need F + 2 elements of it; along x (j) outputs are a block apart."""
    loads = [axes for op, axes in varying(kernel_of(STENCIL)) if op == "load"]
    assert sorted(loads) == ["ij", "ij", "ij", "j", "j"]


def test_nothing_is_shared_of_an_array_that_is_written() -> None:
    kernel = kernel_of(
        "f(int n, float *a) { for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++)"
        " a[i*2*n+j] = a[(i*2-1)*n+j] + a[(i*2+1)*n+j]; }"
    )
    assert [axes for op, axes in varying(kernel) if op == "load"] == ["ij", "ij"]
