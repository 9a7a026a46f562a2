"""How far a measured result may be from that of the C: what the order of the sums of one number explains."""

import re
from math import sqrt

import pytest
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import contexts
from warplens.server.measure.kernel_times.measure_nest import Subject, planned_nest

ROW = "for (int k = 0; k < m; k++)"
NESTS = {
    "a sum": (f"float s = 0; {ROW} s += a[i * m + k]; y[i] = s;", 64),
    "sums beside each other": (f"float s = 0; {ROW} s += a[i * m + k]; {ROW} s += a[i * m + k] * s; y[i] = s;", 128),
    "a sum beside a row": (f"float s = 0; {ROW} s += a[i * m + k]; {ROW} y[i * m + k] = a[i * m + k] - s;", 65),
    "a row of sums": (f"for (int j = 0; j < m; j++) {{ float s = 0; {ROW} s += a[j * m + k]; y[i * m + j] = s; }}", 64),
    "a sum of rows": (f"float s = 0; for (int j = 0; j < m; j++) {ROW} s += a[j * m + k]; y[i] = s;", 64 * 64),
    "a sum in one of two branches": (f"float s = 1; if (i > 2) {{ {ROW} s += a[i * m + k]; }} y[i] = s;", 64),
    "a row": (f"{ROW} y[i * m + k] = a[i * m + k] + 1;", 1),
}
"""Bodies of a loop over 32 rows of 64 numbers, and how many terms one of its results adds up."""


@pytest.mark.parametrize("name", NESTS)
def test_only_the_terms_of_one_number_count(name: str) -> None:
    body, terms = NESTS[name]
    source = f"""void f(int n, int m, const float *restrict a, float *restrict y)
{{
    // warplens: n = 32, m = 64
    for (int i = 0; i < n; i++) {{ {body} }}
}}
"""
    case = Case("f", source, function="f")
    ((_, context),) = contexts(case, analysed(case))
    tables = planned_nest(Subject(context, "f.c", 4, "a100", "2026-01-01", ()), ()).program.tables
    ((relative, roundings),) = set(re.findall(r"WARPLENS_FLOAT.*, ([\d.e-]+), ([\d.e-]+)\},", tables))
    units = 32 + 8 * sqrt(terms)
    assert float(relative) == pytest.approx(2.0**-23 * units)
    assert float(roundings) == pytest.approx(units / terms)
