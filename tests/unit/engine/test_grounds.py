"""Which sizes count as guesses, what nobody declares, and what no machine has."""

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import Grounds, grounds_of
from warplens.analysis.models.sizes.break_even import break_even
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.render.headline import lens_text
from warplens.server.render.worth_sentence import worth_sentence


def analysed(source: str) -> Report:
    """With what the preprocessor says of headers, of which there is none."""
    preprocessed = preprocess_in_python("/main.c", source, lambda _path: None, (), ())
    return analyse(source, preprocessed, load_gpu("a100"), load_cpu("server"), AnalysisOptions(), Memo())


def evaluation_of(report: Report) -> NestEvaluation:
    (found,) = (nest.evaluation for function in report.functions for nest in function.nests)
    assert found is not None
    return found


def grounds(analyse_c, source: str, *choices: SizeChoice) -> Grounds:
    return grounds_of(evaluation_of(analyse_c(source, options=AnalysisOptions(sizes=choices))))


def guessed(analyse_c, source: str, *choices: SizeChoice) -> list[str]:
    return [guess.name for guess in grounds(analyse_c, source, *choices).guesses]


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for (i = 0; i < n; i++) x[i] = 0;", ["n"]),
        ("for (i = 0; i < 100; i++) x[i] = 0;", []),
        ("for (i = 0; i < m; i++) for (j = 0; j < n; j++) x[i * n + j] = 0;", ["m", "n"]),
        ("for (i = 0; i < 100; i++) x[i * m] = 0;", ["m"]),
        ("for (i = 0; i < 100; i++) x[i + m] = 0;", []),
        ("for (i = m; i < n; i++) x[i] = 0;", ["n"]),
        ("for (i = m; i < 4000; i++) x[i] = 0;", ["m"]),
        ("for (i = m; i < 4000; i++) for (j = 0; j < n; j++) x[i * n + j] = 0;", ["m", "n"]),
    ],
    ids=["bound", "constant", "two bounds", "stride", "offset", "range", "start", "start beside another bound"],
)
def test_independent_sizes_that_numbers_depend_on_are_guesses(analyse_c, loop: str, names: list[str]) -> None:
    source = f"void f(int n, int m, float *x) {{ int i, j; {loop} }}"
    assert guessed(analyse_c, source) == names
    assert guessed(analyse_c, source, *(SizeChoice(name, 500, "setting") for name in "nm")) == []


def test_calls_extents_and_checks_are_grounds(analyse_c) -> None:
    assert guessed(analyse_c, "float x[500]; void f(int n) { for (int i = 0; i < n; i++) x[i] = 0; }") == []
    called = "static void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }\nvoid g(float *x) { f(800, x); }"
    assert guessed(analyse_c, called) == []


HEADER = '#include "bar.h"\n'


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("void f(float *x) { for (int i = 0; i < NX; i++) x[i] = 0; }", ["NX"]),
        ("void f(float *x) { for (int i = LO; i < 900; i++) x[i] = 0; }", ["LO"]),
        ("void f(float *x) { int n = NX; for (int i = 0; i < n; i++) x[i] = 0; }", ["NX"]),
        ("void f(float *x) { for (int i = 0; i < 900; i++) x[i] *= K; }", ["K"]),
        ("void f(float *x) { for (int i = 0; i < 900; i++) x[i] = SQUARE(x[i]); }", ["SQUARE"]),
        ("void f(real *x) { for (int i = 0; i < 900; i++) x[i] = 0; }", ["real"]),
        ("void f(float *x) { for (int i = 0; i < 900; i++) { real t = x[i]; x[i] = t * t; } }", ["real"]),
        ("void f(float *x, struct s *p) { for (int i = 0; i < 900; i++) x[i] *= p->scale; }", ["s"]),
        ("double w[NX][NY]; void f(void) { for (int i = 0; i < 90; i++) w[i][i] = 0; }", ["NX", "NY"]),
    ],
    ids=["bound", "start", "variable", "value", "call", "type", "type inside", "member", "extent"],
)
def test_what_is_behind_a_missing_header_is_not_decided(function: str, names: list[str]) -> None:
    evaluation = evaluation_of(analysed(HEADER + function))
    assert sorted(one.name.removeprefix("struct ") for one in grounds_of(evaluation).undeclared) == names
    lens = lens_text(evaluation)
    assert lens == "not decided: bar.h is missing"
    assert "`bar.h`, which was not found" in worth_sentence(evaluation, lambda _: 1)
    assert not grounds_of(evaluation).carry_numbers


@pytest.mark.parametrize(
    "function",
    [
        "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }",
        "#define M 900\nfloat w[M]; void f(void) { for (int i = 0; i < M; i++) w[i] = sqrtf(w[i]); }",
        "enum { M = 900 }; struct s { float a; }; void f(struct s *p) { for (int i = 0; i < M; i++) p[i].a = 0; }",
        "float g(float); void f(float *x) { for (int i = 0; i < 900; i++) x[i] = 2 * x[i] + sizeof(long); }",
        "typedef float real; void f(real *x) { for (int i = 0; i < 900; i++) { real t = x[i]; x[i] = t; } }",
    ],
    ids=["plain", "macro", "enumerator and structure", "library", "typedef"],
)
def test_loops_that_need_nothing_of_it_keep_their_headline(function: str) -> None:
    evaluation = evaluation_of(analysed(HEADER + function))
    assert evaluation.missing_headers == ("bar.h",)
    assert grounds_of(evaluation).carry_numbers
    assert lens_text(evaluation) == lens_text(evaluation_of(analysed(function)))


def test_an_undefined_macro_is_said_and_a_size_that_is_said_defines_it(analyse_c) -> None:
    source = "void f(float *x) { for (int i = 0; i < NX; i++) x[i] = 0; }"
    undefined = evaluation_of(analyse_c(source))
    assert lens_text(undefined) == "not decided: NX is missing"
    assert worth_sentence(undefined, lambda _: 1).startswith("Not decided: `NX` is defined nowhere, a macro?")
    assert grounds(analyse_c, source, SizeChoice("NX", 5000, "setting")).carry_numbers
    assert grounds(analyse_c, f"// warplens: NX = 5000\n{source}").carry_numbers


@pytest.mark.parametrize("known", ["double half(double v) { return v / 2; }", "double half(double v);"])
def test_the_address_of_a_function_is_declared_and_no_port_takes_it_along(analyse_c, known: str) -> None:
    source = f"""{known}
    void f(int n, double *restrict x, double (*by)(double))
    {{
        for (int i = 0; i < n; i++)
            x[i] = by == half ? x[i] : 2;
    }}"""
    (nest,) = analyse_c(source).functions[-1].nests
    assert grounds_of(nest.evaluation).undeclared == ()
    assert {(fix.code, bool(fix.refusal)) for fix in nest.fixes} == {
        ("openmp", True),
        ("openacc", True),
        ("cuda", True),
    }


def test_a_function_may_be_undeclared_where_no_header_is_missing(analyse_c) -> None:
    source = "void f(float *x) { for (int i = 0; i < 900; i++) x[i] = g(i); }"
    assert grounds(analyse_c, source).undeclared == ()


CUBE = """void f(int n, float *x) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) for (int l = 0; l < n; l++)
    x[((i * n + j) * n + k) * n + l] = 0; }"""
CHAIN = """float f(int n, float x) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) for (int l = 0; l < n; l++)
    for (int m = 0; m < n; m++) x = x / 3 + 1;
  return x; }"""


@pytest.mark.parametrize(("source", "what"), [(CUBE, "memory"), (CHAIN, "time")], ids=["memory", "time"])
def test_what_no_machine_has_names_the_size_that_makes_it_so(analyse_c, source: str, what: str) -> None:
    at_guess = evaluation_of(analyse_c(source, options=AnalysisOptions(default_size=2048)))
    found = grounds_of(at_guess)
    assert found.absurd is not None
    assert (found.absurd.what, [guess.name for guess in found.absurd.by]) == (what, ["n"])
    if at_guess.kernels:
        sentence = worth_sentence(at_guess, lambda _: 1)
        assert "with `n` = 2048 this would take " in sentence
        assert sentence.endswith(": say `n`.")
    small = evaluation_of(analyse_c(source, options=AnalysisOptions(default_size=64)))
    assert grounds_of(small).carry_numbers
    assert grounds(analyse_c, source, SizeChoice("n", 2048, "setting")).carry_numbers


ROWS = """void f(int n, int m, float *restrict x) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i * m + j] *= 2; }"""


def test_the_break_even_of_one_guess_is_in_that_guess(analyse_c) -> None:
    for said, open_ in (("n", "m"), ("m", "n")):
        found = break_even(
            evaluation_of(analyse_c(ROWS, options=AnalysisOptions(sizes=(SizeChoice(said, 500, "setting"),))))
        )
        assert found is not None
        assert (found.name, found.is_guessed) == (open_, True)


def test_several_guesses_have_a_number_of_iterations_where_their_shape_is_no_matter(analyse_c) -> None:
    found = break_even(evaluation_of(analyse_c(ROWS)))
    assert found is not None
    assert found.why_not
    assert found.by_work is not None
    wins = found.by_work.resident
    assert wins is not None
    assert wins.least is not None
    assert wins.most is not None
    # As with one size, of which there is no shape.
    line = "void f(int n, float *restrict x) { for (int i = 0; i < n; i++) x[i] *= 2; }"
    one = break_even(evaluation_of(analyse_c(line)))
    assert one is not None
    size = one.wins_from("resident", "one core").size
    assert size is not None
    assert wins.least / 3 <= size <= wins.most * 3
    step = "for (int t = 0; t < n; t++) for (int j = 1; j < m; j++) x[j] = x[j] / 3 + t;"
    row_by_row = f"void f(int n, int m, float *x) {{ {step} }}"
    outer = break_even(evaluation_of(analyse_c(row_by_row)))
    assert outer is not None
    assert outer.by_work is not None
    assert outer.by_work.resident is None, "only how long a row is decides"
