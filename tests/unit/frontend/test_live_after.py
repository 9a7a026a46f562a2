"""Whether a scalar's value after a loop may be read: what follows the loop on every path decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pycparser import c_ast
from pycparser.c_parser import CParser
from warplens.analysis.frontend.effects.live_after import LiveAfter
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
        "switch (m) { case 1: t = 1; use(t); break; default: t = 2; use(t); }",
        "switch (m) { case 1: for (t = 0; t < m; t++) use(t); case 2: t = 1; }",
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
        "switch (m) { case 1: t = 1; } use(t);",
        "switch (m) { case 1: if (n) t = 1; case 2: use(t); }",
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
        ("switch (m) { case 0: LOOP break; case 1: use(t); }", False),
        ("switch (m) { case 0: LOOP break; case 1: use(t); } use(t);", True),
        ("switch (m) { case 0: LOOP break; case 1: use(t); } t = 1; use(t);", False),
        ("switch (m) { case 0: { LOOP break; } case 1: use(t); }", False),
        ("switch (m) { case 0: { LOOP } break; default: use(t); }", False),
        ("switch (m) { case 0: LOOP if (n) break; case 1: t = 1; } use(t);", True),
        ("switch (m) { case 0: LOOP case 1: t = 1; } use(t);", False),
        ("switch (m) { case 0: LOOP case 1: case 2: break; case 3: use(t); }", False),
        ("switch (m) { case 0: LOOP if (n) { break; } t = 1; break; } use(t);", True),
        ("while (more()) { switch (m) { case 0: LOOP break; } use(t); }", True),
        ("while (more()) { switch (m) { case 0: LOOP continue; case 1: t = 2; } t = 1; } use(t);", True),
        ("while (more()) { switch (m) { case 0: LOOP break; case 1: t = 2; } t = 1; } use(t);", False),
        ("while (more()) { use(t); switch (m) { case 0: LOOP break; } t = 1; }", False),
        ("switch (m) { while (more()) { case 0: LOOP break; case 1: use(t); } }", True),
        ("switch (m) LOOP use(t);", True),
        ("while (more()) { { LOOP if (m) break; } t = 1; } use(t);", True),
        ("while (more()) { { LOOP if (m) continue; } t = 1; } use(t);", True),
        ("while (more()) { LOOP break; use(t); } t = 1; use(t);", False),
        ("while (more()) { use(t); LOOP if (m) continue; break; }", True),
    ],
)
def test_what_stands_around_the_loop(nests: Nests, around: str, live: bool) -> None:
    assert is_live(nests, around.replace("LOOP", LOOP)) == live


@pytest.mark.parametrize(("jump", "live"), [("break", True), ("continue", False)])
def test_a_step_of_the_loop_around_is_skipped_by_break_alone(jump: str, live: bool) -> None:
    source = f"void f() {{ int t; for (; more(); t = 1) {{ for (i = 0; i < 9; i++) t = i; if (m) {jump}; }} use(t); }}"
    body = CParser().parse(source).ext[0].body
    inner = body.block_items[1].stmt.block_items[0]
    assert LiveAfter(body).may_be_read(inner, "t") == live


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
