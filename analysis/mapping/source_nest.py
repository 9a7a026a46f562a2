"""A nest as mappings are made of it: its verdicts at hand, its dependences once something asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, StatementDependence
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, Statement, walk_statements
from warplens.analysis.mapping.moved_values import assigned, header_names, read, used_arrays, written_arrays


@dataclass(frozen=True)
class SourceNest:
    """Facts of a nest, and questions about where its statements may stand."""

    facts: NestFacts

    @property
    def nest(self) -> LoopNest:
        """The nest of the source."""
        return self.facts.nest

    @cached_property
    def verdicts(self) -> dict[NodeId, LoopVerdict]:
        """Verdicts by loop."""
        return {verdict.loop: verdict for verdict in self.facts.verdicts}

    @cached_property
    def trips(self) -> dict[NodeId, Formula]:
        """Average iterations by loop."""
        return {count.loop: count.average for count in self.facts.trip_counts}

    @cached_property
    def graph(self) -> DependenceGraph:
        """All dependences of the nest."""
        return legality_of(self.nest, self.facts.verdicts).graph

    def is_parallel(self, loop: Loop) -> bool:
        """Whether the loop's iterations may be threads of a grid that share nothing."""
        verdict = self.verdicts.get(loop.id)
        return verdict is not None and verdict.kind == "parallel" and loop.start is not None

    def holds_parallel(self, body: Iterable[Statement]) -> bool:
        """Whether a loop in the body is parallel."""
        return any(isinstance(one, Loop) and self.is_parallel(one) for one in walk_statements(tuple(body)))

    def own_arrays(self, loops: Iterable[Loop]) -> frozenset[str]:
        """Arrays of which each iteration of the loops has its own."""
        names = {name for loop in loops for name in self.verdicts[loop.id].private}
        inside = {loop.id for loop in loops}
        return frozenset(a.name for a in self.nest.arrays if a.name in names or a.declared_in in inside)

    def conflicts(self, within: Loop, some: Iterable[Statement], others: Iterable[Statement]) -> bool:
        """Whether statements of two lists meet in memory in one run of a loop, one of them writing."""
        some, others = tuple(some), tuple(others)
        if not (used_arrays(some) & written_arrays(others) or written_arrays(some) & used_arrays(others)):
            return False
        if self.graph.gap(within.id):
            return True
        first, second = _ids(some), _ids(others)
        return any(_is_between(each, first, second) for each in self.graph.within(within.id) if self._in_memory(each))

    def can_stand_inside(self, around: Loop, heads: tuple[Statement, ...], inner: Loop) -> bool:
        """Whether statements before a loop may be run in each of its iterations instead, also at the same time.

        They may if nothing that they read changes in the loop, and the loop's own header does not use what they set.
        `around` is the loop in whose body both stand, and nothing else does that uses it.
        """
        if not heads:
            return True
        values = assigned(heads)
        if ({inner.iterator} | header_names(inner)) & values or (read(heads) - values) & assigned((inner,)):
            return False
        return not self.conflicts(around, heads, (inner,))

    def _in_memory(self, dependence: StatementDependence) -> bool:
        return any(array.name == dependence.variable for array in self.nest.arrays)


def _ids(statements: tuple[Statement, ...]) -> frozenset[NodeId]:
    return frozenset(one.id for one in walk_statements(statements))


def _is_between(dependence: StatementDependence, first: frozenset[NodeId], second: frozenset[NodeId]) -> bool:
    ends = dependence.source_statement, dependence.sink_statement
    return (ends[0] in first and ends[1] in second) or (ends[0] in second and ends[1] in first)
