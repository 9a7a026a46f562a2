"""What of a function's text says where pointers are set, and the names that this is told by; found once for a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.pointers.out_parameters import plain_argument
from warplens.analysis.frontend.pointers.pointer_exchanges import exchanges
from warplens.analysis.frontend.pointers.pointer_path import PointerPath
from warplens.analysis.frontend.syntax.syntax_index import nodes_of
from warplens.analysis.frontend.syntax.tree_memo import TreeMemo


@dataclass(frozen=True, slots=True, eq=False)
class NamesInSyntax:
    """`variables` may be functions too; `tags` are spelled `struct s`."""

    variables: frozenset[str]
    members: frozenset[str]
    types: frozenset[str]
    tags: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class PointerSyntax:
    """`statements` are nodes that may set a pointer, `calls` those of them that are calls, in the order of `nodes_of`.

    `handed` are addresses that are arguments of calls, `skipped` settings that belong to an exchange, both by the
    node's `id`; `exchanged` are the pairs of pointers that swap their values.
    """

    declarations: dict[str, list[c_ast.Decl]]
    statements: tuple[c_ast.Node, ...]
    calls: tuple[c_ast.FuncCall, ...]
    handed: frozenset[int]
    skipped: frozenset[int]
    exchanged: tuple[tuple[PointerPath, PointerPath], ...]
    names: NamesInSyntax

    @property
    def called(self) -> frozenset[str]:
        """Functions that it calls by their names."""
        return frozenset(call.name.name for call in self.calls if isinstance(call.name, c_ast.ID))


def pointer_syntax_of(root: c_ast.Node, trees: TreeMemo) -> PointerSyntax:
    """That of a function definition, or of the declaration of a variable."""
    return trees.get("pointer syntax", root, lambda: _read(root))


def _read(root: c_ast.Node) -> PointerSyntax:
    declarations: dict[str, list[c_ast.Decl]] = {}
    statements: list[c_ast.Node] = []
    calls: list[c_ast.FuncCall] = []
    handed: set[int] = set()
    skipped: set[int] = set()
    exchanged: list[tuple[PointerPath, PointerPath]] = []
    variables: set[str] = set()
    members: set[str] = set()
    types: set[str] = set()
    tags: set[str] = set()
    for node in nodes_of(root):
        match node:
            case c_ast.ID():
                variables.add(node.name)
            case c_ast.Decl():
                if node.name:
                    declarations.setdefault(node.name, []).append(node)
                    statements.append(node)
            case c_ast.FuncCall():
                calls.append(node)
                statements.append(node)
                arguments = node.args.exprs if isinstance(node.args, c_ast.ExprList) else ()
                addresses = map(plain_argument, arguments)
                handed.update(id(one) for one in addresses if isinstance(one, c_ast.UnaryOp) and one.op == "&")
            case c_ast.Assignment() | c_ast.UnaryOp(op="&") | c_ast.Return():
                statements.append(node)
            case c_ast.StructRef():
                members.add(node.field.name)
            case c_ast.IdentifierType():
                types.update(node.names)
            case c_ast.Struct() | c_ast.Union():
                tags.add(f"{type(node).__name__.lower()} {node.name}")
            case c_ast.Compound():
                for settings, pairs in _exchanges(node.block_items or ()):
                    skipped.update(map(id, settings))
                    exchanged += pairs
            case _:
                pass
    names = NamesInSyntax(frozenset(variables), frozenset(members), frozenset(types), frozenset(tags))
    return PointerSyntax(
        declarations, tuple(statements), tuple(calls), frozenset(handed), frozenset(skipped), tuple(exchanged), names
    )


def _exchanges(
    items: Sequence[c_ast.Node],
) -> list[tuple[list[c_ast.Node], list[tuple[PointerPath, PointerPath]]]]:
    settings = sum(isinstance(one, c_ast.Assignment | c_ast.Decl) for one in items)
    return exchanges(items) if settings > 1 else []
