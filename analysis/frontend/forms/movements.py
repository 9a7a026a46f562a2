"""Variables that a loop moves by the same amount in each iteration, found in the syntax alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains
from warplens.analysis.frontend.forms.loop_form import LOOPS, LoopForm, loop_form, runs_once
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_WRITING = (c_ast.Assignment, c_ast.UnaryOp, c_ast.Decl)
_STEPS = frozenset({"++", "--", "p++", "p--"})
_HOLDING_STATEMENTS = (
    c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Case, c_ast.Default,
    c_ast.Label, c_ast.ExprList,
)  # fmt: skip
_VALUES = frozenset({"cond", "expr"})
"""Parts of those that are no statements."""


@dataclass(frozen=True, slots=True)
class Site:
    """One `name += sign * amount` (1 when None) that runs in every iteration of `loops`, which lie inside the loop."""

    name: str
    amount: c_ast.Node | None
    sign: int
    loops: tuple[c_ast.Node, ...]


def movements(form: LoopForm) -> dict[str, tuple[Site, ...]]:
    """Increments of each variable that the loop writes in no other way, all of them unconditional."""
    finder = _Finder()
    finder.loop(form, ())
    step = (form.test_step,) if form.test_step is not None else ()
    header, body = write_counts((*form.tests, *step, *form.after)), write_counts(form.body)
    shadowed = _declared(form.body)
    found: dict[str, tuple[Site, ...]] = {}
    for name in dict.fromkeys(site.name for site in finder.sites):
        sites = tuple(site for site in finder.sites if site.name == name)
        if name in shadowed:  # another variable in the body
            sites = tuple(site for site in sites if id(site) in finder.in_header)
        if sites and header[name] + (0 if name in shadowed else body[name]) == len(sites):
            found[name] = sites
    return found


def _declared(nodes: Iterable[c_ast.Node]) -> frozenset[str]:
    return frozenset(item.name for node in nodes for item in nodes_of_kinds(node, (c_ast.Decl,)) if item.name)


def write_counts(nodes: Iterable[c_ast.Node]) -> Counter[str]:
    """How many assignments, increments and declarations of each scalar the trees hold."""
    found: Counter[str] = Counter()
    for item in (item for node in nodes for item in nodes_of_kinds(node, _WRITING)):
        if isinstance(item, c_ast.Assignment) and isinstance(item.lvalue, c_ast.ID):
            found[item.lvalue.name] += 1
        elif isinstance(item, c_ast.UnaryOp) and item.op in _STEPS and isinstance(item.expr, c_ast.ID):
            found[item.expr.name] += 1
        elif isinstance(item, c_ast.Decl) and item.name:
            found[item.name] += 1
    return found


def step_counts(nodes: Iterable[c_ast.Node]) -> Counter[str]:
    """How many of those only move the scalar by some amount."""
    found: Counter[str] = Counter()
    for item in (item for node in nodes for item in nodes_of_kinds(node, _WRITING)):
        step = step_of(item)
        if step is not None:
            found[step.name] += 1
    return found


def step_of(node: c_ast.Node) -> Site | None:
    """`k++`, `k -= c`, `k = k + c`, `k = c + k`; None for anything else."""
    match node:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID()):
            return Site(node.expr.name, None, 1, ())
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID()):
            return Site(node.expr.name, None, -1, ())
        case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID()):
            return Site(node.lvalue.name, node.rvalue, 1 if node.op == "+=" else -1, ())
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.BinaryOp(op="+" | "-")):
            name, right = node.lvalue.name, node.rvalue
            if isinstance(right.left, c_ast.ID) and right.left.name == name:
                return Site(name, right.right, 1 if right.op == "+" else -1, ())
            if right.op == "+" and isinstance(right.right, c_ast.ID) and right.right.name == name:
                return Site(name, right.left, 1, ())
    return None


class _Finder:
    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.in_header: set[int] = set()
        """Identities of the sites that stand in the outermost loop's header."""

    def loop(self, form: LoopForm, around: tuple[c_ast.Node, ...]) -> None:
        """Everything that each iteration evaluates."""
        if form.test_step is not None:
            self._expression(form.test_step, around)
        for test in form.tests[:1]:
            self._expression(test, around)
        before = len(self.sites)
        self._statements(form.body, around)
        in_body = len(self.sites)
        for part in form.after:
            self._expression(part, around)
        if not around:
            self.in_header = {id(site) for site in (*self.sites[:before], *self.sites[in_body:])}

    def _statements(self, items: Iterable[c_ast.Node], around: tuple[c_ast.Node, ...]) -> None:
        for item in items:
            self._statement(item, around)
            if contains(item, (c_ast.Continue, c_ast.Label)) or isinstance(item, (c_ast.Break, c_ast.Return)):
                return

    def _statement(self, item: c_ast.Node, around: tuple[c_ast.Node, ...]) -> None:
        if isinstance(item, c_ast.Compound):
            self._statements(item.block_items or (), around)
        elif isinstance(item, (c_ast.If, c_ast.Switch)):
            self._expression(item.cond, around)
        elif runs_once(item):
            if not contains(item.stmt, (c_ast.Break, c_ast.Continue)):
                self._statement(item.stmt, around)
        elif isinstance(item, LOOPS):
            try:
                form = loop_form(item)
            except UnsupportedError:
                return
            for part in form.initialisers:
                self._statement(part, around)
            self.loop(form, (*around, item))
        elif isinstance(item, c_ast.DeclList):
            self._statements(item.decls, around)
        elif isinstance(item, c_ast.Decl):
            if item.init is not None:
                self._expression(item.init, around)
        elif not isinstance(item, (c_ast.Case, c_ast.Default, c_ast.Label)):
            self._expression(item, around)

    def _expression(self, node: c_ast.Node, around: tuple[c_ast.Node, ...]) -> None:
        stack = [node]
        while stack:
            item = stack.pop()
            step = step_of(item)
            if step is not None:
                self.sites.append(Site(step.name, step.amount, step.sign, around))
            match item:
                case c_ast.BinaryOp(op="&&" | "||"):
                    stack.append(item.left)
                case c_ast.TernaryOp():
                    stack.append(item.cond)
                case c_ast.UnaryOp(op="sizeof"):
                    pass
                case _:
                    stack.extend(item)


def is_only_counted(form: LoopForm, name: str) -> bool:
    """Whether a loop mentions a variable in nothing but statements that move it, by something else."""
    todo = [*((test, False) for test in form.tests), *((part, True) for part in (*form.body, *form.after))]
    while todo:
        node, is_statement = todo.pop()
        if isinstance(node, c_ast.ID) and node.name == name:
            return False
        step = step_of(node) if is_statement else None
        if step is not None and step.name == name:
            todo += () if step.amount is None else ((step.amount, False),)
        else:
            inside = is_statement and isinstance(node, _HOLDING_STATEMENTS)
            todo += ((child, inside and part not in _VALUES) for part, child in node.children())
    return True
