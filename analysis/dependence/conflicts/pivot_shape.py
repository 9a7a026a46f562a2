"""Whether an update of `d[i][j]` from `d[i][k]` and `d[k][j]` leaves row k and column k as they are, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.dependence.conflicts.pivot_updates import Update
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    children,
    walk,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, Scalar

_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_ORDERS = frozenset(("<", "<=", ">", ">="))
_DUAL = {"min": "max", "max": "min", "|": "&", "&": "|"}
Indices = tuple[Polynomial | None, ...]
Kind = Literal["proved", "promised", "tested"]
_Test = tuple[str, int]
"""A comparison with a number."""
_IS_SET: _Test = ("!=", 0)


@dataclass(frozen=True, slots=True)
class PivotShape:
    """`own` are the subscripts of what is set, `row` those of `d[k][j]`, `column` of `d[i][k]`, `at` is k."""

    array: str
    own: Indices
    row: Indices
    column: Indices
    at: Polynomial
    element: Scalar

    @staticmethod
    def of(update: Update) -> PivotShape | None:
        """The shape that the loads of an update have; None where they have no such one."""
        target, element = update.target, update.target.type
        own = target.indices
        if len(own) < 2 or None in own or target.member or not isinstance(element, Scalar):
            return None
        every = (p.access for e in (update.value, *update.conditions) for p in walk(e) if isinstance(p, Load))
        loads = [one for one in every if one.array == target.array]
        if any(one.extents[1:] != target.extents[1:] or one.type != element for one in loads):
            return None
        others = {one.indices for one in loads}
        for column in sorted(others, key=str):
            at = column[-1]
            row = (*own[:-2], at, own[-1])
            if at is not None and column[:-1] == own[:-1] and at not in own[-2:] and row in others:
                return PivotShape(target.array, own, row, column, at, element)
        return None

    def is_pivot(self, access: Access) -> bool:
        """Whether an access is to the element of the row or of the column."""
        return access.array == self.array and access.indices in {self.row, self.column}

    def kind_of(self, update: Update) -> Kind | None:
        """Why the row and the column keep their values; None if they may not.

        "tested": only whether they pass a test stays as it is.
        """
        for operator, given in self._choices(update):
            if operator == "min" and self._is_sum(given):
                is_whole = self.element.kind == "float" or self.element.signed or self.element.size_bytes < 4
                if is_whole and self.element.kind in {"int", "float"}:
                    return "promised"
            elif self.element.kind == "int" and self._is_dual(operator, given):
                return "proved"
        return "tested" if self.element.kind == "int" and self._is_tested(update) else None

    def _choices(self, update: Update) -> Iterator[tuple[str, Expression]]:
        """Operators, with what an element is joined with by them: `min` with `a` for `if (d > a) d = a`."""
        value = self._plain(update.value)
        if update.operator in _DUAL:
            yield update.operator, value
        if update.operator:
            return
        for condition in update.conditions:
            for part in _parts(condition, "&&"):
                if isinstance(part, Binary) and part.operator in _ORDERS:
                    operator: str = part.operator
                    for left, right in ((part.left, part.right), (part.right, part.left)):
                        if self._is(left, self.own) and self._is_alike(self._plain(right), value):
                            yield "min" if operator[0] == ">" else "max", value
                        operator = _SWAPPED[operator]
        joined = self._joined(value)
        if joined is not None:
            name, left, right = joined
            yield from ((name, other) for own, other in ((left, right), (right, left)) if self._is(own, self.own))

    def _is_alike(self, left: Expression, right: Expression) -> bool:
        return _same(left, right) or (self._is_sum(left) and self._is_sum(right))

    def _is_sum(self, value: Expression) -> bool:
        """Whether a value is the sum of the row's and the column's elements."""
        return isinstance(value, Binary) and value.operator == "+" and self._are_both(value.left, value.right)

    def _joined(self, value: Expression) -> tuple[str, Expression, Expression] | None:
        """`fmin(a, b)`, `a < b ? a : b`, `a | b` and their like as an operator with its operands."""
        match value:
            case Binary(operator="|" | "&" as operator):
                return operator, self._plain(value.left), self._plain(value.right)
            case Call(function="fmin" | "fminf" | "fmax" | "fmaxf" as function, is_math=True):
                left, right = value.arguments
                return function[1:4], self._plain(left), self._plain(right)
            case Conditional(condition=Binary(operator=operator, left=left, right=right)) if operator in _ORDERS:
                left, right = self._plain(left), self._plain(right)
                then, otherwise = self._plain(value.then), self._plain(value.otherwise)
                is_first = _same(then, left) and _same(otherwise, right)
                if is_first or (_same(then, right) and _same(otherwise, left)):
                    return "min" if is_first == (operator[0] == "<") else "max", left, right
            case _:
                pass
        return None

    def _is_dual(self, operator: str, given: Expression) -> bool:
        """Whether what is joined is the row and the column under the operator that is absorbed."""
        joined = self._joined(given)
        return joined is not None and joined[0] == _DUAL[operator] and self._are_both(joined[1], joined[2])

    def _is_tested(self, update: Update) -> bool:
        """Whether an element that is set passes a test that the row's and the column's elements have passed.

        `if (r[i][k] && r[k][j]) r[i][j] = 1`, `r[i][j] = r[i][j] || (r[i][k] && r[k][j])`. Nothing else may be asked.
        """
        passed = [test for one in update.conditions for part in _parts(one, "&&") if (test := self._test(part))]
        value = self._plain(update.value)
        if isinstance(value, Constant) and value.value in range(128) and not update.operator:
            tests = {test for _, test in passed}
            is_passed = len(tests) == 1 and _holds(int(value.value), tests.pop())
        else:
            given = self._given(update, value)
            passed += [(indices, _IS_SET) for indices in given]
            is_passed = bool(given) and all(test == _IS_SET for _, test in passed)
        named = (p for e in (update.value, *update.conditions) for p in walk(e) if isinstance(p, Load))
        asked = sum(1 for one in named if one.access.array == self.array and self.at in one.access.indices[-2:])
        return is_passed and asked == len(passed) and {self.row, self.column} <= {indices for indices, _ in passed}

    def _given(self, update: Update, value: Expression) -> list[Indices]:
        """The elements of the row and the column that all have to be set for an element to become, or stay, set."""
        choices = list(_parts(value, "||"))
        rest = [one for one in choices if self._test_of(one, self.own) != _IS_SET]
        keeps = update.operator == "|" if len(rest) == len(choices) else not update.operator
        if not keeps or len(rest) != 1:
            return []
        parts = list(_parts(rest[0], "&&"))
        tests = [test for part in parts if (test := self._test(part)) is not None and test[1] == _IS_SET]
        return [indices for indices, _ in tests] if len(tests) == len(parts) else []

    def _test(self, part: Expression) -> tuple[Indices, _Test] | None:
        """A test that the row's or the column's element has passed."""
        for indices in (self.row, self.column):
            test = self._test_of(part, indices)
            if test is not None:
                return indices, test
        return None

    def _test_of(self, part: Expression, indices: Indices) -> _Test | None:
        if self._is(part, indices):
            return _IS_SET
        if not isinstance(part, Binary) or part.operator not in _SWAPPED:
            return None
        operator: str = part.operator
        for left, right in ((part.left, part.right), (part.right, part.left)):
            number = self._plain(right)
            if self._is(left, indices) and isinstance(number, Constant) and isinstance(number.value, int):
                return operator, number.value
            operator = _SWAPPED[operator]
        return None

    def _are_both(self, left: Expression, right: Expression) -> bool:
        pairs = ((left, right), (right, left))
        return any(self._is(one, self.row) and self._is(other, self.column) for one, other in pairs)

    def _is(self, value: Expression, indices: Indices) -> bool:
        plain = self._plain(value)
        return isinstance(plain, Load) and plain.access.array == self.array and plain.access.indices == indices

    def _plain(self, value: Expression) -> Expression:
        """Without conversions that keep each value of an element."""
        while isinstance(value, Cast) and _keeps(value.type, self.element) and _keeps(value.type, value.operand.type):
            value = value.operand
        return value


def _keeps(target: CType, of: CType) -> bool:
    """Whether a type holds all values of another one, in their order."""
    if not isinstance(target, Scalar) or not isinstance(of, Scalar) or target.kind != of.kind:
        return False
    if target.kind == "int" and target.signed != of.signed:
        return target.signed and target.size_bytes > of.size_bytes
    return target.size_bytes >= of.size_bytes


def _holds(value: int, test: _Test) -> bool:
    operator, number = test
    match operator:
        case "==":
            return value == number
        case "!=":
            return value != number
        case "<":
            return value < number
        case "<=":
            return value <= number
        case ">":
            return value > number
        case _:
            return value >= number


def _parts(value: Expression, operator: str) -> Iterator[Expression]:
    """Operands of `&&` or `||`, however they are grouped."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, Binary) and part.operator == operator:
            stack += [part.right, part.left]
        else:
            yield part


def _same(left: Expression, right: Expression) -> bool:
    """Whether two expressions are alike but for where they stand."""
    stack = [(left, right)]
    while stack:
        one, other = stack.pop()
        if type(one) is not type(other):
            return False
        match one, other:
            case (Load(a), Load(b)):
                is_alike = a.array == b.array and a.indices == b.indices and None not in a.indices
                if not is_alike or a.member or b.member:
                    return False
                continue
            case (ScalarRef(), ScalarRef()) | (Constant(), Constant()):
                if one != other:
                    return False
                continue
            case (Unary(operator=a), Unary(operator=b)) | (Binary(operator=a), Binary(operator=b)) if a == b:
                pass
            case (Cast(), Cast()) | (Conditional(), Conditional()):
                pass
            case (Call(function=a, is_math=True), Call(function=b)) if a == b:
                pass
            case _:
                return False
        if one.type != other.type or len(children(one)) != len(children(other)):
            return False
        stack += zip(children(one), children(other), strict=True)
    return True
