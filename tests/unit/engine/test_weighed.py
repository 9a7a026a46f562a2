"""How severe findings are by what is at stake, on files whose nests take known shares of the time."""

import re
from collections.abc import Mapping

import pytest
from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.severity import INFORMATION_SHARE, LEAST_SHARE, WARNING_SHARE
from warplens.analysis.advice.stakes import together, total_now_s
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.engine.weighed import MOST_ENTRIES
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu

SCALE = "void scale(float *restrict x) { for (long i = 0; i < %d; i++) x[i] *= 2; }\n"
COLUMNS = """void columns%d(float (*restrict a)[4096], float (*restrict b)[4096]) {
  for (int i = 0; i < %d; i++) for (int j = 0; j < 256; j++) b[i][16 * j] = a[i][16 * j] * a[i][16 * j];
}
"""
RACE = """double racy(double *x) {
  double s = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) s += x[i];
  return s;
}
"""


def report_of(source: str, **options) -> Report:
    text = Preprocessed(f'# 1 "f.c"\n{source}\n', "f.c")
    return analyse(source, text, load_gpu("a100"), load_cpu("server"), AnalysisOptions(**options), Memo())


def nests(report: Report) -> list[NestReport]:
    return [nest for function in report.functions for nest in function.nests]


def severities(report: Report) -> Mapping[str, list[tuple[str, str]]]:
    return {
        f.name: [(each.code, each.severity) for nest in f.nests for each in nest.findings] for f in report.functions
    }


@pytest.mark.parametrize(("beside", "severity"), [(10**8, "warning"), (5 * 10**8, "information"), (2 * 10**10, "hint")])
def test_the_same_finding_is_as_severe_as_its_share_of_the_time(beside: int, severity: str) -> None:
    report = report_of(COLUMNS % (0, 4096) + SCALE % beside, noise="normal")
    assert ("WL201", severity) in severities(report)["columns0"]
    stakes = together([nest.stake for nest in nests(report) if nest.stake is not None])
    share = stakes[0].now_s / total_now_s(stakes)
    by_share = {
        "warning": share >= WARNING_SHARE,
        "information": INFORMATION_SHARE <= share < WARNING_SHARE,
        "hint": LEAST_SHARE <= share < INFORMATION_SHARE,
    }
    assert by_share[severity]


def test_set_up_is_not_spoken_of() -> None:
    source = COLUMNS % (0, 4096) + SCALE % 10**12
    assert severities(report_of(source, noise="normal"))["columns0"] == []
    assert ("WL201", "warning") in severities(report_of(source, noise="all"))["columns0"]


def test_wrong_code_is_a_warning_however_little_time_it_takes() -> None:
    for noise in ("quiet", "normal", "all"):
        report = report_of(RACE + SCALE % 10**11, noise=noise)
        assert ("WL103", "warning") in severities(report)["racy"]


def test_what_nobody_knows_the_time_of_is_no_warning() -> None:
    source = """void spread(int n, int m, float *restrict a, float *restrict b) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { b[16 * (i * m + j)] = a[i * m + j]; }
}
"""
    assert ("WL201", "information") in severities(report_of(source, noise="normal"))["spread"]
    said = f"// warplens: n = 4096\n// warplens: m = 4096\n{source}"
    assert ("WL201", "warning") in severities(report_of(said, noise="normal"))["spread"]


def test_a_file_has_few_entries_and_those_of_the_nests_that_take_the_time() -> None:
    sizes = [4096 - 16 * ((7 * at) % 20) for at in range(20)]
    report = report_of("".join(COLUMNS % each for each in enumerate(sizes)), noise="normal")
    above = {name for name, found in severities(report).items() if any(severity != "hint" for _, severity in found)}
    assert len(above) == MOST_ENTRIES
    most = sorted(range(20), key=lambda at: -sizes[at])[:MOST_ENTRIES]
    assert above == {f"columns{at}" for at in most}
    assert all(severities(report).values())  # the others are hints


def test_quiet_has_the_warnings_of_normal_and_all_has_what_the_rules_say() -> None:
    source = COLUMNS % (0, 4096) + COLUMNS % (1, 512) + RACE
    by_noise = {noise: severities(report_of(source, noise=noise)) for noise in ("quiet", "normal", "all")}
    for function, found in by_noise["normal"].items():
        assert by_noise["quiet"][function] == [each for each in found if each[1] == "warning"]
    assert ("WL201", "warning") in by_noise["all"]["columns1"]


def test_a_nest_that_no_gpu_speeds_up_has_no_warning_of_its_kernel() -> None:
    source = "void gather(float *restrict x) {{ for (long i = 0; i < {n}; i++) x[64 * i] *= 2; }}"
    report = report_of(source.format(n=2000), noise="normal", worthwhile_s=0.0)
    (nest,) = nests(report)
    assert nest.stake is not None
    assert nest.stake.worth.word == "not worth it"
    assert {each.severity for each in nest.findings} <= {"hint"}
    assert ("WL201", "warning") in severities(report_of(source.format(n=10**8), noise="normal"))["gather"]


def test_an_edit_elsewhere_leaves_results_a_function_of_the_text() -> None:
    """One memo through texts in turn, against a new one for each."""
    memo = Memo()
    for beside in (10**8, 10**10, 10**8, 5 * 10**9):
        source = COLUMNS % (0, 4096) + SCALE % beside
        text = Preprocessed(f'# 1 "f.c"\n{source}\n', "f.c")
        options = AnalysisOptions(noise="normal")
        kept = analyse(source, text, load_gpu("a100"), load_cpu("server"), options, memo)
        assert severities(kept) == severities(report_of(source, noise="normal"))


def test_messages_say_what_to_do_and_point_at_no_paper() -> None:
    source = COLUMNS % (0, 4096) + SCALE % 10**8
    found: list[Finding] = [each for nest in nests(report_of(source, noise="all")) for each in nest.findings]
    assert found
    for each in found:
        assert not re.search(r"\beq\b|equation|Resios|docs/", each.message)
