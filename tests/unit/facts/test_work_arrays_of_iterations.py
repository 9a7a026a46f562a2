"""Work arrays that each iteration gets from a function of another file and gives back, through pointers of outside."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.ir.promises.independent import Independent

UNSEEN = "void *get(unsigned long size, int where); void give(void *p, int where); int is_old(int *p);\n"
VOUCHED = (Independent("get"), Independent("give"))


def kind(body: str, before: str = "int *mark;") -> str:
    """Verdict of a loop over rows under the promises."""
    loop = f"for (i = 0; i < n; i++) {{ {body} }}"
    source = f"{UNSEEN}void f(int n, int m, int *restrict out) {{ {before} int i, j; {loop} }}"
    ((found,),) = (nest.verdicts[:1] for nest in judged(source, VOUCHED))
    return found.kind


GET = "mark = (int *)get(m * sizeof(int), 0);"
FILL = "for (j = 0; j < m; j++) mark[j] = i;"


@pytest.mark.parametrize(
    "body",
    [
        f"{GET} {FILL} out[i] = mark[0]; give((void *)mark, 0);",
        f"{GET} {FILL} out[i] = mark[0]; give((void *)mark, 0); mark = 0;",
        f"{GET} {FILL} out[i] = mark[0]; (give((void *)mark, 0), mark = (void *)0);",
        f"if (m) {{ {GET} }} else {{ mark = 0; }} {FILL} give(mark, 0); mark = 0;",
    ],
)
def test_a_pointer_set_to_null_once_it_is_given_back_leads_each_iteration_to_its_own(body: str) -> None:
    assert kind(body) == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        f"give(mark, 0); {GET} {FILL} out[i] = mark[0];",
        f"give(mark, 0); mark = 0; if (n > m) {{ {GET} }}",
        f"if (i % 3 == 0) {{ {GET} }} give(mark, 0); mark = 0;",
        f"if (mark == 0) {{ {GET} }} {FILL} out[i] = mark[0]; give(mark, 0); mark = 0;",
    ],
)
def test_what_the_iteration_before_left_is_given_back_by_the_next_one(body: str) -> None:
    assert kind(body, "int *mark = 0;") in {"unknown", "carried"}
