"""Several outputs per thread: what is requested equals what emulated threads load, and no work is lost or invented."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import only_kernel
from support.examples import examples
from support.one_launch.placement import place_threads
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Instruction, Variation
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.resios.resios import predict
from warplens.analysis.simulation.executions import executions
from warplens.analysis.simulation.grid import grid
from warplens.hwprofiles.loader import load_gpu

Element = tuple[object, ...]

FLOATS = "void f(int n, const float *restrict a, const float *restrict b, float *restrict c)"
LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
PRODUCT = f"{FLOATS} {{ {LOOPS} {{ float s = 0; for (int k = 0; k < 7; k++) s += A * b[k*n+j]; c[i*n+j] = s; }} }}"
FIVE_POINTS = "five points"
CONDITION = "condition along rows"

SOURCES = {
    "product of a transposed matrix": PRODUCT.replace("A", "a[k*n+i]"),
    "matrix product": PRODUCT.replace("A", "a[i*n+k]"),
    FIVE_POINTS: f"{FLOATS} {{ {LOOPS} c[i*n+j] = a[(i+1)*(n+2)+j] + a[(i+1)*(n+2)+j+1] + a[(i+1)*(n+2)+j+2]"
    " + a[i*(n+2)+j+1] + a[(i+2)*(n+2)+j+1]; }",
    "convolution": f"{FLOATS} {{ {LOOPS} {{ float s = 0; for (int u = 0; u < 3; u++) for (int v = 0; v < 3; v++)"
    " s += a[(i+u)*(n+2)+j+v] * b[u*3+v]; c[i*n+j] = s; } }",
    "sum of a row and a column": f"{FLOATS} {{ {LOOPS} c[i*n+j] = a[i] + b[j]; }}",
    CONDITION: f"{FLOATS} {{ {LOOPS} {{ float s = b[j]; if (a[i] > 0) s = a[i + n]; c[i*n+j] = s; }} }}",
}

LOADS: dict[str, Callable[[int, int], list[list[Element]]]] = {
    "product of a transposed matrix": lambda i, j: [[("a", k, i), ("b", k, j)] for k in range(7)],
    "matrix product": lambda i, j: [[("a", i, k), ("b", k, j)] for k in range(7)],
    FIVE_POINTS: lambda i, j: [[("a", i + u, j + v) for u, v in ((1, 0), (1, 1), (1, 2), (0, 1), (2, 1))]],
    "convolution": lambda i, j: [
        [(*kind, v) for u in range(3) for kind in (("a", i + u, j), ("b", u))] for v in range(3)
    ],
    "sum of a row and a column": lambda i, j: [[("a", i), ("b", j)]],
}
"""For iteration (i, j): what each pass through innermost code loads, one list per pass.

The convolution is unrolled whole: a pass has all rows of one column of the filter, as outputs are neighbours along i.
"""

small = st.sampled_from([1, 2, 3, 4])


@cache
def kernel_of(name: str) -> Kernel:
    return only_kernel(SOURCES[name])


@cache
def gpu() -> Gpu:
    return load_gpu("a100")


def iterations_of_thread(x: int, y: int, block: tuple[int, int], outputs: tuple[int, int]) -> list[tuple[int, int]]:
    """Pairs (i, j) of the thread (x, y) of the grid: a block apart along j, side by side along i."""
    columns = [x // block[0] * block[0] * outputs[0] + x % block[0] + f * block[0] for f in range(outputs[0])]
    rows = [y * outputs[1] + f for f in range(outputs[1])]
    return list(product(rows, columns))


def is_load(instruction: Instruction) -> bool:
    return instruction.op == "load"


@given(name=st.sampled_from(list(LOADS)), block=st.tuples(small, small), outputs=st.tuples(small, small), tiles=small)
@settings(max_examples=examples(60))
def test_a_thread_loads_each_element_once_per_pass(
    name: str, block: tuple[int, int], outputs: tuple[int, int], tiles: int
) -> None:
    """Emulated: a thread runs its outputs pass by pass and keeps in registers what it loaded in the pass."""
    if name == FIVE_POINTS:
        block = (4, block[1])  # a thread's outputs along j do not meet: they are at least 3 elements apart
    n = block[0] * outputs[0] * block[1] * outputs[1] * tiles
    kernel = kernel_of(name)
    mine = iterations_of_thread(0, 0, block, outputs)
    passes = zip(*(LOADS[name](i, j) for i, j in mine), strict=True)
    emulated = sum(len({element for each in together for element in each}) for together in passes)
    launch = LaunchConfig((*block, 1), (), (*outputs, 1))
    shape = grid(kernel, launch, {"n": n}, 32)
    counted = sum(
        times * shape.copies_per_thread(instruction.variation)
        for part, times in executions(kernel.program, {"n": n}, per_warp=False)
        for instruction in part.instructions
        if is_load(instruction)
    )
    assert round(counted, 9) == emulated
    placed = place_threads(kernel, launch.block, {"n": n}, launch.outputs_per_thread)
    for part, _ in executions(kernel.program, {"n": n}):
        for instruction in part.instructions:
            assert placed.full_copies(instruction.variation) == shape.copies_per_warp(instruction.variation)


@given(
    name=st.sampled_from(list(SOURCES)),
    n=st.integers(1, 40),
    block=st.tuples(st.integers(1, 16), st.integers(1, 8)),
    outputs=st.tuples(st.integers(1, 8), st.integers(1, 8)),
)
@settings(max_examples=examples(80))
def test_every_iteration_runs_once_and_warps_run_as_many_outputs_as_their_threads(
    name: str, n: int, block: tuple[int, int], outputs: tuple[int, int]
) -> None:
    kernel = kernel_of(name)
    launch = LaunchConfig((*block, 1), (), (*outputs, 1))
    shape = grid(kernel, launch, {"n": n}, 32)
    everywhere = Variation(frozenset(kernel.thread_order))
    threads = {
        (x, y)
        for x, y in product(range(-(-n // (block[0] * outputs[0])) * block[0]), range(-(-n // outputs[1])))
        if any(i < n and j < n for i, j in iterations_of_thread(x, y, block, outputs))
    }
    assert shape.threads == len(threads)
    assert round(shape.threads * shape.copies_per_thread(everywhere)) == n * n
    of_warps = {
        (x // block[0], y // block[1], (x % block[0] + block[0] * (y % block[1])) // 32, output)
        for x, y in threads
        for output, (i, j) in enumerate(iterations_of_thread(x, y, block, outputs))
        if i < n and j < n
    }
    # Of a few blocks that are cut off the mean warps times the mean outputs are not the mean of both together.
    run = shape.warps * shape.copies_per_warp(everywhere)
    assert len(of_warps) / 2 <= run <= len(of_warps) * 1.6
    if all(n % (size * each) == 0 for size, each in zip(block, outputs, strict=True)) or outputs == (1, 1):
        assert round(run, 6) == len(of_warps)


@given(
    name=st.sampled_from(list(SOURCES)),
    n=st.integers(1, 300),
    block=st.sampled_from([(32, 8, 1), (16, 16, 1), (8, 8, 1), (64, 2, 1)]),
    outputs=st.tuples(st.sampled_from([1, 2, 3, 8]), st.sampled_from([1, 2, 5, 8]), st.just(1)),
)
@settings(max_examples=examples(60))
def test_flops_do_not_depend_on_outputs_and_bytes_only_shrink(
    name: str, n: int, block: tuple[int, int, int], outputs: tuple[int, int, int]
) -> None:
    one = predict(SizedKernel(kernel_of(name), {"n": n}), LaunchConfig(block), gpu())
    several = predict(SizedKernel(kernel_of(name), {"n": n}), LaunchConfig(block, (), outputs), gpu())
    assert abs(several.flops - one.flops) <= 1e-9 * one.flops
    assert 4 * n * n * (1 - 1e-9) <= several.useful_bytes <= one.useful_bytes * (1 + 1e-9)
    assert several.time_s > 0
    assert abs(sum(seconds for _, seconds in several.breakdown_s) - several.time_s) <= 1e-9 * several.time_s


@given(
    power=st.integers(9, 12),
    block=st.sampled_from([(32, 8, 1), (16, 16, 1), (64, 2, 1)]),
    outputs=st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8]), st.just(1)),
)
@settings(max_examples=examples(40))
def test_what_is_used_once_comes_from_memory_once_whatever_the_outputs(
    power: int, block: tuple[int, int, int], outputs: tuple[int, int, int]
) -> None:
    """The sum of a row and a column writes n x n floats: all of their sectors go to DRAM, for any launch."""
    n, kernel = 2**power, kernel_of("sum of a row and a column")
    launch = LaunchConfig(block, (), outputs)
    stored = kernel_on_gpu(SizedKernel(kernel, {"n": n}), launch, gpu()).costs[-1]
    requests = grid(kernel, launch, {"n": n}, 32).warps * prod(outputs)
    assert abs(requests * stored.dram_sectors * 32 - n * n * 4) <= 1e-6 * n * n * 4
