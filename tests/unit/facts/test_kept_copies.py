"""Work arrays that the function still wants after the loop: what the file itself says against copies of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.facts.verdict import LoopVerdict

DECLARATIONS = """double of_file[9], *kept;
void show(const double *);
struct box { double *v; } *b;
static double sum(const double *v) { return v[0] + v[5]; }
static void clear(double *v) { for (int k = 0; k < 9; k++) v[k] = 0; }
static void keep(double *v) { kept = v; }
"""
UNEQUAL = "for (int k = 0; k <= (i & 7); k++) t[k] = x[i] + k; y[i] = t[0];"
EQUAL = "for (int k = 0; k < 9; k++) t[k] = x[i] + k; y[i] = t[0];"

LINE = 9
"""Of the loop."""


def source(body: str, after: str, before: str = "") -> str:
    parameters = "int n, double *restrict x, double *restrict y"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    declared = "double t[9] = {0}, *p, *q = 0;"
    return f"{DECLARATIONS}void f({parameters}) {{\n{declared} {before}\n{loop}\n{after} }}\n"


def verdict(text: str) -> LoopVerdict:
    return next(
        n.verdicts[0] for n in judged(text) if n.function == "f" and n.verdicts[0].private + n.verdicts[0].blockers
    )


WANTED = {
    "read": "y[0] += t[3];",
    "read in the next loop": "for (int k = 0; k < 9; k++) y[k] += t[k];",
    "read in one branch": "if (n > 3) y[0] = t[2];",
    "read before it is set": "t[3] = t[2] + 1;",
    "updated": "t[3] += 1;",
    "says which element": "t[(int)t[1]] = 0;",
    "handed to a function that reads it": "y[0] = sum(t);",
    "copied by the library": "__builtin_memcpy(y, t, sizeof t);",
    "read after a branch set it": "if (n > 3) t[0] = 1; y[0] = t[0];",
    "read as an argument": "y[0] = sum(t + (int)t[3]);",
}


@pytest.mark.parametrize("name", WANTED)
def test_what_unequal_iterations_leave_is_not_that_of_the_last(name: str) -> None:
    text = source(UNEQUAL, WANTED[name])
    found = verdict(text)
    assert found.kind == "unknown"
    assert found.reason.startswith("`t` is used after the loop")
    assert not found.conditions


@pytest.mark.parametrize("name", WANTED)
def test_what_equal_iterations_leave_is_that_of_the_last(name: str, tmp_path: Path) -> None:
    text = source(EQUAL, WANTED[name])
    found = verdict(text)
    assert (found.kind, found.private) == ("parallel", ("t",))
    assert any("what the last one writes must be kept" in a.text for a in found.assumptions)
    changed = any_order(text)
    assert LINE in {loop.line for loop in changed.loops}
    outcome = run(changed, tmp_path)
    assert outcome.differs == ()
    assert LINE not in outcome.idle


DEAD = {
    "never mentioned": "",
    "set": "t[0] = 1; y[0] = t[0];",
    "set in a loop": "for (int k = 0; k < 9; k++) t[k] = 0; y[0] = t[5];",
    "set in both branches": "if (n) t[0] = 1; else t[0] = 2; y[0] = t[0];",
    "filled by a function": "clear(t); y[0] = t[3];",
    "handed to a function of another file": "show(t);",
    "its size": "y[0] = sizeof t;",
    "led to by a pointer": "p = t; while (n-- > 1) *p++ = 1;",
    "compared": "if (q == t) y[0] = 1;",
    "read after a return": "return; y[0] = t[0];",
}


@pytest.mark.parametrize("name", DEAD)
def test_what_the_file_does_not_show_to_be_wanted_is_assumed_not_to_be(name: str) -> None:
    found = verdict(source(UNEQUAL, DEAD[name]))
    assert (found.kind, found.private) == ("parallel", ("t",))
    assert any("is assumed not to be used" in a.text for a in found.assumptions)


KEPT = {
    "by a pointer read later": ("p = t + 1;", "y[0] = p[0];"),
    "by a pointer that moves": ("p = t;", "y[0] = *p++;"),
    "in a variable of the file": ("kept = t;", ""),
    "in memory of others": ("b->v = t;", ""),
    "by a function of the file": ("keep(t);", ""),
}


@pytest.mark.parametrize("name", KEPT)
def test_memory_that_is_kept_is_wanted(name: str) -> None:
    before, after = KEPT[name]
    assert verdict(source(UNEQUAL, after, before)).kind == "unknown"


FIRST = "if (x[i] > 0) { t[0] = x[i]; y[i] = t[0]; }"


@pytest.mark.parametrize(
    ("rest", "is_own"),
    [
        ("for (int i = 0; i < n; i++) { if (x[i] < 0) { t[0] = 2 * x[i]; y[i] = t[0]; } }", True),
        ("if (n > 3) { t[0] = 1; y[0] = t[0]; }", True),
        ("t[0] = 1; y[o] = t[0];", True),
        ("y[o] = t[0];", False),
        ("if (n > 3) t[0] = 1; y[o] = t[0];", False),
        ("for (int i = 0; i < n; i++) { if (x[i] < 0) t[0] = 2; y[i] = t[0]; }", False),
        ("t[1] = 1; y[o] = t[(int)t[1]];", False),
        ("t[0] += 1;", False),
    ],
)
def test_what_the_nest_sets_again_before_it_reads_it_is_not_wanted(rest: str, is_own: bool) -> None:
    first = f"for (int i = 0; i < n; i++) {{ {FIRST} }}"
    for parts in (f"{first} {rest}", f"{rest} {first}"):
        body = f"for (int o = 0; o < 9; o++) {{ {parts} }}"
        (found,) = judged(f"void f(int n, double *restrict x, double *restrict y) {{ double t[9]; {body} }}")
        own = [v for v in found.verdicts if "t" in v.private and v.loop != found.nest.root.id]
        kinds = {v.kind for v in own}
        assert (kinds == {"parallel"}) == is_own


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("if (n > 9) { LOOP } else { b->v = t; }", True),
        ("if (n > 9) { b->v = t; } else { LOOP }", True),
        ("if (n > 9) { if (n > 20) { LOOP } y[0] = 3; } else { kept = t; keep(t); }", True),
        ("if (n > 9) { LOOP } b->v = t;", False),
        ("if (n > 9) { LOOP b->v = t; }", False),
        ("if (n > 9) { b->v = t; } LOOP", False),
        ("while (n--) { if (n > 9) { LOOP } else { b->v = t; } }", False),
        ("again: if (n > 9) { LOOP } else { b->v = t; } if (n-- > 3) goto again;", False),
        ("if (!(b->v = t)) { LOOP }", False),
    ],
)
def test_memory_is_kept_where_the_loop_runs_too(text: str, is_own: bool) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {UNEQUAL} }}"
    body = text.replace("LOOP", loop)
    every = judged(f"{DECLARATIONS} void f(int n, double *restrict x, double *restrict y) {{ double t[9]; {body} }}")
    found = [v for nest in every if nest.function == "f" for v in nest.verdicts if "y" in str(nest.nest.arrays)]
    assert any(v.kind == "parallel" and "t" in v.private for v in found) == is_own


def test_other_data_decides_what_is_left() -> None:
    assert verdict(source("if (x[i] > 0) { t[0] = x[i]; y[i] = t[0]; }", "y[0] = t[0];")).kind == "unknown"


def test_pointers_set_before_must_lead_into_the_copies() -> None:
    found = verdict(source(f"{EQUAL} *p = 3;", "", "p = t;"))
    assert found.kind == "parallel"
    assert "`t` gets one copy per iteration: `p` must lead into it, and" in " ".join(a.text for a in found.assumptions)


LENT = "for (int k = 0; k < b[i]; k++) t[k] = i; h(t, i); b[i] = t[3];"


@pytest.mark.parametrize(
    ("after", "is_offered"), [("", True), ("t[2] = 0; b[0] = t[2];", True), ("b[0] = t[2];", False)]
)
def test_a_parameter_that_is_read_after_the_loop_is_no_scratch_memory(after: str, is_offered: bool) -> None:
    parameters = "int n, int *restrict t, int *restrict b"
    loop = f"for (int i = 0; i < n; i++) {{ {LENT} }}"
    (nest,) = judged(f"void h(int *, int); void f({parameters}) {{ {loop} {after} }}")
    assert ("t is private" in nest.verdicts[0].suggestion) == is_offered


@pytest.mark.parametrize("after", ["*((double *)y + 2) = 1;", "*(double *)64 = 1;", "((struct box *)y)->v[2] = 1;"])
def test_memory_that_is_set_after_the_loop_may_be_reached_through_casts(after: str) -> None:
    assert verdict(source(UNEQUAL, after)).kind == "parallel"
