"""An edit of a function costs what calls it, also through others, and nothing else."""

import pytest
from support.calling_loops import CALLING_LOOPS
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import Recomputed

SOURCE = f"""\
static double square(double v) {{ return v * v; }}
static double shifted(double v) {{ return square(v) + 1; }}
static double unused(double v) {{ return v - 1; }}

{CALLING_LOOPS}"""


@pytest.mark.parametrize(
    ("old", "new", "cost"),
    [
        ("return v * v;", "return v * v * v;", Recomputed(2, 2, 2)),
        ("square(v) + 1", "square(v) + 2", Recomputed(1, 1, 1)),
        ("return v - 1;", "return v - 2;", Recomputed(0, 0, 0)),
        ("return v * v;", "return v * (v);", Recomputed(2, 0, 0)),
        ("return v * v;", "return /* squared */ v * v;", Recomputed(0, 0, 0)),
        ("2 * a[i]", "3 * a[i]", Recomputed(1, 1, 1)),
        ("static double square(double v)", "static double square(float v)", Recomputed(2, 2, 2)),
    ],
)
def test_an_edit_of_a_called_function(old: str, new: str, cost: Recomputed, analyse_c) -> None:
    memo = Memo()
    analyse_c(SOURCE, memo=memo)
    changed = SOURCE.replace(old, new)
    again = analyse_c(changed, memo=memo)
    assert again.recomputed == cost
    assert again.functions == analyse_c(changed, memo=Memo()).functions
