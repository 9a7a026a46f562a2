"""Counts of loops that double, halve or step by a variable, and of starts that C rounds, against running them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import nests_of
from support.examples import examples
from warplens.analysis.ir.formula import Formula
from warplens.analysis.workload.loops.trip_count import trip_counts

Values = dict[str, int]


def _divided(a: int, b: int) -> int:
    """As C divides."""
    return int(Fraction(a, b))


@st.composite
def loops(draw: st.DrawFn, name: str, outer: tuple[str, ...]) -> tuple[str, Callable[[Values], Iterator[int]]]:
    """A loop's header as C, and the values of its variable given those of the loops around."""
    base = draw(st.integers(2, 4))
    of = draw(st.sampled_from(("n", *outer)))
    share = draw(st.integers(1, 3))
    first = draw(st.integers(1, 3))
    kind = draw(st.sampled_from(("double", "double to", "halve", "halve to", "step", "rounded", "down", "square")))

    step_goes_up = kind not in {"halve", "halve to", "down"}

    def run(start: Callable[[Values], int], goes_on: Callable[[int, Values], bool], step: Callable[[int, Values], int]):
        def values(at: Values) -> Iterator[int]:
            value = start(at)
            while goes_on(value, at):
                yield value
                before, value = value, step(value, at)
                assume(value != before and (value > before) == step_goes_up)

        return values

    match kind:
        case "double":
            operation = "*= 2" if base % 2 else "<<= 1"
            header = f"for (int {name} = {first}; {name} < {of}; {name} {operation})"
            return header, run(lambda _: first, lambda x, v: x < v[of], lambda x, _: 2 * x)
        case "double to":
            header = f"for (int {name} = {first}; {name} <= {of} / {share}; {name} = {base} * {name})"
            return header, run(lambda _: first, lambda x, v: x <= _divided(v[of], share), lambda x, _: base * x)
        case "halve":
            header = f"for (int {name} = {of} / {share}; {name} > 0; {name} /= {base})"
            return header, run(lambda v: _divided(v[of], share), lambda x, _: x > 0, lambda x, _: x // base)
        case "halve to":
            header = f"for (int {name} = {of}; {name} >= {first}; {name} >>= 1)"
            return header, run(lambda v: v[of], lambda x, _: x >= first, lambda x, _: x >> 1)
        case "step":
            header = f"for (int {name} = {first}; {name} <= n; {name} += {share} * {of})"
            return header, run(lambda _: first, lambda x, v: x <= v["n"], lambda x, v: x + share * v[of])
        case "square":
            test = draw(st.sampled_from(("{0} * {0} < {1}", "{1} > (long){0} * {0}", "{0} * {0} <= {1}")))
            header = f"for (int {name} = {first}; {test.format(name, of)}; {name} += {share})"
            most = 0 if "<=" in test else 1
            return header, run(lambda _: first, lambda x, v: x * x <= v[of] - most, lambda x, _: x + share)
        case "down":
            header = f"for (int {name} = n; {name} > {first}; {name} -= {of})"
            return header, run(lambda v: v["n"], lambda x, _: x > first, lambda x, v: x - v[of])
        case _:
            start = f"(-{of} / {share} + {first}) % 3"
            header = f"for (int {name} = {start}; {name} < n; {name} += 2)"

            def rounded(v: Values) -> int:
                value = first - _divided(v[of], share)
                return value - 3 * _divided(value, 3)

            return header, run(rounded, lambda x, v: x < v["n"], lambda x, _: x + 2)


def averages(runs: list[Callable[[Values], Iterator[int]]], names: tuple[str, ...], n: int) -> list[Fraction | None]:
    counts: list[list[int]] = [[] for _ in runs]

    def visit(depth: int, values: Values) -> None:
        if depth == len(runs):
            return
        found = list(runs[depth](values))
        counts[depth].append(len(found))
        for value in found:
            visit(depth + 1, {**values, names[depth]: value})

    visit(0, {"n": n})
    return [Fraction(sum(found), len(found)) if found else None for found in counts]


@settings(max_examples=examples(80))
@given(st.data(), st.integers(1, 40))
def test_counts_are_those_of_a_run(data: st.DataObject, n: int) -> None:
    names = ("a", "b", "c")[: data.draw(st.integers(1, 3))]
    drawn = [data.draw(loops(name, names[:at])) for at, name in enumerate(names)]
    text = " ".join(header for header, _ in drawn)
    (nest,) = nests_of(f"void f(int n, float *x) {{ {text} x[{names[-1]}] += 1; }}")
    expected = averages([run for _, run in drawn], names, n)
    for count, right in zip(trip_counts(nest), expected, strict=True):
        if right is not None:
            assert count.average.evaluate({"n": n}) == right, (text, n)


@pytest.mark.parametrize(
    ("source", "sizes", "expected"),
    [
        (  # u12_bitonic.c: 20 and 10.5, though nothing says it
            (
                "void bitonic(int *a) { for (int k = 2; k <= (1 << 20); k <<= 1) for (int j = k >> 1; j > 0; j >>= 1)"
                " for (int i = 0; i < (1 << 20); i++) { int p = i ^ j; if (p > i) a[p] = a[i]; } }"
            ),
            {},
            (20, Fraction(21, 2), 1 << 20),
        ),
        (  # the shift stands in the body
            (
                "void f(int n, int m, float *a) { for (int r = 0; r < m; r++) { int s = n / 2;"
                " while (s > 0) { for (int i = 0; i < s; i++) a[i] += a[i + s]; s = s >> 1; } } }"
            ),
            {"n": 64, "m": 5},
            (5, 6, Fraction(63, 6)),
        ),
        (  # tested after the body: once at least
            (
                "void f(int n, int m, float *a) { for (int r = 0; r < m; r++) { int s = r;"
                " do { a[s] = 0; s = s / 3; } while (s > 0); } }"
            ),
            {"n": 64, "m": 9},
            (9, Fraction(1 * 3 + 2 * 6, 9)),
        ),
        (  # half of a butterfly
            (
                "void f(int n, float *a) { for (int len = 2; len <= n; len <<= 1) { int half = len / 2;"
                " for (int i = 0; i < n; i += len) for (int j = 0; j < half; j++) a[i + j] += a[i + j + half]; } }"
            ),
            {"n": 256},
            (8, Fraction(255, 8), Fraction(8 * 128, 255)),
        ),
        (  # u03_rowptr_conv.c: C rounds -3/2 to -1
            "void f(int nm, float *a) { for (int j = -nm / 2; j < nm / 2 + 1; j++) a[j + nm] = 0; }",
            {"nm": 3},
            (3,),
        ),
        ("void f(int n, float *a) { for (int j = (1 - n) / 2; j <= n / 2; j++) a[j + n] = 0; }", {"n": 4}, (4,)),
        ("void f(float *a) { const int n = -7; for (int j = n / 2; j < 0; j++) a[j + 9] = 0; }", {}, (3,)),
        (  # u34_redblack_forms.c
            (
                "void f(int n, int colour, float *a) { for (int i = 1; i < n - 1; i++)"
                " for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2) a[i * n + j] = 1; }"
            ),
            {"n": 12, "colour": 0},
            (10, 5),
        ),
    ],
)
def test_loops_as_programs_have_them(source: str, sizes: dict[str, int], expected: tuple[Fraction, ...]) -> None:
    (nest,) = nests_of(source)
    assert [count.average.evaluate(sizes) for count in trip_counts(nest)] == [*expected]


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 1; k < n; k *= m) { m = a[k]; a[k] = 1; }",  # by what the loop changes
        "for (int k = 1; k < n; k *= 2) { if (a[k]) continue; k++; }",
        "for (int k = 1; k < a[0]; k *= 2) a[k] = 1;",
        "for (int k = 1; k < n; k *= 2) { if (a[k]) k *= 2; a[k] = 1; }",
    ],
)
def test_what_data_decides_is_a_parameter(loop: str) -> None:
    (nest,) = nests_of(f"void f(int n, int m, int *a) {{ {loop} }}")
    (count,) = trip_counts(nest)
    assert not count.exact
    assert "iterations of k" in {parameter.removesuffix(" #2") for parameter in count.average.parameters}


@given(st.integers(0, 5000), st.integers(1, 50))
def test_a_mean_of_many_is_near_the_sum(count: int, scale: int) -> None:
    """A harmonic one, which a mean over evenly spread samples misses by far."""
    t = Formula.parameter("t")
    mean = (Formula.constant(scale) / (t + 1)).mean_over("t", Formula.constant(count), Formula.constant(1))
    exact = sum((Fraction(scale, at + 1) for at in range(count)), Fraction(0)) / max(1, count)
    assert abs(mean.evaluate({}) - exact) <= Fraction(1, 20) * exact
