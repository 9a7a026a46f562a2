"""What statements of a program give a size, and what of it stays open."""

from __future__ import annotations

import pytest
from support.programs.linked import nests, report
from support.programs.sized_programs import MAIN, RUN, sizes_of, text_of


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("run(x, 4096);", 4096),
        ("int n = 64; run(x, n * n);", 4096),
        ("int n; n = 1 << 12; run(x, n);", 4096),
        ("const int n = 5000; int m = n - 904; run(x, m);", 4096),
        ("int n[3] = {16, 256, 4096}; run(x, n[2]);", 4096),
        ("double length = 40.96, h = 0.01; int n = (int)(length / h + 0.5); run(x, n);", 4096),
        ("run(x, sizeof(double) * 512);", 4096),
        ("int n = argc > 1 ? 1 : 4096; run(x, n);", 4096),
        ("int n = 4096; if (argc > 1) n = atoi(argv[1]); run(x, n);", 4096),
        ("int n = 4095; n |= 1; run(x, n + 1);", 4096),
        ("struct { int n, m; } s = {.m = 4096}; run(x, s.m);", 4096),
        ("struct { int k, n, m; } s = {.n = 1, 4096}; run(x, s.m);", 4096),
        ("struct { int k, n; } s[2] = {[1] = {2, .n = 4096}, [0].k = 7}; run(x, s[1].n);", 4096),
        ("int n[4] = {[2] = 16, 4096}; run(x, n[3]);", 4096),
        ('int n = strlen("a\\n") * 2048; run(x, n);', 4096),
        ("long n = 8192, *p = &n; run(x, n / 2);", 4096),
        ("for (int step = 0; step < 10; step++) run(x, 4096);", 4096),
    ],
)  # fmt: skip
def test_the_caller_in_another_file_says_the_size(body: str, value: int) -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format(body)}"}
    nest = nests(report(files, "run.c"))["run"]
    assert sizes_of(nest) == {"n": (value, "program")}


@pytest.mark.parametrize(
    "body",
    [
        "int n = atoi(argv[1]); run(x, n);",
        'int n; scanf("%d", &n); run(x, n);',
        "int n = 0; while (getchar() != -1) n++; run(x, n);",
        "int n = elsewhere(); run(x, n);",
        "int n = 0; if (argc > 1) n = atoi(argv[1]); run(x, n);",
        "int n = 1; if (argc > 1) n = atoi(argv[1]); run(x, n);",
        ";",
    ],
)
def test_what_the_source_does_not_tell_stays_open(body: str) -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdio.h>\n#include <stdlib.h>\n{MAIN.format(body)}"}
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (1024, "default")}


def test_where_an_open_size_comes_from_is_said() -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format('int n = atoi(argv[1]); run(x, n);')}"}
    text = text_of(nests(report(files, "run.c"))["run"], "n")
    assert text.startswith("`n` is not known (the command line says it: `int main(int argc, char **argv)"), text
    assert "say how the program is called (`called_as` in `.warplens.toml`), or `// warplens: n = …`" in text


def test_one_process_of_one_thread_is_assumed() -> None:
    source = """
    void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
    int main(void) {
        extern double x[];
        int size, rank, n = 4096;
        MPI_Comm_size(0, &size);
        MPI_Comm_rank(0, &rank);
        int first = rank * (n / size), last = first + n / size / omp_get_num_threads();
        run(x, last - first);
    }"""
    nest = nests(report({"a.c": source}, "a.c"))["run"]
    assert sizes_of(nest) == {"n": (4096, "program")}
    assert "one process is assumed" in text_of(nest, "n")


def test_what_counts_up_to_a_number_does_not_make_it_counted() -> None:
    source = """
    void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
    int main(void) {
        extern double x[]; extern int goes_on(int);
        int roots = 64, i;
        for (i = 0; i < roots; i++)
            if (!goes_on(i))
                break;
        roots = i;
        run(x, roots);
    }"""
    assert sizes_of(nests(report({"a.c": source}, "a.c"))["run"]) == {"n": (64, "program")}


@pytest.mark.parametrize(("values", "shown"), [("-1, 40", 40), ("-1, 0", 0), ("-2, -1", -2)])
def test_a_negative_number_is_a_size_where_no_other_is(values: str, shown: int) -> None:
    first, second = values.split(", ")
    source = f"""
    void run(double *x, int at) {{ for (int i = 3; i < 80; i++) x[i + at * 100] = 1; }}
    int main(int argc, char **argv) {{ extern double x[]; int at = {first}; if (argc > 1) at = {second}; run(x, at); }}
    """
    assert sizes_of(nests(report({"a.c": source}, "a.c"))["run"]) == {"at": (shown, "program")}


def test_recursion_ends() -> None:
    files = {
        "run.c": (
            "void run(double *x, int n) {\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n"
            "    if (n > 8)\n        run(x, n / 2);\n}\n"
        ),
        "main.c": MAIN.format("run(x, 1000);"),
    }
    value, origin = sizes_of(nests(report(files, "run.c"))["run"])["n"]
    assert (value, origin) == (1000, "program")
