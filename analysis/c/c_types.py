"""pycparser's type trees to C types with sizes and member offsets (System V x86-64)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.c23 import DEDUCED
from warplens.analysis.c.vector_typedefs import VECTOR_SIZE
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    LONG_DOUBLE,
    SIZE_T,
    UNSIGNED,
    ArrayOf,
    CType,
    Field,
    PointerTo,
    Scalar,
    StructOf,
    UnknownType,
    as_volatile,
)

POINTER_BYTES = 8
_MOST_BYTES = 1 << 63
"""No object is as large."""
_MOST_MEMBERS = 10_000
"""Of a structure with those of the structures in it, which may double with every declaration."""
CHAR = Scalar("char", "int", 1)
_BOOL = Scalar("_Bool", "int", 1, signed=False)
VOID = UnknownType("void")
_FIXED_WIDTH: dict[str, CType] = {
    "int8_t": Scalar("int8_t", "int", 1),
    "uint8_t": Scalar("uint8_t", "int", 1, signed=False),
    "int16_t": Scalar("int16_t", "int", 2),
    "uint16_t": Scalar("uint16_t", "int", 2, signed=False),
    "int32_t": Scalar("int32_t", "int", 4),
    "uint32_t": Scalar("uint32_t", "int", 4, signed=False),
    "int64_t": Scalar("int64_t", "int", 8),
    "uint64_t": Scalar("uint64_t", "int", 8, signed=False),
    "size_t": SIZE_T,
    "ptrdiff_t": LONG,
    "va_list": UnknownType("va_list"),
    "__builtin_va_list": UnknownType("va_list"),
}
"""Types whose layout the platform fixes, used when no typedef was seen."""


def arithmetic_type(words: list[str]) -> CType:
    """Type of a list of specifiers such as `unsigned long int`."""
    have = set(words)
    if "_Complex" in have:
        size_bytes = 8 if "float" in have else 16
        return Scalar("float complex" if "float" in have else "double complex", "complex", size_bytes)
    if "float" in have:
        return FLOAT
    if "double" in have:
        return LONG_DOUBLE if "long" in have else DOUBLE
    if "void" in have:
        return VOID
    if "_Bool" in have or "bool" in have:
        return _BOOL
    signed = "unsigned" not in have
    if "char" in have:
        return CHAR if signed else Scalar("unsigned char", "int", 1, signed=False)
    if "short" in have:
        return Scalar("short" if signed else "unsigned short", "int", 2, signed)
    if "long" in have:
        return LONG if signed else SIZE_T
    return INT if signed else UNSIGNED


ORDERED = frozenset(("volatile", "_Atomic"))
"""Qualifiers of objects whose accesses happen in the order of the source."""


def size_bytes(ctype: CType) -> int | None:
    """Size as `sizeof` gives it, None where it is not a constant."""
    match ctype:
        case Scalar():
            return ctype.size_bytes
        case PointerTo():
            return POINTER_BYTES
        case StructOf():
            return ctype.size_bytes or None
        case ArrayOf(element, extent):
            inner = size_bytes(element)
            if inner is None or extent is None or not extent.is_constant:
                return None
            size = inner * extent.constant_term
            return size if size < _MOST_BYTES else None
        case UnknownType():
            return None


def _members(ctype: CType) -> int:
    """Members in all of a structure, one of an array counted once."""
    match ctype:
        case StructOf():
            return 1 + sum(_members(field.type) for field in ctype.fields)
        case ArrayOf(element):
            return _members(element)
        case _:
            return 1


def alignment_bytes(ctype: CType) -> int:
    """Natural alignment."""
    match ctype:
        case Scalar():
            return ctype.size_bytes // 2 if ctype.kind == "complex" else ctype.size_bytes
        case StructOf():
            return max((alignment_bytes(field.type) for field in ctype.fields), default=1)
        case ArrayOf(element):
            return alignment_bytes(element)
        case _:
            return POINTER_BYTES


class TypeResolver:
    """Resolves type trees; `extent` turns an array's dimension into a polynomial, `constant` folds an integer.

    `typeof` gives the type of an expression; without it that of a `typeof` is not known.
    """

    def __init__(
        self,
        extent: Callable[[c_ast.Node], Polynomial | None],
        constant: Callable[[c_ast.Node], int | None],
        typedefs: Mapping[str, CType] | None = None,
        tags: Mapping[str, CType] | None = None,
        typeof: Callable[[c_ast.Node], CType] | None = None,
    ) -> None:
        self._extent = extent
        self._constant = constant
        self._typeof = typeof
        self.typedefs: dict[str, CType] = dict(typedefs or {})
        self.tags: dict[str, CType] = dict(tags or {})
        self.enumerators: dict[str, int] = {}

    def resolve(self, node: c_ast.Node | None) -> CType:
        """Type of a declarator's tree, `volatile` where its qualifiers say so; what is `_Atomic` is taken as that.

        Source: ISO C17 5.1.2.4 (accesses of an atomic object have an order that other threads see).
        """
        found = self._unqualified(node)
        is_ordered = isinstance(node, c_ast.TypeDecl | c_ast.PtrDecl) and not ORDERED.isdisjoint(node.quals or ())
        return as_volatile(found) if is_ordered else found

    def _unqualified(self, node: c_ast.Node | None) -> CType:
        match node:
            case c_ast.TypeDecl() | c_ast.Typename() | c_ast.Decl() | c_ast.Typedef():
                return self.resolve(node.type)
            case c_ast.IdentifierType():
                return self._named(node.names)
            case c_ast.PtrDecl():
                target = self.resolve(node.type)
                const = "const" in (getattr(node.type, "quals", None) or [])
                return PointerTo(target, "restrict" in (node.quals or []), const)
            case c_ast.ArrayDecl():
                element = self.resolve(node.type)
                if isinstance(node.dim, c_ast.FuncCall) and getattr(node.dim.name, "name", "") == VECTOR_SIZE:
                    return self._vector(element, node.dim.args.exprs[0])
                return ArrayOf(element, None if node.dim is None else self._extent(node.dim))
            case c_ast.Struct() | c_ast.Union():
                return self._struct(node)
            case c_ast.Enum():
                self._enum(node)
                return UNSIGNED if node.name is None else Scalar("int", "int", 4)
            case c_ast.FuncDecl():
                return UnknownType("a function")
            case c_ast.TypeOf():
                return self._type_of(node)
            case _:
                return UnknownType("a type that was not understood")

    def _vector(self, element: CType, size: c_ast.Node) -> CType:
        """Source: GCC 6.52, "Using Vector Instructions through Built-in Functions"."""
        total_bytes = self._constant(size)
        if not isinstance(element, Scalar) or not total_bytes or total_bytes % element.size_bytes:
            return UnknownType("a vector type of unknown size")
        return replace(element, size_bytes=total_bytes, lanes=total_bytes // element.size_bytes)

    def _type_of(self, node: c_ast.TypeOf) -> CType:
        """`typeof(...)`, or the type that an initialiser gives a variable."""
        if isinstance(node.expr, c_ast.Typename):
            return self.resolve(node.expr)
        if self._typeof is None or node.expr is None:
            return UnknownType("`typeof` of an expression")
        found = self._typeof(node.expr)
        return PointerTo(found.element) if node.op == DEDUCED and isinstance(found, ArrayOf) else found

    def completed(self, ctype: CType) -> CType:
        """The type, or the pointer's target, with its members if it was named before its definition."""
        match ctype:
            case StructOf(name, ()):
                known = self.tags.get(name, ctype)
                return as_volatile(known) if ctype.volatile else known
            case PointerTo(StructOf(_, ()) as target):
                return replace(ctype, target=self.completed(target))
            case _:
                return ctype

    def _named(self, names: list[str]) -> CType:
        if len(names) == 1:
            if names[0] in self.typedefs:
                return self.completed(self.typedefs[names[0]])
            if names[0] in _FIXED_WIDTH:
                return _FIXED_WIDTH[names[0]]
            if not {names[0]} & {"int", "char", "short", "long", "float", "double", "void", "_Bool", "bool", "signed",
                                 "unsigned", "_Complex"}:  # fmt: skip
                return UnknownType(f"unknown type `{names[0]}`", name=names[0])
        return arithmetic_type(names)

    def _enum(self, node: c_ast.Node) -> None:
        following: int | None = 0
        for enumerator in (node.values.enumerators if node.values else None) or ():
            if not isinstance(enumerator, c_ast.Enumerator):
                continue
            if enumerator.value is not None:
                following = self._constant(enumerator.value)
            if following is not None:
                self.enumerators[enumerator.name] = following
                following += 1

    def _struct(self, node: c_ast.Node) -> CType:
        is_union = isinstance(node, c_ast.Union)
        kind = "union" if is_union else "struct"
        name = f"{kind} {node.name or '?'}"
        if node.decls is None:
            return self.tags.get(name, StructOf(name, (), 0, is_union))
        if node.name:
            self.tags[name] = StructOf(name, (), 0, is_union)
        fields: list[Field] = []
        offset = bit = 0
        """End of the last member in bytes; bits used of the unit that starts at `offset` when a bit-field is open."""
        alignment = largest = 1 if not node.decls else 0
        for member in node.decls:
            if not isinstance(member, c_ast.Decl):
                continue
            ctype = self.resolve(member.type)
            size = size_bytes(ctype) or 0
            align = alignment_bytes(ctype)
            alignment = max(alignment, align)
            if member.bitsize is not None and not is_union:
                width = self._constant(member.bitsize) or 0
                position = offset * 8 + bit
                if size and (width == 0 or position // (size * 8) != (position + max(width, 1) - 1) // (size * 8)):
                    position = -(-position // (size * 8)) * size * 8
                if member.name:
                    unit = position // 8 // max(size, 1) * max(size, 1)
                    fields.append(Field(member.name, ctype, unit, width))
                offset, bit = divmod(position + width, 8)
                continue
            offset, bit = offset + (bit > 0), 0
            offset = 0 if is_union else -(-offset // align) * align
            if member.name:
                fields.append(Field(member.name, ctype, offset))
            elif isinstance(ctype, StructOf):
                fields += [replace(f, offset_bytes=offset + f.offset_bytes) for f in ctype.fields]
            largest = max(largest, size)
            offset += size
        offset += bit > 0
        alignment = max(alignment, 1)
        total = -(-(largest if is_union else offset) // alignment) * alignment
        result: CType = StructOf(name, tuple(fields), total, is_union)
        if total >= _MOST_BYTES or sum(_members(field.type) for field in fields) > _MOST_MEMBERS:
            result = UnknownType(f"a structure of more than {_MOST_MEMBERS} members")
        if node.name:
            self.tags[name] = result
        return result


def is_scalar_value(ctype: CType) -> bool:
    """Whether a variable of this type is a scalar of the nest; arrays and structs are memory."""
    return not isinstance(ctype, (ArrayOf, StructOf)) and not (
        isinstance(ctype, UnknownType) and ctype.reason == "a function"
    )
