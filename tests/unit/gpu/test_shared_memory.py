"""Shared-memory opportunities: what a block re-reads, its size and benefit."""

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

AT_I, AT_J, AT_R = (Polynomial.symbol(name) for name in "ijr")


@pytest.fixture
def a100() -> Gpu:
    return load_gpu("a100")


def test_matrix_product_stages_a_tile_of_each_factor_per_chunk_of_k(gemm: Kernel, a100: Gpu) -> None:
    n, block = 1024, (16, 8, 1)
    by_array = {choice.array: choice for choice in shared_opportunities(SizedKernel(gemm, {"n": n}), block, a100)}
    assert by_array["a"].size_bytes == 8 * 16 * 4
    assert by_array["b"].size_bytes == 16 * 16 * 4
    assert {choice.stagings_per_block for choice in by_array.values()} == {n / 16}
    assert {choice.reads_per_block for choice in by_array.values()} == {16 * 8 * n}
    assert by_array["a"].benefit == 16 * 8 * n / (8 * 16 * 4)
    assert by_array["b"].staged_bytes_per_block == 16 * n * 4


@pytest.mark.parametrize(("row", "column"), [("i", "j"), ("v", "u")])
def test_a_window_is_as_large_in_numbers_whatever_its_loops_are_called(row: str, column: str, a100: Gpu) -> None:
    kernel = only_kernel(
        f"""void f(int n, const float a[n + 6][n + 6], const float f[7][7], float b[n][n]) {{
 for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {{ float s = 0;
 for (int {row} = 0; {row} < 7; {row}++) for (int {column} = 0; {column} < 7; {column}++)
 s += a[y + {row}][x + {column}] * f[{row}][{column}]; b[y][x] = s; }} }}"""
    )
    sizes = {"n": 4096}
    for one in (kernel, kernel_at(kernel, sizes)):
        found = {
            choice.array: choice.size_bytes
            for choice in shared_opportunities(SizedKernel(one, sizes), (32, 8, 1), a100)
        }
        assert found == {"a": (32 + 6) * (8 + 6) * 4, "f": 7 * 7 * 4}


def test_order_is_decreasing_benefit(gemm: Kernel, a100: Gpu) -> None:
    choices = shared_opportunities(SizedKernel(gemm, {"n": 512}), (16, 4, 1), a100)
    assert [choice.array for choice in choices] == ["a", "b"]
    assert choices[0].benefit > choices[1].benefit


def test_stencil_stages_the_tile_with_its_halo_once(stencil: Kernel, a100: Gpu) -> None:
    (choice,) = shared_opportunities(SizedKernel(stencil, {"n": 4096}), (32, 8, 1), a100)
    assert choice.size_bytes == (32 + 2) * (8 + 2) * 4
    assert choice.stagings_per_block == 1
    assert choice.reads_per_block == 5 * 32 * 8
    assert len(choice.accesses) == 5


def test_short_filter_loop_is_staged_whole(builder, loop, spec, a100: Gpu) -> None:
    # out[i] = sum over r < 9 of in[i + r] * w[r]
    kernel = builder(
        [loop("i", 4096)],
        ["i"],
        [
            spec("in", [AT_I + AT_R], [4104], ["r"]),
            spec("w", [AT_R], [9], ["r"]),
            spec("out", [AT_I], [4096], reads=False, writes=True),
        ],
        [loop("r", 9)],
    ).build()
    by_array = {choice.array: choice for choice in shared_opportunities(SizedKernel(kernel, {}), (128, 1, 1), a100)}
    assert by_array["in"].size_bytes == (128 + 8) * 4
    assert by_array["w"].size_bytes == 9 * 4
    assert by_array["w"].stagings_per_block == 1


def test_loop_outside_the_tiled_one_stages_again(builder, loop, spec, a100: Gpu) -> None:
    # for s < 10: for r < 1024: ... a[r]; only r is cut into chunks, and s runs around it.
    kernel = builder(
        [loop("i", 4096)], ["i"], [spec("a", [AT_R], [1024], ["s", "r"])], [loop("s", 10), loop("r", 1024)]
    ).build()
    (choice,) = shared_opportunities(SizedKernel(kernel, {}), (64, 1, 1), a100)
    assert (choice.size_bytes, choice.stagings_per_block) == (64 * 4, 10 * 1024 / 64)


@pytest.mark.parametrize("case", ["read once", "written", "gathered", "too large"])
def test_no_opportunity(builder, loop, spec, a100: Gpu, case: str) -> None:
    accesses = {
        "read once": [spec("a", [AT_I], [4096])],
        "written": [spec("a", [AT_R], [16], ["r"]), spec("a", [AT_I], [4096], reads=False, writes=True)],
        "gathered": [spec("a", [None], [4096], ["r"])],
        "too large": [spec("a", [AT_I * 4096 + AT_R], [None], ["r"]), spec("a", [AT_I * 4096], [None])],
    }[case]
    kernel = builder([loop("i", 4096)], ["i"], accesses, [loop("r", 16)]).build()
    assert shared_opportunities(SizedKernel(kernel, {}), (64, 1, 1), a100) == ()


def test_rows_of_one_array_that_blocks_move_differently_are_two_tiles(builder, loop, spec, a100: Gpu) -> None:
    # out[i][j] = sum over k of a[i][k] * a[j][k]
    n, at_k = 1024, Polynomial.symbol("k")
    kernel = builder(
        [loop("i", n), loop("j", n)],
        ["j", "i"],
        [
            spec("a", [AT_I, at_k], [n, n], ["k"]),
            spec("a", [AT_J, at_k], [n, n], ["k"]),
            spec("out", [AT_I, AT_J], [n, n], reads=False, writes=True),
        ],
        [loop("k", n)],
    ).build()
    (choice,) = shared_opportunities(SizedKernel(kernel, {}), (16, 8, 1), a100)
    # The two rows that a warp reads by `a[i][k]` lie in different banks with one element between them.
    assert choice.size_bytes == (16 + 8) * (16 + 1) * 4
    assert len(choice.accesses) == 2
