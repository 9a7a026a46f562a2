"""Atomic builtins as statements: what one thread would run, where nobody asks for the old value."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pycparser import c_ast, c_generator
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.declarations.parse_declaration import parse_declaration

STATEMENTS = {
    "__sync_fetch_and_add(&h[i], 1);": "h[i] += 1;",
    "(void) __sync_sub_and_fetch(p + i, d);": "*(p + i) -= d;",
    "if (i) __atomic_fetch_or(p, 2, 5);": "*p |= 2;",
    "for (;;) __atomic_xor_fetch(p, 2, 5);": "*p ^= 2;",
    "__atomic_store_n(&x, i, 5);": "x = i;",
    "while (i) { __sync_fetch_and_and(p, 1); i--; }": "*p &= 1;",
}
KEPT = (
    "i = __sync_fetch_and_add(p, 1);",
    "if (__sync_fetch_and_add(p, 1)) i = 2;",
    "__sync_fetch_and_nand(p, 1);",
    "__sync_lock_test_and_set(p, 1);",
    "__sync_bool_compare_and_swap(p, 0, 1);",
    "f(__atomic_add_fetch(p, 1, 5));",
)


def text_of(body: str) -> str:
    parsed = parse_declaration(f"void g(int i, int d, int *p, int *h) {{ int x; {body} }}", (), 0)
    assert not parsed.error
    (function,) = parsed.declarations
    assert isinstance(function, c_ast.FuncDef)
    return " ".join(c_generator.CGenerator().visit(function.body).split())


@pytest.mark.parametrize(("written", "meant"), STATEMENTS.items())
def test_an_update_whose_old_value_is_dropped_is_an_assignment(written: str, meant: str) -> None:
    assert meant in text_of(written)
    assert "__" not in text_of(written)


@pytest.mark.parametrize("written", KEPT)
def test_what_asks_for_the_old_value_stays(written: str) -> None:
    assert "__sync" in text_of(written) or "__atomic" in text_of(written)


GUARDED = {
    "h[b[i]] += i;": "reduction",
    "if (a[i] > h[0]) h[0] = a[i];": "reduction",
    "a[i] = h[i] * 2;": "parallel",
    "h[0] = h[0] * 2 + i;": "carried",
}


@pytest.mark.parametrize(("update", "kind"), GUARDED.items())
def test_locks_hide_nothing_of_what_they_guard(parse: Callable[[str], TranslationUnit], update: str, kind: str) -> None:
    unit = parse(
        "void omp_set_lock(void *); void omp_unset_lock(void *);"
        "void f(double *restrict h, double *restrict a, const int *restrict b, int n, void *lock) {"
        f"  for (int i = 0; i < n; i++) {{ omp_set_lock(lock); {update} omp_unset_lock(lock); }} }}"
    )
    (verdict,) = analyse_nest(unit.functions[0].nests[0].nest).verdicts
    assert verdict.kind == kind
    assert kind == "carried" or any("keeps threads apart" in a.text for a in verdict.assumptions)
