"""A text is cut as it would be alone, whatever was cut before it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.frontend.declarations import earlier_cut
from warplens.analysis.frontend.declarations.cut import cut, cut_between
from warplens.analysis.frontend.declarations.earlier_cut import EarlierCut

PIECES = (
    "int f(int a)\n{\n    return a;\n}\n", "static void g(void) { if (1) { } }\n", "double x;\n", "int q; int r;",
    "int t[] = {1, 2};\n", "struct s { int a; }\n", "struct u { int a; };\n", "int old(a) int a; { return a; }\n",
    "typedef struct { int b; } v;\n", "#pragma omp declare simd\n", "/* ", "\n", "\n\n", "{", "}", "(", ")", ";", '"',
    "'", "\\\n", "=", "int h(void)\n{\n    for (;;) {\n", 'char *c = "}";\n', "'{' ", "__attribute__((pure))",
    "f(void)\n", ", k",
)  # fmt: skip


@st.composite
def texts_in_turn(draw: st.DrawFn) -> list[str]:
    """A text and what edits make of it, each from the one before."""
    text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=14)))
    found = [text]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        end = at + draw(st.sampled_from((0, 0, 1, 2, 5, 30)))
        text = text[:at] + draw(st.sampled_from(("", *PIECES))) + text[end:]
        found.append(text)
    return found


@given(texts_in_turn())
@settings(max_examples=examples(400))
def test_what_was_cut_before_decides_nothing(texts: list[str]) -> None:
    earlier = EarlierCut()
    for text in texts:
        assert earlier.cut(text) == cut(text)


FUNCTIONS = "".join(f"int f{n}(int a)\n{{\n    return a + {n};\n}}\n\n" for n in range(200))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a + 100;", "a + 7;"),
        ("a + 100;", "a;\n\n"),
        ("a + 0;", "0;"),
        ("a + 199;", "0;"),
        ("int f100", "int x;\nint f100"),
    ],
)
def test_an_edit_of_one_function_scans_that_one(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = EarlierCut()
    earlier.cut(FUNCTIONS)
    edited = FUNCTIONS.replace(old, new, 1)
    expected = cut(edited)
    scanned: list[int] = []

    def counted(text: str, start: int, ends: dict[int, int]) -> object:
        found = cut_between(text, start, ends)
        scanned.append(len(found[0]) if found else len(expected))
        return found

    monkeypatch.setattr(earlier_cut, "cut_between", counted)
    assert earlier.cut(edited) == expected
    assert sum(scanned) <= 2
