"""What an edit of one function makes the front end lower again."""

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed

SOURCE = """\
static double twice(double v) { return 2 * v; }
static void step(int n, double *a) { a[n] = 1; }
static void down(int n, double *a) { again: step(n, a); if (n < 0) goto again; if (n) down(n - 1, a); }
static int size(void) { return 100; }

void inlined(int n, double *a) { for (int i = 0; i < n; i++) a[i] = twice(a[i]); }
void through(int n, double *a) { for (int i = 0; i < n; i++) down(n, a); }
void once(int n, double *a) { down(size(), a); for (int i = 0; i < n; i++) a[i] = 0; }
"""


def parsed(source: str, memo: Memo) -> TranslationUnit:
    return parse_unit(source, Preprocessed(source, "unit.c", ()), memo)


@pytest.mark.parametrize(
    ("old", "new", "lowered"),
    [
        pytest.param("2 * v", "3 * v", 1, id="a_body_that_stands_in_place_of_a_call"),
        pytest.param("a[n] = 1", "a[n] = 2", 0, id="a_body_that_nobody_takes_over_with_the_same_effects"),
        pytest.param("a[n] = 1", "(void)n", 1, id="other_effects_through_another_function_in_a_loop"),
        pytest.param("a[i] = 0", "a[i] = 1", 1, id="a_function_with_a_loop"),
        pytest.param("return 100", "return 200", 1, id="a_value_that_is_passed_on"),
    ],
)
def test_an_edit_lowers_what_depends_on_it(old: str, new: str, lowered: int) -> None:
    memo = Memo()
    first = parsed(SOURCE, memo)
    edited = SOURCE.replace(old, new)
    assert edited != SOURCE
    again = parsed(edited, memo)
    assert again.declarations_parsed == lowered
    assert again.functions == parsed(edited, Memo()).functions
    undone = parsed(SOURCE, memo)
    assert undone.declarations_parsed == 0
    assert undone.functions == first.functions


def test_a_call_that_leads_to_very_much_code_is_not_looked_into() -> None:
    filler = "\n".join(f"static int h{n}(int v) {{{' v += 1;' * 1000} return v; }}" for n in range(30))
    body = "".join(f" v = h{n}(v);" for n in range(30))
    source = (
        f"{filler}\nint state;\nstatic int all(int v) {{ again: state = v; if (v < 0) goto again;{body} return v; }}\n"
    )
    source += "void run(int n, int *a) { for (int i = 0; i < n; i++) a[i] = all(i); }\n"
    run = next(f for f in parsed(source, Memo()).functions if f.name == "run")
    assert "`all`, which leads to more code than is looked into" in repr(run.nests[0].nest)
