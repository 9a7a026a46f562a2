"""Arguments and options with which somebody says that the program is called."""

from __future__ import annotations

import pytest
from support.programs.linked import nests, report
from support.programs.sized_programs import MAIN, RUN, sizes_of, text_of
from warplens.analysis.engine.options import AnalysisOptions


def test_arguments_that_somebody_said_are_read() -> None:
    body = "int n = atoi(argv[1]); run(x, argc == 3 ? n : 5);"
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format(body)}"}
    options = AnalysisOptions(arguments=("3000", "in.dat"))
    assert sizes_of(nests(report(files, "run.c", options))["run"]) == {"n": (3000, "program")}


def test_a_scan_of_an_argument_reads_it_and_a_write_changes_nothing() -> None:
    source = """
    #include <stdio.h>
    void read_sizes(char **argv, int *n, int *m) {
        sscanf(argv[1], "%d", n);
        sscanf(argv[2], "%d,%d", m, n + 1);
    }
    void run(double *x, int n, int m, int k) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) x[(i * m + j) * k + l] = 1;
    }
    int main(int argc, char **argv) {
        extern double x[];
        int n, m, k = 30;
        read_sizes(argv, &n, &m);
        fwrite(&k, sizeof k, 1, stdout);
        run(x, n, m, k);
    }"""
    found = sizes_of(nests(report({"a.c": source}, "a.c"))["run"])
    assert found == {"n": (1024, "default"), "m": (1024, "default"), "k": (30, "program")}
    options = AnalysisOptions(arguments=("3000", "20,4"))
    found = sizes_of(nests(report({"a.c": source}, "a.c", options))["run"])
    assert found == {"n": (3000, "program"), "m": (20, "program"), "k": (30, "program")}


OPTIONS = """
#include <stdlib.h>
#include <string.h>
#include <getopt.h>
typedef struct { int n, m; } options;
static struct option table[] = {{"size", required_argument, 0, 'n'}, {"rows", required_argument, 0, 'm'}, {0, 0, 0, 0}};
void small(options *o) { o->n = 68; }
void with_getopt(int argc, char **argv, options *o) {
    struct option mine[] = {{"size", required_argument, 0, 'n'}, {"rows", required_argument, 0, 'm'}};
    int c;
    o->n = 100;
    o->m = 200;
    while ((c = getopt_long(argc, argv, "n:m:", mine, NULL)) != -1)
        switch (c) {
        case 'n':
            o->n = atoi(optarg);
            break;
        case 'm':
            o->m = atoi(optarg);
            break;
        }
}
void with_strcmp(int argc, char **argv, options *o) {
    o->n = 100;
    o->m = 200;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") || strcmp(argv[i], "--size") == 0)
            o->n = atoi(argv[++i]);
        else if (strcmp(argv[i], "--rows") == 0 || !strcmp(argv[i], "-m"))
            o->m = atoi(argv[++i]);
        else if (strcmp(argv[i], "small") == 0)
            small(o);
    }
}
void run(double *x, options *o) {
    for (int i = 0; i < o->n; i++)
        for (int j = 0; j < o->m; j++)
            x[i * o->m + j] = 1;
}
extern double x[];
int main(int argc, char **argv) { options o; WAY(argc, argv, &o); run(x, &o); }
"""


@pytest.mark.parametrize(
    ("way", "arguments", "expected"),
    [
        ("with_getopt", (), (100, 200)),
        ("with_getopt", ("-n", "4096"), (4096, 200)),
        ("with_getopt", ("--rows", "30", "-n64"), (64, 30)),
        ("with_getopt", ("--size=5000",), (5000, 200)),
        ("with_strcmp", (), (100, 200)),
        ("with_strcmp", ("-n", "4096"), (4096, 200)),
        ("with_strcmp", ("--size", "64", "-m", "30"), (64, 30)),
        ("with_strcmp", ("small",), (68, 200)),
    ],
)
def test_options_of_the_command_line(way: str, arguments: tuple[str, ...], expected: tuple[int, int]) -> None:
    other = "with_strcmp" if way == "with_getopt" else "with_getopt"
    start = OPTIONS.index(f"void {other}")
    text = OPTIONS[:start] + OPTIONS[OPTIONS.index("\n}\n", start) + 3 :]
    found = nests(report({"main.c": text.replace("WAY", way)}, "main.c", AnalysisOptions(arguments=arguments)))["run"]
    assert sizes_of(found) == {"o->n": (expected[0], "program"), "o->m": (expected[1], "program")}


@pytest.mark.parametrize(
    ("cases", "arguments", "value"),
    [
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-n", "64"), 64),
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-N", "64"), 64),
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-m", "64"), 10),
        ("case 'a': all = 1; case 'n': n = 64; break;", ("-a",), 64),
        ("case 'a': all = 1; break; case 'n': n = 64; break;", ("-a",), 10),
        ("case 'a': { all = 1; return 1; } case 'n': n = 64;", ("-a",), 10),
        ("case 'a': exit(1); case 'n': n = 64;", ("-a",), 10),
    ],
)
def test_labels_of_a_switch_lead_to_what_stands_behind_them(cases: str, arguments: tuple[str, ...], value: int) -> None:
    main = (
        "int main(int argc, char **argv) { int n = 10, all = 0, c; "
        f'while ((c = getopt(argc, argv, "n:N:m:a")) != -1) switch (c) {{ {cases} }} run(x, n); return all; }}'
    )
    text = f"#include <stdlib.h>\n#include <unistd.h>\nextern double x[];\n{RUN}{main}\n"
    found = nests(report({"main.c": text}, "main.c", AnalysisOptions(arguments=arguments)))["run"]
    assert sizes_of(found) == {"n": (value, "program")}


def test_a_default_may_be_changed_by_the_command_line_unless_that_is_said() -> None:
    text = OPTIONS.replace("WAY", "with_strcmp")
    unsaid = nests(report({"main.c": text}, "main.c"))["run"]
    assert sizes_of(unsaid)["o->n"] == (100, "program")
    assert "the command line may change it" in text_of(unsaid, "o->n")
    said = nests(report({"main.c": text}, "main.c", AnalysisOptions(arguments=("small",))))["run"]
    assert "may change it" not in text_of(said, "o->m")
