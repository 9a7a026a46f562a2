"""What is known before each outermost loop of a function: values, ranges that guards make sure, what calls pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.call_sites import CallSite, PassedAddress, PointerSetting, call_sites
from warplens.analysis.frontend.effects.constant_variables import changeable_addresses
from warplens.analysis.frontend.effects.writes import contains, writes_of
from warplens.analysis.frontend.forms.loop_form import runs_once
from warplens.analysis.frontend.pointers.escaping_addresses import escaping_addresses
from warplens.analysis.frontend.pointers.passed_addresses import PassedAddresses
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.statements.lower_nest import Nest
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.frontend.values.guards import (
    asserted,
    bounded,
    bounds_of,
    equal,
    implied,
    made_true,
    never_returns,
)
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.nest import KnownRange
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import ArrayOf, PointerTo, Scalar

_COMPUTED = "_"
"""The label that a jump to a computed address is assumed to lead to: any other may be meant."""


def bytes_of(pointer: str) -> str:
    """The name under which it is known how many bytes a pointer's allocation has."""
    return added(pointer, "bytes")


class KnownBefore(ABC):
    """Walks a function's statements in order and keeps what they make known; loops are left to `loop`."""

    def __init__(self, node: c_ast.FuncDef, scope: FileScope, extents: Extents) -> None:
        self._node = node
        self._scope = scope
        self._extents = extents
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._outside = Context(scope, self._scopes, Values(), extents, in_nest=False)
        self._statements = Nest(self._outside)
        self._at_any_case = self._outside.values
        self._jumps = Counter(jump.name for jump in nodes_of_kinds(node.body, (c_ast.Goto,)))
        self._addressed = changeable_addresses(node)
        expressions = self._statements.expressions
        self._outside.addressed = escaping_addresses(
            node, self._addressed, scope.effects, expressions.types.resolve, expressions.parameter_types
        )
        self.parameters: tuple[str, ...] = ()
        self.unchanged: frozenset[str] = frozenset()
        self.calls: list[CallSite] = []
        self.settings: list[PointerSetting] = []
        self.callees = frozenset((*scope.results, node.decl.name))
        self.lone_allocations: dict[str, tuple[c_ast.Node, ...]] = {}

    @abstractmethod
    def loop(self, node: c_ast.Node, pragmas: Sequence[c_ast.Node]) -> None:
        """Lower an outermost loop; what it writes is forgotten."""

    @property
    @abstractmethod
    def addresses(self) -> PassedAddresses:
        """What the function's calls pass."""

    def run(self) -> None:
        """Walk through the function."""
        self._parameters()
        self.parameters = tuple(self._scopes[0])
        self._changed = writes_of(self._node.body).scalars | self._addressed
        self.unchanged = frozenset(self.parameters) - self._changed
        self._visit(self._node.body, ())

    def _parameters(self) -> None:
        declarations = list(self._node.param_decls or [])
        arguments = getattr(self._node.decl.type, "args", None)
        declarations += arguments.params if arguments else []
        for node in declarations:
            if isinstance(node, c_ast.Decl) and node.name:
                # scalars first: an extent may name a later parameter of an old-style definition
                ctype = self._statements.expressions.types.resolve(node.type)
                is_array = isinstance(ctype, ArrayOf)
                quals = getattr(node.type, "dim_quals", None) or []
                restrict = "restrict" in quals or (isinstance(ctype, PointerTo) and ctype.restrict)
                is_const = isinstance(ctype, ArrayOf | Scalar) and "const" in (node.quals or [])
                self._scopes[0][node.name] = Symbol(node.name, ctype, "parameter", restrict, is_const, is_array)
                self._outside.take(node.name)

    def _visit(self, node: c_ast.Node | None, pragmas: Sequence[c_ast.Node]) -> None:
        if node is None:
            return
        self._statement(node, pragmas)
        if self._jumps and not isinstance(node, c_ast.Label) and self._is_jumped_into(node):
            self._at_label()

    def _is_jumped_into(self, node: c_ast.Node) -> bool:
        labels = {label.name for label in nodes_of_kinds(node, (c_ast.Label,))}
        inside = Counter(jump.name for jump in nodes_of_kinds(node, (c_ast.Goto,)))
        return any(self._jumps[name] > inside[name] or self._jumps[_COMPUTED] for name in labels)

    def _at_label(self) -> None:
        """Whoever jumps to a label need not have passed the guards above it, and may come from anywhere."""
        self._outside.values.forget(self.names(writes_of(self._node.body).scalars))
        self._outside.values.ranges.clear()

    def _statement(self, node: c_ast.Node, pragmas: Sequence[c_ast.Node]) -> None:
        match node:
            case c_ast.Compound():
                types = self._statements.expressions.types
                around = dict(types.typedefs), dict(types.tags)
                self._scopes.append({})
                self._sequence(node.block_items or [])
                self._outside.end(self._scopes.pop())
                types.typedefs, types.tags = around
            case c_ast.Typedef():
                self._statements.statement(node)
            case c_ast.DoWhile() if runs_once(node):
                self._visit(node.stmt, pragmas)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                self.loop(node, pragmas)
            case c_ast.If():
                self._if(node)
            case c_ast.Switch():
                self._switch(node)
            case c_ast.Case() | c_ast.Default():
                self._outside.values = self._at_any_case.copy()
                self._sequence(node.stmts or [])
            case c_ast.Label():
                self._at_label()
                self._visit(node.stmt, pragmas)
            case _:
                self._plain(node)

    def _sequence(self, items: Sequence[c_ast.Node]) -> None:
        pragmas: list[c_ast.Node] = []
        for item in items:
            if isinstance(item, c_ast.Pragma):
                self._outside.meet(item)
                pragmas.append(item)
                continue
            is_loop = isinstance(item, (c_ast.For, c_ast.While, c_ast.DoWhile))
            with self._outside.under(() if is_loop else self._outside.regions_of(pragmas)):
                self._visit(item, pragmas)
            pragmas = []

    def _if(self, node: c_ast.If) -> None:
        self.note_calls(node.cond)
        condition = self._condition(node.cond)
        polynomial = self._outside.values.polynomial
        when, unless = (implied(condition, holds, polynomial) if condition else () for holds in (True, False))
        start = self._outside.values.copy()
        taken = self._conditionally(node.iftrue, when)
        not_taken = self._conditionally(node.iffalse, unless)
        # a value that a branch changes is no longer the one compared
        written = self._written(node, (*when, *unless))
        if node.iftrue is not None and never_returns(node.iftrue, self._scope.never_returns):
            self._assume(unless, written)
        elif node.iffalse is not None and never_returns(node.iffalse, self._scope.never_returns):
            self._assume(when, written)
        elif condition is not None:
            holds, fails = (implied(condition, holds, polynomial) for holds in (True, False))
            self._assume(self._made_true(node.iftrue, taken, node.iffalse, (start, fails, when)))
            self._assume(self._made_true(node.iffalse, not_taken, node.iftrue, (start, holds, unless)))

    def _switch(self, node: c_ast.Switch) -> None:
        """Each case starts with what holds before, but for what any of them writes: the one above may go on into it."""
        self.note_calls(node.cond)
        self._outside.values.forget(self._written(node))
        around, self._at_any_case = self._at_any_case, self._outside.values.copy()
        self._conditionally(node.stmt)
        self._at_any_case = around

    def _made_true(
        self,
        branch: c_ast.Node | None,
        after: Values,
        other: c_ast.Node | None,
        known: tuple[Values, Sequence[KnownRange], Sequence[KnownRange]],
    ) -> tuple[KnownRange, ...]:
        """Of what holds in the other branch, what the branch's own assignments make hold: `if (n > 9) n = 9;`.

        `after` are the values at its end; `known` are those before it, the condition's ranges in the other branch, with
        the variables written by name, and its ranges in this one.
        """
        start, ranges, given = known
        direct = self.names(writes_of(branch).scalars)
        before = {name: value for name in direct if (value := start.known.get(name)) is not None}
        candidates = (*ranges, *(one for name, value in before.items() for one in equal(name, value)))
        about = [one for one in candidates if not direct.isdisjoint(one.value.symbols)]
        if not about:
            return ()
        written = self.names(writes_of(branch, self._scope.effects).scalars)
        changed = self.names(writes_of(other, self._scope.effects).scalars | self._addressed)
        untouched = [one for one in about if changed.isdisjoint(one.value.symbols)]
        stays = [one for one in given if written.isdisjoint(one.value.symbols)]
        return made_true(untouched, {name: after.known.get(name) for name in written}, stays)

    def _condition(self, node: c_ast.Node) -> Expression | None:
        """A condition that only reads, None for any other."""
        written = writes_of(node, self._scope.effects)
        if written.scalars or written.memory:
            return None
        try:
            return self._statements.expressions.lower(node)
        except UnsupportedError:
            return None

    def note_calls(self, node: c_ast.Node | None) -> None:
        """Remember what the calls in a tree pass, in terms of parameters that never change."""
        # Their variables are in no scope here: what is asked of one would be noted as an undeclared global's.
        inside = {declared.name for declared in nodes_of_kinds(node, (c_ast.Decl,))}

        def value(argument: c_ast.Node) -> Polynomial | None:
            if not inside.isdisjoint(name.name for name in nodes_of_kinds(argument, (c_ast.ID,))):
                return None
            expression = self._condition(argument)
            passed = None if expression is None else self._outside.values.polynomial(expression)
            return passed if passed is not None and passed.symbols <= self.unchanged else None

        def address(argument: c_ast.Node) -> PassedAddress | None:
            return self.addresses.of(argument, value)

        self.calls += call_sites(node, self.callees, self.addresses.variables, value, address)
        self.settings += self.addresses.settings_in(node, address)

    def _assume(self, ranges: Sequence[KnownRange], written: AbstractSet[str] = frozenset()) -> None:
        kept = (known for known in ranges if known.value.terms and written.isdisjoint(known.value.symbols))
        self._outside.values.assume(kept)

    def _conditionally(self, node: c_ast.Node | None, ranges: Sequence[KnownRange] = ()) -> Values:
        """What is known at the end of a branch."""
        before = self._outside.values
        self._outside.values = before.copy()
        self._assume(ranges)
        self._visit(node, ())
        after, self._outside.values = self._outside.values, before
        before.forget(self._written(node))
        return after

    def inside_loop(self, loop: c_ast.Node, body: c_ast.Node | None) -> None:
        """Go through a loop that is not lowered, for the loops in it."""
        names = self._written(loop)
        self._outside.values.forget(names)
        self._scopes.append({})
        self._visit(body, ())
        self._scopes.pop()
        self._outside.values.forget(names)

    def _plain(self, node: c_ast.Node) -> None:
        """Declarations and assignments before a nest say what its parameters are."""
        self.note_calls(node)
        is_simple = isinstance(node, c_ast.Assignment) and not isinstance(node.rvalue, c_ast.Assignment)
        target, bounds = self._smaller_or_larger(node)
        if isinstance(node, (c_ast.Decl, c_ast.DeclList)):
            for part in [node] if isinstance(node, c_ast.Decl) else node.decls:
                self.declare(part)
        elif is_simple or isinstance(node, (c_ast.UnaryOp, c_ast.ExprList)):
            self._statements.statement(node)
        else:
            self._outside.values.forget(self._written(node))
        self._allocated_by(node)
        if bounds:
            symbol = self._symbol(target)
            name = symbol.name if symbol else target
            value = self._outside.values.value(name)
            self._assume(() if value is None else bounded(name, value, bounds))
        for asserted_node in asserted(node, self._scope.never_returns):
            condition = self._condition(asserted_node)
            if condition is not None:
                self._assume(implied(condition, True, self._outside.values.polynomial))
        if contains(node, c_ast.FuncCall):  # it may change what others can reach
            in_file = self._outside.values.known.keys() & self._scope.symbols.keys()
            called = nodes_of_kinds(node, (c_ast.FuncCall,)) if self._addressed else ()
            set_by_it = frozenset().union(*(writes_of(call, self._scope.effects).scalars for call in called))
            in_reach = self._outside.addressed | (set_by_it & self._addressed)
            self._outside.values.forget(self.names(in_reach) | in_file)

    def _allocated_by(self, node: c_ast.Node) -> None:
        """Keep how many bytes the only allocation of a pointer has, as if a variable held that."""
        name = node.name if isinstance(node, c_ast.Decl) else getattr(getattr(node, "lvalue", None), "name", None)
        arguments = self.lone_allocations.get(name) if isinstance(name, str) else None
        symbol = self._symbol(name) if isinstance(name, str) else None
        if arguments is None or symbol is None:
            return
        size: Polynomial | None = Polynomial.constant(1)
        for argument in arguments:
            expression = self._condition(argument)
            factor = None if expression is None else self._outside.values.polynomial(expression)
            size = None if size is None or factor is None else size * factor
        self._outside.values.assign(bytes_of(symbol.name), size)

    def _smaller_or_larger(self, node: c_ast.Node) -> tuple[str, tuple[tuple[str, Polynomial, str], ...]]:
        """The variable that `n = n < 9 ? n : 9` sets, and its bounds."""
        value: c_ast.Node | None = None
        name = ""
        if isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID):
            name, value = node.lvalue.name, node.rvalue
        elif isinstance(node, c_ast.Decl):
            name, value = node.name, node.init
        if not isinstance(value, (c_ast.TernaryOp, c_ast.Cast)):
            return name, ()
        expression = self._condition(value)
        return name, () if expression is None else bounds_of(expression, self._outside.values.polynomial)

    def declare(self, node: c_ast.Node) -> None:
        """Take in a declaration; what is no declaration is left out."""
        if not isinstance(node, c_ast.Decl):
            return
        taken = len(self._scopes[-1])
        self._statements.statement(node)
        if len(self._scopes[-1]) == taken and node.name and node.name not in self._scopes[-1]:
            ctype = self._statements.expressions.types.resolve(node.type)
            self._outside.declare(node.name, ctype, "local")
        symbol = self._scopes[-1].get(node.name)
        if symbol is not None and symbol.scope == "body":
            is_const = "const" in (node.quals or [])
            restrict = isinstance(symbol.type, PointerTo) and symbol.type.restrict
            self._scopes[-1][node.name] = replace(symbol, scope="local", is_const=is_const, restrict=restrict)
            if (array := self._outside.arrays.get(symbol.name)) is not None:  # its initialiser stored in it
                self._outside.arrays[symbol.name] = replace(array, scope="local")
            if (scalar := self._outside.scalars.get(symbol.name)) is not None:
                self._outside.scalars[symbol.name] = replace(scalar, scope="local", used_after=True)

    def _written(self, node: c_ast.Node | None, ranges: Sequence[KnownRange] = ()) -> set[str]:
        """Variables that a piece of syntax writes, as far as something is known of any or the ranges speak of one.

        What calls write is asked for only where others can reach such a variable: the answer takes their bodies.
        """
        values = self._outside.values
        compared = frozenset().union(*(one.value.symbols for one in ranges))
        if values.is_empty and not compared:
            return set()
        in_reach = self._scope.symbols.keys(), self.names(self._addressed)
        is_reached = any(values.speaks_of(names) or not compared.isdisjoint(names) for names in in_reach)
        calls = self._scope.effects if is_reached else None
        return self.names(writes_of(node, calls).scalars)

    def names(self, source_names: frozenset[str]) -> set[str]:
        """Names in nests of the variables that these source names mean here, constants left out: they stay."""
        names = set()
        for name in source_names:
            symbol = self._symbol(name)
            if symbol is None or not symbol.is_fixed:
                names.add(symbol.name if symbol else name)
        return names

    def _symbol(self, name: str) -> Symbol | None:
        """What a source name means here, None for what the function does not declare."""
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
