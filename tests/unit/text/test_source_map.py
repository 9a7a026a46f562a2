from __future__ import annotations

import pytest
from warplens.analysis.text.source_map import SourceMap
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives


def origins(source: str, text: str) -> list[tuple[str, str, bool]]:
    """(token, its place in the source, in_macro) for each token of preprocessed text."""
    mapped = SourceMap(source, text, "m.c")
    found = []
    tokens = tokenise(text)
    for token, start, end in zip(tokens.texts, tokens.starts, tokens.ends, strict=True):
        origin = mapped.origin(start, end)
        if origin:
            found.append((token, source[origin.span.start : origin.span.end], origin.in_macro))
    return found


CASES = {
    "same tokens": ("a  =\tb;\n", '# 1 "m.c"\na = b;\n',
                    [("a", "a", False), ("=", "=", False), ("b", "b", False), (";", ";", False)]),
    "object macro": ("#define N 4\nx = N;\n", '# 2 "m.c"\nx = 4;\n',
                     [("x", "x", False), ("=", "=", False), ("4", "N", True), (";", ";", False)]),
    "macro of a header": ("x = M + y;\n", '# 1 "m.c"\nx = (1 + 2) + y;\n',
                          [("x", "x", False), ("=", "=", False), *[(t, "M", True) for t in "(1+2)"],
                           ("+", "+", False), ("y", "y", False), (";", ";", False)]),
    "empty macro": ("#define E\nE x E;\n", '# 2 "m.c"\n x ;\n', [("x", "x", False), (";", ";", False)]),
    "arguments over lines": ("#define P(a, b) a + b\nP(1,\n  2);\ny;\n", '# 2 "m.c"\n1 + 2;\n\ny;\n',
                             [*[(t, "P(1,\n  2)", True) for t in "1+2"],
                              (";", ";", False), ("y", "y", False), (";", ";", False)]),
    "other file": ("x;\n", '# 1 "h.h"\nint q;\n# 1 "m.c" 2\nx;\n', [("x", "x", False), (";", ";", False)]),
    "name that expands to itself": ("#define f(x) f(x + 0)\nf(1);\n", '# 2 "m.c"\nf(1 + 0);\n',
                                    [*[(t, "f(1)", True) for t in "f(1+0)"], (";", ";", False)]),
}  # fmt: skip


@pytest.mark.parametrize(("source", "text", "expected"), CASES.values(), ids=CASES.keys())
def test_origin(source: str, text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert origins(source, text) == expected


def test_text_without_markers_is_the_users() -> None:
    assert origins("x = 1;", "x = 1;")[0] == ("x", "x", False)


def test_stale_text_maps_inside_the_source() -> None:
    source = "x;\n"
    mapped = SourceMap(source, '# 900 "m.c"\nint gone;\n', "m.c")
    assert mapped.origin(12, 15) is None


def test_blanking_keeps_offsets() -> None:
    source = 'a /* "x */ b // c \\\n d\n#define X \\\n 1\n"// no" \'/*\' e\n'
    blanked = without_comments_and_directives(source)
    assert len(blanked) == len(source)
    assert tokenise(blanked).texts == ("a", "b", '"// no"', "'/*'", "e")
    assert blanked.count("\n") == source.count("\n")
