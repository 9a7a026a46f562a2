"""Loops of any spelling: the iterator, its bounds, and closed forms for what else the loop moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.frontend.closed_form import expression_of
from warplens.analysis.frontend.context import Context
from warplens.analysis.frontend.loop_form import LoopForm, initialised, loop_form
from warplens.analysis.frontend.loop_limits import Comparison, Limits, limits_of
from warplens.analysis.frontend.lower_motion import Motion, Value
from warplens.analysis.frontend.movements import step_of
from warplens.analysis.frontend.places import Place, UnsupportedError
from warplens.analysis.frontend.uncounted import why_uncounted
from warplens.analysis.frontend.values import divided, minimum_or_maximum
from warplens.analysis.ir.expression import Binary, Expression, ScalarRef, Unknown
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Induction, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, LONG, CType, Scalar

DEEPEST_NEST = 64


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the iterator starts, None when unknown; `also` must hold too where the start is the larger of two.

    `is_read` says that the start is the value of the one read.
    """

    value: Polynomial | None
    reads: tuple[Expression, ...] = ()
    also: tuple[str, Polynomial] | None = None
    is_read: bool = False


class Loops(Motion):
    """Lowers loops; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._nest: c_ast.Node | None = None
        """The outermost loop."""

    def loop(self, node: c_ast.Node, pragmas: Sequence[str]) -> tuple[list[Statement], Loop, list[Statement]]:
        """Statements before the loop, the loop, and those after it; raises UnsupportedError when it does not count."""
        values = self.context.values
        if not self.context.loops:
            self._nest = node
        if len(self.context.loops) >= DEEPEST_NEST:
            raise UnsupportedError(f"more than {DEEPEST_NEST} loops in each other")
        form = loop_form(node)
        closed, kept = values.closed, values.kept
        with self.scope():
            try:
                return self._lowered(node, form, pragmas)
            finally:
                values.closed, values.kept = closed, kept

    def _lowered(
        self, node: c_ast.Node, form: LoopForm, pragmas: Sequence[str]
    ) -> tuple[list[Statement], Loop, list[Statement]]:
        context, values = self.context, self.context.values
        is_root, outer = not context.loops, (values.closed, set(values.iterators))
        written = self.writes(c_ast.Compound([*form.tests, *form.body, *form.after])).scalars
        if form.test_step is not None:
            written |= {form.test_step.expr.name}
        totals = self.totals(form, written)
        pick = self._pick(form, totals)
        if pick in totals and not totals[pick].terms:
            raise UnsupportedError(f"the step of `{pick}` is zero")
        state = context.snapshot()
        is_native = pick in totals and totals[pick].is_constant
        before, start_node, declaration = self._initialise(form, pick if is_native else "")
        if is_root:  # before the nest, not in it: the root loop is node 0
            before = []
            context.restore(state)
        identity = self._open(node)
        names = frozenset(map(self.unique, written))
        entries = {n: e for n in totals if self.is_declared(n) and (e := self.entry(n, names, is_root)) is not None}
        if form.test_step is not None and form.is_tested_first and form.test_step.expr.name in entries:
            stepped = form.test_step.expr.name
            entries[stepped] = self._shifted(entries[stepped], _unit(form.test_step))
        is_native = is_native and self._is_native(pick, declaration, entries)
        start = _Start(Polynomial(()))
        if is_native:
            start = self._start(form, pick, start_node, entries, names, totals[pick])
            uneven = is_root and any(divided(totals[n], totals[pick]) is None for n in entries if n != pick)
            is_affine = start.value is None or start.value.is_affine_in(values.iterators)
            is_native = start.value is None or start.also is not None or (is_affine and not uneven)
        if not is_native and start_node is not None and start.value is not None:
            # what is in a tile of symbolic size counts from its corner
            entries[pick] = start.value
            if declaration is not None:
                context.declare(pick, self._type_of(pick, declaration), "body")
                declaration = None
        if is_native:
            iterator, ctype = self._native(pick, declaration)
            step = totals[pick].constant_term
            entries.pop(pick, None)
        else:
            start = _Start(Polynomial(()))
            symbol = context.declare(f"{pick or form.keyword}'n", LONG, "body")
            iterator, ctype = context.scalar(symbol, pick).name, LONG
            step = totals[pick].constant_term if pick in totals and totals[pick].is_constant else 1
            step = 1 if any(divided(totals[n], Polynomial.constant(step)) is None for n in entries) else step
        self.forget(written)
        values.iterators.add(iterator)
        values.known[iterator] = Polynomial.symbol(iterator)
        count = None if start.value is None else Polynomial.symbol(iterator) - start.value
        forms = self.closed_forms(entries, totals, count, step)
        for name in written:
            if self.unique(name) in outer[0] and name not in forms:
                raise UnsupportedError(f"`{name}` moves by an amount that is not known")
        self.enter(forms, iterator if is_native else "")
        limits = limits_of(self._tests(form), iterator, step, values)
        self._at_least_once(form, limits, start.value, step)
        reasons = self._reasons(form, limits, start, pick, is_native, frozenset(totals))
        if is_root and not limits.limits and not self._is_followed(form, pick):
            raise UnsupportedError("; ".join(reasons))
        trips = self.trips(limits, start.value, step, node)
        after = {n: v for n in forms if (v := self.after(entries[n], totals[n], trips)) is not None}
        seen = [n for n in forms if n not in context.scopes[-1] and not self._is_only_in(node, n)]
        values.kept = frozenset(self.unique(n) for n in seen if n not in after and not is_root) - outer[0]
        body = self._body(form, start.also, iterator)
        context.loops.pop()
        self.forget(written)
        values.iterators = outer[1]
        values.known[iterator] = None
        late = [] if is_root else self._last_values(node, after, outer[0])
        known = {self.unique(name) for name in after}
        before = [one for one in before if not isinstance(one, Assign) or getattr(one.target, "name", "") not in known]
        self.leave(after, outer[0])
        if trips is not None and not trips.is_constant and forms and not is_root:
            limits.assumptions.append(f"`{trips}`, how often a loop runs, is taken to be at least 0")
        context.inexact.update(dict.fromkeys(limits.assumptions))
        loop = Loop(
            identity, iterator, ctype, start.value, tuple(limits.limits), step, tuple(body), limits.exact_end,
            declaration is not None or not is_native, (*start.reads, *limits.reads), "; ".join(reasons), tuple(pragmas),
            self._inductions(form, pick if is_native else "", totals, frozenset(forms)),
        )  # fmt: skip
        if start.is_read + len(limits.limit_reads) == len(start.reads) + len(limits.reads):
            start_read = start.reads[0] if start.is_read else None
            loop = replace(loop, start_read=start_read, limit_reads=tuple(limits.limit_reads))
        return before, loop, late

    def _last_values(self, node: c_ast.Node, after: dict[str, Value], closed: frozenset[str]) -> list[Statement]:
        """`k = closed form` for variables that what follows reads as such."""
        context = self.context
        found: list[Statement] = []
        for name, value in after.items():
            symbol = context.lookup(name)
            is_seen = symbol.name not in closed and name not in context.scopes[-1] and not self._is_only_in(node, name)
            if isinstance(value, Polynomial) and is_seen:
                last = expression_of(context, value, symbol.type)
                found.append(Assign(context.new_id(self.span(node)), context.scalar(symbol, name), "", last))
        return found

    def _is_only_in(self, node: c_ast.Node, name: str) -> bool:
        """Whether nothing in the nest but this loop, which sets the name first, says it."""
        if not isinstance(node, c_ast.For) or name not in {
            initialised(part)[0] for part in loop_form(node).initialisers
        }:
            return False
        stack, is_met = [self._nest], False
        while stack:
            item = stack.pop()
            if item is node:
                is_met = True
            elif isinstance(item, c_ast.ID) and item.name == name:
                return False
            elif item is not None:
                stack.extend(item)
        return is_met

    # ---- the header

    def _open(self, node: c_ast.Node) -> NodeId:
        context = self.context
        identity = context.new_id()
        keyword = context.extents.offset(node.coord)
        context.headers[identity] = context.extents.header(keyword)
        context.wholes[identity] = context.extents.whole(keyword)
        context.loops.append(identity)
        return identity

    def _pick(self, form: LoopForm, totals: dict[str, Polynomial]) -> str:
        """The variable that the loop counts with: one that its tests compare, best one that its header steps."""
        if form.test_step is not None and form.test_step.expr.name in totals:
            return str(form.test_step.expr.name)
        compared = _names(form.tests)
        stepped = {step.name for step in map(step_of, form.after) if step is not None}
        starts = {initialised(part)[0] for part in form.initialisers}
        ranked = sorted(
            (name for name in totals if name in compared or name in stepped),
            key=lambda n: (n not in compared, n not in stepped, n not in starts),
        )
        if ranked:
            return ranked[0]
        for part in form.after:
            target = getattr(part, "lvalue", None) or getattr(part, "expr", None)
            if isinstance(target, c_ast.ID):
                return str(target.name)
        return ""

    def _initialise(self, form: LoopForm, pick: str) -> tuple[list[Statement], c_ast.Node | None, c_ast.Decl | None]:
        """Initialisations but that of the iterator, whose value and declaration come back as syntax."""
        before: list[Statement] = []
        start: c_ast.Node | None = None
        declaration: c_ast.Decl | None = None
        for part in form.initialisers:
            name, value = initialised(part)
            is_decl = isinstance(part, c_ast.Decl)
            if name and name == pick and start is None and _is_integer(self._type_of(name, part if is_decl else None)):
                start, declaration = value, part if is_decl else None
            else:
                before += self.declaration(part) if is_decl else self.expression_statement(part)
        return before, start, declaration

    def _is_native(self, pick: str, declaration: c_ast.Decl | None, entries: dict[str, Value]) -> bool:
        """Whether the source's own variable can be the iterator: not where it starts from its own value."""
        if not _is_integer(self._type_of(pick, declaration)):
            return False
        entry = entries.get(pick)
        if declaration is not None or not isinstance(entry, Polynomial):
            return True
        return self.unique(pick) not in entry.symbols

    def _is_followed(self, form: LoopForm, pick: str) -> bool:
        """Whether an outermost loop without known limits is still worth a nest: `for` loops over an integer are."""
        if form.keyword != "for" or not pick or pick in self.context.addressed:
            return False
        return _is_integer(self._type_of(pick, None))

    def _native(self, pick: str, declaration: c_ast.Decl | None) -> tuple[str, CType]:
        ctype = self._type_of(pick, declaration)
        if declaration is not None:
            self.context.declare_iterator(pick, ctype)
        symbol = self.context.lookup(pick)
        return self.context.scalar(symbol, pick).name, ctype

    def _start(
        self,
        form: LoopForm,
        pick: str,
        node: c_ast.Node | None,
        entries: dict[str, Value],
        written: frozenset[str],
        step: Polynomial,
    ) -> _Start:
        if node is None:
            entry = entries.get(pick)
            if isinstance(entry, Polynomial):
                return _Start(entry)
            return _Start(None, (self.context.scalar(self.context.lookup(pick), pick),))
        values = self.context.values
        expression = self.pure(node)
        value = values.settled(expression)
        shift = _unit(form.test_step) if form.test_step is not None and form.is_tested_first else Polynomial(())
        if form.test_step is not None and form.test_step.expr.name != pick:
            shift = Polynomial(())
        if value is not None:
            return _Start(value + shift if value.symbols.isdisjoint(written) else None)
        pair = minimum_or_maximum(expression)
        wanted = {1: "max", -1: "min"}.get(step.constant_term)
        if pair is not None and pair[0] == wanted and not shift.terms:
            sides = [side for side in map(values.settled, pair[1:]) if side is not None]
            if len(sides) == 2 and all(side.symbols.isdisjoint(written) for side in sides):
                moving, other = sorted(sides, key=values.is_parameter)
                return _Start(moving, (), (">=" if wanted == "max" else "<=", other))
        return _Start(None, (expression,), is_read=not shift.terms)

    def _tests(self, form: LoopForm) -> list[Comparison]:
        """The loop's tests with what they see: `i++ < n` sees the value before the step that the body sees."""
        found: list[Comparison] = []
        for number, test in enumerate(form.tests):
            undone = number == 0 and form.test_step is not None and not form.steps_before_test
            if undone and form.test_step is not None:
                self._move(form.test_step.expr.name, -_unit(form.test_step))
            found += self.compared(test)
            if undone and form.test_step is not None:
                self._move(form.test_step.expr.name, _unit(form.test_step))
        return found

    def _move(self, source_name: str, amount: Polynomial) -> None:
        values = self.context.values
        name = self.unique(source_name)
        place, known = values.pointers.get(name), values.known.get(name)
        if name in values.closed and place is not None:
            moved = self._shifted(place, amount)
            if isinstance(moved, Place):
                values.pointers[name] = moved
        elif known is not None:
            values.known[name] = known + amount

    def _at_least_once(self, form: LoopForm, limits: Limits, first: Polynomial | None, step: int) -> None:
        """A loop that tests after its body runs once even where its limits say never."""
        if form.is_tested_first:
            return
        sign = 1 if step > 0 else -1
        once = [
            None if first is None else self.context.values.at_least(limit * sign, (first + sign) * sign)
            for limit in limits.limits
        ]
        if all(limit is not None for limit in once):
            limits.limits[:] = [limit * sign for limit in once if limit is not None]
            return
        limits.limits.clear()
        limits.reads.append(Unknown("the limit of a `do` loop that runs at least once", (), INT))
        limits.reasons.append("it runs at least once, whatever its limit is")

    def _reasons(
        self, form: LoopForm, limits: Limits, start: _Start, pick: str, is_native: bool, moved: frozenset[str]
    ) -> list[str]:
        reasons = list(dict.fromkeys(limits.reasons))
        if not limits.limits and (not is_native or form.keyword != "for"):
            reasons = [why_uncounted(form, pick, moved, reasons)]
            if pick in self.context.addressed:
                reasons = [f"the address of `{pick}` is taken"]
            elif pick and pick not in moved and not _is_integer(self._type_of(pick, None)):
                reasons += [f"the iterator `{pick}` is no integer"]
        if start.value is None:
            reasons.append("the start is not a polynomial in iterators and constants")
        if start.also is not None:
            reasons.append(f"the start is not before `{start.also[1]}`")
        return reasons

    # ---- the body

    def _body(self, form: LoopForm, also: tuple[str, Polynomial] | None, iterator: str) -> list[Statement]:
        context = self.context
        condition: Expression | None = None
        identity = NodeId(0)
        if also is not None:
            reference = ScalarRef(iterator, context.scalars[iterator].type)
            bound = expression_of(context, also[1], LONG)
            condition = Binary(">=" if also[0] == ">=" else "<=", reference, bound, INT)
            identity = context.new_id(context.headers[context.loops[-1]])
        at_end, self.at_end = self.at_end, True
        with self.scope():
            body = self.block(form.body)
        self.at_end = at_end
        for part in form.after:
            body += self.expression_statement(part)
        return body if condition is None else [If(identity, condition, tuple(body))]

    def _inductions(
        self, form: LoopForm, pick: str, totals: dict[str, Polynomial], closed: frozenset[str]
    ) -> tuple[Induction, ...]:
        """Variables that the source moves along, the iterator too where a header of `for` does not step it."""
        steps = [step.name for part in form.after if (step := step_of(part)) is not None]
        in_header = form.keyword == "for" and pick in steps and form.test_step is None
        moved = [name for name in totals if name in closed or (name == pick and not in_header)]
        return tuple(Induction(self.unique(name), str(totals[name])) for name in moved)

    def _type_of(self, name: str, declaration: c_ast.Decl | None) -> CType:
        if declaration is not None:
            return self.expressions.types.resolve(declaration.type)
        return self.context.lookup(name).type


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int"


def _unit(step: c_ast.UnaryOp) -> Polynomial:
    return Polynomial.constant(1 if "+" in step.op else -1)


def _names(nodes: Sequence[c_ast.Node]) -> frozenset[str]:
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.ID):
            found.add(item.name)
        stack.extend(item)
    return frozenset(found)
