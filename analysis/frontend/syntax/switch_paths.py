"""Which statements run after one inside a `switch`: the rest of its case and the cases that it falls through to."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

Cases = tuple[c_ast.Case | c_ast.Default, ...]


def cases_of(switch: c_ast.Switch) -> Cases | None:
    """The cases in order; None of a switch whose cases do not all stand in its block itself (Duff's device)."""
    if not isinstance(switch.stmt, c_ast.Compound):
        return None
    items = [item for item in switch.stmt.block_items or () if not isinstance(item, c_ast.Decl)]
    cases = tuple(item for item in items if isinstance(item, (c_ast.Case, c_ast.Default)))
    stack = [statement for case in cases for statement in case.stmts or ()]
    if len(cases) < len(items):
        return None
    while stack:
        node = stack.pop()
        if isinstance(node, (c_ast.Case, c_ast.Default)):
            return None
        if not isinstance(node, c_ast.Switch):
            stack.extend(node)
    return cases


def path(cases: Cases, case: c_ast.Node, after: c_ast.Node | None = None) -> list[c_ast.Node]:
    """Statements from the start of a case, or behind one of its own, up to the `break` that surely ends them."""
    at = next(number for number, one in enumerate(cases) if one is case)
    statements = list(cases[at].stmts or ())
    if after is not None:
        statements = statements[1 + next(k for k, one in enumerate(statements) if one is after) :]
    found: list[c_ast.Node] = []
    for statement in (*statements, *(one for later in cases[at + 1 :] for one in later.stmts or ())):
        inner = _ending_block(statement)
        found += inner or (statement,)
        if inner or isinstance(statement, c_ast.Break):
            break
    return found


def _ending_block(statement: c_ast.Node) -> Sequence[c_ast.Node]:
    """The statements of a block that ends with a `break`."""
    items: Sequence[c_ast.Node] = (statement.block_items or ()) if isinstance(statement, c_ast.Compound) else ()
    return items if items and isinstance(items[-1], c_ast.Break) else ()
