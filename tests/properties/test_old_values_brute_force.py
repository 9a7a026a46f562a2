"""Random loops: with what `old_values` names read from before the loop, any order of iterations computes the same."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests.parsed import nests_of
from support.examples import examples
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.dependence.transforms.old_values import old_values
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.nest import LoopNest

_LENGTH, _MARGIN = 12, 4

Part = tuple[str, int, str, int, str, int]
"""`a[i + k] = b[i + l] + 2 * c[i + m]`."""

_NAMES = st.sampled_from("xy")
_WRITTEN, _READ = st.integers(-1, 1), st.integers(-1, 3)
_PARTS = st.lists(st.tuples(_NAMES, _WRITTEN, _NAMES, _READ, _NAMES, _READ), min_size=1, max_size=2)


def _nest(parts: list[Part]) -> LoopNest:
    body = " ".join(f"{a}[i + {k}] = {b}[i + {p}] + 2 * {c}[i + {q}];" for a, k, b, p, c, q in parts)
    loop = f"for (int i = {_MARGIN}; i < n; i++) {{ {body} }}"
    (nest,) = nests_of(f"void f(double *restrict x, double *restrict y, int n) {{ {loop} }}")
    return delinearise(nest, NestBudget())


def _run(parts: list[Part], old: set[tuple[int, int]], order: list[int]) -> dict[str, list[int]]:
    """What the arrays hold after the iterations; `old` are reads, by statement and place in it, of before the loop."""
    before = {name: [(7 * k + len(name) * ord(name)) % 31 for k in range(_LENGTH + 2 * _MARGIN)] for name in "xy"}
    now = {name: [*values] for name, values in before.items()}
    for i in order:
        for at, (a, k, b, p, c, q) in enumerate(parts):
            first = (before if (at, 0) in old else now)[b][i + p]
            second = (before if (at, 1) in old else now)[c][i + q]
            now[a][i + k] = first + 2 * second
    return now


@settings(max_examples=examples(100))
@given(_PARTS, st.randoms(use_true_random=False))
def test_any_order_computes_the_same_with_old_values(parts: list[Part], chance: random.Random) -> None:
    nest = _nest(parts)
    verdicts = loop_verdicts(nest)
    copies = old_values(legality_of(nest, verdicts).graph, nest.root.id)
    if not copies:
        return
    reads = {node for copy in copies for node in copy.reads}
    read_in = [[access.id for access in accesses_of(statement)][1:] for statement in nest.root.body]
    old = {(at, place) for at, each in enumerate(read_in) for place, node in enumerate(each) if node in reads}
    order = list(range(_MARGIN, _MARGIN + _LENGTH - 4))
    expected = _run(parts, set(), order)
    for _ in range(4):
        chance.shuffle(order)
        assert _run(parts, old, order) == expected, (parts, old, order)
