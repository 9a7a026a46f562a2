"""Iterations and entries found in gcov's counts are those that the program itself counts.

The program exists twice: with its own counters at the markers (`/*E3*/` before loop 3, `/*I3*/` before its body), and
as it is written here, built with --coverage.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from warplens.analysis.measured.measured_counts import LoopCounts, MeasuredFile, measured_file
from warplens.server.measure.loop_counts.gcov_json import CountedSource, gcov_files, read_gcov
from warplens.server.measure.loop_counts.import_counts import import_counts
from warplens.server.measure.loop_counts.profile_file import RunProfile

PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#define N 23
static double A[N][N], B[N][N], C[N][N];

static void gemm(int n)
{
    /*E0*/for (int i = 0; i < n; i++)
        /*I0*//*E1*/for (int j = 0; j < n; j++) /*I1*/{
            double s = 0;
            /*E2*/for (int k = 0; k < n; k++)
                /*I2*/s += A[i][k] * B[k][j];
            C[i][j] = s;
        }
}

static void triangle(int n, double *x)
{
    /*E3*/for (int i = 0; i < n; i++)
        /*I3*//*E4*/for (int j = i; j < n; j++) /*I4*/x[j] += i;
}

static void spmv(int n, const int *row, const int *col, const double *v, const double *x, double *y)
{
    /*E5*/for (int i = 0; i < n; i++) /*I5*/{
        double s = 0;
        /*E6*/for (int k = row[i]; k < row[i + 1]; k++)
            /*I6*/s += v[k] * x[col[k]];
        y[i] = s;
    }
}

static int find(int n, const int *v, int key)
{
    int at = -1;
    /*E7*/for (int i = 0; i < n; i++) /*I7*/{
        if (v[i] == key) {
            at = i;
            break;
        }
    }
    return at;
}

int find_and_return(int n, const int *v, int key)
{
    /*E8*/for (int i = 0; i < n; i++)
        /*I8*/if (v[i] == key)
            return i;
    return -1;
}

static int find_by_condition(const int *v, int n, int key)
{
    int i;
    /*E9*/for (i = 0; i < n && v[i] != key; i++)
        /*I9*/;
    return i;
}

static void on_one_line(int n, int m, double *x)
{
    /*E10*/for (int i = 0; i < n; i++) /*I10*//*E11*/for (int j = 0; j < m; j++) /*I11*/x[j] += i;
    /*E12*/for (int i = 0; i < n; i++) /*I12*/x[i] = 1; /*E13*/for (int j = 0; j < m; j++) /*I13*/{ x[j] += 1; }
    ONE_LINE
}

static double mostly_empty(int n, const int *v, double *x)
{
    double s = 0;
    /*E17*/for (int i = 0; i < n; i++) /*I17*/{
        s += x[i];
        /*E18*/for (int k = 0; k < v[i] % 5 - 3; k++)
            /*I18*/s += x[k];
    }
    return s;
}

static double branches(int n, const double *x)
{
    double s = 0;
    /*E19*/for (int i = 0; i < n; i++) /*I19*/s += x[i] > 3 ? x[i] : -1;
    /*E20*/for (int i = n - 1; i >= 0; --i) /*I20*/{
        if (x[i] > 5)
            continue;
        if (x[i] > 2 && i % 3) {
            s += 1;
            /*E21*/for (int k = 0; k < i; k += 2)
                /*I21*/s += x[k];
        } else {
            s -= 1;
        }
    }
    return s;
}

static void over_lines(int n, int m, double *x)
{
    /*E22*/for (int i = 0;
         i < n && i < m;
         i++)
        /*I22*/x[i] = i;
    /*E23*/for (int i = n; i != 0; i--)
        /*I23*/x[i - 1] = 2;
}

static int whiles(int n)
{
    int c = 0;
    /*E24*/while (n > 1) /*I24*/{
        n = n % 2 ? 3 * n + 1 : n / 2;
        c++;
    }
    /*E25*/do /*I25*/{
        c--;
    } while (c > 20);
    return c;
}

static void never(int n, double *x)
{
    /*E26*/for (int i = 0; i < n; i++)
        /*I26*/x[i] = 0;
}

static double twice(int n, const double *x)
{
    double s = 0;
    /*E27*/for (int i = 0; i < n; i++)
        /*I27*/s += x[i];
    return s;
}

static void sweeps(int n, double *x, double *y)
{
    if (n < 4)
        return;
    /*E28*/for (int t = 0; t < 3; t++) /*I28*/{
        /*E29*/for (int i = 1; i < n - 1; i++) /*I29*/{ y[i] = x[i - 1] + x[i + 1]; }
        /*E30*/for (int i = 1; i < n - 1; i++) /*I30*/{ x[i] = y[i]; }
    }
}

int main(int argc, char **argv)
{
    static double x[500], y[500], v[500];
    static int row[101], col[500], keys[50];
    /*E31*/for (int i = 0; i < 100; i++) /*I31*/row[i + 1] = row[i] + i % 7;
    /*E32*/for (int i = 0; i < 50; i++) /*I32*/keys[i] = i * 3;
    int s = 0;
    double d = 0;
    gemm(N);
    triangle(100, x);
    spmv(100, row, col, v, x, y);
    /*E33*/for (int q = 0; q < 60; q++)
        /*I33*/s += find(50, keys, q);
    /*E34*/for (int q = 0; q < 10; q++)
        /*I34*/s += find_and_return(50, keys, 30 * q);
    /*E35*/for (int q = 0; q < 10; q++)
        /*I35*/s += find_by_condition(keys, 50, 30 * q);
    /*E36*/for (int q = 0; q < 5; q++)
        /*I36*/on_one_line(q, 7, x);
    d += mostly_empty(50, keys, x) + branches(90, x);
    over_lines(30, 20, x);
    if (argc > 5)
        never(100, x);
    d += twice(7, x) + twice(100 * argc, x);
    sweeps(50, x, y);
    sweeps(2, x, y);
    sweeps(20, x, y);
    fprintf(stderr, "%d %g %d\\n", s, d + C[1][2] + y[2], whiles(27));
    return 0;
}
"""

THREE_LOOPS = (
    "/*E14*/for (int i = 0; i < n; i++) /*I14*//*E15*/for (int j = 0; j < m; j++) "
    "/*I15*//*E16*/for (int k = 0; k < j; k++) /*I16*/x[k] += 1;"
)
PROGRAM = PROGRAM.replace("ONE_LINE", THREE_LOOPS)

LEVELS = (("-O0",), ("-O1",), ("-O2",), ("-O2", "-fno-early-inlining"), ("-O3",), ("-Os",))
LOOPS = 37
MARKER = re.compile(r"/\*([EI])(\d+)\*/")


@pytest.fixture(scope="session")
def truth(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, int]]:
    """Iterations and entries of every loop, by the program's own counters."""
    names = {"E": "entries", "I": "iterations"}
    text = MARKER.sub(lambda m: f"if ({names[m[1]]}[{m[2]}]++, 0) ; else ", PROGRAM)
    report = f'for (int k = 0; k < {LOOPS}; k++) printf("%ld %ld\\n", iterations[k], entries[k]);'
    text = text.replace("    return 0;\n}\n", f"    {report}\n    return 0;\n}}\n")
    folder = tmp_path_factory.mktemp("counted_by_itself")
    (folder / "main.c").write_text(f"static long entries[{LOOPS}], iterations[{LOOPS}];\n{text}")
    subprocess.run(["gcc", "-O1", "-w", "main.c", "-o", "main"], cwd=folder, check=True)
    printed = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return [(int(iterations), int(entries)) for iterations, entries in map(str.split, printed.splitlines())]


def counted_sources(folder: Path, text: str, *options: str, runs: int = 1) -> list[CountedSource]:
    """What gcov says of a program, built with the options and run."""
    (folder / "main.c").write_text(text)
    subprocess.run(["gcc", "-w", "--coverage", *options, "main.c", "-o", "main"], cwd=folder, check=True)
    for _ in range(runs):
        subprocess.run(["./main"], cwd=folder, check=True, capture_output=True)
    data = [file.name for file in folder.glob("*.gcda")]
    subprocess.run(["gcov", "--json-format", "-b", *data], cwd=folder, check=True, capture_output=True)
    return [source for file in gcov_files(str(folder)) for source in read_gcov(file)]


def measured(folder: Path, text: str, *options: str) -> dict[int, LoopCounts]:
    """Counts by the offset of the loop's keyword."""
    imported = import_counts(RunProfile(), counted_sources(folder, text, *options), folder, "2026-01-31")
    assert (imported.names, imported.refused, imported.notes) == (("main.c",), (), ())
    counts = imported.profile.counts("main.c")
    assert counts is not None
    found = measured_file(text, counts)
    assert not found.stale
    return dict(found.loops)


def by_loop(text: str, found: MeasuredFile) -> dict[int, LoopCounts]:
    """Counts by the number of the loop's marker."""
    numbers = {m.end(): int(m[2]) for m in MARKER.finditer(text) if m[1] == "E"}
    return {numbers[at]: counts for at, counts in found.loops}


@pytest.mark.parametrize("options", LEVELS, ids=" ".join)
def test_counts_are_those_of_the_programs_own_counters(options, truth, tmp_path) -> None:
    found = measured(tmp_path, PROGRAM, *options)
    numbered = {int(m[2]): found.get(m.end()) for m in MARKER.finditer(PROGRAM) if m[1] == "E"}
    assert len(numbered) == LOOPS == len(truth)
    wrong = {
        loop: (counts, truth[loop])
        for loop, counts in numbered.items()
        if counts is None or counts.iterations != truth[loop][0] or counts.entries not in {truth[loop][1], None}
    }
    assert wrong == {}
    guessed = {loop for loop, counts in numbered.items() if counts and not counts.is_confirmed}
    assert guessed <= {3, 9, 28}, "loops whose surroundings were put into the caller, or run behind an early return"
    untold = {loop for loop, counts in numbered.items() if counts and counts.entries is None}
    assert untold == ({7, 8} if options in {("-O2",), ("-O3",)} else set())
    assert all(truth[loop][0] >= truth[loop][1] for loop in guessed)


def test_a_loop_that_runs_less_than_once_on_average_is_not_taken_for_its_exits(truth, tmp_path) -> None:
    iterations, entries = truth[18]
    assert 0 < iterations < entries
    found = measured(tmp_path, PROGRAM, "-O2")
    counts = found[next(m.end() for m in MARKER.finditer(PROGRAM) if m[0] == "/*E18*/")]
    assert (counts.iterations, counts.entries, counts.is_confirmed) == (iterations, entries, True)


def test_shares_are_of_the_programs_line_executions(tmp_path) -> None:
    text = (
        "int main(void) {\n    static double x[1000];\n    for (int i = 0; i < 900; i++)\n        x[i] = i;\n"
        "    for (int i = 0; i < 100; i++)\n        x[i] = 1;\n    return x[3] > 5;\n}\n"
    )
    large, small = measured(tmp_path, text, "-O0").values()
    assert large.share == pytest.approx(0.9, abs=0.01)
    assert small.share == pytest.approx(0.1, abs=0.01)


def test_imports_are_summed_and_averages_stay(tmp_path) -> None:
    text = (
        "int main(int c, char **v) {\n    int s = 0;\n    for (int i = 0; i < c + 40; i++)\n        s += i;\n"
        "    return s < 0;\n}\n"
    )
    sources = counted_sources(tmp_path, text, "-O2", runs=2)
    once = import_counts(RunProfile(), sources, tmp_path, "2026-01-31")
    again = import_counts(once.profile, sources, tmp_path, "2026-02-01")
    loops = []
    for profile in (once.profile, again.profile):
        ((_, loop),) = measured_file(text, profile.counts("main.c")).loops
        loops.append((loop.iterations, loop.entries, loop.average_trips))
    assert loops == [(82, 2, 41), (164, 4, 41)]
    assert again.profile.sources["main.c"].runs == 2


def test_a_function_that_only_moved_keeps_its_counts_and_an_edited_one_has_none(tmp_path) -> None:
    imported = import_counts(RunProfile(), counted_sources(tmp_path, PROGRAM, "-O2"), tmp_path, "2026-01-31")
    counts = imported.profile.counts("main.c")
    before = measured_file(PROGRAM, counts)
    edited = PROGRAM.replace("#define N 23", "/* words\n   over lines */\n\n#define N 23").replace(
        "x[j] += i;\n}", "x[j] += 2 * i;\n}", 1
    )
    edited = edited.replace("    gemm(N);\n", "\tgemm(N); // one\n")
    after = measured_file(edited, counts)
    triangle = edited.index("static void triangle")
    assert [edited[span.start : span.end].partition("(")[0] for span in after.stale] == ["static void triangle"]
    assert after.is_changed
    assert not before.is_changed
    assert not [at for at, _ in after.loops if triangle < at < edited.index("static void spmv")]
    assert len(after.loops) == len(before.loops) - 2
    assert by_loop(edited, after) == {n: counts for n, counts in by_loop(PROGRAM, before).items() if n not in {3, 4}}


def test_counts_of_another_text_are_refused(tmp_path) -> None:
    sources = counted_sources(tmp_path, PROGRAM, "-O0")
    (tmp_path / "main.c").write_text("/* a line above */\n\n\n" + PROGRAM)
    imported = import_counts(RunProfile(), sources, tmp_path, "2026-01-31")
    assert imported.names == ()
    (refusal,) = imported.refused
    assert "main.c: the counts don't fit its text" in refusal
    assert "compile and run it again" in refusal
