"""Sums that need each other as steps of all of them at once: what becomes of factorisations, and what must stay."""

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.stepped_nest import stepped_rewritten

HEAD = "double sqrt(double); void f(int n, double a[n][n], double b[n][n], double d[n])"
LU = f"""{HEAD} {{
    for (int i = 0; i < n; i++) {{
        for (int j = 0; j < i; j++) {{
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }}
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++) a[i][j] -= a[i][k] * a[k][j];
    }}
}}"""
CHOLESKY = f"""{HEAD} {{
    for (int i = 0; i < n; i++) {{
        for (int j = 0; j < i; j++) {{
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }}
        for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(a[i][i]);
    }}
}}"""


def stepped(source: str) -> list[str]:
    """The nest in steps, a line for each loop and statement; empty where it is not run so."""
    nest = SourceNest(facts_of(source))
    rewritten = stepped_rewritten(nest, NewNames(nest.nest))
    return [] if rewritten is None else lines(rewritten.statements)


def lines(body: tuple[Statement, ...], depth: int = 0) -> list[str]:
    found: list[str] = []
    for one in body:
        indent = "  " * depth
        match one:
            case Loop():
                limits = ", ".join(map(str, one.limits))
                found += [f"{indent}{one.iterator}: {one.start} to {limits}", *lines(one.body, depth + 1)]
            case If():
                found += [f"{indent}if", *lines(one.then, depth + 1)]
            case Assign(target=Access() as target):
                found.append(f"{indent}{target.element} {one.operator}=")
            case _:
                raise AssertionError(one)
    return found


def test_lu_divides_a_column_and_takes_it_from_all_behind() -> None:
    assert stepped(LU) == [
        "k: 0 to n - 1",
        "  i: k + 1 to n",
        "    a[i][k] /=",
        "  i: k + 1 to n",
        "    j: k + 1 to n",
        "      a[i][j] -=",
    ]


def test_sums_in_a_variable_are_those_of_their_elements() -> None:
    kept = LU.replace("for (int k", "double w = a[i][j]; for (int k").replace("a[i][j] -=", "w -=")
    kept = kept.replace("a[i][j] /= a[j][j];", "a[i][j] = w / a[j][j];")
    kept = kept.replace("k < i; k++) w -= a[i][k] * a[k][j];", "k < i; k++) w -= a[i][k] * a[k][j]; a[i][j] = w; }")
    kept = kept.replace("for (int j = i; j < n; j++)", "for (int j = i; j < n; j++) {")
    assert stepped(kept) == [line.replace("/=", "=") for line in stepped(LU)] != []
    for other in ("w -= a[i][k] * a[i][j]", "w -= a[i][k] * w"):
        assert stepped(kept.replace("w -= a[i][k] * a[k][j]", other)) == []


def test_cholesky_has_its_diagonal_first_and_the_triangle_as_one_kernel() -> None:
    assert stepped(CHOLESKY) == [
        "k: 0 to n",
        "  once: 0 to 1",
        "    a[k][k] =",
        "  i: k + 1 to n",
        "    a[i][k] /=",
        "  i: k + 1 to n",
        "    j: k + 1 to i + 1",
        "      a[i][j] -=",
    ]


def test_what_needs_all_steps_runs_behind_them_and_what_they_need_before() -> None:
    triangle = f"""{HEAD} {{
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {{
                for (int k = i + 1; k < n; k++) b[i][j] += a[k][i] * b[k][j];
                b[i][j] *= 3;
            }}
    }}"""
    assert stepped(triangle) == [
        *("k: 1 to n", "  i: 0 to k", "    j: 0 to n", "      b[i][j] +="),
        *("i: 0 to n", "  j: 0 to n", "    b[i][j] *="),
    ]
    solve = f"""{HEAD} {{
        for (int i = 0; i < n; i++) {{
            d[i] = b[0][i];
            for (int j = 0; j < i; j++) d[i] -= a[i][j] * d[j];
            d[i] /= a[i][i];
        }}
    }}"""
    assert stepped(solve) == [
        *("i: 0 to n", "  d[i] ="),
        *("j: 0 to n", "  once: 0 to 1", "    d[j] /=", "  i: j + 1 to n", "    d[i] -="),
    ]


def test_kernels_of_steps_are_counted_by_what_is_left_of_the_matrix() -> None:
    source = SourceNest(facts_of(LU))
    names = NewNames(source.nest)
    rewritten = stepped_rewritten(source, names)
    assert rewritten is not None
    column, rest = mapped_nest(source, names, (rewritten,)).facts.kernels
    threads = [[loop.trip_count.evaluate({"n": 1001}) for loop in kernel.grid] for kernel in (column, rest)]
    assert [kernel.launches.evaluate({"n": 1001}) for kernel in (column, rest)] == [1000, 1000]
    assert threads[0] == [pytest.approx(500.5)]
    # Average of k^2 for k from 1 to 1000.
    assert float(threads[1][0] * threads[1][1]) == pytest.approx(1001 * 2001 / 6, rel=1e-3)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(LU.replace("/= a[j][j]", "/= a[j + 1][j + 1]"), id="divided by what steps have changed"),
        pytest.param(LU.replace("k < i", "k <= i"), id="a sum that needs itself"),
        pytest.param(CHOLESKY.replace("a[i][j] /= a[j][j];", "d[j] = a[i][j]; a[i][j] /= d[j];"), id="one row's"),
        pytest.param(LU.replace("a[i][j] /=", "if (a[j][j] == 0) return; a[i][j] /="), id="left early"),
        pytest.param(LU.replace("k < j; k++", "k < j; k += 2"), id="a stride"),
        pytest.param(
            LU.replace("a[i][j] /= a[j][j]", "s += a[i][j]").replace("void f(", "void f(double s, "), id="scalar"
        ),
    ],
)
def test_what_a_later_step_would_need_stays(source: str) -> None:
    assert stepped(source) == []
