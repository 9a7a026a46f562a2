"""What a declaration says of the type of a function or variable, so that two files' words for it can be compared."""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast, c_generator
from warplens.analysis.frontend.declarations.declarations import names_in
from warplens.analysis.frontend.declarations.parse_declaration import parse_declaration
from warplens.analysis.frontend.syntax.memo import Memo

_UNSAID = "?"
_WIDTHS = frozenset({"short", "long", "unsigned"})


def declared_type(text: str, name: str, type_names: Iterable[str], memo: Memo) -> str:
    """The type that a declaration gives a name, in one spelling; empty where that can't be told.

    Left out is what makes no other type: names of parameters, `restrict`, storage classes, qualifiers of a parameter
    itself. A function is its parameters, `(?)` where they are not said, before its result, an array its extent, `[]`
    where that is not said, before its elements.

    Source: ISO C17 6.7.6.3 paragraph 15 (compatible function types).
    """
    names = names_in(text, type_names)
    return memo.get("declared type", (text, name, names), lambda: _declared_type(text, name, names))


def _declared_type(text: str, name: str, type_names: tuple[str, ...]) -> str:
    parsed = parse_declaration(text, type_names)
    for node in parsed.declarations:
        if isinstance(node, c_ast.Decl) and node.name == name:
            try:
                return _spelt(node.type)
            except (AttributeError, TypeError):  # an extension that this does not know
                return ""
    return ""


def are_compatible(one: str, other: str, *, is_defined: bool = False) -> bool:
    """Whether two of these types are those of one object or function; not where one of them can't be told.

    `is_defined`: `other` is that of a function's definition, in which brackets with nothing in them are all there is.
    """
    if not one or not other:
        return False
    if is_defined and other.startswith(f"({_UNSAID})") and one.startswith((f"({_UNSAID})", "()")):
        return one.partition(")")[2] == other.partition(")")[2]
    if one == other:
        return f"({_UNSAID})" not in one
    is_open = one.startswith("[]") != other.startswith("[]")
    return is_open and one[0] == other[0] and one.partition("]")[2] == other.partition("]")[2]


def _spelt(node: c_ast.Node, *, is_parameter: bool = False) -> str:
    match node:
        case c_ast.PtrDecl():
            own = "" if is_parameter else _qualifiers(node.quals)
            return f"*{own}{_spelt(node.type)}"
        case c_ast.ArrayDecl():
            if is_parameter:
                return f"*{_spelt(node.type)}"
            extent = c_generator.CGenerator().visit(node.dim) if node.dim is not None else ""
            return f"[{extent}]{_spelt(node.type)}"
        case c_ast.FuncDecl():
            pointer = "*" if is_parameter else ""
            return f"{pointer}({_parameters(node)}){_spelt(node.type)}"
        case c_ast.TypeDecl():
            own = "" if is_parameter else _qualifiers(node.quals)
            return f"{own}{_base(node.type)}"
        case _:
            return ""


def _parameters(node: c_ast.FuncDecl) -> str:
    if node.args is None:
        return _UNSAID
    found: list[str] = []
    for one in node.args.params:
        if isinstance(one, c_ast.EllipsisParam):
            found.append("...")
        elif isinstance(one, c_ast.ID):  # `f(a, b) int a, b; {`
            return _UNSAID
        else:
            found.append(_spelt(one.type, is_parameter=True))
    return "" if found == ["void"] else ",".join(found)


def _qualifiers(words: list[str] | None) -> str:
    return "".join(f"{word} " for word in sorted(set(words or ()) & {"const", "volatile", "_Atomic"}))


def _base(node: c_ast.Node) -> str:
    match node:
        case c_ast.IdentifierType():
            words = list(node.names)
            if not _WIDTHS.isdisjoint(words) and "int" in words:
                words.remove("int")
            if "signed" in words and "char" not in words:
                words.remove("signed")
            return " ".join(sorted(words)) or "int"
        case c_ast.Struct() | c_ast.Union():
            return f"{type(node).__name__.lower()} {node.name}" if node.name else ""
        case c_ast.Enum():
            return f"enum {node.name}" if node.name else "int"
        case _:
            return ""
