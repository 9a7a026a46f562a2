"""Values that pass from iteration to iteration: reductions, and kernels launched again and again."""

from support.openmp_ports.case import Case

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
    Case(
        "small_histogram",
        """
        void work(int n, int counts[64], const double *x)
        {
            for (int i = 0; i < n; i++)
                counts[(int)(x[i] * 32 + 32) & 63]++;
        }
        void drive(double *p)
        {
            int counts[64] = { 1 };
            work(50000, counts, p);
            for (int i = 0; i < 64; i++)
                p[i] = counts[i];
        }
        """,
        ("reduction(+: counts[0:64])", "map(tofrom: counts[0:64])"),
    ),
    Case(
        "large_histogram",
        """
        void work(int n, unsigned counts[4096], const double *x)
        {
            for (int i = 0; i < n; i++)
                if (x[i] > -0.4) counts[(int)(x[i] * 2048 + 2048) & 4095] += 2;
                else
                    --counts[0];
        }
        void drive(double *p)
        {
            static unsigned counts[4096];
            work(50000, counts, p);
            for (int i = 0; i < 4096; i++)
                p[i] = counts[i];
        }
        """,
        ("#pragma omp atomic", "map(tofrom: counts[0:4096])"),
    ),
    Case(
        "sum_behind_a_pointer",
        """
        void work(int n, double *restrict sum, const double *restrict x)
        {
            for (int i = 0; i < n; i++)
                *sum += x[i];
        }
        void drive(double *p) { work(20000, p, p + 1); }
        """,
        ("reduction(+: sum[0:1])", "map(tofrom: sum[0:1])"),
        is_reduction=True,
    ),
    Case(
        "extremes_and_bits",
        """
        double work(int n, const double *x, const int *bits)
        {
            double least = x[0], most = x[0];
            int any = 0, all = -1, parity = 0, every = 1, some = 0;
            for (int i = 0; i < n; i++) {
                if (x[i] < least)
                    least = x[i];
                most = x[i] > most ? x[i] : most;
                any |= bits[i];
                all &= bits[i];
                parity ^= bits[i];
                every = every && x[i] < 0.7;
                some = some || x[i] > 0.7;
            }
            return least + 2 * most + any + all + parity + every + some;
        }
        void drive(double *p)
        {
            static int bits[20000];
            for (int i = 0; i < 20000; i++)
                bits[i] = 2 + 4 * (p[i] > 0) + 8 * (p[i] > 2);
            p[0] = work(20000, p, bits);
        }
        """,
        ("reduction(min: least)", "reduction(max: most)", "reduction(^: parity)", "reduction(&&: every)"),
    ),
    Case(
        "values_after_two_loops",
        """
        double work(double *restrict y, const double *restrict x)
        {
            double t;
            int i, j;
            for (i = 0; i < 100; i++)
                for (j = 0; j < 30; j++) {
                    t = x[i] + j;
                    y[i * 30 + j] = t * t;
                }
            return t + 100 * i + j;
        }
        void drive(double *p) { p[0] = work(p + 1, p + 10000); }
        """,
        ("lastprivate(i, j, t)", "map(tofrom: i, j, t)"),
    ),
    Case(
        "value_after_a_loop_that_a_guard_lets_run",
        """
        double work(int n, double *restrict y, const double *restrict x)
        {
            double t = 3;
            if (n < 1)
                return t;
            for (int i = 0; i < n; i++) {
                t = x[i];
                y[i] = t * t;
            }
            return t;
        }
        void drive(double *p) { p[0] = work(700, p + 1, p + 10000); p[0] += work(0, p + 1, p + 10000); }
        """,
        ("lastprivate(t)",),
    ),
    Case(
        "work_arrays_and_private_arrays",
        """
        #include <stdlib.h>
        struct point { double x, y; };
        void work(int n, int steps, double *restrict y, const double *restrict x)
        {
            double before[64], *sums = malloc(n * sizeof *sums), t[2];
            struct point p;
            for (int s = 0; s < steps; s++) {
                for (int i = 0; i < 64; i++)
                    before[i] = x[i] * s;
                for (int i = 0; i < n; i++) {
                    t[0] = before[i % 64] + y[i];
                    t[1] = t[0] * t[0];
                    p.x = t[1];
                    p.y = p.x + t[0];
                    sums[i] = p.x - 0.5 * p.y;
                }
                for (int i = 0; i < n; i++)
                    y[i] = sums[i];
            }
            free(sums);
        }
        void drive(double *p) { work(3000, 4, p, p + 4000); }
        """,
        ("map(alloc: before, sums[0:n])", "private(p, t)", "map(tofrom: y[0:n])"),
    ),
    Case(
        "lower_triangle_with_lanes",
        """
        void work(int n, double *restrict y, double a[n][n], const double *restrict x)
        {
            for (int i = 1; i < n; i++) {
                y[i] = i + 1 < n ? x[i + 1] : 0;
                for (int j = 0; j < i; j++)
                    a[i][j] *= x[j];
            }
        }
        void drive(double *p) { work(90, p, (void *)(p + 100), p + 20000); }
        """,
        ("#pragma omp parallel for simd", "map(to: x[0:n])", "map(tofrom: a[1:n-1][0:n])"),
    ),
    Case(
        "short_rows_with_lanes",
        """
        void work(int n, double *restrict y, double a[n][6], const double *restrict x)
        {
            for (int i = 1; i < n; i++) {
                y[i] = x[i];
                for (int j = 0; j < 6; j++)
                    a[i][j] *= x[i];
            }
        }
        void drive(double *p) { work(90, p, (void *)(p + 100), p + 20000); }
        """,
        ("parallel for thread_limit", "#pragma omp simd", "map(tofrom: a[1:n-1][0:6])"),
    ),
)
