"""Values that pass from iteration to iteration: reductions, and kernels launched again and again."""

from openmp_ports.case import Case

REDUCTIONS_AND_TIME_LOOPS = (
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
