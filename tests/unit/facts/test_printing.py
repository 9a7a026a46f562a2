"""Loops that print: parallel if nobody minds the order of the output, and by nothing that prints do besides."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.unordered import Unordered

DECLARED = """#include <stdio.h>
#include <string.h>
int level; void touch(int i, double *y); int omp_get_thread_num(void); FILE *of(int i); char *text(int i);
int label(char *into, int i); struct row { char *name; int n; };
static void say(int i) { fprintf(stderr, "row %d\\n", i); }
static int loud(const double *x, int i) { for (int k = 0; k < 3; k++) { if (x[k] > i) { puts("big"); return 1; } }
 return 0; }
static void told(double *x, int i) { for (int k = 0; k < 3; k++) { if (x[k] > i) { puts("big"); return; } x[k] = i; } }
static void shown(FILE *f, const char *s, int i) { for (int k = 0; k < i; k++) {
 if (s[k] == 7) return; fputs(s, f); } }
"""


def nest_of(body: str, before: str = "") -> LoopNest:
    parameters = (
        "int n, double *restrict y, const double *restrict x, FILE *out, char *restrict s, struct row *restrict r"
    )
    text = f"{DECLARED} void f({parameters}) {{ int done = 0; {before} for (int i = 0; i < n; i++) {{ {body} }} }}"
    *_, last = judged(text)
    return last.nest


def offered(body: str, before: str = "") -> tuple[str, ...]:
    """What would have to be promised."""
    verdict = loop_verdicts(nest_of(body, before))[0]
    assert verdict.kind == "unknown" or not verdict.conditions
    return tuple(promise.subject for promise in verdict.conditions)


def under(body: str, *promises: Promise) -> LoopVerdict:
    return loop_verdicts(nest_of(body), promises)[0]


@pytest.mark.parametrize(
    "body",
    [
        'y[i] = x[i]; if (level > 2) fprintf(stderr, "row %d of %s\\n", i, "all");',
        "y[i] = x[i]; fflush(out); putchar('.'); fputc('.', out); putc('.', stderr); fputs(\"a\", out); perror(\"b\");",
        "y[i] = x[i]; fwrite(x + i, sizeof *x, 1, out);",
        'y[i] = x[i]; if (fprintf(out, "%d", i) < 0) y[i] = 0;',
        'y[i] = x[i]; fprintf(out, "%*d %s %5.2f%%\\n", 3, i, r[i].name, x[i]);',
        'fprintf(of(i), "%g", y[i] = x[i]);',
        "y[i] = x[i]; say(i);",
        "y[i] = loud(x, i);",
        "y[i] = x[i]; shown(out, r[0].name, i);",
    ],
)
def test_prints_are_in_the_way_only_by_their_order(body: str) -> None:
    found = offered(body)
    assert Unordered().subject in found
    assert set(found) <= {Unordered().subject, "of"}
    verdict = under(body, Unordered(), Independent("of"))
    assert verdict.kind == "parallel"
    assert Unordered().subject in [a.subject for a in verdict.assumptions if a.kind == "promise"]


@pytest.mark.parametrize(
    "body",
    [
        'y[i] = x[i]; scanf("%d", &level);',
        "y[i] = x[i]; fseek(out, i, 0);",
        "y[i] = x[i]; fclose(out);",
        'y[i] = x[i]; FILE *f = fopen("a", "w"); fprintf(f, "%g", x[i]);',
        'y[i] = x[i]; printf("%d%n", i, &level);',
        'y[i] = x[i]; printf("%d\\x25n", i, &level);',
        "y[i] = x[i]; printf(s, i);",
        'y[i] = x[i]; strtok(s, ",");',
        'y[i] = y[i + 1]; printf("%g", y[i]);',
        'y[i] = y[0]; printf("%g", y[i]);',
        'y[i] = level; printf("%d", ++level);',
        'y[0] = x[i]; printf("%g", y[0]); y[i + 1] = y[0] + y[i];',
    ],
)  # fmt: skip
def test_what_stands_in_the_way_besides_stays_there(body: str) -> None:
    assert offered(body) == ()
    assert under(body, Unordered()).kind in {"unknown", "carried"}


@pytest.mark.parametrize(
    "body",
    [
        "s[i] = 0; puts(s);",
        's[i] = 0; printf("%s", s);',
        's[i] = 0; fprintf(stderr, "%d %s", i, s + 1);',
        "s[i] = 0; fwrite(s, 1, n, out);",
        "s[i] = 0; shown(out, s, i);",
        "y[i] = x[i]; told(y, i);",
    ],
)
def test_what_is_printed_is_read(body: str) -> None:
    assert under(body, Unordered()).kind in {"unknown", "carried"}


def test_nothing_is_offered_where_a_loop_only_prints() -> None:
    for body in ('printf("%g\\n", x[i]);', 'for (int k = 0; k < 3; k++) { printf("%g", x[k]); } puts("");', "say(i);"):
        assert offered(body) == ()
        assert under(body, Unordered()).kind == "parallel"


def test_a_counter_that_is_printed_only_reports_if_both_are_said() -> None:
    body = 'y[i] = x[i]; if (x[i] > 0) done++; printf("%d of %d\\n", done, n);'
    assert offered(body) == (Unordered().subject, "done")
    assert under(body, Unordered()).kind != "parallel"
    assert under(body, Unordered(), Independent("done")).kind == "reduction"


def test_the_promise_speaks_of_its_own_loop() -> None:
    nest = nest_of('for (int k = 0; k < 9; k++) { y[9 * i + k] = k; fprintf(out, "%d", k); }')
    outer, inner = loop_verdicts(nest)
    for said, other in ((outer, inner), (inner, outer)):
        kinds = {v.loop: v.kind for v in loop_verdicts(nest, (Unordered(loop=said.loop),))}
        assert (kinds[said.loop], kinds[other.loop]) == ("parallel", "unknown")


def test_that_a_function_which_prints_is_independent_says_nothing_of_its_output() -> None:
    assert under("y[i] = x[i]; say(i);", Independent("say"), Independent("fprintf")).kind == "unknown"
    assert under("y[i] = loud(x, i);", Independent("loud")).kind == "unknown"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('int t = omp_get_thread_num(); y[i] = x[i]; printf("%d did %d", t, i);', "parallel"),
        ('y[i] = x[i]; if (omp_get_thread_num() == 0) printf("%d", i);', "parallel"),
        ("int t = omp_get_thread_num(); y[i] = x[i]; if (level && !t) { say(i); fflush(out); }", "parallel"),
        ('int t = omp_get_thread_num(); if (t == 0) { printf("%d", i); y[i] = x[i]; }', "unknown"),
        ('int t = omp_get_thread_num(); if (t == 0) { printf("%d", i); } else y[i] = x[i];', "unknown"),
        ('int t = omp_get_thread_num(); y[i] = printf("%d", t);', "unknown"),
        ('y[i] = x[i]; for (int k = 0; k < omp_get_thread_num(); k++) printf("%d", i);', "parallel"),
    ],
)  # fmt: skip
def test_the_number_of_the_thread_may_be_printed_or_decide_who_prints(body: str, kind: str) -> None:
    verdict = under(body, Unordered())
    assert verdict.kind == kind
    said = [a.text for a in verdict.assumptions if a.subject == "omp_get_thread_num"]
    assert [("is 0 where one thread runs the loop" in text) for text in said] == [True] * (kind == "parallel")
