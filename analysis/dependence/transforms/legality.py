"""Whether the order of a band's iterations may change: the dependences that stand against it, and what is assumed.

A dependence does not stand against a new order when both ends are steps of one reduction, or when its variable may
have one copy per iteration.

Assumes: what each answer's `assumptions` lists. Not modelled: rounding of reordered sums (they are named).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from warplens.analysis.dependence.conflicts.obstacles import obstacles
from warplens.analysis.dependence.pointers.memory_assumptions import copy_assumptions, memory_assumptions
from warplens.analysis.dependence.scalars.privatization import is_live_after, is_read_before_written
from warplens.analysis.dependence.subscripts.iteration_domain import (
    assigned_scalars,
    constant_symbols,
    has_exact_bounds,
)
from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, StatementDependence
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name

Violates = Callable[[tuple[Direction, ...]], bool]
"""Whether a new order may put the sink of a dependence with these directions, along the band, before its source."""


@dataclass(frozen=True, slots=True)
class Legality:
    """Yes, given the assumptions; or no, for the blocking dependences `because` or, where there are none, `reason`.

    `private` need a copy per iteration, `reordered` are reductions whose steps are done in another order.
    """

    is_legal: bool
    because: tuple[StatementDependence, ...] = ()
    reason: str = ""
    private: tuple[str, ...] = ()
    reordered: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()

    @property
    def is_proved(self) -> bool:
        """Whether a no has an exact witness: two executions that do meet would change places."""
        return any(d.vector.is_exact for d in self.because)


@dataclass(frozen=True, slots=True)
class Band:
    """Perfectly nested loops, outermost first, or the `reason` why loops are none whose order could change."""

    loops: tuple[Loop, ...]
    reason: str = ""
    private: frozenset[str] = field(default_factory=frozenset)
    """Variables of which each iteration of all the loops may have its own."""

    @property
    def ids(self) -> tuple[NodeId, ...]:
        """The loops, outermost first."""
        return tuple(loop.id for loop in self.loops)


def band(graph: DependenceGraph, loops: Iterable[NodeId]) -> Band:
    """The loops with these ids as a band: each but the innermost has nothing but the next in its body."""
    chosen = frozenset(loops)
    found = tuple(loop for loop in loops_of(graph.nest) if loop.id in chosen)
    if len(found) != len(chosen) or not found:
        return Band((), reason="there are no such loops")
    for outer, inner in pairwise(found):
        if outer.body != (inner,):
            reason = f"the loops over `{outer.iterator}` and `{inner.iterator}` are not perfectly nested"
            return Band(found, reason)
    reason = _refusal(graph, found)
    private = graph.private(found[-1].id)
    scalars = {s.name for s in graph.nest.scalars}
    kept = {name for name in private & scalars if is_live_after(graph.nest, found[0].id, name)}
    return Band(found, reason, private - kept)


def perfect_band(outermost: Loop) -> tuple[NodeId, ...]:
    """The longest perfect nest that starts with a loop, outermost first."""
    found = [outermost]
    while len(found[-1].body) == 1 and isinstance(inner := found[-1].body[0], Loop):
        found.append(inner)
    return tuple(loop.id for loop in found)


def decide(graph: DependenceGraph, chosen: Band, violates: Violates) -> Legality:
    """Legality of a new order of a band's iterations; what one iteration does stays as it is."""
    if chosen.reason:
        return Legality(is_legal=False, reason=chosen.reason)
    blocking: list[StatementDependence] = []
    private: set[str] = set()
    reordered: set[str] = set()
    for dependence in graph.within(chosen.ids[0]):
        if not violates(along(dependence, chosen)):
            continue
        if dependence.variable in chosen.private:
            private.add(dependence.variable)
        elif dependence.accumulates:
            reordered.add(dependence.variable)
        else:
            blocking.append(dependence)
    if blocking:
        return Legality(is_legal=False, because=tuple(sorted(blocking, key=lambda d: not d.vector.is_exact)))
    return Legality(
        is_legal=True,
        private=tuple(sorted(private)),
        reordered=tuple(sorted(reordered)),
        assumptions=assumptions(graph, chosen.loops[0], private),
    )


def along(dependence: StatementDependence, chosen: Band) -> tuple[Direction, ...]:
    """Directions of a dependence along the loops of a band."""
    at = dependence.loops.index(chosen.ids[0])
    return dependence.vector.directions[at : at + len(chosen.loops)]


def may_run_backwards(directions: Iterable[Direction]) -> bool:
    """Whether a vector may be lexicographically negative; one of zeros is not.

    >>> may_run_backwards(("=", "<", ">")), may_run_backwards(("=", ">"))
    (False, True)
    """
    return next((direction != "<" for direction in directions if direction != "="), False)


def assumptions(graph: DependenceGraph, loop: Loop, private: Iterable[str]) -> tuple[Assumption, ...]:
    """What is taken for granted of the memory that a loop touches and of the variables that are given copies."""
    inside = [r for r in graph.references if any(around.id == loop.id for around in r.place.loops)]
    found = (*memory_assumptions(graph.nest, loop, inside), *copy_assumptions(graph.nest, private))
    return tuple(dict.fromkeys(found))


def header_refusal(graph: DependenceGraph, loops: tuple[Loop, ...]) -> str:
    """Why a rewrite can't state the headers of these nested loops again, empty if it can."""
    nest = graph.nest
    for loop in loops:
        reasons = dict.fromkeys(obstacle.reason for obstacle in obstacles(nest, loop))
        if reasons:
            return "; ".join(reasons)
        inside = {s.id for s in walk_statements((loop,)) if isinstance(s, Loop)}
        chosen = next((c_name(array.name) for array in nest.arrays if array.chosen_in in inside), "")
        if chosen:
            return f"the pointer `{chosen}` itself changes in the loop"
        if loop.inductions:
            return f"`{loop.inductions[0].name}` moves along with `{loop.iterator}`"
    return _moving_bound(nest, loops) or graph.gap(loops[0].id)


def _refusal(graph: DependenceGraph, loops: tuple[Loop, ...]) -> str:
    """Why the order of these loops' iterations can't change whatever the dependences are; empty if it can."""
    for loop in loops:
        if not has_exact_bounds(loop):
            return header_refusal(graph, loops) or (
                f"how often the loop over `{c_name(loop.iterator)}` runs does not follow from its header"
            )
        if not loop.declares_iterator and is_live_after(graph.nest, loops[0].id, loop.iterator):
            return f"`{loop.iterator}` is used after the loop"
    return header_refusal(graph, loops) or _unset_iterator(loops)


def _moving_bound(nest: LoopNest, loops: tuple[Loop, ...]) -> str:
    known = set(constant_symbols(nest))
    known.update(a.iterator for a in loops_of(nest) if any(s.id == loops[0].id for s in walk_statements(a.body)))
    known -= assigned_scalars((nest.root,))
    for loop in loops:
        for bound in (loop.start, *loop.limits):
            changing = sorted(bound.symbols - known) if bound is not None else []
            if changing:
                return f"`{changing[0]}`, a bound of the loop over `{c_name(loop.iterator)}`, changes in the nest"
        known.add(loop.iterator)
    return ""


def _unset_iterator(loops: tuple[Loop, ...]) -> str:
    body = loops[-1].body
    inner = {s.iterator for s in walk_statements(body) if isinstance(s, Loop) and not s.declares_iterator}
    unset = sorted(name for name in inner if is_read_before_written(body, name))
    return f"`{unset[0]}` is read before its loop sets it" if unset else ""
