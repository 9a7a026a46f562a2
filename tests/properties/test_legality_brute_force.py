"""Legality of random affine nests against the enumeration of all their executions, and memory after running both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

import networkx as nx
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.affine_nests.numbered import NumberedNodes, as_nest
from support.examples import examples
from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.transforms.nest_legality import NestLegality, legality_of
from warplens.analysis.dependence.transforms.permuted_bounds import LoopBounds
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.expression import Access, Load
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, Statement, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import DOUBLE, INT

Values = dict[str, int]


@dataclass(frozen=True)
class Execution:
    """One execution of an assignment."""

    statement: Assign
    values: Values

    @property
    def updates(self) -> bool:
        return self.statement.operator == "+"

    def touched(self) -> list[tuple[object, bool, bool]]:
        """(element, is write, is a step of a sum) of each access."""
        target, value = self.statement.target, self.statement.value
        assert isinstance(target, Access)
        assert isinstance(value, Load)
        is_sum = self.updates and (target.array, target.indices) != (
            value.access.array,
            value.access.indices,
        )
        found = [(self.element(value.access), False, False), (self.element(target), True, is_sum)]
        return [*found, (self.element(target), False, is_sum)] if self.updates else found

    def element(self, access: Access) -> object:
        return (access.array, *(i.evaluate(self.values) for i in access.indices if i is not None))

    def meets(self, later: Execution) -> bool:
        """Whether the order of the two matters, sums aside."""
        return any(
            element == other and (writes or other_writes) and not (is_sum and other_is_sum)
            for element, writes, is_sum in self.touched()
            for other, other_writes, other_is_sum in later.touched()
        )


class Builder(NumberedNodes):
    """Draws perfect nests of assignments."""

    def access(self, names: tuple[str, ...]) -> Access:
        array, rank = self.draw(st.sampled_from((("a", 1), ("b", 2), ("b", 2))))
        indices = []
        for _ in range(rank):
            index = Polynomial.constant(self.draw(st.integers(-2, 2)))
            for name in names:
                index = index + Polynomial.symbol(name) * self.draw(st.sampled_from((0, 0, 1, 1, -1, 2)))
            indices.append(index)
        subscripts = tuple(expression_of(index, INT) for index in indices)
        return Access(
            self.number(), array, DOUBLE, subscripts, tuple(indices), (None, Polynomial.constant(99))[-rank:], 8
        )

    def assign(self, names: tuple[str, ...]) -> Assign:
        number = self.number()
        target = self.access(names)
        operator = self.draw(st.sampled_from(("", "", "+")))
        return Assign(number, target, operator, Load(self.access(names)))

    def loop(self, names: tuple[str, ...], depth: int, step: int, body_of: int) -> Loop:
        """Loop number `len(names)` of a perfect nest; bounds depend on the loops outside where steps are 1."""
        number, iterator = self.number(), "ijk"[len(names)]
        start = Polynomial.constant(self.draw(st.integers(-1, 1)))
        limit = start + self.draw(st.integers(1, 4)) * step
        if names and abs(step) == 1:
            slopes = st.sampled_from((0, 0, 1, -1))
            start = start + Polynomial.symbol(names[-1]) * self.draw(slopes)
            limit = limit + Polynomial.symbol(names[-1]) * self.draw(slopes)
        inside = (*names, iterator)
        body: tuple[Statement, ...]
        if depth > 1:
            body = (self.loop(inside, depth - 1, step, body_of),)
        else:
            body = tuple(self.assign(inside) for _ in range(body_of))
        return Loop(number, iterator, INT, start, (limit,), step, body, declares_iterator=True)


@st.composite
def bands(draw: st.DrawFn) -> LoopNest:
    step = draw(st.sampled_from((1, 1, 1, -1, 2)))
    return as_nest(Builder(draw).loop((), draw(st.sampled_from((2, 2, 3))), step, draw(st.integers(1, 2))))


@st.composite
def bodies(draw: st.DrawFn) -> LoopNest:
    """A loop over assignments and loops of assignments."""
    builder = Builder(draw)
    root, zero = builder.number(), Polynomial.constant(0)
    body: list[Statement] = []
    for _ in range(draw(st.integers(2, 4))):
        if draw(st.booleans()):
            body.append(builder.assign(("i",)))
        else:
            body.append(builder.loop(("i",), 1, 1, draw(st.integers(1, 2))))
    return as_nest(Loop(root, "i", INT, zero, (zero + 4,), 1, tuple(body), declares_iterator=True))


@st.composite
def neighbours(draw: st.DrawFn) -> LoopNest:
    """Two loops with the same header in a loop."""
    builder = Builder(draw)
    root, zero, steps = builder.number(), Polynomial.constant(0), draw(st.sampled_from((1, -1)))
    loops = []
    for _ in range(2):
        number = builder.number()
        body = tuple(builder.assign(("i", "j")) for _ in range(draw(st.integers(1, 2))))
        loops.append(Loop(number, "j", INT, zero, (zero + 4 * steps,), steps, body, declares_iterator=True))
    return as_nest(Loop(root, "i", INT, zero, (zero + 3,), 1, tuple(loops), declares_iterator=True))


def legality(nest: LoopNest) -> NestLegality:
    return legality_of(nest, loop_verdicts(nest))


def executions(body: tuple[Statement, ...], values: Values) -> Iterator[Execution]:
    for statement in body:
        if isinstance(statement, Assign):
            yield Execution(statement, values)
        elif isinstance(statement, Loop):
            assert statement.start is not None
            limit = statement.limits[0].evaluate(values)
            for value in range(statement.start.evaluate(values), limit, statement.step):
                yield from executions(statement.body, {**values, statement.iterator: value})


def with_bounds(bounds: tuple[LoopBounds, ...], body: tuple[Statement, ...], values: Values) -> Iterator[Execution]:
    """What runs with these headers around the body."""
    if not bounds:
        yield from executions(body, values)
        return
    header, inner = bounds[0], bounds[1:]
    nearest, ends = (max, min) if header.step > 0 else (min, max)
    start = nearest(bound.evaluate(values) for bound in header.starts)
    limit = ends(bound.evaluate(values) for bound in header.limits)
    for value in range(start, limit, header.step):
        yield from with_bounds(inner, body, {**values, header.iterator: value})


def memory(order: list[Execution]) -> dict[object, int]:
    """Values after the executions, each a hash of what it was computed from."""
    state: dict[object, int] = {}
    for execution in order:
        target, value = execution.statement.target, execution.statement.value
        assert isinstance(target, Access)
        assert isinstance(value, Load)
        source, at = execution.element(value.access), execution.element(target)
        new = hash((execution.statement.id, state.get(source, hash(source))))
        state[at] = state.get(at, hash(at)) + new if execution.updates else new
    return state


def inverted(original: list[Execution], order: list[Execution]) -> list[tuple[Execution, Execution]]:
    """Pairs that matter and that run the other way around in the new order."""
    place = {id(execution): at for at, execution in enumerate(order)}
    pairs = combinations(original, 2)
    return [(p, q) for p, q in pairs if place[id(p)] > place[id(q)] and p.meets(q)]


def iteration(execution: Execution, loops: tuple[Loop, ...]) -> tuple[int, ...]:
    return tuple(execution.values[loop.iterator] * (1 if loop.step > 0 else -1) for loop in loops)


def in_tile(execution: Execution, loops: tuple[Loop, ...], size: int) -> tuple[int, ...]:
    """The tile of an iteration, then the iteration."""
    at = iteration(execution, loops)
    return (*(x // size for x in at), *at)


def reversed_at(execution: Execution, loops: tuple[Loop, ...], depth: int) -> tuple[int, ...]:
    """The iteration with one loop running backwards."""
    at = iteration(execution, loops)
    return (*at[:depth], -at[depth], *at[depth + 1 :])


@settings(max_examples=examples(100))
@given(bands())
def test_permutation_is_legal_if_no_two_executions_that_meet_change_places(nest: LoopNest) -> None:
    asked, loops = legality(nest), loops_of(nest)
    original = list(executions((nest.root,), {}))
    for chosen in permutations(loops):
        answer = asked.permutation([loop.id for loop in chosen])
        order = sorted(original, key=partial(iteration, loops=chosen))
        changed = inverted(original, order)
        if answer.legality.is_legal:
            assert not changed
            ran = list(with_bounds(answer.bounds, loops[-1].body, {}))
            assert [(e.statement, e.values) for e in ran] == [(e.statement, e.values) for e in order]
            assert memory(ran) == memory(original)
        elif answer.legality.because:
            assert changed
            assert answer.legality.is_proved
        else:
            assert "division" in answer.legality.reason


@settings(max_examples=examples(100))
@given(bands())
def test_tiling_is_legal_if_no_distance_is_negative(nest: LoopNest) -> None:
    asked, loops = legality(nest), loops_of(nest)
    original = list(executions((nest.root,), {}))
    backwards = any(
        any(b < a for a, b in zip(iteration(p, loops), iteration(q, loops), strict=True))
        for p, q in combinations(original, 2)
        if p.meets(q)
    )
    answer = asked.tiling([loop.id for loop in loops])
    assert answer.is_legal == (not backwards)
    if answer.is_legal:
        for size in (2, 3):
            order = sorted(original, key=partial(in_tile, loops=loops, size=size))
            assert memory(order) == memory(original)
    else:
        assert answer.is_proved


@settings(max_examples=examples(100))
@given(bands())
def test_skewed_wavefronts_are_parallel_and_the_factor_is_no_larger_than_needed(nest: LoopNest) -> None:
    asked, loops = legality(nest), loops_of(nest)[:2]
    answer = asked.skewing(loops[0].id, loops[1].id)
    if not answer.legality.is_legal:
        assert "steps of 2" in answer.legality.reason
        return
    original = list(executions((nest.root,), {}))
    distances = set()
    for p, q in combinations(original, 2):
        if p.meets(q):
            (a, b), (c, d) = iteration(p, loops), iteration(q, loops)
            distances.add((c - a, d - b))
    distances -= {(0, 0)}
    assert answer.tiling_factor is not None
    assert answer.wavefront_factor is not None
    assert all(answer.tiling_factor * a + b >= 0 for a, b in distances)
    assert all(answer.wavefront_factor * a + b >= 1 for a, b in distances)
    counted = [d for d in asked.graph.within(loops[0].id) if not d.accumulates]
    if all(None not in d.vector.distances[:2] for d in counted):
        for factor, least in ((answer.tiling_factor, 0), (answer.wavefront_factor, 1)):
            assert not factor or any((factor - 1) * a + b < least for a, b in distances)


@settings(max_examples=examples(60))
@given(bands())
def test_reversal_is_legal_if_the_loop_carries_nothing(nest: LoopNest) -> None:
    asked, loops = legality(nest), loops_of(nest)
    original = list(executions((nest.root,), {}))
    assume(original)  # where nothing runs at all the answer may be no
    for depth, loop in enumerate(loops):
        order = sorted(original, key=partial(reversed_at, loops=loops, depth=depth))
        assert asked.reversal(loop.id).is_legal == (not inverted(original, order))


@settings(max_examples=examples(100))
@given(bodies())
def test_fission_has_a_loop_per_cycle_of_statements(nest: LoopNest) -> None:
    answer = legality(nest).fission(nest.root.id)
    unit = {s.id: at for at, child in enumerate(nest.root.body) for s in walk_statements((child,))}
    original = list(executions((nest.root,), {}))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(nest.root.body)))
    for p, q in combinations(original, 2):
        if p.meets(q):
            graph.add_edge(unit[p.statement.id], unit[q.statement.id])
    expected = {frozenset(nest.root.body[at].id for at in group) for group in nx.strongly_connected_components(graph)}
    assert {frozenset(part.statements) for part in answer.parts} == expected
    assert answer.legality.is_legal == (len(expected) > 1)

    def is_behind(execution: Execution, at: int) -> bool:
        return unit[execution.statement.id] >= at

    place = {child: at for at, part in enumerate(answer.parts) for child in part.statements}
    order = sorted(original, key=lambda e: place[nest.root.body[unit[e.statement.id]].id])
    assert memory(order) == memory(original)
    for part in answer.parts:
        own = [e for e in original if nest.root.body[unit[e.statement.id]].id in part.statements]
        carried = any(p.values["i"] != q.values["i"] and p.meets(q) for p, q in combinations(own, 2))
        assert part.is_parallel == (not carried)
    for at, cut in enumerate(answer.cuts, 1):
        order = sorted(original, key=partial(is_behind, at=at))
        assert cut.is_legal == (not inverted(original, order))


@settings(max_examples=examples(100))
@given(neighbours())
def test_fusion_is_legal_if_no_two_executions_that_meet_change_places(nest: LoopNest) -> None:
    first, second = (child for child in nest.root.body if isinstance(child, Loop))
    answer = legality(nest).fusion(first.id, second.id)
    original = list(executions((nest.root,), {}))
    order = sorted(original, key=lambda e: (e.values["i"], e.values["j"] * first.step))
    changed = inverted(original, order)
    assert answer.is_legal == (not changed)
    if answer.is_legal:
        assert memory(order) == memory(original)
    else:
        assert answer.is_proved
