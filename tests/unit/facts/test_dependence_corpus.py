"""Every loop of tests/fixtures/dependence has the verdict that its comment says, and few loops deserve a better one."""

from __future__ import annotations

from pathlib import Path

import pytest
from iteration_order.labels import FIXTURES, Label, can_run_in_parallel, judged, labels, shown

LEAST_NESTS = 120
LEAST_SHARE_FOUND = 0.95


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_each_loop_has_the_verdict_of_its_comment(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = {line: shown(v) for nest in judged(source) for line, v in zip(nest.lines, nest.verdicts, strict=True)}
    expected = {line: label.found for line, label in labels(source).items() if label.found != "none"}
    assert found == expected


def by_family() -> dict[str, tuple[int, list[Label]]]:
    """Nests and labels of each file of the corpus."""
    families = {}
    for path in FIXTURES:
        source = path.read_text(encoding="utf-8")
        families[path.stem] = (sum(1 for _ in judged(source)), list(labels(source).values()))
    return families


def test_no_loop_is_found_parallel_that_is_not_and_most_that_are_are_found() -> None:
    families = by_family()
    print(f"\n{'family':<22}{'nests':>6}{'loops':>7}{'truly parallel':>16}{'found':>7}{'wrong':>7}")
    rows = [(name, nests, every) for name, (nests, every) in families.items()]
    total = ("all", sum(nests for nests, _ in families.values()), [x for _, every in families.values() for x in every])
    for name, nests, every in [*rows, total]:
        truly = [x for x in every if x.is_parallel]
        wrong = sum(x.is_found and not x.is_parallel for x in every)
        found = sum(x.is_found for x in truly)
        print(f"{name:<22}{nests:>6}{len(every):>7}{len(truly):>16}{found:>7}{wrong:>7}")
    # What holds of the labels holds of the verdicts: the test above compares them.
    assert not [x for x in total[2] if x.is_found and not x.is_parallel]
    assert not [x for x in total[2] if x.truth == "unknown" and x.found not in {"unknown", "none"}]
    assert total[1] >= LEAST_NESTS
    truly = [x for x in total[2] if x.is_parallel]
    assert sum(x.is_found for x in truly) >= LEAST_SHARE_FOUND * len(truly)


def test_a_label_can_say_more_than_is_found() -> None:
    (label,) = labels("for (;;)  // loop: parallel private(t,s) induction(k) | found: unknown").values()
    assert label == Label("parallel", "unknown", ("t", "s"), ("k",))
    assert label.is_parallel
    assert not label.is_found
    assert can_run_in_parallel("reduction(+:s)")
    with pytest.raises(AssertionError, match="line 1"):
        labels("for (;;)  // loop: perhaps")
