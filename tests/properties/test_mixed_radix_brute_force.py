"""Subscripts that count in mixed radix: loops called parallel have no two iterations with one element, size by size."""

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
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict

SIZES = [dict(zip("nmr", values, strict=True)) for values in product((1, 2, 3), (1, 2, 4), (0, 2))]


@dataclass(frozen=True)
class Nest:
    """Loops from zero to a limit, integers set in the innermost one, and subscripts of `a` that are written there."""

    loops: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    subscripts: tuple[str, ...]

    @property
    def verdict(self) -> LoopVerdict:
        heads = " ".join(f"for (long {name} = 0; {name} < {limit}; {name}++)" for name, limit in self.loops)
        sets = " ".join(f"long {name} = {value};" for name, value in self.values)
        writes = " ".join(f"a[{text}] = {self.loops[0][0]};" for text in self.subscripts)
        source = f"void f(long n, long m, long r, double *a) {{ {heads} {{ {sets} {writes} }} }}".replace("//", "/")
        return loop_verdicts(delinearise(only_nest(source)))[0]

    def elements(self, sizes: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """(iteration of the outermost loop, element) of each write."""
        points = [dict(sizes)]
        for name, limit in self.loops:
            points = [{**point, name: value} for point in points for value in range(eval(limit, {}, point))]
        for point in points:
            for name, value in self.values:
                point[name] = eval(value, {}, point)
            yield from ((point[self.loops[0][0]], eval(text, {}, point)) for text in self.subscripts)

    def meets(self, sizes: Mapping[str, int]) -> bool:
        """Whether two iterations of the outermost loop write one element."""
        owners: dict[int, int] = {}
        return any(owners.setdefault(element, at) != at for at, element in self.elements(sizes))


PAIR = (("i", "ij // n"), ("j", "ij % n"))
TRIPLE = (("i", "x // (n*n)"), ("j", "(x - i*n*n) // n"), ("k", "x % n"))
SORTED = (
    "(i*n + j)*n + k",
    "(i*n + k)*n + j",
    "(j*n + i)*n + k",
    "(j*n + k)*n + i",
    "(k*n + i)*n + j",
    "(k*n + j)*n + i",
)

APART = {
    "blocks": Nest((("ij", "n*n"), ("k", "3"), ("l", "3")), PAIR, ("(i*3 + k)*n*3 + j*3 + l",)),
    "quotient in the middle": Nest(
        (("ij", "m*n"), ("k", "r")), (("i", "ij // n"), ("j", "ij % n")), ("(k*m + i)*n + j", "(k*m + i)*n + j + r*m*n")
    ),
    "two shapes": Nest(
        (("b", "r"), ("i", "3*n"), ("j", "n")), (), ("b*9*n*n + i*3*n + 3*j + 2", "b*9*n*n + 3*j*3*n + i")
    ),
    "split twice": Nest((("x", "n*n*n"), ("l", "3"), ("p", "3")), TRIPLE, ("(i*3 + l)*9*n*n + (j*3 + p)*3*n + k*3",)),
    "turned": Nest((("j", "m"), ("i", "n")), (), ("((i + r + (j + r)*n) % (n*m) + n*m) % (n*m)",)),
    "turned once": Nest((("j", "m"), ("i", "n")), (), ("(i + j*n + r) % (n*m)",)),
}
"""Found to be parallel."""

MEETING = {
    "a block too wide": Nest((("ij", "n*n"), ("k", "3"), ("l", "4")), PAIR, ("(i*3 + k)*n*3 + j*3 + l",)),
    "a block too high": Nest((("ij", "n*n"), ("k", "4"), ("l", "3")), PAIR, ("(i*3 + k)*n*3 + j*3 + l",)),
    "another divisor": Nest((("ij", "n*n"),), (("i", "ij // m"), ("j", "ij % n")), ("i*n + j",)),
    "the quotient alone": Nest((("ij", "n*n"),), (("i", "ij // n"),), ("i*n",)),
    "quotient beyond its row": Nest((("ij", "2*m*n"), ("k", "r")), PAIR, ("(k*m + i)*n + j",)),
    "turned by less": Nest((("j", "m"), ("i", "n")), (), ("(i + j*n + r) % (n + m)",)),
    "turned rows too many": Nest((("j", "m + 1"), ("i", "n")), (), ("(i + j*n + r) % (n*m)",)),
    "two turns": Nest((("j", "m"), ("i", "n")), (), ("(i + j*n + r) % (n*m)", "(i + j*n + r + 1) % (n*m)")),
    "split twice, not all of it": Nest((("x", "n*n*n"),), TRIPLE, ("i*n + k",)),
    "split twice by different sizes": Nest(
        (("x", "n*n*n"),), (("i", "x // (n*n)"), ("j", "(x - i*n*n) // m"), ("k", "x % n")), ("(i*n + j)*n + k",)
    ),
    "unsorted triples": Nest((("i", "n"), ("j", "n"), ("k", "n")), (), SORTED),
}
"""With sizes for which two iterations meet."""


@pytest.mark.parametrize("name", APART)
def test_digits_keep_iterations_apart(name: str) -> None:
    assert APART[name].verdict.kind == "parallel"
    assert not any(APART[name].meets(sizes) for sizes in SIZES)


@pytest.mark.parametrize("name", MEETING)
def test_digits_that_leave_their_rows_are_not_called_parallel(name: str) -> None:
    assert any(MEETING[name].meets(sizes) for sizes in SIZES)
    assert not MEETING[name].verdict.can_run_in_parallel


def test_sorted_triples_are_written_in_all_orders_by_one_iteration() -> None:
    text = "".join(f"a[{subscript}] = i;" for subscript in SORTED)
    loops = "for (long i = 0; i < n; i++) for (long j = i; j < n; j++) for (long k = j; k < n; k++)"
    source = f"void f(long n, double *a) {{ {loops} {{ {text} }} }}"
    assert loop_verdicts(delinearise(only_nest(source)))[0].kind == "parallel"


def test_a_modulus_that_may_be_negative_is_an_assumption() -> None:
    (assumption,) = (a for a in APART["blocks"].verdict.assumptions if a.kind == "bounds")
    assert (assumption.subject, assumption.text) == (
        "a",
        "`n` is assumed to be at least 1: the rows of `a` have that length.",
    )
    assert [a.kind for a in APART["two shapes"].verdict.assumptions] == []


@pytest.mark.long
@settings(max_examples=examples(25))
@given(
    coefficients=st.tuples(*(st.integers(1, 4) for _ in range(4))),
    limits=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    shift=st.integers(0, 3),
    values=st.sampled_from((PAIR, (("i", "ij // m"), ("j", "ij % m")), (("i", "ij % n"), ("j", "ij // n")))),
    rows=st.sampled_from(("n*n", "m*n", "2*n")),
)
def test_no_random_radix_is_called_parallel_wrongly(
    coefficients: tuple[int, ...],
    limits: tuple[int, int],
    shift: int,
    values: tuple[tuple[str, str], ...],
    rows: str,
) -> None:
    a, b, c, d = coefficients
    digits = f"({a}*i + k)*{b}*n + {c}*j + {d}*l"
    loops = (("ij", rows), ("k", str(limits[0])), ("l", str(limits[1])))
    nest = Nest(loops, values, (digits, f"{digits} + {shift}"))
    if nest.verdict.can_run_in_parallel:
        assert not any(nest.meets(sizes) for sizes in SIZES)
