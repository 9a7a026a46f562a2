"""Every iteration has one thread, whatever the loop's spelling: starts, steps, limits, triangles, unsigned ones."""

import re
from collections.abc import Callable

import pytest
from support.cuda_kernels.printed import body, printed

COPY = "float *restrict a, const float *restrict b"


def lines_of(header: str, declarations: str = "int n, int m") -> list[str]:
    return body(f"void f({declarations}, {COPY}) {{ {header} a[i] = b[i]; }}").split("\n")


@pytest.mark.parametrize(
    ("header", "place", "leaves"),
    [
        ("for (int i = 0; i < n; i++)", "blockIdx.x * blockDim.x + threadIdx.x", "i >= n"),
        ("for (int i = 1; i <= n; i++)", "1 + blockIdx.x * blockDim.x + threadIdx.x", "i > n"),
        ("for (int i = m; i < n - 1; i++)", "m + blockIdx.x * blockDim.x + threadIdx.x", "i >= n - 1"),
        ("for (int i = 0; i < n && i < m; i++)", "blockIdx.x * blockDim.x + threadIdx.x", "i >= n || i >= m"),
        ("for (int i = 3; i < n; i += 4)", "3 + 4 * (blockIdx.x * blockDim.x + threadIdx.x)", "i >= n"),
        ("for (int i = n - 1; i >= 0; i--)", "n - 1 - (blockIdx.x * blockDim.x + threadIdx.x)", "i < 0"),
        ("for (int i = n; i > m; i -= 2)", "n - 2 * (blockIdx.x * blockDim.x + threadIdx.x)", "i <= m"),
        ("for (int i = 0; i < n / 2; i++)", "blockIdx.x * blockDim.x + threadIdx.x", "i >= n / 2"),
    ],
)
def test_a_thread_has_the_iteration_of_its_index(header: str, place: str, leaves: str) -> None:
    assert lines_of(header)[:3] == [f"const int i = {place};", f"if ({leaves}) {{", "    return;"]


def test_an_unsigned_limit_does_not_wrap() -> None:
    lines = lines_of("for (unsigned i = 1; i + 1 < n; i++)", "unsigned n")
    assert "if (i + 1 >= n) {" in lines


def test_an_unsigned_number_that_is_counted_below_zero_is_outside() -> None:
    lines = lines_of("for (unsigned i = n; i-- > 0;)", "unsigned n")
    assert lines[:2] == ["const unsigned int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x);", "if (i > n - 1) {"]


def test_a_small_iterator_is_an_int() -> None:
    """A block's last threads would be taken for its first ones."""
    assert lines_of("for (unsigned char i = 0; i < n; i++)", "unsigned char n")[0].startswith("const int i = ")


def test_a_long_iterator_has_a_long_index() -> None:
    lines = lines_of("for (long i = 0; i < n; i++)", "long n")
    assert lines[0] == "const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;"


def test_rows_go_on_beyond_the_largest_grid() -> None:
    text = body(
        f"void f(int n, int m, {COPY})"
        "{ for (int i = 1; i < n; i += 2) for (int j = 0; j < m; j++) a[i * m + j] = b[i * m + j]; }"
    )
    assert (
        "for (int i = 1 + 2 * (blockIdx.y * blockDim.y + threadIdx.y); i < n; i += 2 * gridDim.y * blockDim.y)" in text
    )


def test_a_constant_number_of_rows_needs_no_stride() -> None:
    text = body(
        "void f(int m, float a[48][64], const float b[48][64])"
        "{ for (int i = 0; i < 48; i++) for (int j = 0; j < 64; j++) a[i][j] = b[i][j]; }"
    )
    assert "for (" not in text
    assert "if (" not in text  # blocks of 32x8 cover 64x48 without a rest


def test_a_triangle_leaves_out_what_is_before_its_start() -> None:
    text = printed(
        f"void f(int n, {COPY})"
        "{ for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) a[i * n + j] = b[j * n + i]; }"
    )
    assert "        if (j > i && j < n) {" in text.definition
    assert text.iterations[:2] == ("(long)n - 1", "n")


def test_rows_of_a_triangle_with_steps_are_counted_from_their_own_start() -> None:
    text = printed(
        f"void f(int n, {COPY})"
        "{ for (int i = 0; i < n; i++) for (int j = i; j < n; j += 2) a[i * n + j] = b[i * n + j]; }"
    )
    assert any("const int j = i + 2 * (blockIdx.x * blockDim.x + threadIdx.x);" in line for line in text.definition)
    assert text.iterations[0] == "((long)n + 1) / 2"


@pytest.mark.parametrize(
    ("header", "trips"),
    [
        ("for (int i = 0; i < n; i++)", lambda n, _: range(n)),
        ("for (int i = 2; i <= n; i += 3)", lambda n, _: range(2, n + 1, 3)),
        ("for (int i = n - 1; i > m; i -= 2)", lambda n, m: range(n - 1, m, -2)),
        ("for (int i = m; i < n && i < 20; i++)", lambda n, m: range(m, min(n, 20))),
        ("for (int i = 0; i < n / 2; i++)", lambda n, _: range(n // 2)),
        ("for (int i = 0; 3 * i < n; i++)", lambda n, _: range(-(-n // 3))),
    ],
)
def test_the_host_counts_the_iterations(header: str, trips: Callable[[int, int], range]) -> None:
    count = printed(f"void f(int n, int m, {COPY}) {{ {header} a[i] = b[i]; }}").iterations[0]
    python = re.sub(r"\(long\)", "", count).replace("/", "//")
    python = re.sub(r"\((.+?) < (.+?) \? (.+?) : (.+?)\)", r"min(\1, \2)", python)
    python = re.sub(r"\((.+) > 0 \? (.+) : (.+)\)", r"(\2 if \1 > 0 else \3)", python)
    for n in (0, 1, 2, 7, 30):
        for m in (0, 3):
            assert max(0, eval(python, {"n": n, "m": m})) == len(trips(n, m)), (python, n, m)
