"""Which nests a size comment speaks of."""

import pytest

LOOP = "for (int i = 0; i < n; i++) x[i] = 0;"
SAY = "// warplens: n = "


def sizes(report) -> dict[str, list[int]]:
    """Value of n per nest, by function."""
    return {f.name: [dict(nest.evaluation.sizes)["n"] for nest in f.nests] for f in report.functions if f.nests}


def file_of(*, top="", above_f="", in_f="", above_loop="", in_loop="", between="", above_g="", end="") -> str:
    """Function f with two loops, g with one, and comments at the places between."""
    return f"""{top}
static int unrelated;
{above_f}
void f(int n, double *x)
{{
    {in_f}
    int touched = 0;
    {above_loop}
    for (int i = 0; i < n; i++) {{ {in_loop}
        x[i] = touched;
    }}
    {between}
    {LOOP}
}}
{above_g}
void g(int n, double *x)
{{
    {LOOP}
}}
{end}
"""


@pytest.mark.parametrize(
    ("place", "f", "g"),
    [
        ("top", [7, 7], [7]),
        ("end", [7, 7], [7]),
        ("above_f", [7, 7], [1024]),
        ("in_f", [7, 7], [1024]),
        ("above_loop", [7, 1024], [1024]),
        ("in_loop", [7, 1024], [1024]),
        ("between", [1024, 7], [1024]),
        ("above_g", [1024, 1024], [7]),
    ],
)
def test_comment_speaks_of_what_it_stands_in_or_directly_above(place: str, f: list, g: list, analyse_c) -> None:
    assert sizes(analyse_c(file_of(**{place: f"{SAY}7"}))) == {"f": f, "g": g}


def test_inner_scopes_win_over_outer_ones(analyse_c) -> None:
    source = file_of(top=f"{SAY}1", above_f=f"{SAY}2", in_f=f"{SAY}3", above_loop=f"{SAY}4", above_g=f"{SAY}5")
    assert sizes(analyse_c(source)) == {"f": [4, 3], "g": [5]}
    assert sizes(analyse_c(file_of(end=f"{SAY}1", between=f"{SAY}2"))) == {"f": [1, 2], "g": [1]}


@pytest.mark.parametrize(
    "comment",
    [
        "/* warplens: n = 7 */",
        "// warplens: m = 3, n = 7",
        "// warplens: n = 7, m = 3",
        "/* warplens: n = 7, m = 3 */ // and more words",
        "// warplens: n = 7\n    // words about the loop",
        "// warplens: n = 7\n\n    /* words */\n    #pragma omp parallel for\n",
        "// warplens: n = 7\n#pragma GCC unroll 4 \\\n   \n",
    ],
)
def test_only_comments_and_pragmas_may_stand_between(comment: str, analyse_c) -> None:
    assert sizes(analyse_c(file_of(above_loop=comment))) == {"f": [7, 1024], "g": [1024]}


def test_a_statement_between_makes_it_the_functions(analyse_c) -> None:
    assert sizes(analyse_c(file_of(above_loop=f"{SAY}7\n    touched++;"))) == {"f": [7, 7], "g": [1024]}


def test_a_declaration_between_makes_it_the_files(analyse_c) -> None:
    assert sizes(analyse_c(file_of(above_g=f"{SAY}7\nint other;"))) == {"f": [7, 7], "g": [7]}


def test_a_string_is_no_comment(analyse_c) -> None:
    source = file_of(in_f='const char *text = "// warplens: n = 7";')
    assert sizes(analyse_c(source)) == {"f": [1024, 1024], "g": [1024]}


def test_a_name_that_no_loop_depends_on_is_noted(analyse_c) -> None:
    report = analyse_c(file_of(above_loop="// warplens: n = 7, typo = 8"))
    (problem,) = report.problems
    assert "`typo`" in problem.message
    source = file_of(above_loop="// warplens: n = 7, typo = 8")
    assert source[problem.span.start : problem.span.end] == "typo = 8"


def test_an_empty_line_above_a_function_makes_it_the_files(analyse_c) -> None:
    assert sizes(analyse_c(file_of(above_f=f"{SAY}7\n"))) == {"f": [7, 7], "g": [7]}
    assert sizes(analyse_c(file_of(above_f=f"{SAY}7\n/* What f does. */"))) == {"f": [7, 7], "g": [1024]}
    assert sizes(analyse_c(file_of(above_f=f"{SAY}7\n\n/* What f does. */"))) == {"f": [7, 7], "g": [7]}


def test_an_empty_line_above_a_loop_changes_nothing(analyse_c) -> None:
    assert sizes(analyse_c(file_of(above_loop=f"{SAY}7\n\n"))) == {"f": [7, 1024], "g": [1024]}
