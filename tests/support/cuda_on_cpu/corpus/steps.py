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
)
