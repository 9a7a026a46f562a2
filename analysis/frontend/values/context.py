"""The state of lowering one nest: names in scope, known values, node ids, spans, objects met so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.c.symbols import ScopeKind, Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.declarations.thread_variables import thread_variables
from warplens.analysis.frontend.pointers.function_summary import FunctionSummary
from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath
from warplens.analysis.frontend.pointers.pointer_sources import sources_of_called
from warplens.analysis.frontend.pointers.pointer_values import Lost
from warplens.analysis.frontend.scopes.directive_regions import Region, directive_of_loop, pragma_text, region_of
from warplens.analysis.frontend.scopes.mapped_sections import Value, mapped_sections
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of, innermost_element
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.source_words import designates, one_line
from warplens.analysis.frontend.syntax.constant_tables import said_by_values
from warplens.analysis.frontend.syntax.extents import Extents
from warplens.analysis.frontend.values.values import Values
from warplens.analysis.ir.expression import Access, Constant, Expression, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.nest import ArrayObject, ScalarObject, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, UnknownType
from warplens.analysis.ir.undeclared import Undeclared
from warplens.analysis.text.span import Span


def _always(loop: c_ast.Node, name: str) -> bool:
    del loop, name
    return True


@dataclass(frozen=True, slots=True)
class Origin:
    """The variable that led to an object, and the point since which it does, or the call that gave it.

    `called` are roots of it where it is a variable of a called function.
    """

    variable: str
    point: int = -1
    call: c_ast.Node | None = None
    called: frozenset[PointerPath] | None = None


class Context:
    """Mutable while a nest is built; `in_nest` is False for the statements before one, whose nodes are thrown away."""

    def __init__(
        self,
        file_scope: FileScope,
        scopes: list[dict[str, Symbol]],
        values: Values,
        extents: Extents,
        in_nest: bool,
    ) -> None:
        self.file_scope = file_scope
        self.scopes = scopes
        self.values = values
        self.extents = extents
        self.in_nest = in_nest
        self.sums: dict[str, RationalPolynomial] = {}
        """Symbols for what loops have added up, where a division is left: of what by which number."""
        self.moving: frozenset[str] = frozenset()
        """Source names that the nest writes: a pointer among them moves."""
        self.before: list[Statement] = []
        """Side effects of the expression being lowered that happen before the statement."""
        self.after: list[tuple[c_ast.Node, Place | None, str, Span]] = []
        """Those that happen after it: (lvalue, its place, operator, span) of an `i++`."""
        self.loops: list[NodeId] = []
        values.loops = self.loops
        self.arrays: dict[str, ArrayObject] = {}
        self.scalars: dict[str, ScalarObject] = {}
        self.spans: dict[NodeId, Span] = {}
        self.headers: dict[NodeId, Span] = {}
        self.wholes: dict[NodeId, Span] = {}
        self.directives: dict[NodeId, int] = {}
        """Where directives stand that say something of a loop."""
        self.inexact: dict[str, None] = {}
        self.undeclared: dict[Undeclared, None] = {}
        """What was met that no file in sight declares."""
        self.addressed: frozenset[str] = frozenset()
        self.callers: tuple[str, ...] = ()
        """Functions whose bodies are being lowered in place of their calls, outermost first."""
        self.hidden: tuple[dict[str, Symbol], ...] = ()
        """Scopes of the callers: their names are not visible, but taken."""
        self.substitutions: dict[str, Expression] = {}
        """Arguments that stand in place of parameters, by the parameter's unique name."""
        self.functions: dict[str, str] = {}
        """Functions that parameters stand for."""
        self.bound: set[str] = set()
        """Parameters that stand for a place."""
        self.refused: dict[str, str] = {}
        """Functions whose bodies can't stand in place of their calls, with the reason."""
        self.inlined: dict[str, None] = {}
        self._called_sources: dict[str, FunctionSummary] = {}
        self.inlined_globals: dict[str, None] = {}
        self.other_pointers: dict[str, None] = {}
        """Pointers handed to such functions that stand for another array."""
        self.older_pointers: dict[tuple[str, str], None] = {}
        """Variables that were set before the nest, each with the array into which it is known to lead."""
        self.inlined_size = 0
        self.statics: dict[tuple[str, str], Symbol] = {}
        """Static variables of functions by function and name; the function of the nest itself is ''."""
        self.allocated: set[str] = set()
        """Objects that each iteration allocates anew."""
        self.unchanged: frozenset[str] = frozenset()
        """Parameters of the function that always hold what the caller passed."""
        self.compared: frozenset[str] = frozenset()
        """Pointers whose value the nest reads, not only what they point to."""
        self.only_allocated: frozenset[str] = frozenset()
        """Pointers of the function that only ever hold what allocations in it gave."""
        self.is_live_after: Callable[[c_ast.Node, str], bool] = _always
        """Whether the value that a loop leaves in a variable may be read later."""
        self.loop_nodes: dict[NodeId, c_ast.Node] = {}
        self.origins: dict[str, Origin] = {}
        """Objects that are no variable's own: what led there."""
        self.arguments: dict[str, str] = {}
        """Objects that parameters of functions stand for, whose bodies stand in place of their calls."""
        self.walking: dict[str, ScalarRef] = {}
        """Pointers that a loop around moves unevenly, each with the variable that says how far it is in its object."""
        self.kept_walks: dict[str, ScalarRef] = {}
        """Those that a loop inside of that moves evenly, with variables for where they are when it ends."""
        self.regions: list[Region] = []
        """Directives whose statements hold what is being lowered, outermost first."""
        self.exclusive: dict[NodeId, str] = {}
        """Nodes below a directive that says which threads run them, with its first word."""
        self._joined: dict[NodeId, tuple[LoopDirective, int]] = {}
        """Loops whose directive is about loops in them too, with how many."""
        self._chosen: dict[tuple[str, int], str] = {}
        self._next_id = 0
        self._taken: set[str] = {symbol.name for scope in scopes for symbol in scope.values()}

    def new_id(self, span: Span | None = None) -> NodeId:
        """Next node id, with its place."""
        node = NodeId(self._next_id)
        self._next_id += 1
        if span is not None:
            self.spans[node] = span
        return node

    def words(self, access: Access) -> str:
        """What the function says for an access; empty in place of a call, or where its place is wider than it."""
        span = None if self.callers else self.spans.get(access.id)
        text = "" if span is None else one_line(self.extents.text[span.start : span.end])
        return text if designates(text, access) else ""

    def snapshot(self) -> tuple[int, int]:
        """Point to come back to when a statement turns out not to be understood."""
        return self._next_id, len(self.scalars)

    def restore(self, snapshot: tuple[int, int]) -> None:
        """Forget ids, spans and scalars that were made since; arrays without an access are left out at the end."""
        self._next_id, scalars = snapshot
        for places in (self.spans, self.headers, self.wholes, self.directives, self.exclusive):
            for node in [node for node in places if node >= self._next_id]:
                del places[node]
        for name in list(self.scalars)[scalars:]:
            del self.scalars[name]

    def meet(self, pragma: c_ast.Node) -> None:
        """Take in what a pragma says of variables from here on."""
        for name in thread_variables(pragma_text(pragma)):
            for scope in self.scopes:
                if name in scope:
                    scope[name] = replace(scope[name], is_of_thread=True)

    def regions_of(self, pragmas: Sequence[c_ast.Node]) -> list[Region]:
        """What pragmas in front of a statement say of it."""
        found = (region_of(pragma, len(self.scopes), self._meant) for pragma in pragmas)
        return [region for region in found if region is not None]

    def _meant(self, name: str) -> Symbol | None:
        """What a directive means by a name; None for what is not declared."""
        scope = next((scope for scope in reversed(self.scopes) if name in scope), self.file_scope.symbols)
        return scope.get(name)

    @contextmanager
    def under(self, regions: Sequence[Region]) -> Iterator[None]:
        """Lower the statement of some directives."""
        word = next((region.word for region in regions if region.is_exclusive), "")
        around, first = len(self.regions), self._next_id
        if word and self.in_nest and self.loops:
            self.new_id()  # of the directive: what is below it may leave no other trace
        self.regions += regions
        try:
            yield
        finally:
            del self.regions[around:]
            for node in range(first, self._next_id) if word else ():
                self.exclusive.setdefault(NodeId(node), word)

    def loop_directive(self, loop: NodeId, here: Sequence[Region], value: Value) -> LoopDirective | None:
        """The directive that says of a loop, just begun, that its iterations are independent.

        `here` are those right above it, `value` says what an expression is before it.
        """
        outer = self.loops[-2] if len(self.loops) > 1 else None
        if not here and outer in self._joined:
            directive, more = self._joined[outer]
            if more > 1:
                self._joined[loop] = directive, more - 1
            return directive
        said = next((region for region in reversed(here) if region.is_of_loop), None)
        if said is None:
            return None
        around = self.regions[: self.regions.index(said)]
        visible = (self.file_scope.symbols, *self.scopes)
        of_threads = (symbol.name for scope in visible for symbol in scope.values() if symbol.is_of_thread)
        found = directive_of_loop(NodeId(self._next_id), said, around, self.scopes, frozenset(of_threads))
        if found is None:
            return None
        node = self.new_id()
        found = replace(found, id=node, sharing="unclear" if self.callers else found.sharing)
        if not self.callers:
            before = self.regions[: len(self.regions) - len(here)]
            found = replace(found, maps=mapped_sections(here, before, self._meant, value, self.unchanged))
            self.directives[node] = self.extents.offset(said.pragma.coord)
        if said.joined_loops > 1:
            self._joined[loop] = found, said.joined_loops - 1
        return found

    def drop(self, node: NodeId) -> None:
        """Forget the last node made: a value that nobody uses."""
        if node == self._next_id - 1:
            self._next_id -= 1
            self.spans.pop(node, None)

    def lookup(self, name: str) -> Symbol:
        """Symbol by source name, of a function its address; an undeclared one counts as a global int and is noted.

        Raises UnsupportedError for a called function's name of a variable of the file where a caller's hides that.
        """
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.file_scope.symbols:
            if self.callers and name in self.file_scope.variables:
                if self.is_hidden(name, self.hidden):
                    raise self.hides(name)
                self.inlined_globals[name] = None
            return self.file_scope.symbols[name]
        if name in self.file_scope.results or name in self.file_scope.own_functions:
            return Symbol(name, PointerTo(UnknownType("a function")), "global")
        self.inexact[f"`{name}` is not declared here, it is taken for an int"] = None
        self.undeclared[Undeclared(name, "name")] = None
        return Symbol(name, INT, "global")

    def is_hidden(self, name: str, scopes: Iterable[Mapping[str, Symbol]]) -> bool:
        """Whether a variable of these scopes has the name of one of the file that is meant."""
        return any(hidden.name == name for scope in scopes for hidden in scope.values())

    def hides(self, name: str) -> UnsupportedError:
        """What keeps a called function from using such a variable of the file."""
        return UnsupportedError(f"it uses `{c_name(name)}` of the file, which a variable hides here")

    def take(self, name: str) -> None:
        """Keep a variable's name, which is unique as it is, from others."""
        self._taken.add(name)

    def declare(self, name: str, ctype: CType, kind: ScopeKind, symbol: Symbol | None = None) -> Symbol:
        """Add a variable to the innermost scope under a name that is unique in the nest."""
        unique, count = name, 1
        while unique in self._taken or (self.in_nest and unique in self.file_scope.symbols):
            count += 1
            # what a nest finds set may be a size, which is shown
            unique = added(name, str(count)) if self.in_nest else f"{name} #{count}"
        self._taken.add(unique)
        self.arrays.pop(unique, None)  # of an undeclared variable that was met before
        # A static variable in the body is the same one in every iteration.
        declared_in = None if kind == "global" else self._innermost()
        made = replace(symbol or Symbol(name, ctype, kind), name=unique, declared_in=declared_in)
        self.scopes[-1][name] = made
        return made

    def end(self, scope: dict[str, Symbol]) -> None:
        """Let the names of a block that ended be those of others; outside of nests only, where no object is kept."""
        names = {symbol.name for symbol in scope.values() if symbol.scope == "local"}
        self.values.forget(names)
        self._taken -= names
        for name in names:
            self.arrays.pop(name, None)
            self.scalars.pop(name, None)

    def unnamed(self, name: str) -> str:
        """A name for memory that a variable of that name leads to, which nothing else has."""
        base = c_name(name)
        unique, count = added(base), 1
        while unique in self._taken:
            count += 1
            unique = added(base, str(count))
        self._taken.add(unique)
        return unique

    def chosen_place(self, symbol: Symbol, target: CType, lost: Lost) -> Place:
        """What a pointer points to since its value was lost: an object of its own."""
        name = self._chosen.get((symbol.name, lost.point))
        if name is None:
            name = self._chosen[symbol.name, lost.point] = self.unnamed(symbol.name)
        if name not in self.arrays:
            outside: ScopeKind = "global" if symbol.scope == "global" else "local"
            scope: ScopeKind = outside if lost.given_in is None else "body"
            origin = Symbol(name, symbol.type, scope, declared_in=lost.given_in)
            self.array_object(origin)
            self.arrays[name] = replace(
                self.arrays[name], chosen_in=lost.loop, reached_by=symbol.name, set_in=lost.set_in
            )
            self.origins[name] = Origin(symbol.name, lost.point, called=self._called_roots(symbol))
            self.values.changing.add(name)
            if lost.given_in is not None:
                self.values.given[name] = lost.given_in
        start = Dimension(Constant(0, INT), Polynomial(()), None)
        return Place(name, (start,), target, element_bytes_of(target)[0])

    def _called_roots(self, symbol: Symbol) -> frozenset[PointerPath] | None:
        """Where a pointer of a called function may lead: what it was handed is told by the object that it is in."""
        if not self.callers:
            return None
        function = self.callers[-1]
        definition = self.file_scope.definition(function)
        if definition is None:
            return frozenset((ANYWHERE,))
        sources = self._sources_of(function, definition)
        found = set()
        for path in sources.roots(PointerPath(c_name(symbol.name))):
            name = path.base if path.kind == "variable" else ""
            bound = next((scope[name].name for scope in reversed(self.scopes) if name in scope), "")
            if bound in self.arguments:
                found.add(PointerPath(self.arguments[bound], path.steps, "object"))
            else:
                is_own = name in sources.declared or path.kind == "call"
                found.add(replace(path, function=function) if is_own else path)
        return frozenset(found)

    def _sources_of(self, function: str, definition: c_ast.FuncDef) -> FunctionSummary:
        """What pointers of a called function may be set from; bodies come again and again in place of calls."""
        if function not in self._called_sources:
            self._called_sources[function] = sources_of_called(function, definition, self.file_scope)
        return self._called_sources[function]

    def declare_iterator(self, name: str, ctype: CType) -> Symbol:
        """Like `declare`, but loops side by side may share an iterator's name."""
        scopes = (*self.hidden, *self.scopes)
        visible = any(name in scope for scope in scopes) or name in self.file_scope.symbols
        earlier = self.scalars.get(name)
        if not visible and (name not in self._taken or (earlier is not None and earlier.type == ctype)):
            self._taken.add(name)
            self.scopes[-1][name] = Symbol(name, ctype, "body", declared_in=self._innermost())
            return self.scopes[-1][name]
        return self.declare(name, ctype, "body")

    def walks(self, value: Polynomial) -> bool:
        """Whether a value is said in terms of how far a pointer is that a loop around moves unevenly."""
        return any(held.name in value.symbols for held in self.walking.values())

    def _innermost(self) -> NodeId | None:
        return self.loops[-1] if self.loops else None

    def scalar(self, symbol: Symbol, source_name: str) -> ScalarRef:
        """Reference to a scalar; registers its object."""
        if symbol.name not in self.scalars:
            is_of_file = self.file_scope.symbols.get(source_name) is symbol
            self.scalars[symbol.name] = ScalarObject(
                symbol.name,
                symbol.type,
                symbol.scope,
                used_after=symbol.scope != "body",
                address_taken=source_name in self.addressed,
                declared_in=symbol.declared_in,
                is_of_called=bool(self.callers) and not is_of_file,
                is_exposed=is_of_file and (isinstance(symbol.type, PointerTo) or not symbol.is_const),
            )
        return ScalarRef(symbol.name, symbol.type)

    def array_object(self, symbol: Symbol) -> None:
        """Register the memory that a variable is or points to."""
        if symbol.name in self.arrays:
            return
        extents: list[Polynomial | None] = []
        ctype = symbol.type
        is_pointer = isinstance(ctype, PointerTo) or symbol.is_array_parameter
        const_target = symbol.is_const
        if isinstance(ctype, PointerTo):
            extents.append(None)
            const_target = ctype.const_target
            ctype = ctype.target
        while isinstance(ctype, ArrayOf):
            extents.append(ctype.extent)
            ctype = ctype.element
        self.add_array(symbol.name, ctype, tuple(extents), symbol, is_pointer, const_target)

    def add_array(
        self,
        name: str,
        ctype: CType,
        extents: tuple[Polynomial | None, ...],
        symbol: Symbol,
        is_pointer: bool,
        is_const: bool,
    ) -> None:
        """Register an object that is reached from `symbol`."""
        size, known = element_bytes_of(ctype)
        table = symbol.table if name == symbol.name and not is_pointer else ()
        self.values.note_table(name, ctype, table)
        if not known:
            self.inexact[_unsized(name)] = None
        self.arrays[name] = ArrayObject(
            name,
            innermost_element(ctype),
            size,
            extents,
            symbol.scope,
            is_pointer,
            symbol.restrict and name == symbol.name,
            is_const,
            symbol.declared_in,
            holds=said_by_values(table),
            is_of_called=bool(self.callers)
            and not (symbol.scope == "global" and symbol.name in self.file_scope.symbols),
            unstored=symbol.unstored if name == symbol.name else "",
        )

    def retype(self, array: ArrayObject, ctype: CType) -> None:
        """Note what an object of no type holds."""
        self.arrays[array.name] = replace(
            array, element=innermost_element(ctype), element_bytes=element_bytes_of(ctype)[0]
        )
        self.inexact.pop(_unsized(array.name), None)


def _unsized(name: str) -> str:
    """Said of an object whose elements have no size that is known."""
    return f"the size of what `{name}` holds is not known"
