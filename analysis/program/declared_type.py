"""What a declaration says of the type of a function or variable, so that two files' words for it can be compared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pycparser import c_ast, c_generator
from warplens.analysis.frontend.declarations.declarations import names_in
from warplens.analysis.frontend.declarations.parse_declaration import parse_declaration
from warplens.analysis.frontend.syntax.memo import Memo

_UNSAID = "?"
_MOST_ALIASES = 100
_WIDTHS = frozenset({"short", "long", "unsigned"})


def declared_type(text: str, name: str, type_names: Collection[str], alias: Callable[[str], str], memo: Memo) -> str:
    """The type that a declaration gives a name, in one spelling; empty where that can't be told.

    `type_names` are the names of types, `alias` gives the text of the `typedef` of one, if there is one.
    Left out is what makes no other type: names of parameters, `restrict`, storage classes, qualifiers of a parameter
    itself, names that a `typedef` gives to others. A function is its parameters, `(?)` where they are not said, before
    its result, an array its extent, `[]` where that is not said, before its elements.

    Source: ISO C17 6.7.6.3 paragraph 15 (compatible function types).
    """
    aliases: dict[str, str] = {}
    todo = list(names_in(text, type_names))
    while todo and len(aliases) < _MOST_ALIASES:
        one = todo.pop()
        if one not in aliases:
            aliases[one] = alias(one)
            todo += names_in(aliases[one], type_names)
    key = (text, name, tuple(sorted(aliases.items())))
    return memo.get("declared type", key, lambda: _declared_type(text, name, aliases))


def _declared_type(text: str, name: str, aliases: Mapping[str, str]) -> str:
    for node in parse_declaration(text, names_in(text, aliases)).declarations:
        if isinstance(node, c_ast.Decl) and node.name == name:
            try:
                return _Speller(aliases).spelt(node.type)
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


class _Speller:
    """Types in one spelling; `aliases` are texts of typedefs by name."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases

    def spelt(self, node: c_ast.Node, *, is_parameter: bool = False) -> str:
        """A type; of a parameter what it is adjusted to."""
        match node:
            case c_ast.PtrDecl():
                own = "" if is_parameter else _qualifiers(node.quals)
                return f"*{own}{self.spelt(node.type)}"
            case c_ast.ArrayDecl():
                if is_parameter:
                    return f"*{self.spelt(node.type)}"
                extent = c_generator.CGenerator().visit(node.dim) if node.dim is not None else ""
                return f"[{extent}]{self.spelt(node.type)}"
            case c_ast.FuncDecl():
                pointer = "*" if is_parameter else ""
                return f"{pointer}({self._parameters(node)}){self.spelt(node.type)}"
            case c_ast.TypeDecl():
                own = "" if is_parameter else _qualifiers(node.quals)
                return f"{own}{self._base(node.type)}"
            case _:
                return ""

    def _parameters(self, node: c_ast.FuncDecl) -> str:
        if node.args is None:
            return _UNSAID
        found: list[str] = []
        for one in node.args.params:
            if isinstance(one, c_ast.EllipsisParam):
                found.append("...")
            elif isinstance(one, c_ast.ID):  # `f(a, b) int a, b; {`
                return _UNSAID
            else:
                found.append(self.spelt(one.type, is_parameter=True))
        return "" if found == ["void"] else ",".join(found)

    def _base(self, node: c_ast.Node) -> str:
        match node:
            case c_ast.IdentifierType():
                return self._aliased(node.names[0]) if len(node.names) == 1 else _arithmetic(node.names)
            case c_ast.Struct() | c_ast.Union():
                return f"{type(node).__name__.lower()} {node.name}" if node.name else ""
            case c_ast.Enum():
                return f"enum {node.name}" if node.name else "int"
            case _:
                return ""

    def _aliased(self, name: str) -> str:
        """What a name stands for: a structure without a tag is known by the name alone."""
        text = self._aliases.get(name, "")
        if not text:
            return _arithmetic([name])
        others = {one: other for one, other in self._aliases.items() if one != name}
        found = parse_declaration(text, names_in(text, others)).declarations
        node = next((one for one in found if isinstance(one, c_ast.Typedef) and one.name == name), None)
        return (_Speller(others).spelt(node.type) if node is not None else "") or name


def _qualifiers(words: list[str] | None) -> str:
    return "".join(f"{word} " for word in sorted(set(words or ()) & {"const", "volatile", "_Atomic"}))


def _arithmetic(names: Sequence[str]) -> str:
    words = list(names)
    if not _WIDTHS.isdisjoint(words) and "int" in words:
        words.remove("int")
    if "signed" in words and "char" not in words:
        words.remove("signed")
    return " ".join(sorted(words)) or "int"
