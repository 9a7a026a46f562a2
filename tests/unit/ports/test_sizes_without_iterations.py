"""Sections of OpenMP and OpenACC have no negative length for any size, also where loops don't run: or `if` says so.

A length is C text of sizes: it is evaluated for all of -3 to 4. Programs are called with n = 0, and with n = -1 where a
count came out wrong; a loop does nothing then, but a directive with a negative length is an error of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

import pytest
from support.examples import is_nightly
from support.fix_fixtures.unbroken import unbroken
from support.openacc_ports import insertion as openacc
from support.openmp_ports import insertion as openmp
from support.openmp_ports.random_nests import PARAMETERS, random_nests

SIZES = range(-3, 5)
NESTS = range(120 if is_nightly() else 60)
ROWS_OF_CONSTANT_LENGTH = "double (*A)[16], double (*B)[16]"
_SECTION = re.compile(r"\b(\w+)\[([^\[\]:]*):([^\[\]:]*)\]")
_CONDITION = re.compile(r"\bif\((?:target(?: data)?:)?(.*)\)\Z")


@pytest.mark.long
@pytest.mark.usefixtures("few_launches")
def test_no_length_is_negative(analyse_c) -> None:
    assert "double A[n][m], double B[n][m]" in PARAMETERS
    source = "\n".join(random_nests(NESTS)).replace("double A[n][m], double B[n][m]", ROWS_OF_CONSTANT_LENGTH)
    report = analyse_c(source)
    for language in (openmp, openacc):
        _, ports = language.ported_text(source, report, "")
        lines = [line for port in ports for line in directives(port.lines) if _SECTION.search(line)]
        assert len(lines) > 30
        assert [said for line in lines for said in negative_lengths(line)] == []


@pytest.mark.parametrize(
    ("condition", "body"),
    [
        ("n > 0", "for (int i = 0; i < n; i++) y[i] = x[i];"),
        ("n > 0 && m > 0", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = x[i * m + j];"),
        ("n > m", "for (int i = m; i < n; i++) y[i] = x[i];"),
        ("n >= m", "for (int i = m; i <= n; i++) y[i] = x[i];"),
        ("", "for (unsigned i = 0; i < u; i++) y[i] = x[i];"),
        ("", "for (int i = 0; i < 8; i++) y[i] = x[i];"),
        ("", "if (n < 0) return; for (int i = 0; i < n; i++) y[i] = x[i];"),
        ("", "double t[n]; for (int i = 0; i < n; i++) t[i] = y[i] = x[i];"),
    ],
)
def test_condition_is_what_the_sections_need(condition: str, body: str, analyse_c) -> None:
    source = f"void work(int n, int m, unsigned u, double *restrict y, const double *restrict x) {{\n{body}\n}}"
    for language in (openmp, openacc):
        _, ports = language.ported_text(source, analyse_c(source))
        (line, *_) = directives(ports[0].lines)
        found = _CONDITION.search(line)
        assert (found[1].strip() if found else "") == condition


def test_joined_loops_ask_for_iterations_inside_of_the_host_s_loops(analyse_c) -> None:
    """Two loops of less than no iteration are none: what the time loop's iterator leaves of them is asked there."""
    source = (
        "void work(int n, double a[restrict n][n], double b[restrict n][n]) {\nfor (int t = 0; t < n; t++) {\n"
        "for (int i = 1; i < t - 1; i++)\nfor (int j = 1; j < n - t; j++)\na[i][j] += b[t][j];\n} }\n"
    )
    after, _ = openacc.ported_text(source, analyse_c(source))
    assert re.search(r"if \(t > 2 && n > t\+1\)\s*#pragma acc parallel loop gang vector (?:tile|collapse)\(", after)


def directives(lines: Iterable[str]) -> list[str]:
    """A port's lines, each directive on one."""
    return unbroken("\n".join(lines)).splitlines()


def negative_lengths(line: str) -> list[str]:
    """Sizes and sections whose length is below 0 where the directive's condition holds."""
    found = _CONDITION.search(line.strip())
    condition = _python(found[1]) if found else "True"
    lengths = [(section[0], _python(section[3])) for section in _SECTION.finditer(line)]
    return [
        f"n={n} m={m} k={k}: {text} of {line}"
        for n, m, k in product(SIZES, repeat=3)
        if eval(condition, {"n": n, "m": m, "k": k})
        for text, length in lengths
        if eval(length, {"n": n, "m": m, "k": k}) < 0
    ]


def _python(text: str) -> str:
    return text.replace("&&", " and ").replace("(long)", "")
