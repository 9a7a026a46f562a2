"""Nests of every arithmetic type, whose conversions must be C's, and of structures."""

from __future__ import annotations

from dataclasses import replace

from support.cuda_on_cpu.case import Case

_LINES = ({"n": 0}, {"n": 1}, {"n": 31}, {"n": 300})


def _line(name: str, source: str, fills: dict[str, str] | None = None) -> Case:
    arrays = dict.fromkeys(("x", "y", "z", "p", "q"), "n")
    return Case(name, source, _LINES, lengths=arrays, fills=fills or {})


def _bodies(case: Case) -> Case:
    """With terms that cancel each other out, which those of absolute values do not show: they are far larger."""
    return replace(case, is_exact=False, mapped_terms="100000")


KINDS = (
    _line(
        "bytes_wrap",
        """
        void work(int n, unsigned char *restrict y, const unsigned char *restrict x, const signed char *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = x[i] * 40 - z[i] + (y[i] >> 1);
        }
        """,
    ),
    _line(
        "characters",
        """
        void work(int n, char *restrict y, const char *restrict x)
        {
            for (int i = 0; i < n; i++)
                y[i] = x[i] + 120 > 125 ? x[i] | 0x20 : x[i] * 60;
        }
        """,
    ),
    _line(
        "shorts_through_int",
        """
        void work(int n, short *restrict y, const short *restrict x, const unsigned short *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = (x[i] * 9000 + z[i] * 700) / 3 - (y[i] << 4);
        }
        """,
    ),
    _line(
        "unsigned_wraps",
        """
        void work(int n, unsigned *restrict y, const unsigned *restrict x, const int *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = (x[i] - 8u) / 3 + (z[i] - 20) % 7 + (x[i] > z[i] - 5) + (y[i] * 2654435769u >> 7);
        }
        """,
    ),
    _line(
        "longs",
        """
        void work(long n, long *restrict y, const long long *restrict x, const unsigned long *restrict z)
        {
            for (long i = 0; i < n; i++)
                y[i] = x[i] * 4000000000L - (z[i] >> 1) + i / 3 * (y[i] - 6);
        }
        """,
    ),
    _line(
        "unsigned_iterator",
        """
        void work(unsigned n, float *restrict y, const float *restrict x)
        {
            for (unsigned i = 0; i < n; i++)
                y[i] = x[n - 1 - i] * i;
        }
        """,
    ),
    _line(
        "size_t_iterator",
        """
        #include <stddef.h>
        #include <stdint.h>
        void work(size_t n, int32_t *restrict y, const uint8_t *restrict x)
        {
            for (size_t i = 0; i < n; ++i)
                y[i] = (int32_t)(x[i] * i) - (uint16_t)(i * 5000);
        }
        """,
    ),
    _line(
        "booleans",
        """
        void work(int n, _Bool *restrict y, const int *restrict x, int *restrict z)
        {
            for (int i = 0; i < n; i++) {
                y[i] = x[i] - 3;
                z[i] = !x[i] + (y[i] && x[i] > 5) - ~x[i];
            }
        }
        """,
    ),
    _line(
        "mixed_floats",
        """
        void work(int n, float *restrict y, const double *restrict x, const int *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = x[i] * 0.1f + z[i] / 3 + z[i] / 3.0 - y[i] * 0.1;
        }
        """,
    ),
    _line(
        "floats_become_integers",
        """
        void work(int n, int *restrict y, const float *restrict x, const double *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = (int)(x[i] * 100) + (char)(z[i] * 50) + (long)(z[i] * 1e9);
        }
        """,
    ),
    _line(
        "functions_of_the_library",
        """
        #include <math.h>
        void work(int n, double *restrict y, const double *restrict x, const float *restrict z)
        {
            for (int i = 0; i < n; i++)
                y[i] = sqrt(fabs(x[i])) + fmax(x[i], z[i]) + fabs(z[i]) + floor(10 * x[i]) + sqrtf(fabsf(z[i]));
        }
        """,
    ),
    _line(
        "integer_absolute_value",
        """
        #include <stdlib.h>
        void work(int n, int *restrict y, const int *restrict x)
        {
            for (int i = 0; i < n; i++)
                y[i] = abs(x[i] - 5) + (x[i] > 4 ? 1 : -1);
        }
        """,
    ),
    _line(
        "literals",
        """
        void work(int n, float *restrict x, double *restrict z, long *restrict y)
        {
            for (int i = 0; i < n; i++) {
                x[i] = x[i] * 1e-3f + 3 + 16777217 - 1.0f / 3;
                z[i] = 1.0 / 3 * z[i] + 1e300 * 1e-290 - 0x1p-3 + 'a';
                y[i] = 0x7fffffff + 1L - i * 3u;
            }
        }
        """,
    ),
    _bodies(
        _line(
            "bodies",
            """
        #include <math.h>
        struct body { float x, y, z, mass, vx, vy, vz; };
        void work(int n, struct body *p, float dt)
        {
            for (int i = 0; i < n; i++) {
                float ax = 0, ay = 0, az = 0;
                for (int j = 0; j < n; j++) {
                    float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
                    float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
                    float f = p[j].mass * inverse * inverse * inverse;
                    ax += f * dx;
                    ay += f * dy;
                    az += f * dz;
                }
                p[i].vx += dt * ax;
                p[i].vy += dt * ay;
                p[i].vz += dt * az;
            }
        }
        """,
            {"p": "float"},
        )
    ),
    _line(
        "typedef_of_a_structure",
        """
        typedef struct { double re, im; } number;
        void work(int n, number *restrict p, const number *restrict q)
        {
            for (int i = 0; i < n; i++) {
                double re = p[i].re * q[i].re - p[i].im * q[i].im;
                p[i].im = p[i].re * q[i].im + p[i].im * q[i].re;
                p[i].re = re;
            }
        }
        """,
        {"p": "double", "q": "double"},
    ),
    _line(
        "array_in_a_structure",
        """
        struct cell { int count; short values[5]; };
        void work(int n, struct cell *p)
        {
            for (int i = 0; i < n; i++)
                for (int k = 0; k < 5; k++)
                    p[i].values[k] += i * k;
        }
        """,
        {"p": "short"},
    ),
    _line(
        "structures_in_a_structure",
        """
        struct point { float x, y; };
        struct edge { struct point from, to; };
        void work(int n, const struct edge *p, float *restrict x)
        {
            for (int i = 0; i < n; i++)
                x[i] = p[i].to.x - p[i].from.x + 2 * (p[i].to.y - p[i].from.y);
        }
        """,
        {"p": "float"},
    ),
    _line(
        "enumeration_and_macro",
        """
        enum kind { LOW = 3, HIGH = 7 };
        #define SCALE(v) ((v) * 3 + LOW)
        void work(int n, int *restrict y, const int *restrict x)
        {
            for (int i = 0; i < n; i++)
                y[i] = x[i] > HIGH ? SCALE(x[i]) : x[i] == LOW ? SCALE(i) : -1;
        }
        """,
    ),
    _line(
        "counts_that_start_cleared",
        """
        void work(int n, int *restrict y, const unsigned char *restrict x)
        {
            for (int i = 0; i < n; i++) {
                int count[4] = {0}, best = 0;
                double weights[3] = {0.5, x[i]};
                for (int k = 0; k <= i; k++)
                    count[x[k] & 3]++;
                for (int k = 1; k < 4; k++)
                    if (count[k] > count[best])
                        best = k;
                y[i] = best + 4 * weights[i % 3];
            }
        }
        """,
    ),
    _line(
        "text_of_each_iteration",
        """
        void work(int n, char *restrict y, const int *restrict x)
        {
            for (int i = 0; i < n; i++) {
                char digits[8] = "0123456";
                digits[0] += x[i];
                y[i] = digits[i % 7];
            }
        }
        """,
    ),
)
