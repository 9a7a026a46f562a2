"""Fission of a loop (loop distribution): one loop per group of statements that depend on each other in a cycle.

Variables of which each iteration may have its own don't hold statements together: where the parts of the loop share
one, it becomes an array with an element per iteration.

Source: Kennedy, McKinley, Loop distribution with arbitrary control flow, SC 1990; Allen, Kennedy, Optimizing Compilers
for Modern Architectures, 2001, section 2.4 (strongly connected components in topological order) and 5.3 (expansion).
Not modelled: statements inside of a branch or of an inner loop stay together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from warplens.analysis.dependence.scalars.privatization import is_live_after, is_read_before_written
from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, StatementDependence
from warplens.analysis.dependence.transforms.legality import Legality, assumptions, header_refusal
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, Statement, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name


@dataclass(frozen=True, slots=True)
class FissionPart:
    """A loop that fission leaves: some statements of the body, in the order of the source.

    `carried` are the dependences that its iterations have on earlier ones of it; without any it is parallel, given that
    `reductions` are done as such and `private` variables have copies.
    """

    statements: tuple[NodeId, ...]
    carried: tuple[StatementDependence, ...] = ()
    reductions: tuple[str, ...] = ()
    private: tuple[str, ...] = ()

    @property
    def is_parallel(self) -> bool:
        """Whether the iterations of this loop may run at the same time."""
        return not self.carried


@dataclass(frozen=True, slots=True)
class Fission:
    """The loop in as many loops as can be, in the order in which they must run.

    `legality` is about there being more than one; a no names the dependences that go around. `cuts` says for each place
    between two statements of the body whether the loop may be cut just there, in the order of the source. `expanded`
    are the variables that need an element per iteration in the full fission.
    """

    legality: Legality
    parts: tuple[FissionPart, ...] = ()
    cuts: tuple[Legality, ...] = ()
    expanded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Body:
    """A loop with the place in its body of each statement, and the dependences between and in the places."""

    loop: Loop
    unit: dict[NodeId, int]
    inside: tuple[StatementDependence, ...]
    private: frozenset[str]

    def units(self, dependence: StatementDependence) -> tuple[int, int]:
        return self.unit[dependence.source_statement], self.unit[dependence.sink_statement]

    def holds(self, dependence: StatementDependence) -> bool:
        """Whether the dependence orders executions once variables are expanded and reductions done as such."""
        is_carried = dependence.carrier == self.loop.id
        return not dependence.accumulates and not (is_carried and dependence.variable in self.private)


def fission(graph: DependenceGraph, loop: NodeId) -> Fission:
    """The most loops that this one can be cut into. Never raises."""
    chosen = next((candidate for candidate in loops_of(graph.nest) if candidate.id == loop), None)
    if chosen is None:
        return Fission(Legality(is_legal=False, reason="there is no such loop"))
    reason = header_refusal(graph, (chosen,))
    if reason:
        return Fission(Legality(is_legal=False, reason=reason))
    unit = {s.id: at for at, child in enumerate(chosen.body) for s in walk_statements((child,))}
    body = _Body(chosen, unit, graph.within(loop), graph.private(loop))
    tied = _tied(chosen.body)
    held = (body.units(d) for d in body.inside if body.holds(d))
    groups = _in_order(len(chosen.body), (*held, *tied, *((b, a) for a, b in tied)))
    parts = tuple(_part(body, group) for group in groups)
    expanded = _expanded(body, groups)
    return Fission(
        _legality(graph, body, groups, expanded),
        parts,
        tuple(_cut(graph, body, tied, at) for at in range(1, len(chosen.body))),
        expanded,
    )


def _in_order(count: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Strongly connected components, sources first, as near to the order of the source as that allows."""
    import networkx as nx  # noqa: PLC0415 - an eighth of what loading the analysis takes, and few files need it

    order = nx.DiGraph()
    order.add_nodes_from(range(count))
    order.add_edges_from(edges)
    condensed = nx.condensation(order)
    members: dict[int, list[int]] = {node: sorted(condensed.nodes[node]["members"]) for node in condensed}
    return [members[node] for node in nx.lexicographical_topological_sort(condensed, key=lambda n: members[n][0])]


def _tied(body: tuple[Statement, ...]) -> list[tuple[int, int]]:
    """Statements that read what an inner loop, another statement of the body, leaves in its iterator."""
    iterators = {
        (s.iterator, at)
        for at, child in enumerate(body)
        for s in walk_statements((child,))
        if isinstance(s, Loop) and not s.declares_iterator
    }
    return [
        (at, reader)
        for name, at in sorted(iterators)
        for reader, child in enumerate(body)
        if reader != at and is_read_before_written((child,), name)
    ]


def _part(body: _Body, group: list[int]) -> FissionPart:
    carried = [d for d in body.inside if d.carrier == body.loop.id and set(body.units(d)) <= set(group)]
    return FissionPart(
        statements=tuple(body.loop.body[at].id for at in group),
        carried=tuple(d for d in carried if body.holds(d)),
        reductions=tuple(sorted({d.variable for d in carried if d.accumulates} - body.private)),
        private=tuple(sorted({d.variable for d in carried} & body.private)),
    )


def _expanded(body: _Body, groups: list[list[int]]) -> tuple[str, ...]:
    """Variables with a copy per iteration that more than one part uses."""
    part = {at: number for number, group in enumerate(groups) for at in group}
    crossing = set()
    for dependence in body.inside:
        source, sink = body.units(dependence)
        if dependence.variable in body.private and part[source] != part[sink]:
            crossing.add(dependence.variable)
    return tuple(sorted(crossing))


def _legality(graph: DependenceGraph, body: _Body, groups: list[list[int]], expanded: tuple[str, ...]) -> Legality:
    if len(body.loop.body) < 2:
        return Legality(is_legal=False, reason="the loop has one statement")
    if len(groups) > 1:
        crossing = {d.variable for d in body.inside if d.accumulates and len(set(body.units(d))) > 1} - body.private
        return _allowed(graph, body.loop, expanded, tuple(sorted(crossing)))
    around = [d for d in body.inside if body.holds(d) and body.units(d)[0] > body.units(d)[1]]
    return _refused(around)


def _cut(graph: DependenceGraph, body: _Body, tied: list[tuple[int, int]], at: int) -> Legality:
    """The first `at` statements in one loop, the others in the next."""
    back = [d for d in body.inside if body.holds(d) and body.units(d)[0] >= at > body.units(d)[1]]
    if back or any(min(pair) < at <= max(pair) for pair in tied):
        return _refused(back)
    halves = [list(range(at)), list(range(at, len(body.loop.body)))]
    folds = {d.variable for d in body.inside if d.accumulates and _crosses(body.units(d), at)} - body.private
    return _allowed(graph, body.loop, _expanded(body, halves), tuple(sorted(folds)))


def _crosses(units: tuple[int, int], at: int) -> bool:
    return (units[0] < at) != (units[1] < at)


def _refused(back: Iterable[StatementDependence]) -> Legality:
    because = tuple(sorted(back, key=lambda d: not d.vector.is_exact))
    reason = "" if because else "statements read what an inner loop leaves in its iterator"
    return Legality(is_legal=False, because=because, reason=reason)


def _allowed(graph: DependenceGraph, loop: Loop, expanded: tuple[str, ...], reordered: tuple[str, ...]) -> Legality:
    scalars = {scalar.name for scalar in graph.nest.scalars}
    found = list(assumptions(graph, loop, expanded))
    for name in expanded:
        if name in scalars and is_live_after(graph.nest, loop.id, name):
            text = f"`{c_name(name)}` is used after the loop: the value of the last iteration must be kept."
            found.append(Assumption("context", name, text))
    return Legality(is_legal=True, private=expanded, reordered=reordered, assumptions=tuple(found))
