"""Nests built by hand: a little notation for expressions, accesses and loops, without a front end."""

from __future__ import annotations

from itertools import count

from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.expression import Access, Binary, Constant, Expression, Load, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, If, Loop, LoopNest, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import FLOAT, INT, CType, Scalar


def poly(value: Polynomial | int | str) -> Polynomial:
    """A symbol, a constant or a polynomial as it is."""
    if isinstance(value, str):
        return Polynomial.symbol(value)
    return Polynomial.constant(value) if isinstance(value, int) else value


class NestBuilder:
    """Hands out node ids."""

    def __init__(self) -> None:
        self._ids = count(100)
        self.arrays: dict[str, ArrayObject] = {}

    def new_id(self) -> NodeId:
        return NodeId(next(self._ids))

    def access(
        self,
        array: str,
        *indices: Polynomial | int | str,
        extents: tuple[int | str | None, ...] | None = None,
        type_: CType = FLOAT,
    ) -> Access:
        sizes = extents if extents is not None else (None,) * len(indices)
        polynomials = tuple(None if e is None else poly(e) for e in sizes)
        size = type_.size_bytes if isinstance(type_, Scalar) else 4
        self.arrays.setdefault(
            array, ArrayObject(array, type_, size, polynomials, "parameter", is_pointer=True, restrict=True)
        )
        subscripts = tuple(ScalarRef(str(index), INT) for index in indices)
        return Access(self.new_id(), array, type_, subscripts, tuple(poly(i) for i in indices), polynomials, size)

    def gathered(self, array: str, subscript: Expression, type_: CType = FLOAT) -> Access:
        size = type_.size_bytes if isinstance(type_, Scalar) else 4
        self.arrays.setdefault(array, ArrayObject(array, type_, size, (None,), "parameter", is_pointer=True))
        return Access(self.new_id(), array, type_, (subscript,), (None,), (None,), size)

    def assign(self, target: Access | ScalarRef, value: Expression, operator: str = "") -> Assign:
        return Assign(self.new_id(), target, operator, value)

    def loop(
        self,
        iterator: str,
        start: Polynomial | int | str,
        limit: Polynomial | int | str,
        *body: Statement,
        step: int = 1,
        more_limits: tuple[Polynomial | int | str, ...] = (),
    ) -> Loop:
        limits = (poly(limit), *(poly(more) for more in more_limits))
        return Loop(self.new_id(), iterator, INT, poly(start), limits, step, tuple(body))

    def when(self, condition: Expression, *then: Statement) -> If:
        return If(self.new_id(), condition, tuple(then))

    def nest(self, root: Loop, *parameters: str) -> LoopNest:
        return LoopNest(root, tuple(self.arrays.values()), (), tuple(sorted(parameters)))


def scalar(name: str, type_: CType = FLOAT) -> ScalarRef:
    return ScalarRef(name, type_)


def number(value: float, type_: CType = FLOAT) -> Constant:
    return Constant(value, type_)


def binary(operator: str, left: Expression, right: Expression, type_: CType = FLOAT) -> Binary:
    return Binary(operator, left, right, type_)


def load(access: Access) -> Load:
    return Load(access)


def parallel(*loops: Loop) -> tuple[LoopVerdict, ...]:
    return tuple(LoopVerdict(loop.id, "parallel") for loop in loops)


def reducing(loop: Loop, variable: str, statement: NodeId, is_array_element: bool = False) -> LoopVerdict:
    return LoopVerdict(loop.id, "reduction", reductions=(Reduction(variable, "+", statement, is_array_element),))
