"""Whether the value that a loop leaves in a variable may be read later: liveness on the function's tree.

Source: liveness as in any text on data-flow analysis, on structured code. In a function with labels, which is not
structured, any other mention of the variable counts; inline assembly may read anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby, takewhile

from pycparser import c_ast
from warplens.analysis.frontend.syntax.switch_paths import Cases, cases_of, path
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_JUMPS = (c_ast.Break, c_ast.Continue)
_HOLDING_STATEMENTS = (
    c_ast.Compound, c_ast.If, c_ast.Case, c_ast.Default, c_ast.Label, c_ast.AttributedStatement,
)  # fmt: skip
"""Those whose parts may jump out of a loop around them."""
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_CASES = (c_ast.Case, c_ast.Default)


class _Block:
    """The statements of a block by what they mention, so that a long one is not walked through for each name."""

    def __init__(self, items: Sequence[c_ast.Node], mentioned: Sequence[frozenset[str]]) -> None:
        self._items = items
        self._at = {id(item): position for position, item in enumerate(items)}
        self._leaving = [k for k, item in enumerate(items) if isinstance(item, c_ast.Return) or _jumps(item)]
        self._mentioning: dict[str, list[int]] = {}
        for position, names in enumerate(mentioned):
            for name in names:
                self._mentioning.setdefault(name, []).append(position)

    def after(self, node: c_ast.Node, name: str) -> Iterator[c_ast.Node]:
        """Statements behind one that mention a name or may leave the block, in order."""
        found = (
            _behind(positions, self._at[id(node)]) for positions in (self._mentioning.get(name, []), self._leaving)
        )
        return (self._items[position] for position, _ in groupby(merge(*found)))

    def before(self, node: c_ast.Node, name: str) -> Iterator[c_ast.Node]:
        """Statements before one that mention a name."""
        positions = takewhile(lambda position: position < self._at[id(node)], self._mentioning.get(name, []))
        return (self._items[position] for position in positions)


def _behind(positions: Sequence[int], position: int) -> Iterator[int]:
    return (positions[k] for k in range(bisect_right(positions, position), len(positions)))


class LiveAfter:
    """Answers for one function. A variable's value is dead once its block ends or it is set again on every path."""

    def __init__(self, body: c_ast.Node) -> None:
        self._body = body
        self._names: dict[int, frozenset[str]] = {}
        self._blocks: dict[int, _Block] = {}
        self._cases: dict[int, Cases | None] = {}
        self._parents: dict[int, c_ast.Node] = {}
        self._has_labels = self._has_assembly = False
        stack = [body]
        while stack:
            node = stack.pop()
            self._has_labels |= isinstance(node, (c_ast.Label, c_ast.Goto))
            self._has_assembly |= isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") == "asm"
            for child in node:
                self._parents[id(child)] = node
                stack.append(child)

    def may_be_read(self, loop: c_ast.Node, name: str) -> bool:
        """Whether some path from the end of the loop reads the variable before it is set; True for an unknown loop."""
        if id(loop) not in self._parents or self._has_assembly:
            return True
        if self._has_labels:
            return self._is_mentioned_outside(loop, name)
        node = loop
        jumps: set[type[c_ast.Node]] = set()  # ways out that skip what stands behind
        while node is not self._body:
            parent = self._parents[id(node)]
            if isinstance(parent, _LOOPS):
                answer = self._in_next_iteration(parent, name, is_left_early=c_ast.Break in jumps)
                if answer is not None:
                    return answer
                jumps.clear()
                node = parent
                continue
            behind = self._behind(parent, node, name)
            if behind is None:
                return True
            end = next((at for at, item in enumerate(behind) if isinstance(item, c_ast.Break)), len(behind))
            read, is_set = self._sequence(behind[:end], name)
            if read or (is_set and not jumps) or self._declares_before(parent, node, name):
                return read
            jumps.update(*map(_jumps, behind))
            node = parent
            if end < len(behind) and c_ast.Continue not in jumps:
                while not isinstance(node, (*_LOOPS, c_ast.Switch)):
                    node = self._parents[id(node)]
                jumps.clear()
            if isinstance(node, c_ast.Switch):
                jumps.discard(c_ast.Break)
        return False

    def _in_next_iteration(self, loop: c_ast.Node, name: str, *, is_left_early: bool) -> bool | None:
        """Whether a loop around reads or sets the variable once its body is through; None where it may do neither."""
        if isinstance(loop, c_ast.For) and _declares(loop.init, name):
            return False
        header = [getattr(loop, "next", None), loop.cond]
        if self._sequence([*header, loop.stmt], name)[0]:
            return True
        return False if not is_left_early and self._sequence(header, name)[1] else None

    def _behind(self, parent: c_ast.Node, node: c_ast.Node, name: str) -> list[c_ast.Node] | None:
        """Statements of the parent that run after one of its own; None where that is not known."""
        match parent:
            case c_ast.Compound():
                return [] if isinstance(node, _CASES) else [*self._block(parent).after(node, name)]
            case c_ast.Case() | c_ast.Default():
                switch = self._parents.get(id(self._parents[id(parent)]))
                cases = self._cases_of(switch) if isinstance(switch, c_ast.Switch) else None
                return None if cases is None else path(cases, parent, node)
            case c_ast.Switch():
                return None if self._cases_of(parent) is None else []
            case _:
                return []

    def _declares_before(self, parent: c_ast.Node, node: c_ast.Node, name: str) -> bool:
        """Whether the variable is one of the parent's block, whose end it does not see."""
        if not isinstance(parent, c_ast.Compound):
            return False
        return any(_declares(item, name) for item in self._block(parent).before(node, name))

    def _cases_of(self, switch: c_ast.Switch) -> Cases | None:
        if id(switch) not in self._cases:
            self._cases[id(switch)] = cases_of(switch)
        return self._cases[id(switch)]

    def _block(self, node: c_ast.Compound) -> _Block:
        if id(node) not in self._blocks:
            items = node.block_items or []
            self._blocks[id(node)] = _Block(items, [self._mentioned(item) for item in items])
        return self._blocks[id(node)]

    def _sequence(self, nodes: Iterable[c_ast.Node | None], name: str) -> tuple[bool, bool]:
        """(read before set on some path, set on every path that goes on or jumps out)."""
        jumped = False
        for node in nodes:
            if node is None:
                continue
            if not self._mentions(node, name):
                if isinstance(node, c_ast.Return):
                    return False, not jumped
                jumped = jumped or bool(_jumps(node))
                continue
            if _declares(node, name):
                return False, False
            read, is_set = self._one(node, name)
            if read:
                return True, False
            if is_set:
                return False, not jumped
            jumped = jumped or bool(_jumps(node))
        return False, False

    def _one(self, node: c_ast.Node, name: str) -> tuple[bool, bool]:
        match node:
            case c_ast.Compound():
                return self._sequence(node.block_items or (), name)
            case c_ast.If() | c_ast.TernaryOp():
                return self._choice(node.cond, (node.iftrue, node.iffalse), name)
            case c_ast.For():
                if _declares(node.init, name):
                    return self._sequence(node.init.decls, name)
                return self._loop((node.init, node.cond), (node.stmt, node.next), name)
            case c_ast.While():
                return self._loop((node.cond,), (node.stmt,), name)
            case c_ast.DoWhile():
                return self._loop((node.stmt,) if not _jumps(node.stmt) else (), (node.stmt, node.cond), name)
            case c_ast.Switch():
                read, is_set = self._one(node.cond, name)
                if read or is_set or not self._mentions(node.stmt, name):
                    return read, is_set
                cases = self._cases_of(node)
                is_read = cases is None or any(self._sequence(path(cases, case), name)[0] for case in cases)
                return is_read, False
            case c_ast.Return():
                return (self._one(node.expr, name)[0], True) if node.expr is not None else (False, True)
            case c_ast.Assignment(lvalue=c_ast.ID()) if node.lvalue.name == name:
                read, _ = self._sequence((node.rvalue,), name)
                return (True, False) if read or node.op != "=" else (False, True)
            case c_ast.BinaryOp(op="&&" | "||"):
                return self._choice(node.left, (node.right, None), name)
            case c_ast.ID():
                return node.name == name, False
            case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                return False, False
            case c_ast.StructRef():
                return self._sequence((node.name,), name)
            case _:
                return self._sequence(tuple(node), name)

    def _choice(
        self, condition: c_ast.Node, branches: tuple[c_ast.Node | None, c_ast.Node | None], name: str
    ) -> tuple[bool, bool]:
        read, is_set = self._sequence((condition,), name)
        if read or is_set:
            return read, is_set
        sides = [self._sequence((branch,), name) for branch in branches]
        return any(read for read, _ in sides), all(is_set for _, is_set in sides)

    def _loop(self, always: tuple[c_ast.Node, ...], perhaps: tuple[c_ast.Node, ...], name: str) -> tuple[bool, bool]:
        """What runs at least once, then what may not run at all."""
        read, is_set = self._sequence(always, name)
        if read or is_set:
            return read, is_set
        return self._sequence(perhaps, name)[0], False

    def _mentions(self, node: c_ast.Node, name: str) -> bool:
        return name in self._mentioned(node)

    def _mentioned(self, node: c_ast.Node) -> frozenset[str]:
        key = id(node)
        if key not in self._names:
            found = nodes_of_kinds(node, (c_ast.ID, c_ast.Decl))
            self._names[key] = frozenset(item.name for item in found if item.name)
        return self._names[key]

    def _is_mentioned_outside(self, loop: c_ast.Node, name: str) -> bool:
        stack = [self._body]
        while stack:
            node = stack.pop()
            if node is loop:
                continue
            if isinstance(node, c_ast.ID) and node.name == name:
                return True
            stack.extend(node)
        return False


def _declares(node: c_ast.Node | None, name: str) -> bool:
    if isinstance(node, c_ast.DeclList):
        return any(declaration.name == name for declaration in node.decls)
    return isinstance(node, c_ast.Decl) and node.name == name


def _jumps(node: c_ast.Node) -> frozenset[type[c_ast.Node]]:
    """By what control may leave the statement for a loop or switch around it: `break`, `continue`."""
    found: set[type[c_ast.Node]] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.Switch):
            found |= _jumps(item.stmt) - {c_ast.Break}
        elif isinstance(item, _JUMPS):
            found.add(type(item))
        elif isinstance(item, _HOLDING_STATEMENTS):
            stack.extend(item)
    return frozenset(found)
