"""Expressions keep their value, and only the parentheses and conversions that it takes."""

import pytest
from support.cuda_kernels.printed import printed, statement
from warplens.analysis.ports.cuda.plan import PortRefusedError

FLOATS = "float *restrict x, const float *restrict y, const double *restrict d, const int *restrict k"
MATH = "double sqrt(double); float sqrtf(float); double fabs(double); int abs(int); double fmax(double, double); "
INTEGERS = "unsigned *restrict u, int *restrict k, unsigned char *restrict c, _Bool *restrict b, long *restrict l"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x[i] = (y[i] + 1) * 2;", "x[i] = (y[i] + 1.0f) * 2.0f;"),
        ("x[i] = y[i] - (y[i] - 0.1f);", "x[i] = y[i] - (y[i] - 0.1f);"),
        ("x[i] = (y[i] - y[i]) - 1;", "x[i] = y[i] - y[i] - 1.0f;"),
        ("x[i] = y[i] / (y[i] * y[i]);", "x[i] = y[i] / (y[i] * y[i]);"),
        ("x[i] = y[i] * 0.1;", "x[i] = y[i] * 0.1;"),  # in double, as C does
        ("x[i] = d[i] * y[i];", "x[i] = d[i] * y[i];"),
        ("x[i] = (double)y[i] * y[i];", "x[i] = (double)y[i] * y[i];"),
        ("x[i] += d[i];", "x[i] += d[i];"),
        ("x[i] = (float)d[i] + y[i];", "x[i] = (float)d[i] + y[i];"),
        ("x[i] = k[i] / 2 * y[i];", "x[i] = k[i] / 2 * y[i];"),
        ("x[i] = (float)k[i] / 2;", "x[i] = k[i] / 2.0f;"),
        ("x[i] = -(-y[i]);", "x[i] = -(-y[i]);"),
        ("x[i] = y[i] > 0 ? y[i] : 1;", "x[i] = y[i] > 0.0f ? y[i] : 1.0f;"),
        ("x[i] = y[i] > 0 && k[i] || !k[i];", "x[i] = (y[i] > 0.0f && k[i]) || !k[i];"),
        ("x[i] = (y[i] > 0) == (d[i] > 0);", "x[i] = (y[i] > 0.0f) == (d[i] > 0.0);"),
        ("x[i] = d[i] * 0.1f;", "x[i] = d[i] * 0.10000000149011612;"),
        ("x[i] = y[i] * -0.0f;", "x[i] = y[i] * -0.0f;"),
        ("x[i] = 1e-30f + 1e30;", "x[i] = 1e+30f;"),
    ],
)
def test_floating(source: str, expected: str) -> None:
    assert statement(FLOATS, source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("u[i] = u[i] - 1u;", "u[i] = u[i] - 1u;"),
        ("u[i] = -1;", "u[i] = (unsigned int)-1;"),
        ("u[i] = i > 3 ? u[i] : -1;", "u[i] = i > 3 ? u[i] : (unsigned int)-1;"),
        ("if (u[i] == -1) k[i] = 1;", "if (u[i] == (unsigned int)-1) { k[i] = 1; }"),
        ("if (c[i] == -1) k[i] = 1;", "if (c[i] == -1) { k[i] = 1; }"),  # never: the character becomes an int
        ("c[i] = -1;", "c[i] = (unsigned char)-1;"),
        ("c[i] /= -1;", "c[i] /= -1;"),
        ("if (u[i] > -1L) k[i] = 1;", "if (u[i] > -1L) { k[i] = 1; }"),
        ("u[i] = (unsigned)-1;", "u[i] = 4294967295u;"),
        ("k[i] = k[i] + (k[i] << 2);", "k[i] = k[i] + (k[i] << 2);"),
        ("k[i] = (k[i] + 1) << 2;", "k[i] = (k[i] + 1) << 2;"),
        ("k[i] = k[i] & (k[i] | 3) ^ 1;", "k[i] = (k[i] & (k[i] | 3)) ^ 1;"),
        ("c[i] = c[i] + 1;", "c[i] = c[i] + 1;"),
        ("c[i]++;", "c[i]++;"),
        ("k[i] = (unsigned char)k[i];", "k[i] = (unsigned char)k[i];"),
        ("b[i] = k[i] > 3;", "b[i] = k[i] > 3;"),
        ("b[i] += 1;", "b[i] += 1;"),  # C++ has no `++` of bool
        ("l[i] = (long)k[i] * i;", "l[i] = (long)k[i] * i;"),
        ("l[i] = k[i] * i;", "l[i] = k[i] * i;"),
        ("k[i] = ~(unsigned char)1;", "k[i] = -2;"),
        ("k[i] = (unsigned char)300;", "k[i] = 44;"),
        ("k[i] = -2147483647 - 1;", "k[i] = (-2147483647 - 1);"),
        ("l[i] = 4294967296;", "l[i] = 4294967296L;"),
    ],
)
def test_integers(source: str, expected: str) -> None:
    assert statement(INTEGERS, source) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sqrt(y[i])", "sqrt((double)y[i])"),  # C++ would compute in float
        ("sqrtf(y[i])", "sqrtf(y[i])"),
        ("sqrt(d[i])", "sqrt(d[i])"),
        ("fabs(2)", "fabs(2.0)"),
        ("abs(y[i])", "abs((int)y[i])"),  # C++ would take the float overload
        ("fmax(y[i], d[i])", "fmax((double)y[i], d[i])"),
        ("__builtin_popcount(k[i])", "__popc((unsigned int)k[i])"),
        ("__builtin_inff()", "INFINITY"),
    ],
)
def test_functions_get_the_arguments_that_c_gives_them(value: str, expected: str) -> None:
    source = f"{MATH}void f(int n, {FLOATS}) {{ for (int i = 0; i < n; i++) x[i] = {value}; }}"
    assert f"    x[i] = {expected};" in printed(source).definition


@pytest.mark.parametrize(
    ("declarations", "text", "reason"),
    [
        ("long double *restrict x", "x[i] = 1;", "does not compute in `long double`"),
        ("float *restrict x, union { int a; float b; } *restrict u", "x[i] = u[i].b;", "without a name|union"),
        ("float *restrict x, float *restrict y", "x[i] = __builtin_roundeven(y[i]);", "no `roundeven`"),
        ("float *restrict x", "x[i] = x[i] * 1.0L;", "does not compute in `long double`"),
        ("_Complex float *restrict x", "x[i] = 1;", "no counterpart"),
    ],
)
def test_what_a_gpu_does_not_have_is_refused(declarations: str, text: str, reason: str) -> None:
    with pytest.raises(PortRefusedError, match=reason):
        statement(declarations, text)


def test_structures_are_defined_with_what_is_inside_of_them() -> None:
    text = printed(
        "typedef struct { char tag; struct { short s[3]; } inner[2]; double w; } part;"
        "void f(int n, part *restrict p, const part *restrict q) {"
        " for (int i = 0; i < n; i++) { p[i].w += q[i].inner[1].s[2]; p[i].tag = q->tag; } }"
    )
    assert text.definitions == (
        "struct part {\n    char tag;\n    struct {\n        short s[3];\n    } inner[2];\n    double w;\n};",
    )
    assert "    p[i].w += q[i].inner[1].s[2];" in text.definition
    assert "    p[i].tag = q->tag;" in text.definition


@pytest.mark.parametrize("members", ["int a; int b : 5;", "int b : 5;", "struct { int c; char d; }; char b;"])
def test_a_structure_whose_members_lie_otherwise_is_refused(members: str) -> None:
    with pytest.raises(PortRefusedError, match="at `b`"):
        statement(f"struct s {{ {members} }} *restrict p", "p[i].b = 1;")
