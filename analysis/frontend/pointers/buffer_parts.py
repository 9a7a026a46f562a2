"""Pointers into one work array that a function cuts up: `buf = malloc(..); head = buf; tail = buf + n;`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds


@dataclass(frozen=True, slots=True)
class Cut:
    """The pointers that an address may start from, and the expressions that say where from there it is."""

    pointers: tuple[str, ...]
    rest: tuple[c_ast.Node, ...]


def buffer_parts(function: c_ast.FuncDef, arrays: Collection[str]) -> dict[str, str]:
    """By name of a local pointer the one array of `arrays` that it always leads into, however often it is set.

    A pointer whose address is taken is none, others may set it.
    """
    settings = _settings(function)
    known = frozenset(arrays) | settings.keys()
    sources: dict[str, set[str]] = {}
    for name, values in settings.items():
        cuts = [cut_of(value, known) for value in values]
        if cuts and None not in cuts:
            sources[name] = {pointer for cut in cuts if cut is not None for pointer in cut.pointers}
    while lost := {n for n, starts in sources.items() if not starts <= sources.keys() | frozenset(arrays)}:
        sources = {name: starts for name, starts in sources.items() if name not in lost}
    found: dict[str, str] = {}
    for name in sources:
        roots = _roots(name, sources)
        if len(roots) == 1:
            found[name] = roots.pop()
    return found


def cut_of(value: c_ast.Node, pointers: Collection[str]) -> Cut | None:
    """How an expression makes an address of those of some pointers, None where it makes it of anything else."""
    match value:
        case c_ast.ID():
            return Cut((value.name,), ()) if value.name in pointers else None
        case c_ast.Constant(value="0"):
            return Cut((), ())  # no address
        case c_ast.Cast():
            return cut_of(value.expr, pointers)
        case c_ast.BinaryOp(op="+" | "-"):
            found = cut_of(value.left, pointers)
            other = value.right
            if found is None and value.op == "+":
                found, other = cut_of(value.right, pointers), value.left
            return None if found is None else Cut(found.pointers, (*found.rest, other))
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=c_ast.ID())):
            found = cut_of(value.expr.name, pointers)
            return None if found is None else Cut(found.pointers, (value.expr.subscript,))
        case c_ast.TernaryOp():
            cuts = cut_of(value.iftrue, pointers), cut_of(value.iffalse, pointers)
            if cuts[0] is None or cuts[1] is None:
                return None
            return Cut((*cuts[0].pointers, *cuts[1].pointers), (value.cond, *cuts[0].rest, *cuts[1].rest))
        case _:
            return None


def _settings(function: c_ast.FuncDef) -> dict[str, list[c_ast.Node]]:
    """What each pointer variable of the function itself is set to."""
    names = Counter(node.name for node in nodes_of_kinds(function, (c_ast.Decl,)))
    addressed = {
        node.expr.name
        for node in nodes_of_kinds(function.body, (c_ast.UnaryOp,))
        if node.op == "&" and isinstance(node.expr, c_ast.ID)
    }
    found: dict[str, list[c_ast.Node]] = {}
    for node in nodes_of_kinds(function.body, (c_ast.Decl,)):
        is_pointer = isinstance(node.type, c_ast.PtrDecl) and not node.storage
        if is_pointer and names[node.name] == 1 and node.name not in addressed:
            found[node.name] = [] if node.init is None else [node.init]
    for node in nodes_of_kinds(function.body, (c_ast.Assignment,)):
        if node.op == "=" and isinstance(node.lvalue, c_ast.ID) and node.lvalue.name in found:
            found[node.lvalue.name].append(node.rvalue)
    return found


def _roots(name: str, sources: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    seen, stack = {name}, [name]
    while stack:
        for start in sources[stack.pop()]:
            if start not in sources:
                found.add(start)
            elif start not in seen:
                seen.add(start)
                stack.append(start)
    return found
