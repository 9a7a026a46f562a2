"""Nests for their variables: arrays of an iteration, words of C++, values that are used afterwards, moving pointers."""

from __future__ import annotations

from support.cuda_on_cpu.case import Case

_LINES = ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 33}, {"n": 257})


def _line(name: str, source: str, **lengths: str) -> Case:
    return Case(name, source, _LINES, lengths={"x": "n", "y": "n"} | lengths)


VARIABLES = (
    _line(
        "array_of_each_iteration",
        """
        void work(int n, double *restrict y, const double *restrict x)
        {
            for (int i = 0; i < n; i++) {
                double t[4];
                for (int k = 0; k < 4; k++)
                    t[k] = x[i] * k;
                for (int k = 0; k < 3; k++)
                    t[k] += t[k + 1];
                y[i] = t[0] + t[1] * t[2] - t[3];
            }
        }
        """,
    ),
    _line(
        "words_of_cpp_and_cuda",
        """
        void work(int n, double *restrict this, const double *restrict template, int class, double blockIdx)
        {
            for (int new = 0; new < n; new++) {
                double threadIdx = template[new] * class, min = blockIdx;
                this[new] = threadIdx + min;
            }
        }
        """,
        this="n",
        template="n",
    ),
    _line(
        "names_of_the_port",
        """
        void work(int n, float *restrict d_x, const float *restrict x, float *restrict block,
                  const float *restrict check)
        {
            for (int i_block = 0; i_block < n; i_block++) {
                d_x[i_block] = x[i_block] * 3;
                block[i_block] = check[i_block] - x[i_block];
            }
        }
        """,
        d_x="n",
        block="n",
        check="n",
    ),
    _line(
        "value_of_the_iterator_afterwards",
        """
        void work(int n, double *restrict y, const double *restrict x, int last[1])
        {
            int i;
            double t = 0;
            for (i = 0; i < n; i++) {
                t = x[i] * x[i];
                y[i] = t;
            }
            last[0] = i;
        }
        """,
    ),
    _line(
        "last_value_afterwards",
        """
        double work(int n, double *restrict y, const double *restrict x)
        {
            double t = 7;
            for (int i = 0; i < n; i++) {
                t = x[i] * x[i];
                y[i] = t;
            }
            return t;
        }
        """,
    ),
    _line(
        "induction_variable",
        """
        void work(int n, int start, double *restrict y, const double *restrict x)
        {
            int k = start;
            for (int i = 0; i < n; i++) {
                y[k] = x[i];
                k += 2;
            }
        }
        """,
        y="2 * n + 2",
    ),
    _line(
        "moving_pointers",
        """
        void work(int n, double *y, const double *x)
        {
            const double *from = x + n;
            double *to = y;
            for (int i = 0; i < n; i++)
                *to++ = 2 * *--from;
        }
        """,
    ),
)
