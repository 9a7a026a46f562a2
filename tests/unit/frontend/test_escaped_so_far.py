"""A variable is the function's own until its address is taken, on every way that leads to a loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit

Parse = Callable[..., TranslationUnit]
LOOP = "for (i = 0; i < n; i++) a[i] = 1;"
OWN = {
    "taken after the loop": f"int i; {LOOP} g(&i);",
    "in another branch behind it": f"int i; {LOOP} if (n) {{ g(&i); }} else {{ n = 2; }}",
    "behind a jump over it": f"int i; {LOOP} if (n) goto out; g(&i); out: n = 1;",
    "behind a jump back that ends before": f"int i; again: n--; if (n > 9) goto again; {LOOP} g(&i);",
    "of a parameter": "for (m = 0; m < n; m++) a[m] = 1; g(&m);",
    "behind another loop": f"int i; while (more()) n++; {LOOP} g(&i);",
}
REACHED = {
    "taken before the loop": f"int i; g(&i); {LOOP}",
    "in it": "int i; for (i = 0; i < n; i++) { a[i] = 1; g(&i); }",
    "in a loop around it": f"int i; while (more()) {{ {LOOP} g(&i); }}",
    "behind a jump back over it": f"int i; again: {LOOP} g(&i); if (n) goto again;",
    "behind two jumps back": f"int i; one: {LOOP} two: if (n) goto one; g(&i); goto two;",
    "of a variable of all calls": f"static int i; {LOOP} g(&i);",
    "of a variable of the file": "i = 0; for (w = 0; w < n; w++) a[w] = 1; g(&w);",
    "behind a jump to anywhere": f"void *to = &&top; int i; top: {LOOP} g(&i); goto *to;",
    "of an element": f"int i; char *c = (char *) &((char *) &i)[1]; {LOOP} g(&i);",
}


def reasons(parse: Parse, body: str) -> list[str]:
    unit = parse(f"void g(int *); int more(void); int w, i;\nvoid f(int n, int m, double *a) {{ {body} }}\n")
    assert unit.loops_found == unit.loops_in_text
    return [one.reason for one in unit.functions[0].opaque if "address" in one.reason]


@pytest.mark.parametrize("body", OWN.values(), ids=OWN.keys())
def test_an_address_that_is_taken_later_changes_nothing_before(parse: Parse, body: str) -> None:
    assert reasons(parse, body) == []


@pytest.mark.parametrize("body", REACHED.values(), ids=REACHED.keys())
def test_an_address_that_may_have_been_taken_stands_in_the_way(parse: Parse, body: str) -> None:
    assert len(reasons(parse, body)) == 1
