"""What headers mostly hold is read by its outline: the names are those that reading it word by word gives."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from warplens.analysis.frontend.declarations import declared_names
from warplens.analysis.frontend.declarations.cut import cut
from warplens.analysis.frontend.declarations.declarations import Declaration, read_declaration

PIECES = (
    "typedef", "struct s", "struct", "enum e", "t", "u", "*", "const", "unsigned", "__restrict",
    "__u", "_Float128", "[3]",
    "__builtin_va_list", "__extension__", ",", "__attribute__((p))", '__attribute__((d("x" "y")))', "static", "inline",
    "f (int a)", "(*g)(void)", "h", "(f)(int)", "{ }", "k(a, b) int a;", "typeof(x)", "= { 1 }",
)  # fmt: skip
NEVER = re.compile(r"(?!)")


def read(text: str, own_file: bool) -> list[Declaration | None]:
    return [read_declaration(text, chunk, own_file, is_packed=False) for chunk in cut(text)]


def shown(found: list[Declaration | None]) -> list[object]:
    return [one and (one.text, one.names, one.type_names, one.definition) for one in found]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7), st.booleans(), st.sampled_from((";", "{ }")))
@settings(max_examples=examples(500))
def test_typedefs_and_definitions_have_the_names_that_all_their_words_give(
    pieces: list[str], is_typedef: bool, end: str
) -> None:
    text = ("typedef " if is_typedef else "static ") + " ".join(pieces) + end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declared_names, "_PLAIN_FUNCTION", NEVER)
        patch.setattr(declared_names, "_PLAIN_TYPEDEF", NEVER)
        expected = shown(read(text, own_file=True))
    assert shown(read(text, own_file=True)) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("extern int f(int);", ("f",)),
        ("struct s *f(int);", ("f",)),
        ('__attribute__((__deprecated__("use" "g"))) extern\nvoid f(int *a);', ("f",)),
        (
            'extern __attribute__ ((visibility ("default"))) char *f(int), *g(int (*)(void)),\n  h(void);',
            ("f", "g", "h"),
        ),
        ("int f(int (*order)(int), int n);", ("f",)),
        ('extern __attribute__((visibility("default"))) double sqrt(double), root(double);', ("root",)),
    ],
)
def test_a_prototype_of_a_header_names_its_functions(text: str, names: tuple[str, ...]) -> None:
    assert [one.names for one in read(text, own_file=False) if one is not None] == [names]


@pytest.mark.parametrize(
    "text",
    [
        "double *v = ((void *)0);",
        'static const struct { const char *name; double by; } v[] = { { ("cm"), 1 }, { 0 } };',
        "static struct { int (*call)(int); } v;",
    ],
)
def test_brackets_in_its_value_or_members_make_no_function_of_a_variable_of_a_header(text: str) -> None:
    assert [one.names for one in read(text, own_file=False) if one is not None] == [("v",)]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7))
@settings(max_examples=examples(300))
def test_prototypes_without_attributes_have_the_name_before_their_first_bracket(pieces: list[str]) -> None:
    text = "int " + " ".join(pieces) + ";"
    if any(mark in text for mark in ("__", ",", "{", "=", "struct f")):
        return  # more than a prototype of one function, or none
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declared_names, "_PLAIN_PROTOTYPE", NEVER)
        expected = shown(read(text, own_file=False))
    assert shown(read(text, own_file=False)) == expected
