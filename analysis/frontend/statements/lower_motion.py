"""What a loop moves: the amount per iteration, the value before it, and the closed forms that both give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pycparser import c_ast
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.forms.loop_form import LOOPS, LoopForm, initialised, loop_form
from warplens.analysis.frontend.forms.movements import Site, movements, write_counts
from warplens.analysis.frontend.pointers.pointer_values import Lost
from warplens.analysis.frontend.scopes.places import Dimension, Place, element_bytes_of
from warplens.analysis.frontend.statements.lower_comparison import Comparisons
from warplens.analysis.frontend.syntax.syntax_trees import names_in
from warplens.analysis.frontend.values.closed_form import computed_from, expression_of, whole_value
from warplens.analysis.frontend.values.context import Context
from warplens.analysis.frontend.values.known_values import LeftAt
from warplens.analysis.frontend.values.loop_limits import Limits, limits_of
from warplens.analysis.frontend.values.partial_sums import Counted, counted, least, may_be_negative, summed
from warplens.analysis.ir.expression import Constant
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.types import INT, LONG, PointerTo, Scalar, is_volatile

Value = Polynomial | Place
"""What an integer holds or where a pointer points."""

_COUNTER = "'count"


@dataclass(frozen=True, slots=True)
class Grown:
    """Values at the start of the body, those after the loop where they are known, and amounts as texts."""

    forms: dict[str, Value] = field(default_factory=dict)
    after: dict[str, Value] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)


class Motion(Comparisons):
    """Closed forms of the variables that a loop moves; methods raise UnsupportedError."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._unsteady: frozenset[str] = frozenset()
        self.around: list[Counted] = []
        """How the loops around count, outer first."""

    def totals(self, form: LoopForm, written: frozenset[str], addressed: frozenset[str]) -> dict[str, Polynomial]:
        """Amount per iteration of each variable that has a constant one in the loop, where all who move it are seen."""
        found: dict[str, Polynomial] = {}
        with self._aside(written):
            for name, sites in movements(form).items():
                if name in addressed or not self._can_follow(form, name):
                    continue
                amount = self._total(sites)
                if amount is not None:
                    found[name] = whole_value(self.context, amount)
        return found

    def also_moved(self, form: LoopForm, others: Collection[str], addressed: frozenset[str]) -> tuple[str, ...]:
        """Variables that a loop only moves and that no test of it reads, but for the others."""
        names = movements(form).keys() - set(others) - names_in(form.tests) - addressed
        return tuple(name for name in sorted(names) if self._can_follow(form, name) and self.is_declared(name))

    def grown(self, form: LoopForm, entries: Mapping[str, Value], written: frozenset[str], loop: Counted) -> Grown:
        """Closed forms of variables that inner loops move whose ends the iterator decides; reads see them from here."""
        found = Grown()
        if not entries:
            return found
        moved = write_counts(form.body)
        in_header = write_counts((*form.tests, *form.after, *((form.test_step,) if form.test_step else ())))
        amounts: dict[str, RationalPolynomial] = {}
        with self._aside(frozenset(name for name in written if moved[name])):
            for name, sites in movements(form).items():
                amount = None if name not in entries or in_header[name] else self._total(sites, loop)
                if amount is not None:
                    amounts[name] = amount
        distance = (Polynomial.symbol(loop.counter) - loop.first).exact_div(loop.step)
        for name, amount in amounts.items():
            now = self._summed(entries[name], amount, loop, distance)
            last = self._summed(entries[name], amount, loop, loop.trips)
            if now is not None:
                found.forms[name], found.steps[name] = now, str(whole_value(self.context, amount))
                found.after.update({} if last is None else {name: last})
        self.enter(found.forms, "")
        return found

    def _summed(
        self, entry: Value, amount: RationalPolynomial, loop: Counted, trips: Polynomial | None
    ) -> Value | None:
        total = None if trips is None else summed(amount, loop, trips)
        return None if total is None else self.shifted(entry, whole_value(self.context, total))

    def is_nonnegative(self, trips: Polynomial) -> bool:
        """Whether the bounds of the loops around show that a loop's number of iterations is at least 0."""
        lowest = least(trips, self.around)
        return lowest is not None and lowest.is_constant and lowest.constant_term >= 0

    def entry(self, name: str, written: frozenset[str], is_root: bool, is_counter: bool = False) -> Value | None:
        """What a variable holds before the loop; in an outermost loop a symbol of its own where that is not known.

        The loop's own counter starts from no sum that is left to divide.
        """
        context = self.context
        symbol = context.lookup(name)
        if isinstance(symbol.type, PointerTo):
            place = context.values.settled_place(symbol.name)
            if place is None and is_root and symbol.declared_in is None:
                context.array_object(symbol)
                own = (Dimension(Constant(0, INT), Polynomial(()), None),)
                place = Place(symbol.name, own, symbol.type.target, element_bytes_of(symbol.type.target)[0])
            lost = self._lost_before(symbol.name)
            if place is None and lost is not None and not lost.is_undefined:
                place = context.chosen_place(symbol, symbol.type.target, lost)
            if place is None or place.member or not place.dimensions:
                return None
            symbols = {s for d in place.dimensions if d.index is not None for s in computed_from(context, d.index)}
            return place if symbols.isdisjoint(written) and all(d.index is not None for d in place.dimensions) else None
        value = context.values.value(symbol.name)
        quotients = frozenset() if value is None else value.symbols & context.values.quotients.keys()
        if value is None or (quotients and (is_counter or not quotients <= context.sums.keys())):
            return None
        return value if computed_from(context, value).isdisjoint(written - {symbol.name}) else None

    def _lost_before(self, name: str) -> Lost | None:
        """Since when a pointer that a loop moves is not followed; one that leads where data says is so from here on."""
        values = self.context.values
        if name not in values.pointers or len(self.context.loops) < 2:
            return values.lost.get(name)
        around = self.context.loops[-2]
        return Lost(values.next_point(), around, values.given_in(name), set_in=values.set_in(name, around))

    def closed_forms(
        self, entries: Mapping[str, Value], totals: Mapping[str, Polynomial], count: Polynomial | None, step: int
    ) -> dict[str, Value]:
        """Values at the start of the body; `count` is the iterator's distance from its start."""
        found: dict[str, Value] = {}
        for name, entry in entries.items():
            share = totals[name].exact_div(step)
            if count is not None and share is not None:
                found[name] = self.shifted(entry, share * count)
            elif not totals[name].terms:
                found[name] = entry
        return found

    def enter(self, forms: Mapping[str, Value], iterator: str) -> None:
        """Let every read see the closed forms from here on."""
        values = self.context.values
        self._set(forms)
        values.closed |= {self.unique(name) for name in forms} | ({iterator} if iterator else set())

    def leave(self, forms: Mapping[str, Value], closed: frozenset[str]) -> None:
        """Values after the loop, where they are known."""
        self.context.values.closed = closed
        self._set(forms)

    def leave_counter(self, iterator: str, first: Polynomial | None, step: int, trips: Polynomial | None) -> None:
        """What a loop's counter (none: "") holds behind it: where it started if the loop does not run."""
        if iterator and first is not None and trips is not None:
            bound = None if self.is_nonnegative(trips) else (">=" if step > 0 else "<=", first)
            self.context.values.left[iterator] = LeftAt(first + trips * step, bound)

    def after(self, entry: Value, total: Polynomial, trips: Polynomial | None) -> Value | None:
        """Value when the loop has run `trips` times."""
        return None if trips is None else self.shifted(entry, total * trips)

    def trips(self, limits: Limits, first: Polynomial | None, step: int, node: c_ast.Node) -> Polynomial | None:
        """How often a loop without early exit runs, as a polynomial."""
        if first is None or limits.only is None or limits.exact_end or _leaves(node):
            return None
        distance = (limits.only - first).exact_div(step)
        if distance is not None and distance.is_constant and distance.constant_term < 0:
            return Polynomial(())
        return distance

    # ---- parts

    def _can_follow(self, form: LoopForm, name: str) -> bool:
        """Whether the name is an integer or a pointer that nothing else in the loop can change."""
        for part in form.initialisers:
            if isinstance(part, c_ast.Decl) and part.name == name:
                ctype = self.expressions.types.resolve(part.type)
                is_followed = isinstance(ctype, PointerTo) or (isinstance(ctype, Scalar) and ctype.kind == "int")
                return is_followed and not is_volatile(ctype)
        if not self.is_declared(name):
            return False
        symbol = self.context.lookup(name)
        if is_volatile(symbol.type):
            return False
        if isinstance(symbol.type, PointerTo):
            return not symbol.is_array_parameter and (symbol.scope != "global" or not _calls(form))
        if not isinstance(symbol.type, Scalar) or symbol.type.kind != "int":
            return False
        in_header = {initialised(part)[0] for part in form.initialisers}
        wide = symbol.type.size_bytes >= 4 or name in in_header
        return wide and (symbol.scope != "global" or name in in_header or not _calls(form))

    def _total(self, sites: Iterable[Site], *moving: Counted) -> RationalPolynomial | None:
        """What all of them add in one iteration."""
        total = RationalPolynomial(Polynomial(()))
        for site in sites:
            amount = self._amount(site, *moving)
            if amount is None:
                return None
            total = total + amount
        return total

    def _amount(self, site: Site, *moving: Counted) -> RationalPolynomial | None:
        try:
            with self.scope():
                return self._known_amount(site, moving)
        except UnsupportedError:
            self.context.before, self.context.after = [], []
            return None

    def _known_amount(self, site: Site, moving: tuple[Counted, ...]) -> RationalPolynomial | None:
        loops: list[Counted] = []
        for loop in site.loops:
            found = self._counted(loop, len(loops))
            if found is None or found[0] == site.name:
                return None
            name, inner = found
            if inner.trips is None or may_be_negative(inner.trips, self.around, (*moving, *loops)):
                return None
            loops.append(inner)
            self._show(loop, name, inner, site)
        amount: RationalPolynomial | None = RationalPolynomial(Polynomial.constant(site.sign))
        if site.amount is not None:
            amount = None
            if self.is_visible(site.amount) and not self._follows_moving(site.amount):
                value = self.context.values.settled(self.pure(site.amount))
                amount = None if value is None else RationalPolynomial(value * site.sign)
        for inner in reversed(loops):
            amount = None if amount is None or inner.trips is None else summed(amount, inner, inner.trips)
        return amount

    def _follows_moving(self, amount: c_ast.Node) -> bool:
        """Whether an amount is read through a pointer that the loop moves: `p += *p`."""
        names = (name for name in names_in([amount]) & self._unsteady if self.is_declared(name))
        return any(isinstance(self.context.lookup(name).type, PointerTo) for name in names)

    def _show(self, node: c_ast.Node, name: str, loop: Counted, site: Site) -> None:
        """Let what stands inside of an inner loop see its counter, where that holds still in each iteration."""
        form = loop_form(node)
        values = self.context.values
        self.context.scopes[-1][name] = Symbol(loop.counter, LONG, "body")
        is_still = not write_counts((*form.body, *form.tests))[name] and form.test_step is None
        in_header = node is site.loops[-1] and write_counts((*form.tests, *form.after))[site.name] > 0
        values.known[loop.counter] = Polynomial.symbol(loop.counter) if is_still and not in_header else None

    def _counted(self, node: c_ast.Node, depth: int) -> tuple[str, Counted] | None:
        """The variable that a loop inside counts with, and how, from its header alone."""
        form = loop_form(node)
        if not form.is_tested_first or form.test_step is not None or _leaves(node):
            return None
        moved = movements(form)
        for part in form.initialisers:
            name, start = initialised(part)
            sites = moved.get(name, ())
            if start is None or len(sites) != 1 or sites[0].loops or not self.is_visible(start):
                continue
            first, amount = self.context.values.settled(self.pure(start)), self._amount(sites[0])
            if first is None or amount is None or amount.divisor != 1:
                continue
            step, counter = amount.numerator, f"{_COUNTER}{depth}"
            if not step.is_constant or not step.terms:
                continue
            values = self.context.values
            with self.scope():
                self.context.scopes[-1][name] = Symbol(counter, LONG, "body")
                if not all(self.is_visible(test) for test in form.tests):
                    continue
                values.known[counter] = Polynomial.symbol(counter)
                values.iterators.add(counter)
                tests = [found for test in form.tests for found in self.compared(test)]
                limits = limits_of(tests, counter, step.constant_term, values)
            trips = self.trips(limits, first, step.constant_term, node)
            return name, counted(counter, first, step.constant_term, trips, limits.limits)
        return None

    @contextmanager
    def _aside(self, written: frozenset[str]) -> Iterator[None]:
        """Lower expressions to look at them, with nothing known of what the loop writes, and leave no trace."""
        context = self.context
        ids, values, inexact, unsteady = context.snapshot(), context.values, dict(context.inexact), self._unsteady
        context.values = values.copy()
        self.forget(written)
        context.values.closed -= frozenset(map(self.unique, written))
        self._unsteady = written
        try:
            yield
        finally:
            context.values, context.inexact, self._unsteady = values, inexact, unsteady
            context.restore(ids)

    def shifted(self, value: Value, amount: Polynomial) -> Value:
        """The number or address that lies an amount further."""
        if isinstance(value, Polynomial):
            return value + amount
        last = value.dimensions[-1]
        index = amount if last.index is None else last.index + amount
        return replace(value, dimensions=(*value.dimensions[:-1], Dimension(last.subscript, index, last.extent)))

    def _set(self, forms: Mapping[str, Value]) -> None:
        values = self.context.values
        for source_name, value in forms.items():
            name = self.unique(source_name)
            if isinstance(value, Polynomial):
                values.known[name] = value
            else:
                last = value.dimensions[-1]
                subscript = Constant(0, INT) if last.index is None else expression_of(self.context, last.index, LONG)
                moved = Dimension(subscript, last.index, last.extent)
                values.pointers[name] = replace(value, dimensions=(*value.dimensions[:-1], moved))


def _calls(form: LoopForm) -> bool:
    stack: list[c_ast.Node] = [*form.tests, *form.body, *form.after]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.FuncCall) and not (
            isinstance(item.name, c_ast.ID) and math_function(item.name.name) is not None
        ):
            return True
        stack.extend(item)
    return False


def _leaves(loop: c_ast.Node) -> bool:
    """Whether something in a loop may end it early; the `break` that is its test is not told apart from others."""
    stack: list[tuple[c_ast.Node, bool]] = [(child, False) for child in loop]
    while stack:
        item, inside = stack.pop()
        if isinstance(item, (c_ast.Return, c_ast.Goto)) or (isinstance(item, c_ast.Break) and not inside):
            return True
        inner = inside or isinstance(item, (*LOOPS, c_ast.Switch))
        stack.extend((child, inner) for child in item)
    return False
