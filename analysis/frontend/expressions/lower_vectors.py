"""Values of GNU C's vector types: lists of lanes, single lanes, and the builtins behind the x86 intrinsics.

Source: GCC 6.52, "Using Vector Instructions through Built-in Functions".
Not modelled: which lane of a value comes from which of its operands, `p[i][0] = x` on a vector in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from pycparser import c_ast
from warplens.analysis.c.arithmetic import binary, converted
from warplens.analysis.c.vector_builtins import STREAMING_STORES
from warplens.analysis.frontend.expressions.lower_call import Calls
from warplens.analysis.frontend.expressions.lower_effect import VECTOR_COUNTS_ONCE
from warplens.analysis.ir.expression import BinaryOperator, Call, Expression, ScalarRef
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.ir.vector_parts import LANE, OF_LANES
from warplens.analysis.text.span import Span


def is_vector(ctype: CType) -> bool:
    """Whether a type is a vector type."""
    return isinstance(ctype, Scalar) and ctype.lanes > 1


class Vectors(Calls):
    """Lowers values of vector types; methods raise UnsupportedError."""

    def vector_of(self, initial: c_ast.InitList, ctype: CType) -> Expression:
        """`{a, b, c, d}` as a vector."""
        self.context.inexact[VECTOR_COUNTS_ONCE] = None
        values = [v.expr if isinstance(v, c_ast.NamedInitializer) else v for v in initial.exprs or ()]
        return Call(OF_LANES, self.values(values), ctype, False, "none")

    def vector_value(self, node: c_ast.Node) -> Expression | None:
        """Value of a literal of a vector, or of one lane; None for everything else."""
        match node:
            case c_ast.CompoundLiteral():
                ctype = self.types.resolve(node.type)
                return self.vector_of(node.init, ctype) if is_vector(ctype) else None
            case c_ast.ArrayRef(name=base) if isinstance(base, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)):
                ctype = self.type_of(base)
                if not isinstance(ctype, Scalar) or ctype.lanes == 1:
                    return None
                lane = replace(ctype, size_bytes=ctype.size_bytes // ctype.lanes, lanes=1)
                return Call(LANE, (self.lower(base), self.lower(node.subscript)), lane, False, "none")
            case _:
                return None

    def assign(self, node: c_ast.Assignment) -> Expression:
        """Value of an assignment; that of one lane sets the vector, the other lanes being what they were."""
        base = node.lvalue.name if isinstance(node.lvalue, c_ast.ArrayRef) else None
        variable = self.variable(base) if isinstance(base, c_ast.ID) else None
        is_plain = variable is not None and isinstance(node.lvalue.subscript, c_ast.Constant | c_ast.ID)
        if variable is None or not is_plain or not is_vector(variable.type):
            return super().assign(node)
        self.check_part_of(variable)
        lane = self.lower(node.lvalue)
        value = self.lower(node.rvalue)
        value = binary(cast("BinaryOperator", node.op[:-1]), lane, value) if node.op != "=" else value
        vector = self.context.scalar(variable, variable.name)
        at = self.lower(node.lvalue.subscript)
        whole = Call(OF_LANES, (vector, at, converted(value, lane.type)), vector.type, False, "none")
        span = self.context.extents.statement(self.context.extents.offset(node.coord)) if node.coord else Span(0, 0)
        self.store(base, None, "", whole, span)
        return self.lower(node.lvalue)

    def call(self, node: c_ast.FuncCall) -> Expression:
        """Value of a call; one that stores a vector past the caches is a store."""
        arguments = list(node.args.exprs) if node.args else []
        if self.called_name(node) in STREAMING_STORES and len(arguments) == 2:
            value, place = self.lower(arguments[1]), self.pointee(arguments[0])
            if isinstance(value.type, Scalar) and is_vector(value.type) and place.type != value.type:
                place = place.as_vector(value.type)
            span = self.context.extents.statement(self.context.extents.offset(node.coord)) if node.coord else Span(0, 0)
            target = self.store(node, place, "", value, span)
            return target if isinstance(target, ScalarRef) else value
        return super().call(node)
