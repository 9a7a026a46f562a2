"""What the sizes in force deny is asked of nobody."""

from __future__ import annotations

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.hwprofiles.loader import load_cpu, load_gpu

SHIFTED = "void f(int n, int ld, double *x) { for (int i = 0; i < n; i++) x[i + ld] = x[i]; }\n"


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        ("", ["ld >= n"]),
        ("n = 2000", ["ld >= n"]),
        ("n = 2000, ld = 4000", ["ld >= n"]),
        ("n = 2000, ld = 100", []),
    ],
)
def test_a_relation_that_sizes_deny_is_not_offered(said: str, offered: list[str]) -> None:
    comment = f"// warplens: {said}\n" if said else ""
    preprocessed = Preprocessed(f'# 2 "f.c"\n{SHIFTED}' if said else f'# 1 "f.c"\n{SHIFTED}', "f.c")
    found = analyse(comment + SHIFTED, preprocessed, load_gpu("a100"), load_cpu("desktop"), AnalysisOptions(), Memo())
    evaluation = found.functions[0].nests[0].evaluation
    assert evaluation is not None
    (verdict,) = evaluation.facts.verdicts
    assert [promise.text for promise in verdict.conditions] == offered
    said_of_it = [finding.message for nest in found.functions[0].nests for finding in nest.findings]
    assert any("ld >= n" in message for message in said_of_it) == bool(offered)
