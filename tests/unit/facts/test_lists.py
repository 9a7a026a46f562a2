"""Lists that each iteration of a loop walks through: in nobody's way if they are only read and lead to nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.nest import LoopNest

NODE = "struct node { struct node *next, *other; double *data; double v; }; double y[99];\n"
WALK = "for (struct node *p = list; p != 0; p = p->next)"


def kind(nests_of: Callable[[str], list[LoopNest]], before: str, read: str, target: str = "y[i]") -> str:
    """Of a loop over `i` whose iterations sum up what they read of a list."""
    body = f"double s = 0; {WALK} s += {read}; {target} = s;"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    nest = nests_of(f"{NODE} void f(int n, struct node *list, struct node *m) {{ {before} {loop} }}")[-1]
    return loop_verdicts(delinearise(nest))[0].kind


@pytest.mark.parametrize("read", ["p->v", "p->data[0]", "p->other->v", "p->next->v", "p->other->data[1]"])
def test_a_list_that_is_only_read_is_in_nobodys_way(nests_of: Callable[[str], list[LoopNest]], read: str) -> None:
    assert kind(nests_of, "", read) == "parallel"


@pytest.mark.parametrize(
    ("before", "read"),
    [
        ("list->data = y;", "p->data[0]"),
        ("list->next->data = y;", "p->data[0]"),
        ("list->next->next->next->data = y;", "p->data[0]"),
        ("struct node *h; for (h = list; h; h = h->next) h->data = y;", "p->data[0]"),
        ("list->next->next = m; m->data = y;", "p->data[0]"),
        ("list->next = m; m->next->data = y;", "p->data[0]"),
        ("list->next->next->other = m; m->data = y;", "p->other->data[0]"),
        ("list = m; m->next->next->data = y;", "p->data[0]"),
    ],
)
def test_a_list_that_leads_to_what_is_written_is_not(
    nests_of: Callable[[str], list[LoopNest]], before: str, read: str
) -> None:
    assert kind(nests_of, before, read) == "unknown"


def test_an_element_further_along_is_one_of_the_list(nests_of: Callable[[str], list[LoopNest]]) -> None:
    assert kind(nests_of, "double *q = list->next->next->data;", "p->data[0]", "q[i]") == "unknown"


def test_a_list_that_an_iteration_leaves_to_the_next_is_in_the_way(nests_of: Callable[[str], list[LoopNest]]) -> None:
    source = f"{NODE} void f(int n, struct node *p) {{ for (int i = 0; i < n; i++) {{ y[i] = p->v; p = p->next; }} }}"
    assert loop_verdicts(nests_of(source)[0])[0].kind == "unknown"
