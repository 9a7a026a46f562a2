"""Bank conflicts: gcd(32, s) words in a bank for a stride of s words, and counting them one by one."""

from collections import defaultdict
from math import gcd

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.one_launch.bank_conflicts import conflict_degree
from warplens.analysis.gpu.machine.gpu import SharedMemory

_SHARED = SharedMemory(32, 4, 23.0, 128.0)


@given(stride=st.integers(1, 500), start=st.integers(0, 1000))
def test_stride_gives_gcd_words_in_a_bank(stride: int, start: int) -> None:
    addresses = 4 * (start + stride * np.arange(32, dtype=np.int64))
    assert conflict_degree(addresses, 4, _SHARED) == gcd(32, stride)


@given(words=st.lists(st.integers(0, 4095), min_size=1, max_size=32))
def test_any_words_equal_brute_force(words: list[int]) -> None:
    banks: dict[int, set[int]] = defaultdict(set)
    for word in words:
        banks[word % 32].add(word)
    addresses = np.array(words, dtype=np.int64) * 4
    assert conflict_degree(addresses, 4, _SHARED) == max(len(different) for different in banks.values())


@given(elements=st.lists(st.integers(0, 2047), min_size=1, max_size=32))
def test_8_byte_elements_run_as_half_warps(elements: list[int]) -> None:
    worst = 1
    for half in (elements[:16], elements[16:]):
        banks: dict[int, set[int]] = defaultdict(set)
        for element in half:
            for word in (2 * element, 2 * element + 1):
                banks[word % 32].add(word)
        worst = max(worst, *(len(different) for different in banks.values()), 1)
    addresses = np.array(elements, dtype=np.int64) * 8
    assert conflict_degree(addresses, 8, _SHARED) == worst
