"""How wide the lanes are in which a loop's whole numbers are computed in SIMD code, and what changes their width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warplens.analysis.cpu.expression_fold import folded
from warplens.analysis.cpu.statement_calls import is_constant_division
from warplens.analysis.cpu.value_ranges import Range, combined, range_of, range_of_type
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.ir.types import CType, Scalar

_LOW_BITS = frozenset(("+", "-", "*", "&", "|", "^", "<<"))
"""Operations of which the low bits of the result need the low bits of the operands alone."""
_WIDEST = 8
_BITS = 32
_MAX_REPEATS = 32
_PACK = 1.5
"""Instructions that make one vector of two: each masked, then packed together."""


@dataclass(frozen=True, slots=True)
class LaneWidths:
    """`bytes_of` has the mean width of a statement's operations on whole numbers, in bytes, where it has some.

    `moved_bytes` are bytes of vectors per iteration that instructions write which only change the width of lanes,
    `smallest` is the width of the narrowest lane, `wide_divisions` are by constants in lanes of four bytes or more.
    """

    bytes_of: Mapping[NodeId, float]
    moved_bytes: float
    smallest: int
    wide_divisions: float = 0.0


NO_LANES = LaneWidths({}, 0.0, _WIDEST)
"""Of a loop that is never in lanes."""


def lane_widths(body: Sequence[Statement], repeats: Mapping[NodeId, float]) -> LaneWidths:
    """Narrow the operations of an innermost loop as far as their values allow.

    C computes with bytes and shorts as `int`. gcc's vectoriser undoes that: an operation is done in as few bytes as
    hold its operands and result, or as its result is needed in. Loads are widened step by step (each step two
    instructions, a vector each), stores are packed.

    `repeats` are the trip counts of loops that are unrolled into the body. Units: bytes.
    Source: gcc's vect_determine_precisions and vect_recog_over_widening_pattern (tree-vect-patterns.cc).
    """
    widths = _Widths(repeats)
    widths.run(body)
    means = {statement: sum(each) / len(each) for statement, each in widths.found.items() if each}
    return LaneWidths(means, widths.moved_bytes, min(widths.smallest, _WIDEST), widths.wide_divisions)


@dataclass(slots=True)
class _Widths:
    repeats: Mapping[NodeId, float]
    found: dict[NodeId, list[int]] = field(default_factory=dict)
    moved_bytes: float = 0.0
    smallest: int = _WIDEST
    wide_divisions: float = 0.0
    known: dict[str, Range] = field(default_factory=dict)
    widened: dict[tuple[str, int], None] = field(default_factory=dict)

    def run(self, body: Sequence[Statement]) -> None:
        for statement in body:
            match statement:
                case Assign():
                    self._assign(statement)
                case If(id=which, condition=condition, then=then, otherwise=otherwise):
                    self._expression(which, condition, _WIDEST)
                    before = dict(self.known)
                    self.run(then)
                    after, self.known = self.known, before
                    self.run(otherwise)
                    self.known = {
                        name: found.joined(self.known[name]) for name, found in after.items() if name in self.known
                    }
                case Loop(id=inner):
                    for _ in range(int(min(self.repeats.get(inner, 1.0), _MAX_REPEATS))):
                        self.widened.clear()
                        self.run(statement.body)
                case _:
                    pass

    def _assign(self, statement: Assign) -> None:
        target, kind = statement.target, statement.target.type
        name = target.name if isinstance(target, ScalarRef) else target.element
        is_stored = isinstance(target, Access)
        size = _size(kind)
        if is_stored:
            self.smallest = min(self.smallest, size)
        needed = size if is_stored and _is_whole(kind) else _WIDEST
        if statement.operator and statement.operator not in _LOW_BITS:
            needed = _WIDEST
        value, width = self._expression(statement.id, statement.value, needed)
        if _is_whole(kind):
            if statement.operator:
                held = self.known.get(name) or range_of_type(kind)
                total = combined(statement.operator, held, value)
                whole = range_of_type(kind)
                if total is None or total.low < whole.low or total.high > whole.high:
                    total = whole
                own = min(max(total.bytes, held.bytes), needed)
                self.found.setdefault(statement.id, []).append(own)
                self._change(width, own)
                value, width = total, own
            elif not _is_whole(statement.value.type) or value.bytes > size:
                value = range_of_type(kind)
            self.known[name] = value
        if is_stored:
            self._change(width, size)

    def _expression(self, statement: NodeId, expression: Expression, needed: int) -> tuple[Range, int]:
        """Count an expression's operations, with so many bytes of its result needed; its range, its lanes' width."""
        ranges: dict[int, Range] = {}

        def combine(node: Expression, operands: list[Range]) -> Range:
            found = range_of(node, operands, self.known)
            ranges[id(node)] = found
            return found

        whole = folded(expression, combine)
        root_width = _WIDEST
        pending: list[tuple[Expression, int, int]] = [(expression, needed, 0)]
        while pending:
            node, wanted, outer = pending.pop()
            width, asked = self._width(node, ranges, wanted)
            if outer and not isinstance(node, Constant):
                self._move(node, width, outer)
            if not outer:
                root_width = width
            if isinstance(node, Load):
                self.smallest = min(self.smallest, width)
                continue
            if width > 2 and is_constant_division(node):
                self.wide_divisions += 1.0
            if isinstance(node, Conditional):
                self._change(self._compared(node, ranges), width)
            if _is_counted(node):
                self.found.setdefault(statement, []).append(width)
            for at, operand in enumerate(children(node)):
                is_condition = isinstance(node, Conditional) and at == 0
                pending.append((operand, _WIDEST if is_condition else asked, 0 if is_condition else width))
        return whole, root_width

    def _compared(self, node: Conditional, ranges: Mapping[int, Range]) -> int:
        """Width of the lanes of a condition, whose masks choose among lanes of another width."""
        return self._width(node.condition, ranges, _WIDEST)[0]

    def _width(self, node: Expression, ranges: Mapping[int, Range], wanted: int) -> tuple[int, int]:
        """Width of a node's lanes, and bytes of its operands that are needed for those wanted of it."""
        if not _is_whole(node.type):
            return _size(node.type), _WIDEST
        own = ranges[id(node)].bytes
        match node:
            case Binary(">>" | "/", Binary("+") as total, Constant(1 | 2)) if _is_average(node, total, ranges):
                return own, own
            case Load():
                return _size(node.type), _WIDEST
            case ScalarRef():
                return min(own, wanted), _WIDEST
            case Cast(operand, Scalar(size_bytes=size)) if _is_whole(operand.type):
                return min(max(own, 1), wanted, max(ranges[id(operand)].bytes, 1)), min(wanted, size)
            case Cast(operand):
                return max(_size(operand.type), own), _WIDEST
            case Conditional():
                return own, _WIDEST
            case Unary("-" | "~"):
                width = min(max(own, ranges[id(node.operand)].bytes), wanted)
                return width, width
            case Binary(">>", left, Constant(int() as bits)) if wanted < _WIDEST and 0 <= bits < _BITS:
                asked = next(size for size in (1, 2, 4, 8) if 8 * size >= 8 * wanted + bits)
                return min(ranges[id(left)].bytes, asked), asked
            case Binary(operator, left, right):
                operands = [ranges[id(one)].bytes if _is_whole(one.type) else _size(one.type) for one in (left, right)]
                if operator in _LOW_BITS:
                    width = min(max(own, *(operands if operator != "<<" else operands[:1])), wanted)
                    return width, width
                sides = operands[:1] if operator in {">>", "/", "%"} else operands
                return max(own if operator in {">>", "/", "%"} else 1, *sides), _WIDEST
            case _:
                return own, _WIDEST

    def _move(self, node: Expression, width: int, outer: int) -> None:
        """Widen or narrow an operand; one that is loaded only once in an iteration."""
        if isinstance(node, Load):
            key = (node.access.element, outer)
            if key in self.widened:
                return
            self.widened[key] = None
        elif isinstance(node, ScalarRef) and node.name not in self.known:
            return
        self._change(width, outer)

    def _change(self, width: int, into: int) -> None:
        while width < into:
            width *= 2
            self.moved_bytes += width
        while width > into:
            self.moved_bytes += _PACK * width / 2
            width //= 2


def _is_average(node: Binary, total: Binary, ranges: Mapping[int, Range]) -> bool:
    """Whether a sum is halved that needs a byte or two, which has an instruction (pavgb) or two."""
    halves = 1 if node.operator == ">>" else 2
    addends = (ranges[id(total.left)], ranges[id(total.right)])
    is_halved = isinstance(node.right, Constant) and node.right.value == halves
    return is_halved and ranges[id(node)].bytes <= 2 and all(addend.low >= 0 for addend in addends)


def _is_counted(node: Expression) -> bool:
    """Whether a node is an operation on whole numbers (comparisons have the width of what they compare)."""
    return _is_whole(node.type) and isinstance(node, Binary | Unary | Conditional)


def _is_whole(kind: CType) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "int"


def _size(kind: CType) -> int:
    return min(kind.size_bytes, _WIDEST) if isinstance(kind, Scalar) else _WIDEST
