"""Verdicts of random affine nests with constant bounds against the enumeration of all their iterations."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from support.affine_nests.numbered import NumberedNodes, as_nest
from support.examples import examples
from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.subscripts.nest_references import references
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    BinaryOperator,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, If, Loop, LoopNest, ScalarObject, Statement, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import DOUBLE, INT

ITERATORS = ("i", "j", "k")
SIZES = tuple((n, m) for n in (1, 2, 3, 4, 5, 8, 11) for m in sorted({1, n // 2, n, n + 2, 2 * n + 2, 3 * n + 3}) if m)
COMPARISONS: tuple[BinaryOperator, ...] = ("<", "<=", "==", "!=", ">", ">=")


class NestBuilder(NumberedNodes):
    """Draws a nest of loops, branches and assignments."""

    def affine(self, names: tuple[str, ...], span: int = 3) -> Polynomial:
        total = Polynomial.constant(self.draw(st.integers(-span, span)))
        for name in names:
            total = total + Polynomial.symbol(name) * self.draw(st.sampled_from((-2, -1, 0, 0, 1, 1, 2)))
        return total

    def access(self, names: tuple[str, ...]) -> Access:
        array, rank = self.draw(st.sampled_from((("a", 1), ("b", 2))))
        indices = tuple(self.affine(names) for _ in range(rank))
        subscripts = tuple(expression_of(index, INT) for index in indices)
        return Access(self.number(), array, DOUBLE, subscripts, indices, (None, Polynomial.constant(99))[-rank:], 8)

    def statement(self, names: tuple[str, ...], depth: int) -> Statement:
        kinds = ["assign", "assign", "if"] + (["loop", "loop"] if depth < 2 else [])
        kind = self.draw(st.sampled_from(kinds))
        if kind == "loop":
            return self.loop(names, depth + 1)
        if kind == "if":
            number = self.number()
            left = ScalarRef(self.draw(st.sampled_from(names)), INT)
            right = ScalarRef(self.draw(st.sampled_from(names)), INT)
            operator = self.draw(st.sampled_from(COMPARISONS))
            condition = Binary(operator, left, right, INT)
            return If(number, condition, (self.assign(names),), (self.assign(names),))
        return self.assign(names)

    def assign(self, names: tuple[str, ...]) -> Assign:
        number = self.number()
        target = self.access(names)
        return Assign(number, target, "", Load(self.access(names)))

    def loop(self, names: tuple[str, ...], depth: int) -> Loop:
        number = self.number()
        iterator = ITERATORS[depth]
        step = self.draw(st.sampled_from((1, 1, 2, -1, -3)))
        start = self.affine(names if self.draw(st.booleans()) else (), 2)
        limit = start + self.draw(st.integers(0, 4)) * (1 if step > 0 else -1)
        body = tuple(self.statement((*names, iterator), depth) for _ in range(self.draw(st.integers(1, 2))))
        return Loop(number, iterator, INT, start, (limit,), step, body)


@st.composite
def nests(draw: st.DrawFn) -> LoopNest:
    return as_nest(NestBuilder(draw).loop((), 0))


@st.composite
def linear_nests(draw: st.DrawFn) -> LoopNest:
    """Two loops over `a[(i + c)*n + j + d]` and its transposes, with bounds in n and m."""
    i, j, n, m = (Polynomial.symbol(name) for name in "ijnm")

    def access(number: int) -> Access:
        row, column = draw(st.sampled_from(((i, j), (j, i), (i, i), (n - 1 - i, j), (i, n - 1 - j))))
        row, column = row + draw(st.integers(-1, 1)), column + draw(st.integers(-1, 1))
        kept = draw(st.sampled_from((0, 1, 1, 1)))
        return Access(NodeId(number), "a", DOUBLE, (ScalarRef("i", INT),), (row * n * kept + column,), (None,), 8)

    starts = st.sampled_from((Polynomial.constant(0), Polynomial.constant(1)))
    inner_start = draw(st.one_of(starts, st.sampled_from((i, i + 1))))
    inner = Loop(
        NodeId(1), "j", INT, inner_start, (draw(st.sampled_from((n, n - 1, m, i))),), 1,
        (Assign(NodeId(2), access(3), "", Load(access(4))),),
    )  # fmt: skip
    root = Loop(NodeId(0), "i", INT, draw(starts), (draw(st.sampled_from((n, n - 1, m))),), 1, (inner,))
    array = ArrayObject("a", DOUBLE, 8, (None,), "parameter", is_pointer=True)
    return LoopNest(root, (array,), (), ("m", "n"))


@st.composite
def quasi_affine_nests(draw: st.DrawFn) -> LoopNest:
    """Two loops whose subscripts, guards and temporaries divide, take remainders, mask and shift, below zero too."""
    numbers = iter(range(100))

    def value(depth: int) -> Expression:
        names = ("i", "j", "t") if depth else ("i", "j")
        kind = draw(
            st.sampled_from(("name", "sum", "quotient", "remainder", "mask", "choice") if depth else ("name", "sum"))
        )
        left: Expression = ScalarRef(draw(st.sampled_from(names)), INT)
        if kind == "name":
            return left
        if kind == "sum":
            other = Constant(draw(st.integers(-3, 3)), INT) if draw(st.booleans()) else ScalarRef("j", INT)
            return Binary(draw(st.sampled_from(("+", "-"))), left, other, INT)
        inner = value(depth - 1)
        if kind == "choice":
            test = Binary(draw(st.sampled_from(COMPARISONS)), inner, Constant(draw(st.integers(-1, 3)), INT), INT)
            return Conditional(test, value(depth - 1), value(depth - 1), INT)
        operator, constants = draw(
            st.sampled_from(
                {
                    "quotient": (("/", (2, 3, -2)), (">>", (1, 2))),
                    "remainder": (("%", (2, 3, 4, -3)),),
                    "mask": (("&", (1, 3, -2, -4)), ("|", (1, 3)), ("^", (1,))),
                }[kind]
            )
        )
        return Binary(operator, inner, Constant(draw(st.sampled_from(constants)), INT), INT)

    def access(depth: int) -> Access:
        array, rank = draw(st.sampled_from((("a", 1), ("b", 2))))
        extents = (None, Polynomial.constant(99))[-rank:]
        subscripts = tuple(value(depth) for _ in range(rank))
        return Access(NodeId(next(numbers)), array, DOUBLE, subscripts, (None,) * rank, extents, 8)

    def assign() -> Assign:
        number = NodeId(next(numbers))
        target = access(2)
        return Assign(number, target, "", Load(access(2)))

    root, inner = NodeId(next(numbers)), NodeId(next(numbers))
    first = _without_t(value(draw(st.integers(0, 1))))
    body: list[Statement] = [Assign(NodeId(next(numbers)), ScalarRef("t", INT), "", first)]
    if draw(st.booleans()):
        test = Binary(draw(st.sampled_from(COMPARISONS)), value(2), Constant(draw(st.integers(-1, 2)), INT), INT)
        body.append(If(NodeId(next(numbers)), test, (assign(),), (assign(),) if draw(st.booleans()) else ()))
    else:
        body.append(assign())
    low, step = draw(st.integers(-5, 1)), draw(st.sampled_from((1, 1, 2)))
    j = Loop(inner, "j", INT, Polynomial.constant(low), (Polynomial.constant(low + 5),), step, tuple(body))
    start = draw(st.integers(-4, 1))
    i = Loop(root, "i", INT, Polynomial.constant(start), (Polynomial.constant(start + 6),), 1, (j,))
    arrays = tuple(ArrayObject(name, DOUBLE, 8, (None,) * rank, "global", False) for name, rank in (("a", 1), ("b", 2)))
    return LoopNest(i, arrays, (ScalarObject("t", INT, "local", False),), ())


def _without_t(value: Expression) -> Expression:
    """The first value of the temporary does not read it."""
    return ScalarRef("i", INT) if any(isinstance(n, ScalarRef) and n.name == "t" for n in walk(value)) else value


def evaluated(value: Expression, values: dict[str, int]) -> int:
    """C's value of an expression."""
    match value:
        case Constant(int() as constant):
            return constant
        case ScalarRef(name):
            return values[name]
        case Conditional(condition, then, otherwise):
            return evaluated(then if evaluated(condition, values) else otherwise, values)
        case Binary(operator, one, other):
            left, right = evaluated(one, values), evaluated(other, values)
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1) if right else 0
            return {
                "+": left + right, "-": left - right, "/": quotient, "%": left - quotient * right, "&": left & right,
                "|": left | right, "^": left ^ right, ">>": left >> max(right, 0),
                "<": left < right, "<=": left <= right, "==": left == right,
                "!=": left != right, ">": left > right, ">=": left >= right,
            }[operator]  # fmt: skip
        case _:
            raise AssertionError(value)


Around = tuple[tuple[NodeId, int], ...]
Element = tuple[object, ...]


def touches(nest: LoopNest, sizes: dict[str, int]) -> list[tuple[Around, Element, Element | None]]:
    """(loop, iterator value) around it, element, what is written if it is: for every access that runs in order.

    Values are known by the element that held them first.
    """
    found: list[tuple[Around, Element, Element | None]] = []
    memory: dict[Element, Element] = {}

    def run(body: tuple[Statement, ...], values: dict[str, int], around: tuple[tuple[NodeId, int], ...]) -> None:
        for statement in body:
            if isinstance(statement, Loop):
                assert statement.start is not None
                value, limit = statement.start.evaluate(values), statement.limits[0].evaluate(values)
                while value < limit if statement.step > 0 else value > limit:
                    run(statement.body, {**values, statement.iterator: value}, (*around, (statement.id, value)))
                    value += statement.step
            elif isinstance(statement, If):
                holds = evaluated(statement.condition, values)
                run(statement.then if holds else statement.otherwise, values, around)
            elif isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
                values[statement.target.name] = evaluated(statement.value, values)
            elif isinstance(statement, Assign):
                assert isinstance(statement.target, Access)
                assert isinstance(statement.value, Load)
                source, target = (
                    (access.array, *(i.evaluate(values) if i else evaluated(e, values) for i, e in at))
                    for access in (statement.value.access, statement.target)
                    for at in (tuple(zip(access.indices, access.subscripts, strict=True)),)
                )
                memory[target] = memory.get(source, source)
                found.extend(((around, source, None), (around, target, memory[target])))

    run((nest.root,), sizes, ())
    return found


def conflicting_loops(nest: LoopNest, sizes: dict[str, int], *, but_equal_writes: bool = False) -> set[NodeId]:
    """Loops of which two iterations touch an element that one writes, perhaps but those that write one value to it."""
    carried = set()
    by_element = defaultdict(list)
    for around, element, written in touches(nest, sizes):
        by_element[element].append((around, written))
    for group in by_element.values():
        for (first, left), (second, right) in product(group, repeat=2):
            if (left is None and right is None) or (but_equal_writes and left == right):
                continue
            for (loop, value), (other, other_value) in zip(first, second, strict=False):
                if loop != other:
                    break
                if value != other_value:
                    carried.add(loop)
                    break
    return carried


def kinds_of(nest: LoopNest) -> dict[NodeId, set[str]]:
    """What may be said of each loop: not all writes of one value are known to be."""
    meeting, differing = conflicting_loops(nest, {}), conflicting_loops(nest, {}, but_equal_writes=True)
    kinds = {loop.id: {"carried", "reduction"} if loop.id in meeting else {"parallel"} for loop in loops_of(nest)}
    return {loop: {"carried"} if loop in differing else kind for loop, kind in kinds.items()}


@settings(max_examples=examples(400))
@given(nests())
def test_verdict_equals_the_enumeration_of_all_iterations(nest: LoopNest) -> None:
    verdicts = {v.loop: v for v in loop_verdicts(nest)}
    assert list(verdicts) == [loop.id for loop in loops_of(nest)]
    kinds = kinds_of(nest)
    for loop, verdict in verdicts.items():
        assert verdict.kind in kinds[loop], (loop, verdict)


@settings(max_examples=examples(150))
@given(quasi_affine_nests())
def test_verdicts_of_quasi_affine_nests_equal_the_enumeration(nest: LoopNest) -> None:
    kinds = kinds_of(nest)
    for verdict in loop_verdicts(nest):
        if verdict.kind != "unknown":
            assert verdict.kind in kinds[verdict.loop], verdict
        else:
            assert "takes too many operations" in verdict.reason, verdict


# Derandomized: a conflict that needs sizes beyond SIZES would look like a wrong "carried".
@settings(max_examples=examples(150), derandomize=True)
@given(linear_nests())
def test_verdicts_of_linear_arrays_hold_for_all_small_sizes(nest: LoopNest) -> None:
    split = delinearise(nest)
    conditions = [c for r in references(split) if r.access is not None for c in r.access.conditions]
    conflicts = [
        (conflicting_loops(nest, {"n": n, "m": m}), all(eval(c, {"n": n, "m": m}) for c in conditions))
        for n, m in SIZES
    ]
    for verdict in loop_verdicts(split):
        if verdict.kind == "parallel":
            assert not any(verdict.loop in carried for carried, is_assumed in conflicts if is_assumed)
        elif verdict.kind == "reduction":
            for n, m in SIZES:
                assert verdict.loop not in conflicting_loops(nest, {"n": n, "m": m}, but_equal_writes=True)
        elif verdict.kind == "carried":
            assert any(verdict.loop in carried for carried, _ in conflicts)
