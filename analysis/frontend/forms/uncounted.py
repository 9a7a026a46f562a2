"""Why a loop is not counted, in the terms of its source."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.frontend.forms.loop_form import LoopForm
from warplens.analysis.frontend.forms.movements import write_counts
from warplens.analysis.ir.bound_reason import BoundReason

_SCALED = {"*=": "multiplied", "/=": "divided", "<<=": "shifted", ">>=": "shifted"}


def why_uncounted(
    form: LoopForm, pick: str, moved: frozenset[str], reasons: Sequence[BoundReason]
) -> list[BoundReason]:
    """One reason, else `reasons`; the loop would count with `pick`, variables in `moved` have a constant step."""
    loop = f"a `{form.keyword}` loop"
    why = _why(form, loop, pick, moved)
    if why:
        return [BoundReason(why)]
    return list(reasons) or [BoundReason(f"{loop} without a known end")]


def _why(form: LoopForm, loop: str, pick: str, moved: frozenset[str]) -> str:
    for item in _walk((*form.after, *form.body)):
        if isinstance(item, c_ast.Assignment) and isinstance(item.lvalue, c_ast.ID):
            name = item.lvalue.name
            if name != pick and not (not pick and name in _names(form.tests)):
                continue
            if item.op in _SCALED:
                return f"`{name}` is {_SCALED[item.op]} in each iteration"
            if item.op == "=" and isinstance(item.rvalue, c_ast.BinaryOp) and item.rvalue.op in {"*", "/", "<<", ">>"}:
                return f"`{name}` is scaled in each iteration"
            if item.op == "=" and any(isinstance(part, c_ast.StructRef) for part in _walk((item.rvalue,))):
                return f"{loop} that follows `{name}` from one element to the next"
    if pick and pick not in moved:
        return f"the step of `{pick}` is not the same in each iteration"
    if not form.tests:
        return f"{loop} that only a `break`, `return` or `goto` ends"
    if any(isinstance(part, c_ast.FuncCall) for part in _walk(form.tests)):
        return f"{loop} that ends when a call says so"
    written = write_counts(form.body)
    changed = sorted(name for name in _names(form.tests) if written[name])
    if not pick:
        what = f"`{changed[0]}` changes in no even steps" if changed else "its condition counts no variable"
        return f"{loop}: {what}"
    return ""


def _walk(nodes: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    found: list[c_ast.Node] = []
    stack = list(nodes)
    while stack:
        item = stack.pop()
        if item is not None:
            found.append(item)
            stack.extend(item)
    return found


def _names(nodes: Sequence[c_ast.Node]) -> frozenset[str]:
    return frozenset(item.name for item in _walk(nodes) if isinstance(item, c_ast.ID))
