"""Findings of one rule about one cause are one entry, those about others are their own."""

from itertools import permutations
from pathlib import Path

import pytest
from warplens.analysis.advice.entries import MOST_PLACES, entries
from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.ir.ids import NodeId

FOLDER = Path(__file__).parents[2] / "fixtures" / "entries"


def finding(node: int, cause: str = "", code: str = "WL201", **more) -> Finding:
    return Finding(code, NodeId(node), "Slow.", more.pop("severity", "information"), cause=(cause,), **more)


def test_a_cause_is_told_once_and_other_causes_and_rules_apart() -> None:
    found = (finding(1, "i"), finding(2, "j"), finding(3, "i"), finding(4, "i", "WL402"))
    assert [(each.code, each.node) for each in entries(found)] == [("WL201", 1), ("WL201", 2), ("WL402", 4)]


def test_the_others_are_named_and_linked() -> None:
    (entry,) = entries([finding(1, place="`a`"), finding(2, place="`b`"), finding(3, place="`c`")])
    assert entry.message == "Slow. The same holds for `b` and `c`."
    assert entry.related == (Related(NodeId(2), "`b`: the same"), Related(NodeId(3), "`c`: the same"))


def test_of_many_the_number_is_said() -> None:
    (entry,) = entries([finding(node, place=f"`x{node}`") for node in range(8)])
    assert entry.message == "Slow. The same holds for `x1`, `x2`, `x3` and 4 more."
    assert len(entry.related) == MOST_PLACES
    (same,) = entries([finding(node, place="`x`") for node in range(3)])
    assert same.message == "Slow. The same holds at 2 other places."


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_most_severe_stands_for_all(order: tuple[int, ...]) -> None:
    found = (finding(1, severity="hint"), finding(2, severity="warning", gain=2.0), finding(3, gain=4.0))
    (entry,) = entries([found[at] for at in order])
    assert (entry.node, entry.severity, entry.gain) == (2, "warning", 4.0)


def test_what_is_alone_stays_as_it_is() -> None:
    found = (finding(1, "i"), finding(2, "j"))
    assert entries(found) == found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.c")), ids=lambda path: path.stem)
def test_each_rule_says_what_its_cause_is(path: Path, analyse_c) -> None:
    """A fixture's `// entry CODE: part of the message` are all entries of that code; `...` at its end joins others."""
    source = path.read_text(encoding="utf-8")
    report = analyse_c(source, options=AnalysisOptions(noise="normal"))
    expected = [line.removeprefix("// entry ").split(": ", 1) for line in source.splitlines() if "// entry" in line]
    codes = {code for code, _ in expected}
    found = [
        (each.code, each.message)
        for function in report.functions
        for nest in function.nests
        for each in nest.findings
        if each.code in codes
    ]
    assert len(found) == len(expected), found
    for (code, message), (ought_code, part) in zip(found, expected, strict=True):
        assert (code, part.removesuffix(" ...") in message) == (ought_code, True), message
        assert ("The same holds" in message) == part.endswith(" ..."), message
