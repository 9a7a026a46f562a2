"""Strides along loops that what data decides does not depend on; legality is decided on the subscript as a whole."""

import re
from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

FactsOf = Callable[[str], NestFacts]

_HEAD = "int n, int m, int off, const int *restrict p, int *restrict w, const float *restrict x, float *restrict y"
_NEST = """f(HEAD) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int k = 0; k < m; k++) { BEFORE s += x[SUBSCRIPT]; } y[i * n + j] = s; } }""".replace("HEAD", _HEAD)


def _read(facts_of: FactsOf, subscript: str, before: str = "") -> AccessFacts:
    facts = facts_of(_NEST.replace("SUBSCRIPT", subscript).replace("BEFORE", before))
    return [a for a in facts.kernels[0].accesses if a.access.array == "x"][-1]


def _strides(read: AccessFacts) -> list[str]:
    """Along i, j, k; `?` where it is not known, `step` for what data adds evenly."""
    return ["?" if stride is None else re.sub("'step[^)]*[)]", "step", str(stride)) for _, stride in read.stride_bytes]


@pytest.mark.parametrize(
    ("subscript", "strides"),
    [
        ("p[i] + j", ["?", "4", "0"]),
        ("p[i] * n + j", ["?", "4", "0"]),
        ("p[k] - j + i * n", ["4*n", "-4", "?"]),
        ("(p[k] + j) * n", ["0", "4*n", "?"]),
        ("(p[k] + j) * i", ["4*step + 4*j", "4*i", "?"]),
        ("(int)(i * 0.5f * x[k]) + j + k * n", ["4*step", "4", "?"]),
        ("(int)((i + j) * x[k])", ["4*step", "4*step", "?"]),
        ("(int)(i * i * x[k]) + j", ["?", "4", "?"]),
        ("(int)(i * x[i + k]) + j", ["?", "4", "?"]),
        ("(short)(i * x[k]) + j", ["?", "4", "?"]),
        ("(int)(x[k] / i) + j", ["?", "4", "?"]),
        ("p[p[i] + k] + 3 * j", ["?", "12", "?"]),
        ("(i % 7) * n + j", ["?", "4", "0"]),
        ("(int)(x[i] * 0.5f) + j", ["?", "4", "0"]),
        ("(unsigned char)j + i", ["4", "?", "0"]),
        ("j + off * k", ["0", "4", "4*off"]),
        ("p[j] + j", ["0", "?", "0"]),
        ("p[i + j] + k", ["?", "?", "4"]),
        ("(k > m / 2 ? p[i] : p[j]) + k", ["?", "?", "?"]),
    ],
)
def test_strides_are_known_along_the_other_loops(facts_of: FactsOf, subscript: str, strides: list[str]) -> None:
    assert _strides(_read(facts_of, subscript)) == strides


@pytest.mark.parametrize(
    ("before", "strides"),
    [
        ("int b = p[i];", ["?", "4", "0"]),
        ("int c = p[i]; int b = c + k;", ["?", "4", "4"]),
        ("int b; b = p[i];", ["?", "4", "0"]),
        ("int b = p[i]; if (x[k] > 0) b = p[k];", ["?", "?", "?"]),
        ("int b = p[i]; b += k;", ["?", "?", "?"]),
        ("float t = 0.5f * i; int b = t * x[k] + 1;", ["4*step", "4", "?"]),
    ],
)
def test_scalars_are_followed_where_one_statement_sets_them(facts_of: FactsOf, before: str, strides: list[str]) -> None:
    assert _strides(_read(facts_of, "b + j", before)) == strides


@pytest.mark.parametrize(
    ("start", "before", "strides"),
    [
        ("p[i] + j", "", ["?", "4", "4"]),
        ("p[i] * n - 2 * j", "", ["?", "-8", "4"]),
        ("b + j", "int b = p[i];", ["?", "4", "4"]),
        ("p[j]", "", ["0", "?", "4"]),
        ("p[i + j]", "", ["?", "?", "4"]),
    ],
)
def test_loops_that_start_where_data_says_are_split_too(
    facts_of: FactsOf, start: str, before: str, strides: list[str]
) -> None:
    facts = facts_of(
        f"f({_HEAD}) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {before} float s = 0;"
        f" for (int k = {start}; k < m; k++) s += x[k]; y[i * n + j] = s; }} }}"
    )
    assert _strides(next(a for a in facts.kernels[0].accesses if a.access.array == "x")) == strides


def test_tables_that_the_nest_writes_may_hold_anything_in_each_iteration(facts_of: FactsOf) -> None:
    facts = facts_of(
        f"f({_HEAD}) {{ for (int i = 0; i < n; i++) for (int j = 0; j < 64; j++) {{"
        " w[128 * i + 2 * j + 1] = i; y[64 * i + j] = x[w[128 * i] + j]; } }"
    )
    read = next(a for a in facts.kernels[0].accesses if a.access.array == "x")
    assert _strides(read) == ["?", "?"]


def test_long_chains_of_scalars_are_split_once_each(facts_of: FactsOf) -> None:
    chain = "int b0 = p[i]; " + " ".join(f"int b{n} = b{n - 1} + b{n - 1};" for n in range(1, 60))
    assert _strides(_read(facts_of, "b59 + j", chain)) == ["?", "4", "0"]


def test_what_may_meet_is_not_decided_on_the_known_part(facts_of: FactsOf) -> None:
    facts = facts_of(f"f({_HEAD}) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[p[i] + j] = x[j]; }}")
    assert [verdict.kind for verdict in facts.verdicts] == ["unknown", "parallel"]


def test_code_for_one_core_still_sees_a_gather(facts_of: FactsOf) -> None:
    facts = facts_of(_NEST.replace("SUBSCRIPT", "p[i] + j").replace("BEFORE", ""))
    assert next(a for a in facts.sequential_accesses if a.access.array == "x").is_gathered


@pytest.mark.parametrize(
    ("declared", "subscript", "sizes", "most"),
    [
        ("const float *restrict z", "[k * pitch + j + (int)(i * x[k])]", {"pitch": 650, "n": 100}, 6),
        ("const float *restrict z", "[k * pitch + j + (int)(i * x[k])]", {"pitch": 100, "n": 100}, 1),
        ("const float *restrict z", "[k * pitch + 2 * j + (int)(i * x[k])]", {"pitch": 650, "n": 100}, 5),
        ("const float z[64][1000]", "[k][j + (int)(i * x[k])]", {"n": 100}, 10),
        ("const float *restrict z", "[(int)(i * x[k])]", {"elements of z": 1000, "n": 100}, 11),
    ],
    ids=("in a row", "no room", "every other element", "declared row", "no rows"),
)
def test_data_steps_through_the_room_that_a_row_has(
    facts_of: FactsOf, declared: str, subscript: str, sizes: dict[str, int], most: int
) -> None:
    facts = facts_of(
        f"f(int n, int m, int pitch, {declared}, const float *restrict x, float *restrict y)"
        " { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        f" for (int k = 0; k < m; k++) s += z{subscript}; y[i * n + j] = s; }} }}"
    )
    read = next(a for a in facts.kernels[0].accesses if a.access.array == "z")
    (step,) = read.steps
    assert {*sizes, "m"} <= {*facts.parameters, "m"}
    assert extend_sizes({"m": 64, **sizes}, facts.nest)[step.symbol] == most
    assert any(a.kind == "bounds" and a.subject == "z" for a in facts.assumptions)


def test_a_subscript_that_grows_with_two_iterators_at_once_has_a_step_in_parameters_only(facts_of: FactsOf) -> None:
    facts = facts_of(_NEST.replace("SUBSCRIPT", "(p[k] + j) * i").replace("BEFORE", ""))
    assert set(facts.parameters) == {"n", "m", "elements of x"}


@pytest.mark.parametrize(
    ("subscript", "strides"),
    [
        ("(i * n + j) / n * n + (i * n + j) % n", ["4*n", "4", "0"]),  # what cancels
        ("((i + 1) % n) * n + j", ["4*n", "4", "0"]),  # wraps once
        ("i * n + (j + n - 1) % n", ["4*n", "4", "0"]),
        ("i * n + (j == 0 ? j : j - 1)", ["4*n", "4", "0"]),  # r01_clamped_stencil.c
        ("i * n + (j - 1 < 0 ? 0 : j - 1 >= n ? n - 1 : j - 1)", ["4*n", "4", "0"]),
        ("i * n + 2 * j - (i % 2)", ["4*n", "8", "0"]),  # u02_redblack_split.c
        ("(i % 2) * n + j", ["?", "4", "0"]),
        ("j % 64 + k", ["0", "4", "4"]),
        ("j / 64 + k", ["0", "0", "4"]),
        ("j % 4 + k", ["0", "0", "4"]),  # four elements are near each other
        ("i * n + (j ^ k)", ["4*n", "4", "?"]),  # u12_bitonic.c: neighbours change places
        ("i * n + (j ^ (j >> 1))", ["4*n", "?", "0"]),
        ("i * n + (x[j] > 0 ? j : j + 1)", ["4*n", "4", "0"]),
        ("i * n + (x[j] > 0 ? j : n - j)", ["4*n", "?", "0"]),
        ("i * n + (j < n / 2 ? j : n - j)", ["4*n", "?", "0"]),
    ],
)
def test_wraps_and_choices_have_strides(facts_of: FactsOf, subscript: str, strides: list[str]) -> None:
    assert _strides(_read(facts_of, subscript)) == strides
