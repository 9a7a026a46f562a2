"""Values of places and expressions, through stores, calls and what functions give.

Source: interprocedural constant propagation with jump functions, Callahan, Cooper, Kennedy, Torczon, SIGPLAN 1986, over
sets of values; flow-insensitive, one place per member of a structure's type. So it says what a size is likely to be
and proves nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from warplens.analysis.c.c_library import library_call
from warplens.analysis.program.sizes.call_contexts import NOWHERE, CallContext
from warplens.analysis.program.sizes.command_line import argument_at, number_in, option_in
from warplens.analysis.program.sizes.file_sizes import Call
from warplens.analysis.program.sizes.file_table import DefinedFunction, StoredValue
from warplens.analysis.program.sizes.fixed_points import FixedPoints
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.memory_sizes import DEEPEST, DEEPEST_CALLS, MemorySizes
from warplens.analysis.program.sizes.operated_values import NOT_FOLLOWED, operated
from warplens.analysis.program.sizes.places import Place, any_element, behind, led_to, pointer_of
from warplens.analysis.program.sizes.said_sizes import said_as
from warplens.analysis.program.sizes.size_expression import (
    Assumed,
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
from warplens.analysis.program.sizes.size_facts import changed_facts
from warplens.analysis.program.sizes.value_set import NOTHING, Input, KnownValue, SourceStep, Standing, ValueSet

_MOST_CHANGED = 8
"""Files that are others, up to which it is looked what differs in them."""


@dataclass(slots=True)
class SizeValues(MemorySizes):
    """Answers questions about one linked program; what was found is kept."""

    def value(self, expression: SizeExpression, function: DefinedFunction, context: CallContext) -> ValueSet:
        """What an expression of a function gives when it is called so."""
        return self.evaluated(expression, function, context, 0).likely()

    def of_program(self, program: LinkedSizes) -> SizeValues:
        """The same of a program in which some files are others: answers that ask nothing of what differs are kept."""
        before, after = self.program.tables, program.tables
        changed = [path for path in {**before, **after} if before.get(path) is not after.get(path)]
        if len(changed) > _MOST_CHANGED:
            return SizeValues(program, self.arguments, self.said)
        kept, at, tables = self.answers, self.program, dict(before)
        for left, path in reversed([*enumerate(changed)]):
            tables.pop(path, None)
            tables.update({path: after[path]} if path in after else {})
            following = LinkedSizes(dict(tables)) if left else program
            facts = changed_facts(at, following, path)
            kept, at = FixedPoints() if facts is None else kept.without(facts), following
        return SizeValues(program, self.arguments, self.said, kept, used=self.used)

    def evaluated(
        self, expression: SizeExpression, function: DefinedFunction | None, context: CallContext, depth: int
    ) -> ValueSet:
        """The values as they are found, in an order that is not yet that of what speaks for them."""
        if depth > DEEPEST:
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
            case Assumed(value, assumption):
                return ValueSet((KnownValue(value),), (Input(assumption, kind="assumed"),))
            case Read(place):
                return self._read(place, function, context, depth).as_of_another()
            case Operation("apart", (Read(end), Read(begin))) if function is not None:
                return self._apart(end, begin, function, context, depth)
            case Operation("?", (condition, then, otherwise)):
                chosen = self.evaluated(condition, function, context, depth + 1)
                if len(chosen.values) == 1 and not chosen.open_inputs:
                    return self.evaluated(then if chosen.values[0].value else otherwise, function, context, depth + 1)
                either = self.evaluated(then, function, context, depth + 1)
                return either | self.evaluated(otherwise, function, context, depth + 1)
            case Operation(name, operands):
                return operated(name, [self.evaluated(one, function, context, depth + 1) for one in operands])
            case Called(name, arguments):
                return self._called(name, arguments, function, context, depth)

    def _apart(self, end: Place, begin: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        """How far a pointer is from another one that it is set from: `end = begin + n`."""
        found = NOTHING
        for stored in self.stores(function.path, end):
            match stored.store.value:
                case Operation("+", (Read(base), step)) if base == begin and stored.function is not None:
                    ways = (context,) if stored.function.key == function.key else self.contexts(stored.function)
                    for each in ways:
                        moved = self.evaluated(step, stored.function, each, depth + 1)
                        found |= moved.through(stored.step, self._standing(stored))
                case _:
                    found |= NOT_FOLLOWED
        return found.likely() if found.values or found.inputs else NOT_FOLLOWED

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

    def _called(
        self,
        name: str,
        arguments: Sequence[SizeExpression],
        function: DefinedFunction | None,
        context: CallContext,
        depth: int,
    ) -> ValueSet:
        callee = None if function is None else self.called(function.path, name)
        if callee is None:
            several = () if function is None else self.definitions(function.path, name)
            results = [self._result(one) for one in several]
            firsts = {one.first.value if one.first else None for one in results}
            if len(firsts) == 1 and None not in firsts:
                return results[0]  # of another program each, and all the same
            return ValueSet(inputs=(Input(f"`{name}` gives it"),))
        if function is None or self.following >= DEEPEST_CALLS:
            return self._result(callee)
        self.following += 1
        passed = self.passed_now(callee, arguments, function, context, depth)
        found = NOTHING
        for stored in self.stores(callee.path, Place("result", name)):
            found |= self._stored(stored, passed, depth)
        self.following -= 1
        return found

    def _result(self, callee: DefinedFunction) -> ValueSet:
        """What a function gives, however it is called."""

        def any_result() -> ValueSet:
            found = NOTHING
            for context in self.contexts(callee):
                for stored in self.stores(callee.path, Place("result", callee.sizes.name)):
                    found |= self._stored(stored, context, 0)
            return found

        return self.shared(("result", callee.key), any_result, NOTHING)

    def _stored(self, stored: StoredValue, context: CallContext, depth: int) -> ValueSet:
        if not self.happens(stored.store.options):
            return NOTHING
        value = self.evaluated(stored.store.value, stored.function, context, depth + 1)
        return value.through(stored.step, self._standing(stored))

    def _standing(self, stored: StoredValue) -> Standing:
        if self.arguments is not None:
            function = stored.function
            is_asked = function is not None and self.is_called_conditionally(function)
            if stored.store.options or (is_asked and function is not None and function.key in self._called_as_said):
                return Standing.SAID
        return Standing.CONDITIONAL if self.is_conditional(stored) else Standing.ALWAYS

    @property
    def _called_as_said(self) -> frozenset[tuple[str, str]]:
        """Functions that the program calls with the arguments that somebody said."""
        none: frozenset[tuple[str, str]] = frozenset()
        return self.answers.ask("called as said", lambda: self.reached_when(self.happens), none)

    def _read(self, place: Place, function: DefinedFunction | None, context: CallContext, depth: int) -> ValueSet:
        path = "" if function is None else function.path
        if self.before and (before := self.before.get(self.program.key_of_program(path, place))) is not None:
            return before
        if self.said_values and (said := said_as(place)) in self.said_values and said is not None:
            self.used.add(said)
            return ValueSet((KnownValue(self.said_values[said], (), Standing.SAID),))
        is_own = function is not None and place.kind in {"variable", "target"} and place.owner == function.sizes.name
        if is_own and function is not None:
            return self._own(place, function, context, depth)
        found = self.shared(self.program.key_of_program(path, place), lambda: self._kept_in(path, place), NOTHING)
        return found if function is None else found.nearest_first(function.path, function.sizes.name)

    def _kept_in(self, path: str, place: Place) -> ValueSet:
        """What is stored in a place of several functions."""
        found = NOTHING
        for stored in _updates_last(self.stores(path, place)):
            before = found
            for each in (NOWHERE,) if stored.function is None else self.contexts(stored.function):
                found = self._with(found, before, stored, each, 0)
        for passed in self.targets(path, place):
            caller, call = passed.caller, passed.call
            for each in self.contexts(caller):
                way = passed.position, passed.target
                left = self._left_by(call, way, place, caller, each, 0)
                found |= left.through(caller.step(call.at), _standing_of_call(call))
        return found.likely()

    def _with(
        self, found: ValueSet, before: ValueSet, stored: StoredValue, context: CallContext, depth: int
    ) -> ValueSet:
        """What a place holds with one more store; what an update finds there is `before`."""
        if not isinstance(stored.store.value, Updated):
            return found | self._stored(stored, context, depth)
        if not self.happens(stored.store.options):
            return found
        key = self.program.key_of_program(stored.path, stored.store.place)
        around = self.before.get(key)
        self.before[key] = before
        standing = self._standing(stored)
        updated = self.evaluated(stored.store.value.value, stored.function, context, depth + 1)
        if around is None:
            del self.before[key]
        else:
            self.before[key] = around
        updated = updated.through(stored.step, standing)
        if standing is Standing.CONDITIONAL:
            return found | updated
        # another function's value may be that of another structure of the type, which nobody changes
        return updated | ValueSet(tuple(one for one in found.values if not one.is_of(stored.step)), found.inputs)

    def _own(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        """A variable of the function itself, or what a parameter of it leads to."""
        question = "own", place
        return self.in_context(
            question, function, context, lambda below: self._all_own(place, function, context, below), depth
        )

    def _all_own(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        found = (context.value(place.name) if place.kind == "variable" else None) or NOTHING
        stores = _updates_last(self.stores(function.path, place))
        for stored in stores:
            found = self._with(found, found, stored, context, depth)
        found |= self._set_by_calls(place, function, context, depth)
        if place.kind == "target":
            led = self._led_to(place, function, depth)
            found |= led if led is not None else NOTHING if stores else NOT_FOLLOWED
        return found.likely()

    def _set_by_calls(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        """What functions leave in a variable whose address they get, or in an array."""
        found, whichever = NOTHING, any_element(place)
        for call in self.parts_of(function).calls:
            for way in call.targets:
                if any_element(way[1]) == whichever:
                    left = self._left_by(call, way, place, function, context, depth)
                    found |= left.through(function.step(call.at), _standing_of_call(call))
        return found

    def _left_by(
        self,
        call: Call,
        way: tuple[int, Place],
        place: Place,
        function: DefinedFunction,
        context: CallContext,
        depth: int,
    ) -> ValueSet:
        """What a call leaves in a place, where it passes the address of it or of an element of the same array."""
        position, target = way
        callee = self.called(function.path, call.function)
        if callee is None:
            known = library_call(call.function)
            is_kept = known is not None and not known.may_write(position)
            return NOTHING if is_kept else ValueSet(inputs=(Input(f"`{call.function}` sets it"),))
        if position >= len(callee.sizes.parameters):
            return NOTHING
        if self.following >= DEEPEST_CALLS:
            return NOT_FOLLOWED
        self.following += 1
        pointer = callee.sizes.parameters[position]
        passed = self.passed_now(callee, call.arguments, function, context, depth)
        found, names = NOTHING, (place, any_element(place))
        for store in callee.sizes.stores:
            if store.place.kind == "target" and behind(store.place, pointer, target) in names:
                found |= self._stored(StoredValue(store, callee.path, callee), passed, depth)
        for inner in callee.sizes.calls:  # handed on: `read_size(f, n)` in `open_grid(char *name, int *n)`
            for at, led in _handed_on(inner, callee.sizes.name, pointer):
                further = behind(led, pointer, target)
                if further is not None:
                    found |= self._left_by(inner, (at, further), place, callee, passed, depth + 1)
        self.following -= 1
        return found

    def _led_to(self, place: Place, function: DefinedFunction, depth: int) -> ValueSet | None:
        """What callers keep where a pointer parameter leads; None where none passes a place that is followed."""
        found = None
        pointer = pointer_of(place)
        parameters = self.parts_of(function).parameters
        for site in self.calls_of(function) if pointer in parameters else ():
            targets = (target for at, target in site.call.targets if at == parameters.index(pointer))
            for there in filter(None, (behind(place, pointer, target) for target in targets)):
                found = found or NOTHING
                for around in self.contexts(site.caller):
                    found |= self._read(there, site.caller, around, depth + 1)
        return found


def _handed_on(call: Call, function: str, pointer: str) -> Iterator[tuple[int, Place]]:
    """Positions at which a call passes on what a pointer of a function leads to, and where each leads."""
    whole = Read(Place("variable", function, pointer))
    known = {at: target for at, target in call.targets if target.kind == "target"}
    for at, argument in enumerate(call.arguments):
        if at in known:
            yield at, known[at]
        elif argument == whole:
            yield at, led_to(function, pointer)


def _standing_of_call(call: Call) -> Standing:
    return Standing.CONDITIONAL if call.is_conditional else Standing.ALWAYS


def _updates_last(stores: Iterable[StoredValue]) -> list[StoredValue]:
    return sorted(stores, key=lambda one: isinstance(one.store.value, Updated))
