"""Values of places and expressions, through stores, calls and what functions give.

Source: interprocedural constant propagation with jump functions, Callahan, Cooper, Kennedy, Torczon, SIGPLAN 1986, over
sets of values; flow-insensitive, one place per member of a structure's type. So it says what a size is likely to be
and proves nothing of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from warplens.analysis.program.sizes.command_line import argument_at, is_among, number_in, option_in
from warplens.analysis.program.sizes.file_sizes import Call
from warplens.analysis.program.sizes.fixed_points import FixedPoints
from warplens.analysis.program.sizes.linked_sizes import MAIN, CallOf, DefinedFunction, LinkedSizes, StoredValue
from warplens.analysis.program.sizes.number_operations import computed
from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import (
    Called,
    CommandLine,
    Counted,
    Number,
    Operation,
    Read,
    SizeExpression,
    Unknown,
    Updated,
)
from warplens.analysis.program.sizes.value_set import NOTHING, Input, KnownValue, SourceStep, Standing, ValueSet

V = TypeVar("V")

MOST_CONTEXTS = 16
"""Ways in which a function is called, with different values, that are kept apart."""
_DEEPEST = 60
_DEEPEST_CALLS = 3
"""Calls in calls up to which what a function gives is found for its arguments."""
_MOST_OPEN = 300
"""Questions that wait for each other."""
NOT_FOLLOWED = ValueSet(inputs=(Input("is computed in a way that is not followed"),))


@dataclass(frozen=True, slots=True, eq=False)
class CallContext:
    """How a function is called: what its numbers are, a call that passes them, how many calls do."""

    values: tuple[tuple[str, ValueSet], ...] = ()
    calls: int = 1
    at: SourceStep | None = None

    def value(self, name: str) -> ValueSet | None:
        """What is passed for a parameter."""
        return next((value for parameter, value in self.values if parameter == name), None)

    @property
    def numbers(self) -> tuple[int | float | None, ...]:
        """The likeliest value of each parameter."""
        return tuple(one.first.value if one.first else None for _, one in self.values)


NOWHERE = CallContext(calls=0)
_Contexts = tuple[CallContext, ...]


@dataclass(slots=True)
class SizeValues:
    """Answers questions about one linked program; what was found is kept. `arguments` are those of the program."""

    program: LinkedSizes
    arguments: tuple[str, ...] | None = None
    _found: FixedPoints = field(default_factory=FixedPoints)
    _calls: int = 0
    """Calls that are being followed into each other."""
    _before: dict[tuple[str, Place], ValueSet] = field(default_factory=dict)
    """What places held before the change that is being followed."""

    # ---- questions

    def contexts(self, function: DefinedFunction) -> _Contexts:
        """How a function is called, the most common first; one without values where nobody calls it."""
        nothing: _Contexts = ()
        if self._found.depth > _MOST_OPEN:
            return nothing
        return self._shared(("contexts", function.key), lambda: self._all_contexts(function), nothing, _are_same)

    def value(self, expression: SizeExpression, function: DefinedFunction, context: CallContext) -> ValueSet:
        """What an expression of a function gives when it is called so."""
        return self._value(expression, function, context, 0).likeliest_first()

    def bytes_of(self, pointer: SizeExpression, function: DefinedFunction, context: CallContext) -> ValueSet:
        """How many bytes the memory has that a pointer of a function leads to, from where it is allocated."""
        return self._bytes(pointer, function, context, 0).likeliest_first()

    # ---- what was asked before

    def _asked(
        self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool] = operator.eq
    ) -> V:
        """An answer that does not depend on the change that is being followed."""

        def found() -> V:
            before, self._before = self._before, {}
            try:
                return find()
            finally:
                self._before = before

        return self._found.ask(question, found, nothing, same)

    def _shared(
        self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool] = operator.eq
    ) -> V:
        """An answer that does not depend on the calls that are being followed either: anybody may ask for it."""

        def found() -> V:
            calls, self._calls = self._calls, 0
            try:
                return find()
            finally:
                self._calls = calls

        return self._asked(question, found, nothing, same)

    # ---- calls

    def _all_contexts(self, function: DefinedFunction) -> _Contexts:
        found: dict[tuple[int | float | None, ...], CallContext] = {}
        for site in self.program.calls_of(function):
            for context in self._passed(function, site) if self._happens(site.call.options) else ():
                known = found.get(context.numbers)
                if known is not None:
                    found[context.numbers] = CallContext(known.values, known.calls + context.calls, known.at)
                elif len(found) < MOST_CONTEXTS:
                    found[context.numbers] = context
        if function.sizes.name == MAIN and not found:
            found[()] = self._main(function)
        return tuple(sorted(found.values(), key=lambda one: -one.calls)) or (CallContext(),)

    def _main(self, function: DefinedFunction) -> CallContext:
        count = 1 if self.arguments is None else len(self.arguments) + 1
        name = function.sizes.parameters[:1]
        said = "the program is called without arguments" if count == 1 else f"it is called with {count - 1} arguments"
        step = SourceStep(said, function.path, function.sizes.name)
        return CallContext(tuple((one, ValueSet((KnownValue(count, (step,)),))) for one in name))

    def _passed(self, function: DefinedFunction, site: CallOf) -> list[CallContext]:
        step = site.caller.step(site.call.at)
        numbers = function.numbers
        found: list[CallContext] = []
        for around in self.contexts(site.caller):
            values = [
                self._value(one, site.caller, around, 0).likeliest_first().through(step)
                for at, one in enumerate(site.call.arguments)
                if at in numbers
            ]
            chosen = (zip(numbers.values(), one, strict=False) for one in _alternatives(values))
            found += [CallContext(tuple(one), 1, step) for one in chosen]
        return found

    def _passed_now(
        self,
        callee: DefinedFunction,
        arguments: Sequence[SizeExpression],
        function: DefinedFunction,
        context: CallContext,
        depth: int,
    ) -> CallContext:
        """How a function is called by one call in one context."""
        numbers = callee.numbers
        given = ((numbers[at], one) for at, one in enumerate(arguments) if at in numbers)
        return CallContext(tuple((name, self._value(one, function, context, depth + 1)) for name, one in given))

    # ---- values

    def _value(
        self, expression: SizeExpression, function: DefinedFunction | None, context: CallContext, depth: int
    ) -> ValueSet:
        if depth > _DEEPEST:
            return NOT_FOLLOWED
        match expression:
            case Number(value):
                return ValueSet((KnownValue(value),))
            case Unknown(reason):
                return ValueSet(inputs=(Input(reason),))
            case Updated():
                return ValueSet(inputs=(Input("changes as the program runs"),))
            case Counted():
                return ValueSet(inputs=(Input("is counted as the program runs", kind="counted"),))
            case CommandLine(position, options):
                return self._argument(position, options)
            case Read(place):
                return self._read(place, function, context, depth)
            case Operation("?", (condition, then, otherwise)):
                chosen = self._value(condition, function, context, depth + 1)
                if len(chosen.values) == 1 and not chosen.inputs:
                    return self._value(then if chosen.values[0].value else otherwise, function, context, depth + 1)
                either = self._value(then, function, context, depth + 1)
                return either | self._value(otherwise, function, context, depth + 1)
            case Operation(name, operands):
                return _operated(name, [self._value(one, function, context, depth + 1) for one in operands])
            case Called(name, arguments):
                return self._called(name, arguments, function, context, depth)

    def _argument(self, position: int | None, options: tuple[str, ...]) -> ValueSet:
        unsaid = ValueSet(inputs=(Input("the command line says it", kind="command line", argument=position),))
        if self.arguments is None or (position is None and not options):
            return unsaid
        text = argument_at(self.arguments, position) if position is not None else option_in(self.arguments, options)
        if text is None:
            return NOTHING
        number = number_in(text)
        if number is None:
            return unsaid
        return ValueSet((KnownValue(number, (SourceStep(f"the program is called with {text}", ""),), Standing.SAID),))

    def _happens(self, options: tuple[tuple[str, ...], ...]) -> bool:
        """Whether what stands under options happens, as far as somebody said how the program is called."""
        return self.arguments is None or all(is_among(self.arguments, one) for one in options)

    def _called(
        self,
        name: str,
        arguments: Sequence[SizeExpression],
        function: DefinedFunction | None,
        context: CallContext,
        depth: int,
    ) -> ValueSet:
        callee = None if function is None else self.program.called(function.path, name)
        if callee is None:
            return ValueSet(inputs=(Input(f"`{name}` gives it"),))
        results = list(self.program.stores(callee.path, Place("result", name)))
        if function is None or self._calls >= _DEEPEST_CALLS:
            return self._shared(("result", callee.key), lambda: self._any_result(callee, results), NOTHING)
        self._calls += 1
        passed = self._passed_now(callee, arguments, function, context, depth)
        found = NOTHING
        for stored in results:
            found |= self._stored(stored, passed, depth)
        self._calls -= 1
        return found

    def _any_result(self, callee: DefinedFunction, results: Sequence[StoredValue]) -> ValueSet:
        """What a function gives, however it is called."""
        found = NOTHING
        for context in self.contexts(callee):
            for stored in results:
                found |= self._stored(stored, context, 0)
        return found

    def _stored(self, stored: StoredValue, context: CallContext, depth: int) -> ValueSet:
        if not self._happens(stored.store.options):
            return NOTHING
        value = self._value(stored.store.value, stored.function, context, depth + 1)
        return value.through(stored.step, self._standing(stored))

    def _standing(self, stored: StoredValue) -> Standing:
        if self.arguments is not None:
            function = stored.function
            is_asked = function is not None and self.program.is_called_conditionally(function)
            if stored.store.options or (is_asked and function is not None and function.key in self._called_as_said):
                return Standing.SAID
        return Standing.CONDITIONAL if self.program.is_conditional(stored) else Standing.ALWAYS

    @property
    def _called_as_said(self) -> frozenset[tuple[str, str]]:
        """Functions that the program calls with the arguments that somebody said."""
        none: frozenset[tuple[str, str]] = frozenset()
        return self._found.ask("called as said", lambda: self.program.reached_when(self._happens), none)

    def _read(self, place: Place, function: DefinedFunction | None, context: CallContext, depth: int) -> ValueSet:
        path = "" if function is None else function.path
        if self._before and (before := self._before.get(self._key(path, place))) is not None:
            return before
        is_own = function is not None and place.kind in {"variable", "target"} and place.owner == function.sizes.name
        if is_own and function is not None:
            return self._own(place, function, context, depth)
        return self._shared(self._key(path, place), lambda: self._kept_in(path, place), NOTHING)

    def _kept_in(self, path: str, place: Place) -> ValueSet:
        """What is stored in a place of several functions."""
        found = NOTHING
        for stored in _updates_last(self.program.stores(path, place)):
            before = found
            for each in (NOWHERE,) if stored.function is None else self.contexts(stored.function):
                found = self._with(found, before, stored, each, 0)
        return found.likeliest_first()

    def _with(
        self, found: ValueSet, before: ValueSet, stored: StoredValue, context: CallContext, depth: int
    ) -> ValueSet:
        """What a place holds with one more store; what an update finds there is `before`."""
        if not isinstance(stored.store.value, Updated):
            return found | self._stored(stored, context, depth)
        if not self._happens(stored.store.options):
            return found
        key = self._key(stored.path, stored.store.place)
        around = self._before.get(key)
        self._before[key] = before
        standing = self._standing(stored)
        updated = self._value(stored.store.value.value, stored.function, context, depth + 1)
        if around is None:
            del self._before[key]
        else:
            self._before[key] = around
        updated = updated.through(stored.step, standing)
        return found | updated if standing is Standing.CONDITIONAL else updated

    def _key(self, path: str, place: Place) -> tuple[str, Place]:
        return self.program.key(path, place)

    def _own(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        """A variable of the function itself, or what a parameter of it leads to."""
        question = ("own", function.key, place, context)
        return self._asked(question, lambda: self._all_own(place, function, context, depth), NOTHING)

    def _all_own(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        found = (context.value(place.name) if place.kind == "variable" else None) or NOTHING
        for stored in _updates_last(self.program.stores(function.path, place)):
            found = self._with(found, found, stored, context, depth)
        if place.kind == "variable":
            found |= self._set_by_calls(place, function, context, depth)
        elif place.name in function.sizes.parameters:
            found |= self._led_to(function.sizes.parameters.index(place.name), function, depth)
        return found.likeliest_first()

    def _set_by_calls(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        """What functions leave in a variable whose address they get."""
        found = NOTHING
        for call in function.sizes.calls:
            for position, target in call.targets:
                if target == place:
                    found |= self._left_by(call.function, position, function, call.arguments, context, depth).through(
                        function.step(call.at), Standing.CONDITIONAL if call.is_conditional else Standing.ALWAYS
                    )
        return found

    def _left_by(
        self,
        name: str,
        position: int,
        function: DefinedFunction,
        arguments: Sequence[SizeExpression],
        context: CallContext,
        depth: int,
    ) -> ValueSet:
        callee = self.program.called(function.path, name)
        if callee is None:
            return ValueSet(inputs=(Input(f"`{name}` sets it"),))
        if position >= len(callee.sizes.parameters):
            return NOTHING
        if self._calls >= _DEEPEST_CALLS:
            return NOT_FOLLOWED
        self._calls += 1
        target = Place("target", name, callee.sizes.parameters[position])
        passed = self._passed_now(callee, arguments, function, context, depth)
        found = NOTHING
        for stored in self.program.stores(callee.path, target):
            found |= self._stored(stored, passed, depth)
        for call in callee.sizes.calls:  # handed on: `read_size(f, n)` in `open_grid(char *name, int *n)`
            for at, argument in enumerate(call.arguments):
                if argument == Read(Place("variable", name, target.name)):
                    found |= self._left_by(call.function, at, callee, call.arguments, passed, depth + 1)
        self._calls -= 1
        return found

    def _led_to(self, position: int, function: DefinedFunction, depth: int) -> ValueSet:
        """What callers keep where a pointer parameter leads."""
        found = NOTHING
        for site in self.program.calls_of(function):
            for at, target in site.call.targets:
                if at == position:
                    for around in self.contexts(site.caller):
                        found |= self._read(target, site.caller, around, depth + 1)
        return found

    # ---- memory

    def _bytes(
        self, pointer: SizeExpression, function: DefinedFunction | None, context: CallContext, depth: int
    ) -> ValueSet:
        if depth > _DEEPEST or function is None:
            return NOTHING
        match pointer:
            case Read(place):
                key = ("bytes", self.program.key(function.path, place), context)
                return self._asked(key, lambda: self._all_bytes(place, function, context, depth), NOTHING)
            case Called(name, arguments):
                callee = self.program.called(function.path, name)
                if callee is None or self._calls >= _DEEPEST_CALLS:
                    return NOTHING
                self._calls += 1
                passed = self._passed_now(callee, arguments, function, context, depth)
                found = NOTHING
                for stored in self.program.stores(callee.path, Place("result", name)):
                    found |= self._bytes(stored.store.value, stored.function, passed, depth + 1).through(stored.step)
                self._calls -= 1
                return found
            case _:
                return NOTHING

    def _all_bytes(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        found = NOTHING
        is_own = place.kind in {"variable", "target"}
        for memory in self.program.allocations(function.path, place):
            for around in (context,) if is_own or memory.function is None else self.contexts(memory.function):
                allocated = self._value(memory.allocation.bytes_, memory.function, around, depth + 1)
                found |= allocated.through(memory.step)
        for stored in self.program.stores(function.path, place):
            for around in (context,) if is_own or stored.function is None else self.contexts(stored.function):
                found |= self._bytes(stored.store.value, stored.function, around, depth + 1)
        if place.kind == "variable":
            if place.name in function.sizes.parameters:
                found |= self._passed_bytes(function.sizes.parameters.index(place.name), function, depth)
            for call in function.sizes.calls:
                found |= self._bytes_left(call, place, function, context, depth)
        return found

    def _passed_bytes(self, position: int, function: DefinedFunction, depth: int) -> ValueSet:
        """What callers pass for a pointer."""
        found = NOTHING
        for site in self.program.calls_of(function):
            if position < len(site.call.arguments):
                step = site.caller.step(site.call.at)
                for around in self.contexts(site.caller):
                    found |= self._bytes(site.call.arguments[position], site.caller, around, depth + 1).through(step)
        return found

    def _bytes_left(
        self, call: Call, place: Place, function: DefinedFunction, context: CallContext, depth: int
    ) -> ValueSet:
        """What a function allocates for a pointer whose address it gets."""
        found = NOTHING
        for position, target in call.targets:
            callee = self.program.called(function.path, call.function) if target == place else None
            if callee is not None and position < len(callee.sizes.parameters):
                passed = self._passed_now(callee, call.arguments, function, context, depth)
                given = Place("target", callee.sizes.name, callee.sizes.parameters[position])
                for memory in self.program.allocations(callee.path, given):
                    allocated = self._value(memory.allocation.bytes_, callee, passed, depth + 1)
                    found |= allocated.through(memory.step)
        return found


def _updates_last(stores: Iterable[StoredValue]) -> list[StoredValue]:
    return sorted(stores, key=lambda one: isinstance(one.store.value, Updated))


def _are_same(left: _Contexts, right: _Contexts) -> bool:
    return [(one.numbers, one.calls) for one in left] == [(one.numbers, one.calls) for one in right]


def _alternatives(values: Sequence[ValueSet]) -> list[tuple[ValueSet, ...]]:
    """What is passed together: the likeliest of all, then each other value of one argument."""
    likeliest = tuple(ValueSet(one.values[:1], one.inputs) for one in values)
    found = [likeliest]
    for at, one in enumerate(values):
        before, after = likeliest[:at], likeliest[at + 1 :]
        found += [(*before, ValueSet((value,), one.inputs), *after) for value in one.values[1:]]
    return found[:MOST_CONTEXTS]


def _standing_of(operands: Sequence[KnownValue]) -> Standing:
    """As the weakest of the operands, but as said where one is said and none depends on a condition."""
    standings = {one.standing for one in operands}
    if Standing.CONDITIONAL in standings:
        return Standing.CONDITIONAL
    return Standing.SAID if Standing.SAID in standings else Standing.ALWAYS


def _operated(name: str, operands: Sequence[ValueSet]) -> ValueSet:
    """An operation on sets: on the likeliest values, and with each other value of one operand."""
    inputs = tuple(dict.fromkeys(each for one in operands for each in one.inputs))
    firsts = [one.first for one in operands]
    found: dict[int | float, KnownValue] = {}
    if all(first is not None for first in firsts):
        likeliest = [first for first in firsts if first is not None]
        choices = [likeliest]
        for at, one in enumerate(operands):
            choices += [[*likeliest[:at], value, *likeliest[at + 1 :]] for value in one.values[1:]]
        for chosen in choices:
            value = computed(name, [one.value for one in chosen])
            if value is not None and value not in found:
                steps = tuple(dict.fromkeys(step for one in chosen for step in one.steps))
                found[value] = KnownValue(value, steps[:5], _standing_of(chosen))
    if not found and not inputs:
        return NOT_FOLLOWED if all(firsts) else NOTHING
    return ValueSet(tuple(found.values()), inputs)
