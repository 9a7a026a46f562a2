"""Time loops that swap and rotate buffers: no iteration reaches other memory than the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.pointers.circulating_pointers import circulating_objects
from warplens.analysis.engine.report import NestReport

if TYPE_CHECKING:
    from conftest import AnalyseC

STEP = "for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];"
MEMBER_STEP = "for (int i = 1; i < n - 1; i++) g->b[i] = g->a[i - 1] + g->a[i + 1];"
DECLARATIONS = (
    "struct node { double *row; struct node *next; }; struct buffers { double *a, *b, *c; };\n"
    "static void swap(double **x, double **y) { double *t = *x; *x = *y; *y = t; }\n"
    "double *get(int); void set(double **); double *rows[9];\n"
)


def groups(steps: str) -> set[frozenset[str]]:
    """Objects by the pointers that hand them round in a loop over `s`."""
    loop = f"for (int s = 0; s < m; s++) {{ {steps} }}"
    head = "void f(int n, int m, double *a, double *b, double *c, struct buffers *g, struct node *p)"
    return set(circulating_objects(only_nest(f"{DECLARATIONS}{head} {{ {loop} }}\n")))


CIRCULATING = {
    "swapped after the step": (f"{STEP} double *t = a; a = b; b = t;", {"a'", "b'"}),
    "swapped before it": (f"double *t = a; a = b; b = t; {STEP}", {"a'", "b'"}),
    "swapped by a function": (f"{STEP} swap(&a, &b);", {"a'", "b'"}),
    "swapped in every other iteration": (f"{STEP} if (s & 1) {{ double *t = a; a = b; b = t; }}", {"a'", "b'"}),
    "rotated through one that is not used": (f"{STEP} double *t = a; a = b; b = c; c = t;", {"a'", "b'"}),
    "rotated": (f"{STEP} a[0] = c[0]; double *t = a; a = b; b = c; c = t;", {"a'", "b'", "c'"}),
    "members swapped": (f"{MEMBER_STEP} double *t = g->a; g->a = g->b; g->b = t;", {"g->a", "g->b"}),
    "members rotated": (f"{MEMBER_STEP} double *t = g->a; g->a = g->b; g->b = g->c; g->c = t;", {"g->a", "g->b"}),
    "chosen by parity": ("double *p = s & 1 ? a : b; for (int i = 0; i < n; i++) p[i] += c[i];", {"p'"}),
}


@pytest.mark.parametrize("name", CIRCULATING)
def test_pointers_that_hand_on_what_they_held_lead_to_the_same_memory(name: str) -> None:
    steps, objects = CIRCULATING[name]
    assert groups(steps) == {frozenset(objects)}


OTHER_MEMORY = {
    "a step on": f"{STEP} double *t = a; a = b; b = t + n;",
    "one of them steps": f"{STEP} double *t = a; a = b; b = t; if (s & 1) a++;",
    "from an array of pointers": f"{STEP} double *t = a; a = b; b = rows[s]; rows[s] = t;",
    "from a call": f"{STEP} double *t = a; a = b; b = get(s);",
    "handed to a call": f"{STEP} double *t = a; a = b; b = t; set(&a);",
    "a list": "double *a = p->row; for (int i = 0; i < n; i++) a[i] = 0; p = p->next;",
}


@pytest.mark.parametrize("name", OTHER_MEMORY)
def test_pointers_that_get_another_value_do_not(name: str) -> None:
    assert groups(OTHER_MEMORY[name]) == set()


def test_two_pairs_are_two_groups() -> None:
    pairs = "double *t = a; a = b; b = t; double *u = g->a; g->a = g->b; g->b = u;"
    assert groups(f"{STEP} {MEMBER_STEP} {pairs}") == {frozenset({"a'", "b'"}), frozenset({"g->a", "g->b"})}


STENCIL = """
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
"""
SWAPS = {
    "two": "double *t = a; a = b; b = t;",
    "three": "double *t = a; a = b; b = c; c = t;",
}


@pytest.fixture
def of_time_loop(analyse_c: AnalyseC) -> Callable[[str, str], NestReport]:
    """The nest `for (s < 100) { step; swap }` on grids of 4096 x 4096, or the step alone."""

    def report(step: str, swap: str) -> NestReport:
        loop = f"for (int s = 0; s < 100; s++) {{ {step} {swap} }}" if swap else step
        code = f"void f(int n, double *restrict a, double *restrict b, double *c) {{ {loop} }}"
        return analyse_c(f"// warplens: n = 4096\n{code}\n").functions[0].nests[0]

    return report


@pytest.mark.parametrize("name", SWAPS)
def test_a_time_loop_takes_its_step_so_many_times(name: str, of_time_loop: Callable[[str, str], NestReport]) -> None:
    once, often = of_time_loop(STENCIL, "").evaluation, of_time_loop(STENCIL, SWAPS[name]).evaluation
    assert once is not None
    assert often is not None
    assert often.cpu_time.one_core_s == pytest.approx(100 * once.cpu_time.one_core_s, rel=0.02)
    assert often.cpu_time.bound_by == once.cpu_time.bound_by
    assert often.kernels[0].launches == 100
    assert often.kernels[0].prediction.time_s == pytest.approx(once.kernels[0].prediction.time_s, rel=0.02)


def test_all_swapped_buffers_are_written(of_time_loop: Callable[[str, str], NestReport]) -> None:
    evaluation = of_time_loop(STENCIL, SWAPS["two"]).evaluation
    assert evaluation is not None
    assert evaluation.offload is not None
    assert evaluation.offload.bytes_out == pytest.approx(2 * 8 * 4096**2, rel=0.01)


def test_a_pointer_that_is_set_is_no_call() -> None:
    source = (
        f"void f(int n, int m, double *a, double *b) {{ for (int s = 0; s < m; s++) {{ {STEP} {SWAPS['two']} }} }}\n"
    )
    facts = analyse_nest(only_nest(source))
    assert not [a.text for a in facts.assumptions if "called" in a.text]
