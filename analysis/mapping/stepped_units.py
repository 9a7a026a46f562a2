"""A nest whose sums run in steps, all elements at once: a factorisation that looks to the right.

    for (i) for (j < i) { for (k < j) a[i][j] -= a[i][k] * a[k][j];  a[i][j] /= a[j][j]; }

takes each sum to its end before the next one begins. Step k of all sums at once, and in step j the division of column
j, is the same additions in the same order, in as many steps as there are columns, with two kernels each. Its statements
are units, runs of statements that stand together; each has a loop that counts its steps, that of a sum the sum's.

Source: Dongarra, Gustavson, Karp, Implementing linear algebra algorithms for dense matrices on a vector pipeline
machine, SIAM Review 26(1), 1984 (the orders of i, j and k). Which are legal: `reordered_steps.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import networkx as nx
from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.transforms.reordered_steps import AFTER, BEFORE, StepOrder
from warplens.analysis.ir.nest import If, Loop, Statement, walk_statements
from warplens.analysis.mapping.moved_values import assigned, header_names, is_understood
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.sums_in_elements import sums_in_elements

Statements = tuple[Statement, ...]
Loops = tuple[Loop, ...]

_MOST_UNITS = 6
_MOST_CHOICES = 200


@dataclass(frozen=True, slots=True)
class StepUnit:
    """Statements that stand together inside loops, outermost first; iterations of the loop `time` are steps.

    Those without one run `before` the first step or behind the last, all their iterations at once.
    `number` is its place in the source; in each step it runs behind the units that it `waits_for`.
    """

    number: int
    statements: Statements
    loops: Loops
    time: Loop | None
    waits_for: frozenset[int]
    is_before: bool = False


def step_units(source: SourceNest) -> tuple[StepUnit, ...]:
    """Units of the whole nest in the order in which each step runs them; empty where it can't be run so, or need not.

    One of them has a sum, whose loop counts its steps, and is run by threads along its other loops.
    """
    nest = sums_in_elements(source.nest)
    root = nest.root
    if source.is_parallel(root) or not is_understood((root,)) or not _has_plain_loops(root):
        return ()
    found = list(_units((root,), ()))
    if not found or len(found) > _MOST_UNITS or any(not loops for _, loops in found):
        return ()
    scalars = assigned((root,)) - {loop.iterator for _, loops in found for loop in loops}
    if scalars or any(is_live_after(nest, root.id, name) for name in assigned((root,))):
        return ()
    choices = [_times(source, loops) for _, loops in found]
    is_sum = [_sum_loop(source, loops) is not None and len(loops) > 1 for _, loops in found]
    count = 1
    for options in choices:
        count *= len(options)
    if not any(is_sum) or count > _MOST_CHOICES:
        return ()
    number = {one.id: at for at, (body, _) in enumerate(found) for one in walk_statements(body)}
    order = StepOrder(references(nest), number, frozenset(loop.iterator for _, loops in found for loop in loops))
    for times in product(*choices):
        ordered = _ordered(order, dict(enumerate(time if isinstance(time, str) else time.iterator for time in times)))
        if ordered is not None:
            return tuple(
                _unit(at, found[at], times[at], frozenset(ordered.predecessors(at)))
                for at in nx.lexicographical_topological_sort(ordered)
            )
    return ()


def _unit(number: int, run: tuple[Statements, Loops], time: Loop | str, waits_for: frozenset[int]) -> StepUnit:
    body, loops = run
    if isinstance(time, str):
        return StepUnit(number, body, loops, None, waits_for, is_before=time == BEFORE)
    return StepUnit(number, body, loops, time, waits_for)


def _ordered(order: StepOrder, times: Mapping[int, str]) -> nx.DiGraph[int] | None:
    """Which units a step must run before which, each for all its iterations at once; None where it can't."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(times)
    for first in times:
        for second in times:
            must = order.before(first, second, times)
            if must is None or (must and first == second):
                return None
            if must:
                graph.add_edge(first, second)
    return graph if nx.is_directed_acyclic_graph(graph) else None


def _units(
    body: tuple[Statement, ...], loops: tuple[Loop, ...]
) -> Iterator[tuple[tuple[Statement, ...], tuple[Loop, ...]]]:
    """Runs of statements without loops, each with the loops around it; nothing where a condition holds a loop."""
    run: list[Statement] = []
    for one in body:
        if isinstance(one, Loop):
            if run:
                yield tuple(run), loops
                run = []
            yield from _units(one.body, (*loops, one))
        elif isinstance(one, If) and any(isinstance(inner, Loop) for inner in walk_statements((one,))):
            yield (one,), ()
        else:
            run.append(one)
    if run:
        yield tuple(run), loops


def _times(source: SourceNest, loops: Loops) -> tuple[Loop | str, ...]:
    """Loops that may count the steps of a unit: that of its sum, else any, the innermost first, or none."""
    found = _sum_loop(source, loops)
    return (found,) if found is not None else (*reversed(loops), BEFORE, AFTER)


def _sum_loop(source: SourceNest, loops: Loops) -> Loop | None:
    verdict = source.verdicts.get(loops[-1].id)
    return loops[-1] if verdict is not None and verdict.kind == "reduction" else None


def _has_plain_loops(root: Loop) -> bool:
    """Whether all loops go up by one between bounds that are polynomials, which nothing in the nest changes."""
    changed = assigned((root,)) - {one.iterator for one in walk_statements((root,)) if isinstance(one, Loop)}
    return all(
        one.step == 1
        and one.start is not None
        and one.limits
        and not (one.limit_reads or one.bound_reads or one.exact_end or one.inductions)
        and not header_names(one) & changed
        for one in walk_statements((root,))
        if isinstance(one, Loop)
    )
