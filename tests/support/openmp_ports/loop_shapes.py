"""Nests of loops: which of them are collapsed, and which part of each array their subscripts reach."""

from support.openmp_ports.case import Case

LOOP_SHAPES = (
    Case(
        "mask_and_border",
        """
        void work(int n, double *restrict y, const double *restrict x, const double *restrict mask)
        {
            for (int i = 0; i < n; i++)
                if (mask[i] > 0.5 && i < n - 1)
                    y[i] = x[i + 1];
        }
        void drive(double *p) { work(50, p, p + 2500, p + 5000); }
        """,
        ("map(to: mask[0:n], x[1:n-1])", "map(tofrom: y[0:n-1])"),
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
        ("collapse(2)", "map(to: a[1:n*n-2])", "map(tofrom: b[n+1:n*n-2*n-2])", "if(target: n > 2)"),
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
        ("collapse(2)", "map(tofrom: b[0:n][0:m][0:l], a[0:n][0:m][0:l])"),
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
)
