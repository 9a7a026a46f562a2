"""The parts of a `for`, `while` or `do` loop, whatever its spelling: what it tests, when, and what its body is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import contains, has_effect

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_STEPS = frozenset({"++", "--", "p++", "p--"})


@dataclass(frozen=True, slots=True)
class LoopForm:
    """A loop still as syntax: `initialisers`, then `tests` that must all hold, `body` and `after` in turns.

    `is_tested_first` is False for a loop whose first iteration is not tested. `test_step` is the increment that stands
    in the test (`n-- > 0`), which `tests` then lack; `steps_before_test` tells `--n > 0` from it.
    """

    keyword: Literal["for", "while", "do"]
    initialisers: tuple[c_ast.Node, ...]
    tests: tuple[c_ast.Node, ...]
    is_tested_first: bool
    body: tuple[c_ast.Node, ...]
    after: tuple[c_ast.Node, ...]
    test_step: c_ast.UnaryOp | None = None
    steps_before_test: bool = False


def loop_form(node: c_ast.Node) -> LoopForm:
    """Parts of a loop; raises UnsupportedError for a `continue` to a test that can't be moved."""
    if isinstance(node, c_ast.For):
        form = LoopForm(
            "for", tuple(_initialisers(node.init)), conjuncts(node.cond), True, _items(node.stmt), parts(node.next)
        )
    elif isinstance(node, c_ast.While):
        form = LoopForm("while", (), conjuncts(node.cond), True, _items(node.stmt), ())
    else:
        form = LoopForm("do", (), conjuncts(node.cond), False, _items(node.stmt), ())
    if not form.tests:
        form = _tested_by_break(form)
    return _without_effects(form)


def runs_once(node: c_ast.Node) -> bool:
    """Whether it is the `do { } while (0)` of a macro, which is no loop."""
    return isinstance(node, c_ast.DoWhile) and isinstance(node.cond, c_ast.Constant) and node.cond.value == "0"


def parts(node: c_ast.Node | None) -> tuple[c_ast.Node, ...]:
    """Operands of a comma expression."""
    if node is None:
        return ()
    return tuple(node.exprs) if isinstance(node, c_ast.ExprList) else (node,)


def initialised(part: c_ast.Node) -> tuple[str, c_ast.Node | None]:
    """Variable that an initialisation sets, and to what; no name for any other expression."""
    if isinstance(part, c_ast.Decl):
        return part.name, part.init
    if isinstance(part, c_ast.Assignment) and part.op == "=" and isinstance(part.lvalue, c_ast.ID):
        return part.lvalue.name, part.rvalue
    return "", None


def conjuncts(node: c_ast.Node | None) -> tuple[c_ast.Node, ...]:
    """Conditions that must all hold, without those that always do."""
    found: list[c_ast.Node] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.BinaryOp) and item.op == "&&":
            stack += [item.right, item.left]
        elif item is not None and not (isinstance(item, c_ast.Constant) and item.value.rstrip("uUlL") == "1"):
            found.append(item)
    return tuple(found)


def negated(node: c_ast.Node) -> c_ast.Node:
    """`!(node)`, pushed inside.

    >>> part = c_ast.BinaryOp("<", c_ast.ID("i"), c_ast.ID("n"))
    >>> negated(part).op, negated(c_ast.BinaryOp("||", part, part)).op
    ('>=', '&&')
    """
    if isinstance(node, c_ast.BinaryOp):
        if node.op in _NEGATED:
            return c_ast.BinaryOp(_NEGATED[node.op], node.left, node.right, node.coord)
        if node.op in {"&&", "||"}:
            operator = "||" if node.op == "&&" else "&&"
            return c_ast.BinaryOp(operator, negated(node.left), negated(node.right), node.coord)
    if isinstance(node, c_ast.UnaryOp) and node.op == "!":
        return node.expr
    return c_ast.UnaryOp("!", node, node.coord)


def _initialisers(init: c_ast.Node | None) -> tuple[c_ast.Node, ...]:
    if isinstance(init, c_ast.DeclList):
        return tuple(init.decls)
    return tuple(one for part in parts(init) for one in _one_by_one(part))


def _one_by_one(part: c_ast.Node) -> list[c_ast.Node]:
    """`i = k = 0` as `k = 0`, `i = 0`; where what is assigned is no small number the second is `i = k`."""
    if not isinstance(part, c_ast.Assignment) or not isinstance(part.rvalue, c_ast.Assignment):
        return [part]
    inner = _one_by_one(part.rvalue)
    last = inner[-1]
    if part.op != "=" or last.op != "=" or not isinstance(last.lvalue, c_ast.ID):
        return [part]
    is_number = isinstance(last.rvalue, c_ast.Constant) and last.rvalue.value in {"0", "1"}
    return [*inner, c_ast.Assignment("=", part.lvalue, last.rvalue if is_number else last.lvalue, part.coord)]


def _items(body: c_ast.Node | None) -> tuple[c_ast.Node, ...]:
    if isinstance(body, c_ast.Compound):
        return tuple(body.block_items or ())
    return () if body is None or isinstance(body, c_ast.EmptyStatement) else (body,)


def _tested_by_break(form: LoopForm) -> LoopForm:
    """`for (;;) { if (c) break; ... }` is tested before its body, one that ends in that is tested after it."""
    if not form.body:
        return form
    leading = _break_condition(form.body[0])
    if leading is not None:
        return replace(form, tests=conjuncts(negated(leading)), is_tested_first=True, body=form.body[1:])
    trailing = _break_condition(form.body[-1])
    if trailing is not None and not form.after and not any(contains(i, c_ast.Continue) for i in form.body):
        return replace(form, tests=conjuncts(negated(trailing)), is_tested_first=False, body=form.body[:-1])
    return form


def _break_condition(node: c_ast.Node) -> c_ast.Node | None:
    """Condition of `if (condition) break;`."""
    if not isinstance(node, c_ast.If) or node.iffalse is not None:
        return None
    items = _items(node.iftrue)
    return node.cond if len(items) == 1 and isinstance(items[0], c_ast.Break) else None


def _without_effects(form: LoopForm) -> LoopForm:
    """Take the increment out of the test; a test with other side effects becomes an `if` that leaves the loop."""
    if not form.tests:
        return form
    form = _with_earlier_tests_in_body(form)
    test, step, before = _without_step(form.tests[0])
    tests = (test, *form.tests[1:])
    if not any(has_effect(one) for one in tests):
        return replace(form, tests=tests, test_step=step, steps_before_test=before)
    whole = form.tests[0]
    for other in form.tests[1:]:
        whole = c_ast.BinaryOp("&&", whole, other, whole.coord)
    leave = c_ast.If(c_ast.UnaryOp("!", whole, whole.coord), c_ast.Break(whole.coord), None, whole.coord)
    if form.is_tested_first:
        return replace(form, tests=(), body=(leave, *form.body))
    if any(contains(item, c_ast.Continue) for item in form.body):
        raise UnsupportedError("`continue` to a test with a side effect")
    return replace(form, tests=(), body=(*form.body, leave))


def with_tests_in_body(form: LoopForm, moved: Sequence[c_ast.Node]) -> LoopForm:
    """`while (i < n && c) { ... }` as `while (i < n) { if (!c) break; ... }`, a `do` with that at its end.

    The form itself where a test has an effect, or a `continue` leads to it.
    """
    others = tuple(test for test in form.tests if test not in moved)
    is_plain = form.is_tested_first or not any(contains(item, c_ast.Continue) for item in form.body)
    if not moved or not is_plain or any(map(has_effect, moved)):
        return form
    leave = [c_ast.If(negated(test), c_ast.Break(test.coord), None, test.coord) for test in moved]
    body = (*leave, *form.body) if form.is_tested_first else (*form.body, *leave)
    return replace(form, tests=others, body=body)


def _with_earlier_tests_in_body(form: LoopForm) -> LoopForm:
    """`do { ... } while (c && ++n < m)` as `do { ...; if (!c) break; } while (++n < m)`."""
    at = next((at for at, test in enumerate(form.tests) if _without_step(test)[1] is not None), 0)
    return form if form.is_tested_first else with_tests_in_body(form, form.tests[:at])


def _without_step(test: c_ast.Node) -> tuple[c_ast.Node, c_ast.UnaryOp | None, bool]:
    """`n-- > 0` as (`n > 0`, `n--`, False)."""
    if isinstance(test, c_ast.BinaryOp) and test.op in _NEGATED:
        for side, other in ((test.left, test.right), (test.right, test.left)):
            if _is_step(side) and not has_effect(other):
                left, right = (side.expr, other) if side is test.left else (other, side.expr)
                return c_ast.BinaryOp(test.op, left, right, test.coord), side, not side.op.startswith("p")
    if _is_step(test):
        return test.expr, test, not test.op.startswith("p")
    return test, None, False


def _is_step(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op in _STEPS and isinstance(node.expr, c_ast.ID)
