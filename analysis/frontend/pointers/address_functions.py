"""Functions that only say where something is: `double *row(int i) { return m + i * n; }`."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping

from pycparser import c_ast
from warplens.analysis.frontend.pointers.row_settings import parameter_names
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_PLAIN = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.Cast, c_ast.TernaryOp, c_ast.ArrayRef, c_ast.StructRef)


def address_of_call(call: c_ast.FuncCall, scope: FileScope, declared: Collection[str]) -> c_ast.Node | None:
    """What a call gives, in the caller's terms; None where the function is not in sight or does anything else.

    `declared` are the caller's own variables: they hide what the function means by the same names.
    """
    definition = scope.definition(call.name.name) if isinstance(call.name, c_ast.ID) else None
    items = definition.body.block_items or [] if definition is not None else []
    if definition is None or len(items) != 1 or not isinstance(items[0], c_ast.Return) or items[0].expr is None:
        return None
    names = parameter_names(definition)
    arguments = call.args.exprs if call.args else []
    if len(names) != len(arguments) or not all(map(_is_plain, (items[0].expr, *arguments))):
        return None
    mentioned = {node.name for node in nodes_of_kinds(items[0].expr, (c_ast.ID,))} - set(names)
    if not mentioned.isdisjoint(declared):
        return None
    return _with(items[0].expr, dict(zip(names, arguments, strict=True)))


def _is_plain(node: c_ast.Node) -> bool:
    """Whether an expression changes nothing and calls nobody."""
    if isinstance(node, c_ast.UnaryOp):
        return node.op in {"&", "*", "-", "+"} and _is_plain(node.expr)
    if isinstance(node, c_ast.StructRef):
        return _is_plain(node.name)
    if isinstance(node, c_ast.Cast):
        return _is_plain(node.expr)
    return isinstance(node, _PLAIN) and all(map(_is_plain, node))


def _with(node: c_ast.Node, arguments: Mapping[str, c_ast.Node]) -> c_ast.Node:
    """A copy of an expression with arguments in place of parameters; the original stays as it is."""
    if isinstance(node, c_ast.ID):
        return arguments.get(node.name, node)
    made = copy.copy(node)
    fields = {
        c_ast.BinaryOp: ("left", "right"),
        c_ast.Cast: ("expr",),
        c_ast.UnaryOp: ("expr",),
        c_ast.TernaryOp: ("cond", "iftrue", "iffalse"),
        c_ast.ArrayRef: ("name", "subscript"),
        c_ast.StructRef: ("name",),
    }
    for field in fields.get(type(node), ()):
        setattr(made, field, _with(getattr(node, field), arguments))
    return made
