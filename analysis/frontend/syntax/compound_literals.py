"""Compound literals as variables that are declared in front of their statement: `f((int[]){i, j})`.

Each time the block around it is entered, the literal is an object of its own there, as the variable is. Only where its
values may be computed before all else that the statement does.

Source: ISO C17 6.5.2.5 paragraphs 5 and 7.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from itertools import count

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_trees import holds
from warplens.analysis.ir.symbol import added

NAME = added("literal", "n")
"""What such a variable is named, before a number: nothing that a comment could say."""

_MAYBE = re.compile(r"(?:[=(,&?:]|\breturn)\s*\((?:[^()]|\([^()]*\))*\)\s*\{")
_STATEMENTS = ("stmt", "iftrue", "iffalse")
_SIMPLE = (c_ast.FuncCall, c_ast.Assignment, c_ast.Decl, c_ast.Return, c_ast.If)
_SIDE_EFFECTS = (c_ast.Assignment, c_ast.Compound)


def with_literals_declared(declarations: Iterable[c_ast.Node], text: str) -> None:
    """Do so in place in function bodies; `text` is what was parsed."""
    if not _MAYBE.search(text):
        return
    for declaration in declarations:
        if isinstance(declaration, c_ast.FuncDef) and holds(declaration.body, c_ast.CompoundLiteral):
            _Literals().in_statements(declaration.body)


class _Literals:
    """Those of one function."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._made: list[c_ast.Decl] = []

    def in_statements(self, root: c_ast.Node) -> None:
        """Replace them in all statements below, inner blocks included."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, c_ast.Compound):
                node.block_items = [part for item in node.block_items or [] for part in self._parts(item)] or None
            elif isinstance(node, (c_ast.Case, c_ast.Default)):
                node.stmts = [part for item in node.stmts or [] for part in self._parts(item)]
            for name in _STATEMENTS:
                inner = getattr(node, name, None)
                if inner is not None and len(parts := self._parts(inner)) > 1:
                    setattr(node, name, c_ast.Compound(parts, inner.coord))
            stack.extend(child for child in node if child is not None)

    def _parts(self, statement: c_ast.Node) -> list[c_ast.Node]:
        """A statement behind the variables that its literals are."""
        if not isinstance(statement, _SIMPLE):
            return [statement]
        self._made = []
        if isinstance(statement, c_ast.If):
            statement.cond = self._replaced(statement.cond)
        elif isinstance(statement, c_ast.Decl):
            statement.init = self._replaced(statement.init)
        else:
            self._in_operands(statement)
        return [*self._made, statement]

    def _replaced(self, node: c_ast.Node | None) -> c_ast.Node | None:
        """An operand that is always evaluated, without literals."""
        if isinstance(node, c_ast.CompoundLiteral):
            if any(holds(part, _SIDE_EFFECTS) or _steps(part) for part in node.init.exprs or []):
                return node
            self._in_operands(node.init)
            name = f"{NAME}{next(self._numbers)}"
            quals = list(node.type.quals or [])
            made = c_ast.Decl(name, quals, [], [], [], _named(node.type.type, name), node.init, None, node.coord)
            self._made.append(made)
            return c_ast.ID(name, node.coord)
        if node is not None:
            self._in_operands(node)
        return node

    def _in_operands(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.FuncCall() if node.args is not None:
                node.args.exprs = [self._replaced(one) for one in node.args.exprs]
            case c_ast.InitList():
                node.exprs = [self._replaced(one) for one in node.exprs or []]
            case c_ast.Assignment():
                node.lvalue, node.rvalue = self._replaced(node.lvalue), self._replaced(node.rvalue)
            case c_ast.BinaryOp() if node.op not in {"&&", "||"}:
                node.left, node.right = self._replaced(node.left), self._replaced(node.right)
            case c_ast.UnaryOp() if node.op not in {"sizeof", "_Alignof"}:
                node.expr = self._replaced(node.expr)
            case c_ast.Return() | c_ast.Cast() | c_ast.NamedInitializer():
                node.expr = self._replaced(node.expr)
            case c_ast.StructRef():
                node.name = self._replaced(node.name)
            case c_ast.ArrayRef():
                node.name, node.subscript = self._replaced(node.name), self._replaced(node.subscript)
            case _:
                pass


def _steps(node: c_ast.Node) -> bool:
    """Whether something is counted up or down in an expression."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.UnaryOp) and item.op in {"++", "--", "p++", "p--"}:
            return True
        stack.extend(child for child in item if child is not None)
    return False


def _named(ctype: c_ast.Node, name: str) -> c_ast.Node:
    """The type as the declaration of a name has it."""
    made = copy.copy(ctype)
    if isinstance(made, c_ast.TypeDecl):
        made.declname = name
    else:
        made.type = _named(made.type, name)
    return made
