"""Sizes that leave no room for the threads beyond the last iteration end the program; most need not be asked for."""

import pytest
from support.cuda_kernels.printed import body, printed
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ports.cuda.plan import PortRefusedError

LINE: Extent = (256, 1, 1)


def required(loops: str, parameters: str = "int n", block: Extent | None = LINE) -> tuple[str, ...]:
    return printed(f"void f({parameters}, float *restrict a) {{ {loops} }}", block=block).requirements


@pytest.mark.parametrize(
    ("loop", "parameters", "expected"),
    [
        ("for (int i = 0; i < n; i++) a[i] = 1;", "int n", ()),  # 256 divides 2**31
        ("for (int i = 0; i <= n; i++) a[i] = 1;", "int n", ()),
        ("for (unsigned i = 0; i < n; i++) a[i] = 1;", "unsigned n", ()),
        ("for (unsigned i = n; i-- > 0;) a[i] = 1;", "unsigned n", ()),
        ("for (int i = n - 1; i >= 0; i--) a[i] = 1;", "int n", ()),
        ("for (short i = 0; i < n; i++) a[i] = 1;", "short n", ()),  # counted in int
        ("for (int i = 3; i < n; i++) a[i] = 1;", "short n", ()),
        ("for (int i = 3; i < n; i++) a[i] = 1;", "int n", ("n <= INT_MAX - 254",)),
        ("for (int i = 3; i < 99; i++) a[i] = 1;", "int n", ()),
        ("for (int i = 0; i < n; i += 3) a[i] = 1;", "int n", ("n <= INT_MAX - 764",)),
        ("for (unsigned i = 0; i + 1 < n; i++) a[i] = 1;", "unsigned n", ("n <= UINT_MAX - 254",)),
        ("for (int i = m; i > n; i--) a[m - i] = 1;", "int n, int m", ("n >= INT_MIN + 254",)),
        ("for (long i = 0; i < n; i++) a[i] = 1;", "int n", ()),
        ("for (long i = 0; i < n; i++) a[i] = 1;", "long n", ("n <= INT_MAX * 256L",)),  # blocks that a grid has
        ("for (int i = 3; i < n && i < m; i++) a[i] = 1;", "int n, int m",
         ("n <= INT_MAX - 254 || m <= INT_MAX - 254",)),
    ],
)  # fmt: skip
def test_a_line(loop: str, parameters: str, expected: tuple[str, ...]) -> None:
    assert required(loop, parameters) == expected


def test_a_block_that_does_not_divide_the_numbers_of_the_type_needs_room() -> None:
    assert required("for (int i = 0; i < n; i++) a[i] = 1;", block=(48, 1, 1)) == ("n <= INT_MAX - 46",)


def test_a_block_that_goes_on_to_others_needs_room_for_a_grid() -> None:
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < 64; j++) a[i * 64 + j] = 1;"
    assert required(loops, block=(32, 8, 1)) == (f"n <= INT_MAX - {65535 * 8 - 1}",)


def test_a_loop_whose_numbers_leave_no_room_is_refused() -> None:
    with pytest.raises(PortRefusedError, match="`i` runs so far that threads beyond its last iteration"):
        required("for (int i = 2147483600; i < 2147483647; i++) a[i - 2147483600] = 1;")


def test_a_grid_that_goes_far_in_a_step_is_counted_in_64_bits() -> None:
    loops = "for (long i = 0; i < n; i += 65536) for (long j = 0; j < 8; j++) a[i + j] = 1;"
    text = body(f"void f(long n, float *restrict a) {{ {loops} }}", block=(8, 8, 1))
    assert "i += 65536 * (long)gridDim.y * blockDim.y" in text
