"""Calls: the body of a function of the file in place of its call, its effects where that can't be, or just its name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from pycparser import c_ast
from warplens.analysis.frontend.arithmetic import converted
from warplens.analysis.frontend.block_fill import block_fill
from warplens.analysis.frontend.call_effects import CallEffects
from warplens.analysis.frontend.called_body import CalledBody, CallExtents, called_body
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.library_calls import LibraryCall, library_call
from warplens.analysis.frontend.lower_effect import Effects
from warplens.analysis.frontend.math_calls import math_function
from warplens.analysis.frontend.places import Dimension, Place, UnsupportedError, element_bytes_of, is_scalar_value
from warplens.analysis.frontend.purity import is_taken_for_pure
from warplens.analysis.frontend.recover import UNREADABLE
from warplens.analysis.frontend.scope import Symbol
from warplens.analysis.frontend.single_exit import as_expression, holds, with_results_stored
from warplens.analysis.frontend.writes import base_name
from warplens.analysis.ir.expression import (
    Access,
    Call,
    Cast,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unknown,
    loads,
    walk,
)
from warplens.analysis.ir.nest import Assign, Exit, If, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, LONG, ArrayOf, CType, PointerTo, Scalar, StructOf, UnknownType
from warplens.analysis.text.span import Span

_DEEPEST_CALL = 6
_MOST_SYNTAX = 6000
"""Syntax nodes of functions that stand in place of calls, in one nest."""

_LARGEST_COPIED = 24
"""Nodes of an argument that is put in place of its parameter, however often that stands in the function."""

_RESULT = "(result)"

_ASSUMED = (
    "`{}` is assumed to have no side effects: its body is not in this file, it returns a value and gets nothing it "
    "could write through."
)

Wanted = Literal["value", "place", "pointee"]


@dataclass(frozen=True, slots=True)
class _Argument:
    """What a parameter stands for: a value, a place that it points to or is, or a function."""

    parameter: c_ast.Decl
    value: Expression | None = None
    place: Place | None = None
    function: str = ""
    is_copy: bool = False


class Calls(Effects):
    """Lowers calls; methods raise UnsupportedError."""

    lower_block: Callable[[Sequence[c_ast.Node]], list[Statement]]
    """Statements of a called function's body, in a context that is ready for it."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)

    @abstractmethod
    def effect(self, node: c_ast.Node) -> None:
        """Part of a comma expression whose value is dropped."""

    def call(self, node: c_ast.FuncCall) -> Expression:
        """Value of a call."""
        name = self.called_name(node)
        if name == "asm":
            raise UnsupportedError("inline assembly")
        if name == UNREADABLE:
            raise UnsupportedError("a statement that was not understood")
        arguments = list(node.args.exprs) if node.args else []
        if name in {"__builtin_expect", "__builtin_assume_aligned", "__builtin_expect_with_probability"} and arguments:
            return self.lower(arguments[0])
        if name:
            inlined = self.in_place_of(node, "value")
            if inlined is not None and not isinstance(inlined, Place):
                return inlined
            effects = self.context.file_scope.effects.of(name)
            if effects is not None:
                return self._by_effects(node, name, effects)
        return self._unseen(node, name, arguments)

    def called_name(self, node: c_ast.FuncCall) -> str:
        """Name of the function that is called, through a parameter that stands for one too; empty if not known."""
        target = node.name
        while isinstance(target, c_ast.UnaryOp) and target.op in {"*", "&"}:
            target = target.expr
        if not isinstance(target, c_ast.ID):
            return ""
        for scope in reversed(self.context.scopes):
            if target.name in scope:
                return self.context.functions.get(scope[target.name].name, "")
        return "" if target.name in self.context.file_scope.symbols else str(target.name)

    def _unseen(self, node: c_ast.FuncCall, name: str, arguments: Sequence[c_ast.Node]) -> Expression:
        """A call of a function whose body is not in sight."""
        scope = self.context.file_scope
        if not name:
            pointer = _source_name(node.name)
            note = f"calls a function through the pointer `{pointer}`"
            return Call(pointer, self._values(arguments), INT, False, note=note)
        is_own = name in scope.own_functions or scope.definition(name) is not None
        math = None if is_own else math_function(name)
        if math is not None:
            plain, ctype = math
            values = self._values(arguments)
            if isinstance(ctype, Scalar) and ctype.kind == "float":
                values = tuple(converted(value, ctype) for value in values)
            return Call(plain, values, ctype, is_math=True)
        known = None if is_own else library_call(name)
        if known is not None:
            return self._library(node, name, known, arguments)
        result = scope.results.get(name, INT)
        if name in scope.purity:
            reads = frozenset(range(len(arguments))) if scope.purity[name] == "pure" else frozenset[int]()
            return self._with_effects(node, name, CallEffects(read=reads), result)
        prototype = scope.prototypes.get(name)
        if prototype is not None and prototype.args is not None:
            types = [self._parameter_type(parameter) for parameter in prototype.args.params]
            if is_taken_for_pure(name, result, types):
                reads = frozenset(n for n, ctype in enumerate(types) if isinstance(ctype, PointerTo))
                return self._with_effects(node, name, CallEffects(read=reads), result, _ASSUMED.format(name))
        note = f"calls `{name}`, whose effects are unknown"
        if name in scope.results:
            note = f"calls `{name}`, whose body is not in this file"
        return Call(name, self._values(arguments), result, False, note=note)

    def _library(
        self, node: c_ast.FuncCall, name: str, known: LibraryCall, arguments: Sequence[c_ast.Node]
    ) -> Expression:
        if known.ends:
            note = f"`{name}` is assumed not to be called: it would end the program in the loop."
            return Call(name, (), known.result, False, "assumed", note)
        if known.unknown:
            return Call(name, self._values(arguments), known.result, False, note=f"`{name}` {known.unknown}")
        if self.context.in_nest:
            filled = block_fill(self, node, name)
            if filled is not None:
                self.context.before.append(filled)
                return Constant(0, INT)
        written = [n for n in range(len(arguments)) if n in known.writes or 0 <= known.writes_from <= n]
        effects = CallEffects(frozenset(written), frozenset(known.reads))
        is_certain = known.writes_from < 0  # `frexp` always sets its result, `sscanf` may not
        return self._with_effects(node, name, effects, known.result, is_certain=is_certain)

    def _values(self, arguments: Sequence[c_ast.Node]) -> tuple[Expression, ...]:
        return tuple(self.lower(argument) for argument in arguments)

    def _parameter_type(self, parameter: c_ast.Node) -> CType:
        if isinstance(parameter, c_ast.EllipsisParam):
            return UnknownType("...")
        ctype = self.types.resolve(parameter.type)
        if isinstance(ctype, ArrayOf):
            return PointerTo(ctype.element, const_target="const" in (getattr(parameter, "quals", None) or []))
        return ctype

    # ---- the body in place of the call

    def in_place_of(self, node: c_ast.FuncCall, wanted: Wanted) -> Expression | Place | None:
        """The called function's body instead of the call, None where the call has to stay."""
        context = self.context
        name = self.called_name(node)
        body = self._body(name)
        if body is None or body.refusal or name in context.refused:
            return None
        if name in context.callers or len(context.callers) >= _DEEPEST_CALL:
            return None
        if body.value is None and not context.in_nest:
            return None
        context.inlined_size += body.size
        if context.inlined_size > _MOST_SYNTAX:
            return None
        state, scopes, loops = context.snapshot(), context.scopes, len(context.loops)
        before, after, values = list(context.before), list(context.after), context.values.copy()
        inlined, globals_ = dict(context.inlined), dict(context.inlined_globals)
        try:
            return self._inlined(node, name, body, wanted)
        except UnsupportedError as error:
            context.restore(state)
            del context.loops[loops:]
            context.scopes, context.before, context.after, context.values = scopes, before, after, values
            context.inlined, context.inlined_globals = inlined, globals_
            context.refused[name] = str(error)
            return None

    def place_of_call(self, node: c_ast.FuncCall, wanted: Literal["place", "pointee"]) -> Place:
        """Place of what a call returns, or of what the address that it returns points to."""
        place = self.in_place_of(node, wanted)
        if not isinstance(place, Place):
            name = self.called_name(node)
            reason = self.context.refused.get(name, "")
            raise UnsupportedError(f"memory reached through the result of `{name}`{f' ({reason})' if reason else ''}")
        return place

    def call_span(self) -> Span | None:
        """Where the call stands whose body is being lowered, None outside of any."""
        return self.context.extents.call(0) if self.context.callers else None

    def can_be_inlined(self, node: c_ast.FuncCall) -> bool:
        """Whether a call's result may be reached as memory of the called function."""
        body = self._body(self.called_name(node))
        return body is not None and not body.refusal

    def _body(self, name: str) -> CalledBody | None:
        scope = self.context.file_scope
        if name not in scope.bodies:
            definition = scope.definition(name) if name else None
            scope.bodies[name] = None if definition is None else called_body(definition)
        return scope.bodies[name]

    def _inlined(self, node: c_ast.FuncCall, name: str, body: CalledBody, wanted: Wanted) -> Expression | Place:
        context = self.context
        nodes = list(node.args.exprs) if node.args else []
        if len(nodes) != len(body.parameters) and not (not nodes and _takes_nothing(body)):
            raise UnsupportedError("is called with another number of arguments than it has parameters")
        late = len(context.after)
        arguments = [self._argument(p, a, body) for p, a in zip(body.parameters, nodes, strict=False)]
        span = context.extents.call(context.extents.offset(node.coord)) if node.coord else Span(0, 0)
        has_late_effects = len(context.after) > late
        with self._called(name, body, span):
            context.inlined[name] = None
            for argument in sorted(arguments, key=lambda a: a.place is not None):
                self._bind(argument, body, has_late_effects, span)
            if has_late_effects:
                self._finish_from(late, list(context.hidden))
            begin = len(context.before)
            result = self._result(body, name, wanted)
            self._check_copies(arguments, tuple(context.before[begin:]))
            return result

    def _check_copies(self, arguments: Sequence[_Argument], statements: tuple[Statement, ...]) -> None:
        """A structure by value is read where the caller has it: the body must not change it there."""
        copied = {a.place.array for a in arguments if a.place is not None and a.is_copy}
        written = {s.target.array for s in walk_statements(statements)
                   if isinstance(s, Assign) and isinstance(s.target, Access)}  # fmt: skip
        if not copied.isdisjoint(written):
            raise UnsupportedError("changes what it also gets by value")

    @contextmanager
    def _called(self, name: str, body: CalledBody, span: Span) -> Iterator[None]:
        """The called function's names only, every node at the call."""
        context = self.context
        saved = (context.scopes, context.hidden, context.moving, context.addressed, context.extents, context.callers)
        context.hidden = (*context.hidden, *context.scopes)
        context.scopes = [{}]
        context.moving = body.written | {p.name for p in body.parameters if p.name}
        context.addressed = body.addressed
        context.extents = context.extents if context.callers else CallExtents(span)
        context.callers = (*context.callers, name)
        try:
            yield
        finally:
            (context.scopes, context.hidden, context.moving, context.addressed, context.extents,
             context.callers) = saved  # fmt: skip

    def _result(self, body: CalledBody, name: str, wanted: Wanted) -> Expression | Place:
        ctype = self.types.resolve(body.result)

        def finish(value: c_ast.Node) -> Expression | Place:
            if wanted == "value":
                return _as_type(self.at_once(value), ctype)
            return self._kept(self.place(value) if wanted == "place" else self.pointee(value))

        if body.value is not None:
            return finish(body.value)
        items = list(body.items)
        tail = as_expression(items[-1:]) if items else None
        if tail is not None:
            self.emit_block(items[:-1])
            return finish(tail)
        if _is_void(ctype):
            self.emit_block(with_results_stored(items, _RESULT))
            return Constant(0, INT)
        if wanted == "pointee":
            raise UnsupportedError("returns one of several addresses")
        result = self.context.declare(f"{name}'", ctype, "body")
        self.context.values.known[result.name] = None
        self.context.scopes[-1][_RESULT] = result
        self.emit_block(with_results_stored(items, _RESULT))
        identifier = c_ast.ID(_RESULT)
        return self.place(identifier) if wanted == "place" else self.lower(identifier)

    def at_once(self, node: c_ast.Node) -> Expression:
        """Value of an expression whose late effects (`return n++`) happen before anything else."""
        late = len(self.context.after)
        value = self.lower(node)
        if len(self.context.after) == late:
            return value
        if not self.context.in_nest:
            raise UnsupportedError("a side effect in a call")
        kept = self._temporary("value'", value, None)
        self._finish_from(late, self.context.scopes)
        return kept

    def emit_block(self, items: Sequence[c_ast.Node]) -> None:
        """Statements in the midst of an expression; raises UnsupportedError unless each of them is understood."""
        context = self.context
        before, after = context.before, context.after
        context.before, context.after = [], []
        statements = self.lower_block(items)
        context.before, context.after = [*before, *statements], after
        for statement in walk_statements(tuple(statements)):
            if isinstance(statement, OpaqueStatement):
                raise UnsupportedError(statement.reason)
            if isinstance(statement, Exit) and statement.kind != "break":
                raise UnsupportedError(f"leaves by `{statement.kind}` from inside of a loop")

    # ---- arguments

    def _argument(self, parameter: c_ast.Decl, node: c_ast.Node, body: CalledBody) -> _Argument:
        """What is handed over, in the caller's names."""
        context = self.context
        function = self._function_named(node)
        if function:
            return _Argument(parameter, function=function)
        is_address = isinstance(parameter.type, (c_ast.PtrDecl, c_ast.ArrayDecl))
        ctype = None if is_address else self.types.resolve(parameter.type)
        if is_address or isinstance(ctype, (PointerTo, ArrayOf)):
            if _is_null(node):
                return _Argument(parameter, Constant(0, LONG))
            place = self.argument_place(node)
            base = base_name(node)
            if base and not context.callers and _object(place.array) != context.lookup(base).name:
                context.other_pointers[base] = None
            return _Argument(parameter, place=self._kept(place))
        if isinstance(ctype, StructOf):
            if parameter.name in body.written or parameter.name in body.addressed:
                raise UnsupportedError("changes a structure that it gets by value")
            return _Argument(parameter, place=self._kept(self.place(node)), is_copy=True)
        return _Argument(parameter, self.lower(node))

    def _function_named(self, node: c_ast.Node) -> str:
        while isinstance(node, c_ast.UnaryOp) and node.op == "&":
            node = node.expr
        if not isinstance(node, c_ast.ID):
            return ""
        for scope in reversed(self.context.scopes):
            if node.name in scope:
                return self.context.functions.get(scope[node.name].name, "")
        scope_ = self.context.file_scope
        return node.name if node.name not in scope_.symbols and node.name in scope_.results else ""

    def argument_place(self, node: c_ast.Node) -> Place:
        """What a pointer argument points to; the variable itself for `&x`."""
        target = node
        while isinstance(target, c_ast.Cast):
            target = target.expr
        if isinstance(target, c_ast.UnaryOp) and target.op == "&":
            variable = self.variable(target.expr)
            if variable is not None:
                return Place(
                    f"&{variable.name}", (), variable.type, element_bytes_of(variable.type)[0], variable=variable
                )
        return self.pointee(node)

    def _kept(self, place: Place) -> Place:
        """A place whose subscripts stay what they are now, however often it is used."""
        dimensions = []
        for dimension in place.dimensions:
            subscript = dimension.subscript
            varies = dimension.index is None and any(isinstance(n, ScalarRef) for n in walk(subscript))
            if isinstance(subscript, Unknown):
                subscript = replace(subscript, reads=())
            elif varies or any(loads(subscript)):
                if not self.context.in_nest:
                    raise UnsupportedError("an address that depends on memory")
                kept = self._temporary("subscript'", subscript, dimension.index)
                subscript = kept
            dimensions.append(replace(dimension, subscript=subscript))
        return replace(place, dimensions=tuple(dimensions))

    def _temporary(self, name: str, value: Expression, known: Polynomial | None) -> ScalarRef:
        """A variable of the nest that holds a value from here on."""
        context = self.context
        symbol = context.declare(name, value.type, "body")
        reference = context.scalar(symbol, name)
        context.before.append(Assign(context.new_id(self.call_span()), reference, "", value, declares=True))
        context.values.known[symbol.name] = known
        return reference

    def _bind(self, argument: _Argument, body: CalledBody, has_late_effects: bool, span: Span) -> None:
        context = self.context
        parameter = argument.parameter
        if not parameter.name:
            return
        ctype = self.types.resolve(parameter.type)
        if argument.function or argument.place is not None:
            ctype = PointerTo(ctype.element) if isinstance(ctype, ArrayOf) else ctype
            symbol = context.declare(parameter.name, ctype, "body")
            if argument.place is not None:
                place = argument.place
                target = symbol.type.target if isinstance(symbol.type, PointerTo) else symbol.type
                context.bound.add(symbol.name)
                context.values.pointers[symbol.name] = self.retyped(place, target)
            else:
                context.functions[symbol.name] = argument.function
            return
        value = argument.value
        if value is None:
            return
        value = _as_type(value, ctype)
        symbol = context.declare(parameter.name, ctype, "body")
        is_changed = parameter.name in body.written or parameter.name in body.addressed
        if not is_changed and not has_late_effects and self._can_stand(value, body):
            context.substitutions[symbol.name] = value
            return
        if not context.in_nest:
            raise UnsupportedError("a call whose arguments need variables")
        known = context.values.stored(value, ctype)
        reference = context.scalar(symbol, parameter.name)
        context.before.append(Assign(context.new_id(span), reference, "", value, declares=True))
        context.values.assign(symbol.name, None if parameter.name in body.addressed else known)

    def _can_stand(self, value: Expression, body: CalledBody) -> bool:
        """Whether an argument may be computed where its parameter stands: nothing changes it in between."""
        nodes = list(walk(value))
        if len(nodes) > _LARGEST_COPIED or any(isinstance(n, Call) and not n.is_math for n in nodes):
            return False
        if body.value is not None and not body.written and not holds(body.value, c_ast.FuncCall):
            return True
        for node in nodes:
            if isinstance(node, Load):
                return False
            if isinstance(node, ScalarRef):
                scalar = self.context.scalars.get(node.name)
                pointed = any(p.variable is not None and p.variable.name == node.name
                              for p in self.context.values.pointers.values())  # fmt: skip
                if scalar is None or scalar.scope == "global" or scalar.address_taken or pointed:
                    return False
        return True

    def _finish_from(self, start: int, visible: list[dict[str, Symbol]]) -> None:
        """Emit late effects of a call's arguments or result, whose names are those of the scopes `visible`."""
        earlier, self.context.after = self.context.after[:start], self.context.after[start:]
        scopes, self.context.scopes = self.context.scopes, visible
        self.finish()
        self.context.scopes = scopes
        self.context.after = earlier

    # ---- effects without the body

    def _by_effects(self, node: c_ast.FuncCall, name: str, effects: CallEffects) -> Expression:
        result = self.context.file_scope.results.get(name, INT)
        states = sorted(g for g in effects.globals_written if g not in self.context.file_scope.symbols)
        why = effects.unknown
        if not why and effects.written_deeply:
            why = "writes what pointers in memory lead to"
        if not why and effects.read_deeply:
            why = "reads what pointers in memory lead to"
        if not why and states:
            why = f"keeps `{states[0].partition('.')[2]}` from call to call"
        if why:
            inlining = self.context.refused.get(name, "")
            detail = f" ({inlining})" if inlining and inlining not in why else ""
            values = self._values(node.args.exprs if node.args else ())
            return Call(name, values, result, False, note=f"calls `{name}`, which {_predicate(why)}{detail}")
        return self._with_effects(node, name, effects, result)

    def _with_effects(
        self,
        node: c_ast.FuncCall,
        name: str,
        effects: CallEffects,
        result: CType,
        note: str = "",
        *,
        is_certain: bool = False,
    ) -> Expression:
        """A call with the memory that it may touch: reads beside its arguments, writes as conditional stores."""
        context = self.context
        nodes = list(node.args.exprs) if node.args else []
        if not context.in_nest:
            return Call(name, self._handed(node), result, False, "assumed" if note else "none", note)
        somewhere = Call(name, (), INT, False, "none")
        reads: list[Expression] = []
        writes: list[ScalarRef | Place] = []
        for place, is_read, is_written in self._touched(nodes, effects, somewhere):
            if is_read:
                reads.append(place if isinstance(place, ScalarRef) else Load(self.access(place, node)))
            if is_written:
                writes.append(place)
        call = Call(name, (*self._handed(node), *reads), result, False, "assumed" if note else "none", note)
        if not writes:
            return call
        kept: Expression = Constant(0, INT)
        if not _is_void(result) and isinstance(result, Scalar | PointerTo):
            kept = self._temporary(f"{name}'", call, None)
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
            if isinstance(argument, c_ast.UnaryOp) and argument.op == "&" and self.variable(argument.expr) is not None:
                continue
            value = self.lower(argument)
            values += value.reads if isinstance(value, Unknown) and isinstance(value.type, PointerTo) else (value,)
        return tuple(values)

    def _touched(
        self, nodes: Sequence[c_ast.Node], effects: CallEffects, somewhere: Expression
    ) -> Iterator[tuple[ScalarRef | Place, bool, bool]]:
        """Memory that a call may touch, with whether it may read and may write it."""
        context = self.context
        for number in sorted(effects.read | effects.written):
            if number >= len(nodes) or isinstance(nodes[number], c_ast.Constant) or _is_null(nodes[number]):
                continue
            if not self.is_pointer(nodes[number]):
                continue
            place = self.argument_place(nodes[number])
            reference: ScalarRef | Place
            if place.variable is not None:
                reference = context.scalar(place.variable, place.variable.name)
            else:
                dimensions = tuple(Dimension(somewhere, None, d.extent) for d in place.dimensions)
                reference = replace(place, dimensions=dimensions)
            yield reference, number in effects.read, number in effects.written
        for name in sorted(effects.globals_read | effects.globals_written):
            symbol = context.file_scope.symbols.get(name)
            if symbol is not None and symbol.value is None:
                touched = self._anywhere(symbol, somewhere)
                yield touched, name in effects.globals_read, name in effects.globals_written

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


def _as_type(value: Expression, ctype: CType) -> Expression:
    """A value as a parameter or result of a type holds it."""
    if isinstance(ctype, Scalar) and isinstance(value.type, Scalar) and ctype.kind == value.type.kind == "int":
        if value.type == ctype:
            return value
        if isinstance(value, Constant) and isinstance(value.value, int) and 0 <= value.value < 128:
            return Constant(value.value, ctype)
        return Cast(value, ctype)
    return converted(value, ctype)


def _takes_nothing(body: CalledBody) -> bool:
    return all(not p.name for p in body.parameters)


def _is_void(ctype: CType) -> bool:
    return isinstance(ctype, UnknownType) and ctype.reason == "void"


def _object(array: str) -> str:
    """Variable through which an object is reached: `g` for `g->data` and `a[].m`."""
    return array.removeprefix("&").partition("-")[0].partition(".")[0].partition("[")[0]


def _is_null(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return isinstance(node, c_ast.Constant) and node.value == "0"


def _source_name(node: c_ast.Node) -> str:
    match node:
        case c_ast.ID():
            return str(node.name)
        case c_ast.UnaryOp():
            return _source_name(node.expr)
        case c_ast.StructRef():
            return f"{_source_name(node.name)}{node.type}{node.field.name}"
        case c_ast.ArrayRef():
            return f"{_source_name(node.name)}[]"
        case _:
            return "(*pointer)"


def _predicate(why: str) -> str:
    return why if not why.startswith("`") else f"calls {why}, which {why.partition('` ')[2]}"
