from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warplens.analysis.text.line_markers import main_regions
from warplens.analysis.text.macro_definitions import MacroTable, without_macro_directives, words
from warplens.analysis.text.source_map import SourceMap
from warplens.analysis.text.tokens import tokenise

HEADER = """#ifndef SIZES_H
#define SIZES_H

#define FOR(i, n) \\
    for (int i = 0; i < (n); i++)
#if !defined(BIG)
#define SIZE 100
#else
#define SIZE 1000
#endif
#endif
"""
SOURCE = """#include <stdio.h>
int first = SIZE;
#define SIZE 1
int second = SIZE;

#include "sizes.h"
int third = SIZE;
#undef SIZE

int fourth = SIZE;
#  define SIZE \\
    (FLAG * \\
     2)
int fifth = SIZE, sixth = EOF; /* __CHAR_BIT__ */
"""


def run(folder: Path, *flags: str) -> str:
    (folder / "sizes.h").write_text(HEADER)
    (folder / "main.c").write_text(SOURCE)
    command = ["cc", "-E", "-std=gnu11", "-w", *flags, "main.c"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def written(text: str) -> list[tuple[int, str]]:
    """(line, text) of all that the user's file gave."""
    return [
        (number, line)
        for region in main_regions(text, "main.c")
        for number, line in enumerate(text[region.start : region.end].split("\n"), region.line)
        if line.strip()
    ]


def of_headers(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip() and not line.startswith("# ")]


@pytest.mark.parametrize("flags", [(), ("-DBIG",), ("-DFLAG=4", "-UBIG"), ("-fopenmp", "-O2")])
def test_what_is_left_is_the_text_without_directives(tmp_path: Path, flags: tuple[str, ...]) -> None:
    plain = run(tmp_path, *flags)
    left, _ = without_macro_directives(run(tmp_path, *flags, "-dD"), "main.c", words(SOURCE))
    assert written(left) == written(plain)
    assert of_headers(left) == of_headers(plain)
    assert len(left) < 1.2 * len(plain)


@pytest.mark.parametrize(
    ("name", "used_at", "flags", "file", "line"),
    [
        ("SIZE", 2, (), None, 0),
        ("SIZE", 4, (), "main.c", 3),
        ("SIZE", 7, (), "sizes.h", 7),
        ("SIZE", 7, ("-DBIG",), "sizes.h", 9),
        ("SIZE", 10, (), None, 0),
        ("SIZE", 14, (), "main.c", 11),
        ("SIZE", 2, ("-DSIZE=3",), "<command-line>", None),
        ("SIZE", 4, ("-DSIZE=3",), "main.c", 3),
        ("FLAG", 14, ("-DFLAG",), "<command-line>", None),
        ("__CHAR_BIT__", 14, (), "<built-in>", None),
        ("EOF", 14, (), "stdio.h", None),
        ("FOR", 14, (), None, 0),
    ],
)
def test_the_definition_in_force(
    tmp_path: Path, name: str, used_at: int, flags: tuple[str, ...], file: str | None, line: int | None
) -> None:
    _, directives = without_macro_directives(run(tmp_path, "-dD", *flags), "main.c", words(SOURCE))
    found = MacroTable(directives).in_force(name, used_at)
    assert (Path(found.file).name if found else None) == file
    if found and line is not None:
        assert found.line == line


def test_only_macros_that_the_user_names_are_kept(tmp_path: Path) -> None:
    _, directives = without_macro_directives(run(tmp_path, "-dD"), "main.c", words(SOURCE))
    assert {directive.name for directive in directives} == {"SIZE", "EOF", "__CHAR_BIT__"}


def test_text_without_directives_stays() -> None:
    text = '# 1 "main.c"\n#pragma omp parallel for\nint x;\n#define'
    assert without_macro_directives(text, "main.c", frozenset()) == (text, ())


@pytest.mark.parametrize(
    ("source", "text", "macros"),
    [
        ("#define N M\nx = N;\n", "x = 4;\n", ["", "", "N", ""]),
        ("#define A(x) x\nA(A(1)) B C;\n", "1 B 3;\n", ["A", "", "C", ""]),
        ("\nFOR(i) FOR(j) x;\n", "for (i) for (j) x;\n", [*["FOR"] * 8, "", ""]),
        ("\nROWS COLUMNS x;\n", "for (i) for (j) x;\n", [*[""] * 8, "", ""]),
    ],
    ids=["constant", "nested and unknown", "two uses of one macro", "which of two can't be told"],
)
def test_the_macro_of_a_token(source: str, text: str, macros: list[str]) -> None:
    text = f'# 2 "m.c"\n{text}'
    mapped = SourceMap(source, text, "m.c")
    tokens = tokenise(text, text.index("\n"), len(text))
    origins = [mapped.origin(start, end) for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    assert [origin.macro for origin in origins if origin] == macros
