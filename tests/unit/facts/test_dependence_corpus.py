"""Every loop of tests/fixtures/dependence has the verdict that its comment says."""

from __future__ import annotations

import re
import statistics
import time
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.delinearise import delinearise
from warplens.analysis.facts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.frontend.unit import TranslationUnit

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "dependence").glob("*.c"))
EXPECTATION = re.compile(r"// loop: (\S+)")


def parse(source: str) -> TranslationUnit:
    """The fixtures use no preprocessor: only their comments are taken out."""
    text = '# 1 "fixture.c"\n' + re.sub(r"//[^\n]*", "", source)
    return parse_unit(source, Preprocessed(text, "fixture.c"), Memo())


def shown(verdict: LoopVerdict) -> str:
    if verdict.kind != "reduction":
        return verdict.kind
    return "reduction(" + ",".join(f"{r.operator}:{r.variable}" for r in verdict.reductions) + ")"


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_each_loop_has_the_verdict_of_its_comment(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    expected = {n: m[1] for n, line in enumerate(source.splitlines(), 1) if (m := EXPECTATION.search(line))}
    found: dict[int, str] = {}
    milliseconds = []
    for function in parse(source).functions:
        for lowered in function.nests:
            started = time.perf_counter()
            verdicts = loop_verdicts(delinearise(lowered.nest))
            milliseconds.append((time.perf_counter() - started) * 1e3)
            headers = dict(lowered.spans.header)
            for verdict in verdicts:
                line = source.count("\n", 0, lowered.spans.base + headers[verdict.loop].start) + 1
                found[line] = shown(verdict)
    print(f"{path.stem}: {len(milliseconds)} nests, median {statistics.median(milliseconds):.2f} ms")
    assert found == expected
