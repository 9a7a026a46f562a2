"""Loops said to be parallel compute the same in any order of their iterations, whatever the C text does to hide that.

Each such loop of the corpus and the misleading cases runs reversed and shuffled (support/iteration_order). All memory
must end as in C's order, bit for bit; rounding is allowed for in reductions only. The other loops of the corpus run so
too, by their comments: those that are truly parallel must compute the same, those that are not must show it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import FIXTURES, labels
from support.iteration_order.run import run


def shrunk(path: Path) -> str:
    """A fixture at a size that runs quickly."""
    source = path.read_text(encoding="utf-8").replace("N = 1024", "N = 64")
    return source.replace("513", "33").replace("512", "32")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_loops_of_the_fixtures(path: Path, tmp_path: Path) -> None:
    source = shrunk(path)
    said = labels(source)
    changed = any_order(source, only_parallel=False)
    outcome = run(changed, tmp_path)
    ran = {loop.line: loop for loop in changed.loops}
    left_out = dict(changed.left_out)
    assert not [line for line in left_out if said[line].note != "not run"]
    assert not [line for line, label in said.items() if line not in ran.keys() | left_out and label.found != "none"]
    called_parallel = {line for line, loop in ran.items() if loop.verdict.can_run_in_parallel}
    truly_parallel = {line for line in ran if said[line].is_parallel}
    print(f"{path.stem}: {len(ran)} loops run in other orders, {len(left_out)} left out")
    assert called_parallel.isdisjoint(outcome.differs)
    assert truly_parallel.isdisjoint(outcome.differs)
    carried = {line for line in ran if said[line].truth == "carried" and not said[line].note}
    assert carried - set(outcome.differs) == set()
    assert outcome.idle == ()


def test_a_loop_that_carries_is_noticed(tmp_path: Path) -> None:
    source = "double x[64];\nvoid f(int n) {\n  for (int i = 1; i < n; i++)\n    x[i] += x[i - 1];\n}\n"
    outcome = run(any_order(source, only_parallel=False), tmp_path)
    assert outcome.differs == (3,)


def test_while_loops_and_walking_pointers_are_put_in_other_orders(tmp_path: Path) -> None:
    source = """double x[64], y[64];
void f(int n) {
  double *p = x, *q = y;
  int i = n, k = 1;
  while (i-- > 0)
    *p++ = 2 * *q++;
  for (i = 0; i < n; i++)
    p[-1] += *p * ++k, p--;
  i = 1;
  do
    y[i] = x[i] + x[i - 1];
  while (++i < n);
}
"""
    changed = any_order(source, only_parallel=False)
    assert [loop.line for loop in changed.loops] == [5, 7, 10]
    assert [loop.line for loop in changed.loops if loop.verdict.can_run_in_parallel] == [5, 10]
    assert run(changed, tmp_path).differs == (7,)


MISLEADING = (FIXTURES[0].parents[1] / "reordered" / "misleading.c").read_text(encoding="utf-8")
ADVERSARIES = dict(re.findall(r"// case: (\w+)\n(.*?)(?=\n// case: |\Z)", MISLEADING, re.DOTALL))
"""A function `f` each, against one rule of the analysis; integers in memory are 0 to 10."""

VIOLATED = {
    "pointer_set_in_a_branch": "alias",
    "row_pointers": "alias",
    "row_length_too_short": "bounds",
}
"""What the case's data breaks: loops that say they assume it are let off."""


@pytest.mark.parametrize("name", ADVERSARIES)
def test_loops_made_to_mislead(name: str, tmp_path: Path) -> None:
    changed = any_order(ADVERSARIES[name], frozenset(VIOLATED.get(name, "").split()))
    assert changed.left_out == ()
    assert run(changed, tmp_path).differs == ()
