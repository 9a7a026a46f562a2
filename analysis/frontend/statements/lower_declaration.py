"""Declarations of a nest: the names, and the stores of their initialisers."""

from __future__ import annotations

from abc import ABC

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted, literal
from warplens.analysis.c.c_types import is_scalar_value
from warplens.analysis.c.symbols import ScopeKind, Symbol
from warplens.analysis.frontend.declarations.thread_variables import is_of_thread
from warplens.analysis.frontend.expressions.lower_vectors import is_vector
from warplens.analysis.frontend.scopes.scope import initialised_extent
from warplens.analysis.frontend.statements.lower_expression_statement import ExpressionStatements
from warplens.analysis.frontend.syntax.constant_tables import table_values
from warplens.analysis.frontend.syntax.initialisers import element_initialisers, unstored_values
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.nest import Assign, Statement
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, Scalar


class Declarations(ExpressionStatements, ABC):
    """Lowers declarations; methods raise UnsupportedError."""

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
            pointer = self.given_memory(node.init, node.name, ctype) or self.known_pointer(node.init, "", ctype)
        owning = self.owner(node.name, ctype, node.init) if node.init is not None else None
        is_lowered = pointer is not None and bool(context.before)
        value = None if is_lowered else self._initial_value(node.init, ctype)
        symbol = context.declare(node.name, ctype, "body", self._declared(node, ctype, "body"))
        if context.loops and not is_scalar_value(ctype):
            context.values.given[symbol.name] = context.loops[-1]
        hoisted, context.before = context.before, []
        if pointer is not None:
            self.follow(symbol, pointer)
            return [*hoisted, *self.kept_address(symbol, node.name, node), *self.late_effects()]
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
        self.note_lost(symbol, node.init, owning)
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
