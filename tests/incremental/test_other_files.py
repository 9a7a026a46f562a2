"""An edit of another file of the program costs the loops that call what changed, and nothing else."""

import pytest
from support.calling_loops import CALLING_LOOPS
from support.program_files import program_of
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import Recomputed

MAIN = f"""\
double square(double);
double shifted(double);
double unused(double);

{CALLING_LOOPS}"""
SQUARE = "static const double one = 1;\ndouble square(double v) { return v * v; }\n"
OTHERS = """\
double square(double);
double shifted(double v) { return square(v) + 1; }
double unused(double v) { return v; }
"""


@pytest.mark.parametrize(
    ("square", "others", "cost"),
    [
        (SQUARE.replace("v * v", "v * v * v"), OTHERS, Recomputed(2, 2, 2)),
        (SQUARE, OTHERS.replace("+ 1", "+ 2"), Recomputed(1, 1, 1)),
        (SQUARE, OTHERS.replace("return v;", "return -v;"), Recomputed(0, 0, 0)),
        ("\n\n" + SQUARE, "// above\n" + OTHERS, Recomputed(0, 0, 0)),
        (SQUARE.replace("one = 1", "one = 2"), OTHERS, Recomputed(0, 0, 0)),
        (SQUARE + "double square_root(double v) { return v / 2; }\n", OTHERS, Recomputed(0, 0, 0)),
    ],
)
def test_an_edit_of_another_file(square: str, others: str, cost: Recomputed, analyse_c) -> None:
    memo = Memo()
    analyse_c(MAIN, memo=memo, program=program_of({"main.c": MAIN, "square.c": SQUARE, "others.c": OTHERS}))
    changed = program_of({"main.c": MAIN, "square.c": square, "others.c": others})
    again = analyse_c(MAIN, memo=memo, program=changed)
    assert again.recomputed == cost
    assert again.functions == analyse_c(MAIN, program=changed).functions


def test_an_edit_of_the_file_itself(analyse_c) -> None:
    """One loop, and what was learnt of the others stays: also where a word comes in that a joined file has."""
    memo, program = Memo(), program_of({"square.c": SQUARE, "others.c": OTHERS})
    analyse_c(MAIN, memo=memo, program=program)
    for changed in (MAIN.replace("2 * a[i]", "3 * a[i]"), MAIN.replace("2 * a[i]", "unused(a[i])")):
        again = analyse_c(changed, memo=memo, program=program)
        assert again.recomputed == Recomputed(1, 1, 1)
        assert again.functions == analyse_c(changed, program=program).functions


def test_a_word_that_means_something_else_here(analyse_c) -> None:
    """The edit takes the name that a joined file has for its own: that gets another one, its function is still seen."""
    square = SQUARE.replace("v * v", "v * v * one")
    memo, program = Memo(), program_of({"square.c": square})
    assert analyse_c(MAIN, memo=memo, program=program).functions[0].nests[0].elsewhere
    changed = MAIN.replace("a[i] = 2 * a[i];", "{ double one = 2; a[i] = one * a[i]; }")
    again = analyse_c(changed, memo=memo, program=program)
    assert again.functions[0].nests[0].elsewhere
    assert again.functions == analyse_c(changed, program=program).functions
