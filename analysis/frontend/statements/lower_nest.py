"""Loops and statements of one nest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains
from warplens.analysis.frontend.forms.forward_jumps import loops_left
from warplens.analysis.frontend.forms.loop_form import runs_once
from warplens.analysis.frontend.forms.lower_switch import switch_as_ifs
from warplens.analysis.frontend.statements.lower_loop import Loops
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Exit, Statement

_NOT_LOWERED = {
    c_ast.Continue: "`continue` inside of a nested block",
    c_ast.Label: "a label",
    c_ast.Case: "a `case` inside of a nested block",
    c_ast.Default: "a `default` inside of a nested block",
}


class Nest(Loops):
    """Lowers the statements of a nest; a statement that is not understood becomes opaque with its reason."""

    def statement(self, node: c_ast.Node | None, pragmas: Sequence[c_ast.Node] = ()) -> list[Statement]:
        """Statements of a node; never raises UnsupportedError."""
        if node is None or isinstance(node, (c_ast.EmptyStatement, c_ast.Pragma)):
            return []
        context = self.context
        state = (len(context.loops), len(context.scopes), context.values, self.at_end)
        iterators, closed = set(context.values.iterators), context.values.closed
        ids = context.snapshot()
        try:
            return self._supported_statement(node, pragmas)
        except UnsupportedError as error:
            context.restore(ids)
            del context.loops[state[0] :], context.scopes[state[1] :]
            context.values, self.at_end = state[2], state[3]
            context.values.iterators, context.values.closed = iterators, closed
            context.before, context.after = [], []
            self.declare_anyway(node)
            self.forget(self.writes(node).scalars)
            return [self.opaque(node, str(error))]

    def _supported_statement(self, node: c_ast.Node, pragmas: Sequence[c_ast.Node]) -> list[Statement]:
        match node:
            case c_ast.Compound():
                with self.scope():
                    return self.block(node.block_items or [])
            case c_ast.DoWhile() if runs_once(node) and not contains(node.stmt, (c_ast.Break, c_ast.Continue)):
                return self.statement(node.stmt)
            case c_ast.For() if (ending := self.ending_call(node)) is not None:
                return self.statement(ending)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                before, loop, after = self.loop(node, pragmas)
                return [*before, loop, *after]
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
        if isinstance(node, c_ast.Goto) and (depth := loops_left(node)):
            return [Exit(self.context.new_id(self.span(node)), "goto", self.context.loops[-depth])]
        returned = getattr(node, "expr", None)
        before = self.expression_statement(returned) if returned is not None else []
        kind: Literal["return", "goto"] = "return" if isinstance(node, c_ast.Return) else "goto"
        return [*before, Exit(self.context.new_id(self.span(node)), kind, NodeId(0))]
