"""Statements and loops of one nest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from pycparser import c_ast
from warplens.analysis.frontend.arithmetic import converted
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.loop_header import Header, bounds, read_header
from warplens.analysis.frontend.initialisers import element_initialisers
from warplens.analysis.frontend.lower_expression import Expressions
from warplens.analysis.frontend.lower_switch import switch_as_ifs
from warplens.analysis.frontend.places import Place, UnsupportedError, is_scalar_value
from warplens.analysis.frontend.scope import Symbol, initialised_extent
from warplens.analysis.frontend.writes import contains, writes_of
from warplens.analysis.ir.expression import Call, Constant, Expression, Load, Unknown, loads
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, Loop, OpaqueStatement, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, Scalar
from warplens.analysis.text.span import Span

DEEPEST_NEST = 64


_NOT_LOWERED = {
    c_ast.Continue: "`continue` inside of a nested block",
    c_ast.While: "a `while` loop",
    c_ast.DoWhile: "a `do` loop",
    c_ast.Label: "a label",
    c_ast.Case: "a `case` inside of a nested block",
    c_ast.Default: "a `default` inside of a nested block",
}


class Nest:
    """Lowers the statements of a nest; a statement that is not understood becomes opaque with its reason."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.expressions = Expressions(context)
        self._at_end = False
        """Whether the end of the statement being lowered is the end of its loop's body (`continue` does nothing)."""

    # ---- loops

    def loop(self, node: c_ast.For, pragmas: Sequence[str]) -> tuple[list[Statement], Loop]:
        """Statements before the loop and the loop; raises UnsupportedError when it does not count."""
        context = self.context
        if len(context.loops) >= DEEPEST_NEST:
            raise UnsupportedError(f"more than {DEEPEST_NEST} loops in each other")
        header = read_header(node, self._constant)
        written = writes_of(node.stmt)
        if header.iterator in written.scalars - written.declared:
            raise UnsupportedError(f"`{header.iterator}` is changed in the loop's body")
        if header.iterator in context.addressed and header.declaration is None:
            raise UnsupportedError(f"the address of `{header.iterator}` is taken")
        keyword = context.extents.offset(node.coord)
        with self._scope():
            state = context.snapshot()
            before = self._initialise(header)
            if not context.loops:  # before the nest, not in it: the root loop is node 0
                before = []
                context.restore(state)
            identity = context.new_id()
            start, iterator, ctype, start_reads = self._start(header)
            context.headers[identity] = context.extents.header(keyword)
            context.wholes[identity] = context.extents.whole(keyword)
            context.loops.append(identity)
            if header.declaration is not None:
                context.declare_iterator(header.iterator, ctype)
            symbol = context.lookup(header.iterator)
            context.scalar(symbol, header.iterator)
            iterator = symbol.name
            all_written = writes_of(node)
            if start is not None and not start.symbols.isdisjoint(map(self._unique, all_written.scalars)):
                start = None
            self._forget(all_written.scalars)
            outer_iterators = set(context.values.iterators)
            context.values.iterators.add(iterator)
            context.values.known[iterator] = Polynomial.symbol(iterator)
            conditions = tuple(self._pure(condition) for condition in header.conditions)
            offset = -header.step if header.steps_in_condition else 0
            limits = bounds(conditions, iterator, header.step, context.values.polynomial, offset)
            if header.steps_in_condition and start is not None:
                start = start + header.step
            at_end, self._at_end = self._at_end, True
            body = self.statement(node.stmt)
            self._at_end = at_end
            for part in header.after:
                body += self._expression_statement(part)
            context.loops.pop()
            self._forget(all_written.scalars)
            context.values.iterators = outer_iterators
            context.values.known[iterator] = None
        reasons = [limits.reason] if limits.reason else []
        if start is None:
            reasons.append("the start is not a polynomial in iterators and constants")
        loop = Loop(
            identity, iterator, ctype, start, limits.limits, header.step, tuple(body), limits.exact_end,
            header.declaration is not None, (*start_reads, *limits.reads), "; ".join(reasons), tuple(pragmas),
        )  # fmt: skip
        return before, loop

    def _constant(self, node: c_ast.Node) -> int | None:
        try:
            value = self.context.values.polynomial(self._pure(node))
        except UnsupportedError:
            return None
        return value.constant_term if value is not None and value.is_constant else None

    def _initialise(self, header: Header) -> list[Statement]:
        before: list[Statement] = []
        for part in header.before:
            before += self._declaration(part) if isinstance(part, c_ast.Decl) else self._expression_statement(part)
        return before

    def _start(self, header: Header) -> tuple[Polynomial | None, str, CType, tuple[Expression, ...]]:
        if header.declaration is not None:
            ctype = self.expressions.types.resolve(header.declaration.type)
        else:
            ctype = self.context.lookup(header.iterator).type
        if not isinstance(ctype, Scalar) or ctype.kind != "int":
            what = "a pointer" if isinstance(ctype, PointerTo) else "no integer"
            raise UnsupportedError(f"the iterator `{header.iterator}` is {what}")
        if header.start is None:
            symbol = self.context.lookup(header.iterator)
            reference = self.context.scalar(symbol, header.iterator)
            value = self.context.values.polynomial(reference)
            # a parameter cannot have its own iterator's name
            return (None if value == Polynomial.symbol(symbol.name) else value), symbol.name, ctype, ()
        expression = self._pure(header.start)
        value = self.context.values.polynomial(expression)
        return value, header.iterator, ctype, () if value is not None else (expression,)

    def _pure(self, node: c_ast.Node) -> Expression:
        """Expression in a header: a side effect there is not understood."""
        before, after = list(self.context.before), list(self.context.after)
        value = self.expressions.lower(node)
        if self.context.before != before or self.context.after != after:
            self.context.before, self.context.after = before, after
            raise UnsupportedError("a side effect in a loop's header or condition")
        return value

    def _forget(self, source_names: frozenset[str]) -> None:
        self.context.values.forget({self._unique(name) for name in source_names})

    def _unique(self, name: str) -> str:
        for scope in reversed(self.context.scopes):
            if name in scope:
                return scope[name].name
        return name

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self.context.scopes.append({})
        try:
            yield
        finally:
            self.context.scopes.pop()

    # ---- statements

    def statement(self, node: c_ast.Node | None, pragmas: Sequence[str] = ()) -> list[Statement]:
        """Statements of a node; never raises UnsupportedError."""
        if node is None or isinstance(node, (c_ast.EmptyStatement, c_ast.Pragma)):
            return []
        context = self.context
        state = (len(context.loops), len(context.scopes), context.values, self._at_end)
        iterators = set(context.values.iterators)
        ids = context.snapshot()
        try:
            return self._supported_statement(node, pragmas)
        except UnsupportedError as error:
            context.restore(ids)
            del context.loops[state[0] :], context.scopes[state[1] :]
            context.values, self._at_end = state[2], state[3]
            context.values.iterators = iterators
            context.before, context.after = [], []
            self._declare_anyway(node)
            self._forget(writes_of(node).scalars)
            return [self._opaque(node, str(error))]

    def _declare_anyway(self, node: c_ast.Node) -> None:
        """Names of a declaration that was not understood; what follows uses them."""
        for part in node.decls if isinstance(node, c_ast.DeclList) else [node]:
            if isinstance(part, c_ast.Decl) and part.name and part.name not in self.context.scopes[-1]:
                self.context.declare(part.name, self.expressions.types.resolve(part.type), "body")

    def _opaque(self, node: c_ast.Node, reason: str) -> Statement:
        return OpaqueStatement(self.context.new_id(self._span(node)), reason)

    def _span(self, node: c_ast.Node) -> Span:
        extents = self.context.extents
        if node.coord is None:
            return Span(0, 0)
        offset = extents.offset(node.coord)
        if isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)):
            return extents.whole(offset)
        return extents.header(offset) if isinstance(node, c_ast.If) else extents.statement(offset)

    def _supported_statement(self, node: c_ast.Node, pragmas: Sequence[str]) -> list[Statement]:
        match node:
            case c_ast.Compound():
                with self._scope():
                    return self._block(node.block_items or [])
            case c_ast.For():
                before, loop = self.loop(node, pragmas)
                return [*before, loop]
            case c_ast.If():
                return [*self._if(node, [])]
            case c_ast.DeclList():
                return [s for declaration in node.decls for s in self._declaration(declaration)]
            case c_ast.Decl():
                return self._declaration(node)
            case c_ast.Break() | c_ast.Return() | c_ast.Goto():
                return self._exit(node)
            case c_ast.Switch():
                return self.statement(switch_as_ifs(node))
            case c_ast.Continue() if self._at_end:
                return []
            case c_ast.Typedef():
                self.expressions.types.typedefs[node.name] = self.expressions.types.resolve(node.type)
                return []
            case c_ast.StaticAssert():
                return []
            case _:
                if type(node) in _NOT_LOWERED:
                    raise UnsupportedError(_NOT_LOWERED[type(node)])
                return self._expression_statement(node)

    def _exit(self, node: c_ast.Break | c_ast.Return | c_ast.Goto) -> list[Statement]:
        if isinstance(node, c_ast.Break):
            return [Exit(self.context.new_id(self._span(node)), "break", self.context.loops[-1])]
        returned = getattr(node, "expr", None)
        before = self._expression_statement(returned) if returned is not None else []
        kind: Literal["return", "goto"] = "return" if isinstance(node, c_ast.Return) else "goto"
        return [*before, Exit(self.context.new_id(self._span(node)), kind, NodeId(0))]

    def _block(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        result: list[Statement] = []
        pragmas: list[str] = []
        at_end = self._at_end
        for position, item in enumerate(items):
            self._at_end = at_end and position + 1 == len(items)
            if isinstance(item, c_ast.Pragma):
                pragmas.append(f"#pragma {item.string}".rstrip())
                continue
            rest = items[position + 1 :]
            if at_end and isinstance(item, c_ast.If) and self._guards(item):
                self._at_end = True
                return result + self._guarded(item, rest)
            result += self.statement(item, pragmas)
            pragmas = []
            if isinstance(item, (c_ast.Break, c_ast.Return, c_ast.Goto, c_ast.Continue)):
                break
        self._at_end = at_end
        return result

    def _guards(self, node: c_ast.If) -> bool:
        return _ends_with_continue(node.iftrue) or _ends_with_continue(node.iffalse)

    def _guarded(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """`if (c) { A; continue; } B` is `if (c) A else B`; only where B is the rest of the loop's body."""
        state, values = self.context.snapshot(), self.context.values
        try:
            return self._if(node, rest)
        except UnsupportedError as error:
            self.context.restore(state)
            self.context.values = values
            self.context.before, self.context.after = [], []
            whole = c_ast.Compound([node, *rest], node.coord)
            self._forget(writes_of(whole).scalars)
            return [self._opaque(node, str(error))]

    def _if(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        context = self.context
        condition = self._lowered_condition(node.cond)
        hoisted, context.before = context.before, []
        if isinstance(condition, Constant) and not rest:
            return [*hoisted, *self.statement(node.iftrue if condition.value else node.iffalse)]
        identity = context.new_id(self._span(node))
        start = context.values
        context.values = start.copy()
        then = self._branch(node.iftrue, rest)
        after_then = context.values
        context.values = start.copy()
        otherwise = self._branch(node.iffalse, rest)
        start.merge(after_then, context.values)
        context.values = start
        return [*hoisted, If(identity, condition, tuple(then), tuple(otherwise))]

    def _lowered_condition(self, node: c_ast.Node) -> Expression:
        condition = self.expressions.lower(node)
        if self.context.after:
            raise UnsupportedError("a side effect in a condition")
        return condition

    def _branch(self, node: c_ast.Node | None, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """A branch; when the other one continues, this one goes on with the rest of the body."""
        if self._at_end and node is not None and _ends_with_continue(node):
            items = node.block_items[:-1] if isinstance(node, c_ast.Compound) else []
            with self._scope():
                return self._block(items)
        if not rest:
            return self.statement(node)
        return self.statement(node) + self._block(rest)

    def _declaration(self, node: c_ast.Node) -> list[Statement]:
        context = self.context
        types = self.expressions.types
        if not isinstance(node, c_ast.Decl):
            return self._expression_statement(node)
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
            context.scopes[-1][node.name] = context.declare(
                node.name, ctype, "global", Symbol(node.name, ctype, "global")
            )
            return []
        pointer = self._known_pointer(node.init) if isinstance(ctype, PointerTo) and node.init is not None else None
        value: Expression | None = None
        if node.init is not None and is_scalar_value(ctype) and not isinstance(node.init, c_ast.InitList):
            value = self.expressions.lower(node.init)
        symbol = context.declare(node.name, ctype, "body")
        hoisted, context.before = context.before, []
        if pointer is not None:
            context.values.pointers[symbol.name] = pointer
            return [*hoisted, *self._late_effects()]
        if value is None:
            context.values.known[symbol.name] = None
            return hoisted if node.init is None else [*hoisted, *self._initialised(node, ctype)]
        value = converted(value, ctype)
        reference = context.scalar(symbol, node.name)
        known = context.values.polynomial(value) if isinstance(ctype, Scalar) and ctype.kind == "int" else None
        statement = Assign(context.new_id(self._span(node)), reference, "", value, declares=True)
        context.values.assign(symbol.name, None if node.name in context.addressed else known)
        return [*hoisted, statement, *self._late_effects()]

    def _initialised(self, node: c_ast.Decl, ctype: CType) -> list[Statement]:
        """Stores of an array's or struct's initialiser."""
        span = self._span(node)
        stores: list[Statement] = []
        for lvalue, initial in element_initialisers(node, ctype):
            place = self.expressions.place(lvalue)
            value = self.expressions.lower(initial)
            self.expressions.store(lvalue, place, "", value, span)
            self.expressions.finish()
            stores += self.context.before
            self.context.before = []
        return stores

    def _late_effects(self) -> list[Statement]:
        self.expressions.finish()
        late, self.context.before = self.context.before, []
        return late

    def _known_pointer(self, node: c_ast.Node) -> Place | None:
        """Where a pointer points, when its value can be followed."""
        state = self.context.snapshot()
        try:
            place = self.expressions.pointee(node)
        except UnsupportedError:
            place = None
        if self.context.before or self.context.after:
            place = None
        if place is None or any(d.index is None for d in place.dimensions) or place.member:
            self.context.restore(state)
            self.context.before, self.context.after = [], []
            return None
        written = tuple(
            replace(d, subscript=Unknown(str(d.index), (), d.subscript.type)) if any(loads(d.subscript)) else d
            for d in place.dimensions
        )
        # an access belongs to one statement, a followed pointer to many
        return replace(place, dimensions=written)

    def _expression_statement(self, node: c_ast.Node) -> list[Statement]:
        """An expression for its effects."""
        context = self.context
        match node:
            case c_ast.ExprList():
                return [s for part in node.exprs for s in self._expression_statement(part)]
            case c_ast.Cast():
                return self._expression_statement(node.expr)
            case c_ast.UnaryOp() if node.op in {"p++", "p--"}:
                node = c_ast.UnaryOp(node.op[1:], node.expr, node.coord)
            case c_ast.TernaryOp():
                return self._if(c_ast.If(node.cond, node.iftrue, node.iffalse, node.coord), [])
            case c_ast.BinaryOp() if node.op == "&&":
                return self._if(c_ast.If(node.left, node.right, None, node.coord), [])
            case c_ast.Assignment(lvalue=c_ast.ID(), rvalue=c_ast.TernaryOp()) if node.op == "=" and _has_effect(
                node.rvalue
            ):
                choice = node.rvalue
                then = c_ast.Assignment("=", node.lvalue, choice.iftrue, node.coord)
                otherwise = c_ast.Assignment("=", node.lvalue, choice.iffalse, node.coord)
                return self._if(c_ast.If(choice.cond, then, otherwise, node.coord), [])
            case c_ast.Assignment(lvalue=c_ast.ID()) if node.op == "=" and self._pointer_assignment(node):
                return []
        value = self.expressions.lower(node)
        if isinstance(value, Load):
            context.drop(value.access.id)
        self.expressions.finish()
        statements, context.before = context.before, []
        if isinstance(value, Call) and not value.is_math:
            statements.append(Evaluate(context.new_id(self._span(node)), value))
        return statements

    def _pointer_assignment(self, node: c_ast.Assignment) -> bool:
        symbol = self.context.lookup(node.lvalue.name)
        if not isinstance(symbol.type, PointerTo) or symbol.is_array_parameter:
            return False
        pointer = self._known_pointer(node.rvalue)
        self.context.values.pointers.pop(symbol.name, None)
        if pointer is None or pointer.array == symbol.name:
            return False
        self.context.values.pointers[symbol.name] = pointer
        return True


def _ends_with_continue(node: c_ast.Node | None) -> bool:
    if isinstance(node, c_ast.Compound) and node.block_items:
        return isinstance(node.block_items[-1], c_ast.Continue) and not any(
            contains(item, c_ast.Continue) for item in node.block_items[:-1]
        )
    return isinstance(node, c_ast.Continue)


def _has_effect(node: c_ast.Node) -> bool:
    written = writes_of(node)
    return bool(written.scalars or written.memory)
