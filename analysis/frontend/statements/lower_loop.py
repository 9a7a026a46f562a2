"""Loops of any spelling: the iterator, its bounds, and closed forms for what else the loop moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pycparser import c_ast
from pycparser.c_generator import CGenerator
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import Writes, base_name
from warplens.analysis.frontend.forms.loop_form import LoopForm, initialised, loop_form, with_tests_in_body
from warplens.analysis.frontend.forms.movements import is_only_counted, movements, step_of
from warplens.analysis.frontend.scopes.directive_regions import Region, pragma_text
from warplens.analysis.frontend.statements.lower_header import Start, unit
from warplens.analysis.frontend.statements.lower_motion import Value
from warplens.analysis.frontend.statements.lower_progress import Progresses
from warplens.analysis.frontend.statements.owned_through_loops import owned_through
from warplens.analysis.frontend.statements.walking_pointers import Walks
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.frontend.syntax.syntax_trees import names_in
from warplens.analysis.frontend.values.closed_form import expression_of
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.frontend.values.loop_limits import Limits
from warplens.analysis.frontend.values.partial_sums import counted
from warplens.analysis.ir.bound_reason import reasons_text
from warplens.analysis.ir.expression import Binary, Conditional, Expression, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Induction, Loop, Progress, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import INT, LONG, PointerTo

DEEPEST_NEST = 64


class Loops(Walks, Progresses):
    """Lowers loops; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._nest: c_ast.Node | None = None
        """The outermost loop."""

    def loop(self, node: c_ast.Node, pragmas: Sequence[c_ast.Node]) -> tuple[list[Statement], Loop, list[Statement]]:
        """Statements before the loop, the loop, and those after it; raises UnsupportedError when it does not count."""
        values = self.context.values
        if not self.context.loops:
            self._nest = node
        if len(self.context.loops) >= DEEPEST_NEST:
            raise UnsupportedError(f"more than {DEEPEST_NEST} loops in each other")
        form = self._counted_by_its_tests(loop_form(node))
        closed, kept, depth = values.closed, values.kept, len(self.around)
        walking = dict(self.context.walking), dict(self.context.kept_walks)
        here = self.context.regions_of(pragmas)
        with self.context.under(here), self.scope():
            try:
                return self._lowered(node, form, pragmas, here)
            finally:
                values.closed, values.kept = closed, kept
                self.context.walking, self.context.kept_walks = walking
                del self.around[depth:]

    def _counted_by_its_tests(self, form: LoopForm) -> LoopForm:
        """The loop with tests that say nothing of how often it runs in its body: `if (!c) break;`, as others write it.

        Those are tests of nothing but what the body computes, beside one of a variable that each iteration moves.
        """
        if len(form.tests) < 2:
            return form
        written = self.writes(c_ast.Compound([*form.body])).scalars
        moved = movements(form).keys() | ({form.test_step.expr.name} if form.test_step is not None else set())
        names = [names_in((test,)) for test in form.tests]
        computed = [t for t, used in zip(form.tests, names, strict=True) if used & written and not used & moved]
        counting = tuple(t for t, used in zip(form.tests, names, strict=True) if used & moved)
        return form if not counting else with_tests_in_body(form, computed)

    def _lowered(
        self, node: c_ast.Node, form: LoopForm, pragmas: Sequence[c_ast.Node], here: Sequence[Region]
    ) -> tuple[list[Statement], Loop, list[Statement]]:
        context, values = self.context, self.context.values
        is_root, outer = not context.loops, (values.closed, set(values.iterators))
        depth = len(self.around)
        writes = self.writes(c_ast.Compound([*form.tests, *form.body, *form.after]))
        written = writes.scalars
        if form.test_step is not None:
            written |= {form.test_step.expr.name}
        totals = self.totals(form, written, context.addressed | writes.addressed)
        pick = self.pick(form, totals)
        if pick in totals and not totals[pick].terms:
            raise UnsupportedError(f"the step of `{pick}` is zero")
        state = context.snapshot()
        is_native = is_even = pick in totals and totals[pick].is_constant
        before, start_node, declaration = self.initialise(form, pick if is_native else "")
        if is_root:  # before the nest, not in it: the root loop is node 0
            before = []
            context.restore(state)
        even = (pick, totals[pick].constant_term) if is_even else None
        progress = self.progress(form, written, context.addressed | writes.addressed, even)
        walks = [] if is_root else self.walks(node, form, totals, written, context.addressed | writes.addressed)
        identity = self._open(node)
        directive = None
        if isinstance(node, c_ast.For):
            directive = context.loop_directive(identity, here, lambda said: self._as_clause_says(said, (*totals, pick)))
        behind = self._behind_pointers(writes, frozenset(map(self.unique, totals)) | values.closed)
        names = frozenset(map(self.unique, written)) | behind
        values_before = ((n, self.entry(n, names, is_root, n == pick)) for n in totals if self.is_declared(n))
        entries = {name: entry for name, entry in values_before if entry is not None}
        uncounted = self.also_moved(form, (*totals, pick), context.addressed | writes.addressed)
        others = {n: e for n in uncounted if (e := self.entry(n, names, is_root)) is not None}
        if form.test_step is not None and form.is_tested_first and form.test_step.expr.name in entries:
            stepped = form.test_step.expr.name
            entries[stepped] = self.shifted(entries[stepped], unit(form.test_step))
        begin = entries.get(pick) if start_node is None else self.first_value(form, pick, start_node)
        is_native = is_native and self.is_native(pick, declaration, begin)
        start = Start(begin if isinstance(begin, Polynomial) else None)
        if is_native:
            start = self.start(form, pick, start_node, entries, names, totals[pick])
            followed = [n for n in entries if n != pick and (is_root or self.unique(n) in outer[0])]
            uneven = any(totals[n].exact_div(totals[pick]) is None for n in followed)
            is_affine = start.value is None or start.value.is_affine_in(values.iterators)
            is_native = start.value is None or start.also is not None or (is_affine and not uneven)
        if not is_native and start_node is not None and start.value is not None:
            # what is in a tile of symbolic size counts from its corner
            entries[pick] = start.value
            if declaration is not None:
                context.declare(pick, self.type_of(pick, declaration), "body")
                declaration = None
        if is_native:
            iterator, ctype = self.native(pick, declaration)
            step = totals[pick].constant_term
            entries.pop(pick, None)
        else:
            start = Start(Polynomial(()))
            symbol = context.declare(added(pick or form.keyword, "n"), LONG, "body")
            iterator, ctype = context.scalar(symbol, pick).name, LONG
            step = totals[pick].constant_term if pick in totals and totals[pick].is_constant else 1
            step = 1 if any(totals[n].exact_div(step) is None for n in entries) else step
        given = self._given_before(node, written)
        held = self._set_before(written)
        self._forget_all_but(written, given, held)
        values.forget(behind)
        values.iterators.add(iterator)
        values.known[iterator] = Polynomial.symbol(iterator)
        count = None if start.value is None else Polynomial.symbol(iterator) - start.value
        forms = self.closed_forms(entries, totals, count, step)
        self.enter(forms, iterator if is_native else "")
        before += self.start_walks([w for w in walks if w.name not in others and w.name not in forms], (), ())
        first = start.value if is_native else entries.get(pick)
        limits = self.limits(form, pick, iterator, (step, totals.get(pick)), first)
        self.refuse_waiting(form, limits)
        self.at_least_once(form, limits, start.value, step)
        reasons = self.reasons(form, limits, start, pick, is_native, frozenset(totals))
        if is_root and not limits.limits and not self.is_followed(form, pick):
            raise UnsupportedError(reasons_text(reasons))
        trips = self.trips(limits, start.value, step, node)
        after = {n: v for n in forms if (v := self.after(entries[n], totals[n], trips)) is not None}
        moved = {name: str(total) for name, total in totals.items()}
        if start.value is not None:
            own = counted(iterator, start.value, step, trips, limits.limits)
            grown = self.grown(form, others, written, own)
            forms |= grown.forms
            after |= grown.after
            moved |= grown.steps
            self.around.append(own)
        for name in written:
            if self.unique(name) in outer[0] and name not in forms:
                raise UnsupportedError(f"`{name}` moves by an amount that is not known")
        before += self.start_walks([w for w in walks if w.name in others or w.name in forms], forms, after)
        seen = [n for n in forms if n not in context.scopes[-1] and not self._is_only_in(node, n)]
        values.kept = frozenset(self.unique(n) for n in seen if n not in after and not is_root) - outer[0]
        body = self._body(form, start.also, iterator)
        context.loops.pop()
        self._forget_all_but(written, given, held)
        values.forget(behind)
        values.iterators = outer[1]
        values.known[iterator] = None
        late = [] if is_root else self._last_values(node, after, outer[0])
        known = {self.unique(name) for name in after}
        before = [one for one in before if not isinstance(one, Assign) or getattr(one.target, "name", "") not in known]
        self.leave(after, outer[0])
        is_seen_behind = is_native and declaration is None and not is_root
        late += self._counter_behind(node, iterator if is_seen_behind else "", start, step, trips)
        late += self.end_walks(node, walks, forms, after)
        del self.around[depth:]
        if trips is not None and forms and not is_root and not self.is_nonnegative(trips):
            limits.assumptions.append(f"`{trips}`, how often a loop runs, is assumed to be at least 0")
        context.inexact.update(dict.fromkeys(limits.assumptions))
        loop = Loop(
            identity, iterator, ctype, start.value, tuple(limits.limits), step, tuple(body), limits.exact_end,
            declaration is not None or not is_native, (*start.reads, *limits.reads), tuple(reasons),
            tuple(map(pragma_text, pragmas)),
            self._inductions(form, pick if is_native else "", moved, frozenset(forms)), directive=directive,
        )  # fmt: skip
        return before, self._with_calls(_with_reads(loop, start, limits, progress), form), late

    def _with_calls(self, loop: Loop, form: LoopForm) -> Loop:
        """The loop with how the source calls functions once in its tests; in place of a call it speaks of others."""
        if not loop.limit_reads or self.context.callers:
            return loop
        calls = [call for test in form.tests for call in nodes_of_kinds(test, (c_ast.FuncCall,))]
        names = [call.name.name if isinstance(call.name, c_ast.ID) else "" for call in calls]
        said = ((n, call) for n, call in zip(names, calls, strict=True) if n and names.count(n) == 1)
        return replace(loop, said_calls=tuple((name, CGenerator().visit(call)) for name, call in said))

    def _as_clause_says(self, node: c_ast.Node, started: Sequence[str]) -> Polynomial | None:
        """What an expression of a directive is worth before its loop, which has `started` some variables; no trace."""
        context = self.context
        if not names_in((node,)).isdisjoint(started):
            return None
        state, noted = context.snapshot(), dict(context.inexact)
        try:
            return context.values.settled(self.expressions.lower(node))
        except UnsupportedError:
            return None
        finally:
            context.restore(state)
            context.inexact = noted

    def _behind_pointers(self, writes: Writes, moved: frozenset[str]) -> frozenset[str]:
        """Variables of callers that are written through parameters which are known to point to them.

        None of them may be one that is `moved` by its name, too.
        """
        bases = {base for target in writes.targets if (base := base_name(target)) is not None}
        pointers = self.context.values.pointers
        places = (pointers.get(self.unique(name)) for name in writes.memory | bases)
        found = frozenset(p.variable.name for p in places if p is not None and p.variable is not None)
        for name in sorted(found & moved):
            raise UnsupportedError(f"`{name}` moves through a pointer")
        return found

    def _given_before(self, node: c_ast.Node, written: frozenset[str]) -> dict[str, NodeId]:
        """Pointers to memory of an iteration around, in which they stay while the loop runs."""
        context = self.context
        declared = (name for name in {*written, *names_in([node])} - context.addressed if self.is_declared(name))
        symbols = {name: context.lookup(name) for name in declared}
        pointers = {
            name: symbol.name
            for name, symbol in symbols.items()
            if isinstance(symbol.type, PointerTo) and symbol.scope != "global"  # a call may set those
        }
        return owned_through(node, pointers, context.values)

    def _set_before(self, written: frozenset[str]) -> dict[str, NodeId]:
        """Pointers that a loop writes and that were set before it in an iteration of a loop around."""
        around = self.context.loops[-2] if len(self.context.loops) > 1 else None
        found = {name: self.context.values.set_in(name, around) for name in map(self.unique, written)}
        return {name: loop for name, loop in found.items() if loop is not None}

    def _forget_all_but(self, written: frozenset[str], given: dict[str, NodeId], held: dict[str, NodeId]) -> None:
        """Drop what is known of what a loop writes, but not in which iterations of loops around pointers were set.

        Nor who gave the memory that a pointer walks through.
        """
        values = self.context.values
        before = {*values.pointers}
        self.forget(written)
        self._stand_still(before - {*values.pointers, *map(self.unique, written)})
        for name, loop in given.items():
            values.lose(self.unique(name), loop)
        for name, loop in held.items():
            values.lost[name] = replace(values.lost[name], set_in=loop)

    def _stand_still(self, names: Iterable[str]) -> None:
        """Note of pointers that this loop leaves alone, only not what says how far they lead, that they stay."""
        loops, lost = self.context.values.loops, self.context.values.lost
        for name in names:
            if len(loops) > 1:
                lost[name] = replace(lost[name], loop=loops[-2])
            else:
                lost.pop(name, None)

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

    def _open(self, node: c_ast.Node) -> NodeId:
        context = self.context
        identity = context.new_id()
        keyword = context.extents.offset(node.coord)
        context.headers[identity] = context.extents.header(keyword)
        context.wholes[identity] = context.extents.whole(keyword)
        context.loops.append(identity)
        context.loop_nodes[identity] = node
        return identity

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

    def _counter_behind(
        self, node: c_ast.Node, iterator: str, start: Start, step: int, trips: Polynomial | None
    ) -> list[Statement]:
        """What follows on a loop whose counter (none: "") is seen behind it.

        A loop from the larger of two starts leaves it no smaller than the one that its body asks for.
        """
        context = self.context
        self.leave_counter(iterator, None if start.also else start.value, step, trips)
        if not iterator or start.also is None:
            return []
        operator, bound = start.also
        ctype = context.scalars[iterator].type
        here, limit = ScalarRef(iterator, ctype), expression_of(context, bound, ctype)
        test = Binary("<" if operator == ">=" else ">", here, limit, INT)
        return [Assign(context.new_id(self.span(node)), here, "", Conditional(test, limit, here, ctype))]

    def _inductions(
        self, form: LoopForm, pick: str, totals: dict[str, str], closed: frozenset[str]
    ) -> tuple[Induction, ...]:
        """Variables that the source moves along, the iterator too where a header of `for` does not step it."""
        steps = [step.name for part in form.after if (step := step_of(part)) is not None]
        in_header = form.keyword == "for" and pick in steps and form.test_step is None
        moved = [name for name in totals if name in closed or (name == pick and not in_header)]
        return tuple(Induction(self.unique(name), totals[name], is_only_counted(form, name)) for name in moved)


def _with_reads(loop: Loop, start: Start, limits: Limits, progress: Progress | None) -> Loop:
    """The loop with what else is known of how often it runs."""
    is_of_squares = progress is not None and progress.is_square
    if not limits.limits and (is_of_squares or (loop.start == Polynomial(()) and loop.step == 1)):
        loop = replace(loop, progress=progress)
    if start.is_read + len(limits.limit_reads) == len(start.reads) + len(limits.reads):
        start_read = start.reads[0] if start.is_read else None
        loop = replace(loop, start_read=start_read, limit_reads=tuple(limits.limit_reads))
    return loop
