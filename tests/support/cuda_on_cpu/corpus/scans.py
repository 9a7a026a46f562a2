"""Subscripts and bounds that only data tells: the host looks for their ends before it copies."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_ROWS = ({"n": 0, "e": 1}, {"n": 1, "e": 1}, {"n": 5, "e": 3}, {"n": 70, "e": 33}, {"n": 33, "e": 700})
_CSR = {"start": "n + 1", "col": "e", "val": "e", "x": "57", "y": "n"}
_FILLS = {"start": "rows e", "col": "index 57"}

SCANS = (
    Case(
        "sparse_rows_of_pointers",
        """
        void work(int n, int e, const int *restrict start, const int *restrict col, const double *restrict val,
                  const double *restrict x, double *restrict y)
        {
            for (int r = 0; r < n; r++) {
                double sum = 0;
                for (int k = start[r]; k < start[r + 1]; k++)
                    sum += val[k] * x[col[k]];
                y[r] = sum;
            }
        }
        """,
        _ROWS,
        lengths=_CSR,
        fills=_FILLS,
    ),
    Case(
        "sparse_rows_that_are_scaled",
        """
        void work(int n, int e, const int *restrict start, const double *restrict x, double *restrict val)
        {
            // warplens: start is increasing
            for (int r = 1; r < n; r++)
                for (int k = start[r]; k < start[r + 1]; k++)
                    val[k] *= x[r];
        }
        """,
        ({"n": 0, "e": 1}, {"n": 1, "e": 1}, {"n": 5, "e": 9}, {"n": 33, "e": 700}),
        lengths=_CSR | {"x": "n"},
        fills=_FILLS,
    ),
    Case(
        "sparse_rows_with_gaps",
        """
        void work(int n, int e, const int *restrict start, const double *restrict x, double *restrict val)
        {
            // warplens: start is increasing
            for (int r = 0; r < n; r++)
                for (int k = start[r]; k < start[r + 1] - 1; k++)
                    val[k] = x[r];
        }
        """,
        ({"n": 0, "e": 1}, {"n": 1, "e": 1}, {"n": 5, "e": 9}, {"n": 33, "e": 700}),
        lengths=_CSR | {"x": "n"},
        fills=_FILLS,
    ),
    Case(
        "gather_behind_an_offset",
        """
        void work(int n, int e, const int *restrict col, const float *restrict x, float *restrict y)
        {
            for (int i = 2; i < e; i += 1)
                y[i] = x[2 * col[i] + 1] + x[col[i - 2]];
        }
        """,
        _ROWS,
        lengths={"col": "e", "x": "120", "y": "e"},
        fills=_FILLS,
    ),
    Case(
        "gather_below_the_start",
        """
        void gathered(int n, int e, const int *col, const double *x, double *y)
        {
            for (int i = 0; i < e; i++)
                y[i] = x[col[i] - 9];
        }
        void work(int n, int e, const int *restrict col, const double *restrict x, double *restrict y)
        {
            gathered(n, e, col, x + 9, y);
        }
        """,
        _ROWS,
        function="gathered",
        entry="work",
        lengths={"col": "e", "x": "80", "y": "e"},
        fills=_FILLS,
    ),
    Case(
        "scatter_without_repeats",
        """
        void work(int n, int e, const int *restrict at, const double *restrict x, double *restrict y)
        {
            // warplens: at is a permutation
            for (int i = 0; i < e; i++)
                y[at[i]] = x[i];
        }
        """,
        _ROWS,
        lengths={"at": "e", "x": "e", "y": "e"},
        fills={"at": "permutation"},
    ),
    Case(
        "rows_whose_counter_is_set_before",
        """
        void work(int n, int e, double *restrict x)
        {
            for (int r = 0; r < n; r++) {
                int i = 0;
                while (i < e) {
                    x[r * e + i] += r;
                    i++;
                }
            }
        }
        """,
        _ROWS,
        lengths={"x": "n * e"},
    ),
    Case(
        "a_counter_behind_two_loops",
        """
        void work(int n, int e, int m, const double y[6][40], double x[6])
        {
            for (int r = 0; r < 6; r++) {
                int i;
                double s = 0;
                for (i = 0; i < n; i++)
                    s += y[r][i];
                for (; i < m; i++)
                    s -= y[r][i];
                x[r] = s + i;
            }
        }
        """,
        tuple({"n": n, "e": 1, "m": m} for n, m in ((-3, -2), (-3, 2), (0, 0), (3, 1), (5, 9), (40, 40))),
        terms="80",
    ),
    Case(
        "data_decides_how_far",
        """
        void work(int n, int e, const int *restrict q, const double *restrict x, double *restrict y)
        {
            for (int j = 0; j < n; j++) {
                double t = 0;
                for (int i = 0; i < q[j]; i++)
                    t += x[i];
                y[j] = t;
            }
        }
        """,
        _ROWS,
        lengths={"q": "n", "x": "57", "y": "n"},
        fills={"q": "index 57"},
    ),
)
