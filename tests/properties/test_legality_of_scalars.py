"""Random nests with scalars and guards on data: what is said to be legal is interpreted both ways."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import only_nest
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.transforms.nest_legality import NestLegality, legality_of
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.expression import Access, Binary, Cast, Conditional, Constant, Expression, Load, ScalarRef
from warplens.analysis.ir.nest import Assign, If, Loop, Statement, loops_of

State = dict[object, int]

ELEMENT = re.compile(r"(\w+)((?:\[\d+\])+)")

TRIPS = 4
WORD = 1 << 32
"""Integers wrap around, else squares of squares grow without end."""
SCALARS = ("s", "t", "u")
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    ">": operator.gt,
    "<": operator.lt,
}
"""Exact: what is divided, in the closed form of a sum, has no rest before it wraps around."""


CLOSED_FORM_OF_AN_ELEMENT = (
    "int a[9][9], b[9][9], r[9]; void f(void) { int s = 3, t = 5, u = 8; for (int i = 0; i < 4; i++) "
    "for (int j = 0; j < 4; j++) { s += a[1][1]; t = s * s; }  }"
)


@dataclass(frozen=True)
class Text:
    """A nest in C; `used` scalars are read after it."""

    source: str
    used: tuple[str, ...]


@st.composite
def nests(draw: st.DrawFn, depth: int) -> Text:
    """Loops over i and j; most statements use scalars, sums and places of extremes among them."""
    iterators = "ij"[:depth]
    arrays = [("a", ("i", "j", "0")), ("b", ("i", "j", "2"))]

    def element() -> str:
        name, _ = draw(st.sampled_from(arrays))
        rows = [draw(st.sampled_from([*iterators, *(f"{i} + 1" for i in iterators), "1"])) for _ in range(2)]
        return f"{name}[{rows[0]}][{rows[1]}]"

    def operand() -> str:
        return draw(st.sampled_from([*SCALARS, element(), element(), *iterators, "7"]))

    def statement() -> str:
        target = draw(st.sampled_from([*SCALARS, *SCALARS, element(), element()]))
        kind = draw(st.sampled_from(("=", "=", "+=", "max", "if", "place")))
        if kind == "max":
            return f"if ({(value := element())} > {target}) {target} = {value};"
        if kind == "if":
            return f"if ({operand()} > {operand()}) {target} = {operand()};"
        if kind == "place":
            return f"if ({(value := element())} > s) {{ s = {value}; t = {iterators[-1]}; }}"
        return f"{target} {kind} {operand()};" if draw(st.booleans()) else f"{target} {kind} {operand()} * {operand()};"

    body = " ".join(statement() for _ in range(draw(st.integers(1, 4))))
    loops = " ".join(f"for (int {i} = 0; {i} < {TRIPS}; {i}++)" for i in iterators)
    used = tuple(name for name in SCALARS if draw(st.booleans()))
    after = " ".join(f"r[{k}] = {name};" for k, name in enumerate(used))
    return Text(
        f"int a[9][9], b[9][9], r[9]; void f(void) {{ int s = 3, t = 5, u = 8; {loops} {{ {body} }} {after} }}", used
    )


def asked_of(text: Text) -> NestLegality:
    split = delinearise(only_nest(text.source))
    return legality_of(split, loop_verdicts(split))


def value(expression: Expression, state: State) -> int:
    match expression:
        case Constant(number):
            return int(number)
        case ScalarRef(name) if element := ELEMENT.fullmatch(name):  # in a closed form: the nest does not write it
            return element_at((element[1], *map(int, re.findall(r"\d+", element[2]))), state)
        case ScalarRef(name):
            return state[name]
        case Load(access):
            return at(access, state)
        case Cast(operand):
            return value(operand, state)
        case Conditional(condition, then, otherwise):
            return value(then if value(condition, state) else otherwise, state)
        case Binary(sign, left, right):
            return OPERATORS[sign](value(left, state), value(right, state))
        case _:
            raise AssertionError(expression)


def at(access: Access, state: State) -> int:
    return element_at(place(access, state), state)


def element_at(key: object, state: State) -> int:
    return state.get(key, hash(key) % 11)


def place(access: Access, state: State) -> object:
    return (access.array, *(value(subscript, state) for subscript in access.subscripts))


def run(body: Iterable[Statement], state: State, backwards: frozenset[int] = frozenset()) -> None:
    for statement in body:
        match statement:
            case Assign(_, target, sign, expression):
                key = place(target, state) if isinstance(target, Access) else target.name
                old = at(target, state) if isinstance(target, Access) else state.get(key, 0)
                state[key] = (value(expression, state) + (old if sign else 0)) % WORD
            case If(_, condition, then, otherwise):
                run(then if value(condition, state) else otherwise, state, backwards)
            case Loop():
                trips = range(TRIPS)
                for iteration in reversed(trips) if statement.id in backwards else trips:
                    state[statement.iterator] = iteration
                    run(statement.body, state, backwards)
            case _:
                raise AssertionError(statement)


def after(body: Iterable[Statement], used: tuple[str, ...], backwards: frozenset[int] = frozenset()) -> State:
    """Memory and the scalars that are used later."""
    state: State = {"s": 3, "t": 5, "u": 8}
    run(body, state, backwards)
    return remaining(state, used)


def remaining(state: State, used: tuple[str, ...]) -> State:
    return {key: number for key, number in state.items() if isinstance(key, tuple) or key in used}


@settings(max_examples=examples(60))
@given(nests(2))
@example(Text(CLOSED_FORM_OF_AN_ELEMENT, ()))
def test_legal_interchange_and_reversal_change_nothing(text: Text) -> None:
    asked = asked_of(text)
    outer, inner = loops_of(asked.nest)
    expected = after((outer,), text.used)
    if asked.interchange(outer.id, inner.id).legality.is_legal:
        assert after((replace(inner, body=(replace(outer, body=inner.body),)),), text.used) == expected
    for loop in (outer, inner):
        if asked.reversal(loop.id).is_legal:
            assert after((outer,), text.used, frozenset((loop.id,))) == expected


@settings(max_examples=examples(60))
@given(nests(1))
def test_legal_fission_changes_nothing(text: Text) -> None:
    asked = asked_of(text)
    root = asked.nest.root
    split = asked.fission(root.id)
    if not split.legality.is_legal:
        return
    state: State = {"s": 3, "t": 5, "u": 8}
    copies: dict[tuple[str, int], int] = {}
    by_id = {statement.id: statement for statement in root.body}
    for part in split.parts:
        for iteration in range(TRIPS):
            state[root.iterator] = iteration
            state.update({name: copies.get((name, iteration), -99) for name in split.expanded})
            run([by_id[statement] for statement in part.statements], state)
            copies.update({(name, iteration): state[name] for name in split.expanded})
    state.update({name: copies[name, TRIPS - 1] for name in split.expanded})
    assert remaining(state, text.used) == after((root,), text.used)


@settings(max_examples=examples(60))
@given(nests(1))
def test_a_part_without_carried_dependences_runs_in_any_order(text: Text) -> None:
    asked = asked_of(text)
    root = asked.nest.root
    for part in asked.fission(root.id).parts:
        if part.is_parallel:
            alone = replace(root, body=tuple(s for s in root.body if s.id in part.statements))
            shared = tuple(name for name in text.used if name not in part.private)
            assert after((alone,), shared) == after((alone,), shared, frozenset((root.id,)))
