"""Variables of a function that are `const`: who has their address may only read them.

Source: ISO C17 6.7.3 paragraph 7 (an object defined with a const-qualified type is not modified).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.frontend.effects.writes import Writes, writes_of
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds


def changeable_addresses(function: c_ast.FuncDef) -> frozenset[str]:
    """Variables whose address the function takes, but those that stay as they are: `const int n = k; ddot(&n, ..)`."""
    return writes_of(function.body).addressed - constant_variables(function)


def without_constants(writes: Writes, scopes: Sequence[dict[str, Symbol]]) -> Writes:
    """What a tree writes, but those variables of its surroundings that calls can't change although they get at them."""
    visible = ChainMap(*reversed(scopes))
    constant = {n for n in writes.scalars - writes.declared if n in visible and visible[n].is_fixed}
    return replace(writes, scalars=writes.scalars - constant, memory=writes.memory - constant) if constant else writes


def constant_variables(function: c_ast.FuncDef) -> frozenset[str]:
    """Names of which every declaration in the function is a `const` one of no array, pointer or structure."""
    constant: set[str] = set()
    other: set[str] = set()
    for node in nodes_of_kinds(function, (c_ast.Decl,)):
        if node.name:
            (constant if _is_constant(node) else other).add(node.name)
    return frozenset(constant - other)


def _is_constant(node: c_ast.Decl) -> bool:
    quals = node.quals or ()
    is_plain = isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.IdentifierType)
    return is_plain and "const" in quals and "volatile" not in quals
