"""Tests of loops as comparisons of polynomials; addresses are compared by where they point."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.c.arithmetic import binary
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.call_arguments import is_null
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.statements.lower_branch import Branches
from warplens.analysis.frontend.values.closed_form import expression_of
from warplens.analysis.frontend.values.loop_limits import MIRRORED, Comparison, comparisons
from warplens.analysis.ir.expression import Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, LONG, PointerTo, Scalar

_COMPARED = frozenset({"<", "<=", ">", ">=", "!="})


class Comparisons(Branches):
    """Lowers the tests of loops; methods raise UnsupportedError."""

    def compared(self, test: c_ast.Node) -> list[Comparison]:
        """A test of a loop as comparisons of polynomials; pointers are compared by where they point."""
        if isinstance(test, c_ast.BinaryOp) and test.op in _COMPARED:
            left, right = self.expressions.type_of(test.left), self.expressions.type_of(test.right)
            sides = (left, right) if not is_null(test.left) and not is_null(test.right) else ()
            if any(isinstance(side, PointerTo) for side in sides):
                return [self._addresses(test)]
        expression = self.pure(test)
        if not isinstance(test, c_ast.BinaryOp) and _is_number(expression):
            value = self.context.values.settled(expression)
            return [Comparison("!=", value, Polynomial(()), (expression,) if value is None else ())]
        return comparisons(expression, self.context.values)

    def pure(self, node: c_ast.Node) -> Expression:
        """Expression in a header: a side effect there is not understood."""
        before, after = list(self.context.before), list(self.context.after)
        value = self.expressions.lower(node)
        if self.context.before != before or self.context.after != after:
            self.context.before, self.context.after = before, after
            raise UnsupportedError("a side effect in a loop's header or condition")
        return value

    def is_visible(self, node: c_ast.Node) -> bool:
        """Whether every name of an expression is declared outside of the loop."""
        stack = [node]
        while stack:
            item = stack.pop()
            if isinstance(item, c_ast.ID) and not self.is_declared(item.name):
                return False
            stack.extend(item)
        return True

    def is_declared(self, name: str) -> bool:
        """Whether a name is in scope."""
        return name in self.context.file_scope.symbols or any(name in scope for scope in self.context.scopes)

    def _addresses(self, test: c_ast.BinaryOp) -> Comparison:
        """`p < end`: a distance where both point into the same object."""
        left, right = self._place_of(test.left), self._place_of(test.right)
        if left is not None and right is not None:
            one, other = left.dimensions[-1].index, right.dimensions[-1].index
            outer = [tuple(d.index for d in place.dimensions[:-1]) for place in (left, right)]
            same = (left.array, left.member, left.element_bytes) == (right.array, right.member, right.element_bytes)
            if same and outer[0] == outer[1] and (found := self._distance(test.op, left, right)) is not None:
                return found
            if self._are_own(left, right) and one is not None and other is not None:
                values, meant = self.context.values, f"{right.array} - {left.array}"
                distance = values.derive(values.spelled_as(meant, f"({c_name(meant)})"), None, meant)
                return Comparison(test.op, one, other + distance, ())
        known = [place for place in (left, right) if place is not None and self._is_known(place)]
        reason = "the end of a pointer's way is not known to be in the same array"
        read = tuple(d.subscript for place in known for d in place.dimensions)
        return Comparison(test.op, None, None, (Unknown(reason, read, INT, is_pure=len(known) == 2),))

    def _distance(self, operator: str, left: Place, right: Place) -> Comparison | None:
        """How far apart two places in one array are; what data decides of that is read, as a limit of the rest."""
        values = self.context.values
        sides = [place.dimensions[-1] for place in (left, right)]
        known = [Polynomial(()) if side.index is None else side.index for side in sides]
        clean, decided = values.parted(known[0] - known[1])
        if sides[0].index is not None and sides[1].index is not None and not decided.terms:
            return Comparison(operator, clean, Polynomial(()), ())
        reads = [side.subscript for side in sides if side.index is None]
        if len(reads) > 1 or any(isinstance(part, Unknown) for one in reads for part in walk(one)):
            return None
        if sides[0].index is None:
            clean, decided, operator = -clean, -decided, MIRRORED[operator]
        rest = expression_of(self.context, -decided, LONG)
        read = binary("+", reads[0], rest) if reads and decided.terms else reads[0] if reads else rest
        return Comparison(operator, clean, None, (read,))

    def _is_known(self, place: Place) -> bool:
        """Whether an address is one of an object that is the same in all iterations, or that one of them has anew.

        Not one that is in memory, which may change.
        """
        values, array = self.context.values, self.context.arrays.get(place.array)
        is_direct = c_name(place.array).isidentifier() and (array is None or None not in array.extents[1:])
        is_same = place.array not in values.changing or values.given.get(place.array) in values.loops
        return is_direct and is_same

    def _are_own(self, left: Place, right: Place) -> bool:
        """Whether both are what a pointer held before the nest, the right one unmoved."""
        arrays = self.context.arrays
        same = left.element_bytes == right.element_bytes and left.array != right.array
        pointers = all(
            place.array in arrays
            and arrays[place.array].is_pointer
            and place.array not in self.context.values.changing
            and len(place.dimensions) == 1
            and not place.member
            for place in (left, right)
        )
        return same and pointers and right.array not in map(self.unique, self.context.moving)

    def _place_of(self, node: c_ast.Node) -> Place | None:
        state = self.context.snapshot()
        try:
            place = self.expressions.pointee(node)
        except UnsupportedError:
            self.context.restore(state)
            return None
        return place if place.dimensions and not place.member else None


def _is_number(expression: Expression) -> bool:
    kinds = (ScalarRef, Load)
    return isinstance(expression, kinds) or (isinstance(expression.type, Scalar) and expression.type.kind == "int")
