"""Every rule on C files that say themselves what it finds (tests/fixtures/rules).

An expectation stands under the code it speaks of: `//     ^^^^^^^^ WL201: part of the message`, or `related: …` for a
second place. A file speaks of the codes it names, all findings of those must be expected; `// no-diagnostics: WL201`
says that there is none. The first line may choose machines and sizes: `// fixture: gpu=gtx460 cpu=desktop n=4096`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from warplens.analysis.advice.catalogue import RULES
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import NestReport, Report

FOLDER = Path(__file__).parents[2] / "fixtures" / "rules"
FIXTURES = sorted(FOLDER.glob("*/*.c"))
CARETS = re.compile(r"//\s*(\^+) (WL\d+|related): (.+)")
NOTHING = re.compile(r"// no-diagnostics: (WL\d+)")


@dataclass(frozen=True, order=True)
class Mark:
    """Something that is said of the code at a line (counted from 1) and columns (from 0)."""

    line: int
    start: int
    end: int
    code: str
    message: str


def expected_marks(source: str) -> Iterator[Mark]:
    spoken_of = 0
    for number, line in enumerate(source.splitlines(), 1):
        match = CARETS.match(line.lstrip())
        if match is None:
            spoken_of = number
            continue
        indent = len(line) - len(line.lstrip())
        yield Mark(spoken_of, indent + match.start(1), indent + match.end(1), match[2], match[3].strip())


def found_marks(source: str, report: Report) -> Iterator[Mark]:
    for function in report.functions:
        for nest in function.nests:
            assert not nest.failure, nest.failure
            for finding in nest.findings:
                yield _mark(source, nest, finding.node, finding.code, finding.message)
                for related in finding.related:
                    yield _mark(source, nest, related.node, f"related {finding.code}", related.message)


def _mark(source: str, nest: NestReport, node: int, code: str, message: str) -> Mark:
    """Where a node stands: a loop at its header; of a span over several lines, what is on the first."""
    span = dict((*nest.spans.nodes, *nest.spans.header))[node].shifted(nest.spans.base)
    line_start = source.rfind("\n", 0, span.start) + 1
    line_end = source.find("\n", span.start)
    line = source.count("\n", 0, span.start) + 1
    return Mark(line, span.start - line_start, min(span.end, line_end) - line_start, code, message)


def check(source: str, analyse_c) -> None:
    """Hold a fixture's expectations against the findings of the codes it speaks of."""
    choices = dict(pair.split("=") for pair in re.findall(r"\S+=\S+", _first_line(source)))
    machines = {kind: choices.pop(kind) for kind in ("gpu", "cpu") if kind in choices}
    sizes = tuple(SizeChoice(name, int(value), "setting") for name, value in choices.items())
    report = analyse_c(source, options=AnalysisOptions(sizes=sizes), **machines)
    assert not report.opaque
    assert report.functions

    expected = sorted(expected_marks(source))
    quiet = set(NOTHING.findall(source))
    codes = {mark.code for mark in expected} - {"related"}
    assert codes | quiet, "a fixture expects something or says no-diagnostics"
    assert not codes & quiet
    with_related = any(mark.code == "related" for mark in expected)
    wanted = codes | quiet | {f"related {code}" for code in codes if with_related}
    found = sorted(mark for mark in found_marks(source, report) if mark.code in wanted)

    places = [(mark.line, mark.start, mark.end, mark.code.split()[0]) for mark in found]
    assert places == [(mark.line, mark.start, mark.end, mark.code) for mark in expected], found
    for is_, ought in zip(found, expected, strict=True):
        assert ought.message in is_.message, f"line {is_.line}: {is_.message}"


def _first_line(source: str) -> str:
    first = source.partition("\n")[0]
    return first if first.startswith("// fixture:") else ""


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_findings_are_those_that_the_fixture_says(path: Path, analyse_c) -> None:
    check(path.read_text(encoding="utf-8"), analyse_c)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_has_a_case_that_fires_a_near_miss_and_a_fixed_version(rule) -> None:
    kinds = {path.stem.split("_")[0]: path.read_text(encoding="utf-8") for path in (FOLDER / rule.code).glob("*.c")}
    assert f" {rule.code}: " in kinds["fires"]
    for kind in ("near", "fixed"):
        assert f"// no-diagnostics: {rule.code}" in kinds[kind]


def test_a_wrong_expectation_is_noticed(analyse_c) -> None:
    source = (FOLDER / "WL101" / "fires.c").read_text(encoding="utf-8")
    for wrong in (source.replace("^ WL101", " WL101", 1), source.replace("WL101: Not", "WL101: Perhaps", 1)):
        assert wrong != source
        with pytest.raises(AssertionError):
            check(wrong, analyse_c)
    with pytest.raises(AssertionError):
        check("void f(void) { }\n", analyse_c)
