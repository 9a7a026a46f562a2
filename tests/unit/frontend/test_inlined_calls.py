"""A call of a function of the file is lowered as its body, with the caller's names out of its sight."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.nest import LoopNest, walk_statements

Parse = Callable[..., TranslationUnit]
Nests = Callable[[str], list[LoopNest]]


def statements(nest: LoopNest) -> list[str]:
    return [line.strip().partition(": ")[2] for line in dump(nest).splitlines() if line.lstrip()[:1].isdigit()][1:]


def test_a_value_is_put_in_place_and_subscripts_stay_polynomials(nests: Nests) -> None:
    (nest,) = nests(
        "static int at(int i, int j, int n) { return i * n + j; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[at(i, 2, n)] = 0; }"
    )
    (line,) = statements(nest)
    assert line.startswith("a[i*n + 2]")
    assert nest.inlined == ("at",)


def test_statements_come_before_and_locals_do_not_clash(nests: Nests) -> None:
    (nest,) = nests(
        "static double g(double i) { double n = i + 1; return n * n; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = g(a[i]); }"
    )
    assert [line.partition("@")[0] for line in statements(nest)] == [
        "double i'2 = a[i]",
        "double n'2 = (i'2 + 1.0)",
        "a[i]",
    ]


def test_the_body_sees_the_file_not_the_caller(nests: Nests) -> None:
    (nest,) = nests(
        "double k; static void g(double v) { k = v; }void f(int n, double *a) { for (int k = 0; k < n; k++) g(a[k]); }"
    )
    assert any(scalar.scope == "global" for scalar in nest.scalars)
    assert nest.inlined_globals == ("k",)


def test_an_iterator_of_the_body_is_not_the_callers(nests: Nests) -> None:
    nest = nests(
        "static double g(const double *p) { double s = 0; for (int i = 0; i < 4; i++) s += p[i]; return s; }"
        "void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) b[i] = g(a + 4 * i); }"
    )[-1]
    assert "for int i'2 = 0; < 4; +1" in statements(nest)
    assert any("a[4*i + i'2]" in line for line in statements(nest))


def test_early_returns_become_branches(nests: Nests) -> None:
    (nest,) = nests(
        "static void g(double *p) { if (*p < 0) return; *p = 1; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) g(&a[i]); }"
    )
    lines = statements(nest)
    assert lines[0].startswith("if (a[i]")
    assert lines[1] == "else"
    assert lines[2].startswith("a[i]")


def test_what_only_gives_a_value_is_one_expression(nests: Nests) -> None:
    (nest,) = nests(
        "static double g(double v) { if (v < 0) return 0; return v; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = g(a[i]); }"
    )
    (line,) = statements(nest)
    assert "?" in line


def test_an_argument_is_changed_only_in_the_called_function(nests: Nests) -> None:
    (nest,) = nests(
        "static int g(int k) { k += 3; return k; }void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = g(i); }"
    )
    assert statements(nest)[0] == "int k = i"
    assert nest.root.iterator == "i"


def test_a_late_effect_of_an_argument_happens_before_the_body(nests: Nests) -> None:
    (nest,) = nests(
        "int k; static int g(int v) { return v + k; }"
        "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = g(k++); }"
    )
    lines = [line.partition(" = ")[0] if "+=" not in line else line for line in statements(nest)]
    assert lines[:2] == ["int v", "k += 1"]
    assert "(v + k)" in statements(nest)[2]


def test_a_static_variable_is_one_for_all_calls(nests: Nests) -> None:
    (nest,) = nests(
        "static int g(void) { static int s; return s++; }"
        "void f(int n, int *a) { for (int i = 0; i < n; i++) { a[i] = g(); a[i] += g(); } }"
    )
    assert [scalar.name for scalar in nest.scalars if scalar.scope == "global"] == ["s"]


def test_a_function_that_jumps_forwards_is_put_in_place(nests: Nests) -> None:
    (nest,) = nests(
        "static double g(double v) { if (v > 1) goto end; v = 2 * v; end: return v; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = g(a[i]); }"
    )
    assert "g!(" not in dump(nest)
    assert "If" in repr(nest.root.body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("static double g(double v) { return v > 0 ? g(v - 1) : 0; }", ""),
        ("static double g(double v) { again: v /= 2; if (v > 1) goto again; return v; }", ""),
        ("static double g(double v) { for (;;) if (v > 3) return v; else v += 1; }", ""),
        ("double g(double v, ...);", "body is not in this file"),
        ("double h(void); static double g(double v) { return v + h(); }", "body is not in this file"),
        ("static double s; static double g(double v) { for (int k = 0; k < 9; k++) if (v > k) { s = v; return v; } }",
         ""),
    ],
)  # fmt: skip
def test_what_cannot_be_put_in_place_stays_a_call(nests: Nests, body: str, reason: str) -> None:
    nest = nests(f"{body} void f(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] = g(a[i]); }}")[-1]
    assert reason in repr(nest)
    assert "g!(" in dump(nest) or "h!(" in dump(nest)


def test_a_function_of_the_file_is_not_the_librarys(nests: Nests) -> None:
    (nest,) = nests(
        "double trunc(double v) { return v * 3; }"
        "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = trunc(a[i]); }"
    )
    assert "trunc(" not in dump(nest)
    assert "* 3.0" in dump(nest)


def test_an_operand_that_acts_runs_under_its_condition(nests: Nests) -> None:
    (nest,) = nests(
        "static int g(double *p) { *p = 0; return 1; }"
        "void f(int n, double *a, int *b) { for (int i = 0; i < n; i++) b[i] = b[i] > 0 && g(&a[i]); }"
    )
    lines = statements(nest)
    assert lines[0].startswith("int condition' = (b[i]")
    assert lines[1] == "if condition'"
    assert lines[2].startswith("a[i]")


def test_functions_of_headers_are_seen_through() -> None:
    header = "static inline int half(int v) { return v / 2; }\n"
    source = "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = half(a[i]); }"
    text = f'# 1 "unit.c"\n# 1 "other.h" 1\n{header}# 2 "unit.c" 2\n{source}\n'
    unit = parse_unit(f'#include "other.h"\n{source}\n', Preprocessed(text, "unit.c"), Memo())
    assert unit.functions[-1].nests[0].nest.inlined == ("half",)


def test_every_node_of_the_body_stands_at_the_call(parse: Parse) -> None:
    source = (
        "static void g(double *p, int n) { for (int k = 0; k < n; k++) p[k] = 0; }\n"
        "void f(int n, double a[n][n]) {\n  for (int i = 0; i < n; i++)\n    g(a[i], n);\n}\n"
    )
    unit = parse(source)
    lowered = unit.functions[-1].nests[0]
    spans = [span for _, span in (*lowered.spans.nodes, *lowered.spans.header[1:], *lowered.spans.whole[1:])]
    base = lowered.spans.base
    assert {source[base + span.start : base + span.end] for span in spans} <= {"g(a[i], n)", "g(a[i], n);"}
    accesses = [a for statement in walk_statements((lowered.nest.root,)) for a in accesses_of(statement)]
    assert [access.text for access in accesses] == [""]


@pytest.mark.parametrize(
    ("handed", "left"),
    [("0", ["d[i]"]), ("p", ["if p'3", "d[i]", "else", "d[i]"])],
    ids=["null", "a pointer"],
)
def test_a_null_pointer_that_is_handed_on_stays_null(nests: Nests, handed: str, left: list[str]) -> None:
    (nest,) = nests(
        "static void put(double *d, const double *p) { if (p) d[0] = p[0]; else d[0] = 2; }"
        "static void pass(double *d, const double *p) { put(d, (const double *)p); }"
        f"void f(int n, double *d, double *p) {{ for (int i = 0; i < n; i++) pass(d + i, {handed}); }}"
    )
    assert [line.partition("@")[0] for line in statements(nest)] == left


def test_a_parameter_before_a_loop_keeps_its_name_from_those_of_called_functions(parse: Parse) -> None:
    source = (
        "struct s { double *data; int at; int n; };\n"
        "static double next(struct s *it) { return it->at < it->n ? it->data[it->n - ++it->at] : 0; }\n"
        "void f(struct s *it, double *a) { while (it->at > 5) { it->n += 8; a[0] = next(it); } }\n"
    )
    unit = parse(source)
    assert (unit.loops_found, unit.loops_in_text) == (1, 1)
    assert "not lowered" not in " ".join(one.reason for one in (*unit.opaque, *unit.functions[-1].opaque))


def test_loops_of_a_callee_may_count_with_the_callers_names(nests: Nests) -> None:
    _, nest = nests(
        "static void g(int n, double *a) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[i * n + j] = 1; }"
        "void f(int n, double *restrict a, double *restrict b) {"
        " for (int i = 0; i < n; i += 4) for (int j = 0; j < n; j += 4) { g(n, a + i * n + j); b[i * n + j] = 2; } }"
    )
    assert nest.inlined == ("g",)
    stores = [line.partition("@")[0] for line in statements(nest) if line.startswith(("a[", "b["))]
    assert stores == ["a[i*n + i'2*n + j + j'2]", "b[i*n + j]"]
