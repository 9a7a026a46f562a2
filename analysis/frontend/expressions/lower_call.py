"""Calls: the body of a function of the file in place of its call, its effects where that can't be, or just its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.c.arithmetic import converted
from warplens.analysis.c.c_library import NOTHING, LibraryCall, library_call
from warplens.analysis.c.linear_algebra import TAKEN, assumed_of
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.c.print_calls import printed_memory, with_choices_apart
from warplens.analysis.c.purity import is_taken_for_pure
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.declarations.unparsed_statements import UNREADABLE
from warplens.analysis.frontend.effects.call_effects import CallEffects
from warplens.analysis.frontend.expressions.block_fill import block_fill
from warplens.analysis.frontend.expressions.lower_called_effects import CallsByEffects
from warplens.analysis.frontend.expressions.lower_inlined import InlinedCalls
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.ir.expression import Call, Constant, Expression
from warplens.analysis.ir.nest import Evaluate
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, CType, PointerTo, Scalar, StructOf
from warplens.analysis.ir.undeclared import Undeclared

_ASSUMED = (
    "`{}` is assumed to have no side effects: its body is not in this file, it returns a value and gets nothing it "
    "could write through; of a struct it is assumed to read no more than the one it gets."
)


class Calls(InlinedCalls, CallsByEffects):
    """Lowers calls; methods raise UnsupportedError."""

    def call(self, node: c_ast.FuncCall) -> Expression:
        """Value of a call."""
        name = self.called_name(node)
        if name == "asm":
            raise UnsupportedError("inline assembly")
        if name == UNREADABLE:
            raise UnsupportedError("a statement that was not understood")
        if name.startswith(TAKEN):
            return self._taken(name.removeprefix(TAKEN))
        arguments = list(node.args.exprs) if node.args else []
        if name:
            seen = self.context.file_scope.effects.of(name)
            if seen is not None and seen.ends and not seen.jumps:
                return _ending(name, self.context.file_scope.results.get(name, INT))
            inlined = self.in_place_of(node, "value")
            if inlined is not None and not isinstance(inlined, Place):
                return inlined
            effects = self.context.file_scope.effects.of(name)
            is_other = effects is not None and name in effects.taken and not self._fits(name, arguments)
            if effects is not None and not is_other:
                if self.context.in_nest:
                    taken = [self._taken(routine) for routine in sorted(effects.taken)]
                    taken += [_ending(function, NOTHING) for function in sorted(effects.ending)]
                    self.context.before += [Evaluate(self.context.new_id(self.call_span()), one) for one in taken]
                return self.by_effects(node, name, effects)
        return self._unseen(node, name, arguments)

    def _taken(self, routine: str) -> Call:
        """What says that a function is taken for a routine of a library: its code stays elsewhere."""
        return Call(routine, (), INT, False, "assumed", assumed_of(routine))

    def _fits(self, name: str, arguments: Sequence[c_ast.Node]) -> bool:
        """Whether a call has as many arguments as the routine that the function is taken for."""
        body = self._body(name)
        return body is not None and len(body.parameters) == len(arguments)

    def _unseen(self, node: c_ast.FuncCall, name: str, arguments: Sequence[c_ast.Node]) -> Expression:
        """A call of a function whose body is not in sight."""
        scope = self.context.file_scope
        if not name:
            pointer = _source_name(node.name)
            note = f"calls a function through the pointer `{pointer}`"
            return self.unseen(node, pointer, INT, note)
        is_own = name in scope.own_functions or scope.definition(name) is not None
        math = None if is_own else math_function(name)
        if math is not None:
            plain, ctype = math
            values = self.values(() if plain.startswith("nan") else arguments)  # its text says which bits, no more
            if isinstance(ctype, Scalar) and ctype.kind == "float":
                values = tuple(converted(value, ctype) for value in values)
            return Call(plain, values, ctype, is_math=True)
        if name == "qsort" and not is_own and len(arguments) == 4:
            return self._sorted(node, arguments[3])
        known = None if is_own else library_call(name)
        if known is not None:
            return self._library(node, name, known, arguments)
        result = scope.results.get(name, INT)
        if name in scope.purity:
            reads = frozenset(range(len(arguments))) if scope.purity[name] == "pure" else frozenset[int]()
            return self.with_effects(node, name, CallEffects(read=reads, spares_volatile=True), result)
        if name in scope.prototypes:
            types = self.parameter_types(name)
            if is_taken_for_pure(name, result, types):
                reads = frozenset(n for n, ctype in enumerate(types) if isinstance(ctype, PointerTo))
                one = frozenset(n for n in reads if _points_to_struct(types[n]))
                effects = CallEffects(read=reads, first_only=one, spares_volatile=True)
                return self.with_effects(node, name, effects, result, _ASSUMED.format(c_name(name)), known="assumed")
        note = f"calls `{c_name(name)}`, whose effects are unknown"
        if name in scope.results:
            note = f"calls `{c_name(name)}`, whose body is not in this file"
        why = scope.effects.why_unseen(name)
        if why:
            note = f"calls `{c_name(name)}`, which {why}"
        elif not (is_own or name in scope.results or name in scope.symbols or self._is_local(name)):
            self.context.undeclared[Undeclared(name, "function")] = None
        return self.unseen(node, name, result, note)

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope in self.context.scopes)

    def _library(
        self, node: c_ast.FuncCall, name: str, known: LibraryCall, arguments: Sequence[c_ast.Node]
    ) -> Expression:
        if known.ends:
            return _ending(name, known.result)
        if known.jumps:
            return Call(name, (), known.result, False, "leaves", f"`{name}` {known.unknown}")
        if known.locks:
            note = f"`{name}` keeps threads apart: what it guards is judged in the order of one thread."
            return Call(name, (), known.result, False, "assumed", note)
        if known.unknown:
            note = f"`{name}` {known.unknown}"
            printing = self._printing(node, name, known.result, note)
            return printing or Call(name, self.values(arguments), known.result, False, note=note)
        if self.context.in_nest:
            filled = block_fill(self, node, name)
            if filled is not None:
                self.context.before.append(filled)
                return Constant(0, INT)
        written = [n for n in range(len(arguments)) if n in known.writes or 0 <= known.writes_from <= n]
        effects = CallEffects(frozenset(written), frozenset(known.reads))
        is_certain = known.writes_from < 0  # `frexp` always sets its result, `sscanf` may not
        return self.with_effects(node, name, effects, known.result, is_certain=is_certain)

    def _sorted(self, node: c_ast.FuncCall, comparison: c_ast.Node) -> Expression:
        """`qsort`, which reads and writes its array, and calls a function that should do no more than compare.

        Source: ISO C17 7.22.5.2.
        """
        name = self.function_name(comparison)
        effects = self.context.file_scope.effects.of(name) if name else None
        if effects is None:
            note = "`qsort` calls a function that it is given"
            return self.unseen(node, name or _source_name(comparison), NOTHING, note)
        if effects.unknown or effects.written_deeply or effects.read_deeply:
            note = f"`qsort` calls `{c_name(name)}`, whose effects are unknown"
            return Call("qsort", self.values(node.args.exprs[:3]), NOTHING, False, note=note)
        touched = replace(effects, written=frozenset({0}), read=frozenset({0}))
        note = (
            f"`qsort` calls `{c_name(name)}`, which prints: its output would come in another order"
            if effects.prints
            else ""
        )
        return self.with_effects(node, "qsort", touched, NOTHING, note, known="prints" if effects.prints else "none")

    def _printing(self, node: c_ast.FuncCall, name: str, result: CType, note: str) -> Expression | None:
        """A call that only prints, with the memory that it prints; None where that is not known."""
        arguments = list(node.args.exprs) if node.args else []
        printed = printed_memory(name, arguments)
        if printed is None:
            return None
        parts, strings = with_choices_apart(arguments, printed)
        read = frozenset(number for number in strings if not self._gives_memory(parts[number]))
        call = c_ast.FuncCall(node.name, c_ast.ExprList(list(parts), node.coord), node.coord)
        state, before = self.context.snapshot(), list(self.context.before)
        try:
            return self.with_effects(call, name, CallEffects(read=read), result, note, known="prints")
        except UnsupportedError:
            self.context.restore(state)
            self.context.before = before
            return None

    def _gives_memory(self, node: c_ast.Node) -> bool:
        """Whether it is a call of a function that is not in sight: who vouches for that vouches for what it gives."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if not isinstance(node, c_ast.FuncCall):
            return False
        name = self.called_name(node)
        is_seen = name and (self.context.file_scope.effects.of(name) is not None or library_call(name) is not None)
        return not is_seen


def _ending(name: str, result: CType) -> Call:
    """A call of a function that never comes back."""
    known = library_call(name)
    name = c_name(name)
    why = "it never returns" if known is None else "it would end the program in the loop"
    return Call(name, (), result, False, "ends", f"`{name}` is assumed not to be called: {why}.")


def _points_to_struct(ctype: CType) -> bool:
    return isinstance(ctype, PointerTo) and isinstance(ctype.target, StructOf)


def _source_name(node: c_ast.Node) -> str:
    match node:
        case c_ast.ID():
            return str(node.name)
        case c_ast.UnaryOp():
            return _source_name(node.expr)
        case c_ast.StructRef():
            owner = node.name.left if isinstance(node.name, c_ast.BinaryOp) else node.name
            return f"{_source_name(owner)}{node.type}{node.field.name}"
        case c_ast.ArrayRef():
            return f"{_source_name(node.name)}[]"
        case _:
            return "(*pointer)"
