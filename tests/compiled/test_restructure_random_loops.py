"""Restructuring fixes on random loops: what is offered computes the same, bit for bit, and touches nothing more.

All fixes that dependence analysis allows are tried, also those that would not pay.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.examples import is_nightly
from support.fix_fixtures.contexts import contexts
from support.restructured.equivalence import Changed, changed_function, differing
from support.restructured.random_loops import random_loops
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.ports.fix import AS_PREDICTED, FixRule
from warplens.analysis.ports.restructure import interchange_fix, local_sum_fix, privatise_fix, split_fix

RULES: tuple[FixRule, ...] = (interchange_fix.FIX, split_fix.FIX, local_sum_fix.FIX, privatise_fix.FIX)
PER_PROGRAM = 100


@pytest.fixture
def whatever_it_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offers that need no prediction: every fix gains as much as it must."""
    for module in (interchange_fix, split_fix):
        monkeypatch.setattr(module, "LEAST_GAIN", 0.0)
        monkeypatch.setattr(module, "predicted_s", lambda _evaluation, _facts: 0.0)


@pytest.mark.usefixtures("whatever_it_gains", "few_launches")
@pytest.mark.parametrize("first", range(0, 300 if is_nightly() else 100, PER_PROGRAM))
def test_no_fix_changes_what_random_loops_compute(first: int, analyse_c, tmp_path: Path) -> None:
    source = random_loops(range(first, first + PER_PROGRAM))
    changed: list[Changed] = []
    for context in contexts(source, analyse_c(source, options=AnalysisOptions(default_size=8))):
        for rule in RULES:
            for offer in rule.offer(context):
                edits = rule.edit(context, offer, AS_PREDICTED)
                assert edits.refusal == offer.refusal
                assert bool(edits.edits) != bool(offer.refusal), offer
                if edits.edits:
                    changed.append(changed_function(context, f"{context.function} {offer.code}", edits))
    codes = {one.label.split()[1] for one in changed}
    assert codes == {rule.code for rule in RULES}
    assert len(changed) > PER_PROGRAM // 4
    wrong = differing(source, changed, tmp_path)
    texts = {one.label: one.text for one in changed}
    assert not wrong, "\n".join(f"{line}\n{texts[' '.join(line.split()[:2])]}" for line in wrong)


WRONG = {
    "another sum": ("s += v[i]", "s += v[i + 1]"),
    "another last bit": ("s += v[i]", "s += v[i] * (1 + 0x1p-52)"),
    "a value behind a null pointer": ("double s = 0;", "double s = p[0] * 0;"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_fix_is_noticed(name: str, tmp_path: Path) -> None:
    source = """double v[64];
double f(int n, double *p) { double s = 0; for (int i = 0; i < n; i++) { s += v[i]; p[i] = s; } return s; }
"""
    function = source.partition("\n")[2]
    assert differing(source, [Changed("f", "same", function)], tmp_path) == []
    assert differing(source, [Changed("f", "wrong", function.replace(*WRONG[name]))], tmp_path)
