"""Where the macros of a nest are defined, with the compiler and without, marked under the code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import LoweredNest, MacroUse
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess

HEADER = "#pragma once\n#define SIZE 100\n\n#define BoxLoop(i, n) \\\n  for (int i = 0; \\\n       i < n; i++)\n"
Nests = Callable[..., list[LoweredNest]]


@pytest.fixture(params=[True, False], ids=["compiler", "built-in"])
def nests_of(request: pytest.FixtureRequest, tmp_path: Path) -> Nests:
    """`nests_of(source, memo)`: the nests of `main.c`, `box.h` in a folder beside it; -DFLAG=8."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "box.h").write_text(HEADER)
    flags = PreprocessorFlags(include_dirs=(str(tmp_path / "include"),), defines=("FLAG=8",))

    def run(source: str, memo: Memo | None = None) -> list[LoweredNest]:
        text = preprocess(tmp_path / "main.c", source, flags, [tmp_path], 30, trusted=request.param)
        return [nest for f in parse_unit(source, text, memo or Memo()).functions for nest in f.nests]

    return run


def places(source: str, nest: LoweredNest) -> dict[str, str]:
    """By macro: the line of the definition in `source` with carets below its name, or the header and line."""
    found: dict[str, str] = {}
    for use in nest.macros:
        span = use.definition.span
        if span is None:
            found[use.definition.name] = f"{Path(use.definition.file).name}:{use.definition.line}"
            continue
        start = source.rfind("\n", 0, span.start) + 1
        line = source[start : source.index("\n", start)]
        found[use.definition.name] = f"{line}\n{' ' * (span.start - start)}{'^' * (span.end - span.start)}"
    return found


def use_of(nest: LoweredNest, name: str) -> MacroUse:
    return next(use for use in nest.macros if use.definition.name == name)


def test_a_loop_from_a_headers_macro(nests_of: Nests) -> None:
    source = '#include "box.h"\nvoid f(double *a) {\n  BoxLoop(i, SIZE)\n    a[i] = 0;\n}\n'
    (nest,) = nests_of(source)
    assert places(source, nest) == {"BoxLoop": "box.h:4", "SIZE": "box.h:2"}
    assert use_of(nest, "BoxLoop").written == (nest.nest.root.id,)
    assert use_of(nest, "BoxLoop").named_by == ()
    assert use_of(nest, "SIZE").named_by == (nest.nest.root.id,)
    header = dict(nest.spans.header)[nest.nest.root.id].shifted(nest.spans.base)
    assert source[header.start : header.end] == "BoxLoop(i, SIZE)"


def test_a_bound_from_the_same_file(nests_of: Nests) -> None:
    source = "#  define N 10\nvoid f(double *a) { for (int i = FLAG; i < N /* SIZE */; i++) a[i] = N; }\n"
    (nest,) = nests_of(source)
    assert places(source, nest) == {
        "FLAG": "<command-line>:0",
        "N": "#  define N 10\n"
             "          ^",
    }  # fmt: skip
    assert use_of(nest, "N").written == ()


def test_the_definition_at_the_use_counts(nests_of: Nests) -> None:
    source = """#include "box.h"
#define N SIZE
void f(double *a) { for (int i = 0; i < N; i++) a[i] = SIZE; }
#undef N
#ifdef FLAG
# define N 3
#else
# define N 4
#endif
void g(double *a) { for (int i = 0; i < N; i++) a[i] = 0;
#undef N
#define SQUARE(x) ((x) * \\
                   (x))
  for (int j = 0; j < 9; j++) a[SQUARE(j)] = 0;
}
"""
    first, second, third = nests_of(source)
    assert places(source, first) == {
        "N": "#define N SIZE\n"
             "        ^",
    }  # fmt: skip
    assert places(source, second) == {
        "N": "# define N 3\n"
             "         ^",
    }  # fmt: skip
    assert places(source, third) == {}


def test_a_statement_from_a_macro(nests_of: Nests) -> None:
    source = """
#define INNER(k) a[k] = 0
#define CLEAR(k) INNER(k)
void f(double *a, int n) {
  for (int i = 0; i < n; i++) {
    CLEAR(i);
    a[i] += 1;
  }
}
"""
    (nest,) = nests_of(source)
    assert places(source, nest) == {
        "CLEAR": "#define CLEAR(k) INNER(k)\n"
                 "        ^^^^^",
    }  # fmt: skip
    first = nest.nest.root.body[0]
    assert first.id in use_of(nest, "CLEAR").written
    assert nest.nest.root.body[1].id not in use_of(nest, "CLEAR").written


def test_an_edit_above_moves_the_definition_without_parsing(nests_of: Nests) -> None:
    source = "\n#define N 10\nvoid f(double *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n"
    memo = Memo()
    nests_of(source, memo)
    parsed = memo.computed["lowered function"]
    edited = f"// a line more{source}"
    (nest,) = nests_of(edited, memo)
    assert memo.computed["lowered function"] == parsed
    assert places(edited, nest) == {
        "N": "#define N 10\n"
             "        ^",
    }  # fmt: skip


def test_a_name_that_is_no_macro_has_no_definition(nests_of: Nests) -> None:
    (nest,) = nests_of("void f(double *a, int SIZE) { for (int i = 0; i < SIZE; i++) a[i] = __LINE__; }\n")
    assert nest.macros == ()
