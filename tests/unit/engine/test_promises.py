"""`// warplens: idx has no repeats`: read, in force where it stands, part of the memo's key, shown as an assumption."""

from __future__ import annotations

import re

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.comments.warplens_comments import read_directives, read_promises
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import gpu_names, load_cpu, load_gpu

SCATTER = """void f(int n, double *restrict y, const double *restrict x, const int *restrict idx) {
  %s
  for (int i = 0; i < n; i++) y[idx[i]] = x[i];
}
"""


def report(source: str, memo: Memo) -> Report:
    struck = re.sub(r"/\*.*?\*/|//.*", "", source)
    preprocessed = Preprocessed(f'# 1 "f.c"\n{struck}\n', "f.c")
    return analyse(source, preprocessed, load_gpu(gpu_names()[0]), load_cpu("desktop"), AnalysisOptions(), memo)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("idx has no repeats", ("idx", "injective")),
        ("idx is a permutation", ("idx", "injective")),
        ("p->idx is injective", ("p->idx", "injective")),
        ("row is increasing", ("row", "increasing")),
        ("n = 4, row is sorted", ("row", "increasing")),
        ("status keeps its  value", ("status", "kept")),
        ("p->x has no shared elements", ("p->x", "unshared")),
        ("x has no  conflicting writes", ("x", "agreeing")),
        ("output in any order", ("output in any order", "unordered")),
        ("n = 4, Output  may come in any order", ("output in any order", "unordered")),
        ("p->flag is  ordinary memory", ("p->flag", "ordinary")),
        ("ld >= n", ("ld >= n", "size")),
        ("n < p->ld", ("p->ld > n", "size")),
        ("n = 4, k != 0", ("k != 0", "size")),
    ],
)
def test_spellings(text: str, fact: tuple[str, str]) -> None:
    source = f"// warplens: {text}\n"
    (directive,) = read_promises(source)
    assert (directive.promise.subject, directive.promise.kind) == fact
    assert source[directive.span.start : directive.span.end] == text.rpartition(", ")[2]
    assert read_directives(source)[1] == ()


def test_what_is_neither_a_size_nor_a_fact_is_a_problem() -> None:
    assert read_promises("// warplens: idx has repeats\n") == ()
    (problem,) = read_directives("// warplens: idx has repeats\n")[1]
    assert "idx has no repeats" in problem.message


def test_the_comment_changes_the_verdict_and_is_shown() -> None:
    memo = Memo()
    verdicts = []
    for comment in ("", "// warplens: idx has no repeats", ""):
        found = report(SCATTER % comment, memo)
        assert found.problems == ()
        facts = found.functions[0].nests[0].facts
        assert facts is not None
        verdicts.append(facts.verdicts[0])
    assert [v.kind for v in verdicts] == ["unknown", "parallel", "unknown"]
    assert verdicts[0].suggestion == "// warplens: idx has no repeats"
    (said,) = (a for a in verdicts[1].assumptions if a.origin == "directive")
    assert said.subject == "idx"


def test_a_comment_about_no_array_is_noted() -> None:
    (problem,) = report(SCATTER % "// warplens: index has no repeats", Memo()).problems
    assert "index" in problem.message
    assert problem.severity == "note"


SHIFT = """%s
void f(int n, int m, double *restrict x) {
  %s
  for (int i = 0; i < n; i++) x[i] = x[i + m];
}
void g(int n, int m, double *restrict x) {
  for (int i = 0; i < n; i++) x[i] = x[i + m];
}
"""


@pytest.mark.parametrize(
    ("file", "nest", "kinds_found"),
    [
        ("", "", ["unknown", "unknown"]),
        ("", "// warplens: m >= n", ["parallel", "unknown"]),
        ("", "// warplens: n <= m, n > 0", ["parallel", "unknown"]),
        ("// warplens: m >= n\n", "", ["parallel", "parallel"]),
        ("", "// warplens: m > 0", ["unknown", "unknown"]),
    ],
)
def test_a_relation_holds_where_it_stands(file: str, nest: str, kinds_found: list[str]) -> None:
    found = report(SHIFT % (file, nest), Memo())
    assert found.problems == ()
    assert kinds(found) == kinds_found


@pytest.mark.parametrize("said", ["k >= n", "i >= 1", "x >= n"])
def test_a_relation_of_what_no_loop_depends_on_is_noted(said: str) -> None:
    (problem,) = report(SHIFT % ("", f"// warplens: {said}"), Memo()).problems
    assert problem.severity == "note"
    assert f"`{said}`" in problem.message


SCRATCH = """void f(int n, int m, int *restrict b, double *restrict y) {
  int t[64];
  %s
  for (int i = 0; i < n; i++) { for (int k = 0; k < m; k++) t[k] = i; y[i] = t[b[i]]; }
}
"""


@pytest.mark.parametrize(("said", "kind"), [("t", "parallel"), ("y", "unknown"), ("s", "unknown")])
def test_an_array_of_the_function_is_private(said: str, kind: str) -> None:
    found = report(SCRATCH % f"// warplens: {said} is private", Memo())
    assert kinds(found)[0] == kind
    assert [p.severity for p in found.problems] == ([] if said == "t" else ["note"])
    facts = found.functions[0].nests[0].facts
    assert facts is not None
    subjects = [a.subject for a in facts.verdicts[0].assumptions if a.kind == "promise"]
    assert subjects == (["t"] if said == "t" else [])


def test_what_is_nearly_a_relation_is_a_problem() -> None:
    (problem,) = read_directives("// warplens: n >= m / 2\n")[1]
    assert "ld >= n" in problem.message


APART = """%s
long offset(int k);
void f(int n, double *x) {
  double *p = x + offset(1), *q = x + offset(2);
  %s
  for (int t = 0; t < n; t++) {
    %s
    for (int i = 0; i < n; i++) p[i] = q[i] + t;
  }
}
void g(int n, double *x) {
  double *p = x + offset(1), *q = x + offset(2);
  for (int i = 0; i < n; i++) p[i] = q[i];
}
"""


@pytest.mark.parametrize(
    ("file", "nest", "inner", "kinds_found"),
    [
        ("", "", "", ["unknown", "unknown", "unknown"]),
        ("", "", "// warplens: p and q do not overlap", ["unknown", "parallel", "unknown"]),
        ("", "// warplens: q does not overlap p", "", ["unknown", "unknown", "unknown"]),
        ("// warplens: p, q and x do not overlap\n", "", "", ["unknown", "parallel", "parallel"]),
    ],
)
def test_names_are_apart_in_the_loop_that_a_comment_stands_at(
    file: str, nest: str, inner: str, kinds_found: list[str]
) -> None:
    found = report(APART % (file, nest, inner), Memo())
    assert found.problems == ()
    assert [kind if kind == "parallel" else "unknown" for kind in kinds(found)] == kinds_found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p->a, c and b do not overlap", "b, c and p->a do not overlap"),
        ("a doesn't overlap c, b or d", "a does not overlap b, c or d"),
    ],
)
def test_a_list_of_names_is_one_statement(text: str, said: str) -> None:
    source = f"/* warplens: n = 4, {text}, idx is a permutation */\n"
    directive, other = read_promises(source)
    assert (directive.promise.subject, directive.promise.kind) == (said, "separate")
    assert source[directive.span.start : directive.span.end] == text
    assert other.promise.subject == "idx"
    sizes, problems = read_directives(source)
    assert [size.name for size in sizes] == ["n"]
    assert problems == ()


SET_ANEW = """struct matrix { double **rows; };
static void row_of(struct matrix *m, int i, double **row) { *row = m->rows[i]; }
void f(int n, struct matrix *m) {
  double *q;
  %s
  for (int i = 0; i < n; i++) {
    row_of(m, i, &q);
    q[0] = i;
  }
}
"""


def test_a_pointer_that_each_iteration_sets_may_be_said_to_share_no_elements() -> None:
    assert kinds(report(SET_ANEW % "", Memo())) == ["unknown"]
    found = report(SET_ANEW % "// warplens: q has no shared elements", Memo())
    assert kinds(found) == ["parallel"]
    assert found.problems == ()


@pytest.mark.parametrize("said", ["n and p do not overlap", "t does not overlap i or n", "a and b do not overlap"])
def test_names_of_no_memory_of_a_loop_are_noted(said: str) -> None:
    (problem,) = report(APART % ("", f"// warplens: {said}", ""), Memo()).problems
    assert problem.severity == "note"
    assert f"`{said}`" in problem.message


@pytest.mark.parametrize("said", ["p do not overlap", "p and p do not overlap", "p + 1 and q do not overlap"])
def test_what_is_nearly_a_list_of_names_is_a_problem(said: str) -> None:
    (problem,) = read_directives(f"// warplens: {said}\n")[1]
    assert "p and q do not overlap" in problem.message


UNSEEN = """void touch(int i, double *y);
int check(int i, double *y);
static double twice(double v) { return 2 * v; }
%(file)s

%(above_f)s
int f(int n, int steps, double *y) {
  int bad = 0;
  %(in_f)s
  int unused = 0;
  %(above_nest)s
  for (int t = 0; t < steps; t++) {
    %(in_outer)s
    y[0] += twice(1);
    %(above_inner)s
    for (int i = 1; i < n; i++) {
      %(in_inner)s
      touch(i, y);
    }
  }
  %(above_flag)s
  for (int i = 0; i < n; i++) {
    if (bad) continue;
    if (check(i, y)) bad = 1;
  }
  return bad + unused;
}
"""
PLACES = ("file", "above_f", "in_f", "above_nest", "in_outer", "above_inner", "in_inner", "above_flag")


def with_comments(**comments: str) -> str:
    return UNSEEN % {place: f"// warplens: {comments[place]}" if place in comments else "" for place in PLACES}


def kinds(found: Report) -> list[str]:
    facts = [nest.facts for function in found.functions for nest in function.nests]
    return [verdict.kind for each in facts if each is not None for verdict in each.verdicts]


@pytest.mark.parametrize(
    ("place", "outer", "inner"),
    [
        ("file", True, True),
        ("above_f", True, True),
        ("in_f", True, True),
        ("above_nest", True, False),
        ("in_outer", True, False),
        ("above_inner", False, True),
        ("in_inner", False, True),
        ("above_flag", False, False),
    ],
)
def test_what_is_said_at_a_loop_is_said_of_its_iterations_only(place: str, outer: bool, inner: bool) -> None:
    found = report(with_comments(**{place: "touch is independent"}), Memo())
    expected = ["reduction" if outer else "unknown", "parallel" if inner else "unknown", "unknown"]
    assert kinds(found) == expected
    notes = [problem.message for problem in found.problems]
    assert len(notes) == (place == "above_flag")
    assert all("`touch`" in note and "no effect" in note for note in notes)


@pytest.mark.parametrize(
    ("before", "between", "kinds_of_loops"),
    [
        ("int k = 0; // %s\n", "", ["parallel", "unknown"]),
        ("", "// %s\n", ["parallel", "unknown"]),
        ("", "\n// %s\n", ["unknown", "parallel"]),
        ("", "{ // %s\n", ["parallel", "unknown"]),
        ("", "/* %s */ ", ["unknown", "parallel"]),
        ("", "/* %s */\n", ["parallel", "unknown"]),
        ("/* %s */ ", "", ["parallel", "unknown"]),
    ],
)
def test_a_comment_behind_a_header_is_about_the_loop_of_that_header(
    before: str, between: str, kinds_of_loops: list[str]
) -> None:
    said = "warplens: touch is independent"
    loops = f"for (int t = 0; t < n; t++) {between}for (int i = 1; i < n; i++) touch(i, y);"
    closed = "}" if "{" in between else ""
    body = (before + loops).replace("%s", said)
    found = report(f"void touch(int i, double *y);\nvoid f(int n, double *y) {{\n{body}{closed}\n}}", Memo())
    assert kinds(found) == kinds_of_loops
    assert found.problems == ()


def test_a_flag_is_promised_with_the_function_that_decides_it() -> None:
    memo = Memo()
    nest = report(with_comments(), memo).functions[-1].nests[1]
    assert nest.facts is not None
    (undecided,) = nest.facts.verdicts
    text = undecided.suggestion.removeprefix("// warplens: ")
    assert text == "check is independent, bad is independent"
    found = report(with_comments(above_flag=text), memo)
    assert kinds(found) == ["unknown", "unknown", "reduction"]
    assert found.problems == ()


@pytest.mark.parametrize("name", ["twice", "touched", "n", "y", "unused"])
def test_a_comment_about_what_no_loop_calls_is_noted(name: str) -> None:
    (problem,) = report(with_comments(file=f"{name} is independent"), Memo()).problems
    assert (problem.severity, f"`{name}`" in problem.message) == ("note", True)


def test_a_function_in_a_table_can_be_named() -> None:
    source = (
        "int (*table[4])(int);\nvoid f(int n, int *y) {\n %s\n for (int i = 0; i < n; i++) y[i] = table[i %% 4](i);\n}"
    )
    memo = Memo()
    facts = report(source % "", memo).functions[0].nests[0].facts
    assert facts is not None
    assert facts.verdicts[0].suggestion == "// warplens: table[] is independent"
    assert kinds(report(source % "/* warplens: table[] is independent */", memo)) == ["parallel"]


ROWS = """%s
void f(int n, int m, const int *restrict at, double *restrict x) {
  %s
  for (int t = 0; t < m; t++)
    %s
    for (int i = 0; i < n; i++) { int c = at[i]; x[c] = i; x[c + at[0]] = t * x[c]; }
}
"""


@pytest.mark.parametrize(
    ("place", "kinds_of_loops"),
    [(0, ["parallel", "parallel"]), (1, ["parallel", "unknown"]), (2, ["unknown", "parallel"])],
)
def test_what_is_said_of_elements_is_said_of_the_iterations_of_one_loop(place: int, kinds_of_loops: list[str]) -> None:
    said = [""] * 3
    said[place] = "// warplens: x has no shared elements"
    found = report(ROWS % tuple(said), Memo())
    assert kinds(found) == kinds_of_loops
    assert found.problems == ()


@pytest.mark.parametrize("kind", ["shared elements", "conflicting writes"])
def test_elements_of_what_no_loop_uses_are_noted(kind: str) -> None:
    (problem,) = report(ROWS % (f"// warplens: z has no {kind}", "", ""), Memo()).problems
    assert "`z`" in problem.message
    assert problem.severity == "note"
