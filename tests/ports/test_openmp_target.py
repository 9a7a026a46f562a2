"""The OpenMP port compiles without a warning and computes what the original computes.

Without an offload compiler the target regions run on the host, on several threads: clauses that are wrong in form, data
races and lost values show, copies that are missing do not. Those are held against the expected clauses.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warplens.analysis.advice.openmp_target import OpenMpPort, insertable, openmp_target
from warplens.analysis.engine.report import NestReport, Report

POOL = 1 << 16
MAIN = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double original[%(pool)d], ported[%(pool)d];
void drive_original(double *), drive_ported(double *);
int main(void)
{
    srand(1);
    for (int i = 0; i < %(pool)d; i++)
        original[i] = rand() / (double)RAND_MAX - 0.5;
    memcpy(ported, original, sizeof original);
    drive_original(original);
    drive_ported(ported);
    for (int i = 0; i < %(pool)d; i++)
        if (!(fabs(original[i] - ported[i]) <= %(tolerance)g * fabs(original[i]))) {
            printf("element %%d: %%.17g, not %%.17g\\n", i, ported[i], original[i]);
            return 1;
        }
    return 0;
}
"""


@dataclass(frozen=True)
class Case:
    """`source` defines `work` with the nest, and `drive`, which runs it on parts of one array of random numbers."""

    name: str
    source: str
    clauses: tuple[str, ...]
    is_reduction: bool = False


PORTED = (
    Case(
        "calls_that_write_and_that_loop",
        """
        static void scale(double *p, double factor) { *p = *p * factor; }
        static double dot(const double *a, const double *b, int n)
        {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += a[k] * b[k];
            return s;
        }
        static double clamped(double v) { if (v < -0.25) return -0.25; return v; }
        void work(int n, double *restrict y, const double *restrict a, const double *restrict x)
        {
            for (int i = 0; i < n; i++) {
                y[i] = clamped(y[i]) + dot(&a[i * n], x, n);
                scale(&y[i], x[i]);
            }
        }
        void drive(double *p) { work(60, p, p + 4000, p + 8000); }
        """,
        ("map(to: a[0:n*n], x[0:n])", "map(tofrom: y[0:n])"),
    ),
    Case(
        "call_with_two_results",
        """
        static void both(double v, double *twice, double *next) { *twice = 2 * v; *next = v + 1; }
        void work(int n, double *restrict y, const double *restrict x)
        {
            double s, t;
            for (int i = 0; i < n; i++) {
                both(x[i], &s, &t);
                y[i] = s * t;
            }
        }
        void drive(double *p) { work(600, p, p + 4000); }
        """,
        ("private(s, t)", "map(to: x[0:n])"),
    ),
    Case(
        "gemm_2d",
        """
        void work(int n, double c[n][n], double a[n][n], double b[n][n])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int k = 0; k < n; k++)
                        sum += a[i][k] * b[k][j];
                    c[i][j] = sum;
                }
        }
        void drive(double *p) { work(50, (void *)p, (void *)(p + 2500), (void *)(p + 5000)); }
        """,
        ("collapse(2)", "map(to: a[0:n][0:n], b[0:n][0:n])", "map(from: c[0:n][0:n])"),
    ),
    Case(
        "gemm_linearised_with_outer_declarations",
        """
        void work(int n, double *restrict c, const double *restrict a, const double *restrict b)
        {
            int i, j, k;
            double sum;
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++) {
                    sum = 0;
                    for (k = 0; k < n; k++)
                        sum += a[i * n + k] * b[k * n + j];
                    c[i * n + j] += sum;
                }
        }
        void drive(double *p) { work(61, p, p + 4000, p + 8000); }
        """,
        ("collapse(2)", "private(k, sum)", "map(to: a[0:n*n], b[0:n*n])", "map(tofrom: c[0:n*n])"),
    ),
    Case(
        "stencil_keeps_its_border",
        """
        void work(int n, double *restrict b, const double *restrict a)
        {
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]
                                           + a[i * n + j - 1] + a[i * n + j + 1]);
        }
        void drive(double *p) { work(97, p, p + 20000); }
        """,
        ("collapse(2)", "map(to: a[0:n*n])", "map(tofrom: b[n:n*n-2*n])"),
    ),
    Case(
        "one_dimension_written_in_full",
        """
        void work(int n, double *restrict y, const double *restrict x)
        {
            for (int i = 1; i < n - 1; i++)
                y[i] = x[i - 1] + x[i + 1];
        }
        void drive(double *p) { work(3000, p, p + 4000); }
        """,
        ("map(to: x[0:n])", "map(from: y[1:n-2])"),
    ),
    Case(
        "time_loop_of_two_sweeps",
        """
        #define N 64
        static double a[N][N], b[N][N];
        void work(int steps)
        {
            for (int t = 0; t < steps; t++) {
                for (int i = 1; i < N - 1; i++)
                    for (int j = 1; j < N - 1; j++)
                        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
                for (int i = 1; i < N - 1; i++)
                    for (int j = 1; j < N - 1; j++)
                        a[i][j] = b[i][j];
            }
        }
        void drive(double *p)
        {
            for (int i = 0; i < N * N; i++)
                a[i / N][i % N] = p[i];
            work(20);
            for (int i = 0; i < N * N; i++)
                p[i] = a[i / N][i % N] + b[i / N][i % N];
        }
        """,
        ("#pragma omp target data map(tofrom: b, a)", "for collapse(2) thread_limit("),
    ),
    Case(
        "dot_product",
        """
        double work(int n, const double *a, const double *b)
        {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += a[i] * b[i];
            return sum;
        }
        void drive(double *p) { p[0] = work(20000, p, p + 30000); }
        """,
        ("reduction(+: sum)", "map(tofrom: sum)", "map(to: a[0:n], b[0:n])"),
        is_reduction=True,
    ),
    Case(
        "largest_value",
        """
        double work(int n, const double *x)
        {
            double largest = -1e300;
            for (int i = 0; i < n; i++)
                if (x[i] > largest)
                    largest = x[i];
            return largest;
        }
        void drive(double *p) { p[0] = work(60000, p); }
        """,
        ("reduction(max: largest)", "map(tofrom: largest)"),
    ),
    Case(
        "reduction_over_two_loops_with_a_difference",
        """
        double work(int n, int m, const double *x)
        {
            double total = 100;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    total -= x[i * m + j] * x[i * m + j];
            return total;
        }
        void drive(double *p) { p[0] = work(100, 300, p); }
        """,
        ("collapse(2)", "reduction(+: total)", "map(to: x[0:m*n])"),
        is_reduction=True,
    ),
    Case(
        "transpose",
        """
        void work(int n, int m, float b[m][n], float a[n][m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    b[j][i] = a[i][j];
        }
        void drive(double *p)
        {
            float a[70][40], b[40][70];
            for (int i = 0; i < 2800; i++)
                a[i / 40][i % 40] = (float)p[i];
            work(70, 40, b, a);
            for (int i = 0; i < 2800; i++)
                p[i] = b[i / 70][i % 70];
        }
        """,
        ("collapse(2)", "map(to: a[0:n][0:m])", "map(from: b[0:m][0:n])"),
    ),
    Case(
        "triangle_is_not_collapsed",
        """
        void work(int n, double a[n][n])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    a[i][j] = 2 * a[i][j] + j;
        }
        void drive(double *p) { work(80, (void *)p); }
        """,
        ("for thread_limit(", "map(tofrom: a[0:n][0:n])"),
    ),
    Case(
        "members_of_structures",
        """
        struct particle { double x, y, vx, vy; int kind; };
        void work(int n, double dt, struct particle *p)
        {
            for (int i = 0; i < n; i++) {
                p[i].x += dt * p[i].vx;
                p[i].y += dt * p[i].vy;
            }
        }
        void drive(double *p)
        {
            static struct particle q[1000];
            for (int i = 0; i < 1000; i++)
                q[i] = (struct particle){ p[i], p[i + 1000], p[i + 2000], p[i + 3000], i };
            work(1000, 0.1, q);
            for (int i = 0; i < 1000; i++)
                p[i] = q[i].x + 3 * q[i].y + q[i].kind;
        }
        """,
        ("map(tofrom: p[0:n])",),
    ),
    Case(
        "array_in_a_structure",
        """
        struct row { int kind; double v[20]; };
        void work(int rows, int n, struct row *r)
        {
            for (int k = 0; k < rows; k++)
                for (int i = 0; i < n; i++)
                    r[k].v[i] *= 2;
        }
        void drive(double *p)
        {
            static struct row r[50];
            for (int i = 0; i < 1000; i++)
                r[i / 20].v[i % 20] = p[i];
            work(50, 20, r);
            for (int i = 0; i < 1000; i++)
                p[i] = r[i / 20].v[i % 20];
        }
        """,
        ("collapse(2)", "map(tofrom: r[0:rows])"),
    ),
    Case(
        "sparse_rows_of_declared_arrays",
        """
        #define ROWS 500
        #define ENTRIES 4000
        static int row_start[ROWS + 1], column[ENTRIES];
        static double value[ENTRIES], x[ROWS], y[ROWS];
        void work(void)
        {
            for (int i = 0; i < ROWS; i++) {
                double sum = 0;
                for (int k = row_start[i]; k < row_start[i + 1]; k++)
                    sum += value[k] * x[column[k]];
                y[i] = sum;
            }
        }
        void drive(double *p)
        {
            for (int k = 0; k < ENTRIES; k++) {
                value[k] = p[k];
                column[k] = k * 7 % ROWS;
            }
            for (int i = 0; i < ROWS; i++) {
                row_start[i + 1] = (i + 1) * 8;
                x[i] = p[i + 5000];
            }
            work();
            for (int i = 0; i < ROWS; i++)
                p[i] = y[i];
        }
        """,
        ("row_start", "map(from: y)"),
    ),
    Case(
        "gather",
        """
        void work(int n, double *restrict y, const double x[4096], const int *restrict index)
        {
            static double table[4096];
            for (int i = 0; i < 4096; i++)
                table[i] = x[i];
            for (int i = 0; i < n; i++)
                y[i] = table[index[i]];
        }
        void drive(double *p)
        {
            static int index[3000];
            for (int i = 0; i < 3000; i++)
                index[i] = i * 31 % 4096;
            work(3000, p, p + 10000, index);
        }
        """,
        ("map(to: x[0:4096])", "map(to: table, index[0:n])", "map(from: y[0:n])"),
    ),
    Case(
        "descending",
        """
        void work(int n, double *restrict y, const double *restrict x)
        {
            for (int i = n - 1; i >= 0; i--)
                y[n - 1 - i] = x[i];
        }
        void drive(double *p) { work(5000, p, p + 6000); }
        """,
        ("map(to: x[0:n])",),
    ),
    Case(
        "pointers_that_may_overlap_are_assumed_not_to",
        """
        void work(int n, double *a, double *b)
        {
            for (int i = 0; i < n; i++)
                a[i] += b[i];
        }
        void drive(double *p) { work(5000, p, p + 5000); }
        """,
        ("map(to: b[0:n])", "map(tofrom: a[0:n])"),
    ),
    Case(
        "global_arrays_written_in_part",
        """
        static double a[1000], b[1000];
        void work(int n)
        {
            for (int i = 0; i < n; i++)
                b[i] = 2 * a[i];
        }
        void drive(double *p)
        {
            for (int i = 0; i < 1000; i++)
                a[i] = b[i] = p[i];
            work(700);
            for (int i = 0; i < 1000; i++)
                p[i] = b[i];
        }
        """,
        ("map(to: a)", "map(tofrom: b)"),
    ),
    Case(
        "three_dimensions_with_a_variable_between",
        """
        void work(int n, int m, int l, double b[n][m][l], double a[n][m][l])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    double scale;
                    scale = i + 2 * j;
                    for (int k = 0; k < l; k++)
                        b[i][j][k] = scale * a[i][j][k];
                }
        }
        void drive(double *p) { work(10, 20, 30, (void *)p, (void *)(p + 6000)); }
        """,
        ("collapse(2)", "map(from: b[0:n][0:m][0:l])"),
    ),
    Case(
        "declaration_between_loops_ends_the_collapse",
        """
        void work(int n, double b[n][n], double a[n][n])
        {
            for (int i = 0; i < n; i++) {
                double t;
                for (int j = 0; j < n; j++) {
                    t = a[i][j];
                    b[i][j] = t * t;
                }
            }
        }
        void drive(double *p) { work(70, (void *)p, (void *)(p + 5000)); }
        """,
        ("for thread_limit(",),
    ),
    Case(
        "elimination_launches_in_a_sequential_loop",
        """
        void work(int n, double a[n][n])
        {
            for (int k = 0; k < n; k++) {
                for (int i = k + 1; i < n; i++)
                    a[i][k] /= a[k][k];
                for (int i = k + 1; i < n; i++)
                    for (int j = k + 1; j < n; j++)
                        a[i][j] -= a[i][k] * a[k][j];
            }
        }
        void drive(double *p)
        {
            for (int i = 0; i < 40; i++)
                p[i * 40 + i] += 40;
            work(40, (void *)p);
        }
        """,
        ("#pragma omp target data map(tofrom: a[0:n][0:n])", "collapse(2)"),
    ),
    Case(
        "window_of_two_sizes",
        """
        void work(int n, int m, double *restrict y, const double *restrict x)
        {
            for (int i = 1; i <= n; i++) {
                double sum = 0;
                for (int j = 0; j < m; j++)
                    sum += x[i + j];
                y[i] = sum;
            }
        }
        void drive(double *p) { work(3000, 9, p, p + 5000); }
        """,
        ("map(to: x[1:m+n-1])", "map(from: y[1:n])"),
    ),
    Case(
        "reductions_of_a_time_loop",
        """
        void work(int steps, int n, double *restrict x)
        {
            for (int t = 0; t < steps; t++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += x[i] * x[i];
                for (int i = 0; i < n; i++)
                    x[i] /= sum;
            }
        }
        void drive(double *p) { work(3, 5000, p); }
        """,
        ("#pragma omp target data map(tofrom: x[0:n])", "reduction(+: sum) map(tofrom: sum)"),
        is_reduction=True,
    ),
    Case(
        "scalar_of_the_time_loop_is_private",
        """
        void work(int steps, int n, double *restrict x, double *restrict y)
        {
            for (int t = 0; t < steps; t++) {
                double old;
                for (int i = 0; i < n; i++) {
                    old = x[i];
                    y[i] = old * old + t * old;
                }
                for (int i = 0; i < n; i++)
                    x[i] = 0.5 * y[i];
            }
        }
        void drive(double *p) { work(7, 3000, p, p + 5000); }
        """,
        ("#pragma omp target data map(tofrom: x[0:n], y[0:n])", "private(old)"),
    ),
)

REFUSED = {
    "called_function_uses_a_variable_of_the_file": (
        (
            "double k; static double f(double v) { return k * v; }"
            "void work(int n, double *y) { for (int i = 0; i < n; i++) y[i] = f(y[i]); }"
        ),
        "`f` uses `k` of the file, which would need `declare target`",
    ),
    "called_function_is_elsewhere": (
        "double f(double); void work(int n, double *y) { for (int i = 0; i < n; i++) y[i] = f(y[i]); }",
        "`f` is called: the device may not have it",
    ),
    "another_pointer_is_handed_on": (
        (
            "static void f(double *p, double v) { *p = v; }"
            "void work(int n, double *y) { double *q = y + 1; for (int i = 0; i < n; i++) f(q + i, i); }"
        ),
        "`q` points into another array",
    ),
    "the_parallel_loop_stands_in_the_called_function": (
        (
            "static void f(int n, double *p) { for (int k = 0; k < n; k++) p[k] = p[k] + 1; }"
            "void work(int n, double *y) { for (int i = 0; i < n; i++) f(n, y); }"
        ),
        "the threads lie along `k`, inside the loop over `i`",
    ),
    "value_of_the_last_iteration": (
        "double work(int n, double *y) { double t = 0; for (int i = 0; i < n; i++) { t = i; y[i] = t; } return t; }",
        "the value of `t` after the loop may be used",
    ),
    "iterator_used_after": (
        "int work(int n, double *y) { int i; for (i = 0; i < n; i++) y[i] = i; return i; }",
        "the value of `i` after the loop may be used",
    ),
    "histogram": (
        "void work(int n, int *restrict h, const int *restrict k) { for (int i = 0; i < n; i++) h[k[i]]++; }",
        "`h` is updated by several iterations at once",
    ),
    "early_exit": (
        "int work(int n, int *x) { for (int i = 0; i < n; i++) if (x[i] == 7) return i; return -1; }",
        "no loop of this nest is known to be parallel",
    ),
    "recurrence": (
        "void work(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }",
        "no loop of this nest is known to be parallel",
    ),
    "sequential_loop_outside_of_the_threads_in_one_band": (
        (
            "void work(int n, double *restrict y, double a[n][n], double *restrict x) {"
            " for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) y[i] += a[k][i] * x[k]; }"
        ),
        "interchange the two loops first",
    ),
    "length_behind_a_pointer": (
        "struct s { int n; }; void work(struct s *s, double *y) { for (int i = 0; i < s->n; i++) y[i] = i; }",
        "`s->n` is reached through a pointer",
    ),
    "rows_reached_through_pointers": (
        "void work(int n, double **a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 0; }",
        "the row length of `a` is not known",
    ),
    "half_of_a_size": (
        "void work(int n, double *x) { for (int i = 0; i < n / 2; i++) x[i] = 0; }",
        "depends on `n/2`",
    ),
    "step_in_the_condition": (
        "void work(int n, double *x) { for (int i = n; i-- > 0;) x[i] = 0; }",
        "`for (int i = n; i-- > 0;)` is not of the form that OpenMP wants",
    ),
    "sum_in_the_condition": (
        "void work(int n, double *x) { for (int i = 0; i + 1 < n; i++) x[i] = 0; }",
        "is not of the form that OpenMP wants",
    ),
    "sum_in_the_condition_of_a_collapsed_loop": (
        "void work(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j + 1 < n; j++) a[i][j] = 0; }",
        "`for (int j = 0; j + 1 < n; j++)` is not of the form that OpenMP wants",
    ),
    "loops_of_a_macro": (
        (
            "#define NEST for (int t = 0; t < s; t++) for (int i = 1; i < n; i++)\n"
            "void work(int s, int n, double *x) { NEST x[i] = x[i] * 2 + t; }"
        ),
        "comes from a macro",
    ),
    "two_bounds": (
        "void work(int n, int m, double *y) { for (int i = 0; i < n && i < m; i++) y[i] = i; }",
        "not one comparison",
    ),
    "gather_from_a_pointer": (
        (
            "void work(int n, double *restrict y, const double *restrict x, const int *restrict k)"
            " { for (int i = 0; i < n; i++) y[i] = x[k[i]]; }"
        ),
        "how far `x[k[i]]` reaches is decided at run time",
    ),
    "stride_that_may_jump_over_the_end": (
        "void work(int n, double *y) { for (int i = 0; i < n; i += 4) y[i + 3] = i; }",
        "is not known from the bounds of `i`",
    ),
    "offset_of_unknown_sign": (
        (
            "void work(int n, int o, double *restrict y, const double *restrict x)"
            " { for (int i = 0; i < n; i++) y[i] = x[i] + x[i + o]; }"
        ),
        "which subscript of `x` is the smallest is not known",
    ),
    "array_shared_by_iterations": (
        (
            "void work(int n, double *restrict y, const double *restrict x) { double t[2];"
            " for (int i = 0; i < n; i++) { t[0] = x[i]; t[1] = t[0] * t[0]; y[i] = t[1]; } }"
        ),
        "declare it in the loop's body",
    ),
    "host_statement_between_kernels": (
        (
            "void work(int s, int n, double *restrict y, double *restrict x) { for (int t = 0; t < s; t++) {"
            " for (int i = 0; i < n; i++) y[i] = x[i] + t; x[0] = y[n - 1]; } }"
        ),
        "on the host between kernels",
    ),
    "pointer_into_another_array": (
        "void work(int n, double *p) { double *q = p + 5; for (int i = 0; i < n; i++) q[i] = 0; }",
        "`q` points into another array",
    ),
    "member_array_behind_a_pointer": (
        (
            "struct s { double *d; }; void work(int n, struct s *s, double *y) {"
            " for (int i = 0; i < n; i++) y[i] = s->d[i]; }"
        ),
        "is reached through a structure",
    ),
}


def ported_text(source: str, report: Report) -> tuple[str, list[OpenMpPort]]:
    """Source with the lines of all nests of `work` above their loops, indented like them, and the ports."""
    ports: list[OpenMpPort] = []
    edits: list[tuple[int, str]] = []
    for nest in _nests_of_work(report):
        assert nest.evaluation is not None, nest.failure
        port = insertable(openmp_target(nest.evaluation), nest.spans, source)
        ports.append(port)
        headers = dict(nest.spans.header)
        for order, line in enumerate(port.lines):
            at = source.rfind("\n", 0, nest.spans.base + headers[line.loop].start) + 1
            indent = re.match(r"[ \t]*", source[at:])
            edits.append((at, f"{indent[0] if indent else ''}{line.text}\n"))
            assert order == 0 or edits[-2][0] <= at, "outermost first"
    for at in sorted({at for at, _ in edits}, reverse=True):
        source = source[:at] + "".join(text for place, text in edits if place == at) + source[at:]
    return source, ports


def _nests_of_work(report: Report) -> list[NestReport]:
    return [nest for function in report.functions if function.name == "work" for nest in function.nests]


@pytest.mark.parametrize("case", PORTED, ids=lambda case: case.name)
def test_port_computes_the_same(case: Case, analyse_c, tmp_path: Path) -> None:
    text, ports = ported_text(case.source, analyse_c(case.source))
    assert [port.refusal for port in ports if port.refusal] == []
    lines = [line.text for port in ports for line in port.lines]
    assert lines
    for clause in case.clauses:
        assert any(clause in line for line in lines), lines

    main = MAIN % {"pool": POOL, "tolerance": 1e-9 if case.is_reduction else 0}
    for name, content in (("original", case.source), ("ported", text), ("main", main)):
        renamed = "" if name == "main" else f"#define work work_{name}\n#define drive drive_{name}\n"
        (tmp_path / f"{name}.c").write_text(renamed + content)
    command = ["gcc", "-O1", "-std=gnu11", "-fopenmp", "-foffload=disable", "-Wall", "-Werror"]
    command += ["-fno-common", "original.c", "ported.c", "main.c", "-lm", "-o", "run"]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, text + compiled.stderr
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    ran = subprocess.run(["./run"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, text + ran.stdout


@pytest.mark.parametrize(("source", "reason"), REFUSED.values(), ids=REFUSED)
def test_port_is_refused_with_the_reason(source: str, reason: str, analyse_c) -> None:
    text, ports = ported_text(source, analyse_c(source))
    assert text == source
    assert [port.lines for port in ports] == [()]
    assert reason in ports[0].refusal


@given(case=st.sampled_from(PORTED), gpu=st.sampled_from(["a100", "gtx460", "h100"]), depth=st.integers(0, 3))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_second_port_is_refused(case: Case, gpu: str, depth: int, analyse_c) -> None:
    source = case.source.replace("\n", "\n" + "  " * depth).replace("\n" + "  " * depth + "        #", "\n#")
    once, _ = ported_text(source, analyse_c(source, gpu=gpu))
    twice, ports = ported_text(once, analyse_c(once, gpu=gpu))
    assert twice == once
    assert all("already has a directive" in port.refusal for port in ports)
