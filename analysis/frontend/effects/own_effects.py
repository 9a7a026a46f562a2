"""What a function of the file does to memory by its own statements, and what it hands to the functions it calls.

Flow-insensitive: every pointer of the function may point wherever any assignment lets it.

Not modelled: pointers hidden in integers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.print_calls import printed_memory
from warplens.analysis.frontend.effects.memory_roots import (
    ELSEWHERE,
    HELD,
    LOCAL,
    HandedOn,
    Memory,
    OwnEffects,
    Root,
)
from warplens.analysis.frontend.effects.own_names import OwnNames
from warplens.analysis.frontend.effects.statement_parts import (
    called_name,
    every_node,
    leads_to_volatile,
    still_at_first,
    without_casts,
)
from warplens.analysis.frontend.effects.type_shapes import ARRAY, NUMBER, OPEN, POINTER, TypeShapes

_NOTHING_DECLARED = TypeShapes()
_MOST_FURTHER = 100
"""Arguments of a call behind those that have a name."""
_STARTS_LIST = frozenset(("va_start", "__builtin_va_start", "__builtin_c23_va_start"))
_PRINTED_LIST = {"vprintf": 1, "vfprintf": 2, "vdprintf": 2}
"""Functions that print a list of arguments, which comes behind the format, and the number of that."""
_MOST_COPIES = 3
"""Assignments from pointer to pointer that are followed against the order of the text."""


def own_effects(
    definition: c_ast.FuncDef, globals_: Container[str], shapes: TypeShapes = _NOTHING_DECLARED
) -> OwnEffects:
    """Scan a definition; names that are in `globals_` and not its own belong to the file.

    `shapes` are those of what is declared outside of it.
    """
    return _Scan(definition, globals_, shapes).effects()


class _Scan:
    def __init__(self, node: c_ast.FuncDef, globals_: Container[str], shapes: TypeShapes) -> None:
        self._node = node
        self._nodes = list(every_node(node.body))
        self._names = OwnNames(node, self._nodes, globals_, shapes)
        self._points: dict[str, set[Root]] = {}
        self._follow()

    def _follow(self) -> None:
        """Where own pointers may point."""
        sources: list[tuple[str, c_ast.Node]] = []
        for node in self._nodes:
            if isinstance(node, c_ast.FuncCall) and called_name(node) in _STARTS_LIST and node.args is not None:
                # the list of further arguments leads wherever these do
                further = range(len(self._names.parameters), len(self._names.parameters) + _MOST_FURTHER)
                self._points.setdefault(self._names.holder(node.args.exprs[0]), set()).update(further)
            if isinstance(node, c_ast.Decl) and node.name and node.init is not None:
                sources.append((node.name, node.init))
            elif isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
                sources.append((node.lvalue.name, node.rvalue))
        for _ in range(_MOST_COPIES):
            for name, source in sources:
                self._points.setdefault(name, set()).update(self._roots(source))

    def effects(self) -> OwnEffects:
        """The whole answer."""
        doubts: list[HandedOn | str] = [] if self._node.param_decls is None else ["is defined in the old style"]
        if any(map(leads_to_volatile, every_node(self._node))):
            doubts.append("reaches `volatile` or atomic memory")
        written: set[Memory] = set()
        read: set[Memory] = set()
        kept: set[Root] = set()
        for node in self._nodes:
            match node:
                case c_ast.Assignment():
                    written |= self._memory(node.lvalue)
                    if not isinstance(node.lvalue, c_ast.ID) or not self._names.is_own(node.lvalue.name):
                        kept |= self._roots(node.rvalue)
                case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                    written |= self._memory(node.expr)
                case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*") | c_ast.ID():
                    read |= self._memory(node)
                case c_ast.Return() if node.expr is not None:
                    kept |= self._roots(node.expr)
                case c_ast.FuncCall():
                    doubts.append(self._call(node))
                    if called_name(node) in _PRINTED_LIST:  # a format may store how much was printed
                        written |= {(root, False) for root in self._printed_list(node)}
                case _:
                    pass
        every = frozenset(written), frozenset(read), frozenset(kept), tuple(doubts), self._held(), self._moved()
        by_value = (n for name, n in self._names.parameters.items() if self._names.shape(c_ast.ID(name)) == OPEN)
        return OwnEffects(*every, last_calls=self._last_calls(), by_value=frozenset(by_value))

    def _held(self) -> frozenset[Root]:
        """Where pointers in own memory were made to lead."""
        found: set[Root] = set()
        for node in self._nodes:
            if isinstance(node, c_ast.Assignment):
                is_own = self._names.holder(node.lvalue) or any(
                    r in {LOCAL, HELD} for r, _ in self._memory(node.lvalue)
                )
                if is_own and self._may_hold_address(node.lvalue):
                    found |= self._roots_in(node.rvalue)
            elif isinstance(node, c_ast.Decl) and node.init is not None:
                shape = self._names.shape(c_ast.ID(node.name))
                if shape[0] != POINTER and shape.strip(ARRAY) != NUMBER:
                    found |= self._roots_in(node.init)
        return frozenset(found)

    def _roots_in(self, node: c_ast.Node) -> set[Root]:
        """Objects that the addresses in what is stored may point into."""
        match node:
            case c_ast.InitList():
                return {root for one in node.exprs or () for root in self._roots_in(one)}
            case c_ast.NamedInitializer():
                return self._roots_in(node.expr)
            case c_ast.ID() if self._names.shape(node) == OPEN and node.name not in self._names.locals:
                return {ELSEWHERE}  # a structure: what its pointers lead to
            case _:
                return self._roots(node)

    def _may_hold_address(self, lvalue: c_ast.Node) -> bool:
        """Whether a place may hold an address, itself or in a part of it: but for a variable, which is followed."""
        shape = self._names.shape(lvalue)
        return shape != NUMBER and not (isinstance(lvalue, c_ast.ID) and shape[0] == POINTER)

    def _last_calls(self) -> frozenset[str]:
        """Calls that stand in the body itself, which nothing leaves before its end."""
        if any(isinstance(node, c_ast.Return | c_ast.Goto | c_ast.Label) for node in self._nodes):
            return frozenset()
        calls = (without_casts(item) for item in self._node.body.block_items or ())
        names = (
            call.name.name for call in calls if isinstance(call, c_ast.FuncCall) and isinstance(call.name, c_ast.ID)
        )
        return frozenset(
            name for name in names if name not in self._names.locals and name not in self._names.parameters
        )

    def _moved(self) -> frozenset[int]:
        """Parameters that are used for more than `p->m`, `*p`, `p[0]`, a test, or as they are in a call."""
        still = {id(part) for node in self._nodes for part in still_at_first(node)}
        return frozenset(
            self._names.parameters[node.name]
            for node in self._nodes
            if isinstance(node, c_ast.ID) and node.name in self._names.parameters and id(node) not in still
        )

    def _call(self, node: c_ast.FuncCall) -> HandedOn | str:
        name = called_name(node)
        if not name or name in self._names.locals or name in self._names.parameters:
            return "calls through a pointer"
        arguments = node.args.exprs if node.args else ()
        roots = tuple(frozenset(self._roots(argument)) for argument in arguments)
        last = _PRINTED_LIST.get(name)
        printed = printed_memory(name, arguments) if last is None else (last - 1, last)
        return HandedOn(name, roots, printed)

    def _printed_list(self, node: c_ast.FuncCall) -> set[Root]:
        """Objects that a printed list of arguments leads to."""
        number = _PRINTED_LIST[called_name(node)]
        arguments = node.args.exprs if node.args else ()
        return self._roots(arguments[number]) if number < len(arguments) else {ELSEWHERE}

    def _memory(self, node: c_ast.Node) -> set[Memory]:
        """Roots of the memory that an lvalue designates."""
        match node:
            case c_ast.ID():
                if self._names.is_own(node.name):
                    return set()
                return {(self._global(node.name), False)} if self._names.is_file_level(node.name) else set()
            case c_ast.ArrayRef():
                return self._behind(node.name)
            case c_ast.UnaryOp(op="*"):
                return self._behind(node.expr)
            case c_ast.StructRef():
                return self._behind(node.name) if node.type == "->" else self._memory(node.name)
            case c_ast.Cast():
                return self._memory(node.expr)
            case _:
                return set()

    def _behind(self, node: c_ast.Node) -> set[Memory]:
        """Memory that an address expression leads to."""
        if isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)) or (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
            # a row of an array, or a pointer kept in memory: where the type is open it may be either
            memory, kind = self._memory(node), self._names.shape(node)[0]
            found = set() if kind == POINTER else memory
            return found if kind == ARRAY else found | self._through(node, memory)
        return {(root, False) for root in self._roots(node)}

    def _through(self, node: c_ast.Node, memory: Iterable[Memory]) -> set[Memory]:
        """Memory that a pointer leads to which is kept in some memory, that of an lvalue."""
        owner = self._names.holder(node)
        found: set[Memory] = {(root, True) for root, _ in memory if root != LOCAL}
        if owner or any(root == LOCAL for root, _ in memory):
            found.add((HELD, False))
        return found | {(self._names.parameters[owner], True)} if owner in self._names.parameters else found

    def _roots(self, node: c_ast.Node) -> set[Root]:
        """Objects that an address may point into."""
        match node:
            case c_ast.ID() if self._names.shape(node) == NUMBER:
                return set()
            case c_ast.ID():
                if node.name in self._names.parameters:
                    by_value: set[Root] = {LOCAL} if self._names.shape(node)[0] == OPEN else set()
                    return {self._names.parameters[node.name], *self._points.get(node.name, ()), *by_value}
                if node.name in self._names.locals and node.name not in self._names.statics:
                    own: set[Root] = {LOCAL} if self._names.locals[node.name] else set()
                    return own | self._points.get(node.name, set())
                return {self._global(node.name)} if self._names.is_file_level(node.name) else set()
            case c_ast.BinaryOp():
                return self._roots(node.left) | self._roots(node.right)
            case c_ast.TernaryOp():
                return self._roots(node.iftrue) | self._roots(node.iffalse)
            case c_ast.Cast():
                return self._roots(node.expr)
            case c_ast.UnaryOp(op="&"):
                if isinstance(node.expr, c_ast.ID) and self._names.is_own(node.expr.name):
                    return {LOCAL}
                return {ELSEWHERE if is_deep else root for root, is_deep in self._memory(node.expr)} or {LOCAL}
            case c_ast.UnaryOp(op="*") | c_ast.ArrayRef() | c_ast.StructRef():
                kind = self._names.shape(node)[0]
                memory = set() if kind == NUMBER else self._memory(node)
                rows: set[Root] = set()
                if kind in {ARRAY, OPEN}:
                    rows |= {ELSEWHERE if is_deep else root for root, is_deep in memory}
                    rows |= {LOCAL} if self._names.holder(node) else set()
                return rows if kind in {ARRAY, NUMBER} else rows | self._led_to(node, memory)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                return self._roots(node.expr)
            case c_ast.Assignment():
                return self._roots(node.rvalue)
            case c_ast.FuncCall():
                known = library_call(node.name.name) if isinstance(node.name, c_ast.ID) else None
                return {LOCAL} if known is not None and known.allocates else {ELSEWHERE}
            case _:
                return set()

    def _led_to(self, node: c_ast.Node, memory: Iterable[Memory]) -> set[Root]:
        """Objects that a pointer may lead to which is kept in some memory, that of an lvalue."""
        return {HELD if root == HELD and not is_deep else ELSEWHERE for root, is_deep in self._through(node, memory)}

    def _global(self, name: str) -> Root:
        return f"{self._node.decl.name}.{name}" if name in self._names.statics else name
