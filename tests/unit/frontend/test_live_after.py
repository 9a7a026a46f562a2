"""Whether a scalar's value after a loop may be read: what follows the loop on every path decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pycparser import c_ast
from pycparser.c_parser import CParser
from warplens.analysis.frontend.live_after import LiveAfter
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name

Nests = Callable[[str], list[LoopNest]]
LOOP = "for (i = 0; i < n; i++) t = a[i];"


def is_live(nests: Nests, body: str, parameters: str = "") -> bool:
    found = nests(
        f"int g; void use(int); int more(void); void f(int n, int m, int *a{parameters}) {{ int i, t = 0; {body} }}"
    )
    return next(s.used_after for nest in found for s in nest.scalars if c_name(s.name) == "t")


@pytest.mark.parametrize(
    "after",
    [
        "",
        "t = 3; use(t);",
        "for (t = 0; t < m; t++) a[t] = 1;",
        "if (m) t = 1; else t = 2; use(t);",
        "if (m) { t = 1; use(t); }",
        "if (m) return; t = 1; use(t);",
        "if ((t = m) > 3) use(t);",
        "do { t = m; use(t); } while (m--);",
        "{ int t = 4; use(t); }",
        "use(sizeof(t));",
        "struct s { int t; } x; x.t = 1; use(x.t);",
        "return; use(t);",
        "t = m ? 1 : 2; use(t);",
        "for (int j = 0; j < m; j++) { t = j; use(t); }",
        "switch (t = m) { case 1: use(1); }",
    ],
)
def test_dead(nests: Nests, after: str) -> None:
    assert not is_live(nests, LOOP + after)


@pytest.mark.parametrize(
    "after",
    [
        "use(t);",
        "return use(t);",
        "t += 1;",
        "t++;",
        "t = t + 1;",
        "if (m) t = 1; use(t);",
        "while (m--) t = 1; use(t);",
        "for (int j = 0; j < m; j++) t = j; use(t);",
        "m && (t = 1); use(t);",
        "if (m) use(t); t = 1;",
        "a[t] = 0;",
        "int b[t]; use(b[0]);",
        "switch (m) { case 1: t = 1; break; default: use(t); }",
        "for (int j = 0; j < m; j++) { if (a[j]) break; t = 1; } use(t);",
        "do { if (m) continue; t = 1; } while (m--); use(t);",
        "goto out; t = 1; out: use(t);",
        'asm("nop");',
    ],
)
def test_live(nests: Nests, after: str) -> None:
    assert is_live(nests, LOOP + after)


@pytest.mark.parametrize(
    ("around", "live"),
    [
        ("while (more()) { t = 0; LOOP }", False),
        ("while (more()) { use(t); LOOP }", True),
        ("while (more()) { LOOP if (m == 3) break; t = 1; } use(t);", True),
        ("while (more()) { LOOP t = 1; } use(t);", False),
        ("while (more()) { if (m == 2) continue; t = 1; LOOP }", False),
        ("while (t > 0) { t = 1; LOOP }", True),
        ("while (more()) { int t = 5; LOOP } ", False),
        ("do { LOOP } while (t);", True),
        ("if (m) { LOOP } use(t);", True),
        ("if (m) { LOOP } else { use(t); }", False),
        ("switch (m) { case 0: LOOP case 1: use(t); }", True),
    ],
)
def test_what_stands_around_the_loop(nests: Nests, around: str, live: bool) -> None:
    assert is_live(nests, around.replace("LOOP", LOOP)) == live


def test_a_static_or_global_or_shared_variable_is_live(nests: Nests) -> None:
    for declared in ("static int s;", "int s; int *p = &s;", "extern int s;"):
        (nest,) = nests(f"void f(int n, int *a) {{ {declared} for (int i = 0; i < n; i++) s = a[i]; }}")
        assert next(x.used_after for x in nest.scalars if x.name == "s")


def test_a_block_of_many_loops_is_not_walked_through_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = "".join(f"int s{k} = 0; for (int i = 0; i < n; i++) s{k} += a[i];" for k in range(300))
    body = CParser().parse(f"void f(int n, int *a) {{ {loops} }}").ext[0].body
    asked: list[str] = []
    one = LiveAfter._mentioned
    monkeypatch.setattr(LiveAfter, "_mentioned", lambda self, node: asked.append("") or one(self, node))
    live = LiveAfter(body)
    for k, loop in enumerate(item for item in body.block_items if isinstance(item, c_ast.For)):
        assert not live.may_be_read(loop, f"s{k}")
    assert len(asked) < 4 * len(body.block_items)
