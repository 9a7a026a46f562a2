"""Factorisations, whose sums need each other: ports run them in steps, a kernel or two for all sums at once."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_SIZES = ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 37})

STEPS = (
    Case(
        "lu_by_rows",
        """
        void work(int n, double a[n][n])
        {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++) {
                    for (int k = 0; k < j; k++)
                        a[i][j] -= a[i][k] * a[k][j];
                    a[i][j] /= 40 + a[j][j] * a[j][j];
                }
                for (int j = i; j < n; j++)
                    for (int k = 0; k < i; k++)
                        a[i][j] -= a[i][k] * a[k][j];
            }
        }
        """,
        _SIZES,
    ),
    Case(
        "lu_with_sums_in_a_variable",
        """
        void work(int n, double a[n][n])
        {
            double w;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++) {
                    w = a[i][j];
                    for (int k = 0; k < j; k++)
                        w -= a[i][k] * a[k][j];
                    a[i][j] = w / (40 + a[j][j] * a[j][j]);
                }
                for (int j = i; j < n; j++) {
                    w = a[i][j];
                    for (int k = 0; k < i; k++)
                        w -= a[i][k] * a[k][j];
                    a[i][j] = w;
                }
            }
        }
        """,
        _SIZES,
    ),
    Case(
        "sums_below_the_diagonal_in_a_variable",
        """
        void work(int n, unsigned a[n][n])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++) {
                    unsigned w = a[i][j];
                    for (int k = 0; k < j; k++)
                        w -= a[i][k] * a[j][k];
                    a[i][j] = w;
                }
        }
        """,
        _SIZES,
    ),
    Case(
        "cholesky_by_rows_of_a_flat_array",
        """
        #include <math.h>
        void work(int n, float *a)
        {
            int i, j, k;
            for (i = 0; i < n; i++) {
                for (j = 0; j < i; j++) {
                    for (k = 0; k < j; k++)
                        a[i * n + j] -= a[i * n + k] * a[j * n + k];
                    a[i * n + j] /= a[j * n + j];
                }
                for (k = 0; k < i; k++)
                    a[i * n + i] -= a[i * n + k] * a[i * n + k];
                a[i * n + i] = 3 + sqrtf(fabsf(a[i * n + i]));
            }
        }
        """,
        _SIZES,
        lengths={"a": "n * n"},
    ),
    Case(
        "columns_made_orthogonal",
        """
        #include <math.h>
        void work(int n, double a[n][24], double r[24][24], double q[n][24])
        {
            for (int k = 0; k < 24; k++) {
                double norm = 0;
                for (int i = 0; i < n; i++)
                    norm += a[i][k] * a[i][k];
                r[k][k] = sqrt(norm) + 40;
                for (int i = 0; i < n; i++)
                    q[i][k] = a[i][k] / r[k][k];
                for (int j = k + 1; j < 24; j++) {
                    r[k][j] = 0;
                    for (int i = 0; i < n; i++)
                        r[k][j] += q[i][k] * a[i][j];
                    for (int i = 0; i < n; i++)
                        a[i][j] = a[i][j] - q[i][k] * r[k][j];
                }
            }
        }
        """,
        ({"n": 0}, {"n": 1}, {"n": 3}, {"n": 70}),
        is_exact=False,
        terms="n * 24",
    ),
    Case(
        "ends_set_between_steps",
        """
        void work(int n, int t, double *restrict a, double *restrict b)
        {
            for (int s = 0; s < t; s++) {
                a[0] = a[1] + s;
                if (n > 3)
                    a[n - 1] = a[n - 2] * 2;
                for (int i = 1; i < n - 1; i++) {
                    double left = a[i - 1];
                    for (int k = 0; k < 5; k++)
                        b[i * 5 + k] = left + a[i + 1] * k;
                }
                for (int i = 1; i < n - 1; i++)
                    a[i] = b[i * 5 + 2] - a[i];
            }
        }
        """,
        ({"n": 2, "t": 0}, {"n": 2, "t": 1}, {"n": 3, "t": 3}, {"n": 4, "t": 2}, {"n": 69, "t": 3}),
        lengths={"a": "n", "b": "5 * n"},
    ),
)
