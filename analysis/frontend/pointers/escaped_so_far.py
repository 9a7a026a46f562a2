"""Which variables may be reached from outside of a function by the time that a loop of it runs.

Until its address is taken, a variable of the function is its own: whoever is handed the address later, even if it
keeps it, changes nothing in what ran before.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from pycparser import c_ast


class EscapedSoFar:
    """Answers for one function; `escaping` are its variables whose address leaves it anywhere.

    Source: ISO C17 6.2.4 paragraphs 5 and 6 (each call has automatic objects of its own).
    """

    def __init__(self, function: c_ast.FuncDef, escaping: AbstractSet[str]) -> None:
        self._escaping = frozenset(escaping)
        self._places: dict[int, tuple[int, int]] = {}
        """Where a loop starts and ends, by its node."""
        self._taken: dict[str, list[int]] = {}
        self._automatic: set[str] = set()
        self._repeated: list[tuple[int, int]] = []
        """From where to where control goes back."""
        if escaping:
            self._read(function)

    def before_end_of(self, loop: c_ast.Node) -> frozenset[str]:
        """Variables whose address may have left the function before a loop ends; all for a loop that is not known."""
        place = self._places.get(id(loop))
        if place is None:
            return self._escaping
        end = place[1]
        while later := [last for first, last in self._repeated if first < end < last]:
            end = max(later)
        return frozenset(
            name
            for name in self._escaping
            if name not in self._automatic or any(taken < end for taken in self._taken.get(name, ()))
        )

    def _read(self, function: c_ast.FuncDef) -> None:
        labels: dict[str, int] = {}
        jumps: list[tuple[str, int]] = []
        kept: set[str] = set()
        stack: list[tuple[c_ast.Node, int]] = [(function, -1)]
        position = 0
        while stack:
            node, start = stack.pop()
            if start >= 0:
                self._places[id(node)] = start, position
                self._repeated.append((start, position))
                continue
            position += 1
            match node:
                case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                    stack.append((node, position))
                case c_ast.Label():
                    labels[node.name] = position
                case c_ast.Goto():
                    jumps.append((node.name, position))
                case c_ast.Decl() if node.name:
                    is_kept = not {"static", "extern"}.isdisjoint(node.storage or ())
                    (kept if is_kept else self._automatic).add(node.name)
                case c_ast.UnaryOp(op="&"):
                    for name in _variables_in(node.expr) & self._escaping:
                        self._taken.setdefault(name, []).append(position)
                case _:
                    pass
            stack += [(child, -1) for child in reversed(tuple(node))]
        self._automatic -= kept
        self._repeated += [(labels.get(name, 0), at + 1) for name, at in jumps if labels.get(name, 0) <= at]


def _variables_in(node: c_ast.Node) -> set[str]:
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.ID):
            found.add(item.name)
        stack.extend(item)
    return found
