"""Loops in a thread that start where the thread is: transactions and tiles equal those of the threads one by one."""

from dataclasses import replace
from functools import cache
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from support.c_nests.parsed import only_kernel
from support.one_launch.shared_region import shared_regions
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

_ROWS = 256
_STEPS = 32


@cache
def _gpu() -> Gpu:
    return load_gpu("a100")


def _band(slope: int, offset: int, step: int, row: int, column: int) -> Kernel:
    """`y[i] += x[row * i + column * k]` for k from slope * i + offset."""
    return only_kernel(
        "void f(const float *restrict x, float *restrict y) {"
        f" for (int i = 0; i < {_ROWS}; i++) {{ float s = 0;"
        f" for (int k = {slope} * i + {offset}; k < {slope} * i + {offset + step * _STEPS}; k += {step})"
        f" s += x[{row} * i + {column} * k]; y[i] = s; }} }}"
    )


@given(
    slope=st.integers(0, 5),
    offset=st.integers(0, 40),
    step=st.integers(1, 4),
    row=st.integers(0, 40),
    column=st.integers(1, 9),
    threads=st.sampled_from([32, 64, 128]),
)
def test_sectors_of_a_band_are_those_of_its_threads(
    slope: int, offset: int, step: int, row: int, column: int, threads: int
) -> None:
    kernel = _band(slope, offset, step, row, column)
    cost = kernel_on_gpu(SizedKernel(kernel, {}), LaunchConfig((threads, 1, 1)), _gpu()).costs[0]
    counts = []
    for warp, t in product(range(_ROWS // 32), range(_STEPS)):
        rows = range(32 * warp, 32 * warp + 32)
        addresses = [4 * (row * i + column * (slope * i + offset + step * t)) for i in rows]
        counts.append(len({address // 32 for address in addresses}))
    assert abs(cost.sectors - sum(counts) / len(counts)) < 1e-9
    assert cost.stride_bytes == 4 * (row + column * slope)


@given(slope=st.integers(0, 4), step=st.integers(1, 3), row=st.integers(0, 3), column=st.integers(1, 3))
def test_tile_of_a_band_holds_what_its_threads_read(slope: int, step: int, row: int, column: int) -> None:
    kernel = _band(slope, 0, step, row, column)
    if slope:  # its threads run the loop apart: none of them may wait there for the others, so it has no tile
        assert not shared_regions(kernel, (64, 1, 1), {})
    (region,) = shared_regions(replace(kernel, apart=frozenset()), (64, 1, 1), {})
    touched = [row * i + column * (slope * i + step * t) for i, t in product(range(64), range(_STEPS))]
    assert region.elements == max(touched) - min(touched) + 1


def test_grid_of_a_triangle_has_its_diagonal_in_rows() -> None:
    # for each i, j = i + t: the neighbour in i is one row and one element further.
    kernel = only_kernel(
        "void f(float *a) { for (int i = 0; i < 512; i++) for (int j = i; j < 512; j++) a[i * 512 + j] = 1; }"
    )
    cost = kernel_on_gpu(SizedKernel(kernel, {}), LaunchConfig((16, 2, 1)), _gpu()).costs[0]
    counts = []
    for i, first in product(range(0, 512, 2), range(0, 256, 16)):
        addresses = [4 * (row * 512 + row + first + x) for row in (i, i + 1) for x in range(16)]
        counts.append(len({address // 32 for address in addresses}))
    assert abs(cost.sectors - sum(counts) / len(counts)) < 1e-9
