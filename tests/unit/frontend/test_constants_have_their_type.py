"""Constants have the value that their type gives them: a `float` is rounded, an unsigned number wraps."""

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.ir.expression import Constant, Expression
from warplens.analysis.ir.nest import Assign, Loop
from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, LONG_DOUBLE, UNSIGNED, CType


def value(text: str, target: str = "double") -> Expression:
    """What one assignment of a loop gives."""
    (statement,) = only_nest(f"void f(int n, {target} *a) {{ for (int i = 0; i < n; i++) a[i] = {text}; }}").root.body
    assert isinstance(statement, Assign)
    return statement.value


@pytest.mark.parametrize(
    ("text", "target", "number", "kind"),
    [
        ("0.1f", "float", 0.10000000149011612, FLOAT),
        ("0.1f", "double", 0.10000000149011612, DOUBLE),
        ("0.1", "float", 0.10000000149011612, FLOAT),
        ("0.1f * 3.0f", "double", 0.30000001192092896, DOUBLE),
        ("1.0f / 3.0f", "float", 0.3333333432674408, FLOAT),
        ("0.1 * 3", "double", 0.1 * 3, DOUBLE),
        ("1.5L", "long double", 1.5, LONG_DOUBLE),
        ("(unsigned)-1", "double", 4294967295.0, DOUBLE),
        ("-1 < 1u", "int", 0, INT),
        ("-1 / 2u", "unsigned", 2147483647, UNSIGNED),
        ("(unsigned)-1 >> 31", "unsigned", 1, UNSIGNED),
        ("-(unsigned char)1", "int", -1, INT),
        ("~(unsigned char)1", "int", -2, INT),
        ("(signed char)200 + 0", "int", -56, INT),
        ("(_Bool)5 + 0", "int", 1, INT),
    ],
)
def test_value_and_type(text: str, target: str, number: float, kind: CType) -> None:
    assert value(text, target) == Constant(number, kind)


def test_minus_zero_keeps_its_sign() -> None:
    assert not isinstance(value("-0.0"), Constant)
    assert not isinstance(value("0.0 * -1.0"), Constant)


def test_a_body_that_runs_before_a_test_of_memory_runs_at_least_once() -> None:
    nest = only_nest(
        "void f(int n, float *p, int *q) { for (int i = 0; i < n; i++)"
        " { int k = 0; do { p[i] += k; k++; } while (k < q[i]); } }"
    )
    inner = next(statement for statement in nest.root.body if isinstance(statement, Loop))
    assert not inner.limits
    assert not inner.limit_reads
    assert "at least once" in inner.bound_reason


@pytest.mark.parametrize(("text", "number"), [("{7}", 7), ("{{7}}", 7), ("{}", 0)])
def test_a_scalar_may_be_initialised_in_braces(text: str, number: int) -> None:
    first, _ = only_nest(
        f"void f(int n, int *a) {{ for (int i = 0; i < n; i++) {{ int k = {text}; a[i] = k; }} }}"
    ).root.body
    assert isinstance(first, Assign)
    assert first.value == Constant(number, INT)
