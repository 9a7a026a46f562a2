"""Transactions per request and the level that serves them, for kernels with a known answer and by brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import DOUBLE
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

AT_I, AT_J, AT_K, N = (Polynomial.symbol(name) for name in "ijkn")


@pytest.fixture
def a100() -> Gpu:
    return load_gpu("a100")


def costs(kernel: Kernel, block: tuple[int, int, int], gpu: Gpu, **sizes: int) -> list[AccessCost]:
    return list(kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block), gpu).costs)


def dram_bytes(kernel: Kernel, costs: list[AccessCost], threads: int, sizes: dict[str, int]) -> float:
    return sum(
        cost.dram_sectors * 32 * threads / 32 * float(facts.executions_per_thread.evaluate(sizes))
        for cost, facts in zip(costs, kernel.accesses, strict=True)
    )


def test_copy_is_coalesced_and_moves_its_footprint(copy: Kernel, a100: Gpu) -> None:
    n = 1 << 24
    read, write = costs(copy, (256, 1, 1), a100, n=n)
    assert (read.pattern, read.sectors, read.lines, read.served_by) == ("coalesced", 4, 1, "dram")
    assert dram_bytes(copy, [read, write], n, {"n": n}) == 2 * 4 * n


def test_copy_with_a_narrow_block_touches_one_sector_per_row(transpose: Kernel, a100: Gpu) -> None:
    read, write = costs(transpose, (8, 32, 1), a100, n=4096)
    assert (read.pattern, read.sectors) == ("coalesced", 4)
    assert (write.pattern, write.sectors, write.stride_bytes) == ("strided", 8, 4 * 4096)


def test_transpose_writes_32_sectors_that_l2_puts_together(transpose: Kernel, a100: Gpu) -> None:
    read, write = costs(transpose, (32, 8, 1), a100, n=8192)
    assert (read.sectors, write.sectors, write.lines) == (4, 32, 32)
    assert (write.served_by, write.l2_sectors, write.dram_sectors) == ("l2", 32, 4)
    assert dram_bytes(transpose, [read, write], 8192**2, {}) == 2 * 4 * 8192**2


def test_naive_matrix_product_is_not_costed_as_if_every_read_went_to_dram(gemm: Kernel, a100: Gpu) -> None:
    a, b, c = costs(gemm, (32, 8, 1), a100, n=1024)
    assert (a.pattern, a.sectors) == ("broadcast", 1)
    assert (b.pattern, b.sectors) == ("coalesced", 4)
    # L1: a sector of a serves 8 iterations of k, a row of b the 8 warps of the block.
    assert (a.served_by, a.l2_sectors) == ("l1", 1 / 8)
    assert (b.served_by, b.l2_sectors) == ("l1", 4 / 8)
    # L2 holds all three matrices (12 MB): each comes from DRAM once.
    assert dram_bytes(gemm, [a, b, c], 1024**2, {"n": 1024}) == pytest.approx(3 * 4 * 1024**2)


def test_matrix_product_beyond_l2_reads_what_does_not_stay_again_in_every_wave(gemm: Kernel, a100: Gpu) -> None:
    n = 16384
    a, b, _ = costs(gemm, (32, 32, 1), a100, n=n)
    # 2 blocks of 1024 threads on 108 SMs: 216 of the 512 blocks of a row. Of the wave's slices of a, of b and of c L2
    # has room for a tenth.
    waves, number_bytes = 512 * 512 / 216, 4
    wave_bytes = (32 * n + 216 * 32 * n + 216 * 32 * 32) * number_bytes
    kept = a100.l2.size_bytes / wave_bytes
    assert 0.09 < kept < 0.1
    reads, once_bytes = n**3 / 32, n * n * number_bytes
    for cost, wave_reads_bytes in ((a, 32 * n * number_bytes), (b, 216 * 32 * n * number_bytes)):
        expected = kept * once_bytes + (1 - kept) * waves * wave_reads_bytes
        assert cost.dram_sectors * reads * 32 == pytest.approx(expected)


def test_without_l1_every_request_goes_to_l2(gemm: Kernel) -> None:
    a, b, _ = costs(gemm, (32, 8, 1), load_gpu("gtx460"), n=1024)
    assert (a.l2_sectors, b.l2_sectors) == (1, 4)


def test_stencil_rows_are_read_from_dram_once(stencil: Kernel, a100: Gpu) -> None:
    n = 4096
    *reads, write = costs(stencil, (32, 8, 1), a100, n=n)
    assert [read.sectors for read in reads] == [5, 5, 5, 4, 5]
    assert {read.pattern for read in reads} == {"misaligned", "coalesced"}
    assert all(read.served_by == "l1" for read in reads)
    threads = (n - 2) ** 2
    assert sum(read.dram_sectors for read in reads) * threads == pytest.approx(n * n * 4, rel=0.01)
    assert write.dram_sectors * threads == pytest.approx(n * n * 4, rel=0.01)


def test_a_small_array_stays_in_l2_over_the_launches(builder, loop, spec, a100: Gpu) -> None:
    steps = loop("t", Formula.parameter("steps"))
    kernel = builder(
        [loop("i", Formula.parameter("n"))],
        ["i"],
        [spec("a", [AT_I], [N]), spec("b", [AT_I], [N], reads=False, writes=True)],
        serial=[steps],
    ).build()
    once = costs(kernel, (256, 1, 1), a100, n=1 << 20, steps=1)
    often = costs(kernel, (256, 1, 1), a100, n=1 << 20, steps=100)
    assert [c.dram_sectors for c in often] == pytest.approx([c.dram_sectors / 100 for c in once])
    assert {c.served_by for c in often} == {"l2"}


def test_gathered_access_is_one_sector_per_thread(builder, loop, spec, a100: Gpu) -> None:
    kernel = builder([loop("i", 1 << 20)], ["i"], [spec("x", [None], [None]), spec("y", [AT_I], [None])]).build()
    gathered, streamed = costs(kernel, (128, 1, 1), a100)
    assert (gathered.pattern, gathered.sectors, gathered.lines, gathered.stride_bytes) == ("gathered", 32, 32, None)
    assert gathered.served_by == "dram"
    assert streamed.pattern == "coalesced"


def test_loads_outside_a_large_loop_share_their_sectors(builder, loop, spec, a100: Gpu) -> None:
    # row[i] and row[i + 1] around a loop that gathers: the second finds the first one's sectors.
    kernel = builder(
        [loop("i", 1 << 20)],
        ["i"],
        [spec("row", [AT_I], [None]), spec("row", [AT_I + 1], [None]), spec("x", [None], [None], ["k"])],
        [loop("k", 1 << 12)],
    ).build()
    first, second, _ = costs(kernel, (128, 1, 1), a100)
    assert (first.sectors, second.sectors) == (4, 5)
    assert first.dram_sectors + second.dram_sectors == pytest.approx(4, rel=0.05)


def test_private_and_shared_accesses(builder, loop, spec, gemm: Kernel, a100: Gpu) -> None:
    private = builder([loop("i", 64)], ["i"], [spec("t", [AT_K], [8], is_private=True)]).build()
    assert costs(private, (64, 1, 1), a100)[0].served_by == "register"
    block = (16, 16, 1)
    staged = shared_opportunities(SizedKernel(gemm, {"n": 1024}), block, a100)
    a, b, c = kernel_on_gpu(SizedKernel(gemm, {"n": 1024}), LaunchConfig(block, staged), a100).costs
    assert (a.served_by, b.served_by, c.served_by) == ("shared", "shared", "dram")
    assert (a.conflict_degree, b.conflict_degree, a.dram_sectors) == (1, 1, 0)


def test_tile_read_along_its_columns_conflicts(builder, loop, spec, a100: Gpu) -> None:
    # c[i][j] = sum over k of a[j][k]: 32 threads along j read a column of a 32-wide tile.
    kernel = builder(
        [loop("i", 512), loop("j", 512)],
        ["j", "i"],
        [spec("a", [AT_J, AT_K], [512, 512], ["k"]), spec("c", [AT_I, AT_J], [512, 512], reads=False, writes=True)],
        [loop("k", 512)],
    ).build()
    block = (32, 8, 1)
    (padded,) = shared_opportunities(SizedKernel(kernel, {}), block, a100)
    tile_read, _ = kernel_on_gpu(SizedKernel(kernel, {}), LaunchConfig(block, (padded,)), a100).costs
    assert (padded.size_bytes, padded.moved_bytes, tile_read.conflict_degree) == (32 * 33 * 4, 32 * 32 * 4, 1)
    unpadded = replace(padded, size_bytes=32 * 32 * 4, pad_elements=0, pad_bytes=0)
    tile_read, _ = kernel_on_gpu(SizedKernel(kernel, {}), LaunchConfig(block, (unpadded,)), a100).costs
    # Each reads four elements of its row at once, eight threads at a time.
    assert tile_read.conflict_degree == 8


def test_members_and_doubles(builder, loop, spec, a100: Gpu) -> None:
    kernel = builder(
        [loop("i", 4096)],
        ["i"],
        [spec("p", [AT_I], [4096], element_bytes=16, offset_bytes=4), spec("d", [AT_I], [4096], type=DOUBLE)],
    ).build()
    member, double = costs(kernel, (64, 1, 1), a100)
    assert (member.sectors, member.ideal_sectors, member.pattern) == (16, 4, "strided")
    assert (double.sectors, double.pattern) == (8, "coalesced")


@pytest.mark.parametrize("trips", [0, 1, 2**62])
def test_extreme_trip_counts(builder, loop, spec, a100: Gpu, trips: int) -> None:
    kernel = builder(
        [loop("i", trips), loop("j", trips, start=2**63)],
        ["j", "i"],
        [spec("a", [AT_I, AT_J], [Polynomial.constant(2**63), Polynomial.constant(2**63)])],
    ).build()
    cost = costs(kernel, (32, 4, 1), a100)[0]
    assert 0 <= cost.dram_sectors <= cost.l2_sectors <= cost.sectors <= 32


def _brute(
    start: int, slopes: dict[str, int], blocks: dict[str, int], block: tuple[int, int, int], depth: int
) -> float:
    """Average number of sectors of a request over all warps of the grid and all iterations of k."""
    counts: list[int] = []
    for thread_block in np.ndindex(blocks["i"], blocks["j"]):
        thread = np.arange(block[0] * block[1])
        j = thread_block[1] * block[0] + thread % block[0]
        i = thread_block[0] * block[1] + thread // block[0]
        for k in range(depth):
            address = 4 * (start + slopes["i"] * i + slopes["j"] * j + slopes["k"] * k)
            counts.extend(len(set((address[at : at + 32] // 32).tolist())) for at in range(0, len(thread), 32))
    return float(np.mean(counts))


@given(
    slopes=st.tuples(*(st.integers(-40, 40) for _ in range(3))),
    start=st.integers(0, 100),
    block=st.sampled_from(
        [(32, 1, 1), (64, 2, 1), (16, 4, 1), (8, 8, 1), (24, 3, 1), (5, 13, 1), (48, 1, 1), (1, 32, 1), (96, 1, 1)]
    ),
    blocks=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    depth=st.integers(1, 5),
)
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sectors_equal_brute_force(builder, loop, spec, slopes, start, block, blocks, depth) -> None:
    by_name = dict(zip("ijk", slopes, strict=True))
    index = Polynomial.constant(start)
    for name, slope in by_name.items():
        index = index + Polynomial.symbol(name) * slope
    kernel = builder(
        [loop("i", blocks[1] * block[1]), loop("j", blocks[0] * block[0])],
        ["j", "i"],
        [spec("a", [index], [None], ["k"])],
        [loop("k", depth)],
    ).build()
    expected = _brute(start, by_name, {"i": blocks[1], "j": blocks[0]}, block, depth)
    assert costs(kernel, block, load_gpu("a100"))[0].sectors == pytest.approx(expected)
