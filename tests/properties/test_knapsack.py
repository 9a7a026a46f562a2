"""The exact choice of what to stage equals trying all subsets; the greedy one never beats it."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.gpu.launch import SharedChoice
from warplens.analysis.gpu.shared_memory import choose_greedily, choose_shared

_CHOICES = st.lists(
    st.builds(
        lambda size, saved: SharedChoice("a", (), size, float(saved), saved / size, float(saved)),
        st.integers(1, 50_000),
        st.integers(1, 10**6),
    ),
    max_size=8,
)


@given(choices=_CHOICES, capacity=st.integers(0, 60_000))
def test_choice_equals_brute_force(choices: list[SharedChoice], capacity: int) -> None:
    chosen = choose_shared(choices, capacity)
    best = max(
        sum(choice.saved_bytes for choice in subset)
        for length in range(len(choices) + 1)
        for subset in combinations(choices, length)
        if sum(choice.size_bytes for choice in subset) <= capacity
    )
    assert sum(choice.saved_bytes for choice in chosen) == best
    assert sum(choice.size_bytes for choice in chosen) <= capacity


@given(choices=_CHOICES, capacity=st.integers(0, 60_000))
def test_greedy_fits_and_is_not_better(choices: list[SharedChoice], capacity: int) -> None:
    ordered = sorted(choices, key=lambda choice: -choice.benefit)
    greedy = choose_greedily(ordered, capacity)
    assert sum(choice.size_bytes for choice in greedy) <= capacity
    exact = choose_shared(choices, capacity)
    assert sum(c.saved_bytes for c in greedy) <= sum(c.saved_bytes for c in exact)


def test_greedy_can_lose() -> None:
    dense = SharedChoice("a", (), 10, 100.0, 10.0, 100.0)
    large = SharedChoice("b", (), 100, 900.0, 9.0, 900.0)
    assert choose_greedily([dense, large], 100) == (dense,)
    assert choose_shared([dense, large], 100) == (large,)
