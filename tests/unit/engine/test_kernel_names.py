"""Which nests a comment calls by the name of a measured kernel."""

import pytest

SAY = "// warplens: kernel = mm"


def file_of(*, above_f="", in_f="", above_loop="", in_loop="", behind="", above_g="") -> str:
    """Function f with two nests, g with one, and comments at the places between."""
    return f"""
{above_f}
void f(int n, double *x)
{{
    {in_f}
    int touched = 0;
    {above_loop}
    for (int i = 0; i < n; i++) {{ {in_loop}
        x[i] = touched;
    }}
    for (int i = 0; i < n; i++) x[i] = 0;
    {behind}
}}
{above_g}
void g(int n, double *x)
{{
    for (int i = 0; i < n; i++) x[i] = 0;
}}
"""


def named(report) -> dict[str, list[str]]:
    return {
        function.name: [nest.kernel.kernel if nest.kernel else "" for nest in function.nests]
        for function in report.functions
    }


@pytest.mark.parametrize(
    ("place", "f", "g"),
    [
        ("above_loop", ["mm", ""], [""]),
        ("in_loop", ["mm", ""], [""]),
        ("above_g", ["", ""], ["mm"]),
    ],
)
def test_the_nest_it_stands_in_or_above(place: str, f: list[str], g: list[str], analyse_c) -> None:
    report = analyse_c(file_of(**{place: SAY}))
    assert named(report) == {"f": f, "g": g}
    assert report.problems == ()


@pytest.mark.parametrize("place", ["above_f", "in_f", "behind"])
def test_a_comment_at_no_single_nest_is_noted(place: str, analyse_c) -> None:
    source = file_of(**{place: SAY})
    report = analyse_c(source)
    assert named(report) == {"f": ["", ""], "g": [""]}
    (problem,) = report.problems
    assert "stands at no loop" in problem.message
    assert problem.severity == "note"
    assert source[problem.span.start : problem.span.end] == "kernel = mm"


def test_it_may_stand_with_other_facts(analyse_c) -> None:
    report = analyse_c(file_of(above_loop="/* warplens: n = 7, kernel = Mm_2 */"))
    assert named(report)["f"] == ["Mm_2", ""]
    assert dict(report.functions[0].nests[0].evaluation.sizes)["n"] == 7


def test_the_last_of_several_counts(analyse_c) -> None:
    source = file_of(above_loop="// warplens: kernel = one", in_loop="// warplens: kernel = other\n")
    assert named(analyse_c(source))["f"] == ["other", ""]


def test_a_size_called_kernel_is_a_size(analyse_c) -> None:
    source = (
        "void f(int kernel, double *x) {\n  // warplens: kernel = 7\n  for (int i = 0; i < kernel; i++) x[i] = 0;\n}"
    )
    report = analyse_c(source)
    assert named(report) == {"f": [""]}
    assert dict(report.functions[0].nests[0].evaluation.sizes)["kernel"] == 7


def test_no_note_where_code_was_not_understood(analyse_c) -> None:
    """The loop that it stands at may be there."""
    source = file_of() + f"\nvoid h(int n) {{\n{SAY}\n  for (int i = 0 i < n; i++) ;\n}}\n"
    assert not any("stands at no loop" in problem.message for problem in analyse_c(source).problems)
