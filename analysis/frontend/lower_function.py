"""A function definition: find its outermost loops, follow what is known before each, lower them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.frontend.allocations import allocated_pointers
from warplens.analysis.frontend.call_sites import CallSite, call_sites, hands_out
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.extents import Extents
from warplens.analysis.frontend.guards import asserted, bounded, bounds_of, equal, implied, made_true, never_returns
from warplens.analysis.frontend.live_after import LiveAfter
from warplens.analysis.frontend.loop_form import runs_once
from warplens.analysis.frontend.lower_nest import Nest
from warplens.analysis.frontend.nest_uses import arrays_used, scalars_used, symbols_used, with_reads
from warplens.analysis.frontend.places import UnsupportedError
from warplens.analysis.frontend.pointer_sources import PointerSources
from warplens.analysis.frontend.scope import FileScope, Symbol
from warplens.analysis.frontend.shared_memory import is_row_table, variable_of, with_shared_memory
from warplens.analysis.frontend.values import Values
from warplens.analysis.frontend.writes import Writes, base_name, compared_names, contains, loops_in, writes_of
from warplens.analysis.ir.expression import Access, Expression
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, KnownRange, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import ArrayOf, PointerTo
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class FoundNest:
    """A nest with its places as offsets into the function's text, by node id."""

    nest: LoopNest
    headers: tuple[tuple[NodeId, Span], ...]
    wholes: tuple[tuple[NodeId, Span], ...]
    nodes: tuple[tuple[NodeId, Span], ...]


@dataclass(frozen=True, slots=True)
class FoundOpaque:
    """A loop that was not understood; `span` is its header's, in offsets into the function's text."""

    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class FoundLoops:
    """What a function holds, in source order."""

    nests: tuple[FoundNest, ...]
    opaque: tuple[FoundOpaque, ...]
    loops: int
    parameters: tuple[str, ...] = ()
    calls: tuple[CallSite, ...] = ()
    handed_out: frozenset[str] = frozenset()
    unchanged: frozenset[str] = frozenset()


def lower_function(node: c_ast.FuncDef, scope: FileScope, text: str, body: int, inexact: tuple[str, ...]) -> FoundLoops:
    """Lower all nests of a function; never raises for a construct of C."""
    finder = _Function(node, scope, Extents(text, body), inexact)
    finder.run()
    return FoundLoops(
        tuple(finder.nests),
        tuple(finder.opaque),
        loops_in(node.body),
        finder.parameters,
        tuple(finder.calls),
        hands_out(node.body, finder.callees),
        finder.unchanged,
    )


class _Function:
    def __init__(self, node: c_ast.FuncDef, scope: FileScope, extents: Extents, inexact: tuple[str, ...]) -> None:
        self._node = node
        self._scope = scope
        self._extents = extents
        self._inexact = inexact
        self._scopes: list[dict[str, Symbol]] = [{}]
        self._outside = Context(scope, self._scopes, Values(), extents, in_nest=False)
        self._statements = Nest(self._outside)
        self._addressed = writes_of(node.body).addressed
        self._outside.addressed = self._addressed
        self._allocated = allocated_pointers(node, scope.effects)
        self._live = LiveAfter(node.body)
        self.nests: list[FoundNest] = []
        self.opaque: list[FoundOpaque] = []
        self.parameters: tuple[str, ...] = ()
        self.unchanged: frozenset[str] = frozenset()
        self.calls: list[CallSite] = []
        self.callees = frozenset((*scope.results, node.decl.name))

    def run(self) -> None:
        self._parameters()
        self.parameters = tuple(self._scopes[0])
        changed = writes_of(self._node.body).scalars | self._addressed
        self._changed = changed
        self.unchanged = frozenset(self.parameters) - changed
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
                is_const = isinstance(ctype, ArrayOf) and "const" in (node.quals or [])
                self._scopes[0][node.name] = Symbol(node.name, ctype, "parameter", restrict, is_const, is_array)

    # ---- before and between nests

    def _visit(self, node: c_ast.Node | None, pragmas: Sequence[str]) -> None:
        match node:
            case None:
                return
            case c_ast.Compound():
                self._scopes.append({})
                self._sequence(node.block_items or [])
                self._scopes.pop()
            case c_ast.DoWhile() if runs_once(node):
                self._visit(node.stmt, pragmas)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                self._loop(node, pragmas)
            case c_ast.If():
                self._if(node)
            case c_ast.Switch():
                self._conditionally(node.stmt)
            case c_ast.Case() | c_ast.Default():
                self._sequence(node.stmts or [])
            case c_ast.Label():
                self._outside.values.forget(self._names(writes_of(self._node.body).scalars))
                self._visit(node.stmt, pragmas)
            case _:
                self._plain(node)

    def _sequence(self, items: Sequence[c_ast.Node]) -> None:
        pragmas: list[str] = []
        for item in items:
            if isinstance(item, c_ast.Pragma):
                pragmas.append(f"#pragma {item.string}".rstrip())
            else:
                self._visit(item, pragmas)
                pragmas = []

    def _if(self, node: c_ast.If) -> None:
        self._note_calls(node.cond)
        condition = self._condition(node.cond)
        polynomial = self._outside.values.polynomial
        when, unless = (implied(condition, holds, polynomial) if condition else () for holds in (True, False))
        start = self._outside.values.copy()
        taken = self._conditionally(node.iftrue, when)
        not_taken = self._conditionally(node.iffalse, unless)
        # a value that a branch changes is no longer the one compared
        written = self._written(node, (*when, *unless))
        if node.iftrue is not None and never_returns(node.iftrue):
            self._assume(unless, written)
        elif node.iffalse is not None and never_returns(node.iffalse):
            self._assume(when, written)
        elif condition is not None:
            holds, fails = (implied(condition, holds, polynomial) for holds in (True, False))
            self._assume(self._made_true(node.iftrue, taken, node.iffalse, (start, fails, when)))
            self._assume(self._made_true(node.iffalse, not_taken, node.iftrue, (start, holds, unless)))

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
        direct = self._names(writes_of(branch).scalars)
        before = {name: value for name in direct if (value := start.known.get(name)) is not None}
        candidates = (*ranges, *(one for name, value in before.items() for one in equal(name, value)))
        about = [one for one in candidates if not direct.isdisjoint(one.value.symbols)]
        if not about:
            return ()
        written = self._names(writes_of(branch, self._scope.effects).scalars)
        changed = self._names(writes_of(other, self._scope.effects).scalars | self._addressed)
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

    def _note_calls(self, node: c_ast.Node | None) -> None:
        """Remember what the calls in a tree pass, in terms of parameters that never change."""

        def value(argument: c_ast.Node) -> Polynomial | None:
            expression = self._condition(argument)
            passed = None if expression is None else self._outside.values.polynomial(expression)
            return passed if passed is not None and passed.symbols <= self.unchanged else None

        self.calls += call_sites(node, self.callees, value)

    def _assume(self, ranges: Sequence[KnownRange], written: AbstractSet[str] = frozenset()) -> None:
        values = self._outside.values
        kept = (known for known in ranges if known.value.terms and written.isdisjoint(known.value.symbols))
        values.ranges = tuple(dict.fromkeys((*values.ranges, *kept)))

    def _conditionally(self, node: c_ast.Node | None, ranges: Sequence[KnownRange] = ()) -> Values:
        """What is known at the end of a branch."""
        before = self._outside.values
        self._outside.values = before.copy()
        self._assume(ranges)
        self._visit(node, ())
        after, self._outside.values = self._outside.values, before
        before.forget(self._written(node))
        return after

    def _inside_loop(self, loop: c_ast.Node, body: c_ast.Node | None) -> None:
        names = self._written(loop)
        self._outside.values.forget(names)
        self._scopes.append({})
        self._visit(body, ())
        self._scopes.pop()
        self._outside.values.forget(names)

    def _plain(self, node: c_ast.Node) -> None:
        """Declarations and assignments before a nest say what its parameters are."""
        self._note_calls(node)
        is_simple = isinstance(node, c_ast.Assignment) and not isinstance(node.rvalue, c_ast.Assignment)
        target, bounds = self._smaller_or_larger(node)
        if isinstance(node, (c_ast.Decl, c_ast.DeclList)):
            for part in [node] if isinstance(node, c_ast.Decl) else node.decls:
                self._declare(part)
        elif is_simple or isinstance(node, (c_ast.UnaryOp, c_ast.ExprList)):
            self._statements.statement(node)
        else:
            self._outside.values.forget(self._written(node))
        if bounds:
            (name,) = self._names(frozenset((target,)))
            value = self._outside.values.value(name)
            self._assume(() if value is None else bounded(name, value, bounds))
        for asserted_node in asserted(node):
            condition = self._condition(asserted_node)
            if condition is not None:
                self._assume(implied(condition, True, self._outside.values.polynomial))
        if contains(node, c_ast.FuncCall):  # it may change what others can reach
            in_file = {name for name in self._outside.values.known if name in self._scope.symbols}
            self._outside.values.forget(self._names(self._addressed) | in_file)

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

    def _declare(self, node: c_ast.Node) -> None:
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

    def _written(self, node: c_ast.Node | None, ranges: Sequence[KnownRange] = ()) -> set[str]:
        """Variables that a piece of syntax writes, as far as something is known of any or the ranges speak of one.

        What calls write is asked for only where others can reach such a variable: the answer takes their bodies.
        """
        known = self._outside.values.mentioned().union(*(one.value.symbols for one in ranges))
        if not known:
            return set()
        in_reach = self._scope.symbols.keys() | self._names(self._addressed)
        calls = None if known.isdisjoint(in_reach) else self._scope.effects
        return self._names(writes_of(node, calls).scalars)

    def _names(self, source_names: frozenset[str]) -> set[str]:
        names = set()
        for name in source_names:
            symbol = next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
            names.add(symbol.name if symbol else name)
        return names

    # ---- nests

    def _loop(self, node: c_ast.Node, pragmas: Sequence[str]) -> None:
        before = self._outside.values
        written = self._names(writes_of(node, self._scope.effects).scalars)
        found = len(self.nests)
        try:
            self.nests.append(self._nest(node, pragmas))
        except UnsupportedError as error:
            keyword = self._extents.offset(node.coord)
            self.opaque.append(FoundOpaque(str(error), self._extents.header(keyword)))
            self._outside.values = before
            self._scopes.append({})
            init = getattr(node, "init", None)
            for part in init.decls if isinstance(init, c_ast.DeclList) else []:
                self._declare(part)
            self._inside_loop(node, node.stmt)
            self._scopes.pop()
        self._outside.values = before
        before.forget(written)
        if len(self.nests) > found:
            self._note_calls(node)

    def _nest(self, node: c_ast.Node, pragmas: Sequence[str], changed: frozenset[str] = frozenset()) -> FoundNest:
        """The nest of a loop; `changed` are objects that it writes by other names."""
        scopes = [dict(scope) for scope in self._scopes]
        values = self._outside.values.copy()
        values.derived = dict(values.derived)
        values.loaded = {}
        values.tables = dict(values.tables)
        context = Context(self._scope, scopes, values, self._extents, in_nest=True)
        context.addressed = self._addressed
        context.inexact = dict.fromkeys(self._inexact)
        written = writes_of(node, self._scope.effects)
        lowering = Nest(context)
        context.moving = written.scalars
        context.is_live_after = self._live.may_be_read
        context.compared = compared_names(node) & written.scalars
        context.arrays = dict(self._outside.arrays)
        values.written_memory = self._written_objects(written) | changed
        values.constants = set()
        _, root, _ = lowering.loop(node, pragmas)
        symbols = symbols_used(root, context.arrays)
        loops = [loop for loop in walk_statements((root,)) if isinstance(loop, Loop)]
        iterators = {loop.iterator for loop in loops}
        derived = tuple(d for name, d in sorted(values.derived.items()) if name in symbols)
        parameters = symbols - iterators - {d.name for d in derived if d.formula is not None}
        for symbol in derived:
            parameters |= symbol.formula.parameters if symbol.formula is not None else set()
        mentioned = parameters | symbols | scalars_used(root)
        mentioned |= {induction.name for loop in loops for induction in loop.inductions}
        for name in sorted(mentioned & self._outside.scalars.keys() - context.scalars.keys()):
            context.scalars[name] = self._outside.scalars[name]  # in a pointer's value that was known before
        scalars = tuple(self._finished(s, node) for s in context.scalars.values() if s.name in mentioned)
        used = arrays_used(root)
        arrays = {a.name: a for a in self._shared(context, used | values.constants)}
        stored = {
            s.target.array for s in walk_statements((root,)) if isinstance(s, Assign) and isinstance(s.target, Access)
        }
        no_constants = {
            name for name in values.constants & arrays.keys() if stored.intersection(arrays[name].may_point_into)
        }
        if no_constants - changed:
            return self._nest(node, pragmas, changed | no_constants)
        loaded = {name: read for name, read in values.loaded.items() if read.array in arrays}
        derived = tuple(with_reads(symbol, loaded, arrays) for symbol in derived)
        nest = LoopNest(
            root,
            tuple(array for name, array in arrays.items() if name in used),
            scalars,
            tuple(sorted(parameters)),
            derived,
            tuple(context.inexact),
            tuple(sorted(context.inlined)),
            tuple(sorted(context.inlined_globals)),
            tuple(sorted(context.other_pointers)),
            known=self._known_of(parameters | {d.name for d in derived}),
        )
        return FoundNest(
            nest, tuple(context.headers.items()), tuple(context.wholes.items()), tuple(context.spans.items())
        )

    def _shared(self, context: Context, names: AbstractSet[str]) -> tuple[ArrayObject, ...]:
        """Objects of these names, with those marked that a pointer of the function may share with others."""
        arrays = [self._allocation_marked(a) for name, a in context.arrays.items() if name in names]
        members = any("." in array.name or "->" in array.name for array in arrays if array.is_pointer)
        variables = {variable_of(array.name) for array in arrays if array.is_pointer}
        is_set = members or any(v in context.origins or v.partition("'")[0] in self._changed for v in variables)
        if not any(map(is_row_table, arrays)) and (not is_set or len(arrays) < 2):
            return tuple(arrays)
        return with_shared_memory(arrays, context.origins, self._sources)

    @cached_property
    def _sources(self) -> PointerSources:
        return PointerSources(self._node, self._scope)

    def _known_of(self, symbols: AbstractSet[str]) -> tuple[KnownRange, ...]:
        """What holds for the nest's parameters when it starts, and so while it runs."""
        return tuple(known for known in self._outside.values.ranges if known.value.symbols <= symbols)

    def _written_objects(self, written: Writes) -> frozenset[str]:
        """Objects that the nest writes; through a pointer member that is the member's own object."""
        names: set[str] = set()
        visible = {name for scope in self._scopes for name in scope} | self._scope.symbols.keys()
        for target in written.targets:
            base = base_name(target) or ""
            member = self._pointer_member(target) if base in visible else ""
            names.add(f"{base}->{member}" if member else base)
        return frozenset(self._names(frozenset(names)))

    def _pointer_member(self, target: c_ast.Node) -> str:
        """`data` in `g->data[i] = ...` when `data` is a pointer."""
        while isinstance(target, c_ast.ArrayRef):
            target = target.name
        is_pointer = isinstance(target, c_ast.StructRef) and isinstance(
            self._statements.expressions.type_of(target), PointerTo
        )
        return str(target.field.name) if is_pointer else ""

    def _allocation_marked(self, array: ArrayObject) -> ArrayObject:
        is_allocated = array.scope == "local" and array.is_pointer and array.name in self._allocated
        return replace(array, is_allocated=True) if is_allocated else array

    def _finished(self, scalar: ScalarObject, loop: c_ast.Node) -> ScalarObject:
        if scalar.scope == "body":
            return replace(scalar, used_after=False)
        in_doubt = scalar.scope == "global" or scalar.address_taken
        return replace(scalar, used_after=in_doubt or self._live.may_be_read(loop, scalar.name.partition("'")[0]))
