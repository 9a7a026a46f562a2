"""A function definition: find its outermost loops, follow what is known before each, lower them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.call_sites import CallSite, PointerSetting
from warplens.analysis.frontend.effects.constant_variables import without_constants
from warplens.analysis.frontend.effects.elements_after import ElementsAfter
from warplens.analysis.frontend.effects.live_after import LiveAfter
from warplens.analysis.frontend.effects.writes import Writes, base_name, compared_names, loops_in, writes_of
from warplens.analysis.frontend.forms.forward_jumps import without_forward_jumps
from warplens.analysis.frontend.functions.known_before import KnownBefore, bytes_of
from warplens.analysis.frontend.functions.nest_uses import (
    arrays_used,
    has_unseen_calls,
    scalars_used,
    symbols_used,
    with_reads,
)
from warplens.analysis.frontend.functions.scratch_parts import exchanges_in, with_scratch_parts
from warplens.analysis.frontend.functions.shared_memory import is_row_table, with_shared_memory
from warplens.analysis.frontend.functions.undeclared_names import undeclared_types
from warplens.analysis.frontend.pointers.allocations import allocated_pointers, lone_allocations
from warplens.analysis.frontend.pointers.call_constraints import keeps_addresses
from warplens.analysis.frontend.pointers.escaped_so_far import EscapedSoFar
from warplens.analysis.frontend.pointers.passed_addresses import PassedAddresses
from warplens.analysis.frontend.pointers.pointer_sources import PointerSources
from warplens.analysis.frontend.pointers.scratch_memory import ScratchMemory
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.statements.lower_nest import Nest
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.syntax.syntax_index import indexed, nodes_of_kinds
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import (
    ArrayObject,
    Assign,
    DerivedSymbol,
    KnownRange,
    Loop,
    LoopNest,
    ScalarObject,
    walk_statements,
)
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import PointerTo
from warplens.analysis.ir.undeclared import Undeclared
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class FoundNest:
    """A nest with its places as offsets into the function's text, by node id; of `directives` where their lines are."""

    nest: LoopNest
    headers: tuple[tuple[NodeId, Span], ...]
    wholes: tuple[tuple[NodeId, Span], ...]
    nodes: tuple[tuple[NodeId, Span], ...]
    directives: tuple[tuple[NodeId, int], ...] = ()


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
    unchanged: frozenset[str] = frozenset()
    settings: tuple[PointerSetting, ...] = ()


def lower_function(node: c_ast.FuncDef, scope: FileScope, text: str, body: int, inexact: tuple[str, ...]) -> FoundLoops:
    """Lower all nests of a function; never raises for a construct of C."""
    read = without_forward_jumps(node, in_loops_only=True)
    with indexed(read, scope.trees.indexed):
        finder = _Function(read, scope, Extents(text, body), inexact)
        finder.run()
        return FoundLoops(
            tuple(finder.nests),
            tuple(finder.opaque),
            loops_in(node.body),
            finder.parameters,
            tuple(finder.calls),
            finder.unchanged,
            tuple(finder.settings),
        )


class _Function(KnownBefore):
    def __init__(self, node: c_ast.FuncDef, scope: FileScope, extents: Extents, inexact: tuple[str, ...]) -> None:
        super().__init__(node, scope, extents)
        self._inexact = inexact
        self._allocated = allocated_pointers(node, scope.effects, self._statements.expressions.types.resolve)
        self.lone_allocations = lone_allocations(node, self._allocated)
        self._live = LiveAfter(node.body)
        self.nests: list[FoundNest] = []
        self.opaque: list[FoundOpaque] = []

    def loop(self, node: c_ast.Node, pragmas: Sequence[c_ast.Node]) -> None:
        before = self._outside.values
        written = self.names(writes_of(node, self._scope.effects).scalars)
        found = len(self.nests)
        try:
            self.nests.append(self._nest(node, pragmas))
        except (UnsupportedError, TooLargeError) as error:
            keyword = self._extents.offset(node.coord)
            reason = f"an expression grows to {error}" if isinstance(error, TooLargeError) else str(error)
            self.opaque.append(FoundOpaque(reason, self._extents.header(keyword)))
            self._outside.values = before
            self._scopes.append({})
            init = getattr(node, "init", None)
            for part in init.decls if isinstance(init, c_ast.DeclList) else []:
                self.declare(part)
            with self._outside.under(self._outside.regions_of(pragmas)):
                self.inside_loop(node, node.stmt)
            self._scopes.pop()
        self._outside.values = before
        before.forget(written)
        if len(self.nests) > found:
            self.note_calls(node)

    def _undeclared_before(self, parameters: AbstractSet[str]) -> Iterator[Undeclared]:
        """What the nest's parameters are made of that was met before it."""
        return (each for each in self._outside.undeclared if each.kind == "name" and each.name in parameters)

    def _too_large_before(self, parameters: AbstractSet[str]) -> Iterator[str]:
        """What is said of values that the nest takes as they are, since they are too long to compute with."""
        return (text for text, names in self._outside.values.too_large.items() if not names.isdisjoint(parameters))

    def _nest(
        self, node: c_ast.Node, pragmas: Sequence[c_ast.Node], changed: frozenset[str] = frozenset()
    ) -> FoundNest:
        """The nest of a loop; `changed` are objects that it writes by other names."""
        scopes = [dict(scope) for scope in self._scopes]
        values = self._outside.values.copy()
        values.derived = dict(values.derived)
        values.loaded, values.spelled = {}, {}
        values.too_large = {}
        values.tables = dict(values.tables)
        context = Context(self._scope, scopes, values, self._extents, in_nest=True)
        values.words = context.words
        context.addressed = self._escaped.before_end_of(node)
        context.inexact = dict.fromkeys(self._inexact)
        context.regions = [*self._outside.regions]
        written = without_constants(writes_of(node, self._scope.effects), scopes)
        lowering = Nest(context)
        types = self._statements.expressions.types  # those that blocks around declare, too
        lowering.expressions.types.typedefs, lowering.expressions.types.tags = dict(types.typedefs), dict(types.tags)
        context.moving = written.scalars
        context.is_live_after = self._live.may_be_read
        context.only_allocated = self._allocated
        context.unchanged = self.unchanged
        context.compared = compared_names(node) & written.scalars
        context.arrays = dict(self._outside.arrays)
        values.written_memory = self._written_objects(written) | changed
        values.constants = set()
        _, root, _ = lowering.loop(node, pragmas)
        types_of = lowering.expressions.types.resolve
        visible = ChainMap(*self._scopes, self._scope.symbols)
        undeclared = {*context.undeclared, *undeclared_types(node, visible, self._scope.open_extents, types_of)}
        symbols = symbols_used(root, context.arrays)
        loops = [loop for loop in walk_statements((root,)) if isinstance(loop, Loop)]
        iterators = {loop.iterator for loop in loops}
        in_sums = {n for n in scalars_used(root) & values.derived.keys() if values.derived[n].formula is not None}
        derived = tuple(values.derived[name] for name in sorted(values.derived.keys() & (symbols | in_sums)))
        parameters = symbols - iterators - {d.name for d in derived if d.formula is not None}
        for symbol in derived:
            parameters |= symbol.formula.parameters if symbol.formula is not None else set()
        mentioned = parameters | symbols | scalars_used(root)
        mentioned |= {induction.name for loop in loops for induction in loop.inductions}
        for name in sorted(mentioned & self._outside.scalars.keys() - context.scalars.keys()):
            context.scalars[name] = self._outside.scalars[name]  # in a pointer's value that was known before
        is_led = has_unseen_calls(root)
        lent, unset = (self._scratch.lent(node), self._scratch.unset(node)) if is_led else (frozenset(), frozenset())
        scratch = self._scratch.of(node) - self._scratch.given if is_led else frozenset()
        scalars = tuple(self._finished(s, node, unset) for s in context.scalars.values() if s.name in mentioned)
        used = arrays_used(root)
        shared = self._shared(context, used | values.constants)
        parts = self._scratch.parts_of(scratch)
        named = {name: name for name in self.unchanged} | parts
        if parts or any(a.is_of_called and a.chosen_in is not None for a in shared):
            shared = with_scratch_parts(shared, context.origins, self._sources, named)
        arrays = {a.name: a for a in shared}
        stored = {
            s.target.array for s in walk_statements((root,)) if isinstance(s, Assign) and isinstance(s.target, Access)
        }
        # A struct is set as a whole too, `d = q[i]`, and by pointers that lead to it.
        no_constants = {
            name
            for name in values.constants & arrays.keys()
            if not stored.isdisjoint((name, *arrays[name].may_point_into))
        }
        if no_constants - changed:
            return self._nest(node, pragmas, changed | no_constants)
        loaded = {name: read for name, read in values.loaded.items() if read.array in arrays}
        set_before, behind = self._set_before(scalars, parameters, self.names(written.scalars))
        derived = tuple(dict.fromkeys((*(with_reads(symbol, loaded, arrays) for symbol in derived), *behind)))
        nest = LoopNest(
            root,
            tuple(self._wanted_marked(a, node, stored) for name, a in arrays.items() if name in used),
            scalars,
            tuple(sorted(parameters)),
            derived,
            tuple(context.inexact),
            tuple(sorted(context.inlined)),
            tuple(sorted(context.inlined_globals)),
            tuple(sorted(context.other_pointers)),
            known=self._known_of(parameters | {d.name for d in derived}),
            values=set_before,
            older_pointers=tuple(sorted(context.older_pointers)),
            scratch=scratch,
            lent=lent,
            exchanged=exchanges_in(self._node, context.loop_nodes, parts),
            too_large=(*values.too_large, *self._too_large_before(parameters)),
            work=self._scratch.empty_before(node) if any(map(_is_own, arrays.values())) else frozenset(),
            exclusive=tuple(sorted(context.exclusive.items())),
            elsewhere=tuple(
                (c_name(name), self._scope.elsewhere[name])
                for name in sorted(context.inlined)
                if name in self._scope.elsewhere
            ),
            undeclared=tuple(sorted({*undeclared, *self._undeclared_before(parameters)})),
        )
        return FoundNest(
            nest,
            tuple(context.headers.items()),
            tuple(context.wholes.items()),
            tuple(context.spans.items()),
            tuple(context.directives.items()),
        )

    def _shared(self, context: Context, names: AbstractSet[str]) -> tuple[ArrayObject, ...]:
        """Objects of these names, with those marked that a pointer of the function may share with others."""
        arrays = [self._allocation_marked(a) for name, a in context.arrays.items() if name in names]
        members = any(MemoryPath.of(array.name).is_in_structure for array in arrays if array.is_pointer)
        variables = {MemoryPath.of(array.name).base for array in arrays if array.is_pointer}
        is_set = members or any(
            v in context.origins or c_name(v) in self._changed or v in self._scope.initialised for v in variables
        )
        is_set = is_set or (self._keeps and not variables.isdisjoint(self._scope.variables))
        addressed = [scalar.name for scalar in context.scalars.values() if scalar.address_taken]
        if not any(map(is_row_table, arrays)) and (not is_set or len(arrays) + len(addressed) < 2):
            return tuple(arrays)
        return with_shared_memory(arrays, context.origins, self._sources, addressed)

    @cached_property
    def _keeps(self) -> bool:
        """Whether the function hands an address to one of the file that keeps it."""
        return any(keeps_addresses(call, self._scope) for call in nodes_of_kinds(self._node.body, (c_ast.FuncCall,)))

    @cached_property
    def _escaped(self) -> EscapedSoFar:
        return EscapedSoFar(self._node, self._outside.addressed)

    @cached_property
    def _scratch(self) -> ScratchMemory:
        return ScratchMemory(self._node, self._scope.effects)

    @cached_property
    def addresses(self) -> PassedAddresses:
        """What the function's calls pass."""
        return PassedAddresses(self._node, self._sources, self._scope)

    @cached_property
    def _sources(self) -> PointerSources:
        return PointerSources(self._node, self._scope)

    def _known_of(self, symbols: AbstractSet[str]) -> tuple[KnownRange, ...]:
        """What holds for the nest's parameters when it starts, and so while it runs."""
        return self._outside.values.ranges_of(symbols)

    def _set_before(
        self, scalars: Sequence[ScalarObject], parameters: AbstractSet[str], written: AbstractSet[str]
    ) -> tuple[tuple[tuple[str, Polynomial], ...], tuple[DerivedSymbol, ...]]:
        """Scalars that stay what they are before the nest, where its parameters say what, and the symbols in that."""
        values, constant = self._outside.values, parameters - written
        formulas = ((name, symbol, symbol.formula) for name, symbol in values.derived.items())
        derived = {name: symbol for name, symbol, formula in formulas if formula and formula.parameters <= constant}
        before = ((s.name, values.known.get(s.name)) for s in scalars if s.name not in written and not s.address_taken)
        found = tuple((n, value) for n, value in before if value and value.symbols <= constant | derived.keys())
        used = {symbol for _, value in found for symbol in value.symbols}
        return found, tuple(derived[name] for name in sorted(used & derived.keys()))

    def _written_objects(self, written: Writes) -> frozenset[str]:
        """Objects that the nest writes; through a pointer member that is the member's own object."""
        names: set[str] = set()
        visible = ChainMap(*self._scopes, self._scope.symbols)
        for written_memory in written.targets:
            target = self._pointer_of(written_memory, visible)
            base = base_name(target) or ""
            member = self._pointer_member(target) if base in visible else ""
            names.add(str(MemoryPath(base).member(member, is_arrow=True)) if member else base)
        return frozenset(self.names(frozenset(names)))

    def _pointer_of(self, target: c_ast.Node, visible: Container[str]) -> c_ast.Node:
        """`g->data` in `g->data[i] = ...`, and in what a call writes through `g->data + i`."""
        while True:
            match target:
                case c_ast.ArrayRef():
                    target = target.name
                case c_ast.Cast():
                    target = target.expr
                case c_ast.BinaryOp():
                    is_known = (base_name(target.right) or "") in visible
                    is_right = is_known and self._statements.expressions.is_pointer(target.right)
                    target = target.right if is_right else target.left
                case _:
                    return target

    def _pointer_member(self, target: c_ast.Node) -> str:
        """`data` in `g->data` when that is a pointer."""
        is_pointer = isinstance(target, c_ast.StructRef) and isinstance(
            self._statements.expressions.type_of(target), PointerTo
        )
        return str(target.field.name) if is_pointer else ""

    def _allocation_marked(self, array: ArrayObject) -> ArrayObject:
        is_allocated = array.scope == "local" and array.is_pointer and array.name in self._allocated
        return replace(array, is_allocated=True, elements=self._elements_of(array)) if is_allocated else array

    def _elements_of(self, array: ArrayObject) -> Polynomial | None:
        bytes_ = self._outside.values.known.get(bytes_of(array.name))
        return None if bytes_ is None or not array.element_bytes else bytes_.exact_div(array.element_bytes)

    def _wanted_marked(self, array: ArrayObject, loop: c_ast.Node, stored: AbstractSet[str]) -> ArrayObject:
        is_own, name = _is_own(array), c_name(array.name)
        if not (is_own or array.scope == "parameter") or array.name not in stored or not name.isidentifier():
            return array
        others = sorted(self._sources.set_from(name)) if is_own else ()
        is_wanted = self._elements.are_wanted(loop, (name, *others))
        return replace(array, used_after=True) if is_wanted else array

    @cached_property
    def _elements(self) -> ElementsAfter:
        own = {node.name for node in nodes_of_kinds(self._node, (c_ast.Decl,)) if node.name}
        return ElementsAfter(self._node.body, self._scope.effects, own)

    def _finished(self, scalar: ScalarObject, loop: c_ast.Node, unset: AbstractSet[str]) -> ScalarObject:
        if scalar.scope == "body":
            return replace(scalar, used_after=False)
        in_doubt = scalar.scope == "global" or scalar.address_taken
        is_read = in_doubt or self._live.may_be_read(loop, c_name(scalar.name))
        return replace(scalar, used_after=is_read, is_unset=scalar.name in unset)


def _is_own(array: ArrayObject) -> bool:
    """Whether the function declares the array or allocates it, and hands it to nobody who keeps it."""
    return array.scope == "local" and (not array.is_pointer or array.is_allocated)
