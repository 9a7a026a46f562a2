"""BLAS and LAPACK routines: their arguments, and which elements they read and write, as C over rows and columns.

Each text touches what the reference routine touches; where that may be less (a triangle of a matrix) a condition on
data says so. What it computes is not meant: a sum over all that a routine works on stands for a value that the routine
makes of it.

Source: Reference BLAS and CBLAS 3.12, Reference LAPACK and LAPACKE 3.12 (netlib.org), the comments of each routine.
Not modelled: what a routine does when its arguments are wrong (`xerbla` prints), or when it finds no solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Routine:
    """One routine for several types of elements.

    `arguments` are those of the Fortran interface: `%c` a choice by letter, `#n` a number, `=f` a factor, `~f` a real
    one, `@p` integers in memory, `!w` real numbers in memory; others are matrices and vectors. In `body` `a(i, j)` is
    an element of a matrix, `x(i: n)` of a vector of n elements, `T` and `R` are the types of elements and of their
    absolute values, `is(c, "N")` asks for a letter; i, j, l, s, t and r are its variables, s starts at zero. `letters`
    are the types that there are; `result` is nothing, `T`, `R` or `int`. Routines of LAPACK give back `info`; `scratch`
    are arguments that only the Fortran interface has, `fills_scratch` is what may be written there.
    """

    arguments: str
    body: str
    letters: str = "sdcz"
    result: str = ""
    scratch: str = ""
    fills_scratch: str = ""


def _columns(rows: str, columns: str, inner: str) -> str:
    return f"for (j = 0; j < {columns}; j++) for (i = 0; i < {rows}; i++) {{ {inner} }}"


def _triangle(inner: str) -> str:
    """The same for the elements on one side of the diagonal of a square matrix, and on it."""
    upper = f"for (j = 0; j < n; j++) for (i = 0; i <= j; i++) {{ {inner} }}"
    return f'if (is(uplo, "U")) {upper} else for (j = 0; j < n; j++) for (i = j; i < n; i++) {{ {inner} }}'


def _set(element: str) -> str:
    """`beta` times what there is, which is not read if that is nothing, and the sum."""
    return (
        f"if (beta == 0) {element} = alpha * s; else if (beta == 1) {element} += alpha * s; "
        f"else {element} = alpha * s + beta * {element};"
    )


def _sum(n: str, term: str, unless_zero: str = "") -> str:
    """A sum; of a matrix that is symmetric or triangular no more than a part is read, which data stand for here."""
    condition = f"if ({unless_zero} != 0) " if unless_zero else ""
    return f"s = 0; for (l = 0; l < {n}; l++) {condition}s += {term};"


def _either(matrix: str, letter: str, row: str, column: str) -> str:
    """An element of a matrix, or of its transpose."""
    return f'(is({letter}, "N") ? {matrix}({row}, {column}) : {matrix}({column}, {row}))'


def _read(matrix: str, rows: str, columns: str) -> str:
    return _columns(rows, columns, f"s += {matrix}(i, j);")


def _made(matrix: str, rows: str, columns: str) -> str:
    """Elements that depend on all that was read, and on where they are."""
    return _columns(rows, columns, f"{matrix}(i, j) = s * (i + 1) + j;")


def _made_vector(name: str, n: str, value: str = "s") -> str:
    return f"for (i = 0; i < {n}; i++) {name}[i] = {value} * (i + 1);"


_EACH = "for (i = 0; i < n; i++) {{ {} }}"
_SYRK = _triangle(_sum("k", f"{_either('a', 'trans', 'i', 'l')} * {_either('a', 'trans', 'j', 'l')}") + _set("c(i, j)"))
_SYR2K = _triangle(
    _sum(
        "k",
        f"{_either('a', 'trans', 'i', 'l')} * {_either('b', 'trans', 'j', 'l')} + "
        f"{_either('b', 'trans', 'i', 'l')} * {_either('a', 'trans', 'j', 'l')}",
    )
    + _set("c(i, j)")
)
_SYMM = (
    f'if (is(side, "L")) {_columns("m", "n", _sum("m", "a(i, l) * b(l, j)", "b(l, j)") + _set("c(i, j)"))} '
    f"else {_columns('m', 'n', _sum('n', 'b(i, l) * a(l, j)', 'b(i, l)') + _set('c(i, j)'))}"
)
_TRIANGULAR = (
    f'if (is(side, "L")) for (j = 0; j < n; j++) {{ {_sum("m", "b(l, j)")} for (i = 0; i < m; i++) '
    "{ t = s; for (l = 0; l < m; l++) if (s != 0) t += a(i, l); b(i, j) = alpha * t; } } "
    f"else for (i = 0; i < m; i++) {{ {_sum('n', 'b(i, l)')} for (j = 0; j < n; j++) "
    "{ t = s; for (l = 0; l < n; l++) if (s != 0) t += a(l, j); b(i, j) = alpha * t; } }"
)
_TRIANGULAR_VECTOR = (
    f"{_sum('n', 'x(l: n)')} for (i = 0; i < n; i++) "
    "{ t = s; for (l = 0; l < n; l++) if (s != 0) t += a(i, l); x(i: n) = t; }"
)
_SYMV = _EACH.format(_sum("n", "a(i, l) * x(l: n)", "x(l: n)") + _set("y(i: n)"))
_GEMV = (  # which returns at once where one of its sizes is zero
    f'if (is(trans, "N")) {{ if (n > 0) for (i = 0; i < m; i++) '
    f"{{ {_sum('n', 'a(i, l) * x(l: n)')} {_set('y(i: m)')} }} }} "
    f"else if (m > 0) for (i = 0; i < n; i++) {{ {_sum('m', 'a(l, i) * x(l: m)')} {_set('y(i: n)')} }}"
)
_DOT = f"{_sum('n', 'x(l: n) * y(l: n)')} return s;"
_PIVOTS = "for (i = 0; i < n; i++) s += ipiv[i];"
_SOLVED = _read("b", "n", "nrhs") + _made("b", "n", "nrhs")
_FACTORED = _read("a", "n", "n") + _made("a", "n", "n")
_CHOLESKY = _triangle("s += a(i, j);") + _triangle("a(i, j) = s * (i + 1) + j;")
_MADE_PIVOTS = "for (i = 0; i < m && i < n; i++) ipiv[i] = s * (i + 1);"
_RANK_ONE = _columns("m", "n", "a(i, j) += alpha * x(i: m) * y(j: n);")
_RANK_ONE_TRIANGLE = _triangle("a(i, j) += alpha * x(i: n) * x(j: n);")
_WORK = "if (s != 0) for (i = 0; i < lwork; i++) work[i] = s;"
_EIGENVALUES = (
    _triangle("s += a(i, j);")
    + _columns("n", "n", "if (s != 0) a(i, j) = s * (i + 1) + j;")
    + "r = s; for (i = 0; i < n; i++) w[i] = r * (i + 1);"
)

BLAS = MappingProxyType(
    {
        "gemm": Routine(
            "%transa %transb #m #n #k =alpha a #lda b #ldb =beta c #ldc",
            _columns(
                "m",
                "n",
                _sum("k", f"{_either('a', 'transa', 'i', 'l')} * {_either('b', 'transb', 'l', 'j')}") + _set("c(i, j)"),
            ),
        ),
        "symm": Routine("%side %uplo #m #n =alpha a #lda b #ldb =beta c #ldc", _SYMM),
        "hemm": Routine("%side %uplo #m #n =alpha a #lda b #ldb =beta c #ldc", _SYMM, "cz"),
        "syrk": Routine("%uplo %trans #n #k =alpha a #lda =beta c #ldc", _SYRK),
        "herk": Routine("%uplo %trans #n #k ~alpha a #lda ~beta c #ldc", _SYRK, "cz"),
        "syr2k": Routine("%uplo %trans #n #k =alpha a #lda b #ldb =beta c #ldc", _SYR2K),
        "her2k": Routine("%uplo %trans #n #k =alpha a #lda b #ldb ~beta c #ldc", _SYR2K, "cz"),
        "trmm": Routine("%side %uplo %transa %diag #m #n =alpha a #lda b #ldb", _TRIANGULAR),
        "trsm": Routine("%side %uplo %transa %diag #m #n =alpha a #lda b #ldb", _TRIANGULAR),
        "gemv": Routine("%trans #m #n =alpha a #lda x #incx =beta y #incy", _GEMV),
        "symv": Routine("%uplo #n =alpha a #lda x #incx =beta y #incy", _SYMV, "sd"),
        "hemv": Routine("%uplo #n =alpha a #lda x #incx =beta y #incy", _SYMV, "cz"),
        "trmv": Routine("%uplo %trans %diag #n a #lda x #incx", _TRIANGULAR_VECTOR),
        "trsv": Routine("%uplo %trans %diag #n a #lda x #incx", _TRIANGULAR_VECTOR),
        "ger": Routine("#m #n =alpha x #incx y #incy a #lda", _RANK_ONE, "sd"),
        "geru": Routine("#m #n =alpha x #incx y #incy a #lda", _RANK_ONE, "cz"),
        "gerc": Routine("#m #n =alpha x #incx y #incy a #lda", _RANK_ONE, "cz"),
        "syr": Routine("%uplo #n =alpha x #incx a #lda", _RANK_ONE_TRIANGLE, "sd"),
        "her": Routine("%uplo #n ~alpha x #incx a #lda", _RANK_ONE_TRIANGLE, "cz"),
        "axpy": Routine("#n =alpha x #incx y #incy", _EACH.format("y(i: n) += alpha * x(i: n);")),
        "copy": Routine("#n x #incx y #incy", _EACH.format("y(i: n) = x(i: n);")),
        "swap": Routine("#n x #incx y #incy", _EACH.format("t = x(i: n); x(i: n) = y(i: n); y(i: n) = t;")),
        "scal": Routine("#n =alpha x #incx", _EACH.format("x(i: n) *= alpha;")),
        "rot": Routine(
            "#n x #incx y #incy ~c ~sine",
            _EACH.format("t = c * x(i: n) + sine * y(i: n); y(i: n) = c * y(i: n) - sine * x(i: n); x(i: n) = t;"),
            "sd",
        ),
        "dot": Routine("#n x #incx y #incy", _DOT, "sd", "T"),
        "dotu": Routine("#n x #incx y #incy", _DOT, "cz", "T"),
        "dotc": Routine("#n x #incx y #incy", _DOT, "cz", "T"),
        "nrm2": Routine("#n x #incx", "r = 0; for (l = 0; l < n; l++) r += x(l: n) * x(l: n); return r;", result="R"),
        "asum": Routine("#n x #incx", "r = 0; for (l = 0; l < n; l++) r += x(l: n); return r;", result="R"),
        "amax": Routine("#n x #incx", "r = 0; for (l = 0; l < n; l++) r += x(l: n); return r;", result="int"),
    }
)
"""By name without the letter for the type."""

LAPACK = MappingProxyType(
    {
        "getrf": Routine("#m #n a #lda @ipiv", _read("a", "m", "n") + _made("a", "m", "n") + _MADE_PIVOTS),
        "getrs": Routine("%trans #n #nrhs a #lda @ipiv b #ldb", _read("a", "n", "n") + _PIVOTS + _SOLVED),
        "getri": Routine("#n a #lda @ipiv", _PIVOTS + _FACTORED, scratch="work #lwork", fills_scratch=_WORK),
        "gesv": Routine(
            "#n #nrhs a #lda @ipiv b #ldb", _FACTORED + "for (i = 0; i < n; i++) ipiv[i] = s * (i + 1);" + _SOLVED
        ),
        "potrf": Routine("%uplo #n a #lda", _CHOLESKY),
        "potri": Routine("%uplo #n a #lda", _CHOLESKY),
        "potrs": Routine("%uplo #n #nrhs a #lda b #ldb", _triangle("s += a(i, j);") + _SOLVED),
        "posv": Routine("%uplo #n #nrhs a #lda b #ldb", _CHOLESKY + _SOLVED),
        "syev": Routine("%jobz %uplo #n a #lda !w", _EIGENVALUES, "sd", scratch="work #lwork", fills_scratch=_WORK),
        "heev": Routine(
            "%jobz %uplo #n a #lda !w",
            _EIGENVALUES,
            "cz",
            scratch="work #lwork !rwork",
            fills_scratch=_WORK + "if (s != 0) for (i = 0; i < 3 * n - 2; i++) rwork[i] = r;",
        ),
    }
)
"""The same of LAPACK."""
