"""Blocks, `if` and the `continue` that guards the rest of a loop's body."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains
from warplens.analysis.frontend.expressions.emitting import may_emit
from warplens.analysis.frontend.forms.lower_switch import without_switches
from warplens.analysis.frontend.statements.lower_declaration import Declarations
from warplens.analysis.frontend.syntax.jumps import jumps_in, without_jumps
from warplens.analysis.frontend.syntax.syntax_trees import holds
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.expression import Constant, Expression
from warplens.analysis.ir.nest import If, Statement


class Branches(Declarations):
    """Lowers blocks and branches; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.at_end = False
        """Whether the end of the statement being lowered is the end of its loop's body (`continue` does nothing)."""

    @abstractmethod
    def statement(self, node: c_ast.Node | None, pragmas: Sequence[c_ast.Node] = ()) -> list[Statement]:
        """Statements of a node; never raises UnsupportedError."""

    def called_block(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        """Statements of a function's body that stands in place of its call: no `continue` of the caller ends it."""
        at_end, self.at_end = self.at_end, False
        regions, self.context.regions = self.context.regions, []
        statements = self.block(items)
        self.at_end, self.context.regions = at_end, regions
        return statements

    def block(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        """Statements of a block in order."""
        result: list[Statement] = []
        pragmas: list[c_ast.Node] = []
        at_end = self.at_end
        ending = self.ending_call(items[-1]) if items else None
        items = items if ending is None or any(map(_may_leave, items)) else [ending]
        for position, item in enumerate(items):
            self.at_end = at_end and position + 1 == len(items)
            if isinstance(item, c_ast.Pragma):
                self.context.meet(item)
                pragmas.append(item)
                continue
            if at_end and isinstance(item, c_ast.If) and self._guards(item):
                self.at_end = True
                with self.context.under(self.context.regions_of(pragmas)):
                    return result + self._guarded(item, items[position + 1 :])
            if at_end and jumps_in(item, c_ast.Continue) and not isinstance(item, c_ast.Continue):
                self.at_end = True
                return result + self._without_continue(items[position - len(pragmas) :])
            with self.context.under(() if _is_loop(item) else self.context.regions_of(pragmas)):
                result += self.statement(item, pragmas)
            pragmas = []
            if isinstance(item, (c_ast.Break, c_ast.Return, c_ast.Goto, c_ast.Continue)):
                break
        self.at_end = at_end
        return result

    def ending_call(self, node: c_ast.Node) -> c_ast.FuncCall | None:
        """The call of a function that never comes back which a statement leads to: what does is assumed not to run.

        `for (;; longjmp(to, 1)) code = 3;` leads there too (as `Throw` of cexcept.h).
        """
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if isinstance(node, c_ast.For) and node.cond is None and not _may_leave(node.stmt):
            return None if node.next is None else self.ending_call(node.next)
        if not isinstance(node, c_ast.FuncCall):
            return None
        return node if self.context.file_scope.never_returns(self.expressions.called_name(node)) else None

    def _without_continue(self, items: Sequence[c_ast.Node]) -> list[Statement]:
        """The rest of a loop's body whose first statement holds a `continue` somewhere inside."""
        plain = without_jumps([without_switches(item, c_ast.Continue) for item in items], c_ast.Continue)
        if any(jumps_in(item, c_ast.Continue) for item in plain):
            self.at_end = False
        return self.block(plain)

    def _guards(self, node: c_ast.If) -> bool:
        return _ends_with_continue(node.iftrue) or _ends_with_continue(node.iffalse)

    def _guarded(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """`if (c) { A; continue; } B` is `if (c) A else B`; only where B is the rest of the loop's body."""
        state, values = self.context.snapshot(), self.context.values
        try:
            return self.branches(node, rest)
        except UnsupportedError as error:
            self.context.restore(state)
            self.context.values = values
            self.context.before, self.context.after = [], []
            whole = c_ast.Compound([node, *rest], node.coord)
            self.forget(self.writes(whole).scalars)
            return [self.opaque(node, str(error))]

    def branches(self, node: c_ast.If, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """An `if`; `rest` follows in the branch that does not continue."""
        context = self.context
        if _is_conjunction(node, rest):
            inner = c_ast.If(node.cond.right, node.iftrue, None, node.coord)
            return self.branches(c_ast.If(node.cond.left, inner, None, node.coord), [])
        condition = self._lowered_condition(node.cond)
        hoisted, context.before = context.before, []
        if isinstance(condition, Constant) and not rest:
            return [*hoisted, *self.statement(node.iftrue if condition.value else node.iffalse)]
        identity = context.new_id(self.span(node))
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
        after, closed = self.context.after, self.context.values.closed
        if any(not isinstance(lvalue, c_ast.ID) or self.unique(lvalue.name) not in closed for lvalue, *_ in after):
            if not self.context.in_nest:
                raise UnsupportedError("a side effect in a condition")
            condition = self.expressions.temporary("condition'", condition, self.context.values.settled(condition))
        self.expressions.finish()  # reads of what a loop moves have their old value already
        return condition

    def _branch(self, node: c_ast.Node | None, rest: Sequence[c_ast.Node]) -> list[Statement]:
        """A branch; when the other one continues, this one goes on with the rest of the body."""
        if self.at_end and node is not None and _ends_with_continue(node):
            items = node.block_items[:-1] if isinstance(node, c_ast.Compound) else []
            with self.scope():
                return self.block(items)
        if not rest:
            return self.statement(node)
        return self.statement(node) + self.block(rest)


def _is_loop(node: c_ast.Node) -> bool:
    return isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile))


def _may_leave(node: c_ast.Node | None) -> bool:
    """Whether a path through a statement does not go on behind it."""
    is_out = holds(node, (c_ast.Return, c_ast.Goto))
    return is_out or jumps_in(node, c_ast.Break) or jumps_in(node, c_ast.Continue)


def _is_conjunction(node: c_ast.If, rest: Sequence[c_ast.Node]) -> bool:
    """`if (a && f(b)) ...` whose right side does something: two branches, the second inside of the first."""
    condition = node.cond
    is_and = isinstance(condition, c_ast.BinaryOp) and condition.op == "&&"
    return is_and and node.iffalse is None and not rest and may_emit(condition.right)


def _ends_with_continue(node: c_ast.Node | None) -> bool:
    if isinstance(node, c_ast.Compound) and node.block_items:
        return isinstance(node.block_items[-1], c_ast.Continue) and not any(
            contains(item, c_ast.Continue) for item in node.block_items[:-1]
        )
    return isinstance(node, c_ast.Continue)
