"""`// warplens: idx has no repeats`: read, in force where it stands, part of the memo's key, shown as an assumption."""

from __future__ import annotations

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.directives import read_directives, read_promises
from warplens.analysis.frontend.source import Preprocessed
from warplens.hwprofiles.loader import gpu_names, load_cpu, load_gpu

SCATTER = """void f(int n, double *restrict y, const double *restrict x, const int *restrict idx) {
  %s
  for (int i = 0; i < n; i++) y[idx[i]] = x[i];
}
"""


def report(source: str, memo: Memo) -> Report:
    struck = "\n".join(line.partition("//")[0] for line in source.splitlines())
    preprocessed = Preprocessed(f'# 1 "f.c"\n{struck}\n', "f.c")
    return analyse(source, preprocessed, load_gpu(gpu_names()[0]), load_cpu("desktop"), AnalysisOptions(), memo)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("idx has no repeats", ("idx", "injective")),
        ("idx is a permutation", ("idx", "injective")),
        ("p->idx is injective", ("p->idx", "injective")),
        ("row is increasing", ("row", "increasing")),
        ("n = 4, row is sorted", ("row", "increasing")),
    ],
)
def test_spellings(text: str, fact: tuple[str, str]) -> None:
    source = f"// warplens: {text}\n"
    (directive,) = read_promises(source)
    assert (directive.promise.name, directive.promise.kind) == fact
    assert source[directive.span.start : directive.span.end] == text.rpartition(", ")[2]
    assert read_directives(source)[1] == ()


def test_what_is_neither_a_size_nor_a_fact_is_a_problem() -> None:
    assert read_promises("// warplens: idx has repeats\n") == ()
    (problem,) = read_directives("// warplens: idx has repeats\n")[1]
    assert "idx has no repeats" in problem.message


def test_the_comment_changes_the_verdict_and_is_shown() -> None:
    memo = Memo()
    verdicts = []
    for comment in ("", "// warplens: idx has no repeats", ""):
        found = report(SCATTER % comment, memo)
        assert found.problems == ()
        facts = found.functions[0].nests[0].facts
        assert facts is not None
        verdicts.append(facts.verdicts[0])
    assert [v.kind for v in verdicts] == ["unknown", "parallel", "unknown"]
    assert verdicts[0].suggestion == "// warplens: idx has no repeats"
    (said,) = (a for a in verdicts[1].assumptions if a.origin == "directive")
    assert said.subject == "idx"


def test_a_comment_about_no_array_is_noted() -> None:
    (problem,) = report(SCATTER % "// warplens: index has no repeats", Memo()).problems
    assert "index" in problem.message
    assert problem.severity == "note"
