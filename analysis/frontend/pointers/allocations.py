"""Pointers of a function that only ever hold memory which the function itself allocated, handed to nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.pointers.pointer_copies import PointerCopies, moved
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.types import CType

_ZEROED = frozenset(
    ["calloc", "R_chk_calloc", "g_malloc0", "g_malloc0_n", "mkl_calloc", "PyMem_Calloc", "PyMem_RawCalloc"]
)
_SIZES = frozenset((("malloc", 1), ("calloc", 2), ("alloca", 1), ("fftw_malloc", 1), ("g_malloc", 1), ("g_malloc0", 1)))
"""Allocators whose arguments' product is the number of bytes."""


def allocated_pointers(
    function: c_ast.FuncDef, calls: EffectsOfCalls, type_of: Callable[[c_ast.Node], CType]
) -> frozenset[str]:
    """Local pointers whose object nothing else reaches: each value is an allocation's, and no copy is made of one.

    A pointer may be used to reach memory, be compared, freed, and be handed to functions that don't keep it. So may
    the local pointers that are set from it. `type_of` gives the type of a declaration.
    Assumes: the allocators of the C library give memory that nothing else points to (ISO C17 7.22.3).
    """
    declared = [item for item in nodes_of_kinds(function, (c_ast.Decl,)) if item.name]
    names = Counter(declaration.name for declaration in declared)
    own = {
        declaration.name: declaration
        for declaration in declared
        if isinstance(declaration.type, c_ast.PtrDecl) and not declaration.storage and names[declaration.name] == 1
    }
    parameters = getattr(function.decl.type, "args", None)
    for parameter in parameters.params if parameters else ():
        own.pop(getattr(parameter, "name", None), None)
    stored = [(name, value) for name, value in _stored(function) if name in own]
    allocated = {name for name, value in stored if is_fresh(value, calls)}
    if not allocated:
        return frozenset()
    held: dict[str, set[str]] = {name: set() for name in own}
    for name, value in stored:
        held[name] |= {moved(value)} & own.keys()
    copies = PointerCopies(calls, {name: type_of(declaration.type) for name, declaration in own.items()})
    copied = copies.of(function.body)
    copied |= {n for n, value in stored if not is_fresh(value, calls) and n in allocated}
    copied |= {n for n, value in stored if moved(value) not in own and not is_fresh(value, calls)}
    while lost := {base for name in copied & held.keys() for base in held[name]} - copied:
        copied |= lost
    return frozenset(allocated - copied)


def lone_allocations(function: c_ast.FuncDef, allocated: frozenset[str]) -> dict[str, tuple[c_ast.Node, ...]]:
    """Of those pointers, the ones with one allocation: the arguments whose product says how many bytes it has."""
    stored = [(name, value) for name, value in _stored(function) if name in allocated and not _is_null(value)]
    times = Counter(name for name, _ in stored)
    found: dict[str, tuple[c_ast.Node, ...]] = {}
    for name, value in stored:
        call = _without_casts(value)
        if times[name] == 1 and isinstance(call, c_ast.FuncCall) and call.args is not None:
            arguments = tuple(call.args.exprs)
            if (call.name.name, len(arguments)) in _SIZES:
                found[name] = arguments
    return found


def _is_null(node: c_ast.Node) -> bool:
    return isinstance(_without_casts(node), c_ast.Constant)


def _without_casts(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def _stored(function: c_ast.FuncDef) -> list[tuple[str, c_ast.Node]]:
    """Variables that a value is stored in, and the value."""
    found: list[tuple[str, c_ast.Node]] = []
    for node in nodes_of_kinds(function, (c_ast.Decl, c_ast.Assignment)):
        match node:
            case c_ast.Decl() if node.name and node.init is not None:
                found.append((node.name, node.init))
            case c_ast.Assignment(op="=", lvalue=c_ast.ID()):
                found.append((node.lvalue.name, node.rvalue))
            case _:
                pass
    return found


def is_fresh(node: c_ast.Node, calls: EffectsOfCalls) -> bool:
    """An allocation, or NULL."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.Constant):
        return bool(node.value == "0")
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
        return False
    known = library_call(node.name.name)
    return known is not None and known.allocates and calls.of(node.name.name) is None


def is_without_values(node: c_ast.Node, calls: EffectsOfCalls) -> bool:
    """An allocation in which nothing is that anybody may count on, or NULL: no `calloc`."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return is_fresh(node, calls) and (isinstance(node, c_ast.Constant) or node.name.name not in _ZEROED)


def is_given(node: c_ast.Node, calls: EffectsOfCalls) -> bool:
    """What a function of another file gives."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
        return False
    return library_call(node.name.name) is None and calls.of(node.name.name) is None
