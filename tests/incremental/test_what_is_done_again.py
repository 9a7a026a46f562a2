"""Which functions are parsed, placed, analysed and evaluated anew after an edit: by name, and none beside them."""

from collections.abc import Callable, Hashable
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import Report
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.declarations.declared_names import function_name

T = TypeVar("T")

HEADER = """\
#define LENGTH 12
static inline double half(double v) { return v * 0.5; }
static inline double third(double v) { return v / 3; }
double seen(double v);
"""
SOURCE = """\
#include "shared.h"
#define SCALE 2.0
#define ROWS 300
#define UNUSED 1
typedef float real;
struct cell { double value, weight; };
double table[64][64];
int counter;
static const int order[4] = {2, 0, 3, 1};

static double square(double v) { return v * v; }
static double squared_plus(double v) { return square(v) + 1; }

static void touch(double *at)
{
again:
    *at = 1;
    if (*at > 1)
        goto again;
}

void looks_into(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = square(a[i]);
}

void looks_further(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = squared_plus(a[i]);
}

void calls(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        touch(a + i);
}

void of_header(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = half(a[i]);
}

void of_length(double *restrict a)
{
    for (int i = 0; i < LENGTH; i++)
        a[i] = 0;
}

void promised(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = seen(a[i]);
}

void scaled(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] *= SCALE;
}

void rows(double *restrict a)
{
    for (int i = 0; i < ROWS; i++)
        a[i] = 1;
}

real total(int n, const real *x)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void cells(int n, struct cell *c)
{
    for (int i = 0; i < n; i++)
        c[i].value *= c[i].weight;
}

void ordered(float *restrict y)
{
    for (int i = 0; i < 4; i++)
        y[order[i]] = i;
}

void tables(void)
{
    for (int i = 0; i < 64; i++)
        table[i][3] = i;
}

void guarded(int n, double *restrict a)
{
    if (n < 8)
        return;
    for (int i = 0; i < n; i++)
        a[i] += 3;
}

void scatter(int n, const int *idx, float *restrict y)
{
    for (int i = 0; i < n; i++)
        y[idx[i]] = i;
}

static void shifted(float *y, int n, int by)
{
    for (int i = 0; i < n; i++)
        y[i + by] = y[i];
}

void move(float *y)
{
    shifted(y, 100, 200);
}

static void sized(int n, float *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = 7;
}

void start(float *y)
{
    sized(200, y);
}

#if FAST
void switched(int n, float *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = 8;
}
#endif

void report(const char *why, const char *file, int line);

void checked(int n, double *restrict a)
{
    do { report("checked", __FILE__, __LINE__); } while (n < 0);
    for (int i = 0; i < n; i++)
        a[i] -= 1;
}
"""


class Recorder(Memo):
    """Remembers what was computed, too."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[str, Hashable]] = []

    def get(self, kind: str, key: Hashable, compute: Callable[[], T]) -> T:
        """As without the recording."""
        before = self.computed.get(kind, 0)
        result = super().get(kind, key, compute)
        if self.computed.get(kind, 0) > before and isinstance(key, tuple):
            self.done.append((kind, key[0]))
        return result

    def names(self, kind: str) -> frozenset[str]:
        """Functions whose texts something of this kind was computed for."""
        firsts = (first[0] if isinstance(first, tuple) else first for one, first in self.done if one == kind)
        return frozenset(function_name(text.partition("{")[0]) for text in firsts)

    def nests(self, kind: str, report: Report) -> frozenset[str]:
        """Functions with a nest that something of this kind was computed for."""
        done = [first.held if isinstance(first, SameObject) else first for one, first in self.done if one == kind]
        nests = [one.nest if isinstance(one, NestFacts) else one for one in done]
        of = [(f.name, n.facts.nest) for f in report.functions for n in f.nests if n.facts is not None]
        return frozenset(name for name, nest in of if nest in nests)


@dataclass(frozen=True)
class Edit:
    """`old` becomes `new`; the functions that this may cost, by what is done with them."""

    name: str
    old: str
    new: str
    parsed: str = ""
    analysed: str | None = None
    """As parsed where nothing is said, and likewise below."""
    evaluated: str | None = None
    placed: str | None = None


EDITS = (
    Edit("line_above_all", '#include "shared.h"', '\n#include "shared.h"'),
    Edit("lines_above_all_headers", '#include "shared.h"', "/* a\n" * 12 + '*/\n#include "shared.h"'),
    Edit("line_between", "void calls(", "int between;\n\nvoid calls("),
    Edit("line_in_a_body", "    if (n < 8)", "\n    if (n < 8)", "guarded", analysed=""),
    Edit("comment_in_a_body", "a[i] += 3;", "a[i] += 3; /* three */", placed="guarded"),
    Edit("comment_above", "void guarded", "/* guarded */\nvoid guarded", placed="tables"),
    Edit("comment_in_what_is_looked_into", "return v * v;", "return /* squared */ v * v;", placed="square"),
    Edit(
        "comment_with_a_size", "void guarded", "// warplens: n = 99\nvoid guarded", evaluated="guarded", placed="tables"
    ),
    Edit(
        "comment_with_a_promise", "void scatter", "// warplens: idx has no repeats\nvoid scatter",
        analysed="scatter", evaluated="scatter", placed="guarded",
    ),
    Edit("body", "a[i] += 3;", "a[i] += 4;", "guarded"),
    Edit("guard", "n < 8", "n < 9", "guarded"),
    Edit("name", "void guarded(", "void watched(", "watched", analysed=""),
    Edit(
        "body_looked_into", "return v * v;", "return v * v * v;",
        "looks_into looks_further", placed="square looks_into looks_further",
    ),
    Edit("body_looked_into_by_one", "+ 1;", "+ 2;", "looks_further", placed="squared_plus looks_further"),
    Edit("body_with_the_same_effects", "*at = 1;", "*at = 2;", "calls", analysed="", placed="touch calls"),
    Edit("body_with_other_effects", "*at = 1;", "*at = 1; counter++;", "calls", placed="touch calls"),
    Edit("body_in_a_header", "v * 0.5", "v * 0.25", "of_header"),
    Edit("body_in_a_header_that_nobody_calls", "v / 3", "v / 4"),
    Edit("line_in_a_header", "static inline double half", "\n\nextern int more;\nstatic inline double half"),
    Edit("macro_in_a_header", "LENGTH 12", "LENGTH 13", "of_length"),
    Edit("promise_in_a_header", "seen(double v);", "seen(double v) __attribute__((const));", "promised"),
    Edit("macro", "SCALE 2.0", "SCALE 2.5", "scaled"),
    Edit("macro_in_a_bound", "ROWS 300", "ROWS 301", "rows"),
    Edit("macro_that_nobody_uses", "UNUSED 1", "UNUSED 2"),
    Edit("typedef", "typedef float real", "typedef double real", "total"),
    Edit("structure", "value, weight", "value, spare, weight", "cells"),
    Edit("extent_of_a_global", "table[64][64]", "table[64][65]", "tables"),
    Edit("values_of_a_table", "{2, 0, 3, 1}", "{2, 0, 3, 0}", "ordered"),
    Edit("values_of_a_table_that_say_the_same", "{2, 0, 3, 1}", "{2, 1, 3, 0}", "ordered", analysed=""),
    Edit("global_that_no_loop_uses", "int counter;", "long counter;"),
    Edit("size_at_a_call", "sized(200, y)", "sized(201, y)", "start", analysed="", evaluated="sized"),
    Edit(
        "argument_that_decides", "shifted(y, 100, 200)", "shifted(y, 100, 201)",
        "move", analysed="shifted", evaluated="shifted",
    ),
    Edit("conditional", "#if FAST", "#if !FAST", "switched", placed="switched start"),
    Edit("function_gone", "void start(float *y)\n{\n    sized(200, y);\n}\n", "", evaluated="sized", placed="sized"),
)  # fmt: skip


ONE_BODY = {"body", "guard"}
"""Edits after which the file says the same of sizes: all other reports stay as they are."""


@pytest.fixture(scope="module")
def first_analysis(answer_of) -> tuple[Recorder, Report]:
    memo = Recorder()
    return memo, answer_of(SOURCE, HEADER, memo)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_no_more_is_done_again_than_an_edit_touches(edit: Edit, first_analysis, answer_of, first_difference) -> None:
    memo, first = deepcopy(first_analysis[0]), first_analysis[1]
    assert (SOURCE + HEADER).count(edit.old) == 1
    source, header = SOURCE.replace(edit.old, edit.new), HEADER.replace(edit.old, edit.new)

    memo.done.clear()
    report = answer_of(source, header, memo)
    analysed = edit.parsed if edit.analysed is None else edit.analysed
    assert memo.names("lowered function") == frozenset(edit.parsed.split())
    assert memo.nests("facts", report) == frozenset(analysed.split())
    assert memo.nests("evaluation", report) == frozenset(
        (analysed if edit.evaluated is None else edit.evaluated).split()
    )
    assert memo.names("placed") == frozenset((edit.parsed if edit.placed is None else edit.placed).split())
    if edit.name in ONE_BODY:
        assert memo.nests("report", report) == frozenset(edit.parsed.split())
    assert not first_difference(report, answer_of(source, header))

    memo.done.clear()
    assert not first_difference(answer_of(SOURCE, HEADER, memo), first)
    assert not memo.done, "what was undone was known"
