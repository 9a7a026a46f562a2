"""Values, addresses and effects of a call that are settled before what comes next changes them."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.lower_effect import Effects
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.expression import Call, Expression, ScalarRef, Unknown, loads, walk
from warplens.analysis.ir.nest import Assign, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.text.span import Span

_DOING = (c_ast.FuncCall, c_ast.Assignment, c_ast.UnaryOp)


class KeptValues(Effects):
    """Keeps values in variables of the nest; methods raise UnsupportedError."""

    def call_span(self) -> Span | None:
        """Where the call stands whose body is being lowered, None outside of any."""
        return self.context.extents.call(0) if self.context.callers else None

    def temporary(self, name: str, value: Expression, known: Polynomial | None) -> ScalarRef:
        """A variable of the nest that holds a value from here on."""
        context = self.context
        symbol = context.declare(name, value.type, "body")
        reference = context.scalar(symbol, name)
        context.before.append(Assign(context.new_id(self.call_span()), reference, "", value, declares=True))
        context.values.known[symbol.name] = known
        return reference

    def kept(self, place: Place) -> Place:
        """A place whose subscripts stay what they are now, however often it is used."""
        dimensions = []
        for dimension in place.dimensions:
            subscript, index = dimension.subscript, dimension.index
            is_open = index is None or self.context.walks(index)
            varies = is_open and any(isinstance(n, ScalarRef) for n in walk(subscript))
            if isinstance(subscript, Unknown):
                subscript = replace(subscript, reads=())
            elif varies or any(loads(subscript)):
                if not self.context.in_nest:
                    raise UnsupportedError("an address that depends on memory")
                held = self.temporary("subscript'", subscript, None if is_open else index)
                subscript, index = held, self.context.values.data(held.name) if is_open else index
            dimensions.append(replace(dimension, subscript=subscript, index=index))
        return replace(place, dimensions=tuple(dimensions))

    def moves_by_data(self, node: c_ast.Assignment) -> bool:
        """Whether `p += n` moves a pointer that is followed, and data decides how far."""
        context = self.context
        symbol = context.lookup(node.lvalue.name)
        place = context.values.pointers.get(symbol.name)
        if place is None or place.array == symbol.name or symbol.name in context.values.closed | context.addressed:
            return False
        if symbol.name in context.walking:  # a variable goes its way
            return False
        if not context.in_nest or any(map(_may_do_something, nodes_of_kinds(node.rvalue, _DOING))):
            return False
        state = context.snapshot()
        try:
            return context.values.settled(self.lower(node.rvalue)) is None
        except UnsupportedError:
            return False
        finally:
            context.restore(state)
            context.before, context.after = [], []

    def at_once(self, node: c_ast.Node) -> Expression:
        """Value of an expression whose late effects (`return n++`) happen before anything else."""
        late = len(self.context.after)
        value = self.lower(node)
        if len(self.context.after) == late:
            return value
        if not self.context.in_nest:
            raise UnsupportedError("a side effect in a call")
        kept = self.temporary("value'", value, None)
        self.finish_from(late, self.context.scopes)
        return kept

    def finish_from(self, start: int, visible: list[dict[str, Symbol]]) -> None:
        """Emit late effects of a call's arguments or result, whose names are those of the scopes `visible`."""
        earlier, self.context.after = self.context.after[:start], self.context.after[start:]
        scopes, self.context.scopes = self.context.scopes, visible
        self.finish()
        self.context.scopes = scopes
        self.context.after = earlier


def _may_do_something(node: c_ast.Node) -> bool:
    return not isinstance(node, c_ast.UnaryOp) or node.op in {"++", "--", "p++", "p--"}


def as_setting(node: c_ast.Assignment) -> c_ast.Assignment:
    """`p = p + n` for `p += n`."""
    moved = c_ast.BinaryOp(node.op[0], node.lvalue, node.rvalue, node.coord)
    return c_ast.Assignment("=", node.lvalue, moved, node.coord)


def is_copy(statement: Statement) -> bool:
    """Whether no more is done than that a new variable gets a value which is computed without effects."""
    if not isinstance(statement, Assign) or not statement.declares or not isinstance(statement.target, ScalarRef):
        return False
    return not any(isinstance(part, Call) and not part.is_math for part in walk(statement.value))
