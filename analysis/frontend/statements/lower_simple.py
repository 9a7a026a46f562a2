"""Declarations and expression statements of a nest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted, literal
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.c_types import is_scalar_value
from warplens.analysis.c.symbols import ScopeKind, Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.declarations.thread_variables import is_of_thread
from warplens.analysis.frontend.effects.constant_variables import without_constants
from warplens.analysis.frontend.effects.writes import Writes, addresses_in, has_effect, writes_of
from warplens.analysis.frontend.expressions.call_arguments import is_null
from warplens.analysis.frontend.expressions.lower_expression import Expressions
from warplens.analysis.frontend.expressions.lower_vectors import is_vector
from warplens.analysis.frontend.expressions.owned_memory import owning_loop
from warplens.analysis.frontend.expressions.values_before_call import as_setting, is_copy
from warplens.analysis.frontend.forms.simpler_statements import as_branches, parts_of
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.scopes.scope import initialised_extent
from warplens.analysis.frontend.syntax.constant_tables import table_values
from warplens.analysis.frontend.syntax.initialisers import element_initialisers, unstored_values
from warplens.analysis.frontend.values.closed_form import expression_of
from warplens.analysis.frontend.values.context import Context, Origin
from warplens.analysis.ir.addresses import address_in
from warplens.analysis.ir.expression import Call, Constant, Expression, Load, Unknown, loads, reads_volatile, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, OpaqueStatement, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, LONG, ArrayOf, CType, PointerTo, Scalar
from warplens.analysis.text.span import Span


class SimpleStatements(ABC):
    """Lowers statements that hold no others; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.expressions = Expressions(context)
        self.expressions.lower_block = self.called_block

    @abstractmethod
    def called_block(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        """Statements of a function's body that stands in place of its call."""

    @abstractmethod
    def branches(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """An `if`, which `c ? f() : g();` is."""

    def declaration(self, node: c_ast.Node) -> list[Statement]:
        """A declaration: its names and the stores of its initialisers."""
        context, types = self.context, self.expressions.types
        if not isinstance(node, c_ast.Decl):
            return self.expression_statement(node)
        if isinstance(node.type, c_ast.FuncDecl):
            return []
        ctype = types.resolve(node.type)
        for name, number in types.enumerators.items():
            context.scopes[0].setdefault(name, Symbol(name, INT, "local", is_const=True, value=number))
        if not node.name:
            return []
        if isinstance(ctype, ArrayOf) and ctype.extent is None and isinstance(node.init, c_ast.InitList):
            ctype = ArrayOf(ctype.element, initialised_extent(node.init))
        if "static" in (node.storage or []) or "extern" in (node.storage or []):
            if "extern" in (node.storage or []) and node.name in context.file_scope.symbols:
                context.scopes[-1][node.name] = context.file_scope.symbols[node.name]
                return []
            is_static = "static" in (node.storage or [])
            owner = context.callers[-1] if context.callers and is_static else ""
            earlier = context.statics.get((owner, node.name))  # one variable, however often the function is called
            made = earlier or context.declare(node.name, ctype, "global", self._declared(node, ctype, "global"))
            context.statics[owner, node.name] = context.scopes[-1][node.name] = made
            if context.callers:
                context.inlined_globals[node.name] = None
            return []
        pointer = None
        if isinstance(ctype, PointerTo) and node.init is not None and node.name not in context.addressed:
            pointer = self._given(node.init, node.name, ctype) or self._known_pointer(node.init, "", ctype)
        owning = self._owner(node.name, ctype, node.init) if node.init is not None else None
        is_lowered = pointer is not None and bool(context.before)
        value = None if is_lowered else self._initial_value(node.init, ctype)
        symbol = context.declare(node.name, ctype, "body", self._declared(node, ctype, "body"))
        if context.loops and not is_scalar_value(ctype):
            context.values.given[symbol.name] = context.loops[-1]
        hoisted, context.before = context.before, []
        if pointer is not None:
            self._follow(symbol, pointer)
            return [*hoisted, *self._kept_address(symbol, node.name, node), *self.late_effects()]
        if value is None:
            context.values.known[symbol.name] = None
            if isinstance(ctype, PointerTo):
                context.values.lose(symbol.name, is_undefined=node.init is None)
            return hoisted if node.init is None else [*hoisted, *self._initialised(node, ctype)]
        value = converted(value, ctype)
        reference = context.scalar(symbol, node.name)
        statement = Assign(context.new_id(self.span(node)), reference, "", value, declares=True)
        is_kept = node.name not in context.addressed
        known = context.values.stored(value, ctype) if is_kept else None
        context.values.declare(symbol.name, known, value if is_kept else None)
        self._note_lost(symbol, node.init, owning)
        return [*hoisted, statement, *self.late_effects()]

    def _declared(self, node: c_ast.Decl, ctype: CType, kind: ScopeKind) -> Symbol:
        def fold(value: c_ast.Node) -> int | None:
            if isinstance(value, c_ast.ID):
                return self.context.lookup(value.name).value
            number = literal(value.value)
            return number.value if number is not None and isinstance(number.value, int) else None

        is_const = isinstance(ctype, Scalar) and "const" in (node.quals or [])
        unstored = unstored_values(node, ctype) if kind == "body" else ""
        table = table_values(node, ctype, fold)
        return Symbol(
            node.name,
            ctype,
            kind,
            is_const=is_const,
            table=table,
            unstored=unstored,
            is_of_thread=is_of_thread(node.storage),
        )

    def _owner(self, name: str, ctype: CType, value: c_ast.Node) -> NodeId | None:
        """The loop whose iterations own what a pointer variable is set to lead to, followed or not."""
        is_followed = bool(self.context.loops) and isinstance(ctype, PointerTo) and name not in self.context.addressed
        return owning_loop(self.expressions, value) if is_followed else None

    def _note_lost(self, symbol: Symbol, value: c_ast.Node, owner: NodeId | None) -> None:
        """What is still known of a pointer whose value is not followed: a null one leads nowhere."""
        values = self.context.values
        if not isinstance(symbol.type, PointerTo) or symbol.name in values.closed:
            return
        if is_null(value):
            values.lose(symbol.name, is_undefined=True)
        elif owner is not None and symbol.name not in values.pointers:
            values.lose(symbol.name, owner)
            values.note_set(symbol.name)

    def _initial_value(self, initial: c_ast.Node | None, ctype: CType) -> Expression | None:
        """What a scalar or a vector is initialised with."""
        if isinstance(initial, c_ast.InitList):
            if is_vector(ctype):
                return self.expressions.vector_of(initial, ctype)
            while isinstance(initial, c_ast.InitList):  # `int k = {0}`; braces with nothing in them are C23's zero
                initial = initial.exprs[0] if initial.exprs else c_ast.Constant("int", "0", initial.coord)
        return self.expressions.lower(initial) if initial is not None and is_scalar_value(ctype) else None

    def _initialised(self, node: c_ast.Decl, ctype: CType) -> list[Statement]:
        """Stores of an array's or struct's initialiser."""
        span = self.span(node)
        stores: list[Statement] = []
        for lvalue, initial in element_initialisers(node, ctype):
            place = self.expressions.place(lvalue)
            value = self.expressions.lower(initial)
            self.expressions.store(lvalue, place, "", value, span)
            self.expressions.finish()
            stores += self.context.before
            self.context.before = []
        return stores

    def declare_anyway(self, node: c_ast.Node) -> None:
        """Names of a declaration that was not understood; what follows uses them."""
        for part in node.decls if isinstance(node, c_ast.DeclList) else [node]:
            if isinstance(part, c_ast.Decl) and part.name and part.name not in self.context.scopes[-1]:
                self.context.declare(part.name, self.expressions.types.resolve(part.type), "body")

    def expression_statement(self, node: c_ast.Node) -> list[Statement]:
        """An expression for its effects."""
        context = self.context
        match node:
            case c_ast.ExprList() | c_ast.Assignment() if len(parts := parts_of(node, context.lookup)) > 1:
                return [s for part in parts for s in self.expression_statement(part)]
            case c_ast.Cast():
                return self.expression_statement(node.expr)
            case c_ast.UnaryOp() if node.op in {"p++", "p--"}:
                node = c_ast.UnaryOp(node.op[1:], node.expr, node.coord)
            case c_ast.TernaryOp():
                return self.branches(c_ast.If(node.cond, node.iftrue, node.iffalse, node.coord), [])
            case c_ast.BinaryOp() if node.op in {"&&", "||"}:
                condition = node.left if node.op == "&&" else c_ast.UnaryOp("!", node.left, node.coord)
                return self.branches(c_ast.If(condition, node.right, None, node.coord), [])
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.TernaryOp()) if has_effect(
                node.rvalue
            ) or self._is_pointer_or_null(node):
                return self.branches(as_branches(node), [])
            case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID()) if self.expressions.moves_by_data(node):
                return self.expression_statement(as_setting(node))
            case c_ast.Assignment(lvalue=c_ast.ID()) if node.op == "=" and self._pointer_assignment(node):
                self.expressions.finish()
                given, context.before = context.before, []
                return [*given, *self._kept_address(context.lookup(node.lvalue.name), node.lvalue.name, node)]
        if self._frees_own(node):
            return []
        is_setting = isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID)
        owner = None
        if is_setting:
            owner = self._owner(node.lvalue.name, context.lookup(node.lvalue.name).type, node.rvalue)
        value = self.expressions.lower(node)
        if isinstance(value, Load) and not reads_volatile(value):
            context.drop(value.access.id)
        self.expressions.finish()
        if is_setting:
            self._note_lost(context.lookup(node.lvalue.name), node.rvalue, owner)
        statements, context.before = context.before, []
        is_stored = isinstance(node, c_ast.Assignment)  # its value is what it stored, which was evaluated there
        is_called = isinstance(value, Call) and not value.is_math and value.effects != "none"
        if not is_stored and (is_called or reads_volatile(value)):
            statements.append(Evaluate(context.new_id(self.span(node)), value))
        return statements

    def late_effects(self) -> list[Statement]:
        """Side effects that happen after the expression lowered last."""
        self.expressions.finish()
        late, self.context.before = self.context.before, []
        return late

    def _pointer_assignment(self, node: c_ast.Assignment) -> bool:
        symbol = self.context.lookup(node.lvalue.name)
        if not isinstance(symbol.type, PointerTo) or symbol.is_array_parameter or symbol.name in self.context.addressed:
            return False
        pointer = self._given(node.rvalue, node.lvalue.name, symbol.type) or self._known_pointer(
            node.rvalue, symbol.name, symbol.type
        )
        if symbol.name in self.context.values.closed and pointer is not None:
            self.context.values.pointers[symbol.name] = pointer
            return True
        self.context.values.pointers.pop(symbol.name, None)
        if pointer is None or pointer.array == symbol.name:
            return False
        self._follow(symbol, pointer)
        return True

    def _follow(self, symbol: Symbol, place: Place) -> None:
        """Note where a pointer points; one that data decides is not followed where it moves from there."""
        values = self.context.values
        if any(d.index is None for d in place.dimensions):
            owner = values.given.get(place.array)
            values.lose(symbol.name, owner if owner in values.loops else None)
        values.pointers[symbol.name] = place

    def _is_pointer_or_null(self, node: c_ast.Assignment) -> bool:
        """`q = c ? a + i : NULL`."""
        is_one = is_null(node.rvalue.iftrue) or is_null(node.rvalue.iffalse)
        is_pointer = isinstance(self.context.lookup(node.lvalue.name).type, PointerTo)
        return node.op == "=" and is_one and is_pointer and bool(self.context.values.loops)

    def _kept_address(self, symbol: Symbol, name: str, node: c_ast.Node) -> list[Statement]:
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

    def _given(self, node: c_ast.Node, name: str, ctype: PointerTo) -> Place | None:
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

    def _frees_own(self, node: c_ast.Node) -> bool:
        """Whether memory is given back that this iteration allocated."""
        if not isinstance(node, c_ast.FuncCall) or not node.args:
            return False
        function = self.expressions.called_name(node)
        known = library_call(function)
        if known is None or not known.frees or self.context.file_scope.definition(function) is not None:
            return False
        argument = node.args.exprs[0]
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        if not isinstance(argument, c_ast.ID):
            return False
        context, name = self.context, self.context.lookup(argument.name).name
        place = context.values.pointers.get(name)
        if place is None and argument.name in context.only_allocated and not context.callers:
            return context.values.given_in(name) is not None
        return place is not None and place.array in context.allocated

    def _known_pointer(self, node: c_ast.Node, name: str, ctype: PointerTo) -> Place | None:
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

    def opaque(self, node: c_ast.Node, reason: str) -> Statement:
        """Statement for one that was not understood."""
        return OpaqueStatement(self.context.new_id(self.span(node)), reason)

    def span(self, node: c_ast.Node) -> Span:
        """Place of a statement in the function's text."""
        extents = self.context.extents
        if node.coord is None:
            return Span(0, 0)
        offset = extents.offset(node.coord)
        if isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)):
            return extents.whole(offset)
        return extents.header(offset) if isinstance(node, c_ast.If) else extents.statement(offset)

    def writes(self, node: c_ast.Node | None) -> Writes:
        """What a tree writes, what the functions write that it calls included."""
        return without_constants(writes_of(node, self.context.file_scope.effects), self.context.scopes)

    def forget(self, source_names: frozenset[str]) -> None:
        """Drop what is known of the values of source names."""
        self.context.values.forget({self.unique(name) for name in source_names})

    def unique(self, name: str) -> str:
        """Name in the nest of a source name."""
        for scope in reversed(self.context.scopes):
            if name in scope:
                return scope[name].name
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Scope of a block."""
        self.context.scopes.append({})
        try:
            yield
        finally:
            self.context.scopes.pop()
