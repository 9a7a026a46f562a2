"""The names that a function declares itself, and what expressions of them and of the file's are: rows or pointers."""

from __future__ import annotations

from collections.abc import Container, Iterable

from pycparser import c_ast
from warplens.analysis.frontend.effects.type_shapes import ARRAY, OPEN, POINTER, TypeShapes


class OwnNames:
    """Parameters by number, and variables, of a definition whose body consists of some nodes.

    Names that are in `globals_` and not the function's own belong to the file; `shapes` are those of what is declared
    outside of the function.
    """

    def __init__(
        self, node: c_ast.FuncDef, nodes: Iterable[c_ast.Node], globals_: Container[str], shapes: TypeShapes
    ) -> None:
        self._globals = globals_
        self._declared = shapes
        arguments = getattr(node.decl.type, "args", None)
        parameters = list(arguments.params) if arguments else []
        self.parameters = {p.name: n for n, p in enumerate(parameters) if isinstance(p, c_ast.Decl) and p.name}
        self.locals: dict[str, bool] = {}
        """Variables, with whether memory of the name itself is meant (an array or struct), not what it points to."""
        self.statics: set[str] = set()
        self._shapes: dict[str, str] = {}
        """Open where two are declared otherwise."""
        for one in (*parameters, *(node.param_decls or ())):
            if isinstance(one, c_ast.Decl) and one.name:
                self._shapes[one.name] = shapes.of(one.type)
        for one in nodes:
            if isinstance(one, c_ast.Decl) and one.name:
                self._declare(one)

    def _declare(self, one: c_ast.Decl) -> None:
        if "static" in (one.storage or []) or "extern" in (one.storage or []):
            self.statics.add(one.name)
        self.locals[one.name] = not isinstance(one.type, c_ast.PtrDecl)
        shape = self._declared.of(one.type)
        self._shapes[one.name] = shape if self._shapes.get(one.name, shape) == shape else OPEN

    def is_own(self, name: str) -> bool:
        """Whether a name is that of memory which each call has anew."""
        return name in self.parameters or (name in self.locals and name not in self.statics)

    def is_file_level(self, name: str) -> bool:
        """Whether a name that is not the call's own stands for memory that outlives it."""
        return name in self._globals or name in self.statics

    def shape(self, node: c_ast.Node) -> str:
        """Shape of an expression's type (see `type_shapes`)."""
        match node:
            case c_ast.ID() if node.name in self._shapes:
                return self._shapes[node.name]
            case c_ast.ID():
                return self._declared.variables.get(node.name, OPEN) if self.is_file_level(node.name) else OPEN
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                inner = self.shape(node.name if isinstance(node, c_ast.ArrayRef) else node.expr)
                return inner[1:] if inner[0] in {ARRAY, POINTER} else OPEN
            case c_ast.StructRef():
                return self._declared.members.get(node.field.name, OPEN)
            case c_ast.Cast():
                return self._declared.of(node.to_type)
            case c_ast.UnaryOp(op="&"):
                return POINTER + self.shape(node.expr)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                return self.shape(node.expr)
            case c_ast.BinaryOp(op="+" | "-") if self.shape(node.left)[0] in {ARRAY, POINTER}:
                return POINTER + self.shape(node.left)[1:]
            case _:
                return OPEN

    def holder(self, node: c_ast.Node) -> str:
        """The own variable in whose memory an lvalue lies, empty where it is reached through a pointer."""
        match node:
            case c_ast.ID():
                return str(node.name) if self.is_own(node.name) else ""
            case c_ast.StructRef(type="."):
                return self.holder(node.name)
            case c_ast.ArrayRef() if self.shape(node.name)[0] == ARRAY:
                name = self.holder(node.name)
                is_parameter = isinstance(node.name, c_ast.ID) and name in self.parameters
                return "" if is_parameter else name  # an array that is a parameter is the caller's
            case _:
                return ""
