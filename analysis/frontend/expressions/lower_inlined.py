"""The body of a called function in place of its call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from pycparser import c_ast
from warplens.analysis.c.c_types import VOID
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.expressions.call_arguments import Argument, CallArguments, as_type
from warplens.analysis.frontend.forms.called_body import CalledBody, CallExtents, called_body_of
from warplens.analysis.frontend.forms.single_exit import as_expression, with_results_stored
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.ir.expression import Access, Constant, Expression
from warplens.analysis.ir.nest import Assign, Exit, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT
from warplens.analysis.text.span import Span

_DEEPEST_CALL = 6
_MOST_SYNTAX = 6000
"""Syntax nodes of functions that stand in place of calls, in one nest."""

_RESULT = "(result)"

Wanted = Literal["value", "place", "pointee"]


class InlinedCalls(CallArguments):
    """Puts bodies in place of calls; methods raise UnsupportedError."""

    lower_block: Callable[[Sequence[c_ast.Node]], list[Statement]]
    """Statements of a called function's body, in a context that is ready for it."""

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
            raise UnsupportedError(
                f"memory reached through the result of `{c_name(name)}`{f' ({reason})' if reason else ''}"
            )
        return place

    def can_be_inlined(self, node: c_ast.FuncCall) -> bool:
        """Whether a call's result may be reached as memory of the called function."""
        body = self._body(self.called_name(node))
        return body is not None and not body.refusal

    def _body(self, name: str) -> CalledBody | None:
        scope = self.context.file_scope
        if name not in scope.bodies:
            definition = scope.definition(name) if name else None
            scope.bodies[name] = None if definition is None else called_body_of(definition, scope.trees)
        return scope.bodies[name]

    def _inlined(self, node: c_ast.FuncCall, name: str, body: CalledBody, wanted: Wanted) -> Expression | Place:
        context = self.context
        nodes = list(node.args.exprs) if node.args else []
        if len(nodes) != len(body.parameters) and not (not nodes and _takes_nothing(body)):
            raise UnsupportedError("is called with another number of arguments than it has parameters")
        late = len(context.after)
        arguments = [self.argument(p, a, body) for p, a in zip(body.parameters, nodes, strict=False)]
        span = context.extents.call(context.extents.offset(node.coord)) if node.coord else Span(0, 0)
        has_late_effects = len(context.after) > late
        with self._called(name, body, span):
            context.inlined[name] = None
            for argument in sorted(arguments, key=lambda a: a.place is not None):
                self.bind(argument, body, has_late_effects, span)
            if has_late_effects:
                self.finish_from(late, list(context.hidden))
            begin = len(context.before)
            result = self._result(body, name, wanted)
            self._check_copies(arguments, tuple(context.before[begin:]))
            return result

    def _check_copies(self, arguments: Sequence[Argument], statements: tuple[Statement, ...]) -> None:
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
        saved = (context.scopes, context.hidden, context.moving, context.addressed, context.extents, context.callers,
                 context.compared)  # fmt: skip
        context.hidden = (*context.hidden, *context.scopes)
        context.scopes = [{}]
        context.moving = body.written | {p.name for p in body.parameters if p.name}
        context.addressed = body.changeable
        context.compared = body.compared
        context.extents = context.extents if context.callers else CallExtents(span)
        context.callers = (*context.callers, name)
        try:
            yield
        finally:
            (context.scopes, context.hidden, context.moving, context.addressed, context.extents,
             context.callers, context.compared) = saved  # fmt: skip

    def _result(self, body: CalledBody, name: str, wanted: Wanted) -> Expression | Place:
        ctype = self.types.resolve(body.result)

        def finish(value: c_ast.Node) -> Expression | Place:
            if wanted == "value":
                return as_type(self.at_once(value), ctype)
            return self.kept(self.place(value) if wanted == "place" else self.pointee(value))

        if body.value is not None:
            return finish(body.value)
        items = list(body.items)
        tail = as_expression(items[-1:]) if items else None
        if tail is not None:
            self.emit_block(items[:-1])
            return finish(tail)
        if ctype == VOID:
            self.emit_block(with_results_stored(items, _RESULT))
            return Constant(0, INT)
        if wanted == "pointee":
            raise UnsupportedError("returns one of several addresses")
        result = self.context.declare(added(name), ctype, "body")
        self.context.values.known[result.name] = None
        self.context.scopes[-1][_RESULT] = result
        self.emit_block(with_results_stored(items, _RESULT))
        identifier = c_ast.ID(_RESULT)
        return self.place(identifier) if wanted == "place" else self.lower(identifier)

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


def _takes_nothing(body: CalledBody) -> bool:
    return all(not p.name for p in body.parameters)
