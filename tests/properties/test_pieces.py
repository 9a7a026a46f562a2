"""How far subscripts reach that are affine in pieces, against the enumeration of all iterations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import facts_of, nests_of
from support.examples import examples
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts

I_TRIPS, J_TRIPS = 9, 7


@st.composite
def affine(draw: st.DrawFn, least: int) -> str:
    """Over i and j, nowhere below `least`."""
    a, b = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    return f"({a} * i + {b} * j + {draw(st.integers(least, 6))})"


@st.composite
def subscripts(draw: st.DrawFn) -> str:
    value = draw(affine(least=0))
    kind = draw(st.sampled_from(("%", "&", "/", ">>", "choice", "clamp", "sum", "nested")))
    match kind:
        case "%":
            return f"{value} % {draw(st.integers(2, 20))}"
        case "&":
            return f"({value} & {draw(st.sampled_from((1, 3, 7)))})"
        case "/":
            return f"{value} / {draw(st.integers(2, 5))}"
        case ">>":
            return f"({value} >> {draw(st.integers(1, 2))})"
        case "choice":
            name, last = draw(st.sampled_from((("i", I_TRIPS - 1), ("j", J_TRIPS - 1))))
            at = draw(st.sampled_from((0, 1, last, last // 2)))
            relation = draw(st.sampled_from(("==", "!=", "<", ">=", ">", "<=")))
            return f"(({name} {relation} {at}) ? {value} : {value} + {draw(st.integers(0, 3))})"
        case "clamp":
            moved, top = draw(affine(least=-4)), draw(st.integers(3, 12))
            return f"({moved} < 0 ? 0 : {moved} > {top} ? {top} : {moved})"
        case "sum":
            return f"20 * ((i + j + {draw(st.integers(0, 6))}) % 3) + ({draw(affine(least=0))} & 1)"
        case _:
            return f"({value} % 8) / 2 + 2 * i"


def evaluated(subscript: str) -> set[int]:
    """In Python, where nothing that is divided is negative."""
    text = subscript.replace("/", "//")
    while "?" in text:
        test, _, rest = text.partition("?")
        then, _, otherwise = rest.partition(":")
        at = _opening(test)
        end = _closing(otherwise)
        text = f"{test[:at]}(({then}) if ({test[at:]}) else ({otherwise[:end]})){otherwise[end:]}"
    code = compile(text, "subscript", "eval")
    return {eval(code, {}, {"i": i, "j": j}) for i in range(I_TRIPS) for j in range(J_TRIPS)}


def _opening(test: str) -> int:
    """Where the operand begins that a `?` ends: after the parenthesis that is still open."""
    depth = 0
    for at in range(len(test) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(test[at], 0)
        if depth < 0:
            return at + 1
    return 0


def _closing(text: str) -> int:
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return at
    return len(text)


def bytes_in(facts: NestFacts, **sizes: int) -> int:
    (transfer,) = (t for t in facts.transfers if t.array == "a")
    return int(transfer.in_bytes.evaluate(sizes))


@settings(max_examples=examples(80))
@given(subscripts())
def test_pieces_reach_all_that_is_touched_and_little_more(subscript: str) -> None:
    source = (
        "void f(const float *restrict a, float *restrict b) {"
        f" for (int i = 0; i < {I_TRIPS}; i++) for (int j = 0; j < {J_TRIPS}; j++) b[i * 7 + j] = a[{subscript}]; }}"
    )
    (nest,) = nests_of(source)
    touched = evaluated(subscript)
    hull = max(touched) - min(touched) + 1
    facts = analyse_nest(nest)
    assert not any(name.startswith("elements of") for name in facts.parameters), subscript
    found = bytes_in(facts) // 4
    assert hull <= found, subscript
    assert found <= hull + 22, subscript  # wraps whose operand takes not every value


@pytest.mark.parametrize(
    ("subscript", "elements"),
    [  # i and j from 0 to n - 1, n = 50
        ("(i + 1) % n", 50),
        ("(j + n - 1) % n * n + i", 2500),
        ("i == 0 ? i : i - 1", 49),
        ("i == n - 1 ? i : i + 1", 49),
        ("i > 0 ? i - 1 : 0", 49),
        ("(i < 1 ? 0 : i - 1) * n + j", 49 * 50),
        ("i + j < n ? i + j : n - 1", 50),
        ("i - j < 0 ? 0 : i - j", 50),
        ("i & 7", 8),
        ("(i & 1) * n + j", 100),
        ("(i * n + j) / n", 50),
        ("i / 2", 25),
    ],
)
def test_pieces_of_sizes(subscript: str, elements: int) -> None:
    facts = facts_of(
        "void f(int n, const float *restrict a, float *restrict b)"
        f" {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i * n + j] = a[{subscript}]; }}"
    )
    assert set(facts.parameters) == {"n"}
    assert bytes_in(facts, n=50) == 4 * elements
