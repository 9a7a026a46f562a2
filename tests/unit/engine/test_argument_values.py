"""Sizes from the calls in the same file: only where every call agrees, and only what is certain is called so."""

from __future__ import annotations

import subprocess

import pytest
from warplens.analysis.engine.argument_values import ArgumentValue, argument_values
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed

KERNEL = "static void kernel(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"


def values(source: str) -> dict[tuple[str, str], ArgumentValue]:
    command = ["cc", "-E", "-x", "c", "-w", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    unit = parse_unit(source, Preprocessed(text, "<stdin>"), Memo())
    return argument_values(unit.functions, unit.handed_out)


@pytest.mark.parametrize(
    ("callers", "expected"),
    [
        ("void f(double *a) { kernel(64, a); }", ArgumentValue(64, 1, True)),
        ("#define N 32\nvoid f(double *a) { kernel(N, a); kernel(2 * N - 32, a); }", ArgumentValue(32, 2, True)),
        ("void f(double *a) { int n = 16; kernel(n * 4, a); }", ArgumentValue(64, 1, True)),
        ("void f(double *a) { for (int t = 0; t < 9; t++) kernel(64, a); }", ArgumentValue(64, 1, True)),
        ("void f(double *a, int c) { if (c) kernel(64, a); else kernel(65, a); }", None),
        ("void f(double *a) { kernel(9, a); kernel(7, a); kernel(9, a); }", ArgumentValue(9, 2, False, 1)),
        ("void f(double *a, int n) { kernel(9, a); kernel(n, a); kernel(9, a); }", None),
        ("void f(double *a) { kernel(9, a); kernel(7, a); kernel(8, a); kernel(9, a); }", None),
        ("void f(double *a, int n) { kernel(n, a); }", None),
        ("void f(double *a) { for (int t = 0; t < 9; t++) kernel(t, a); }", None),
        ("void f(double *a) { int n = 8; for (int t = 0; t < 9; t++) { kernel(n, a); n++; } }", None),
        ("int read(int *); void f(double *a) { int n = 8; read(&n); kernel(n, a); }", None),
        ("int n = 8; void g(void); void f(double *a) { n = 9; g(); kernel(n, a); }", None),
        ("void f(double *a) { kernel(64); }", ArgumentValue(64, 1, True)),
        ("void f(double *a) { kernel(); }", None),
        ("int n = 8; int g(void); void f(double *a) { n = 9; int k = g(); kernel(n, a); }", None),
    ],
)
def test_one_level(callers: str, expected: ArgumentValue | None) -> None:
    assert values(KERNEL + callers).get(("kernel", "n")) == expected


def test_values_travel_along_calls() -> None:
    found = values(
        KERNEL
        + "static void middle(int n, double *a) { kernel(n * n, a); }\n"
        + "int main(void) { static double a[64]; middle(8, a); return 0; }"
    )
    assert found["kernel", "n"].value == 64


def test_a_changed_parameter_is_not_passed_on() -> None:
    found = values(
        KERNEL
        + "static void middle(int n, double *a) { n++; kernel(n, a); }\n"
        + "int main(void) { static double a[64]; middle(8, a); return 0; }"
    )
    assert ("kernel", "n") not in found


@pytest.mark.parametrize(
    "more",
    [
        "typedef void (*work)(int, double *); work hand_out(void) { return kernel; }",
        "void start(void (*)(int, double *)); void g(void) { start(kernel); }",
        "void (*table[])(int, double *) = { kernel };",
        "void g(void) { void (*w)(int, double *) = &kernel; w(3, 0); }",
    ],
)
def test_a_function_that_is_handed_out_may_be_called_with_anything(more: str) -> None:
    found = values(KERNEL + "void f(double *a) { kernel(64, a); }\n" + more)
    assert found["kernel", "n"] == ArgumentValue(64, 1, is_certain=False)


def test_a_function_other_files_can_call_is_not_certain() -> None:
    found = values(KERNEL.removeprefix("static ") + "void f(double *a) { kernel(64, a); }")
    assert found["kernel", "n"] == ArgumentValue(64, 1, is_certain=False)


def test_recursion_that_passes_the_size_on() -> None:
    found = values(
        "static void k(int n, int d, double *a) { for (int i = 0; i < n; i++) a[i] = d; if (d) k(n, d - 1, a); }\n"
        "void f(double *a) { k(64, 3, a); }"
    )
    assert found["k", "n"].value == 64
    assert ("k", "d") not in found


def test_a_value_that_came_through_a_function_other_files_can_call_is_not_certain() -> None:
    middle = "void middle(int n, double *a) { kernel(2 * n, a); }\n"
    outer = "void outer(double *a) { middle(8, a); }"
    assert values(KERNEL + middle + outer)["kernel", "n"] == ArgumentValue(16, 1, is_certain=False)
    assert values(KERNEL + "static " + middle + outer)["kernel", "n"] == ArgumentValue(16, 1, is_certain=True)
