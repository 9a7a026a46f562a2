"""How a variable goes through a loop where its steps are no constant: it doubles, halves, or moves by another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains
from warplens.analysis.frontend.forms.loop_form import LoopForm, initialised
from warplens.analysis.frontend.forms.movements import write_counts
from warplens.analysis.frontend.statements.lower_header import Headers
from warplens.analysis.frontend.syntax.syntax_trees import names_in
from warplens.analysis.frontend.values.loop_limits import MIRRORED
from warplens.analysis.ir.expression import Call, Constant, Expression, Load, Unknown, walk
from warplens.analysis.ir.nest import Progress
from warplens.analysis.ir.types import INT

_RELATIONS: dict[str, Literal["<", "<=", ">", ">=", "!="]] = {r: r for r in ("<", "<=", ">", ">=", "!=")}
_OPERATORS: dict[str, Literal["+", "-", "*", "/"]] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "<<": "*", ">>": "/",
}  # fmt: skip
_MOST_SHIFTED = 30
_Step = tuple[str, str, c_ast.Node]
"""A variable, the operator and the amount."""


class Progresses(Headers):
    """Finds what counts a loop that no polynomial counts; asked before anything the loop writes is forgotten."""

    def progress(
        self, form: LoopForm, written: frozenset[str], addressed: frozenset[str], even: tuple[str, int] | None
    ) -> Progress | None:
        """The variable that the loop's only test compares and that each iteration's last step moves.

        Of a loop that counts in constant steps (`even`: its counter and the step) only one that tests a square.
        """
        if len(form.tests) != 1 or form.test_step is not None:
            return None
        if even is not None:
            return self._square(form, written, addressed, *even)
        for name, relation, limit in _comparisons(form.tests[0]):
            step = _last_step(form, name)
            if step is None or name in addressed or relation not in _RELATIONS or not self._can_follow(form, name):
                continue
            _, operator, amount = step
            if not names_in([limit, amount]).isdisjoint(written):
                continue
            state = self.context.snapshot()
            try:
                return self._progress(form, name, _RELATIONS[relation], limit, (operator, amount))
            except UnsupportedError:
                return None
            finally:
                self.context.restore(state)
        return None

    def _square(
        self, form: LoopForm, written: frozenset[str], addressed: frozenset[str], name: str, step: int
    ) -> Progress | None:
        """`for (i = 2; i * i <= n; i++)`."""
        test = form.tests[0]
        if name in addressed or step < 1 or not isinstance(test, c_ast.BinaryOp):
            return None
        sides = ((test.left, test.op, test.right), (test.right, MIRRORED.get(test.op, ""), test.left))
        for square, relation, limit in sides:
            if relation not in {"<", "<="} or not _is_square(square, name) or names_in([limit]) & written:
                continue
            state = self.context.snapshot()
            try:
                found = self._progress(form, name, _RELATIONS[relation], limit, ("+", c_ast.Constant("int", str(step))))
            except UnsupportedError:
                return None
            finally:
                self.context.restore(state)
            return None if found is None else replace(found, is_square=True)
        return None

    def _progress(
        self,
        form: LoopForm,
        name: str,
        relation: Literal["<", "<=", ">", ">=", "!="],
        limit: c_ast.Node,
        step: tuple[str, c_ast.Node],
    ) -> Progress | None:
        operator, amount = step
        first = next((value for part in form.initialisers for one, value in (initialised(part),) if one == name), None)
        by = self.pure(amount)
        if operator in {"<<", ">>", "*", "/"}:
            known = self.context.values.settled(by)
            number = known.constant_term if known is not None and known.is_constant else 0
            if operator in {"<<", ">>"}:
                number = 1 << number if 0 < number <= _MOST_SHIFTED else 0
            if number < 2:
                return None
            by = Constant(number, INT)
        start = self._before(name) if first is None else self._known(self.pure(first))
        found = Progress(
            self.unique(name),
            start,
            _OPERATORS[operator],
            self._known(by),
            relation,
            self._known(self.pure(limit)),
            form.is_tested_first,
        )
        return found if all(map(_is_arithmetic, (found.first, found.amount, found.limit))) else None

    def _known(self, expression: Expression) -> Expression:
        """The number that an expression is known to be, else itself."""
        value = self.context.values.settled(expression)
        return Constant(value.constant_term, INT) if value is not None and value.is_constant else expression

    def _before(self, name: str) -> Expression:
        """What a variable holds before a loop that does not set it."""
        return self._known(self.context.scalar(self.context.lookup(name), name))


def _is_arithmetic(expression: Expression) -> bool:
    return not any(isinstance(part, Load | Call | Unknown) for part in walk(expression))


def _comparisons(test: c_ast.Node) -> list[tuple[str, str, c_ast.Node]]:
    """Variables that a test compares, with the relation and the other side."""
    if isinstance(test, c_ast.ID):
        return [(test.name, "!=", c_ast.Constant("int", "0"))]
    if not isinstance(test, c_ast.BinaryOp) or test.op not in MIRRORED:
        return []
    found: list[tuple[str, str, c_ast.Node]] = []
    if isinstance(test.left, c_ast.ID):
        found.append((test.left.name, test.op, test.right))
    if isinstance(test.right, c_ast.ID):
        found.append((test.right.name, MIRRORED[test.op], test.left))
    return found


def _is_square(node: c_ast.Node, name: str) -> bool:
    """`i * i`, with conversions."""
    sides = (node.left, node.right) if isinstance(node, c_ast.BinaryOp) and node.op == "*" else ()
    plain = [side.expr if isinstance(side, c_ast.Cast) else side for side in sides]
    return len(plain) == 2 and all(isinstance(side, c_ast.ID) and side.name == name for side in plain)


def _last_step(form: LoopForm, name: str) -> _Step | None:
    """The only write of a variable, where it ends each iteration."""
    if write_counts((*form.tests, *form.after, *form.body))[name] != 1:
        return None
    last = form.body[-1:] if not any(contains(item, (c_ast.Continue,)) for item in form.body) else ()
    steps = [step for node in (*form.after, *last) if (step := _step(node)) is not None and step[0] == name]
    return steps[0] if len(steps) == 1 else None


def _step(node: c_ast.Node) -> _Step | None:
    """`k *= c`, `k = k / c`, `k = c * k`, `k += m`; None for anything else."""
    if not isinstance(node, c_ast.Assignment) or not isinstance(node.lvalue, c_ast.ID):
        return None
    name, value = node.lvalue.name, node.rvalue
    if node.op != "=":
        return (name, node.op[:-1], value) if node.op[:-1] in _OPERATORS else None
    if not isinstance(value, c_ast.BinaryOp) or value.op not in _OPERATORS:
        return None
    if isinstance(value.left, c_ast.ID) and value.left.name == name:
        return name, value.op, value.right
    if value.op in {"+", "*"} and isinstance(value.right, c_ast.ID) and value.right.name == name:
        return name, value.op, value.left
    return None
