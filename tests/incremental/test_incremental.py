"""After an edit only what it touched is done again, and the report is the one that a fresh analysis gives.

Each step says how many functions are parsed anew, nests analysed anew and nests evaluated anew.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import Recomputed, Report

SOURCE = """\
#define SCALE 2.0
#define ROWS 300
typedef float real;
struct cell { double value, weight; };

// warplens: n = 5000
void add(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

void scaled(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] *= SCALE;
}

real total(int n, const real *x)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void two(int n, double a[n][n], struct cell *cells)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < ROWS; j++)
            a[i][j] = i + j;
    for (int i = 0; i < n; i++)
        cells[i].value *= cells[i].weight;
}

int no_loop(int n) { return n + 1; }
"""
NOTHING = Recomputed(0, 0, 0)


@dataclass(frozen=True)
class Edit:
    """One occurrence of `old` becomes `new`; what that may cost."""

    name: str
    old: str
    new: str
    cost: Recomputed


EDITS = (
    Edit("line_inserted_above", "// warplens: n", "\nint before;\n// warplens: n", NOTHING),
    Edit("blank_in_a_body", "a[i] += b[i];", "a[i]   +=   b[i];", NOTHING),
    Edit("line_break_in_a_body", "        a[i] += b[i];", "\n\n        a[i] += b[i];", Recomputed(1, 0, 0)),
    Edit("comment_in_a_body", "sum += x[i];", "sum += x[i]; /* a word */", NOTHING),
    Edit("comment_between_functions", "void scaled", "/* scaled: a = SCALE * a */ void scaled", NOTHING),
    Edit("body_of_one_nest", "a[i] += b[i];", "a[i] += 2 * b[i];", Recomputed(1, 1, 1)),
    Edit("one_of_two_nests", "= i + j;", "= i - j;", Recomputed(1, 1, 1)),
    Edit("name_of_a_function", "void add(", "void sum_of(", Recomputed(1, 0, 0)),
    Edit("statement_outside_of_the_nests", "real sum = 0;", "real sum = 1;", Recomputed(1, 0, 0)),
    Edit("value_of_a_size_comment", "n = 5000", "n = 6000", Recomputed(0, 0, 1)),
    Edit("size_comment_cut_off_by_a_declaration", "void add(", "int between;\nvoid add(", Recomputed(0, 0, 4)),
    Edit("size_comment_gone", "// warplens: n = 5000", "", Recomputed(0, 0, 1)),
    Edit("size_comment_added", "void scaled", "// warplens: n = 77\nvoid scaled", Recomputed(0, 0, 1)),
    Edit("macro_of_one_function", "SCALE 2.0", "SCALE 3.0", Recomputed(1, 1, 1)),
    Edit("macro_in_one_of_two_nests", "ROWS 300", "ROWS 400", Recomputed(1, 1, 1)),
    Edit("macro_that_expands_alike", "ROWS 300", "ROWS  300  /* rows */", NOTHING),
    Edit("typedef_of_one_function", "typedef float real", "typedef double real", Recomputed(1, 1, 1)),
    Edit("member_of_a_structure", "value, weight", "value, spare, weight", Recomputed(1, 1, 1)),
    Edit(
        "function_added",
        "int no_loop",
        "void zero(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\nint no_loop",
        Recomputed(1, 1, 1),
    ),
    Edit(
        "copy_of_a_function_under_another_name",
        "int no_loop",
        "void again(int n, double *restrict a) { for (int i = 0; i < n; i++) a[i] *= SCALE; }\nint no_loop",
        Recomputed(1, 0, 0),
    ),
    Edit("function_without_loops", "return n + 1;", "return n + 2;", NOTHING),
    Edit("function_without_loops_added", "int no_loop", "int another(void) { return 0; }\nint no_loop", NOTHING),
    Edit(
        "function_removed",
        SOURCE[SOURCE.index("void scaled") : SOURCE.index("real total")],
        "",
        NOTHING,
    ),
    Edit(
        "functions_reordered",
        SOURCE[SOURCE.index("void scaled") : SOURCE.index("void two")],
        SOURCE[SOURCE.index("real total") : SOURCE.index("void two")]
        + SOURCE[SOURCE.index("void scaled") : SOURCE.index("real total")],
        NOTHING,
    ),
    Edit("half_typed_statement", "a[i] += b[i];", "a[i] += b[i", Recomputed(1, 1, 1)),
)


def same_answer(left: Report, right: Report) -> bool:
    """Equal but for the work it took."""
    return replace(left, recomputed=NOTHING) == replace(right, recomputed=NOTHING)


@pytest.fixture(scope="module")
def first_analysis(analyse_c) -> tuple[Memo, Report]:
    memo = Memo()
    return memo, analyse_c(SOURCE, memo=memo)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_costs_what_it_touches(edit: Edit, first_analysis, analyse_c) -> None:
    memo, first = deepcopy(first_analysis[0]), first_analysis[1]
    assert first.recomputed == Recomputed(declarations_parsed=4, nests_analysed=5, nests_evaluated=5)
    assert SOURCE.count(edit.old) == 1

    edited = SOURCE.replace(edit.old, edit.new)
    report = analyse_c(edited, memo=memo)
    assert report.recomputed == edit.cost
    assert same_answer(report, analyse_c(edited))

    undone = analyse_c(SOURCE, memo=memo)
    assert undone.recomputed == NOTHING
    assert same_answer(undone, first)


def test_another_gpu_or_size_evaluates_without_analysing(analyse_c) -> None:
    memo = Memo()
    analyse_c(SOURCE, memo=memo)
    other = analyse_c(SOURCE, memo=memo, gpu="h100")
    assert other.recomputed == Recomputed(0, 0, 5)
    assert same_answer(other, analyse_c(SOURCE, gpu="h100"))
    assert analyse_c(SOURCE, memo=memo).recomputed == NOTHING

    options = AnalysisOptions(sizes=(SizeChoice("n", 64, "setting", "two"),))
    assert analyse_c(SOURCE, memo=memo, options=options).recomputed == Recomputed(0, 0, 2)
    options = AnalysisOptions(default_size=2048)
    assert analyse_c(SOURCE, memo=memo, options=options).recomputed == Recomputed(0, 0, 4), "all but add"
    options = AnalysisOptions(disabled_rules=frozenset({"WL201"}))
    assert analyse_c(SOURCE, memo=memo, options=options).recomputed == NOTHING


def test_a_full_memo_only_costs_time(analyse_c) -> None:
    memo = Memo(capacity=3)
    for _ in range(2):
        assert same_answer(analyse_c(SOURCE, memo=memo), analyse_c(SOURCE))


SNIPPETS = (
    "for (int i = 0; i < n; i++)", "a[i] += b[i];",
    "void added(int n, float *q) { for (int k = 1; k < n; k++) q[k] = n; }\n",
    "// warplens: n = 9\n", "\n", "/* words */", "#define ROWS 7\n", "typedef double real;\n",
    "{", "}", "(", "n", "1", ";", "* ",
)  # fmt: skip

Change = Callable[[str], str]


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """Delete, insert or move a piece of the text."""
    kind = draw(st.sampled_from(["delete", "insert", "move line"]))
    share = draw(st.floats(0, 1, exclude_max=True))
    length = draw(st.integers(1, 30))
    snippet = draw(st.sampled_from(SNIPPETS))

    def change(text: str) -> str:
        at = int(share * len(text))
        if kind == "delete":
            return text[:at] + text[at + length :]
        if kind == "insert":
            return text[:at] + snippet + text[at:]
        lines = text.splitlines(keepends=True) or [""]
        line = lines.pop(int(share * len(lines)))
        lines.insert(min(length, len(lines)), line)
        return "".join(lines)

    return change


@given(edits=st.lists(changes(), min_size=1, max_size=4))
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_edits_the_report_is_a_fresh_one(edits: list[Change], analyse_c) -> None:
    memo = Memo()
    text = SOURCE
    analyse_c(text, memo=memo)
    for edit in edits:
        text = edit(text)
        report = analyse_c(text, memo=memo)
        assert same_answer(report, analyse_c(text))
    assert analyse_c(text, memo=memo).recomputed == NOTHING
