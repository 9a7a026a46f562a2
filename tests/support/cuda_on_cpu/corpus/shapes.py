"""Nests of shapes that the measured ones do not have: bounds, steps, triangles, several nests."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_SQUARES = ({"n": 0, "m": 0}, {"n": 1, "m": 1}, {"n": 5, "m": 3}, {"n": 37, "m": 45}, {"n": 33, "m": 64})
_LINES = ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 33}, {"n": 257})


def _line(name: str, source: str, **lengths: str) -> Case:
    return Case(name, source, _LINES, lengths={"x": "n", "y": "n"} | lengths)


def _square(name: str, source: str, **lengths: str) -> Case:
    return Case(name, source, _SQUARES, lengths=lengths)


SHAPES = (
    _square(
        "two_products",
        """
        void work(int n, int m, double alpha, double beta, double tmp[n][m], const double a[n][m], const double b[m][m],
                  double d[n][m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    tmp[i][j] = 0.0;
                    for (int k = 0; k < m; ++k)
                        tmp[i][j] += alpha * a[i][k] * b[k][j];
                }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    d[i][j] *= beta;
                    for (int k = 0; k < m; ++k)
                        d[i][j] += tmp[i][k] * b[j][k];
                }
        }
        """,
    ),
    _square(
        "mvt",
        """
        void work(int n, float x1[n], float x2[n], const float y1[n], const float y2[n], const float a[n][n])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    x1[i] = x1[i] + a[i][j] * y1[j];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    x2[i] = x2[i] + a[j][i] * y2[j];
        }
        """,
    ),
    _square(
        "atax",
        """
        void work(int n, int m, const double a[n][m], const double x[m], double y[m], double tmp[n])
        {
            for (int i = 0; i < n; i++) {
                tmp[i] = 0;
                for (int j = 0; j < m; j++)
                    tmp[i] += a[i][j] * x[j];
            }
            for (int j = 0; j < m; j++) {
                y[j] = 0;
                for (int i = 0; i < n; i++)
                    y[j] += a[i][j] * tmp[i];
            }
        }
        """,
    ),
    _square(
        "convolution_5x5_linear",
        """
        void work(int n, int m, const float *restrict in, const float *restrict filter, float *restrict out)
        {
            for (int y = 0; y < n; y++)
                for (int x = 0; x < m; x++) {
                    float sum = 0;
                    for (int v = -2; v <= 2; v++)
                        for (int u = -2; u <= 2; u++)
                            sum += in[(y + 2 + v) * (m + 4) + x + 2 + u] * filter[(v + 2) * 5 + u + 2];
                    out[y * m + x] = sum;
                }
        }
        """,
        **{"in": "(n + 4) * (m + 4)", "filter": "25", "out": "n * m"},
    ),
    _square(
        "clamped_borders",
        """
        void work(int n, int m, const float a[n][m], float b[n][m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    float up = i > 0 ? a[i - 1][j] : 0;
                    float left = j > 0 ? a[i][j - 1] : 0;
                    if (i + 1 < n && j + 1 < m)
                        b[i][j] = up + left + a[i + 1][j + 1];
                    else
                        b[i][j] = up - left;
                }
        }
        """,
    ),
    _square(
        "upper_triangle",
        """
        void work(int n, const double a[n][n], double b[n][n])
        {
            for (int i = 0; i < n; i++)
                for (int j = i + 1; j < n; j++)
                    b[j][i] = b[i][j] = a[i][j] + a[j][i];
        }
        """,
    ),
    _square(
        "sum_over_a_triangle",
        """
        void work(int n, const double l[n][n], const double b[n], double y[n])
        {
            for (int i = 0; i < n; i++) {
                double sum = b[i];
                for (int k = 0; k <= i; k++)
                    sum -= l[i][k] * b[k];
                y[i] = sum / (1 + i);
            }
        }
        """,
    ),
    _square(
        "steps_of_two_and_three",
        """
        void work(int n, int m, float a[n][m])
        {
            for (int i = 1; i < n; i += 2)
                for (int j = 2; j < m; j += 3)
                    a[i][j] = 2 * a[i][j] + i - j;
        }
        """,
    ),
    _square(
        "both_loops_descend",
        """
        void work(int n, int m, const float a[n][m], float b[n][m])
        {
            for (int i = n - 1; i >= 0; i--)
                for (int j = m - 1; j > 0; j -= 2)
                    b[n - 1 - i][j] = a[i][j] * j;
        }
        """,
    ),
    _square(
        "inner_loop_descends",
        """
        void work(int n, int m, const float a[n][m], float y[n])
        {
            for (int i = 0; i < n; i++) {
                float h = 0;
                for (int j = m - 1; j >= 0; j--)
                    h = h * 0.5f + a[i][j];
                y[i] = h;
            }
        }
        """,
    ),
    _line(
        "offsets_of_a_window",
        """
        void work(int n, float *restrict y, const float *restrict x)
        {
            for (int i = 3; i < n - 5; i++)
                y[i + 2] = x[i - 3] - x[i + 5];
        }
        """,
    ),
    _line(
        "reversed_with_stride",
        """
        void work(int n, double *restrict y, const double *restrict x)
        {
            for (int i = 0; i < n; i++)
                y[2 * i] = x[3 * (n - 1 - i) + 1];
        }
        """,
        x="3 * n",
        y="2 * n",
    ),
    _line(
        "two_bounds",
        """
        void work(int n, int m, double *restrict y, const double *restrict x)
        {
            for (int i = 0; i < n && i < m; i++)
                y[i] = x[i] + 1;
        }
        """,
    ),
    _line(
        "loop_from_parameters",
        """
        void work(int n, int first, double *restrict y, const double *restrict x)
        {
            for (int i = first; i <= n - first; i++)
                y[i - first] = x[i - 1];
        }
        """,
    ),
    _square(
        "three_dimensions_with_offsets",
        """
        void work(int n, int m, float a[n + 2][5][m + 1], float b[n][3][m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < 3; j++)
                    for (int k = 0; k < m; k++)
                        b[i][j][k] = a[i + 2][j + 1][k] + a[i][j + 2][k + 1] - a[i + 1][j][k];
        }
        """,
    ),
    _square(
        "four_parallel_loops",
        """
        void work(int n, int m, short a[2][n][3][m])
        {
            for (int h = 0; h < 2; h++)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < 3; j++)
                        for (int k = 0; k < m; k++)
                            a[h][i][j][k] += h + i * j - k;
        }
        """,
    ),
    _square(
        "sequential_loop_around",
        """
        void work(int n, int m, double a[n][m])
        {
            for (int i = 1; i < n; i++)
                for (int j = 0; j < m; j++)
                    a[i][j] += 0.5 * a[i - 1][j];
        }
        """,
    ),
    _square(
        "two_statements_of_different_depth",
        """
        void work(int n, int m, const double a[n][m], double b[n][m], double r[n])
        {
            for (int i = 0; i < n; i++) {
                r[i] = 3 * i;
                for (int j = 0; j < m; j++)
                    b[i][j] = a[i][j] - r[i];
                r[i] += 1;
            }
        }
        """,
    ),
    _square(
        "skipped_iterations",
        """
        void work(int n, int m, const int mask[n], const double a[n][m], double b[n][m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    if (mask[i] > 5)
                        continue;
                    b[i][j] = a[i][j];
                    if (a[i][j] < 0)
                        continue;
                    b[i][j] *= 2;
                }
        }
        """,
    ),
    _line(
        "search_in_the_body",
        """
        void work(int n, int m, int *restrict y, const int *restrict x)
        {
            for (int i = 0; i < n; i++) {
                int k = 0;
                while (k < m && x[(i + k) % n] != 3)
                    k++;
                y[i] = k;
            }
        }
        """,
    ),
    _line(
        "loop_that_ends_early",
        """
        void work(int n, int m, float *restrict y, const float *restrict x)
        {
            for (int i = 0; i < n; i++) {
                float sum = 0;
                for (int k = 0; k < 20; k++) {
                    if (x[(i + k) % n] < -0.5f)
                        break;
                    sum += x[(i + k) % n];
                }
                y[i] = sum;
            }
        }
        """,
    ),
)
