"""Code while it is being typed: what is broken is cut out and named, the loops around it are analysed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.ir.dump import dump

Parse = Callable[..., TranslationUnit]
LOOP = "for (int i = 0; i < n; i++) a[i] = 1;"
OTHER = f"\nvoid other(int n, double *a) {{ {LOOP} }}\n"

BROKEN = {
    "missing semicolon": (f"n = 3 {LOOP}", "n = 3", 1),
    "missing operand": (f"a[n] = ; {LOOP}", "a[n] = ;", 1),
    "missing operand in a loop": ("for (int i = 0; i < n; i++) a[i] = ;", "a[i] = ;", 1),
    "missing operand in a block": ("for (int i = 0; i < n; i++) { a[i] = ; a[i] = 1; }", "a[i] = ;", 1),
    "half-typed header": (f"{LOOP} for (int i = 0; i <", "for (int i = 0; i <", 1),
    "one bracket too many": (f"a[0] = 1); {LOOP}", "a[0] = 1);", 1),
    "unterminated string": (f'char *s = "abc;\n {LOOP}', 'char *s = "abc;', 1),
    "unknown loop macro": (f"EACH(i, n) {{ a[i] = 1; }} {LOOP}", "EACH(i, n) { a[i] = 1; }", 1),
    "deep in other statements": (f"if (n) {{ if (n > 1) {{ x y z; n--; }} }} {LOOP}", "x y z;", 1),
}


@pytest.mark.parametrize(("body", "broken", "nests"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_statement_costs_only_itself(parse: Parse, body: str, broken: str, nests: int) -> None:
    source = f"void f(int n, double *a) {{ {body} }}\n{OTHER}"
    unit = parse(source)
    assert [source[opaque.span.start : opaque.span.end] for opaque in unit.opaque] == [broken]
    assert unit.opaque[0].reason
    assert [len(function.nests) for function in unit.functions] == [nests, 1]
    assert any("left out" in note for note in unit.functions[0].nests[0].nest.inexact)
    assert unit.functions[1].nests[0].nest.inexact == ()


@pytest.mark.parametrize("broken", ["n = 3 ", "known_by_no_header p = 3; a[n] = ;", "x y z;"])
def test_a_broken_statement_does_not_cost_the_directives_of_other_loops(parse: Parse, broken: str) -> None:
    unit = parse(f"void f(int n, double *a) {{ {broken}\n{LOOP}\n#pragma omp parallel for private(n)\n{LOOP} }}")
    directives = [lowered.nest.root.directive for lowered in unit.functions[0].nests]
    assert [directive.construct if directive else "" for directive in directives] == ["", "omp parallel for"]


def test_a_pragma_where_none_may_stand_costs_only_itself(parse: Parse) -> None:
    unit = parse(f"void f(int n, double *a) {{ a[0] =\n#pragma omp parallel for\n n; n = ; {LOOP} }}")
    assert len(unit.functions[0].nests) == 1
    assert len(unit.opaque) == 1


def test_a_broken_statement_is_no_computation(parse: Parse) -> None:
    unit = parse("void f(int n, double *a) { for (int i = 0; i < n; i++) { a[i] = ; a[i] = 1; } }")
    assert "opaque: a statement that was not understood" in dump(unit.functions[0].nests[0].nest)


def test_a_function_without_an_end_keeps_its_loops(parse: Parse) -> None:
    unit = parse("void f(int n, double *a) { for (int i = 0; i < n; i++) { a[i] = 1;\n\n" + OTHER)
    assert [(function.name, len(function.nests)) for function in unit.functions] == [("f", 1), ("other", 1)]
    assert [opaque.reason for opaque in unit.opaque] == ["the function has no end: 2 `}` missing"]


def test_a_struct_without_a_semicolon_is_no_part_of_the_function_after_it(parse: Parse) -> None:
    unit = parse(f"struct s {{ int x; }}\nvoid f(int n, double *a) {{ {LOOP} }}\n")
    assert unit.opaque == ()
    assert [len(function.nests) for function in unit.functions] == [1]


def test_loops_outside_of_functions_are_counted_and_shown(parse: Parse) -> None:
    unit = parse("int x[] = { for (;;) };\n" + OTHER)
    assert (unit.loops_in_text, unit.loops_found) == (2, 1)
    assert [opaque.reason for opaque in unit.opaque] == ["a loop outside of any function that was recognised"]
    assert any("2 loops in the text, 1 found" in problem.message for problem in unit.problems)


@pytest.mark.long
def test_a_function_that_macros_blow_up_is_refused(parse: Parse) -> None:
    doubling = "".join(f"#define M{k} M{k - 1} M{k - 1}\n" for k in range(1, 19)) + "#define M0 a[0]+=1;\n"
    unit = parse(f"{doubling}void f(int n, double *a) {{ M18 {LOOP} }}\n{OTHER}")
    assert ["too long" in opaque.reason for opaque in unit.opaque] == [True]
    assert [len(function.nests) for function in unit.functions] == [0, 1]


def test_a_call_before_a_loop_is_no_nested_function(parse: Parse) -> None:
    unit = parse(f"void f(int n, double *a) {{ INLINE ALSO while (n > 3) {{ n--; }} {LOOP} }}")
    assert all("nested function" not in opaque.reason for opaque in unit.opaque)
    assert len(unit.functions[0].nests) >= 1


def test_a_header_that_starts_from_what_a_call_gives_costs_its_loop_alone(parse: Parse) -> None:
    header = "for (struct s *p = first(); p; p = next(p)) p->x = 1;"
    source = (
        "struct s { double x; }; struct s *first(void), *next(struct s *);\n"
        f"void f(int n, double *a) {{ struct s *q; {header} for (q = first(); q; q = next(q)) q->x = 1; {LOOP} }}\n"
    )
    unit = parse(source)
    assert (unit.opaque, unit.loops_in_text, unit.loops_found) == ((), 3, 3)
    assert len(unit.functions[0].nests) == 1


def test_code_in_a_string_is_a_string(parse: Parse) -> None:
    """As in programs that print programs: a list or a statement expression that a string begins never ends."""
    printed = 'say("int a[] = {\\n"); say("({");' + 'say("1, 2, 3,\\n");' * 200
    unit = parse(f"void say(const char *); void f(int n, double *a) {{ {printed} {LOOP} n = ({{ n; }}); }}\n")
    assert (unit.opaque, unit.loops_in_text, unit.loops_found) == ((), 1, 1)
    assert len(unit.functions[0].nests) == 1
