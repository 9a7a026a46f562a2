"""C types as CUDA C++ spells them, with the structures that a kernel's text has to define.

Types are those of the System V x86-64 layout, which device code shares (`long` has 8 bytes). What a GPU has no type
for (`long double`, `_Complex`, vectors of GNU C, 128-bit integers), and what this port does not print (unions, packed
structures, `volatile` objects), is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from warplens.analysis.ir.types import ArrayOf, CType, Field, PointerTo, Scalar, StructOf, is_volatile
from warplens.analysis.ports.cuda.names import is_keyword, tag_of
from warplens.analysis.ports.cuda.plan import PortRefusedError

_INTEGERS = {(1, True): "signed char", (2, True): "short", (4, True): "int", (8, True): "long"}
_UNSIGNED = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long"}
_FLOATING = {4: "float", 8: "double"}
_BOOLEAN = frozenset({"_Bool", "bool"})


def scalar_text(ctype: Scalar) -> str:
    """Spelling of an arithmetic type; raises PortRefusedError for one that a GPU does not have.

    >>> scalar_text(Scalar("_Bool", "int", 1, signed=False)), scalar_text(Scalar("size_t", "int", 8, signed=False))
    ('bool', 'unsigned long')
    """
    if ctype.volatile:
        raise PortRefusedError(f"a `volatile {ctype.name}` must be read and written where the source says, on the host")
    if ctype.lanes != 1 or ctype.kind == "complex":
        raise PortRefusedError(f"the type `{ctype.name}` has no counterpart in CUDA C++")
    if ctype.kind == "float":
        if ctype.name in {"float", "double"} and ctype.size_bytes in _FLOATING:
            return _FLOATING[ctype.size_bytes]
        raise PortRefusedError(f"a GPU does not compute in `{ctype.name}`")
    if ctype.name in _BOOLEAN:
        return "bool"
    if ctype.name == "char":
        return "char" if ctype.signed else "unsigned char"
    if ctype.name in {"long long", "unsigned long long"}:
        return ctype.name
    if (ctype.size_bytes, True) not in _INTEGERS:
        raise PortRefusedError(f"the type `{ctype.name}` has no counterpart in CUDA C++")
    return _INTEGERS[ctype.size_bytes, True] if ctype.signed else _UNSIGNED[ctype.size_bytes]


def is_boolean(ctype: CType) -> bool:
    """Whether it is `_Bool`, which keeps only whether a value is zero."""
    return isinstance(ctype, Scalar) and ctype.name in _BOOLEAN


def is_floating(ctype: CType) -> bool:
    """Whether it is `float` or `double`."""
    return isinstance(ctype, Scalar) and ctype.kind == "float"


@dataclass(slots=True)
class Types:
    """Spells types and collects the definitions of structures, inner ones first."""

    definitions: dict[str, str] = field(default_factory=dict)

    def text(self, ctype: CType) -> str:
        """Spelling of a type that a variable or an element can have; raises PortRefusedError."""
        match ctype:
            case Scalar():
                return scalar_text(ctype)
            case StructOf():
                return self._structure(ctype)
            case PointerTo(target, _, const_target):
                inner = "void" if isinstance(target, ArrayOf) else _pointed(target)
                return f"{'const ' if const_target else ''}{inner} *"
            case ArrayOf():
                raise PortRefusedError("an array is used as a value")
            case _:
                raise PortRefusedError(f"a type is not understood: {ctype.reason}")

    def _structure(self, ctype: StructOf) -> str:
        name = structure_tag(ctype)
        if ctype.is_union:
            raise PortRefusedError(f"`{ctype.name}` is a union: its members overlap, which this port does not print")
        if is_volatile(ctype):
            raise PortRefusedError(f"members of `{ctype.name}` are `volatile`")
        if not name.isidentifier():
            raise PortRefusedError("an array has elements of a structure without a name: give it one")
        if name not in self.definitions:
            _check_layout(ctype)
            body = self._fields(ctype, "    ")
            self.definitions[name] = f"struct {name} {{\n{body}}};"
        return f"struct {name}"  # a variable may have the same name, as in `struct grid *grid`

    def _fields(self, ctype: StructOf, indent: str) -> str:
        return "".join(f"{indent}{self._field(one, indent)};\n" for one in ctype.fields)

    def _field(self, one: Field, indent: str) -> str:
        inner, dimensions = one.type, ""
        if is_keyword(one.name):
            raise PortRefusedError(f"the member `{one.name}` has a name that C++ keeps for itself")
        while isinstance(inner, ArrayOf):
            if inner.extent is None or not inner.extent.is_constant:
                raise PortRefusedError(f"the length of the member `{one.name}` is not a constant")
            dimensions += f"[{inner.extent.constant_term}]"
            inner = inner.element
        if isinstance(inner, StructOf) and not inner.name.removeprefix("struct ").strip().isidentifier():
            if inner.is_union:
                raise PortRefusedError(f"the member `{one.name}` is a union: this port does not print those")
            _check_layout(inner)
            return f"struct {{\n{self._fields(inner, indent + '    ')}{indent}}} {one.name}{dimensions}"
        text = self.text(inner)
        return f"{text}{'' if text.endswith('*') else ' '}{one.name}{dimensions}"


def structure_tag(ctype: StructOf) -> str:
    """What follows `struct` in the text."""
    return tag_of(ctype.name.removeprefix("struct ").strip())


def size_and_alignment(ctype: CType) -> tuple[int, int]:
    """Bytes of a type and what its address is a multiple of; raises PortRefusedError for an unknown one."""
    match ctype:
        case Scalar():
            return ctype.size_bytes, ctype.size_bytes
        case PointerTo():
            return 8, 8
        case ArrayOf(element, extent) if extent is not None and extent.is_constant:
            size, alignment = size_and_alignment(element)
            return size * extent.constant_term, alignment
        case StructOf(fields=fields, size_bytes=size):
            return size, max((size_and_alignment(one.type)[1] for one in fields), default=1)
        case _:
            raise PortRefusedError("the layout of a structure is not known")


def _pointed(target: CType) -> str:
    """What a pointer in a structure leads to: never followed on the device, so any object pointer will do."""
    return scalar_text(target) if isinstance(target, Scalar) and not target.volatile and target.lanes == 1 else "void"


def _check_layout(ctype: StructOf) -> None:
    """Refuse a structure whose members do not lie as C++ would lay them out: packed, bit-fields, over-aligned."""
    offset = 0
    for one in ctype.fields:
        size, alignment = size_and_alignment(one.type)
        offset = -(-offset // alignment) * alignment
        if one.offset_bytes != offset or one.bits:
            raise PortRefusedError(f"`{ctype.name}` is packed, aligned otherwise or has bit-fields at `{one.name}`")
        offset += size
    alignment = size_and_alignment(ctype)[1]
    if -(-offset // alignment) * alignment != ctype.size_bytes:
        raise PortRefusedError(f"`{ctype.name}` has bytes that its members do not explain: it is aligned or packed")
