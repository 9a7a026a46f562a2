"""Calls of functions whose bodies can't stand in their place, with the memory that they read and write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted
from warplens.analysis.c.c_types import is_scalar_value
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.call_effects import CallEffects
from warplens.analysis.frontend.expressions.call_arguments import CallArguments, is_null
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.expression import Call, Constant, Expression, Handed, Load, ScalarRef, Unknown, loads
from warplens.analysis.ir.nest import Assign, If, Statement
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, Scalar, UnknownType, spared_members


class CallsByEffects(CallArguments):
    """Lowers calls to what they touch; methods raise UnsupportedError."""

    def by_effects(self, node: c_ast.FuncCall, name: str, effects: CallEffects) -> Expression:
        """A call of a function of the file, as unknown where what it touches is not all known."""
        result = self.context.file_scope.results.get(name, INT)
        states = sorted(g for g in effects.globals_written if g not in self.context.file_scope.symbols)
        why = effects.unknown
        if not why and effects.written_deeply:
            why = "writes what pointers in memory lead to"
        if not why and effects.read_deeply:
            why = "reads what pointers in memory lead to"
        if not why and states:
            why = f"keeps `{c_name(states[0].partition('.')[2])}` from call to call"
        if why:
            inlining = self.context.refused.get(name, "")
            detail = f" ({inlining})" if inlining and inlining not in why else ""
            return self.unseen(node, name, result, f"calls `{c_name(name)}`, which {_predicate(why)}{detail}")
        if effects.prints:
            note = f"calls `{c_name(name)}`, which prints: its output would come in another order"
            return self.with_effects(node, name, effects, result, note, known="prints")
        return self.with_effects(node, name, effects, result)

    def unseen(self, node: c_ast.FuncCall, name: str, result: CType, note: str) -> Expression:
        """A call of which no more is known than that it may set the variables whose addresses it gets.

        Assumes: what is `const`, or is handed over as such, is only read.
        """
        nodes = node.args.exprs if node.args else ()
        types = self.parameter_types(name)
        addresses = frozenset(number for number, argument in enumerate(nodes) if self._is_address_of_variable(argument))
        set_by_it = frozenset(n for n in addresses if not _is_read_only(types, n) and not self._is_constant(nodes[n]))
        handed = self._handed_memory(node, types) if self.context.in_nest else ()
        effects = CallEffects(set_by_it, addresses)
        return self.with_effects(node, name, effects, result, note, known="unseen", handed=handed)

    def with_effects(
        self,
        node: c_ast.FuncCall,
        name: str,
        effects: CallEffects,
        result: CType,
        note: str = "",
        *,
        is_certain: bool = False,
        known: Literal["none", "assumed", "unseen", "prints"] = "none",
        handed: tuple[Handed, ...] = (),
    ) -> Expression:
        """A call with the memory that it may touch: reads beside its arguments, writes as conditional stores."""
        context = self.context
        name = c_name(name)
        nodes = list(node.args.exprs) if node.args else []
        if not context.in_nest:
            return Call(name, self._handed(node), result, False, known, note)
        somewhere = Call(name, (), INT, False, "none")
        reads: list[Expression] = []
        writes: list[ScalarRef | Place] = []
        for place, is_read, is_written in self._touched(nodes, effects, somewhere):
            if is_read:
                reads.append(place if isinstance(place, ScalarRef) else Load(self.access(place, node)))
            if is_written:
                writes.append(place)
        call = Call(name, (*self._handed(node), *reads), result, False, known, note, handed)
        if not writes:
            return call
        kept: Expression = Constant(0, INT)
        if isinstance(result, Scalar | PointerTo):
            kept = self.temporary(f"{name}'", call, None)
            call = somewhere
        call = replace(call, type=INT)
        self._emit_stores(node, call, somewhere, writes, is_certain=is_certain)
        return kept

    def _emit_stores(
        self,
        node: c_ast.FuncCall,
        call: Expression,
        somewhere: Expression,
        writes: Sequence[ScalarRef | Place],
        *,
        is_certain: bool,
    ) -> None:
        """What a call writes: variables for sure where that is certain, all else under a condition."""
        context = self.context
        span = context.extents.call(context.extents.offset(node.coord)) if node.coord else None
        if is_certain:
            for target in writes:
                if isinstance(target, ScalarRef):
                    value = converted(call, target.type)
                    context.before.append(Assign(context.new_id(span), target, "", value))
                    context.values.forget((target.name,))
        doubtful = [target for target in writes if not is_certain or isinstance(target, Place)]
        if not doubtful:
            return
        identity = context.new_id(span)
        stores: list[Statement] = []
        for target in doubtful:
            store = context.new_id(span)
            reference = target if isinstance(target, ScalarRef) else self.access(target, node)
            stores.append(Assign(store, reference, "", converted(somewhere, reference.type)))
            if isinstance(target, ScalarRef):
                context.values.forget((target.name,))
        context.before.append(If(identity, call, tuple(stores)))

    def _handed(self, node: c_ast.FuncCall) -> tuple[Expression, ...]:
        """Values of a call's arguments; of addresses only what computing them reads."""
        values: list[Expression] = []
        for argument in node.args.exprs if node.args else ():
            if self._is_address_of_variable(argument):
                continue
            is_followed = self._is_followed(argument)
            read = _reads(self.lower(argument))
            values += [part for part in read if any(loads(part))] if is_followed else read
        return tuple(values)

    def _handed_memory(self, node: c_ast.FuncCall, types: Sequence[CType]) -> tuple[Handed, ...]:
        """Memory that a call of a function may write through its arguments, where they are known to point."""
        found: list[Handed] = []
        for number, argument in enumerate(node.args.exprs if node.args else ()):
            if not self.is_pointer(argument) or _is_read_only(types, number):
                continue
            state = self.context.snapshot()
            try:
                place = self.argument_place(argument)
            except UnsupportedError:
                continue
            finally:
                self.context.restore(state)
            indices = [d.index for d in place.dimensions]
            name = place.array if place.variable is None else place.variable.name
            if None not in indices:
                symbols = frozenset[str]().union(*(index.symbols for index in indices if index is not None))
                found.append(Handed(name, symbols))
        return tuple(dict.fromkeys(found))

    def parameter_types(self, name: str) -> tuple[CType, ...]:
        """Types of a function's parameters, empty where no prototype says them."""
        prototype = self.context.file_scope.prototypes.get(name)
        if prototype is None or prototype.args is None:
            return ()
        return tuple(self._parameter_type(parameter) for parameter in prototype.args.params)

    def _parameter_type(self, parameter: c_ast.Node) -> CType:
        if isinstance(parameter, c_ast.EllipsisParam):
            return UnknownType("...")
        if isinstance(parameter, c_ast.ID):  # `int f(MPI_Comm);` without the header that says what that is
            return UnknownType(parameter.name)
        ctype = self.types.resolve(parameter.type)
        if isinstance(ctype, ArrayOf):
            return PointerTo(ctype.element, const_target="const" in (getattr(parameter, "quals", None) or []))
        return ctype

    def _is_followed(self, argument: c_ast.Node) -> bool:
        """Whether it is an address whose subscripts are all known: which variables they are in says no more."""
        if not isinstance(argument, c_ast.BinaryOp) or not self.is_pointer(argument):
            return False
        state = self.context.snapshot()
        try:
            place = self.argument_place(argument)
        except UnsupportedError:
            return False
        finally:
            self.context.restore(state)
        return bool(place.dimensions) and all(d.index is not None for d in place.dimensions)

    def _is_address_of_variable(self, argument: c_ast.Node) -> bool:
        is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
        return is_address and self.variable(argument.expr) is not None

    def _is_constant(self, argument: c_ast.Node) -> bool:
        """Whether an argument is the address of a `const` variable."""
        symbol = self.variable(argument.expr)
        return symbol is not None and symbol.is_fixed

    def _touched(
        self, nodes: Sequence[c_ast.Node], effects: CallEffects, somewhere: Expression
    ) -> Iterator[tuple[ScalarRef | Place, bool, bool]]:
        """Memory that a call may touch, with whether it may read and may write it."""
        context = self.context
        for number in sorted(effects.read | effects.written):
            if number >= len(nodes) or isinstance(nodes[number], c_ast.Constant) or is_null(nodes[number]):
                continue
            if not self.is_pointer(nodes[number]):
                if self._is_number(nodes[number]):
                    continue
                raise UnsupportedError("an address of a type that is not known")
            place = self.argument_place(nodes[number])
            reference: ScalarRef | Place
            if place.variable is not None:
                reference = context.scalar(place.variable, place.variable.name)
            else:
                if number not in effects.first_only:
                    place = _anywhere_behind(place, somewhere)
                if effects.spares_volatile:
                    place = replace(place, type=spared_members(place.type))
                reference = place
            yield reference, number in effects.read, number in effects.written
        for name in sorted(effects.globals_read | effects.globals_written):
            symbol = context.file_scope.symbols.get(name)
            if symbol is not None and symbol.value is None:
                if context.is_hidden(name, (*context.hidden, *context.scopes)):
                    if name in effects.globals_written:
                        raise context.hides(name)
                    symbol = replace(symbol, name=added(name, "outside"))
                touched = self._anywhere(symbol, somewhere)
                yield touched, name in effects.globals_read, name in effects.globals_written

    def _is_number(self, node: c_ast.Node) -> bool:
        """Whether an argument is a number; a name that is not declared is taken for one and may be none."""
        if not isinstance(self.type_of(node), Scalar):
            return False
        names = (item.name for item in nodes_of_kinds(node, (c_ast.ID,)))
        file = self.context.file_scope
        known = {*file.symbols, *file.results}.union(*self.context.scopes)
        return all(name in known for name in names)

    def _anywhere(self, symbol: Symbol, somewhere: Expression) -> ScalarRef | Place:
        """A global: the scalar, or some element of the array or of what the pointer points to."""
        if isinstance(symbol.type, PointerTo):
            self.context.array_object(symbol)
            target = symbol.type.target
            return Place(symbol.name, (Dimension(somewhere, None, None),), target, element_bytes_of(target)[0])
        if is_scalar_value(symbol.type):
            return self.context.scalar(symbol, symbol.name)
        self.context.array_object(symbol)
        ctype: CType = symbol.type
        dimensions: list[Dimension] = []
        while isinstance(ctype, ArrayOf):
            dimensions.append(Dimension(somewhere, None, ctype.extent))
            ctype = ctype.element
        return Place(symbol.name, tuple(dimensions), ctype, element_bytes_of(ctype)[0])


def _anywhere_behind(place: Place, somewhere: Expression) -> Place:
    """Some element of the memory that a pointer leads to; what picks the pointer itself is known: `i` of `rows[i]`."""
    pointer = max((at for at, d in enumerate(place.dimensions) if d.extent is None), default=0)
    unknown = tuple(Dimension(somewhere, None, d.extent) for d in place.dimensions[pointer:])
    return replace(place, dimensions=(*place.dimensions[:pointer], *unknown))


def _reads(value: Expression) -> tuple[Expression, ...]:
    """What computing a value reads where the value is an address, else the value."""
    if isinstance(value, Unknown) and isinstance(value.type, PointerTo):
        return tuple(part for read in value.reads for part in _reads(read))
    return (value,)


def _is_read_only(types: Sequence[CType], number: int) -> bool:
    """Whether a parameter is a pointer to `const`."""
    ctype = types[number] if number < len(types) else None
    return isinstance(ctype, PointerTo) and ctype.const_target


def _predicate(why: str) -> str:
    name, _, does = why.partition("` ")
    return f"calls {name}`, which {does}" if why.startswith("`") else why
