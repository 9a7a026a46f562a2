"""*Carried* against all sizes one by one: each that makes the loop long has a conflict, or the verdict is another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.iteration_order.labels import judged

LONG = 14
"""More iterations than any shift between the subscripts drawn below needs."""
SIZES = tuple((n, m) for n in (-30, 4, 16, 17, 30, 31) for m in (-80, -33, *range(-6, 7), 16, 17, 29, 33, 80))


@dataclass(frozen=True, slots=True)
class OneLoop:
    """`for (i = start; i < end; i++) a[target] = a[value]`, in C, which Python reads alike but for choices."""

    start: str
    end: str
    target: str
    value: str

    @property
    def source(self) -> str:
        loop = f"for (int i = {self.start}; i < {self.end}; i++) a[{self.target}] = a[{self.value}];"
        return f"void f(int n, int m, double *a) {{ {loop} }}"

    def meets(self, n: int, m: int) -> bool:
        """Whether two different iterations touch one element that one of them writes."""
        written, touched = defaultdict(set), defaultdict(set)
        names = {"n": n, "m": m}
        for i in range(eval(self.start, names), eval(self.end, names)):
            for text, into in ((self.target, (written, touched)), (self.value, (touched,))):
                for kept in into:
                    kept[_value(text, {**names, "i": i})].add(i)
        return any(len(touched[element]) > 1 for element in written)

    def trips(self, n: int, m: int) -> int:
        """Iterations for the sizes."""
        names = {"n": n, "m": m}
        return max(eval(self.end, names) - eval(self.start, names), 0)


def _value(text: str, names: dict[str, int]) -> int:
    if "?" not in text:
        return int(eval(text, names))
    condition, _, choices = text.partition(" ? ")
    then, _, otherwise = choices.partition(" : ")
    return int(eval(then if eval(condition, names) else otherwise, names))


def subscripts() -> st.SearchStrategy[str]:
    shift = st.integers(-4, 4)
    shifted = st.builds(
        "{} + {}".format, st.sampled_from(("i", "2 * i", "i + m", "m", "n - i", "0", "n", "m - i")), shift
    )
    return st.one_of(shifted, shifted, st.builds("i < m ? i + {} : {}".format, shift, st.sampled_from(("m", "0", "i"))))


loops = st.builds(
    OneLoop,
    st.sampled_from(("0", "0", "1", "m")),
    st.sampled_from(("n", "n", "n - 2", "m", "n + m")),
    subscripts(),
    subscripts(),
)


@settings(max_examples=examples(100))
@given(loops)
def test_a_carried_loop_meets_for_all_sizes_that_make_it_long(loop: OneLoop) -> None:
    nests = list(judged(loop.source))
    if not nests:
        return
    (verdict,) = nests[0].verdicts
    outcomes = {loop.meets(n, m) for n, m in SIZES if loop.trips(n, m) > LONG}
    assert verdict.kind != "carried" or outcomes <= {True}
    assert verdict.kind != "parallel" or outcomes <= {False}


def test_a_shift_by_ten_is_carried_and_a_clamped_subscript_is_not() -> None:
    shift, clamped = OneLoop("10", "n", "i", "i - 10"), OneLoop("0", "n", "i < m ? i : m", "n + 1 + i")
    (far,), (kept,) = (judged(loop.source)[0].verdicts for loop in (shift, clamped))
    assert not shift.meets(20, 0)
    assert far.kind == "carried"
    assert {clamped.meets(20, 19), clamped.meets(20, 3)} == {False, True}
    assert kept.kind == "unknown"
    assert "whether two iterations meet in `a` depends on" in kept.reason


def test_an_element_that_the_loop_may_not_write_carries_for_some_sizes_only() -> None:
    loop = OneLoop("m", "n", "i", "0")
    (verdict,) = judged(loop.source)[0].verdicts
    assert {loop.meets(40, 0), loop.meets(40, 1)} == {True, False}
    assert verdict.kind == "unknown"
