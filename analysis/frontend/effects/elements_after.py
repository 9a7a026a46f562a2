"""Whether the function itself wants what a loop leaves in an array of its own: what contradicts that nobody does.

More is assumed to be dead than in `LiveAfter`, because the answer is used against an assumption that is shown: elements
that are set somewhere are assumed to be those that are read later, a loop to run, and a call to fill what it is handed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.effects.live_after import LiveAfter
from warplens.analysis.frontend.effects.writes import base_name
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_KEEPING = (c_ast.Assignment, c_ast.FuncCall)
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_STEPS = ("++", "--", "p++", "p--")


class ElementsAfter(LiveAfter):
    """Answers for one function; in one with labels or inline assembly nothing is said to be read.

    `own` are its local variables.
    """

    def __init__(self, body: c_ast.Node, calls: EffectsOfCalls, own: Collection[str]) -> None:
        super().__init__(body)
        self._calls = calls
        self._own = own
        self._loop_asked: c_ast.Node = body
        self._kept: dict[tuple[str, frozenset[int]], bool] = {}

    def are_wanted(self, loop: c_ast.Node, names: Iterable[str]) -> bool:
        """Whether what the loop leaves behind is read or kept by one of the names of the memory."""
        without = self._left_out_with(loop)
        return any(self._are_read(loop, name) or self._is_kept_once(name, without) for name in names)

    def _is_kept_once(self, name: str, without: frozenset[int]) -> bool:
        if (name, without) not in self._kept:
            self._kept[name, without] = self._is_kept(name, without)
        return self._kept[name, without]

    def _left_out_with(self, loop: c_ast.Node) -> frozenset[int]:
        """Ids of what never runs in a call of the function that runs the loop: the other branches of its `if`s."""
        found: set[int] = set()
        node = None if self._has_labels else self._body
        while node is not None and node is not loop and not isinstance(node, _LOOPS):
            inner = next((part for part in node if any(one is loop for one in nodes_of_kinds(part, _LOOPS))), None)
            if isinstance(node, c_ast.If) and inner is not node.cond:
                other = node.iffalse if inner is node.iftrue else node.iftrue
                found |= {id(one) for one in nodes_of_kinds(other, _KEEPING)} if other is not None else set()
            node = inner
        return frozenset(found)

    def _are_read(self, loop: c_ast.Node, name: str) -> bool:
        """Whether some path from the end of the loop reads elements before it sets any."""
        if self._has_labels or self._has_assembly:
            return False
        self._loop_asked = loop
        return self.may_be_read(loop, name)

    def _is_kept(self, name: str, without: frozenset[int]) -> bool:
        """Whether the address goes to memory of others: `s->t = t`, `of_file = t`, a function that does so."""
        for node in nodes_of_kinds(self._body, _KEEPING):
            if id(node) in without:
                continue
            if isinstance(node, c_ast.Assignment):
                if node.op == "=" and self._is_of_others(node.lvalue) and _is_address_of(node.rvalue, name):
                    return True
                continue
            kept = self._calls.kept(node.name.name) if isinstance(node.name, c_ast.ID) else None
            for number, part in enumerate(node.args.exprs if kept and node.args else ()):
                if kept and number in kept and _is_address_of(part, name):
                    return True
        return False

    def _is_of_others(self, lvalue: c_ast.Node) -> bool:
        node = lvalue
        while not isinstance(node, c_ast.ID):
            if isinstance(node, c_ast.StructRef) and node.type == "->":
                return True
            if not isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
                return isinstance(node, c_ast.UnaryOp)
            node = node.name
        return node.name not in self._own

    def _one(self, node: c_ast.Node, name: str) -> tuple[bool, bool]:
        match node:
            case _ if node is self._loop_asked:
                return False, True
            case c_ast.Assignment(op="=") if self._is_led_elsewhere(node, name):
                return False, True
            case c_ast.Assignment() if not isinstance(node.lvalue, c_ast.ID) and base_name(node.lvalue) == name:
                is_read = self._is_read_in(node.rvalue, name) or self._is_subscript(node.lvalue, name)
                return (True, False) if is_read or node.op != "=" else (False, True)
            case c_ast.Decl() if node.init is not None and _is_address_of(node.init, name):
                return False, True
            case c_ast.FuncCall():
                parts = node.args.exprs if node.args else ()
                handed = {number for number, part in enumerate(parts) if _is_address_of(part, name)}
                others = (part for number, part in enumerate(parts) if number not in handed)
                is_read = not handed.isdisjoint(self._only_read_by(node))
                return is_read or any(self._is_read_in(part, name) for part in others), bool(handed)
            case c_ast.UnaryOp(op="*") | c_ast.ArrayRef() if base_name(node) == name:
                return True, False
            case c_ast.UnaryOp() if node.op in (*_STEPS, "!") and isinstance(node.expr, c_ast.ID):
                return False, False
            case c_ast.BinaryOp(op="==" | "!=" | "<" | ">" | "<=" | ">=" | "-"):
                return self._sequence([part for part in node if not _is_address_of(part, name)], name)
            case c_ast.Switch():
                return False, True
            case _:
                return super()._one(node, name)

    def _only_read_by(self, call: c_ast.FuncCall) -> frozenset[int]:
        """Arguments through which a call certainly writes nothing, and may read."""
        name = call.name.name if isinstance(call.name, c_ast.ID) else ""
        effects = self._calls.of(name)
        if effects is not None:
            touched = effects.written | effects.written_deeply
            return frozenset() if effects.unknown else effects.read - touched
        known = library_call(name)
        return frozenset() if known is None or known.unknown else frozenset(known.reads) - frozenset(known.writes)

    def _is_led_elsewhere(self, node: c_ast.Assignment, name: str) -> bool:
        """Whether a variable of the function gets the address, to be asked about itself, or the name another one."""
        if not isinstance(node.lvalue, c_ast.ID):
            return False
        return node.lvalue.name == name or (node.lvalue.name in self._own and _is_address_of(node.rvalue, name))

    def _is_read_in(self, node: c_ast.Node, name: str) -> bool:
        return self._sequence((node,), name)[0]

    def _is_subscript(self, node: c_ast.Node, name: str) -> bool:
        """Whether an lvalue asks the array which of its elements is meant."""
        part: c_ast.Node | None = node
        while part is not None and not isinstance(part, c_ast.ID):
            if isinstance(part, c_ast.ArrayRef) and self._is_read_in(part.subscript, name):
                return True
            part = part.expr if isinstance(part, c_ast.Cast) else next(iter(part), None)
        return False

    def _choice(
        self, condition: c_ast.Node, branches: tuple[c_ast.Node | None, c_ast.Node | None], name: str
    ) -> tuple[bool, bool]:
        if isinstance(condition, c_ast.ID):  # `if (t) free(t);`
            condition = c_ast.EmptyStatement()
        return super()._choice(condition, branches, name)

    def _loop(self, always: tuple[c_ast.Node, ...], perhaps: tuple[c_ast.Node, ...], name: str) -> tuple[bool, bool]:
        return self._sequence((*always, *perhaps), name)


def _is_address_of(node: c_ast.Node, name: str) -> bool:
    """`t`, `t + k`, `&t[k]` and casts of them."""
    match node:
        case c_ast.ID():
            return bool(node.name == name)
        case c_ast.Cast():
            return _is_address_of(node.expr, name)
        case c_ast.BinaryOp(op="+" | "-"):
            return _is_address_of(node.left, name)
        case c_ast.UnaryOp(op="&"):
            return base_name(node.expr) == name
        case _:
            return False
