"""Sliding windows: what a thread with several outputs loads equals the different elements that its outputs read."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import only_kernel
from support.examples import examples
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Instruction, blocks
from warplens.analysis.workload.kernels.work_per_thread import times_run

SIGNATURE = "void f(int n, const float *restrict a, float *restrict c)"
step = st.integers(-6, 6).filter(bool)


def only_load(kernel: Kernel) -> Instruction:
    (load,) = (i for block, _ in blocks(kernel.program) for i in block.instructions if i.op == "load")
    return load


@given(
    along=step, inside=step, trips=st.integers(1, 12), outputs=st.integers(1, 10), pitch=st.sampled_from(["n", "4110"])
)
@settings(max_examples=examples(60))
def test_loads_of_a_window_are_its_different_elements(
    along: int, inside: int, trips: int, outputs: int, pitch: str
) -> None:
    kernel = only_kernel(
        f"{SIGNATURE} {{ for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {{ float s = 0;"
        f" for (int i = 0; i < {trips}; i++) s += a[({along} * y + {inside} * i) * {pitch} + x];"
        f" c[y * n + x] = s; }} }}"
    )
    load = only_load(kernel)
    read = {along * output + inside * iteration for output in range(outputs) for iteration in range(trips)}
    assert round(trips * times_run(load.variation, kernel.thread_order, (1.0, float(outputs)), 1.0), 9) == len(read)


@given(
    trips=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    outputs=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    apart=st.integers(1, 3),
)
@settings(max_examples=examples(40))
def test_windows_along_two_axes_multiply(trips: tuple[int, int], outputs: tuple[int, int], apart: int) -> None:
    kernel = only_kernel(
        f"{SIGNATURE} {{ for (int z = 0; z < n; z++) for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {{"
        f" float s = 0; for (int k = 0; k < {trips[1]}; k++) for (int j = 0; j < {trips[0]}; j++)"
        f" s += a[(z + {apart} * k) * n * n + (y + j) * n + x]; c[z * n * n + y * n + x] = s; }} }}"
    )
    load = only_load(kernel)
    read = {
        (z + apart * k, y + j)
        for z, y, k, j in product(range(outputs[1]), range(outputs[0]), range(trips[1]), range(trips[0]))
    }
    loads = trips[0] * trips[1] * times_run(load.variation, kernel.thread_order, (1.0, *map(float, outputs)), 1.0)
    assert round(loads, 9) == len(read)
