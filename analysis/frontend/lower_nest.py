"""Loops and statements of one nest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pycparser import c_ast
from warplens.analysis.frontend.loop_header import Header, bounds, read_header
from warplens.analysis.frontend.lower_branch import Branches
from warplens.analysis.frontend.lower_switch import switch_as_ifs
from warplens.analysis.frontend.places import UnsupportedError
from warplens.analysis.frontend.writes import writes_of
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Exit, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, PointerTo, Scalar

DEEPEST_NEST = 64
_NOT_LOWERED = {
    c_ast.Continue: "`continue` inside of a nested block",
    c_ast.While: "a `while` loop",
    c_ast.DoWhile: "a `do` loop",
    c_ast.Label: "a label",
    c_ast.Case: "a `case` inside of a nested block",
    c_ast.Default: "a `default` inside of a nested block",
}


class Nest(Branches):
    """Lowers the statements of a nest; a statement that is not understood becomes opaque with its reason."""

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
        with self.scope():
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
            if start is not None and not start.symbols.isdisjoint(map(self.unique, all_written.scalars)):
                start = None
            self.forget(all_written.scalars)
            outer_iterators = set(context.values.iterators)
            context.values.iterators.add(iterator)
            context.values.known[iterator] = Polynomial.symbol(iterator)
            conditions = tuple(self._pure(condition) for condition in header.conditions)
            offset = -header.step if header.steps_in_condition else 0
            limits = bounds(conditions, iterator, header.step, context.values.polynomial, offset)
            if header.steps_in_condition and start is not None:
                start = start + header.step
            at_end, self.at_end = self.at_end, True
            body = self.statement(node.stmt)
            self.at_end = at_end
            for part in header.after:
                body += self.expression_statement(part)
            context.loops.pop()
            self.forget(all_written.scalars)
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
            before += self.declaration(part) if isinstance(part, c_ast.Decl) else self.expression_statement(part)
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

    def statement(self, node: c_ast.Node | None, pragmas: Sequence[str] = ()) -> list[Statement]:
        """Statements of a node; never raises UnsupportedError."""
        if node is None or isinstance(node, (c_ast.EmptyStatement, c_ast.Pragma)):
            return []
        context = self.context
        state = (len(context.loops), len(context.scopes), context.values, self.at_end)
        iterators = set(context.values.iterators)
        ids = context.snapshot()
        try:
            return self._supported_statement(node, pragmas)
        except UnsupportedError as error:
            context.restore(ids)
            del context.loops[state[0] :], context.scopes[state[1] :]
            context.values, self.at_end = state[2], state[3]
            context.values.iterators = iterators
            context.before, context.after = [], []
            self.declare_anyway(node)
            self.forget(writes_of(node).scalars)
            return [self.opaque(node, str(error))]

    def _supported_statement(self, node: c_ast.Node, pragmas: Sequence[str]) -> list[Statement]:
        match node:
            case c_ast.Compound():
                with self.scope():
                    return self.block(node.block_items or [])
            case c_ast.For():
                before, loop = self.loop(node, pragmas)
                return [*before, loop]
            case c_ast.If():
                return [*self.branches(node, [])]
            case c_ast.DeclList():
                return [s for declaration in node.decls for s in self.declaration(declaration)]
            case c_ast.Decl():
                return self.declaration(node)
            case c_ast.Break() | c_ast.Return() | c_ast.Goto():
                return self._exit(node)
            case c_ast.Switch():
                return self.statement(switch_as_ifs(node))
            case c_ast.Continue() if self.at_end:
                return []
            case c_ast.Typedef():
                self.expressions.types.typedefs[node.name] = self.expressions.types.resolve(node.type)
                return []
            case c_ast.StaticAssert():
                return []
            case _:
                if type(node) in _NOT_LOWERED:
                    raise UnsupportedError(_NOT_LOWERED[type(node)])
                return self.expression_statement(node)

    def _exit(self, node: c_ast.Break | c_ast.Return | c_ast.Goto) -> list[Statement]:
        if isinstance(node, c_ast.Break):
            return [Exit(self.context.new_id(self.span(node)), "break", self.context.loops[-1])]
        returned = getattr(node, "expr", None)
        before = self.expression_statement(returned) if returned is not None else []
        kind: Literal["return", "goto"] = "return" if isinstance(node, c_ast.Return) else "goto"
        return [*before, Exit(self.context.new_id(self.span(node)), kind, NodeId(0))]
