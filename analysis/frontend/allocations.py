"""Pointers of a function that only ever hold memory which the function itself allocated, handed to nobody."""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast
from warplens.analysis.frontend.c_library import library_call
from warplens.analysis.frontend.call_effects import EffectsOfCalls


def allocated_pointers(function: c_ast.FuncDef, calls: EffectsOfCalls) -> frozenset[str]:
    """Local pointers whose object nothing else reaches: each value is an allocation's, and no copy is made of one.

    A pointer may be used to reach memory, be compared, freed, and be handed to functions that don't keep it.
    Assumes: the allocators of the C library give memory that nothing else points to (ISO C17 7.22.3).
    """
    declared = [item for item in _all(function) if isinstance(item, c_ast.Decl) and item.name]
    names = Counter(declaration.name for declaration in declared)
    candidates = {
        declaration.name
        for declaration in declared
        if isinstance(declaration.type, c_ast.PtrDecl) and not declaration.storage and names[declaration.name] == 1
    }
    stored = [(name, _is_fresh(value, calls)) for name, value in _stored(function) if name in candidates]
    allocated = {name for name, is_fresh in stored if is_fresh}
    if not allocated:
        return frozenset()
    copied = {name for name, is_fresh in stored if not is_fresh}
    stack: list[tuple[c_ast.Node, bool]] = [(function.body, False)]
    while stack:
        node, is_harmless = stack.pop()
        match node:
            case c_ast.ID():
                if not is_harmless:
                    copied.add(node.name)
            case c_ast.Assignment(lvalue=c_ast.ID()):
                if node.op != "=":
                    copied.add(node.lvalue.name)
                stack.append((node.rvalue, False))
            case c_ast.ArrayRef():
                stack += [(node.name, True), (node.subscript, False)]
            case c_ast.UnaryOp(op="*" | "!" | "sizeof") | c_ast.StructRef():
                stack.append((node.expr if isinstance(node, c_ast.UnaryOp) else node.name, True))
            case c_ast.BinaryOp(op="==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||"):
                stack += [(node.left, True), (node.right, True)]
            case c_ast.BinaryOp(op="+" | "-") if is_harmless:
                stack += [(node.left, True), (node.right, True)]
            case c_ast.FuncCall():
                if any(isinstance(n, c_ast.ID) and n.name in allocated for n in _all(node)):
                    stack += [(argument, kept) for argument, kept in _arguments(node, calls)]
            case c_ast.Return() | c_ast.If() | c_ast.While() | c_ast.DoWhile():
                stack += [(child, isinstance(child, c_ast.ID)) for child in node]
            case _:
                stack += [(child, False) for child in node]
    return frozenset(allocated - copied)


def _stored(function: c_ast.FuncDef) -> list[tuple[str, c_ast.Node]]:
    """Variables that a value is stored in, and the value."""
    found: list[tuple[str, c_ast.Node]] = []
    for node in _all(function):
        match node:
            case c_ast.Decl() if node.name and node.init is not None:
                found.append((node.name, node.init))
            case c_ast.Assignment(op="=", lvalue=c_ast.ID()):
                found.append((node.lvalue.name, node.rvalue))
            case _:
                pass
    return found


def _arguments(call: c_ast.FuncCall, calls: EffectsOfCalls) -> list[tuple[c_ast.Node, bool]]:
    """Arguments, each with whether the function does not keep it."""
    arguments = list(call.args.exprs) if call.args else []
    name = call.name.name if isinstance(call.name, c_ast.ID) else ""
    effects = calls.of(name) if name else None
    known = library_call(name) if name and effects is None else None
    if effects is not None:
        return [(a, not effects.unknown and n not in effects.kept) for n, a in enumerate(arguments)]
    is_harmless = known is not None and (name == "free" or not known.unknown)
    return [(argument, is_harmless) for argument in arguments]


def _is_fresh(node: c_ast.Node, calls: EffectsOfCalls) -> bool:
    """An allocation, or NULL."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.Constant):
        return bool(node.value == "0")
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
        return False
    known = library_call(node.name.name)
    return known is not None and known.allocates and calls.of(node.name.name) is None


def _all(root: c_ast.Node) -> list[c_ast.Node]:
    found: list[c_ast.Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node)
    return found
