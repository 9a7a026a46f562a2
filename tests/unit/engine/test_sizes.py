"""Who decides a size: comment, folder's file, setting, what the source implies, the default, in this order."""

from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import NestReport, Report

LOOP = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n"
BOUNDED = "double x[500];\nvoid f(int n) { for (int i = 0; i < n; i++) x[i] = 0; }\n"
COMMENT = "// warplens: n = 11\n"
SETTING = SizeChoice("n", 33, "setting")
FILE = SizeChoice("n", 22, "file")


def only_nest(report: Report) -> NestReport:
    ((nest,),) = (function.nests for function in report.functions)
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
