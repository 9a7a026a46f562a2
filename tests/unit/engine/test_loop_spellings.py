"""One computation in several spellings (u31): the same loops, the same time, the same ports."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.report import NestReport
from warplens.analysis.ir.nest import loops_of

BEFORE = """#define LIMIT 1000
void picture(int *image, double x0, double y0, double step)
{
    for (int py = 0; py < 1080; py++)
        for (int px = 0; px < 1920; px++) {
            double cr = x0 + px * step, ci = y0 + py * step, zr = 0, zi = 0;
            int n = 0;
"""
AFTER = """
            image[py * 1920 + px] = n;
        }
}
"""
STEP = "double t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t;"
SIZE = "zr * zr + zi * zi"
BY_BREAK = f"for (n = 0; n < LIMIT; n++) {{ if ({SIZE} > 4.0) break; {STEP} }}"

SPELLINGS = {
    "for and": f"for (n = 0; n < LIMIT && {SIZE} <= 4.0; n++) {{ {STEP} }}",
    "for and not": f"for (n = 0; n < LIMIT && !({SIZE} > 4.0); n++) {{ {STEP} }}",
    "while": f"while (n < LIMIT && {SIZE} <= 4.0) {{ {STEP} n++; }}",
    "while, data first": f"while ({SIZE} <= 4.0 && n < LIMIT) {{ {STEP} ++n; }}",
    "endless": f"for (;;) {{ if (n >= LIMIT) break; if ({SIZE} > 4.0) break; {STEP} n++; }}",
}
DO = {
    "do, stepping test": f"do {{ {STEP} }} while ({SIZE} <= 4.0 && ++n < LIMIT);",
    "do": f"do {{ {STEP} n++; }} while (n < LIMIT && {SIZE} <= 4.0);",
    "do, data first": f"do {{ {STEP} n++; }} while ({SIZE} <= 4.0 && n < LIMIT);",
}


def report(analyse_c, spelling: str) -> NestReport:
    (nest,) = analyse_c(BEFORE + spelling + AFTER).functions[0].nests
    return nest


def seconds(nest: NestReport) -> float:
    assert nest.evaluation is not None
    (kernel,) = nest.evaluation.kernels
    return kernel.prediction.time_s


@pytest.mark.parametrize("name", [*SPELLINGS, *DO])
def test_loop_has_one_answer_however_it_is_spelled(analyse_c, name: str) -> None:
    plain, other = report(analyse_c, BY_BREAK), report(analyse_c, {**SPELLINGS, **DO}[name])
    for nest in (plain, other):
        assert nest.facts is not None
        inner = loops_of(nest.facts.nest)[-1]
        assert str(nest.facts.trip_count(inner.id).average) == "1000"
        assert nest.facts.trip_count(inner.id).exact
        assert [v.kind for v in nest.facts.verdicts] == ["parallel", "parallel", "unknown"]
        assert [t.in_bytes.parameters for t in nest.facts.transfers] == [frozenset()]
    assert seconds(other) == pytest.approx(seconds(plain), rel=0.03)
    assert plain.evaluation is not None
    assert other.evaluation is not None
    rel = 0.01 if name in SPELLINGS else 0.2  # what a test behind the body has computed, the next iteration has
    assert other.evaluation.cpu_time.one_core_s == pytest.approx(plain.evaluation.cpu_time.one_core_s, rel=rel)
    refused = [{fix.code: bool(fix.refusal) for fix in nest.fixes} for nest in (plain, other)]
    assert refused[0]["cuda"] == refused[1]["cuda"]
    assert refused[0]["openmp"] == refused[1]["openmp"]
