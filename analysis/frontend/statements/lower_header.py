"""The header of a loop of any spelling: which variable counts it, from where, how far."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.writes import has_effect
from warplens.analysis.frontend.forms.loop_form import LoopForm, initialised
from warplens.analysis.frontend.forms.movements import step_of
from warplens.analysis.frontend.forms.uncounted import why_uncounted
from warplens.analysis.frontend.forms.waiting import waits
from warplens.analysis.frontend.scopes.places import Place
from warplens.analysis.frontend.statements.lower_motion import Motion, Value
from warplens.analysis.frontend.syntax.syntax_trees import names_in
from warplens.analysis.frontend.values.known_values import LeftAt
from warplens.analysis.frontend.values.loop_limits import Comparison, Limits, limits_of
from warplens.analysis.frontend.values.smaller_values import minimum_or_maximum
from warplens.analysis.frontend.values.type_ends import TypeEnds
from warplens.analysis.ir.bound_reason import READ_START, BoundReason
from warplens.analysis.ir.expression import Expression, Unknown
from warplens.analysis.ir.nest import Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, CType, Scalar


@dataclass(frozen=True, slots=True)
class Start:
    """Where the iterator starts, None when unknown; `also` must hold too where the start is the larger of two.

    `is_read` says that the start is the value of the one read.
    """

    value: Polynomial | None
    reads: tuple[Expression, ...] = ()
    also: tuple[str, Polynomial] | None = None
    is_read: bool = False


class Headers(Motion):
    """Reads loops' headers; methods raise UnsupportedError."""

    def pick(self, form: LoopForm, totals: dict[str, Polynomial]) -> str:
        """The variable that the loop counts with: one that its tests compare, best one that its header steps."""
        if form.test_step is not None and form.test_step.expr.name in totals:
            return str(form.test_step.expr.name)
        compared = names_in(form.tests)
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

    def initialise(self, form: LoopForm, pick: str) -> tuple[list[Statement], c_ast.Node | None, c_ast.Decl | None]:
        """Initialisations but that of the iterator, whose value and declaration come back as syntax."""
        before: list[Statement] = []
        start: c_ast.Node | None = None
        declaration: c_ast.Decl | None = None
        for number, part in enumerate(form.initialisers):
            name, value = initialised(part)
            own = part if isinstance(part, c_ast.Decl) else None
            is_read = name in names_in(form.initialisers[number + 1 :])  # `i = 0, j = i`
            is_first = name != "" and name == pick and start is None and not is_read
            # `i = *p++` comes before the loop, which starts from what `i` holds then
            if is_first and _is_integer(self.type_of(name, own)) and not (self.context.loops and has_effect(value)):
                start, declaration = value, own
            else:
                before += self.expression_statement(part) if own is None else self.declaration(own)
        return before, start, declaration

    def is_native(self, pick: str, declaration: c_ast.Decl | None, first: Value | None) -> bool:
        """Whether the source's own variable can be the iterator: not where it starts from its own value."""
        if not _is_integer(self.type_of(pick, declaration)):
            return False
        return declaration is not None or not isinstance(first, Polynomial) or self.unique(pick) not in first.symbols

    def is_followed(self, form: LoopForm, pick: str) -> bool:
        """Whether an outermost loop without known limits is still worth a nest: `for` loops over an integer are."""
        if form.keyword != "for" or not pick or pick in self.context.addressed:
            return False
        return _is_integer(self.type_of(pick, None))

    def native(self, pick: str, declaration: c_ast.Decl | None) -> tuple[str, CType]:
        """Name and type of the source's own variable as the iterator."""
        ctype = self.type_of(pick, declaration)
        if declaration is not None:
            self.context.declare_iterator(pick, ctype)
        symbol = self.context.lookup(pick)
        return self.context.scalar(symbol, pick).name, ctype

    def start(
        self,
        form: LoopForm,
        pick: str,
        node: c_ast.Node | None,
        entries: dict[str, Value],
        written: frozenset[str],
        step: Polynomial,
    ) -> Start:
        """Start of an iterator that is the source's own variable."""
        if node is None:
            entry = entries.get(pick)
            if isinstance(entry, Polynomial):
                return Start(entry)
            left = self._left_at(pick, written, step)
            if left is not None:
                return Start(left.value, (), left.bound)
            return Start(None, (self.context.scalar(self.context.lookup(pick), pick),))
        values = self.context.values
        expression = self.pure(node)
        value, shift = self.first_value(form, pick, node), _shift(form, pick)
        if value is not None:
            return Start(value if value.symbols.isdisjoint(written) else None)
        pair = minimum_or_maximum(expression)
        wanted = {1: "max", -1: "min"}.get(step.constant_term)
        if pair is not None and pair[0] == wanted and not shift.terms:
            sides = [side for side in map(values.settled, pair[1:]) if side is not None]
            if len(sides) == 2 and all(side.symbols.isdisjoint(written) for side in sides):
                moving, other = sorted(sides, key=values.is_parameter)
                return Start(moving, (), (">=" if wanted == "max" else "<=", other))
        return Start(None, (expression,), is_read=not shift.terms)

    def _left_at(self, pick: str, written: frozenset[str], step: Polynomial) -> LeftAt | None:
        """Where an earlier loop left the variable that this one goes on with: `for (; i < n; i++)`."""
        left = self.context.values.left.get(self.unique(pick))
        if left is None or not left.symbols.isdisjoint(written):
            return None
        needed = {1: ">=", -1: "<="}.get(step.constant_term)
        return left if left.bound is None or left.bound[0] == needed else None

    def first_value(self, form: LoopForm, pick: str, node: c_ast.Node) -> Polynomial | None:
        """What the first iteration sees of a variable that the header sets to `node`, None if that is not known."""
        value = self.context.values.settled(self.pure(node))
        return None if value is None else value + _shift(form, pick)

    def tests(self, form: LoopForm) -> list[Comparison]:
        """The loop's tests with what they see: `i++ < n` sees the value before the step that the body sees."""
        found: list[Comparison] = []
        for number, test in enumerate(form.tests):
            undone = number == 0 and form.test_step is not None and not form.steps_before_test
            if undone and form.test_step is not None:
                self._move(form.test_step.expr.name, -unit(form.test_step))
            found += self.compared(test)
            if undone and form.test_step is not None:
                self._move(form.test_step.expr.name, unit(form.test_step))
        return found

    def limits(
        self,
        form: LoopForm,
        pick: str,
        iterator: str,
        steps: tuple[int, Polynomial | None],
        first: Value | None,
    ) -> Limits:
        """Limits of the iterator; `steps` are its own and that of what it stands for, `first` where that starts."""
        values = self.context.values
        tests = self.tests(form)
        step, total = steps
        counted = values.known.get(self.unique(pick)) if pick and self.is_declared(pick) else None
        ctype = self.type_of(pick, None) if counted is not None else None
        if counted is None or total is None or not total.is_constant or not isinstance(ctype, Scalar):
            return limits_of(tests, iterator, step, values)
        undone = Polynomial(())
        if form.test_step is not None and not form.steps_before_test and form.test_step.expr.name == pick:
            undone = unit(form.test_step)
        start = first - undone if isinstance(first, Polynomial) else None
        held = start.constant_term if start is not None and start.is_constant else None
        ends = TypeEnds(pick, ctype, counted - undone, held, total.constant_term)
        limits = limits_of(ends.checked(tests), iterator, step, values)
        limits.assumptions += ends.assumptions
        if ends.reason:
            limits.reasons[:] = [BoundReason(ends.reason)]
        return limits

    def _move(self, source_name: str, amount: Polynomial) -> None:
        values = self.context.values
        name = self.unique(source_name)
        place, known = values.pointers.get(name), values.known.get(name)
        if name in values.closed and place is not None:
            moved = self.shifted(place, amount)
            if isinstance(moved, Place):
                values.pointers[name] = moved
        elif known is not None:
            values.known[name] = known + amount

    def refuse_waiting(self, form: LoopForm, limits: Limits) -> None:
        """Raise UnsupportedError for a loop that has no iterations of its own, but waits."""
        body = self.writes(c_ast.Compound([*form.body, *form.after]))
        if not limits.limits and waits(form, body, self.context.file_scope.effects):
            why = "nothing in it changes what its condition reads"
            raise UnsupportedError(f"a `{form.keyword}` loop that waits: {why}")

    def at_least_once(self, form: LoopForm, limits: Limits, first: Polynomial | None, step: int) -> None:
        """A loop that tests after its body runs once even where its limits say never."""
        if form.is_tested_first:
            return
        sign = 1 if step > 0 else -1
        once = [
            None if first is None else self.context.values.at_least(limit * sign, (first + sign) * sign)
            for limit in limits.limits
        ]
        if not limits.reads and all(limit is not None for limit in once):
            limits.limits[:] = [limit * sign for limit in once if limit is not None]
            return
        limits.limits.clear()
        limits.limit_reads.clear()
        limits.reads.append(Unknown("the limit of a `do` loop that runs at least once", (), INT, is_pure=True))
        limits.reasons.append(BoundReason("it runs at least once, whatever its limit is"))

    def reasons(
        self, form: LoopForm, limits: Limits, start: Start, pick: str, is_native: bool, moved: frozenset[str]
    ) -> list[BoundReason]:
        """What was not understood of the loop, in the terms of the source."""
        reasons = list(dict.fromkeys(limits.reasons))
        if not limits.limits and (not is_native or form.keyword != "for"):
            reasons = why_uncounted(form, pick, moved, reasons)
            if pick in self.context.addressed:
                reasons = [BoundReason(f"the address of `{pick}` is taken")]
            elif pick and pick not in moved and not _is_integer(self.type_of(pick, None)):
                reasons.append(BoundReason(f"the iterator `{pick}` is no integer"))
        if start.value is None:
            reasons.append(READ_START)
        if start.also is not None:
            reasons.append(BoundReason(f"the start is not before `{start.also[1]}`", "order"))
        return reasons

    def type_of(self, name: str, declaration: c_ast.Decl | None) -> CType:
        """Type of a variable that the loop declares or sees."""
        if declaration is not None:
            return self.expressions.types.resolve(declaration.type)
        return self.context.lookup(name).type


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int"


def _shift(form: LoopForm, pick: str) -> Polynomial:
    """What the test of a loop adds to its counter before the first iteration."""
    step = form.test_step
    return unit(step) if step is not None and form.is_tested_first and step.expr.name == pick else Polynomial(())


def unit(step: c_ast.UnaryOp) -> Polynomial:
    """What `i++` or `i--` adds."""
    return Polynomial.constant(1 if "+" in step.op else -1)
