"""What the host function of a port has to get right: sections, empty ranges, loops and scalars around kernels."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_LINES = ({"n": 0, "m": 0, "o": 0}, {"n": 1, "m": 2, "o": 3}, {"n": 40, "m": 7, "o": 5}, {"n": 9, "m": 33, "o": 0})
_STEPS = ({"s": 0, "n": 5}, {"s": 1, "n": 0}, {"s": 1, "n": 1}, {"s": 4, "n": 41})

HOSTS = (
    Case(
        "late_part_of_an_array",
        "void work(int n, int m, int o, double *y, const double *x)"
        " { for (int i = 0; i < n; i++) y[i + o] = x[i * m + o] + x[i * m + o + 1]; }",
        _LINES,
        lengths={"y": "n + o + 1", "x": "n * m + o + 2"},
    ),
    Case(
        "before_the_pointer",
        "static void work(int n, double *y, const double *x)"
        " { for (int i = 0; i < n; i++) y[i] = x[i - 2] + x[-i]; }"
        "\nvoid outer(int n, double y[n], const double x[2 * n + 3]) { work(n, y, x + n + 1); }",
        ({"n": 0}, {"n": 1}, {"n": 3}, {"n": 40}),
        entry="outer",
    ),
    Case(
        "inner_loop_may_be_empty",
        "void work(int n, int m, double y[n], const double x[n * m])"
        " { for (int i = 0; i < n; i++) { double s = y[i];"
        " for (int k = 0; k < m; k++) s += x[i * m + k]; y[i] = s; } }",
        ({"n": 4, "m": 0}, {"n": 0, "m": 3}, {"n": 40, "m": 1}, {"n": 7, "m": 9}),
    ),
    Case(
        "guards_at_the_borders",
        "void work(int n, double y[n], const double x[n]) { for (int i = 0; i < n; i++) {"
        " int up = i > 0 ? i - 1 : 0; double s = x[up] + (i < n - 1 ? x[i + 1] : x[0]);"
        " if (i > 1) s += x[i - 2]; y[i] = s; } }",
        ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}, {"n": 70}),
    ),
    Case(
        "half_and_whole",
        "void work(int n, double y[n], const double x[n]) { for (int i = 0; i < n; i++) { double s = x[i];"
        " for (int j = 0; j < n / 2; j++) s += x[j]; y[i] = s; } }",
        ({"n": 0}, {"n": 1}, {"n": 41}),
    ),
    Case(
        "periodic_and_halved",
        "void work(int n, double y[n], const double x[n], const double z[n / 2 + 1]) { for (int i = 0; i < n; i++)"
        " y[i] = x[(i + 1) % n] + x[(i + n - 1) % n] + z[i / 2]; }",
        ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 57}),
    ),
    Case(
        "starts_below_zero",
        "void work(int n, double y[n + 6], const double x[n + 6]) { for (int i = -6; i < n; i++)"
        " y[i + 6] = x[i + 6] + i; }",
        ({"n": 0}, {"n": 1}, {"n": 70}),
    ),
    Case(
        "strided_and_descending",
        "void work(int n, double y[n + 3], const double x[n + 3]) { for (int i = n - 1; i > 0; i -= 3)"
        " for (int j = 0; j < 3; j += 2) y[i + j] = 2 * x[i + j]; }",
        ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 5}, {"n": 64}),
    ),
    Case(
        "rows_of_a_larger_array",
        "void work(int n, int m, int o, double *c, const double *a) { for (int i = 0; i < n; i++)"
        " for (int j = 0; j < m; j++) c[i * (m + o) + j] = 3 * a[i * (m + o) + j + 1]; }",
        _LINES,
        lengths={"c": "n * (m + o) + 1", "a": "n * (m + o) + 2"},
    ),
    Case(
        "until_it_is_small",
        "double work(int s, int n, double x[n]) { double e = 0; int t; for (t = 0; t < s; t++) {"
        " e = 0; for (int i = 0; i < n; i++) e += x[i] * x[i]; if (e < 1) break;"
        " for (int i = 0; i < n; i++) x[i] *= 0.125; } return e; }",
        _STEPS,
        terms="n",
    ),
    Case(
        "elimination_with_a_scalar_of_the_host",
        "double work(int s, int n, double a[n][n], const double w[s]) { double f = 1; for (int k = 0; k < s; k++) {"
        " f = f * w[k] + 1; if (f > 1.5) { for (int i = k + 1; i < n; i++) a[i][0] += f; }"
        " for (int i = k + 1; i < n; i++) for (int j = 0; j <= i; j++) a[i][j] += a[i][k < n ? 0 : 1] * 0.5; }"
        " return f; }",
        _STEPS,
    ),
    Case(
        "work_array_of_the_function",
        "void work(int n, double y[n], const double x[n]) { double t[300]; for (int r = 0; r < 2; r++) {"
        " for (int i = 0; i < n; i++) t[i] = x[i] * r; for (int i = 0; i < n; i++) y[i] += t[i] + t[0]; } }",
        ({"n": 0}, {"n": 1}, {"n": 300}),
    ),
    Case(
        "several_results",
        "double work(int n, double *low, double *high, const double x[n]) { double least = 1e300, most = -1e300;"
        " double sum = 0; for (int i = 0; i < n; i++) { if (x[i] < least) least = x[i]; if (x[i] > most) most = x[i];"
        " sum += x[i]; } *low = least; *high = most; return sum; }",
        ({"n": 0}, {"n": 1}, {"n": 500}),
        lengths={"low": "1", "high": "1"},
        terms="n",
    ),
    Case(
        "structures_named_as_variables_are",
        "struct grid { float x, v; };\ntypedef struct block { float v; } block;\n"
        "void work(int n, struct grid *p, const block *block) { for (int i = 0; i < n; i++) p[i].x += block[i].v; }"
        "\nvoid outer(int n, float p[2 * n], float q[n]) { work(n, (void *)p, (void *)q); }",
        ({"n": 0}, {"n": 1}, {"n": 70}),
        entry="outer",
    ),
    Case(
        "unsigned_steps_down_to_zero",
        "void work(unsigned s, unsigned char c, int n, double y[n]) { for (unsigned t = s; t-- > 0;)"
        " for (unsigned char u = c; u-- > 0;) for (int i = 0; i < n; i++) y[i] = y[i] * t + u; }",
        ({"s": 0, "c": 3, "n": 5}, {"s": 3, "c": 0, "n": 5}, {"s": 4, "c": 2, "n": 41}),
    ),
)
