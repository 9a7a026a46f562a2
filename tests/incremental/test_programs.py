"""Programs of several files that are edited: a kept memo gives what a fresh run gives, and redoes what it has to."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from support.programs.linked import linked, nests, report
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import Recomputed, Report

KERNELS = """struct grid { int rows; int cols; };
extern int total;
void scale(double *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 2.0 * a[i];
}
void fill(double *a, struct grid *g)
{
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->cols; j++)
            a[i * g->cols + j] = 0.0;
}
void add(double *a, const double *b)
{
    for (int i = 0; i < total; i++)
        a[i] += b[i];
}
"""
SETUP = """struct grid { int rows; int cols; };
int total = 5000;
void set(struct grid *g)
{
    g->rows = 256;
    g->cols = 512;
}
"""
MAIN = """struct grid { int rows; int cols; };
void scale(double *a, int n);
void fill(double *a, struct grid *g);
void set(struct grid *g);
void run(double *a, int n)
{
    scale(a, n);
}
int main(void)
{
    struct grid g;
    double a[4096];
    int n = 4096;
    set(&g);
    run(a, n);
    fill(a, &g);
    return 0;
}
"""
PROGRAM = {"kernels.c": KERNELS, "setup.c": SETUP, "main.c": MAIN}
EDITS = (
    ("main.c", "int n = 4096;", "int n = 8192;"),
    ("main.c", "int n = 8192;", "int n = 4096;"),
    ("main.c", "run(a, n);", "run(a, n / 2);"),
    ("main.c", "scale(a, n);", "scale(a, n); scale(a, 77);"),
    ("main.c", "int main(void)", "\nint main(void)"),
    ("main.c", "    fill(a, &g);\n", ""),
    ("setup.c", "int total = 5000;", "int total = 6000;"),
    ("setup.c", "g->rows = 256;", "g->rows = total;"),
    ("setup.c", "g->cols = 512;", "g->cols = g->rows + 1;"),
    ("setup.c", "void set(", "static void set("),
    ("kernels.c", "2.0 * a[i]", "3.0 * a[i]"),
    ("kernels.c", "i < n;", "i < n - 1;"),
)


def same(found: Report) -> Report:
    """All of a report but how much work it was."""
    return replace(found, recomputed=Recomputed(0, 0, 0))


def edited(files: dict[str, str], name: str, old: str, new: str) -> dict[str, str]:
    return {**files, name: files[name].replace(old, new, 1)}


def sizes(found: Report) -> dict[str, dict[str, int]]:
    return {name: dict(nest.evaluation.sizes) for name, nest in nests(found).items() if nest.evaluation}


@settings(max_examples=8)
@given(st.lists(st.sampled_from(EDITS), min_size=1, max_size=5), st.booleans())
def test_after_any_edits_of_several_files_a_kept_memo_gives_what_a_fresh_run_gives(edits, links_anew: bool) -> None:
    memo, files, program = Memo(), dict(PROGRAM), None
    for edit in (("main.c", "", ""), *edits):
        files = edited(files, *edit)
        program = linked(files, None if links_anew else program)
        assert same(report(files, "kernels.c", memo=memo, program=program)) == same(report(files, "kernels.c"))


def test_a_part_of_a_program_that_says_nothing_else_costs_no_nest() -> None:
    memo = Memo()
    before = report(PROGRAM, "kernels.c", memo=memo)
    assert sizes(before)["scale"] == {"n": 4096}
    files = edited(PROGRAM, "main.c", "return 0;", "return 1 - 1;")
    after = report(edited(files, "setup.c", "void set(", "\n\nvoid set("), "kernels.c", memo=memo)
    assert (after.recomputed.nests_analysed, after.recomputed.nests_evaluated) == (0, 0)
    assert sizes(after) == sizes(before)
    rows = [dict(nests(found)["fill"].size_sources)["g->rows"][0].line for found in (before, after)]
    assert rows == [5, 7]


def test_another_size_in_another_file_costs_the_nests_that_have_it() -> None:
    memo = Memo()
    report(PROGRAM, "kernels.c", memo=memo)
    after = report(edited(PROGRAM, "main.c", "n = 4096", "n = 8192"), "kernels.c", memo=memo)
    assert (after.recomputed.nests_analysed, after.recomputed.nests_evaluated) == (0, 1)
    assert sizes(after)["scale"] == {"n": 8192}
    more = report(edited(PROGRAM, "setup.c", "total = 5000", "total = 6000"), "kernels.c", memo=memo)
    assert (more.recomputed.nests_analysed, more.recomputed.nests_evaluated) == (0, 1)


def test_a_file_that_is_gone_takes_its_sizes_with_it() -> None:
    memo = Memo()
    report(PROGRAM, "kernels.c", memo=memo)
    left = {name: text for name, text in PROGRAM.items() if name != "setup.c"}
    after = report(left, "kernels.c", memo=memo)
    assert sizes(after) == sizes(report(left, "kernels.c"))
    assert (after.recomputed.nests_analysed, after.recomputed.nests_evaluated) == (0, 2)
