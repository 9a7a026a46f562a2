"""Expression statements of a nest: assignments, increments, calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.writes import has_effect
from warplens.analysis.frontend.expressions.call_arguments import is_null
from warplens.analysis.frontend.expressions.values_before_call import as_setting
from warplens.analysis.frontend.forms.simpler_statements import as_branches, parts_of
from warplens.analysis.frontend.statements.followed_pointers import FollowedPointers
from warplens.analysis.ir.expression import Call, Load, reads_volatile
from warplens.analysis.ir.nest import Evaluate, Statement
from warplens.analysis.ir.types import PointerTo


class ExpressionStatements(FollowedPointers, ABC):
    """Lowers expressions for their effects; methods raise UnsupportedError."""

    @abstractmethod
    def branches(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """An `if`, which `c ? f() : g();` is."""

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
            case c_ast.Assignment(lvalue=c_ast.ID()) if node.op == "=" and self.assigned_pointer(node):
                self.expressions.finish()
                given, context.before = context.before, []
                return [*given, *self.kept_address(context.lookup(node.lvalue.name), node.lvalue.name, node)]
        if self._frees_own(node):
            return []
        is_setting = isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID)
        owner = None
        if is_setting:
            owner = self.owner(node.lvalue.name, context.lookup(node.lvalue.name).type, node.rvalue)
        value = self.expressions.lower(node)
        if isinstance(value, Load) and not reads_volatile(value):
            context.drop(value.access.id)
        self.expressions.finish()
        if is_setting:
            self.note_lost(context.lookup(node.lvalue.name), node.rvalue, owner)
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

    def _is_pointer_or_null(self, node: c_ast.Assignment) -> bool:
        """`q = c ? a + i : NULL`."""
        is_one = is_null(node.rvalue.iftrue) or is_null(node.rvalue.iffalse)
        is_pointer = isinstance(self.context.lookup(node.lvalue.name).type, PointerTo)
        return node.op == "=" and is_one and is_pointer and bool(self.context.values.loops)

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
