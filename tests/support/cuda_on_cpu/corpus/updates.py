"""Values that several iterations combine: reductions of every operator, and updates of the same elements."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_LINES = ({"n": 0, "m": 0}, {"n": 1, "m": 1}, {"n": 31, "m": 33}, {"n": 700, "m": 5})


def _line(name: str, source: str, terms: str = "", fills: dict[str, str] | None = None) -> Case:
    return Case(
        name, source, _LINES, lengths={"x": "n", "y": "n", "at": "n", "a": "n * m"}, terms=terms, fills=fills or {}
    )


def _reduced(name: str, kind: str, element: str, start: str, update: str, terms: str = "") -> Case:
    return _line(
        name,
        f"""
        {kind} work(int n, const {element} *restrict x)
        {{
            {kind} r = {start};
            for (int i = 0; i < n; i++)
                {update}
            return r;
        }}
        """,
        terms,
    )


UPDATES = (
    _reduced("sum_of_floats", "float", "float", "0", "r += x[i];", "n"),
    _reduced("sum_of_doubles_from_floats", "double", "float", "1.5", "r += x[i];", "n"),
    _reduced("sum_of_squares_above_zero", "double", "double", "0", "if (x[i] > 0) r += x[i] * x[i];", "n"),
    _reduced("difference", "double", "double", "10", "r -= x[i];", "n + 10"),
    _reduced("sum_of_ints", "int", "int", "5", "r += x[i] * i;"),
    _reduced("sum_of_longs_of_bytes", "long", "unsigned char", "0", "r += x[i];"),
    _reduced("sum_of_unsigned", "unsigned", "int", "0", "r += x[i] - 6;"),
    _reduced("product_of_unsigned", "unsigned", "unsigned", "1", "r *= x[i] | 1;"),
    _reduced("smallest_double", "double", "double", "1e300", "if (x[i] < r) r = x[i];"),
    _reduced("largest_float_by_condition", "float", "float", "-3", "r = x[i] > r ? x[i] : r;"),
    _reduced("smallest_int", "int", "int", "1000", "r = r < x[i] ? r : x[i];"),
    _reduced("largest_of_shorts", "int", "short", "-9", "if (r < x[i]) r = x[i];"),
    _reduced("bits_or", "unsigned", "unsigned", "0", "r |= 1u << x[i];"),
    _reduced("bits_and", "unsigned", "unsigned", "0xffffffff", "r &= ~(1u << (x[i] & 3));"),
    _reduced("bits_xor", "int", "int", "0", "r ^= x[i] * 77;"),
    _reduced("any", "int", "int", "0", "if (x[i] == 10) r = 1;"),
    _reduced("all", "int", "int", "1", "r = r && x[i] < 10;"),
    _reduced("flag_that_stays_five", "int", "int", "5", "if (x[i] > 100) r = r && x[i] < 3;"),
    _reduced("flag_from_five", "int", "int", "5", "r = r || x[i] > 100;"),
    _line(
        "one_value_beside_the_rest",
        """
        void work(int n, const double *restrict x, float *restrict y)
        {
            for (int i = 1; i < n; i++) {
                y[0] = x[0] * 3;
                y[i] = x[i] + 1;
            }
        }
        """,
    ),
    _line(
        "largest_by_call_from_nan",
        """
        #include <math.h>
        float work(int n, const float *restrict x)
        {
            float r = NAN;
            for (int i = 0; i < n; i++)
                r = fmaxf(r, x[i]);
            return r;
        }
        """,
    ),
    _reduced("count", "int", "float", "0", "if (x[i] > 0) r++;"),
    _line(
        "two_reductions",
        """
        double work(int n, int m, const double *restrict a)
        {
            double sum = 0, most = -5;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    sum += a[i * m + j];
                    if (a[i * m + j] > most)
                        most = a[i * m + j];
                }
            return sum + most;
        }
        """,
        "n * m + 1",
    ),
    _line(
        "reduction_beside_output",
        """
        double work(int n, double *restrict y, const double *restrict x)
        {
            double sum = 0;
            for (int i = 0; i < n; i++) {
                double d = x[i] - y[i];
                y[i] = x[i];
                sum += d * d;
            }
            return sum;
        }
        """,
        "n",
    ),
    _line(
        "position_of_the_largest",
        """
        int work(int n, const double *restrict x)
        {
            int at = -1;
            double most = -1e300;
            for (int i = 0; i < n; i++)
                if (x[i] > most) {
                    most = x[i];
                    at = i;
                }
            return at;
        }
        """,
    ),
    _line(
        "histogram_of_floats",
        """
        void work(int n, double bins[11], const int *restrict at, const double *restrict x)
        {
            for (int i = 0; i < n; i++)
                bins[at[i]] += x[i];
        }
        """,
        "n",
    ),
    _line(
        "unsigned_numbers_off_longs",
        """
        void work(int n, long bins[11], const int *restrict at, const unsigned *restrict x)
        {
            for (int i = 0; i < n; i++)
                bins[at[i]] -= x[i];
        }
        """,
    ),
    _line(
        "histogram_of_bytes",
        """
        void work(int n, unsigned char bins[11], const int *restrict at)
        {
            for (int i = 0; i < n; i++)
                bins[at[i]]++;
        }
        """,
    ),
    _line(
        "histogram_of_largest",
        """
        void work(int n, int bins[11], const int *restrict at, const int *restrict x)
        {
            for (int i = 0; i < n; i++)
                if (bins[at[i]] < x[i])
                    bins[at[i]] = x[i];
        }
        """,
    ),
    _line(
        "column_sums_in_rows",
        """
        void work(int n, int m, const double a[n][m], double s[m])
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    s[j] += a[i][j];
        }
        """,
        "n + 1",
    ),
    _line(
        "mean_of_each_row",
        """
        void work(int n, int m, const float a[n][m], float s[n])
        {
            for (int i = 0; i < n; i++) {
                s[i] = 0;
                for (int j = 0; j < m; j++)
                    s[i] += a[i][j];
                s[i] /= m;
            }
        }
        """,
    ),
)
