"""Routines of BLAS and LAPACK by their declarations: what their stand-ins touch, and what is said of their callers."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.c.linear_algebra import TAKEN, stand_in
from warplens.analysis.facts.verdict import LoopVerdict

GEMM = (
    "void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha, "
    "const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc);"
)
CBLAS_GEMM = (
    "void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE ta, enum CBLAS_TRANSPOSE tb, int m, int n, int k, "
    "double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);"
)
GEMV = "void dgemv_(char *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *);"
SYRK = "void dsyrk_(char *, char *, int *, int *, double *, double *, int *, double *, double *, int *);"
DOT = "double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);"
POTRF = "void dpotrf_(char *uplo, int *n, double *a, int *lda, int *info);"
M, N, K, PAD = 3, 4, 2, 2


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("routines")
    text = ""
    for declaration in (GEMM, CBLAS_GEMM, GEMV, SYRK, POTRF):
        found = stand_in(declaration)
        assert found is not None
        text += f"static void {TAKEN}{found.name}(void) {{}}\n{found.text}\n"
    (folder / "routines.c").write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "routines.so", "routines.c"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "routines.so"))


def address(value: np.ndarray | str | float) -> object:
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    if isinstance(value, str):
        return value.encode()
    return ctypes.byref(ctypes.c_int(value) if isinstance(value, int) else ctypes.c_double(value))


def call(function: Callable[..., object], *arguments: np.ndarray | str | float) -> None:
    function(*map(address, arguments))


def padded(rows: int, columns: int, start: float = 1.0) -> np.ndarray:
    """A matrix by columns with rows beside it that no routine may touch."""
    return np.asfortranarray(start + np.arange((rows + PAD) * columns, dtype=float).reshape(rows + PAD, columns))


@pytest.mark.parametrize("beta", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("ta", ["N", "t"])
@pytest.mark.parametrize("tb", ["n", "C"])
def test_gemm_changes_the_block_and_nothing_beside_it(library: ctypes.CDLL, ta: str, tb: str, beta: float) -> None:
    a = padded(M, K) if ta == "N" else padded(K, M)
    b = padded(K, N, 5.0) if tb == "n" else padded(N, K, 5.0)
    c = padded(M, N, 9.0)
    if not beta:
        c[:M] = np.nan  # what is not read may be anything
    left, right = (a[:M] if ta == "N" else a[:K].T), (b[:K] if tb == "n" else b[:N].T)
    wanted = c.copy()
    wanted[:M] = 3.0 * left @ right + (beta * c[:M] if beta else 0.0)
    call(library.dgemm_, ta, tb, M, N, K, 3.0, a, a.shape[0], b, b.shape[0], beta, c, c.shape[0])
    assert np.array_equal(c, wanted)


@pytest.mark.parametrize(("order", "layout"), [("C", 101), ("F", 102)])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_gemm_by_rows_and_by_columns(
    library: ctypes.CDLL, order: Literal["C", "F"], layout: int, is_transposed: bool
) -> None:
    shape = (K, M) if is_transposed else (M, K)
    a = np.array(np.arange(6.0).reshape(shape), order=order)
    b = np.array(np.arange(8.0).reshape(K, N), order=order)
    c = np.full((M, N), np.nan, order=order)
    leading = [array.strides[0 if order == "C" else 1] // 8 for array in (a, b, c)]
    library.cblas_dgemm.argtypes = [ctypes.c_int] * 6 + [
        ctypes.c_double, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_double,
        ctypes.c_void_p, ctypes.c_int,
    ]  # fmt: skip
    library.cblas_dgemm(
        layout, 112 if is_transposed else 111, 111, M, N, K, 1.0, a.ctypes.data, leading[0], b.ctypes.data, leading[1],
        0.0, c.ctypes.data, leading[2],
    )  # fmt: skip
    assert np.array_equal(c, (a.T if is_transposed else a) @ b)


@pytest.mark.parametrize("trans", ["N", "T"])
@pytest.mark.parametrize("step", [1, 2, -2])
def test_gemv_walks_its_vectors_as_the_increments_say(library: ctypes.CDLL, trans: str, step: int) -> None:
    a, x, y = padded(M, N), np.arange(1.0, 10.0), np.arange(20.0, 30.0)
    sizes = (M, N) if trans == "N" else (N, M)
    y_at = np.arange(sizes[0]) * abs(step)
    x_at = np.arange(sizes[1]) * abs(step)
    y_at, x_at = (y_at[::-1], x_at[::-1]) if step < 0 else (y_at, x_at)
    wanted = y.copy()
    wanted[y_at] = 2.0 * (a[:M] if trans == "N" else a[:M].T) @ x[x_at] + 3.0 * y[y_at]
    call(library.dgemv_, trans, M, N, 2.0, a, a.shape[0], x, step, 3.0, y, step)
    assert np.array_equal(y, wanted)


@pytest.mark.parametrize("uplo", ["U", "L"])
def test_routines_of_triangles_leave_the_other_one(library: ctypes.CDLL, uplo: str) -> None:
    a, c = padded(N, K), padded(N, N, 40.0)
    keep = np.tril(np.ones((N, N), bool), -1) if uplo == "U" else np.triu(np.ones((N, N), bool), 1)
    wanted = c.copy()
    wanted[:N][~keep] = (a[:N] @ a[:N].T)[~keep]
    call(library.dsyrk_, uplo, "N", N, K, 1.0, a, a.shape[0], 0.0, c, c.shape[0])
    assert np.array_equal(c, wanted)
    before, info = c.copy(), np.full(1, 7, np.int32)
    call(library.dpotrf_, uplo, N, c, c.shape[0], info)
    assert np.array_equal(c[:N] == before[:N], keep)
    assert np.array_equal(c[N:], before[N:])
    assert info[0] == 0


def test_what_is_declared_otherwise_is_another_function() -> None:
    assert stand_in(GEMM) is not None
    assert stand_in("int dgemm_();") is not None
    assert stand_in(GEMM.replace(", const int *ldc", ", const int *ldc, unsigned long, unsigned long")) is not None
    assert stand_in(GEMM.replace(", const int *ldc", "")) is None
    assert stand_in(GEMM.replace("const int *m", "int m")) is None
    assert stand_in("void dgemm_(void);") is None
    assert stand_in("void cblas_dgemm();") is None
    assert stand_in(GEMM.replace("dgemm_", "igemm_")) is None


BEFORE = "const double zero = 0, one = 1; const char t = 'T';"
CALL = 'dgemm_("N", &t, &m, &n, &k, &one, a + i*m*k, &m, b, &n, &BETA, C, &LD);'


def verdict(body: str, declarations: str = GEMM + DOT, before: str = BEFORE) -> LoopVerdict:
    """Of the loop over `i`."""
    parameters = "int m, int n, int k, int ld, double *restrict a, double *restrict b, double *restrict c"
    text = (
        f"void g(double *); {declarations} void f({parameters}) {{ {before} for (int i = 0; i < 9; i++) {{ {body} }} }}"
    )
    return [nest.verdicts[0] for nest in judged(text)][-1]


def called(beta: str, c: str = "c + i*m*n", ld: str = "m") -> str:
    return CALL.replace("BETA", beta).replace("C", c).replace("LD", ld)


def test_blocks_of_their_own_are_parallel_and_what_was_assumed_is_said() -> None:
    for beta in ("zero", "one"):
        found = verdict(called(beta))
        assert found.kind == "parallel"
        assert [a.text for a in found.assumptions if a.kind == "call"] == [
            "`dgemm_` is assumed to be the BLAS routine, called as its interface demands."
        ]


def test_one_block_is_a_sum_of_what_all_iterations_add_and_nothing_else() -> None:
    assert verdict(called("one", "c")).kind == "reduction"
    assert verdict(called("zero", "c")).kind not in {"parallel", "reduction"}
    assert not verdict(called("factor", "c"), before=BEFORE + "double factor = 2;").can_run_in_parallel


def test_a_block_that_is_filled_is_work_memory() -> None:
    body = called("BETA", "w") + "for (int q = 0; q < n; q++) for (int p = 0; p < m; p++) c[i] += w[p + q*m];"
    before = BEFORE + "double w[m * n];"
    assert "w" in verdict(body.replace("BETA", "zero"), before=before).private
    assert not verdict(body.replace("BETA", "one"), before=before).can_run_in_parallel  # goes on from what it holds
    assert not verdict(body.replace("BETA", "zero").replace("q < n", "q <= n"), before=before).can_run_in_parallel


def test_of_a_product_without_terms_nothing_is_kept() -> None:
    """`dgemv_` returns at once where one of its sizes is zero, `dgemm_` sets its result to zero where `k` is."""
    before = BEFORE + "const int step = 1; double w[m];"
    body = (
        'dgemv_("N", &m, &n, &one, a, &m, b + i*n, &step, &zero, w, &step); for (int p = 0; p < m; p++) c[i] += w[p];'
    )
    assert "w" not in verdict(body, GEMV, before).private
    assert "w" in verdict(f"if (n > 0) {{ {body} }}", GEMV, before).private


def test_pivots_are_whatever_the_routine_makes_of_the_matrix() -> None:
    gesv = "void dgesv_(int *n, int *nrhs, double *a, int *lda, int *ipiv, double *b, int *ldb, int *info);"
    solve = "dgesv_(&n, &k, a, &n, pivots, b, &n, &info); for (int i = 0; i < n; i++) c[pivots[i]] = i;"
    text = f"{gesv} void f(int n, int k, double *a, double *b, double *c, int *pivots) {{ int info; {solve} }}"
    (found,) = (nest.verdicts[0] for nest in judged(text))
    assert found.kind == "unknown"
    looped = "for (int o = 0; o < 3; o++) { SOLVE }".replace("SOLVE", solve)
    (found,) = (nest.verdicts[-1] for nest in judged(text.replace(solve, looped)))
    assert found.kind == "unknown"


@pytest.mark.parametrize("side", ["U", "L"])
def test_a_part_of_a_matrix_that_is_not_known_is_no_witness(side: str) -> None:
    trsv = "void dtrsv_(char *, char *, char *, int *, double *, int *, double *, int *);"
    body = f'dtrsv_("{side}", "N", "N", &n, a, &n, c + i*n, &one_); a[i*n] = c[i*n];'
    assert verdict(body, trsv, "int one_ = 1;").kind == "unknown"


@pytest.mark.parametrize(
    "body",
    [
        called("zero", "c + i*m"),  # the blocks of neighbours overlap
        called("zero", "c + i*m*n", "ld"),
        called("zero", "a + (i + 1)*m*k"),
        called("zero", "c + i*m*n") + "m = m + 1;",
        "c[i] = ddot_(&n, c, &m, b, &m);",
    ],
)
def test_blocks_that_meet_are_not_parallel(body: str) -> None:
    assert not verdict(body).can_run_in_parallel


def test_a_leading_dimension_below_the_number_of_rows_is_no_block() -> None:
    found = verdict('dgemm_("N", &t, &six, &n, &k, &one, a, &six, b, &n, &zero, c + i*LD, &LD);'.replace("LD", "four"),
                    before=BEFORE + "const int six = 6, four = 4;")  # fmt: skip
    assert not found.can_run_in_parallel


def test_code_in_the_file_is_what_is_called() -> None:
    head = GEMM.removesuffix(";")
    assert verdict(called("zero", "c"), head + " { c[0] += 1; }" + DOT).kind == "reduction"
    assert verdict(called("zero"), head + " { g(c); }" + DOT).kind == "unknown"


def test_a_number_that_others_may_change_is_not_known() -> None:
    body = called("factor", "w") + "for (int q = 0; q < n; q++) for (int p = 0; p < m; p++) c[i] += w[p + q*m];"
    for start, is_known in (
        ("double factor = 0;", True),
        ("double factor = 0; g(b);", True),
        ("double factor = 0; ddot_(&n, b, &m, &factor, &m);", True),
        ("double factor = 0; factor = b[0];", False),
        ("double factor = 0; g(&factor);", False),
        ("double factor = 0, *there = &factor; g(there);", False),
        ("double factor = 0; if (n) factor = 2;", False),
        ("volatile double factor = 0;", False),
    ):
        found = verdict(body, before=BEFORE + "double w[m * n];" + start)
        assert ("w" in found.private) == is_known, start


def test_products_are_values() -> None:
    assert verdict("c[i] = ddot_(&n, a + i*n, &one_, b, &one_);", before="int one_ = 1;").kind == "parallel"


LOOPS = (
    GEMM
    + """
void f(const double *restrict a, const double *restrict b, double *restrict c, double *restrict s)
{
 int m = 3, n = 2, k = 2;
 double zero = 0, one = 1, w[16];
 for (int i = 0; i < 6; i++) dgemm_("N", "T", &m, &n, &k, &one, a + i*m*k, &m, b, &n, &zero, c + i*m*n, &m);
 for (int i = 0; i < 6; i++) {
  dgemm_("N", "N", &m, &n, &k, &one, a + i*m*k, &m, b, &k, &zero, w, &m);
  for (int q = 0; q < n; q++)
   for (int p = 0; p < m; p++)
    s[i] += w[p + q*m];
 }
}"""
)
REFERENCE = (
    GEMM.removesuffix(";")
    + """ {
 for (int j = 0; j < *n; j++)
  for (int i = 0; i < *m; i++) {
   double sum = 0;
   for (int l = 0; l < *k; l++)
    sum += (*ta == 'N' ? a[i + l * *lda] : a[l + i * *lda]) * (*tb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);
   c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
  }
}"""
)


def test_any_order_gives_the_same_with_the_routine_itself(tmp_path: Path) -> None:
    changed = any_order(LOOPS)
    assert len(changed.loops) >= 2
    assert not run(changed, tmp_path, REFERENCE).differs
