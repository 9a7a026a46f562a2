"""Whether the same words in two files are two objects: what may change is, constants are not told apart."""

import pytest
from support.compiler_output import compiler_output
from warplens.analysis.engine.memo import Memo
from warplens.analysis.program.file_definitions import file_definitions


@pytest.mark.parametrize(
    ("declared", "has_state"),
    [
        ("static const double *table;", True),
        ("static double *const table = 0;", False),
        ("static const double *const table = 0;", False),
        ("static const double table[3] = {1, 2, 3};", False),
        ("static double const table = 3;", False),
        ("static const char *table[2] = {0};", True),
        ("static double table;", True),
        ("double table;", False),
    ],
)
def test_a_pointer_to_constants_may_change(declared: str, *, has_state: bool) -> None:
    text = f"{declared}\ndouble g(void) {{ return table != 0; }}\n"
    found = file_definitions(compiler_output("a.c", text), Memo()).declarations
    (one,) = [each for each in found if "table" in each.declaration.text and "double g" not in each.declaration.text]
    assert one.has_state == has_state
