"""Loops found by keywords: in any text without an exception, in C where the front end finds them."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import is_nightly
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.measured.line_counts import FileCounts, LineCount
from warplens.analysis.measured.measured_counts import counted_functions, measured_file
from warplens.analysis.text.loop_places import find_places

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parents[1] / "fixtures"
FILES = sorted(FOLDER.rglob("*.c"))[:: 1 if is_nightly() else 2]
LOOP = re.compile(r"(?:for|while|do)\b")
WORDS = (
    "for",
    "while",
    "do",
    "if",
    "else",
    "switch",
    "case 1:",
    "break;",
    "continue;",
    "return;",
    "goto x;",
    "x;",
    "f(n);",
)
SIGNS = ("(", ")", "{", "}", "[", "]", ";", "(n)", "(;;)", "\n", "=", "&&", "'", '"', "/*", "//", "#if\n", "\\\n")


@given(st.lists(st.sampled_from(WORDS + SIGNS), max_size=60), st.lists(st.integers(0, 9), min_size=120, max_size=120))
def test_no_text_is_too_odd(words: list[str], numbers: list[int]) -> None:
    text = f"void f(int n)\n{{\n{' '.join(words)}\n}}\n"
    places = find_places(text)
    for number, loop in enumerate(places.loops):
        assert text[loop.keyword :].startswith(("for", "while", "do"))
        assert loop.whole.start <= loop.header.start
        assert loop.parent is None or loop.parent < number
    digest, functions = counted_functions(text, {1: 3})
    lines = tuple(
        LineCount(line, numbers[line], tuple(numbers[3 * line : 5 * line]))
        for line in range(1, min(20, text.count("\n")))
    )
    measured = measured_file(text, FileCounts(digest, functions, lines, 100, "2026-01-31"))
    for _, counts in measured.loops:
        assert counts.iterations >= 0
        assert counts.entries is None or counts.entries >= 0


@cache
def preprocessed() -> dict[str, str]:
    """Every file's text behind the compiler's preprocessor, which is started once."""
    headers = {f"-I{header.parent}" for header in FOLDER.rglob("*.h")}
    command = ["cc", "-E", "-std=gnu11", "-w", *sorted(headers), *map(str, FILES)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    _, *parts = re.split(r'^(?=# 0 "(?!<).*\.c"$)', run.stdout, flags=re.MULTILINE)
    assert len(parts) == len(FILES)
    return {part.split('"', 2)[1]: part for part in parts}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_loops_of_the_front_end_are_among_them(file: Path) -> None:
    source = file.read_text()
    unit = parse_unit(source, Preprocessed(preprocessed()[str(file)], str(file)), Memo())
    assert unit.functions
    found = {loop.keyword for loop in find_places(source).loops}
    lowered = {
        span.start + nest.spans.base
        for function in unit.functions
        for nest in function.nests
        for loop, span in nest.spans.header
        if loop not in nest.spans.in_macro
    }
    # The loop of a function that was looked into stands at its call.
    assert {at for at in lowered if LOOP.match(source, at)} <= found
