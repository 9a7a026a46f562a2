"""Pointers that statements set: where they point is followed as long as it is known."""

from __future__ import annotations

from abc import ABC
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import addresses_in
from warplens.analysis.frontend.expressions.call_arguments import is_null
from warplens.analysis.frontend.expressions.owned_memory import owning_loop
from warplens.analysis.frontend.expressions.values_before_call import is_copy
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.statements.source_statement import SourceStatements
from warplens.analysis.frontend.values.closed_form import expression_of
from warplens.analysis.frontend.values.context import Origin
from warplens.analysis.ir.addresses import address_in
from warplens.analysis.ir.expression import Call, Constant, Unknown, loads, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, LONG, ArrayOf, CType, PointerTo


class FollowedPointers(SourceStatements, ABC):
    """Follows the pointers that declarations and assignments set; methods raise UnsupportedError."""

    def assigned_pointer(self, node: c_ast.Assignment) -> bool:
        """Whether a pointer variable is set to what is followed, so that nothing has to be stored."""
        symbol = self.context.lookup(node.lvalue.name)
        if not isinstance(symbol.type, PointerTo) or symbol.is_array_parameter or symbol.name in self.context.addressed:
            return False
        pointer = self.given_memory(node.rvalue, node.lvalue.name, symbol.type) or self.known_pointer(
            node.rvalue, symbol.name, symbol.type
        )
        if symbol.name in self.context.values.closed and pointer is not None:
            self.context.values.pointers[symbol.name] = pointer
            return True
        self.context.values.pointers.pop(symbol.name, None)
        if pointer is None or pointer.array == symbol.name:
            return False
        self.follow(symbol, pointer)
        return True

    def follow(self, symbol: Symbol, place: Place) -> None:
        """Note where a pointer points; one that data decides is not followed where it moves from there."""
        values = self.context.values
        if any(d.index is None for d in place.dimensions):
            owner = values.given.get(place.array)
            values.lose(symbol.name, owner if owner in values.loops else None)
        values.pointers[symbol.name] = place

    def owner(self, name: str, ctype: CType, value: c_ast.Node) -> NodeId | None:
        """The loop whose iterations own what a pointer variable is set to lead to, followed or not."""
        is_followed = bool(self.context.loops) and isinstance(ctype, PointerTo) and name not in self.context.addressed
        return owning_loop(self.expressions, value) if is_followed else None

    def note_lost(self, symbol: Symbol, value: c_ast.Node, owner: NodeId | None) -> None:
        """What is still known of a pointer whose value is not followed: a null one leads nowhere."""
        values = self.context.values
        if not isinstance(symbol.type, PointerTo) or symbol.name in values.closed:
            return
        if is_null(value):
            values.lose(symbol.name, is_undefined=True)
        elif owner is not None and symbol.name not in values.pointers:
            values.lose(symbol.name, owner)
            values.note_set(symbol.name)

    def kept_address(self, symbol: Symbol, name: str, node: c_ast.Node) -> list[Statement]:
        """What a followed pointer's setting leaves when its value is read: by a later iteration, or after the loop.

        Others may always read that of the file.
        """
        context = self.context
        is_own = bool(context.loops) and symbol.declared_in == context.loops[-1]
        if not context.loops or is_own or symbol.name in context.values.closed:
            return []
        loop = context.loop_nodes[context.loops[-1]]
        is_read = symbol.scope == "global" or name in context.compared or context.is_live_after(loop, name)
        if not is_read:
            return []
        value = node.init if isinstance(node, c_ast.Decl) else node.rvalue
        read = [context.lookup(one) for one in sorted(addresses_in(value) & context.moving)]
        sources = tuple(
            context.scalar(one, one.name)
            for one in read
            if isinstance(one.type, PointerTo) and one.name not in context.values.closed | context.bound
        )
        place = context.values.pointers[symbol.name]
        address = address_in(place.array, sources, symbol.type, is_start=place.is_start)
        reference = context.scalar(symbol, symbol.name)
        return [Assign(context.new_id(self.span(node)), reference, "", address)]

    def given_memory(self, node: c_ast.Node, name: str, ctype: PointerTo) -> Place | None:
        """Memory that a call gives to a pointer in one iteration: an array that is declared here.

        New memory from the C library; what an unseen function gives is some memory of that iteration if somebody
        vouches for the function, and where nobody does the call itself stands in the way of its loop.
        """
        context = self.context
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if not context.in_nest or not context.loops or not isinstance(node, c_ast.FuncCall):
            return None
        function = self.expressions.called_name(node)
        known = library_call(function)
        is_new = known is not None and known.allocates and context.file_scope.definition(function) is None
        if not is_new and self.expressions.can_be_inlined(node):
            return None
        state = context.snapshot()
        value = self.expressions.lower(node)
        is_unseen = isinstance(value, Call) and value.effects == "unseen"
        if not is_new and not is_unseen:
            context.restore(state)
            context.before, context.after = [], []
            return None
        self.expressions.finish()
        if is_unseen:
            context.before.append(Evaluate(context.new_id(self.span(node)), value))
        symbol = Symbol(name, ArrayOf(ctype.target, None) if is_new else ctype, "body")
        made = context.declare(added(name), symbol.type, "body", symbol)
        context.scopes[-1].pop(added(name), None)
        context.array_object(made)
        context.arrays[made.name] = replace(context.arrays[made.name], reached_by=name)
        if is_new:
            context.allocated.add(made.name)
        context.values.given[made.name] = context.loops[-1]
        context.values.changing.add(made.name)
        context.origins[made.name] = Origin(name, call=node)
        index = Dimension(Constant(0, INT), Polynomial(()), None)
        return Place(made.name, (index,), ctype.target, element_bytes_of(ctype.target)[0])

    def known_pointer(self, node: c_ast.Node, name: str, ctype: PointerTo) -> Place | None:
        """Where a pointer of a type points, when its value can be followed; a variable keeps what data decides of it.

        `name` is the pointer's own: no place of its own object is one to follow.
        """
        state = self.context.snapshot()
        try:
            place = self.expressions.followed_place(node, ctype.target)
        except UnsupportedError:
            place = None
        late = self.context.after
        if not all(map(is_copy, self.context.before)) or any(not isinstance(lvalue, c_ast.ID) for lvalue, *_ in late):
            place = None
        if place is None or (place.member and not place.is_walkable) or not self._can_be_kept(place, name):
            self.context.restore(state)
            self.context.before, self.context.after = [], []
            return None
        if any(d.index is None or self.context.walks(d.index) for d in place.dimensions):
            return self.expressions.kept(place)
        # an access belongs to one statement, a followed pointer to many
        return replace(place, dimensions=tuple(map(self._without_loads, place.dimensions)))

    def _can_be_kept(self, place: Place, name: str) -> bool:
        """Whether the subscripts are known, or can be computed here and used from here on."""
        unknown = [d.subscript for d in place.dimensions if d.index is None]
        if not unknown:
            return True
        is_understood = not any(isinstance(part, Unknown) for subscript in unknown for part in walk(subscript))
        return is_understood and self.context.in_nest and place.array != name

    def _without_loads(self, dimension: Dimension) -> Dimension:
        """The dimension with its subscript made of its known value, where it loads what that is."""
        if not any(loads(dimension.subscript)):
            return dimension
        index = self.context.values.without_quotients(dimension.index)
        if index is None:
            return replace(dimension, subscript=Unknown(str(dimension.index), (), dimension.subscript.type))
        return replace(dimension, subscript=expression_of(self.context, index, LONG))
