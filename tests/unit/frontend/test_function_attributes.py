"""Attributes are those of the function that they stand at, and of all where they stand before the first."""

from __future__ import annotations

import pytest
from warplens.analysis.frontend.declarations.function_attributes import attributes_of_functions, promised_purity


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("_Noreturn void f(const char *, ...);", {"f": "_Noreturn"}),
        ("static void _Noreturn f(void), g(void);", {"f": "_Noreturn", "g": "_Noreturn"}),
        ("void f(void), g(void) __attribute__((noreturn)), h(void);", {"f": "", "g": "noreturn", "h": ""}),
        ("__attribute__((__noreturn__, format(printf, 1, 2))) void f(char *, ...);", {"f": "format noreturn"}),
        ('[[noreturn, nodiscard("const")]] void f(int a[const 3]);', {"f": "nodiscard noreturn"}),
        ("void f [[noreturn]] (void);", {"f": "noreturn"}),
        ("__declspec(noreturn) void f(void);", {"f": "noreturn"}),
        ("void (*p)(void) __attribute__((noreturn)), f(void);", {"f": ""}),
        ("void f(__attribute__((noreturn)) void (*p)(void));", {"f": ""}),
        ('__attribute__((visibility("default"))) __attribute__((pure)) int *f(int), g(int);',
         {"f": "pure visibility", "g": "pure visibility"}),
        ("void f(int noreturn);", {}),
    ],
)  # fmt: skip
def test_attributes_by_function(text: str, said: dict[str, str]) -> None:
    assert {name: " ".join(sorted(words)) for name, words in attributes_of_functions(text).items()} == said


@pytest.mark.parametrize(
    ("text", "purity"),
    [
        ("__attribute__((nothrow)) int put(const char *, const int *);", {}),
        ('__attribute__((section("const"))) void put(int);', {}),
        ("int f(const int *) __attribute__((__pure__)), put(const int *);", {"f": "pure"}),
        ("__attribute__((const)) int f(int), g(int);", {"f": "const", "g": "const"}),
    ],
)
def test_a_promise_of_purity_is_no_qualifier_behind_another_attribute(text: str, purity: dict[str, str]) -> None:
    assert promised_purity([text]) == purity
