"""What becomes of the values of a function's local pointers: whether anybody else may have a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, StructOf, UnknownType

_Use = Literal["copied", "lent", "reached", "read"]
"""What is done with the value of an expression: it is stored or handed on; compared or lent to a call; memory is
reached through it, or it is the memory that is reached; nothing, or what a number is for."""


class PointerCopies:
    """Pointers of which more is made than the assignments from one local pointer to another."""

    def __init__(self, calls: EffectsOfCalls, types: Mapping[str, CType]) -> None:
        self._calls = calls
        self._types = types

    def of(self, body: c_ast.Node) -> set[str]:
        """Names of those whose address somebody else may have."""
        found: set[str] = set()
        stack: list[tuple[c_ast.Node, _Use]] = [(body, "read")]
        while stack:
            node, use = stack.pop()
            match node:
                case c_ast.ID():
                    found.update({node.name} if use == "copied" else ())
                case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                    found.update({name} if use == "copied" or node.op != "=" else ())
                    stack.append((node.rvalue, self._kept_in(name, node.rvalue)))
                case c_ast.UnaryOp(op="&"):
                    found.update(self._based(node.expr) if use == "copied" else ())
                    is_variable = isinstance(node.expr, c_ast.ID)
                    stack.append((node.expr, "reached" if use == "copied" and not is_variable else use))
                case _:
                    stack += self._parts(node, use)
        return found

    def _kept_in(self, name: str, value: c_ast.Node) -> _Use:
        """What setting a variable does with a value: a local pointer that gets another one is looked at itself."""
        return "lent" if name in self._types and moved(value) in self._types else "copied"

    def _parts(self, node: c_ast.Node, use: _Use) -> list[tuple[c_ast.Node, _Use]]:
        """Parts of an expression or a statement, each with what is done with its value."""
        match node:
            case c_ast.Decl() if node.init is not None and node.name in self._types:
                return [(node.init, self._kept_in(node.name, node.init))]
            case c_ast.Assignment():
                return [(node.lvalue, "reached"), (node.rvalue, "copied")]
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._lvalue(node, use)
            case c_ast.UnaryOp(op="!" | "sizeof"):
                return [(node.expr, "lent")]
            case c_ast.BinaryOp(op="+" | "-") | c_ast.Cast():
                return [(child, use) for child in node if not isinstance(child, c_ast.Typename)]
            case c_ast.BinaryOp():
                return [(node.left, "lent"), (node.right, "lent")]
            case c_ast.FuncCall():
                return self._arguments(node, use)
            case c_ast.TernaryOp():
                return [(node.cond, "lent"), (node.iftrue, use), (node.iffalse, use)]
            case c_ast.If() | c_ast.While() | c_ast.DoWhile() | c_ast.For() | c_ast.Switch():
                return [(child, "lent" if child is node.cond else "read") for child in node]
            case c_ast.Compound() | c_ast.Case() | c_ast.Default() | c_ast.Label() | c_ast.DeclList():
                return [(child, "read") for child in node]
            case _:
                return [(child, "copied") for child in node]

    def _lvalue(self, node: c_ast.Node, use: _Use) -> list[tuple[c_ast.Node, _Use]]:
        """Parts of `p[i]`, `p->m` and `*p`; an array in the object is its address."""
        rest: list[tuple[c_ast.Node, _Use]] = [(node.subscript, "copied")] if isinstance(node, c_ast.ArrayRef) else []
        if use == "copied" and self._is_array(node):
            return [*rest, *((c_ast.ID(name), "copied") for name in self._based(node))]
        return [*rest, (node.expr if isinstance(node, c_ast.UnaryOp) else node.name, "reached")]

    def _based(self, node: c_ast.Node) -> tuple[str, ...]:
        """The pointer whose object an lvalue is a part of, empty where another pointer in memory leads further."""
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef) or (
            isinstance(node, c_ast.UnaryOp) and node.op == "*"
        ):
            node = node.expr if isinstance(node, c_ast.UnaryOp) else node.name
            if not isinstance(node, c_ast.ID) and isinstance(self._type(node), PointerTo):
                return ()
        name = moved(node)
        return (name,) if name in self._types else ()

    def _is_array(self, node: c_ast.Node) -> bool:
        ctype = self._type(node)
        return ctype is None or isinstance(ctype, ArrayOf | UnknownType)

    def _type(self, node: c_ast.Node) -> CType | None:
        """Type of an lvalue that starts at one of the pointers, None where it is not known."""
        match node:
            case c_ast.ID():
                return self._types.get(node.name)
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                inner = self._type(node.name if isinstance(node, c_ast.ArrayRef) else node.expr)
                match inner:
                    case PointerTo(target):
                        return target
                    case ArrayOf(element):
                        return element
                    case _:
                        return None
            case c_ast.StructRef():
                inner = self._type(node.name)
                inner = inner.target if node.type == "->" and isinstance(inner, PointerTo) else inner
                fields = inner.fields if isinstance(inner, StructOf) else ()
                return next((field.type for field in fields if field.name == node.field.name), None)
            case c_ast.BinaryOp(op="+" | "-"):
                return self._type(node.left)
            case _:
                return None

    def _arguments(self, call: c_ast.FuncCall, use: _Use) -> list[tuple[c_ast.Node, _Use]]:
        """Arguments of a call: lent to a function that neither keeps nor sets them, nor gives them back to be kept."""
        arguments = list(call.args.exprs) if call.args else []
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        effects = self._calls.of(name) if name else None
        if effects is not None:
            kept = frozenset(range(len(arguments))) if effects.unknown else effects.kept
            return [
                (argument, "copied" if n in kept or (n in effects.written and _is_address(argument)) else "lent")
                for n, argument in enumerate(arguments)
            ]
        known = library_call(name) if name else None
        gives_back = known is not None and isinstance(known.result, PointerTo) and not known.allocates
        is_lent = known is not None and (known.frees or not known.unknown) and not (gives_back and use == "copied")
        uses: list[tuple[c_ast.Node, _Use]] = [
            (argument, "lent" if is_lent and not _is_address(argument) else "copied") for argument in arguments
        ]
        return [(call.name, "reached"), *uses]


def _is_address(argument: c_ast.Node) -> bool:
    """Whether it leads to a variable: who writes there may set a pointer to anything."""
    while isinstance(argument, c_ast.Cast):
        argument = argument.expr
    return isinstance(argument, c_ast.UnaryOp) and argument.op == "&" and isinstance(argument.expr, c_ast.ID)


def moved(node: c_ast.Node) -> str:
    """`p` in `p`, `p + i` and `(double *)p`."""
    while isinstance(node, c_ast.Cast) or (isinstance(node, c_ast.BinaryOp) and node.op in {"+", "-"}):
        node = node.expr if isinstance(node, c_ast.Cast) else node.left
    return str(node.name) if isinstance(node, c_ast.ID) else ""
