"""Rows of arrays of pointers that a function sets so that they certainly overlap: `r[i] = a`, `{a, a + 1}`.

Assumes: rows that start a variable number of elements apart, or two and more, may be that long. A row set under
conditions may be the only one; one set twice holds who knows which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from pycparser import c_ast
from warplens.analysis.c.arithmetic import literal
from warplens.analysis.frontend.effects.writes import base_name, contains
from warplens.analysis.frontend.pointers.pointer_path import PointerPath
from warplens.analysis.frontend.syntax.syntax_index import nodes_of

_LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


@dataclass(frozen=True, slots=True)
class _Setting:
    """`paths[subscripts] = start`; `branches` are the parts of conditionals around, `loops` are outermost first."""

    paths: frozenset[PointerPath]
    subscripts: tuple[c_ast.Node, ...]
    start: c_ast.Node
    loops: tuple[c_ast.Node, ...]
    branches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Sum:
    """Terms by their text with their factors, the constant one under the empty text; the variables in them."""

    terms: dict[str, int]
    names: frozenset[str]

    def plus(self, other: _Sum, factor: int) -> _Sum:
        """The sum and a multiple of the other."""
        terms = Counter(self.terms)
        for text, times in other.terms.items():
            terms[text] += factor * times
        return _Sum({text: times for text, times in terms.items() if times}, self.names | other.names)


class RowSettings:
    """`paths` gives an lvalue's paths, none for what is no pointer; `values` are settings by initialisers."""

    def __init__(
        self,
        function: c_ast.FuncDef,
        initial: Iterable[tuple[c_ast.Node, c_ast.Node]],
        paths: Callable[[c_ast.Node], set[PointerPath]],
    ) -> None:
        self._paths = paths
        self._settings: list[_Setting] = []
        self._set_in: dict[str, list[c_ast.Node | None]] = {}
        """Innermost loops around the settings of each variable; a variable whose address is taken counts twice."""
        self._locals: set[str] = set()
        self._parameters = frozenset(parameter_names(function))
        self._scan(function)
        for target, value in initial:
            self._add(target, value, (), ())

    def overlapping(self, paths: Iterable[PointerPath]) -> str:
        """What overlapping rows of one of the tables start in, empty if none are known to overlap."""
        wanted = frozenset(paths)
        settings = [setting for setting in self._settings if not setting.paths.isdisjoint(wanted)]
        for setting in settings:
            if self._is_repeated(setting):
                return base_name(setting.start) or ""
        times = Counter(at for setting in settings if (at := _constants(setting.subscripts)) is not None)
        for left, right in combinations(settings, 2):
            one, other = _constants(left.subscripts), _constants(right.subscripts)
            is_once = one is not None and other is not None and one != other and times[one] == times[other] == 1
            if is_once and left.paths & right.paths and self._start_together(left, right):
                return base_name(left.start) or ""
        return ""

    def _scan(self, function: c_ast.FuncDef) -> None:
        stack: list[tuple[c_ast.Node, tuple[c_ast.Node, ...], tuple[int, ...]]] = [(function, (), ())]
        while stack:
            node, loops, branches = stack.pop()
            if isinstance(node, c_ast.Decl) and node.name:
                self._locals.add(node.name)
            name = _set_name(node)
            if name:
                self._set_in.setdefault(name, []).extend([loops[-1] if loops else None] * _times(node))
            if isinstance(node, c_ast.Assignment) and node.op == "=":
                self._add(node.lvalue, node.rvalue, loops, branches)
            inner = (*loops, node) if isinstance(node, _LOOPS) else loops
            is_branch = isinstance(node, c_ast.If | c_ast.TernaryOp | c_ast.Switch | c_ast.Case | c_ast.Default)
            first = node.init if isinstance(node, c_ast.For) else None
            for child in node:
                around = loops if child is first else inner
                stack.append((child, around, (*branches, id(child)) if is_branch else branches))

    def _add(
        self, target: c_ast.Node, start: c_ast.Node, loops: tuple[c_ast.Node, ...], branches: tuple[int, ...]
    ) -> None:
        subscripts: list[c_ast.Node] = []
        node = target
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(node, c_ast.ArrayRef):
                subscripts.append(node.subscript)
            node = node.name
        paths = self._paths(target) if subscripts else set()
        if paths and not isinstance(start, c_ast.Constant):
            self._settings.append(_Setting(frozenset(paths), tuple(reversed(subscripts)), start, loops, branches))

    def _is_repeated(self, setting: _Setting) -> bool:
        """Whether iterations of a loop set one row after the other to one place, or to places one element apart."""
        start = _sum(setting.start)
        if start is None or setting.branches:
            return False
        subscripts = [_sum(subscript) for subscript in setting.subscripts]
        for loop in setting.loops:
            changed = _changed(loop)
            moving = {name for one in subscripts if one is not None for name in one.names & changed}
            if not moving or (contains(loop, c_ast.FuncCall) and not start.names <= self._locals):
                continue
            varying = start.names & changed
            if not varying:
                return True
            name = next(iter(varying))
            is_plain = abs(start.terms.get(name, 0)) == 1 and not any(
                name in text for text in start.terms if text != name
            )
            is_along = any(one is not None and abs(one.terms.get(name, 0)) == 1 for one in subscripts)
            if len(varying) == 1 and is_plain and is_along and self._counts_by_one(loop, name):
                return True
        return False

    def _counts_by_one(self, loop: c_ast.Node, name: str) -> bool:
        step = loop.next if isinstance(loop, c_ast.For) else None
        if not isinstance(step, c_ast.UnaryOp) or _set_name(step) != name or step.op == "&":
            return False
        return self._set_in[name].count(loop) == 1

    def _start_together(self, left: _Setting, right: _Setting) -> bool:
        """Whether two rows start less than two elements apart."""
        shorter = min(len(left.branches), len(right.branches))
        one, other = _sum(left.start), _sum(right.start)
        if one is None or other is None or left.branches[:shorter] != right.branches[:shorter]:
            return False
        if not all(self._is_one_value(name) for name in one.names | other.names):
            return False
        apart = one.plus(other, -1)
        return bool(one.names) and apart.terms.keys() <= {""} and abs(apart.terms.get("", 0)) <= 1

    def _is_one_value(self, name: str) -> bool:
        found = self._set_in.get(name, [])
        return not found or (found == [None] and name not in self._parameters)


def parameter_names(function: c_ast.FuncDef) -> list[str]:
    """Names of a function's parameters, empty for those without one."""
    arguments = function.decl.type.args
    return [] if arguments is None else [getattr(one, "name", None) or "" for one in arguments.params]


def _sum(node: c_ast.Node) -> _Sum | None:
    """An address or a subscript as a sum of terms; None for what reads memory or calls."""
    match node:
        case c_ast.ID():
            return _Sum({node.name: 1}, frozenset((node.name,)))
        case c_ast.Constant():
            known = literal(node.value)
            is_integer = known is not None and isinstance(known.value, int)
            return _Sum({"": int(known.value)} if known.value else {}, frozenset()) if is_integer and known else None
        case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.PtrDecl())):
            return _sum(node.expr) if isinstance(node.expr, c_ast.ID) else None
        case c_ast.Cast():
            return _sum(node.expr)
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=c_ast.ID())):
            return _combined(_sum(node.expr.name), _sum(node.expr.subscript), 1)
        case c_ast.BinaryOp(op="+" | "-"):
            return _combined(_sum(node.left), _sum(node.right), 1 if node.op == "+" else -1)
        case c_ast.BinaryOp(op="*"):
            return _product(_sum(node.left), _sum(node.right))
        case _:
            return None


def _combined(left: _Sum | None, right: _Sum | None, factor: int) -> _Sum | None:
    return None if left is None or right is None else left.plus(right, factor)


def _product(left: _Sum | None, right: _Sum | None) -> _Sum | None:
    if left is None or right is None:
        return None
    zero = _Sum({}, frozenset())
    for one, other in ((left, right), (right, left)):
        if one.terms.keys() <= {""}:
            return zero.plus(other, one.terms.get("", 0))
    texts = sorted(" + ".join(f"{times}*{text}" for text, times in sorted(one.terms.items())) for one in (left, right))
    return _Sum({f"({texts[0]})*({texts[1]})": 1}, left.names | right.names)


def _constants(subscripts: tuple[c_ast.Node, ...]) -> tuple[int, ...] | None:
    sums = [_sum(subscript) for subscript in subscripts]
    known = [one.terms.get("", 0) for one in sums if one is not None and one.terms.keys() <= {""}]
    return tuple(known) if len(known) == len(sums) else None


def _set_name(node: c_ast.Node) -> str:
    """The variable that a piece of syntax itself sets, or whose address it takes."""
    match node:
        case c_ast.Decl(init=c_ast.Node()) if node.name:
            return str(node.name)
        case c_ast.Assignment(lvalue=c_ast.ID()):
            return str(node.lvalue.name)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ID()):
            return str(node.expr.name)
        case _:
            return ""


def _times(node: c_ast.Node) -> int:
    return 2 if isinstance(node, c_ast.UnaryOp) and node.op == "&" else 1


def _changed(loop: c_ast.Node) -> set[str]:
    return {_set_name(node) for node in nodes_of(loop)}
