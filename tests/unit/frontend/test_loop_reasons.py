"""What is said of loops that are not counted, of what loops move, and of what was taken for granted."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest, loops_of


def lowered(body: str) -> LoweredFunction:
    source = "struct l { struct l *next; int v; }; int g(int);\n"
    source += f"int f(int n, int m, double *a, double *end, struct l *h) {{ {body} }}"
    (function,) = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo()).functions
    return function


def nest_of(body: str) -> LoopNest:
    (nest,) = lowered(body).nests
    return nest.nest


REASONS = {
    "while (h) { n += h->v; h = h->next; }": "a `while` loop that follows `h` from one element to the next",
    "while (1) { a[0] += 1; if (a[0] > 9) return 1; a[1] = 0; }": "only a `break`, `return` or `goto` ends",
    "while (g(n)) a[n] = 0;": "a `while` loop that ends when a call says so",
    "while (n > 1) { if (n % 2) n = 3 * n + 1; else n /= 2; }": "`n` is divided in each iteration",
    "double e = 1; while (e > 0.1) e = a[0] * e - 1;": "`e`",
    "do { a[0] = a[1]; } while (a[0] > 0);": "a `do` loop: its condition counts no variable",
}


@pytest.mark.parametrize("body", REASONS)
def test_an_outermost_loop_that_counts_nothing_says_why(body: str) -> None:
    function = lowered(body)
    assert function.nests == ()
    assert REASONS[body] in function.opaque[0].reason


INNER = {
    "for (int k = 1; k < n; k *= 2) a[k] = 0;": "`k` is multiplied in each iteration",
    "int k = n; while (k > 1) { k >>= 1; a[k] = 0; }": "`k` is shifted in each iteration",
    "int k = 0; while (k < n) { if (a[k] > 0) k++; k++; }": "`k` changes in no even steps",
    "struct l *q; for (q = h; q; q = q->next) a[q->v] = 0;": "follows `q` from one element to the next",
}


@pytest.mark.parametrize("body", INNER)
def test_an_inner_loop_that_is_not_counted_is_a_loop_with_a_reason(body: str) -> None:
    _, inner = loops_of(nest_of(f"for (int i = 0; i < m; i++) {{ {body} }}"))
    assert inner.limits == ()
    assert inner.bound_reads
    assert INNER[body] in inner.bound_reason


def test_what_a_loop_moves_is_listed_with_its_amount() -> None:
    nest = nest_of("int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[k++] = 1;")
    assert [[(one.name, one.step) for one in loop.inductions] for loop in loops_of(nest)] == [
        [("k", "m")], [("k", "1")],
    ]  # fmt: skip


def test_a_plain_for_moves_nothing_else() -> None:
    assert loops_of(nest_of("for (int i = 0; i < n; i++) a[i] = 1;"))[0].inductions == ()


@pytest.mark.parametrize(("rest", "used"), [("return k;", True), ("return 0;", False)])
def test_a_moved_variable_tells_whether_its_last_value_is_used(rest: str, used: bool) -> None:
    nest = nest_of(f"int k = 0; for (int i = 0; i < n; i++) {{ a[k] = 1; k += 2; }} {rest}")
    assert {scalar.name: scalar.used_after for scalar in nest.scalars}["k"] is used


ASSUMED = {
    "for (int i = 0; i < n; i += m) a[i] = 1;": ("`m`, the step of a loop, is assumed to be positive",),
    "int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) k++; a[k] = 1; }": (
        "`m`, how often a loop runs, is assumed to be at least 0",
    ),
    "int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < 3; j++) k++; a[k] = 1; }": (),
    "for (; a < end; a++) *a = 1;": (),
}


@pytest.mark.parametrize("body", ASSUMED)
def test_what_closed_forms_take_for_granted_is_said(body: str) -> None:
    assert nest_of(body).inexact == ASSUMED[body]


def test_a_loop_in_a_macro_that_runs_once_is_none() -> None:
    nest = nest_of("for (int i = 0; i < n; i++) do { a[i] = 1; } while (0);")
    assert len(loops_of(nest)) == 1


ENDLESS = {
    "for (unsigned char i = 0; i < 300; i++) a[i] = 1;": "`i` is an `unsigned char` and never reaches 300",
    "for (unsigned char i = 0; i <= 255; i++) a[i] = 1;": "`i` is an `unsigned char` and never reaches 256",
    "for (signed char i = 0; 128 != i; i++) a[i] = 1;": "`i` is a `char` and never reaches 128",
    "for (short i = 0; i < 40000; i++) a[i] = 1;": "`i` is a `short` and never reaches 40000",
    "for (unsigned i = n; i >= 0; i--) a[i] = 1;": "`i` is an `unsigned int` and never gets below 0",
    "for (unsigned i = n; --i >= 0;) a[i] = 1;": "`i` is an `unsigned int` and never gets below 0",
    "for (int i = n; i >= 0u; i--) a[i] = 1;": "`i` is an `int` and never gets below 0",
    "for (unsigned i = 0; i <= 4294967295u; i++) a[i] = 1;": "`i` is an `unsigned int` and never reaches 4294967296",
    "for (int i = 0; i <= 2147483647; i++) a[i] = 1;": "`i` is an `int` and never reaches 2147483648",
    "for (unsigned long i = n; i >= 0; i--) a[i] = 1;": "`i` is an `unsigned long` and never gets below 0",
    "for (unsigned char i = 0; i < 250; i += 100) a[i] = 1;": "`i` is an `unsigned char` and steps over 255",
    "for (unsigned i = 7; i > 0; i -= 2) a[i] = 1;": "`i` is an `unsigned int` and steps over 0",
    "for (int i = -3; i < (unsigned)n; i++) a[i + 3] = 1;": "`i` starts below zero and is compared as unsigned",
}


@pytest.mark.parametrize("body", ENDLESS)
def test_a_limit_that_the_iterators_type_does_not_reach_is_none(body: str) -> None:
    (loop,) = loops_of(nest_of(body))
    assert loop.limits == ()
    assert ENDLESS[body] in loop.bound_reason


def test_a_while_loop_that_never_ends_is_no_nest() -> None:
    function = lowered("unsigned k = n; while (k >= 0) { a[k] = 1; k--; }")
    assert function.nests == ()
    assert "never ends: `k` is an `unsigned int`" in function.opaque[0].reason


REACHED = {
    "for (unsigned char i = 0; i < 255; i++) a[i] = 1;": "255",
    "for (unsigned char i = 0; i < 250; i += 5) a[i] = 1;": "250",
    "for (int i = 0; i < 2147483647; i++) a[i] = 1;": "2147483647",
    "for (int i = 0; i < sizeof(int[9]); i++) a[i] = 1;": "36",
    "for (unsigned i = n; i-- > 0;) a[i] = 1;": "-1",
    "for (unsigned i = n; (int)i >= 0; i--) a[i] = 1;": "-1",
    "for (unsigned long i = n; i != (unsigned long)-1; i--) a[i] = 1;": "-1",
    "for (unsigned i = n; i > 1; i -= 2) a[i] = 1;": "1",
    "for (unsigned i = -1; ++i < (unsigned)n;) a[i] = 1;": "n",
    "for (int i = -3; i < (signed char)4u; i++) a[i + 3] = 1;": "4",
    "for (unsigned i = 0; i < n; i++) a[i] = 1;": "n",
    "unsigned k = m; while (k--) a[k] = 1;": "-1",
}


@pytest.mark.parametrize("body", REACHED)
def test_loops_that_end_at_the_end_of_a_type_are_counted(body: str) -> None:
    nest = nest_of(body)
    assert [str(limit) for limit in nest.root.limits] == [REACHED[body]]
    assert nest.root.bound_reason == ""
    assert nest.inexact == ()


IN_REACH = {
    "for (unsigned char i = 0; i < n; i++) a[i] = 1;": "`n` is assumed to be at most 255: `i` is an `unsigned char`",
    "for (unsigned char i = 0; i < 300 && i < n; i++) a[i] = 1;": (
        "`n` is assumed to be at most 255: `i` is an `unsigned char`"
    ),
    "for (short i = 0; i <= n; i++) a[i] = 1;": "`n` is assumed to be at most 32766: `i` is a `short`",
    "for (unsigned char i = 0; i < h->v; i++) a[i] = 1;": (
        "`h[0].v` is assumed to be at most 255: `i` is an `unsigned char`"
    ),
    "for (unsigned i = 9; i >= n; i--) a[i] = 1;": "`n` is assumed to be at least 1: `i` is an `unsigned int`",
    "unsigned char k = n, e = m; for (unsigned char i = k; i != e; i++) a[i] = 1;": (
        "`i` is assumed to get to `e` without wrapping: it is an `unsigned char`"
    ),
    "for (unsigned short i = n; i != 9; i--) a[i] = 1;": (
        "`i` is assumed to get to `9` without wrapping: it is an `unsigned short`"
    ),
}


@pytest.mark.parametrize("body", IN_REACH)
def test_a_limit_that_a_narrow_iterator_may_not_reach_is_said(body: str) -> None:
    nest = nest_of(body)
    assert nest.inexact == (IN_REACH[body],)
    assert len(nest.root.limits) == 1 or nest.root.limit_reads


@pytest.mark.parametrize("header", ["unsigned char i = 250; i != 5; i++", "short i = -3; i != 5; i--"])
def test_a_narrow_iterator_that_wraps_is_not_counted(header: str) -> None:
    assert "wraps on its way to 5" in nest_of(f"for ({header}) a[i + 9] = 1;").root.bound_reason


@pytest.mark.parametrize("header", ["unsigned char i = 0; i != e; i++", "int i = n; i != m; i++"])
def test_an_iterator_that_need_not_wrap_is_counted_without_a_word(header: str) -> None:
    assert nest_of(f"unsigned char e = m; for ({header}) a[i] = 1;").inexact == ()


def test_a_limit_of_the_iterators_own_type_is_in_reach() -> None:
    body = "unsigned char last = n; for (int k = 0; k < n; k++) for (unsigned char i = 0; i < last; i++) a[i] = 1;"
    assert nest_of(body).inexact == ()


def test_what_doubles_its_own_name_is_not_followed() -> None:
    moves = "t = t / 2 + t % 3; m = m / 2 + m % 5;" * 40
    nest = nest_of(f"for (int i = 0; i < n; i++) {{ int t = i; int m = n; {moves} a[t + m] = 0; }}")
    assert all(len(name) < 10_000 for name in nest.parameters)
    assert loops_of(nest) == (nest.root,)


def test_a_type_that_no_header_declares_costs_no_more_than_the_call() -> None:
    """Without it the prototype reads as a list of names in the old style."""
    source = (
        "int g(Communicator);\nvoid f(int n, double *a) { int k; for (int i = 0; i < n; i++) { a[i] = 1; g(&k); } }\n"
    )
    unit = parse_unit(source, Preprocessed(source, "main.c"), Memo())
    assert (unit.loops_in_text, unit.loops_found, unit.opaque) == (1, 1, ())
