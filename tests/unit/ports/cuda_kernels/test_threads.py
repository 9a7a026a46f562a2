"""What a thread has of its own is declared where it is set, lives as long as in C, and is gone if nobody reads it."""

import pytest
from support.cuda_kernels.printed import body
from warplens.analysis.ports.cuda.plan import PortRefusedError

ARRAYS = "float *restrict a, const float *restrict b, const int *restrict k"


def of_thread(text: str, declarations: str = ARRAYS) -> list[str]:
    """Lines behind the condition that the thread has an iteration."""
    lines = body(f"void f(int n, int m, {declarations}) {{ for (int i = 0; i < n; i++) {{ {text} }} }}").split("\n")
    return lines[lines.index("}") + 1 :]


def test_a_variable_is_declared_where_it_is_first_set() -> None:
    assert of_thread("float t; float s = 0; t = b[i]; s += t; a[i] = s;") == [
        "float s = 0.0f;",
        "const float t = b[i];",
        "s += t;",
        "a[i] = s;",
    ]


def test_a_variable_that_one_iteration_leaves_to_the_next_is_declared_outside() -> None:
    lines = of_thread("float last = 0, s = 0; for (int j = 0; j < m; j++) { s += last; last = b[j]; } a[i] = s;")
    assert lines[:2] == ["float last = 0.0f;", "float s = 0.0f;"]


def test_a_variable_of_a_branch_is_declared_in_it() -> None:
    lines = of_thread("float t; if (k[i]) { t = b[i]; a[i] = t * t; }")
    assert lines == ["if (k[i]) {", "    const float t = b[i];", "    a[i] = t * t;", "}"]


def test_an_iterator_that_is_read_after_its_loop_is_declared_before_it() -> None:
    lines = of_thread("int j; for (j = 0; j < m; j++) if (b[j] > b[i]) break; a[i] = j;")
    assert lines[:2] == ["int j;", "for (j = 0; j < m; j++) {"]
    assert lines[-1] == "a[i] = j;"


def test_values_that_nobody_reads_are_left_out() -> None:
    assert of_thread("float t = b[i]; float unused = t * 2; a[i] = t;") == ["const float t = b[i];", "a[i] = t;"]


def test_a_continue_is_a_condition() -> None:
    assert of_thread("if (k[i] < 0) continue; a[i] = b[i];") == ["if (k[i] >= 0) {", "    a[i] = b[i];", "}"]


def test_the_opposite_of_a_comparison_of_numbers_that_may_be_nan_is_not_another_comparison() -> None:
    assert of_thread("if (b[i] < 0) continue; a[i] = b[i];")[0] == "if (!(b[i] < 0.0f)) {"


def test_a_short_loop_of_constant_length_is_unrolled() -> None:
    lines = of_thread("float s = 0; for (int j = 0; j < 4; j++) s += b[4 * i + j]; a[i] = s;")
    assert lines[1:3] == ["#pragma unroll", "for (int j = 0; j < 4; j++) {"]


def test_bounds_may_be_read() -> None:
    lines = of_thread("float s = 0; for (int j = k[i]; j <= k[i + 1]; j++) s += b[j]; a[i] = s;")
    assert lines[1] == "for (int j = k[i]; j <= k[i + 1]; j++) {"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("int j = k[i]; while (j > 0) { a[i] += j; j /= 2; }", "`j` is divided in each iteration"),
        ("int j = 0; do { a[i] += j; j++; } while (j < k[i]);", "at least once"),
        ("for (int j = 0; j < m; j++) { if (k[j]) goto done; a[i] += 1; } done: ;", "`goto` leaves"),
        ("float w[m]; for (int j = 0; j < m; j++) w[j] = b[j]; a[i] = w[m - 1];", "size is no constant"),
    ],
)
def test_what_is_not_known_to_be_the_same_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PortRefusedError, match=reason):
        of_thread(text)


def test_a_value_that_is_used_after_the_loop_would_be_lost() -> None:
    loop = "for (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }"
    with pytest.raises(PortRefusedError, match="`t` after the loop"):
        body(f"float f(int n, float *restrict a) {{ float t = 0; {loop} return t; }}")
