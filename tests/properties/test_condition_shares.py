"""Shares of conditions on iterators against the enumeration of all iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of, nests_of
from support.examples import examples
from warplens.analysis.facts.program import Branch
from warplens.analysis.ir.nest import If, Loop, LoopNest, Statement
from warplens.analysis.workload.accesses.known_part import changes_in
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.condition_share import Share, condition_share


def conditions_of(nest: LoopNest) -> Iterator[tuple[If, tuple[Loop, ...]]]:
    def search(body: tuple[Statement, ...], around: tuple[Loop, ...]) -> Iterator[tuple[If, tuple[Loop, ...]]]:
        for statement in body:
            if isinstance(statement, Loop):
                yield from search(statement.body, (*around, statement))
            elif isinstance(statement, If):
                yield statement, around
                yield from search((*statement.then, *statement.otherwise), around)

    return search((nest.root,), ())


def share_of(source: str, sizes: Mapping[str, int] = MappingProxyType({})) -> Share | None:
    """Share of the first condition."""
    (nest,) = nests_of(source)
    statement, loops = next(conditions_of(nest))
    changed = changes_in((nest.root,))
    return condition_share(statement.condition, loops, {}, changed.values, changed.inside.keys(), sizes)


@st.composite
def comparisons(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    used = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    left = " + ".join(f"{draw(st.sampled_from((1, 1, 1, 2, -1)))} * {name}" for name in used)
    if draw(st.integers(0, 3)) == 0:
        left = f"({left} + 40) % {draw(st.integers(2, 6))}"
    return f"{left} {draw(st.sampled_from(('<', '<=', '>', '>=', '==', '!=')))} {draw(st.integers(-2, 12))}"


@st.composite
def nests(draw: st.DrawFn, longest: int) -> tuple[str, str]:
    """The loops' headers, one after the other, and a condition in them."""
    names = ("i", "j", "k")[: draw(st.integers(1, 3))]
    headers = []
    for at, name in enumerate(names):
        start = draw(st.sampled_from(("0", "1", "-2", *names[:at])))
        step = draw(st.sampled_from((1, 1, 2)))
        headers.append(f"for (int {name} = {start}; {name} < {draw(st.integers(3, longest))}; {name} += {step})")
    parts = draw(st.lists(comparisons(names), min_size=1, max_size=4))
    condition = parts[0]
    for part in parts[1:]:
        condition = f"({condition} {draw(st.sampled_from(('&&', '||')))} {part})"
    return " ".join(headers), f"!({condition})" if draw(st.booleans()) else condition


def enumerated(headers: str, condition: str) -> Fraction | None:
    """In Python, whose `%` is that of C where nothing is negative."""
    held = total = 0
    loops = [header.split(";") for header in headers.split("for (int ")[1:]]
    test = condition.replace("&&", " and ").replace("||", " or ").replace("!(", "not (")

    def visit(depth: int, values: dict[str, int]) -> None:
        nonlocal held, total
        if depth == len(loops):
            held, total = held + bool(eval(test, {}, values)), total + 1
            return
        first, limit, step = loops[depth]
        name, start = (word.strip() for word in first.split("="))
        begin = values[start] if start in values else int(start)
        for value in range(begin, int(limit.split("<")[1]), int(step.split("=")[1].rstrip(" )"))):
            visit(depth + 1, {**values, name: value})

    visit(0, {})
    return Fraction(held, total) if total else None


@settings(max_examples=examples(60))
@given(nests(longest=12))
def test_shares_of_short_loops_are_the_enumerated_ones(nest: tuple[str, str]) -> None:
    headers, condition = nest
    expected = enumerated(headers, condition)
    found = share_of(f"void f(float *a) {{ {headers} if ({condition}) a[0] += 1; }}")
    if expected is not None and found is not None:
        # A loop of varying length that the condition does not name weighs nothing.
        is_rectangular = not any(f"= {name};" in headers for name in "ijk")
        assert found.share == expected if is_rectangular else 0 <= found.share <= 1, (headers, condition)


@settings(max_examples=examples(60))
@given(nests(longest=12), st.integers(3, 12), st.integers(0, 2))
def test_shares_are_those_of_the_sizes_in_force(nest: tuple[str, str], size: int, less: int) -> None:
    """A loop to `n`, and a condition with it: exact for the `n` that is, not for a large one."""
    headers, condition = nest
    first, *rest = headers.split(";")
    name = first.split()[-3]
    limit, condition = f" {name} < n", f"({condition}) && {name} != n - {less} - 1"
    expected = enumerated(";".join((first, f" {name} < {size}", *rest[1:])), condition.replace("n", str(size)))
    source = f"void f(int n, float *a) {{ {';'.join((first, limit, *rest[1:]))} if ({condition}) a[0] += 1; }}"
    found = share_of(source, {"n": size})
    if expected is not None and found is not None and not any(f"= {other};" in headers for other in "ijk"):
        assert found.share == expected, (source, size)


@settings(max_examples=examples(60))
@given(nests(longest=40))
def test_shares_of_longer_loops_are_near_them(nest: tuple[str, str]) -> None:
    headers, condition = nest
    expected = enumerated(headers, condition)
    found = share_of(f"void f(float *a) {{ {headers} if ({condition}) a[0] += 1; }}")
    if expected is not None and found is not None and not any(f"= {name};" in headers for name in "ijk"):
        assert abs(found.share - expected) <= Fraction(1, 8), (headers, condition)


SQUARE = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
GRID = "for (int y = 0; y < 2048; y++) for (int x = 0; x < 2048; x++)"
BORDER = 1 - Fraction(2046 * 2046, 2048 * 2048)


@pytest.mark.parametrize(
    ("code", "expected"),
    [  # u35_border_tests.c, u34_redblack_forms.c, u12_bitonic.c
        (f"{GRID} if (x == 0 || y == 0 || x == 2047 || y == 2047) a[x] = 0;", BORDER),
        (f"{GRID} {{ if (x == 0 || y == 0 || x == 2047 || y == 2047) continue; a[x] = 0; }}", BORDER),
        (
            f"{GRID} for (int k = -2; k <= 2; k++) if (x + k >= 0 && x + k < 2048) a[x] += 1;",
            Fraction(5 * 2048 - 6, 5 * 2048),
        ),
        (f"{GRID} if (x == y) a[x] = 1;", Fraction(1, 2048)),
        (f"{GRID} if (x < y) a[x] = 1;", Fraction(2047, 4096)),
        (f"{GRID} if ((x + y) % 2 == c) a[x] = 1;", Fraction(1, 2)),
        (f"{GRID} if (x % 4 == 3 && y < 512) a[x] = 1;", Fraction(1, 16)),
        (f"{GRID} {{ int at = x + 3; if (at < 1027) a[at] = 1; }}", Fraction(1, 2)),
        (f"{GRID} if (x < 1024 && b[x] > 0) a[x] = 1;", Fraction(1, 4)),
        ("for (int x = 0; x < n; x++) if (x > 0 && x < n - 1) a[x] = 1;", Fraction((1 << 20) - 2, 1 << 20)),
    ],
)
def test_conditions_as_programs_have_them(code: str, expected: Fraction) -> None:
    found = share_of(f"void f(int n, int c, float *restrict a, const float *restrict b) {{ {code} }}")
    assert found is not None
    assert abs(found.share - expected) <= Fraction(1, 1000) * max(expected, Fraction(1, 16))
    assert bool(found.unknown) == ("b[x]" in code)


@pytest.mark.parametrize(
    "condition",
    ["b[i] > 0", "flag", "n > 3", "s < 4", "s > i", "x > 2.0"],
)
def test_what_data_or_sizes_decide_has_no_share(condition: str) -> None:
    """A flag is no matter of iterators, nor is what the nest computes."""
    source = (
        "void f(int n, int flag, double x, float *restrict a, const int *restrict b) { int s = 0;"
        f" for (int i = 0; i < n; i++) {{ if ({condition}) a[i] = 1; s += b[i]; }} a[0] = s; }}"
    )
    assert share_of(source) is None


@pytest.mark.parametrize(
    ("code", "size", "expected"),
    [
        pytest.param(
            "if (i == 0 || j == 0 || i == n - 1 || j == n - 1) a[i * n + j] = 1;", 8, Fraction(28, 64), id="a border"
        ),
        pytest.param("if (i == k0) a[i * n + j] = 1;", 8, Fraction(0), id="a size that nobody gave is a large one"),
        pytest.param("if (j < i) a[i * n + j] = 1;", 4, Fraction(6, 16), id="a triangle"),
        pytest.param("if (n > 5 && i > 1) a[i * n + j] = 1;", 4, Fraction(0), id="a size that decides"),
        pytest.param("int half = n / 2; if (i < half) a[i * n + j] = 1;", 5, Fraction(2, 5), id="a part of it"),
    ],
)
def test_a_branch_has_the_share_of_the_sizes_in_force(code: str, size: int, expected: Fraction) -> None:
    source = f"void f(int n, int k0, float *restrict a) {{ {SQUARE} {{ {code} }} }}"
    (kernel,) = facts_of(source).kernels
    branch = next(region for region in kernel.program if isinstance(region, Branch))
    assert branch.share_at({"n": size}) == expected
    (sized,) = (region for region in kernel_at(kernel, {"n": size}).program if isinstance(region, Branch))
    assert sized.then_share == expected


def test_no_assumption_speaks_of_what_sizes_decide() -> None:
    sized, open_one = (
        facts_of(f"void f(int n, int flag, float *restrict a) {{ {SQUARE} if ({condition}) a[i * n + j] = 1; }}")
        for condition in ("n > 3", "flag > 3")
    )
    assert not any(each.subject == "branch" for each in sized.assumptions)
    assert any(each.subject == "branch" for each in open_one.assumptions)


def test_of_a_condition_only_what_data_decides_is_assumed() -> None:
    code = f"{SQUARE} if (n > 3 && b[i] > 0) a[i * n + j] = 1;"
    facts = facts_of(f"void f(int n, float *restrict a, const float *restrict b) {{ {code} }}")
    (text,) = (each.text for each in facts.assumptions if each.subject == "branch")
    assert text == "Of `if ((n > 3) && (b[i] > 0.0))`, `b[i] > 0.0` is assumed to hold half the time."
    (branch,) = (region for region in facts.kernels[0].program if isinstance(region, Branch))
    assert [branch.share_at({"n": n}) for n in (3, 4)] == [0, Fraction(1, 2)]
