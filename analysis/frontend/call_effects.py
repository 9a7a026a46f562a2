"""What a function of the file may write besides its own variables, found without lowering it.

Flow-insensitive: every pointer of the function may point wherever any assignment lets it. Recursion is a fixpoint.

Not modelled: pointers hidden in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.library_calls import library_call
from warplens.analysis.frontend.math_calls import math_function

_MOST_ROUNDS = 8
_MOST_COPIES = 3
"""Assignments from pointer to pointer that are followed against the order of the text."""


Root = int | str
"""A parameter's number, or what else memory belongs to: a file-level name, `_LOCAL` or `_ELSEWHERE`."""

_LOCAL = "(local)"
_ELSEWHERE = "(elsewhere)"


@dataclass(frozen=True, slots=True)
class CallEffects:
    """Effects of one call, those of what it calls included.

    `written` and `read` are parameters whose memory is touched directly, `written_deeply` and `read_deeply` those
    behind whose pointers memory is touched through further pointers; `globals_written` and `globals_read` are
    file-level names. `kept` are parameters whose address may outlive the call, `unknown` says what was not understood.
    """

    written: frozenset[int] = frozenset()
    read: frozenset[int] = frozenset()
    written_deeply: frozenset[int] = frozenset()
    read_deeply: frozenset[int] = frozenset()
    globals_written: frozenset[str] = frozenset()
    globals_read: frozenset[str] = frozenset()
    kept: frozenset[int] = frozenset()
    unknown: str = ""


class EffectsOfCalls:
    """Effects by function name, each computed once."""

    def __init__(self, definition: Callable[[str], c_ast.FuncDef | None], globals_: Container[str]) -> None:
        self._definition = definition
        self._globals = globals_
        self._found: dict[str, CallEffects | None] = {}

    def of(self, name: str) -> CallEffects | None:
        """Effects of a function that is defined here, None for any other."""
        if name in self._found:
            return self._found[name]
        reachable = self._reachable(name)
        if name not in reachable:
            self._found[name] = None
            return None
        self._found.update(dict.fromkeys(reachable, CallEffects()))
        for _ in range(_MOST_ROUNDS):
            changed = False
            for one, function in reachable.items():  # called functions before their callers
                effects = function.effects(self._found)
                changed |= effects != self._found[one]
                self._found[one] = effects
            if not changed:
                return self._found[name]
        for one in reachable:
            self._found[one] = CallEffects(unknown=f"calls `{one}`, whose recursion is not followed")
        return self._found[name]

    def _reachable(self, name: str) -> dict[str, _Function]:
        """Functions without known effects that a call may lead to, called ones first where there is no recursion."""
        order: dict[str, _Function] = {}
        seen = {name}
        stack: list[tuple[str, _Function | None]] = [(name, None)]
        while stack:
            one, finished = stack.pop()
            if finished is not None:
                order[one] = finished
                continue
            definition = self._definition(one)
            if definition is None:
                self._found.setdefault(one, None)
                continue
            function = _Function(definition, self._globals)
            stack.append((one, function))
            fresh = function.called - seen - self._found.keys()
            seen |= fresh
            stack += [(other, None) for other in sorted(fresh)]
        return order


class _Function:
    def __init__(self, node: c_ast.FuncDef, globals_: Container[str]) -> None:
        self._node = node
        self._known: Mapping[str, CallEffects | None] = {}
        self._globals = globals_
        arguments = getattr(node.decl.type, "args", None)
        parameters = list(arguments.params) if arguments else []
        self._parameters = {p.name: n for n, p in enumerate(parameters) if isinstance(p, c_ast.Decl) and p.name}
        self._locals: dict[str, bool] = {}
        """Own names, with whether memory of the name itself is meant (an array or struct), not what it points to."""
        self._statics: set[str] = set()
        self._points: dict[str, set[Root]] = {}
        self._unknown = ""

        self._nodes = list(_all(node.body))
        self.called = frozenset(
            n.name.name for n in self._nodes if isinstance(n, c_ast.FuncCall) and isinstance(n.name, c_ast.ID)
        )
        self._declare()

    def _declare(self) -> None:
        """Own names and where own pointers may point."""
        for node in self._nodes:
            if isinstance(node, c_ast.Decl) and node.name:
                if "static" in (node.storage or []) or "extern" in (node.storage or []):
                    self._statics.add(node.name)
                self._locals[node.name] = not isinstance(node.type, c_ast.PtrDecl)
        for _ in range(_MOST_COPIES):
            for node in self._nodes:
                if isinstance(node, c_ast.Decl) and node.name and node.init is not None:
                    self._points.setdefault(node.name, set()).update(self._roots(node.init))
                elif isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
                    self._points.setdefault(node.lvalue.name, set()).update(self._roots(node.rvalue))

    def effects(self, known: Mapping[str, CallEffects | None]) -> CallEffects:
        """Effects, given those of the functions that are called."""
        self._known = known
        self._unknown = "" if self._node.param_decls is None else "is defined in the old style"
        written: set[tuple[Root, bool]] = set()
        read: set[tuple[Root, bool]] = set()
        kept: set[Root] = set()
        for node in self._nodes:
            match node:
                case c_ast.Assignment():
                    written |= self._memory(node.lvalue)
                    if not isinstance(node.lvalue, c_ast.ID) or not self._is_own(node.lvalue.name):
                        kept |= self._roots(node.rvalue)
                case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                    written |= self._memory(node.expr)
                case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*") | c_ast.ID():
                    read |= self._memory(node)
                case c_ast.Return() if node.expr is not None:
                    kept |= self._roots(node.expr)
                case c_ast.FuncCall():
                    self._call(node, written, read, kept)
                case _:
                    pass
        for places, word in ((written, "writes"), (read, "reads")):
            if any(root == _ELSEWHERE for root, _ in places):
                self._unknown = self._unknown or f"{word} memory that is not followed"
        return CallEffects(
            _numbers(written, deep=False), _numbers(read, deep=False),
            _numbers(written, deep=True), _numbers(read, deep=True),
            _names(written), _names(read), frozenset(r for r in kept if isinstance(r, int)), self._unknown,
        )  # fmt: skip

    def _call(
        self, node: c_ast.FuncCall, written: set[tuple[Root, bool]], read: set[tuple[Root, bool]], kept: set[Root]
    ) -> None:
        arguments = list(node.args.exprs) if node.args else []
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if not name or name in self._locals or name in self._parameters:
            self._unknown = self._unknown or "calls through a pointer"
            return
        inner = self._known.get(name)
        if inner is not None:
            self._unknown = self._unknown or inner.unknown
            for number, argument in enumerate(arguments):
                for root in self._roots(argument):
                    written |= {(root, False)} if number in inner.written else set()
                    written |= {(root, True)} if number in inner.written_deeply else set()
                    read |= {(root, False)} if number in inner.read else set()
                    read |= {(root, True)} if number in inner.read_deeply else set()
                    kept |= {root} if number in inner.kept else set()
            written |= {(g, False) for g in inner.globals_written}
            read |= {(g, False) for g in inner.globals_read}
            return
        if math_function(name):
            return
        known = library_call(name)
        if known is None or known.unknown:
            why = f"`{name}` {known.unknown}" if known is not None else f"calls `{name}`, whose effects are unknown"
            self._unknown = self._unknown or why
            return
        for number, argument in enumerate(arguments):
            is_written = number in known.writes or 0 <= known.writes_from <= number
            for root in self._roots(argument):
                written |= {(root, False)} if is_written else set()
                read |= {(root, False)} if number in known.reads else set()

    def _is_own(self, name: str) -> bool:
        return name in self._parameters or (name in self._locals and name not in self._statics)

    def _memory(self, node: c_ast.Node) -> set[tuple[Root, bool]]:
        """Roots of the memory that an lvalue designates, each with whether a pointer in memory led there."""
        match node:
            case c_ast.ID():
                if self._is_own(node.name):
                    return set()
                return {(self._global(node.name), False)} if self._is_file_level(node.name) else set()
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

    def _behind(self, node: c_ast.Node) -> set[tuple[Root, bool]]:
        """Memory that an address expression leads to."""
        if isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)) or (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
            # a row of an array, or a pointer kept in memory: without types it may be either
            return {(root, True) for root, _ in self._memory(node) if root != _LOCAL} | {
                (root, False) for root, _ in self._memory(node)
            }
        return {(root, False) for root in self._roots(node)}

    def _roots(self, node: c_ast.Node) -> set[Root]:
        """Objects that an address may point into."""
        match node:
            case c_ast.ID():
                if node.name in self._parameters:
                    return {self._parameters[node.name], *self._points.get(node.name, ())}
                if node.name in self._locals and node.name not in self._statics:
                    own: set[Root] = {_LOCAL} if self._locals[node.name] else set()
                    return own | self._points.get(node.name, set())
                return {self._global(node.name)} if self._is_file_level(node.name) else set()
            case c_ast.BinaryOp():
                return self._roots(node.left) | self._roots(node.right)
            case c_ast.TernaryOp():
                return self._roots(node.iftrue) | self._roots(node.iffalse)
            case c_ast.Cast():
                return self._roots(node.expr)
            case c_ast.UnaryOp(op="&"):
                if isinstance(node.expr, c_ast.ID) and self._is_own(node.expr.name):
                    return {_LOCAL}
                return {root for root, _ in self._memory(node.expr)} or {_LOCAL}
            case c_ast.UnaryOp(op="*") | c_ast.ArrayRef() | c_ast.StructRef():
                return {root if root == _LOCAL else _through(root) for root, _ in self._memory(node)}
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                return self._roots(node.expr)
            case c_ast.Assignment():
                return self._roots(node.rvalue)
            case c_ast.FuncCall():
                known = library_call(node.name.name) if isinstance(node.name, c_ast.ID) else None
                return {_LOCAL} if known is not None and known.allocates else {_ELSEWHERE}
            case _:
                return set()

    def _is_file_level(self, name: str) -> bool:
        return name in self._globals or name in self._statics

    def _global(self, name: str) -> Root:
        return f"{self._node.decl.name}.{name}" if name in self._statics else name


def _through(root: Root) -> Root:
    """What a pointer in memory points to is not told apart from that memory for globals; for parameters it is lost."""
    return root if isinstance(root, str) else _ELSEWHERE


def _numbers(places: set[tuple[Root, bool]], *, deep: bool) -> frozenset[int]:
    return frozenset(root for root, is_deep in places if isinstance(root, int) and is_deep == deep)


def _names(places: set[tuple[Root, bool]]) -> frozenset[str]:
    return frozenset(root for root, _ in places if isinstance(root, str) and root not in {_LOCAL, _ELSEWHERE})


def _all(node: c_ast.Node | None) -> Iterable[c_ast.Node]:
    stack = [node]
    while stack:
        item = stack.pop()
        if item is not None:
            yield item
            stack.extend(reversed(list(item)))
