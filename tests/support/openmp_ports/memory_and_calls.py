"""Memory reached in other ways: structures, tables, global arrays, pointers that may overlap, called functions."""

from support.openmp_ports.case import Case

MEMORY_AND_CALLS = (
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
        "pointers_that_may_overlap_are_assumed_not_to",
        """
        void work(int n, double *a, double *b)
        {
            for (int i = 0; i < n; i++)
                a[i] += b[i];
        }
        void drive(double *p) { work(5000, p, p + 5000); }
        """,
        ("map(tofrom: a[0:n], b[0:n])",),
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
)
