"""Memory of a function's own that only one of its loops uses: nothing is in it before, nobody looks at it after.

Whether the iterations of the loop read what others left in it is another question: what functions do in other files
that they hand it to, only somebody who knows them can say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.forms.loop_form import LOOPS
from warplens.analysis.frontend.pointers.allocations import is_fresh, is_given, is_without_values
from warplens.analysis.frontend.pointers.buffer_parts import buffer_parts, cut_of
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds

_SETTING = frozenset(("&", "++", "--", "p++", "p--"))


class ScratchMemory:
    """What a function declares, and where it names it."""

    def __init__(self, function: c_ast.FuncDef, calls: EffectsOfCalls) -> None:
        self._calls, self._function = calls, function
        self._names = names = Counter(node.name for node in nodes_of_kinds(function, (c_ast.Decl,)))
        own = nodes_of_kinds(function.body, (c_ast.Decl,))
        self._own = {node.name for node in own if names[node.name] == 1 and self._is_memory(node)}
        self.given = self._given_back(function.body)
        self._own |= self.given
        self._parts = buffer_parts(function, frozenset(self._own))
        self._uses = self._uses_in(function.body) if self._own else Counter[str]()

    def of(self, loop: c_ast.Node) -> frozenset[str]:
        """Variables without a value, and pointers to new or `lent` memory, that the function uses in the loop only.

        What pointers to parts of such memory are used for counts as well; setting them does not.
        """
        if not self._own:
            return frozenset()
        inside = self._uses_in(loop)
        elsewhere = {self._parts.get(name, name) for name, uses in self._uses.items() if inside[name] != uses}
        used = {self._parts.get(name, name) for name in inside}
        return frozenset((self._own & used) - elsewhere)

    def empty_before(self, loop: c_ast.Node) -> frozenset[str]:
        """Those of `of` in which nothing is whenever the loop starts, however often the function runs it.

        Memory that is declared or allocated outside of a loop around it keeps what the round before left there, and so
        does what a jump back may repeat.
        """
        names = self.of(loop) - self.given
        if not names or self._jumps_back:
            return frozenset()
        repeated = _innermost_around(loop, self._function.body)
        declared = {node.name: node for node in nodes_of_kinds(repeated, (c_ast.Decl,)) if node.name in names}
        return frozenset(name for name, node in declared.items() if self._holds_only_new(name, node))

    def lent(self, loop: c_ast.Node) -> frozenset[str]:
        """Those that lead to what functions of other files gave: nobody is known to have it besides, or to want it."""
        return (self.of(loop) & self.given).difference(_may_set(loop)) if self.given else frozenset()

    def unset(self, loop: c_ast.Node) -> frozenset[str]:
        """Variables without a value that nothing outside of the loop may set: it starts with nothing in them."""
        without = {
            d.name for d in nodes_of_kinds(self._function.body, (c_ast.Decl,)) if d.name in self._own and d.init is None
        }
        everywhere, inside = (Counter(_may_set(root)) for root in (self._function.body, loop))
        return frozenset(name for name in without if inside[name] == everywhere[name])

    def parts_of(self, arrays: Collection[str]) -> dict[str, str]:
        """Names that stand for one of these arrays, or for an address in it, with the array."""
        return {name: name for name in arrays} | {n: base for n, base in self._parts.items() if base in arrays}

    @cached_property
    def _jumps_back(self) -> bool:
        """Whether a label stands above a jump to it; nodes come in the order from the end to the start."""
        jumps: set[str] = set()
        for node in nodes_of_kinds(self._function.body, (c_ast.Goto, c_ast.Label)):
            if isinstance(node, c_ast.Label) and node.name in jumps:
                return True
            jumps |= {node.name} if isinstance(node, c_ast.Goto) else set()
        return False

    def _holds_only_new(self, name: str, declaration: c_ast.Decl) -> bool:
        """Whether an array, or all memory that a pointer gets, comes with no values in it."""
        settings = nodes_of_kinds(self._function.body, (c_ast.Assignment,))
        values = [node.rvalue for node in settings if isinstance(node.lvalue, c_ast.ID) and node.lvalue.name == name]
        values += [] if declaration.init is None else [declaration.init]
        return all(is_without_values(value, self._calls) for value in values)

    def _is_memory(self, node: c_ast.Decl) -> bool:
        """Whether it is a variable of each run of the function, with no value but new memory."""
        if node.storage or not isinstance(node.type, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
            return False
        return node.init is None or (isinstance(node.type, c_ast.PtrDecl) and is_fresh(node.init, self._calls))

    def _given_back(self, body: c_ast.Node) -> set[str]:
        """Pointers to what functions of other files gave and nothing else, that the function frees by another name."""
        freed = {
            argument.name
            for call in nodes_of_kinds(body, (c_ast.FuncCall,))
            if isinstance(call.name, c_ast.ID) and "free" in call.name.name.lower()
            for argument in (call.args.exprs if call.args else ())
            if isinstance(argument, c_ast.ID)
        }
        declared = {d.name: d for d in nodes_of_kinds(body, (c_ast.Decl,)) if d.name in freed}
        values: dict[str, list[c_ast.Node]] = {name: [d.init] if d.init else [] for name, d in declared.items()}
        for assignment in nodes_of_kinds(body, (c_ast.Assignment,)):
            if isinstance(assignment.lvalue, c_ast.ID) and assignment.lvalue.name in values:
                values[assignment.lvalue.name].append(assignment.rvalue)
        return {
            name
            for name, given in values.items()
            if isinstance(declared[name].type, c_ast.PtrDecl) and self._names[name] == 1 and not declared[name].storage
            if all(is_fresh(v, self._calls) or is_given(v, self._calls) for v in given)
            and any(is_given(v, self._calls) for v in given)
        }

    def _uses_in(self, root: c_ast.Node) -> Counter[str]:
        """How often each name is used for more than to be set to new memory, to be freed or to be compared."""
        found: Counter[str] = Counter()
        stack: list[c_ast.Node] = [root]
        while stack:
            node = stack.pop()
            match node:
                case c_ast.ID():
                    found[node.name] += 1
                case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)) if name in self._parts:
                    stack += self._without_starts(node.rvalue)
                case c_ast.Decl(name=name) if node.init is not None and name in self._parts:
                    stack += self._without_starts(node.init)
                case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)) if name in self.given or is_fresh(
                    node.rvalue, self._calls
                ):
                    stack.append(node.rvalue)
                case c_ast.FuncCall(name=c_ast.ID(name=called)) if "free" in called.lower():
                    stack += _without_names(node.args.exprs if node.args else ())
                case c_ast.BinaryOp(op="==" | "!="):
                    stack += _without_names((node.left, node.right))
                case c_ast.UnaryOp(op="sizeof"):
                    pass
                case c_ast.UnaryOp(op="!") | c_ast.If():
                    stack += _without_names(node)
                case _:
                    stack += list(node)
        return found

    def _without_starts(self, value: c_ast.Node) -> tuple[c_ast.Node, ...]:
        """What a pointer to a part of a work array is set to, but the pointers that it starts from."""
        cut = cut_of(value, {*self._parts, *self._parts.values()})
        return (value,) if cut is None else cut.rest


def _innermost_around(loop: c_ast.Node, body: c_ast.Node) -> c_ast.Node:
    """What the innermost loop around a loop repeats, the function's body where none is around it."""
    innermost = body
    for around in nodes_of_kinds(body, LOOPS):
        if around is not loop and any(one is loop for one in nodes_of_kinds(around.stmt, LOOPS)):
            innermost = around.stmt
    return innermost


def _may_set(root: c_ast.Node) -> Iterable[str]:
    """Names of variables that get a value, or whose address is taken, each as often as that is."""
    for node in nodes_of_kinds(root, (c_ast.Assignment, c_ast.UnaryOp)):
        target = node.lvalue if isinstance(node, c_ast.Assignment) else node.expr
        if isinstance(target, c_ast.ID) and (isinstance(node, c_ast.Assignment) or node.op in _SETTING):
            yield target.name


def _without_names(nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
    return [node for node in nodes if not isinstance(node, c_ast.ID)]
