"""Effects of calls: a fixed point over functions that call each other, the same whoever asks first."""

from itertools import permutations

import pytest
from pycparser import c_parser
from warplens.analysis.frontend.effects.call_effects import CallEffects, EffectsOfCalls
from warplens.analysis.frontend.effects.memory_roots import OwnEffects
from warplens.analysis.frontend.effects.own_effects import own_effects

GLOBALS = {"seen", "depth"}


def effects_in(text: str) -> EffectsOfCalls:
    own = {node.decl.name: own_effects(node, GLOBALS) for node in c_parser.CParser().parse(text).ext}
    return EffectsOfCalls(own.get)


def circle(length: int) -> str:
    """Each function hands its pointers on to the next, turned by one; the last changes what the first points to."""
    names = [f"p{n}" for n in range(length + 1)]
    parameters = ", ".join(f"int *{name}" for name in names)
    turned = ", ".join([*names[1:], names[0]])
    calls = [f"void f{n}({parameters}) {{ f{(n + 1) % length}({turned}); }}" for n in range(length - 1)]
    return "\n".join([*calls, f"void f{length - 1}({parameters}) {{ ++*p0; f0({turned}); }}"])


@pytest.mark.parametrize("length", [1, 2, 5, 12])
def test_what_travels_round_a_circle_of_calls_reaches_every_parameter(length: int) -> None:
    effects, every = effects_in(circle(length)), frozenset(range(length + 1))
    for name in (f"f{n}" for n in range(length)):
        assert effects.of(name) == CallEffects(written=every, read=every)


RECURSIVE = """
void even(int n, int *a) { seen = n; if (n) odd(n - 1, a); }
void odd(int n, int *b) { b[n] = depth; if (n) even(n - 1, b); unseen(b); }
void outside(int *c) { even(3, c); }
void apart(int *d) { d[0] = d[1]; }
"""


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    names = ("even", "odd", "outside", "apart")
    answers = set()
    for order in permutations(names):
        effects = effects_in(RECURSIVE)
        found = {name: effects.of(name) for name in order}
        answers.add(tuple(found[name] for name in names))
    assert len(answers) == 1
    even, odd, outside, apart = answers.pop()
    assert even is not None
    assert odd is not None
    assert outside is not None
    for one in (even, odd):
        assert (one.written, one.globals_written) == ({1}, {"seen"})
        assert "depth" in one.globals_read
    assert (outside.written, outside.globals_written) == ({0}, {"seen"})
    assert "unseen" in outside.unknown
    assert apart == CallEffects(written=frozenset({0}), read=frozenset({0}))


def test_each_function_is_looked_at_once() -> None:
    asked: list[str] = []

    def own(name: str) -> OwnEffects | None:
        asked.append(name)
        return table.get(name)

    table = {node.decl.name: own_effects(node, GLOBALS) for node in c_parser.CParser().parse(RECURSIVE).ext}
    effects = EffectsOfCalls(own)
    for _ in range(2):
        for name in ("outside", "odd", "even", "unseen"):
            effects.of(name)
    assert sorted(asked) == ["even", "odd", "outside", "unseen"]
    assert effects.of("unseen") is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p->x = p->y;", {0}),
        ("if (p != 0 && !q) *p = p[0];", {0}),
        ("inner(p); q[1] = 0;", {0}),
        ("inner(q); p->x = 1;", {0, 1}),
        ("reach(p); p->x = 1;", set()),
        ("p[1] = 0;", set()),
        ("p++; *p = 0;", set()),
        ("r = p; r[1] = *p;", set()),
        ("inner(p + 1);", set()),
        ("memset(p, 0, 9);", set()),
        ("*p = 0; f(p, q);", set()),
    ],
)
def test_parameters_of_which_no_more_than_the_first_element_is_touched(body: str, expected: set[int]) -> None:
    effects = effects_in(
        f"void inner(int *a) {{ ++*a; }} void reach(int *a) {{ ++a[2]; }} void f(int *p, int *q) {{ int *r; {body} }}"
    ).of("f")
    assert effects is not None
    assert effects.first_only == expected


def test_the_last_call_may_be_one_of_what_a_parameter_or_a_variable_leads_to() -> None:
    effects = effects_in(
        "void call(void f(int), int n) { f(n); }\nvoid own(int n) { void (*g)(int) = seen; g(n); }\n"
        "void all(int n) { call(own, n); own(n); }\n"
    )
    for name in ("call", "own", "all"):
        found = effects.of(name)
        assert found is not None
        assert not found.ends
        assert "a pointer" in found.unknown
