"""Subscripts of packed triangles: loops called parallel have no two iterations with one element, size by size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import only_nest
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.subscripts.whole_quotients import WholeQuotient, is_whole, without_division
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.polynomial import Polynomial

SIZES = [dict(zip("nm", values, strict=True)) for values in product((-1, 0, 1, 2, 5, 6), (0, 2, 3, 7))]


@dataclass(frozen=True)
class Nest:
    """Loops `name, first, last, step` and subscripts of `t` that are written in the innermost one."""

    loops: tuple[tuple[str, str, str, int], ...]
    subscripts: tuple[str, ...]
    before: str = ""

    @property
    def verdict(self) -> LoopVerdict:
        heads = " ".join(
            f"for (long {name} = {first}; {name} {'<=' if step > 0 else '>='} {last}; {name} += {step})"
            for name, first, last, step in self.loops
        )
        writes = " ".join(f"t[{text}] = {self.loops[0][0]};" for text in self.subscripts)
        source = f"void f(long n, long m, double *t) {{ {self.before} {heads} {{ {writes} }} }}".replace("//", "/")
        return loop_verdicts(delinearise(only_nest(source)))[0]

    def elements(self, sizes: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """(iteration of the outermost loop, element) of each write."""
        start = dict(sizes)
        exec(self.before.replace("long ", "").replace(";", "\n"), {}, start)
        points = [start]
        for name, first, last, step in self.loops:
            points = [
                {**point, name: value}
                for point in points
                for value in range(eval(first, {}, point), eval(last, {}, point) + (1 if step > 0 else -1), step)
            ]
        for point in points:
            yield from ((point[self.loops[0][0]], eval(text, {}, point)) for text in self.subscripts)

    def meets(self, sizes: Mapping[str, int]) -> bool:
        """Whether two iterations of the outermost loop write one element."""
        owners: dict[int, int] = {}
        return any(owners.setdefault(element, at) != at for at, element in self.elements(sizes))


ROWS = ("i", "0", "n - 1", 1)
LOWER, UPPER = ("j", "0", "i", 1), ("j", "i", "n - 1", 1)
PAGES = ("c", "0", "m", 1)

APART = {
    "lower": Nest((ROWS, LOWER), ("i*(i+1)//2 + j",)),
    "shifted right": Nest((ROWS, LOWER), ("((i*i + i) >> 1) + j",)),
    "without the diagonal": Nest((ROWS, ("j", "0", "i - 1", 1)), ("i*(i-1)//2 + j",)),
    "upper": Nest((ROWS, UPPER), ("i*(2*n-i-1)//2 + j",)),
    "upper from its end": Nest((ROWS, UPPER), ("n*(n+1)//2 - (n-i)*(n-i+1)//2 + j - i",)),
    "rows backwards": Nest((("i", "n - 1", "0", -1), LOWER), ("i*(i+1)//2 + j",)),
    "columns backwards": Nest((ROWS, ("j", "i", "0", -1)), ("i*(i+1)//2 + j",)),
    "falling": Nest((ROWS, LOWER), ("n*n - i*(i+1)//2 - j",)),
    "every other row": Nest((("i", "0", "n - 1", 2), LOWER), ("i*(i+1)//2 + j",)),
    "rows from anywhere": Nest((("i", "m - 3", "n", 1), LOWER), ("i*(i+1)//2 + j",)),
    "odd rows": Nest((ROWS, ("j", "0", "2*i", 1)), ("i*i + j",)),
    "pairs": Nest((ROWS, LOWER), ("i*(i+1) + 2*j", "i*(i+1) + 2*j + 1")),
    "diagonal": Nest((("i", "0", "n", 1),), ("i*(i+3)//2",)),
    "both ends of a row": Nest((ROWS, LOWER), ("i*(i+1)//2 + j", "i*(i+1)//2 + i - j")),
    "three dimensions": Nest((ROWS, LOWER, ("k", "0", "j", 1)), ("i*(i+1)*(i+2)//6 + j*(j+1)//2 + k",)),
    "pages": Nest((PAGES, ROWS, LOWER), ("c*n2 + i*(i+1)//2 + j",), "long n2 = n*(n+1)//2;"),
    "pages without a name": Nest((PAGES, ROWS, LOWER), ("c*(n*(n+1)//2) + i*(i+1)//2 + j",)),
    "several numbers each": Nest((ROWS, LOWER, ("c", "0", "m - 1", 1)), ("(i*(i+1)//2 + j)*m + c",)),
}
"""Found to be parallel."""

MEETING = {
    "one too far": Nest((ROWS, ("j", "0", "i + 1", 1)), ("i*(i+1)//2 + j",)),
    "one too early": Nest((ROWS, ("j", "-1", "i", 1)), ("i*(i+1)//2 + j",)),
    "rounded": Nest((ROWS, LOWER), ("i*i//2 + j",)),
    "no room for the diagonal": Nest((ROWS, LOWER), ("i*(i-1)//2 + j",)),
    "upper rows too short": Nest((ROWS, UPPER), ("i*(2*n-i-3)//2 + j",)),
    "both sides of zero": Nest((("i", "-n", "n - 1", 1),), ("i*(i+1)//2",)),
    "beyond the top": Nest((("i", "0", "2*n", 1),), ("i*(2*n-i-1)//2",)),
    "columns from below zero": Nest((("i", "-n", "n", 1), ("j", "-i", "0", 1)), ("i*(i+1)//2 + j",)),
    "two rows in one": Nest((ROWS, LOWER), ("i*(i+1)//2 + j", "i*(i+1)//2 + j + 1")),
    "pages too short": Nest((PAGES, ROWS, LOWER), ("c*n2 + i*(i+1)//2 + j",), "long n2 = n*(n-1)//2;"),
    "one number too many each": Nest((ROWS, LOWER, PAGES), ("(i*(i+1)//2 + j)*m + c",)),
    "three dimensions, one too far": Nest(
        (ROWS, LOWER, ("k", "0", "j + 1", 1)), ("i*(i+1)*(i+2)//6 + j*(j+1)//2 + k",)
    ),
    "falling too slowly": Nest((ROWS, LOWER), ("n*n - i*(i-1)//2 - j",)),
}  # fmt: skip
"""With sizes for which two iterations meet."""


@pytest.mark.parametrize("name", APART)
def test_rows_of_packed_triangles_keep_iterations_apart(name: str) -> None:
    assert APART[name].verdict.kind == "parallel"
    assert not any(APART[name].meets(sizes) for sizes in SIZES)


@pytest.mark.parametrize("name", MEETING)
def test_rows_that_overlap_are_not_called_parallel(name: str) -> None:
    assert any(MEETING[name].meets(sizes) for sizes in SIZES)
    assert not MEETING[name].verdict.can_run_in_parallel


def test_the_reason_names_the_subscript() -> None:
    verdict = MEETING["one too far"].verdict
    assert verdict.reason == "`t[i*(i+1)/2 + j]` multiplies iterators: whether two iterations meet in it was not found"


@settings(max_examples=examples(100))
@given(
    curve=st.tuples(st.integers(-2, 2), st.integers(-3, 4), st.integers(-2, 2), st.sampled_from((1, 2, 2, 2, 3))),
    first=st.sampled_from(("0", "0", "1", "-1", "-n", "m")),
    columns=st.sampled_from((("0", "i"), ("0", "i - 1"), ("0", "i + 1"), ("i", "n - 1"), ("-i", "0"), ("0", "2*i"))),
    slope=st.integers(-2, 2),
    step=st.sampled_from((1, 1, 1, 2, -1)),
    second=st.integers(0, 2),
)
def test_no_random_curve_is_called_parallel_wrongly(
    curve: tuple[int, int, int, int],
    first: str,
    columns: tuple[str, str],
    slope: int,
    step: int,
    second: int,
) -> None:
    a, b, c, divisor = curve
    index = f"({a}*i*i + {b}*i + {c}*n*i)//{divisor} + {slope}*j"
    rows = ("i", first, "n - 1", step) if step > 0 else ("i", "n - 1", first, step)
    nest = Nest((rows, ("j", *columns, 1)), (index, f"{index} + {second}"))
    # C rounds towards zero: of negative numbers that leave something over the model would not be C's
    rounds = not is_whole(_polynomial(a, b, c), divisor)
    verdict = nest.verdict
    takes_rows = any(assumption.kind == "bounds" for assumption in verdict.assumptions)  # for some of the sizes only
    if verdict.can_run_in_parallel and not rounds and not takes_rows:
        assert not any(nest.meets(sizes) for sizes in SIZES)


def _polynomial(a: int, b: int, c: int) -> Polynomial:
    i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
    return a * i * i + b * i + c * n * i


COEFFICIENTS = st.lists(st.integers(-6, 6), min_size=6, max_size=6)
_I, _J = Polynomial.symbol("i"), Polynomial.symbol("j")
_MONOMIALS = (_I * _I * _I, _I * _I, _I * _J, _I, _J, Polynomial.constant(1))


@given(coefficients=COEFFICIENTS, divisor=st.integers(1, 6))
def test_a_quotient_is_whole_where_no_integers_leave_anything_over(coefficients: list[int], divisor: int) -> None:
    numerator = sum((c * m for c, m in zip(coefficients, _MONOMIALS, strict=True)), Polynomial(()))
    points = product(range(-7, 7), repeat=2)
    leaves_nothing = all(numerator.evaluate({"i": i, "j": j}) % divisor == 0 for i, j in points)
    assert is_whole(numerator, divisor) == leaves_nothing


@given(outer=st.integers(-3, 3), inner=st.integers(-3, 3), rest=COEFFICIENTS)
def test_sums_without_division_are_in_the_same_order(outer: int, inner: int, rest: list[int]) -> None:
    t, s = Polynomial.symbol("t"), Polynomial.symbol("s")
    wholes = {
        "t": WholeQuotient("t", _I * _I + _I, 2),
        "s": WholeQuotient("s", (t + _J) * (t + _J + 1), 2),
    }
    one = outer * s * s + inner * t * _J + rest[0] * _I
    other = rest[1] * s + rest[2] * t * t + rest[3]
    found = without_division((one, other), wholes)
    assert all(value.symbols <= {"i", "j"} for value in found)
    for i, j in product(range(-3, 4), repeat=2):
        values = {"i": i, "j": j, "t": (i * i + i) // 2}
        values["s"] = (values["t"] + j) * (values["t"] + j + 1) // 2
        before, after = (sides[0].evaluate(values) - sides[1].evaluate(values) for sides in ((one, other), found))
        assert (before > 0, before < 0) == (after > 0, after < 0)
