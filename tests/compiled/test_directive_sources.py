"""What only the source's text says against directives: macros, storage, types, what stands between and behind loops."""

import subprocess
from pathlib import Path

import pytest
from support.openacc_ports import insertion as openacc
from support.openmp_ports import insertion as openmp

BOTH = (openmp, openacc)
SCALE = "for (int i = 0; i < n; i++) a[i] *= 2;"
ROWS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i + j;"

REFUSED_IN_BOTH = {
    "rows_keep_the_length_that_they_were_declared_with": (
        f"void work(int n, double a[n][n]) {{ n = n / 2; {ROWS} }}",
        "`a` has the size that `n` had where it is declared, and `n` changes later",
    ),
    "array_without_a_size": (
        "extern double a[]; void work(int n) { " + SCALE + " } double a[100];",
        "`a` is declared without its size above the loop",
    ),
    "rows_without_a_number": (
        "extern double a[][7]; void work(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 7; j++) a[i][j]++; }",
        "`a` is declared without its size above the loop",
    ),
    "array_that_is_as_long_as_the_memory_behind_a_structure": (
        "struct s { int n; double v[]; }; void work(int n, struct s *a) { for (int i = 0; i < n; i++) a->v[i] *= 2; }",
        "`a` ends in the array `v`",
    ),
    "array_of_each_host_thread": (
        (
            "static _Thread_local double t[8];"
            "void work(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= t[i & 7]; }"
        ),
        "every thread of the host has a `t` of its own",
    ),
    "sum_of_each_host_thread": (
        (
            "static double t;\n#pragma omp threadprivate(t)\n"
            "void work(int n, double *a) { for (int i = 0; i < n; i++) t += a[i]; }"
        ),
        "every thread of the host has a `t` of its own",
    ),
    "number_that_no_gpu_has": (
        "void work(int n, long double *a) { " + SCALE + " }",
        "`a` is `long double`, which a GPU does not have",
    ),
    "counter_that_is_an_enumeration": (
        "enum k { A, Z = 40 }; void work(double *a) { for (enum k i = A; i < Z; ++i) a[i] += 1; }",
        "counts with an enumeration",
    ),
    "counter_of_a_named_enumeration": (
        "typedef enum { A, Z = 40 } kind; void work(double *a) { kind i; for (i = A; i < Z; ++i) a[i] += 1; }",
        "counts with an enumeration",
    ),
    "counter_that_is_a_truth_value": (
        "void work(double *a) { for (_Bool i = 0; i < 1; i++) a[i] += 1; }",
        "counts with a truth value",
    ),
    "number_that_a_reduction_makes_a_truth_value": (
        "int work(int n, const int *a) { int t = 5; for (int i = 0; i < n; i++) t = t && a[i] < 9; return t; }",
        "`t` may be neither 0 nor 1 before the loop",
    ),
    "statement_behind_the_inner_loop": (
        "void work(int n, double a[n][n]) { " + ROWS.replace("for (int j", "{ for (int j") + " (void)i; } }",
        "`(void)i;` stands between loops that are collapsed",
    ),
    "condition_of_the_preprocessor_between_the_loops": (
        (
            "void work(int n, double *a) { for (int i = 0; i < n; i++)\n#ifndef FLAT\n"
            "for (int j = 0; j < n; j++)\n#endif\na[i * n + j] *= 2; }"
        ),
        "`#ifndef FLAT` stands between loops that are collapsed: other builds may not have both",
    ),
    "line_that_continues_the_one_above": (
        "void work(int n, double *a) { int k = 2; \\\n" + SCALE + " a[0] = k; }",
        "ends in a backslash",
    ),
    "task_inside": (
        "void work(int n, double *a) { for (int i = 0; i < n; i++) {\n#pragma omp task\na[i] *= 2; } }",
        "`#pragma omp task` stands inside of the loop",
    ),
    "flag_that_keeps_a_read_inside": (
        (
            "void work(int n, double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++) {"
            " int inside = i < n - 3; if (inside) a[i] = b[i + 3]; } }"
        ),
        "is used is decided by a condition that is not followed",
    ),
    "flag_of_data_that_keeps_a_read_inside": (
        (
            "void work(int n, double *restrict a, const double *restrict b, const int *restrict m) {"
            " for (int i = 0; i < n; i++) { int ok = m[i] && i < n - 3; if (ok) a[i] = b[i + 3]; } }"
        ),
        "is used is decided by a condition that is not followed",
    ),
    "break_that_keeps_reads_inside": (
        (
            "void work(int n, double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++) {"
            " double s = 0; for (int k = 0; k < 9; k++) { if (i + k == n) break; s += b[i + k]; } a[i] = s; } }"
        ),
        "is used is decided by a condition that is not followed",
    ),
    "macro_that_is_a_word_of_the_directive": (
        "#define if(x) if (x)\nvoid work(int n, double *a) { " + SCALE + " }",
        "`if` is a macro of the file, and a word of the directive",
    ),
}


@pytest.mark.parametrize("language", BOTH, ids=["openmp", "openacc"])
@pytest.mark.parametrize(("source", "reason"), REFUSED_IN_BOTH.values(), ids=REFUSED_IN_BOTH)
def test_port_is_refused_with_the_reason(language, source: str, reason: str, analyse_c) -> None:
    text, (port, *_) = language.ported_text(source, analyse_c(source))
    assert reason in port.refusal
    assert text == source


REFUSED_IN_ONE = {
    "steps_of_two_up_to_an_inequality": (
        openmp,
        "void work(int n, double *a) { for (int i = 0; i != 2 * n; i += 2) a[i] += 1; }",
        "is not of the form that OpenMP wants",
    ),
    "critical_section_of_the_other_language": (
        openacc,
        "void work(int n, double *a) { for (int i = 0; i < n; i++) {\n#pragma omp critical\na[i] *= 2; } }",
        "`#pragma omp critical` stands inside of the loop",
    ),
    "alignment_on_the_host": (
        openmp,
        "void work(int n, double *a) {\n#pragma omp parallel for simd aligned(a: 32)\n" + SCALE + " }",
        "`aligned(a: 32)` of the directive is meant for the host's threads",
    ),
    "macro_of_a_map": (
        openmp,
        (
            "#define to 1\nvoid work(int n, double *restrict a, const double *restrict b) {"
            " for (int i = 0; i < n; i++) a[i] = b[i] + to; }"
        ),
        "`to` is a macro of the file",
    ),
    "macro_of_a_copy": (
        openacc,
        "#define copy(a, b) a = b\nvoid work(int n, double *a) { " + SCALE + " }",
        "`copy` is a macro of the file",
    ),
}


@pytest.mark.parametrize(("language", "source", "reason"), REFUSED_IN_ONE.values(), ids=REFUSED_IN_ONE)
def test_one_language_refuses(language, source: str, reason: str, analyse_c) -> None:
    text, (port,) = language.ported_text(source, analyse_c(source))
    assert reason in port.refusal
    assert text == source


STILL_OFFERED = {
    "the size is set before the array is declared": (
        "void work(int n, double *y) { n = n / 2; double a[n][n]; " + ROWS + " y[0] = a[0][n - 1]; }"
    ),
    "the size is declared again with a number": (
        "extern double a[]; extern double a[100]; void work(int n) { " + SCALE + " }"
    ),
    "the value says how many": "static double a[] = {1, 2, 3}; void work(int n) { " + SCALE + " }",
    "truth values only": (
        "int work(int n, const int *a) { int t = 1; for (int i = 0; i < n; i++) t = t && a[i] < 9; return t; }"
    ),
    "what a lost condition guards is used anyway": (
        "int abs(int); void work(int n, double *restrict a, const double *restrict b) {"
        " for (int i = 0; i < n; i++) { a[i] = b[i]; if (abs(i - 4) < 2) a[i] += b[i]; } }"
    ),
    "data decides": (
        "void work(int n, double *restrict a, const double *restrict b, const int *restrict m) {"
        " for (int i = 0; i < n; i++) { int is_set = m[i] > 0; if (is_set) a[i] = b[i]; } }"
    ),
    "the macro is gone": "#define to 1\n#undef to\nvoid work(int n, double *a) { " + SCALE + " }",
    "a macro with arguments is none without them": (
        "#define max(a, b) ((a) > (b) ? (a) : (b))\ndouble work(int n, const double *a) { double t = 0;"
        " for (int i = 0; i < n; i++) t = max(t, a[i]); return t; }"
    ),
    "an inequality is reached one by one": "void work(int *a) { for (int i = 9; i != 0; i -= 1) a[i] += 1; }",
}


@pytest.mark.parametrize("source", STILL_OFFERED.values(), ids=STILL_OFFERED)
def test_port_is_offered(source: str, analyse_c, tmp_path: Path) -> None:
    text, (port, *_) = openmp.ported_text(source, analyse_c(source))
    assert port.refusal == ""
    _compile(text, "-fopenmp", tmp_path)


LESS = "for (int i = 0; i < 90; i++)\nfor (int j = 0; j < (n > 90 ? 90 : n); j++) table[i][j] *= 2;"
"""The planned directive would not join these: the second has no plain bound."""
JOINED = {
    "a triangle": (
        openmp,
        "#pragma omp parallel for collapse(2)",
        "for (int i = 0; i < n; i++)\nfor (int j = i; j < n; j++) a[i * n + j] *= 2;",
        "-fopenmp",
    ),
    "one loop more than is predicted best": (
        openmp,
        "#pragma omp parallel for collapse(3)",
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
            "for (int k = j; k < n; k++) a[(i * n + j) * n + k] *= 2;"
        ),
        "-fopenmp",
    ),
    "joined": (
        openacc,
        "#pragma acc parallel loop collapse(2)",
        LESS,
        "-fopenacc",
    ),
    "tiles": (
        openacc,
        "#pragma acc parallel loop tile(4, 4)",
        LESS,
        "-fopenacc",
    ),
}


@pytest.mark.parametrize(("language", "directive", "loops", "flag"), JOINED.values(), ids=JOINED)
def test_no_line_comes_between_loops_that_the_user_joins(
    language, directive: str, loops: str, flag: str, analyse_c, tmp_path: Path
) -> None:
    source = f"double table[90][90];\nvoid work(int n, double *a) {{\n{directive}\n{loops}\n}}\n"
    text, (port,) = language.ported_text(source, analyse_c(source))
    assert port.refusal == ""
    assert text.count("#pragma") == 1
    _compile(text, flag, tmp_path)


def _compile(text: str, flag: str, folder: Path) -> None:
    (folder / "ported.c").write_text(text)
    command = ["gcc", "-std=gnu11", flag, "-foffload=disable", "-Wall", "-Werror", "-c", "ported.c"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, text + compiled.stderr
