"""C whose values grow exponentially with its length if they are followed: a loop each, with what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

OTHER = "void other(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = 2.0 * x[i]; }\n"
_PARAMETERS = "int n, double *x, const int *t, int a, int b, int c, int d"
TERMS, FACTORS, NUMBER = "grows to more than 60 terms", "grows to more than 16 factors", "a number that no type holds"


@dataclass(frozen=True)
class Growing:
    """A function `growing`, and a part of what its loop's report says of the value; empty where nothing is lost."""

    source: str
    reason: str = ""


def _loop(subscript: str, before: str = "", body: str = "", reason: str = "") -> Growing:
    lines = f"{before}\nfor (int i = 0; i < n; i++) {{\n{body}\nx[{subscript}] = 1.0;\n}}"
    return Growing(f"void growing({_PARAMETERS}) {{\n{lines}\n}}\n", reason)


def _times(count: int, text: str) -> str:
    """The text so many times, `#` replaced by the number of the repetition."""
    return "\n".join(text.replace("#", str(k)) for k in range(1, count + 1))


def _nested(count: int, first: str, head: str) -> str:
    """Loops over j0, j1 and so on; `@` in the bound of one stands for the iterator around it."""
    bounds = [first, *(head.replace("@", f"j{k}") for k in range(count - 1))]
    return "\n".join(f"for (int j{k} = 0; j{k} < {bound}; j{k}++)" for k, bound in enumerate(bounds))


_SUM = "(a + b + c + d)"
_SQUARES = "#define A(x) ((x) * (x))\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(x))\n"
_CALLS = "static int f0(int v) { return v * v + v; }\n" + _times(24, "static int f#(int v) { return f0(v * v + v); }")
_STRUCTS = "struct S0 { double v[8]; };\n" + "\n".join(
    f"struct S{k} {{ struct S{k - 1} a, b, c, d; }};" for k in range(1, 40)
)
_MATRICES = "typedef double T0[16];\n" + "\n".join(f"typedef T{k - 1} T{k}[4096];" for k in range(1, 60))
_SIDES = ", ".join(f"int a{k}, int b{k}" for k in range(16))

SHAPES = {
    "products of two variables by turns": _loop(
        "p", body="int p = i, q = a;" + _times(12, "p *= q; q *= p;"), reason=FACTORS
    ),
    "the same before the loop": _loop("i + p", "int p = c, q = d;" + _times(12, "p *= q; q *= p;"), reason=FACTORS),
    "the same by a pointer": _loop(
        "i", "double *r = x; int p = a, q = b;" + _times(12, "p *= q; q *= p;"), "*r = 1.0; r += p;", FACTORS
    ),
    "squares and sums": _loop(
        "p", body="int p = i, q = a;" + _times(12, "p = p * p + q; q = q * q + p;"), reason=TERMS
    ),
    "squares of a sum": _loop("i + p", "int p = a + b;" + _times(40, "p = p * p;"), reason=TERMS),
    "squares of a variable": _loop("i + p", "int p = a;" + _times(40, "p = p * p;"), reason=FACTORS),
    "squares of a number": _loop("i + p", "long p = 3;" + _times(40, "p = p * p;"), reason=NUMBER),
    "squares of a number in the loop": _loop("i + p", body="long p = 3;" + _times(40, "p = p * p;"), reason=NUMBER),
    "a number that is shifted": _loop("i + p", "long p = 3;" + _times(400, "p = p << 39;"), reason=NUMBER),
    "a variable times numbers": _loop("p", body="int p = i;" + _times(200, "p = p * 1000003;"), reason=NUMBER),
    "sums by turns": _loop("i + p", body="int p = a, q = b;" + _times(300, "p = p + q; q = q + p;"), reason=NUMBER),
    "a chain of sums": _loop("i + " + "*".join([_SUM] * 12), reason=TERMS),
    "a bound that is a chain of sums": _loop(
        "i", body=f"for (int j = 0; j < {'*'.join([_SUM] * 12)}; j++) x[j] = 0;", reason=TERMS
    ),
    "a chain of factors": _loop("i + " + "*".join("a" * 150), reason=FACTORS),
    "numbers in a row": _loop("i + " + "*".join(["4294967295"] * 150), reason=NUMBER),
    "shifts by variables": _loop("i + a", _times(24, "a = a << b; b = b << a;")),
    "shifts by huge numbers": _loop("i + (1 << 100000000) + (a << 2000000000)"),
    "quotients and remainders": _loop("p", body="int p = i;" + _times(30, "p = p / 2 + p % 3;")),
    "products of both": _loop("p", body="int p = i;" + _times(30, "p = (p % a) * (p / a) + (p % b);"), reason=TERMS),
    "masks": _loop("p", body="int p = i;" + _times(30, "p = (p & 15) * (p >> 4) + (p & 3);"), reason=TERMS),
    "loads from loads": _loop("i + p", body="int p = a;" + _times(30, "p = t[p] + t[p + 1];")),
    "smaller and larger by turns": _loop(
        "i + p", body="int p = a, q = b;" + _times(30, "p = p < q ? p : q; q = q > p ? q : p + 1;")
    ),
    "loops to the larger end": _loop(
        "i + p", "int p = a, q = b;" + _times(12, "for (; p < q; p++) x[p] = 0; for (; q < p + c; q++) x[q] = 0;")
    ),
    "choices that may go either way": _loop(
        "p", body="int p = i;" + _times(20, "if (p < a) p = p + #; else p = p * 2;")
    ),
    "floating point": _loop(
        "i", body="double u = x[i], v = x[i + 1];" + _times(100, "u = u * v + u; v = v * u + v;") + "x[i + 2] = v;"
    ),
    "bounds that are powers of outer iterators": _loop(
        "i", body=_nested(9, "i*i*i*i", "@*@*@*@") + "x[j8] = 1;", reason="operations on sizes"
    ),
    "starts that are powers": _loop(
        "i", body=f"for (int j = {_SUM} * (a + b + i); j < n; j++) for (int k = j*j*j; k < n; k++) x[k*k*k + j] = 1;"
    ),
    "macros in macros": Growing(_SQUARES + _loop("C(a + i)").source, TERMS),
    "macros of a number": Growing(_SQUARES + _loop("i + C(7)").source, NUMBER),
    "functions of functions": Growing(_CALLS + _loop("f24(f23(f22(i + a)))").source, TERMS),
    "structures of structures": Growing(
        _STRUCTS
        + "void growing(int n, struct S39 *s, double *x) {\n"
        + f"for (int i = 0; i < n; i++) x[i] = s[i]{'.a' * 38}.v[0];\n}}\n"
    ),
    "arrays of arrays": Growing(
        _MATRICES + f"void growing(int n, T59 *g) {{ for (int i = 0; i < n; i++) g[i]{'[i]' * 60} = 1.0; }}\n"
    ),
    "a type larger than any memory": Growing(
        _MATRICES + "void growing(int n, double *g) { for (int i = 0; i < n; i++) g[i * sizeof(T59)] = 1.0; }\n"
    ),
    "rows whose lengths are sums": Growing(
        f"void growing(int n, {_SIDES}, double g{''.join(f'[a{k} + b{k}]' for k in range(16))}) {{\n"
        f"for (int i = 0; i < n; i++) g{'[i]' * 16} = 1.0;\n}}\n"
    ),
    "two hundred rows": Growing(
        f"double g{'[1024]' * 200};\nvoid growing(int n) {{ for (int i = 0; i < n; i++) g{'[i]' * 200} = 1.0; }}\n"
    ),
}
