"""Rows that a table leads to: what is predicted of a warp's request against the request counted over random tables."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of, only_kernel
from support.examples import examples
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import load_gpu

_TYPES = {"unsigned char": 1, "short": 2, "float": 4, "double": 8}
_N = 1 << 14
_WARP, _SECTOR_BYTES, _LINE_BYTES = 32, 32, 128


@cache
def _kernel(element: str, stride: int, by_delay: bool) -> Kernel:
    """`x[row[i] + stride*j]`, or the same in a sum over k with a table entry of its own each time."""
    inside = f"y[i * n + j] = x[row[i] + {stride} * j];"
    if by_delay:
        inside = f"float s = 0; for (int k = 0; k < n; k++) s += x[(int)t[i * n + k] + {stride} * j]; y[i * n + j] = s;"
    source = f"""void f(int n, const int *restrict row, const float *restrict t, const {element} *restrict x,
 float *restrict y) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {inside} }} }}"""
    kernel = only_kernel(source)
    assert [loop.iterator for loop in kernel.grid if loop.loop == kernel.thread_order[0]] == ["j"]
    return kernel


def _counted(
    element_bytes: int, stride: int, block: tuple[int, int], granule_bytes: int, random: np.random.Generator
) -> float:
    """Granules of a warp's request, averaged over the block's warps and over tables that hold each alignment once."""
    x, y = block
    alignments = _LINE_BYTES // element_bytes
    # Rows in unrelated lines, each of which starts everywhere in its line once, in an order of its own.
    starts = np.stack([random.permutation(alignments) for _ in range(y)])
    lines = random.permutation(y) * 2**20
    counts = []
    for thread in range(0, x * y, _WARP):
        ids = np.arange(thread, min(thread + _WARP, x * y))
        first = lines[ids // x, None] * _LINE_BYTES + (starts[ids // x] + stride * (ids % x)[:, None]) * element_bytes
        for addresses in first.T:
            touched = {address // granule_bytes for address in (*addresses, *(addresses + element_bytes - 1))}
            counts.append(len(touched))
    return float(np.mean(counts))


@pytest.mark.parametrize("by_delay", [False, True], ids=["rows", "delays"])
@settings(max_examples=examples(30))
@given(
    element=st.sampled_from(sorted(_TYPES)),
    stride=st.sampled_from([1, 2, 3, -1]),
    block=st.sampled_from([(32, 1), (256, 1), (16, 2), (8, 8), (24, 4), (1, 64), (40, 2), (33, 1)]),
    seed=st.integers(0, 2**32 - 1),
)
def test_requests_are_those_counted_over_tables(
    by_delay: bool, element: str, stride: int, block: tuple[int, int], seed: int
) -> None:
    kernel = _kernel(element, stride, by_delay)
    sizes = {"n": _N, "elements of x": 2**31}
    costs = kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig((*block, 1)), load_gpu("a100")).costs
    cost = next(cost for facts, cost in zip(kernel.accesses, costs, strict=True) if facts.access.array == "x")
    random = np.random.default_rng(seed)
    for predicted, granule_bytes in ((cost.sectors, _SECTOR_BYTES), (cost.lines, _LINE_BYTES)):
        counted = _counted(_TYPES[element], stride, block, granule_bytes, random)
        assert predicted == pytest.approx(counted, rel=1e-9)


@cache
def _line(element: str) -> NestFacts:
    return facts_of(
        f"""void f(int n, int m, int pitch, const float *restrict t, const {element} *restrict x, float *restrict y) {{
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ float s = 0;
 for (int k = 0; k < m; k++) s += x[k * pitch + j + (int)(i * t[k])]; y[i * n + j] = s; }} }}"""
    )


@settings(max_examples=examples(30))
@given(
    element=st.sampled_from(sorted(_TYPES)),
    room=st.integers(1, 40 * (_N - 1)),
    share=st.floats(0, 1),
    block=st.sampled_from([(1, 64), (2, 32), (16, 2), (8, 8), (32, 1)]),
)
def test_delays_that_grow_evenly_touch_no_more_than_the_most_that_their_row_has_room_for(
    element: str, room: int, share: float, block: tuple[int, int]
) -> None:
    facts, size = _line(element), _TYPES[element]
    sizes = extend_sizes({"n": _N, "m": 128, "pitch": _N + room, "elements of x": 2**31}, facts.nest)
    (kernel,) = facts.kernels
    costs = kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig((*block, 1)), load_gpu("a100")).costs
    cost = next(cost for facts, cost in zip(kernel.accesses, costs, strict=True) if facts.access.array == "x")
    delay = share * room / (_N - 1)
    touched = []
    for thread in range(0, block[0] * block[1], _WARP):
        ids = np.arange(thread, thread + _WARP)
        elements = ids % block[0] + np.floor(delay * (ids // block[0])).astype(int)
        touched += [len(set((elements * size + shift) // _SECTOR_BYTES)) for shift in range(0, _LINE_BYTES, size)]
    assert np.mean(touched) <= cost.sectors + 1e-9
