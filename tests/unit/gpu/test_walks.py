"""Accesses as walks through arrays: what a group of them touches, and which loops are windows."""

import numpy as np
import pytest
from support.c_nests.parsed import only_kernel
from support.one_launch.warp_requests import alignments, warp_request
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.caches.reuse import group_granules
from warplens.analysis.gpu.placement.walk import WalkGroup, group_walks, thread_loop_trips, walks_of, windows_of
from warplens.hwprofiles.loader import load_gpu


def group_of(kernel: Kernel, array: str) -> WalkGroup:
    sizes = {"n": 10**6}
    groups = group_walks(walks_of(kernel, thread_loop_trips(kernel, sizes), sizes))
    return next(group for group in groups if group.walks[0].facts.access.array == array)


def test_no_more_is_touched_than_the_array_has() -> None:
    kernel = only_kernel("float b[64]; void f(int n, float *restrict c) { for (int i = 0; i < n; i++) c[i] = b[i]; }")
    touched = group_granules(group_of(kernel, "b"), {kernel.thread_order[0]: 1e6}, 32)
    assert touched == 64 * 4 / 32


def test_members_of_a_structure_lie_beside_each_other() -> None:
    kernel = only_kernel(
        "struct pair { float x, y; }; void f(int n, const struct pair *restrict p, float *restrict c) {"
        " for (int i = 0; i < n; i++) c[i] = p[i].x * p[i].y; }"
    )
    assert group_of(kernel, "p").span_bytes == 8


@pytest.mark.parametrize(("trips", "windows"), [("15", 1), ("1000", 0), ("n", 0)])
def test_windows_are_the_loops_that_are_unrolled_whole(trips: str, windows: int) -> None:
    kernel = only_kernel(
        "void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) { float s = 0;"
        f" for (int j = 0; j < {trips}; j++) s += a[i + j]; c[i] = s; }} }}"
    )
    assert len(windows_of(kernel)) == windows


def test_an_element_across_two_sectors_touches_both() -> None:
    one = np.array([[28]], dtype=np.int64)
    request = warp_request(one, np.array([[True]]), 8, load_gpu("a100").l1, alignments((), 128, 4))
    assert (request.sectors, request.lines) == (2, 1)
