"""Who decides a size: comment, folder's file, setting, what the source implies, the default, in this order."""

import pytest
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import NestReport, Report

LOOP = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n"
BOUNDED = "double x[500];\nvoid f(int n) { for (int i = 0; i < n; i++) x[i] = 0; }\n"
COMMENT = "// warplens: n = 11\n"
SETTING = SizeChoice("n", 33, "setting")
FILE = SizeChoice("n", 22, "file")


def only_nest(report: Report) -> NestReport:
    (nest,) = (nest for function in report.functions for nest in function.nests)
    assert not nest.failure
    return nest


def decided(analyse_c, source: str, *choices: SizeChoice, default: int = 1024) -> tuple[int, str]:
    """Value of n, and who is said to have decided it."""
    options = AnalysisOptions(default_size=default, sizes=choices)
    evaluation = only_nest(analyse_c(source, options=options)).evaluation
    (assumption,) = [a for a in evaluation.assumptions if a.kind == "size"]
    value = dict(evaluation.sizes)["n"]
    assert assumption.value == value
    assert str(value) in assumption.text
    return value, assumption.origin


def test_each_source_yields_to_the_stronger_ones(analyse_c) -> None:
    assert decided(analyse_c, COMMENT + LOOP, FILE, SETTING) == (11, "directive")
    assert decided(analyse_c, LOOP, SETTING, FILE) == (22, "file")
    assert decided(analyse_c, BOUNDED, SETTING) == (33, "setting")
    assert decided(analyse_c, BOUNDED) == (500, "inferred")
    assert decided(analyse_c, LOOP, default=77) == (77, "default")


def test_choice_for_the_function_before_one_for_everywhere(analyse_c) -> None:
    here, elsewhere = SizeChoice("n", 44, "setting", "f"), SizeChoice("n", 55, "setting", "g")
    assert decided(analyse_c, LOOP, SETTING, here, elsewhere) == (44, "setting")
    assert decided(analyse_c, LOOP, here, SETTING) == (44, "setting")
    assert decided(analyse_c, LOOP, elsewhere) == (1024, "default")
    assert decided(analyse_c, LOOP, here, FILE) == (22, "file"), (
        "the file is stronger than a setting, whatever its scope"
    )


def test_default_says_how_to_change_it(analyse_c) -> None:
    (assumption,) = (a for a in only_nest(analyse_c(LOOP)).evaluation.assumptions if a.kind == "size")
    assert "// warplens: n = " in assumption.text


def test_sizes_of_other_names_change_nothing(analyse_c) -> None:
    other = SizeChoice("m", 5, "setting")
    assert only_nest(analyse_c(LOOP, options=AnalysisOptions(sizes=(other,)))) == only_nest(analyse_c(LOOP))


def test_a_larger_size_takes_longer(analyse_c) -> None:
    times = [
        only_nest(analyse_c(LOOP, options=AnalysisOptions(default_size=n))).evaluation.offload.cold_s
        for n in (10**4, 10**6, 10**8)
    ]
    assert times == sorted(times)
    assert times[0] < times[-1]


@pytest.mark.parametrize(
    ("header", "name", "value"),
    [
        ("i = lo; i < hi; i++", "lo", 0),
        ("i = hi - 1; i >= lo; i--", "lo", 0),
        ("i = 4 * lo; i < 4 * hi; i += 4", "lo", 0),
        ("i = 0; i < hi - lo; i++", "lo", 0),
        ("i = lo; i < hi - lo; i++", "lo", 0),
        ("i = hi - lo; i < hi; i++", "lo", 1024),
        ("i = 0; i < lo; i++", "lo", 1024),
        ("i = lo; i < hi; i++", "hi", 1024),
    ],
)
def test_a_parameter_that_only_takes_iterations_away_defaults_to_zero(analyse_c, header, name, value) -> None:
    source = f"void f(int lo, int hi, double *x) {{ int i; for ({header}) x[i] = 0; }}\n"
    evaluation = only_nest(analyse_c(source)).evaluation
    assert dict(evaluation.sizes).get(name) == value
    assert evaluation.cpu_time.one_core_s > 0
    assert evaluation.offload.cold_s > 0
    (assumption,) = (a for a in evaluation.assumptions if a.kind == "size" and a.subject == name)
    assert f"{value} is assumed" in assumption.text
    assert f"// warplens: {name} = " in assumption.text
    assert assumption.origin == "default"


def test_a_start_that_is_a_limit_or_a_row_length_elsewhere_is_no_start(analyse_c) -> None:
    both = "void f(int m, int n, double *x) { for (int i = 0; i < m; i++) for (int j = m; j < n; j++) x[i + j] = 0; }\n"
    row = (
        "void f(int m, int n, double *x) { for (int i = m; i < n; i++) for (int j = 0; j < 8; j++) x[i*m + j] = 0; }\n"
    )
    for source in (both, row):
        assert dict(only_nest(analyse_c(source)).evaluation.sizes)["m"] == 3  # 1024 would leave a loop empty


def test_a_start_can_be_said(analyse_c) -> None:
    source = "// warplens: lo = 1000\nvoid f(int lo, int hi, double *x) { for (int i = lo; i < hi; i++) x[i] = 0; }\n"
    said = only_nest(analyse_c(source)).evaluation
    unsaid = only_nest(analyse_c(source.partition("\n")[2])).evaluation
    assert dict(said.sizes) == {"lo": 1000, "hi": 1024}
    assert said.cpu_time.one_core_s < unsaid.cpu_time.one_core_s / 10


@pytest.mark.parametrize(
    ("loop", "name"),
    [
        ("for (int k = row[i]; k < row[i + 1]; k++) y[i] += v[k];", "iterations of k"),
        ("y[i] += v[row[i]];", "elements of v"),
    ],
)
def test_a_parameter_from_data_says_how_to_set_it_where_it_is_named(analyse_c, loop, name) -> None:
    source = f"void f(int n, const int *row, double *y, double *v) {{ for (int i = 0; i < n; i++) {{ {loop} }} }}\n"
    texts = [a.text for a in only_nest(analyse_c(source)).evaluation.facts.assumptions if a.subject == name]
    assert texts
    assert all(f"say `// warplens: {name} = …` above the loop" in text for text in texts)
    said = only_nest(analyse_c(f"// warplens: {name} = 7\n{source}")).evaluation
    assert dict(said.sizes)[name] == 7


def test_calls_in_the_file_and_guards_say_more_than_the_default(analyse_c) -> None:
    assert decided(analyse_c, LOOP + "void g(double *x) { f(600, x); }\n") == (600, "program")
    assert decided(analyse_c, LOOP + "void g(double *x) { f(600, x); f(700, x); }\n") == (700, "program")
    guarded = LOOP.replace("{", "{ if (n > 100) return; ", 1)
    assert decided(analyse_c, guarded) == (100, "inferred")
    assert decided(analyse_c, guarded, default=50) == (50, "default")


MASK = (
    "void f(const double *restrict old, double *restrict lap, const double *restrict mask, int nx, int ny, int nm) {"
    " for (int j = nm / 2; j < ny - nm / 2; j++) for (int i = nm / 2; i < nx - nm / 2; i++) { double sum = 0;"
    " for (int mj = -nm / 2; mj < nm / 2 + 1; mj++) for (int mi = -nm / 2; mi < nm / 2 + 1; mi++)"
    " sum += mask[(mj + nm / 2) * nm + mi + nm / 2] * old[(j + mj) * nx + i + mi]; lap[j * nx + i] = sum; } }"
)


def test_a_mask_is_not_taken_to_be_as_large_as_its_grid(analyse_c) -> None:
    """u25_mask_default.c: from 512 to 512 the main loop of the program has no iteration."""
    evaluation = only_nest(analyse_c(MASK)).evaluation
    assert dict(evaluation.sizes) == {"nm": 3, "nx": 1024, "ny": 1024}
    (why,) = (a for a in evaluation.assumptions if a.subject == "nm" and a.kind == "size")
    assert (why.value, why.origin) == (3.0, "default")
    assert "without iterations" in why.text


@pytest.mark.parametrize(
    ("said", "sizes"),
    [
        ("// warplens: nm = 5\n", {"nm": 5, "nx": 1024, "ny": 1024}),
        ("// warplens: nm = 2000\n", {"nm": 2000, "nx": 1024, "ny": 1024}),  # as it was said
        ("// warplens: nx = 3\n", {"nm": 3, "nx": 3, "ny": 1024}),
    ],
)
def test_what_is_said_of_a_mask_stays(analyse_c, said: str, sizes: dict[str, int]) -> None:
    assert dict(only_nest(analyse_c(said + MASK)).evaluation.sizes) == sizes


@pytest.mark.parametrize(
    ("loops", "small"),
    [
        ("for (int i = m; i < n; i++) a[i * m] = 0;", {"m"}),
        ("for (int i = 0; i < n - m; i++) for (int k = 0; k < m; k++) a[i] += b[i + k];", {"m"}),
        ("for (int i = 0; i < n; i++) a[i] = m;", set()),
        ("if (m < 9) return; for (int i = m; i < n; i++) a[i * m] = 0;", set()),
    ],
)
def test_no_loop_is_emptied_by_equal_defaults(analyse_c, loops: str, small: set[str]) -> None:
    source = f"void f(int n, int m, float *restrict a, const float *restrict b) {{ {loops} }}"
    sizes = dict(only_nest(analyse_c(source)).evaluation.sizes)
    assert {name for name, value in sizes.items() if value == 3} == small
