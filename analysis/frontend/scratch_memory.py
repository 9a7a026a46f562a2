"""Memory of a function's own that only one of its loops uses: nothing is in it before, nobody looks at it after.

Whether the iterations of the loop read what others left in it is another question: what functions do in other files
that they hand it to, only somebody who knows them can say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pycparser import c_ast
from warplens.analysis.frontend.c_library import library_call


class ScratchMemory:
    """What a function declares, and where it names it."""

    def __init__(self, function: c_ast.FuncDef) -> None:
        names = Counter(node.name for node in _declarations(function.decl))
        own = _declarations(function.body)
        names.update(node.name for node in own)
        self._own = {node.name for node in own if names[node.name] == 1 and _is_memory(node)}
        self._uses = _uses(function.body) if self._own else Counter[str]()

    def of(self, loop: c_ast.Node) -> frozenset[str]:
        """Variables without a value, and pointers to new memory, that the function uses in the loop only."""
        if not self._own:
            return frozenset()
        inside = _uses(loop)
        return frozenset(name for name in self._own & inside.keys() if inside[name] == self._uses[name])


def _is_memory(node: c_ast.Decl) -> bool:
    """Whether it is a variable of each run of the function, with no value but new memory."""
    if node.storage or not isinstance(node.type, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
        return False
    return node.init is None or (isinstance(node.type, c_ast.PtrDecl) and _is_given(node.init))


def _is_given(node: c_ast.Node) -> bool:
    """New memory from the C library, or NULL."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
        known = library_call(node.name.name)
        return known is not None and known.allocates
    return isinstance(node, c_ast.Constant) and bool(node.value == "0")


def _uses(root: c_ast.Node) -> Counter[str]:
    """How often each name is used for more than to be set to new memory, to be freed or to be compared."""
    found: Counter[str] = Counter()
    stack: list[c_ast.Node] = [root]
    while stack:
        node = stack.pop()
        match node:
            case c_ast.ID():
                found[node.name] += 1
            case c_ast.Assignment(op="=", lvalue=c_ast.ID()) if _is_given(node.rvalue):
                stack.append(node.rvalue)
            case c_ast.FuncCall(name=c_ast.ID(name=called)) if "free" in called.lower():
                stack += _without_names(node.args.exprs if node.args else ())
            case c_ast.BinaryOp(op="==" | "!="):
                stack += _without_names((node.left, node.right))
            case c_ast.UnaryOp(op="sizeof"):
                pass
            case c_ast.UnaryOp(op="!") | c_ast.If():
                stack += _without_names(node)
            case _:
                stack += list(node)
    return found


def _without_names(nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
    return [node for node in nodes if not isinstance(node, c_ast.ID)]


def _declarations(root: c_ast.Node) -> list[c_ast.Decl]:
    found: list[c_ast.Decl] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, c_ast.Decl) and node.name:
            found.append(node)
        stack.extend(node)
    return found
