"""What places hold: what is stored in them, what calls leave in them, what callers keep where a pointer leads.

Flow-insensitive: one place per member of a structure's type.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from warplens.analysis.c.c_library import library_call
from warplens.analysis.program.sizes.call_contexts import NOWHERE, CallContext
from warplens.analysis.program.sizes.file_sizes import Call
from warplens.analysis.program.sizes.file_table import DefinedFunction, StoredValue
from warplens.analysis.program.sizes.memory_sizes import MemorySizes
from warplens.analysis.program.sizes.operated_values import NOT_FOLLOWED
from warplens.analysis.program.sizes.places import Place, any_element, behind, led_to, pointer_of
from warplens.analysis.program.sizes.said_sizes import said_as
from warplens.analysis.program.sizes.size_expression import Read, Updated
from warplens.analysis.program.sizes.value_set import NOTHING, Input, KnownValue, Standing, ValueSet


@dataclass(slots=True)
class PlaceValues(MemorySizes, ABC):
    """Finds the values of variables, members and what pointers lead to."""

    def read(self, place: Place, function: DefinedFunction | None, context: CallContext, depth: int) -> ValueSet:
        """What a place of a function holds, or of the whole program."""
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
            return found | self.stored_value(stored, context, depth)
        if not self.happens(stored.store.options):
            return found
        key = self.program.key_of_program(stored.path, stored.store.place)
        around = self.before.get(key)
        self.before[key] = before
        standing = self.standing(stored)
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

    def stored_value(self, stored: StoredValue, context: CallContext, depth: int) -> ValueSet:
        """What one statement stores; nothing where it is known not to happen."""
        if not self.happens(stored.store.options):
            return NOTHING
        value = self.evaluated(stored.store.value, stored.function, context, depth + 1)
        return value.through(stored.step, self.standing(stored))

    def standing(self, stored: StoredValue) -> Standing:
        """How much speaks for what a statement stores."""
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
        if not self.may_follow(callee):
            return NOT_FOLLOWED
        self.followed = (*self.followed, callee.key)
        pointer = callee.sizes.parameters[position]
        passed = self.passed_now(callee, call.arguments, function, context, depth)
        found, names = NOTHING, (place, any_element(place))
        for store in callee.sizes.stores:
            if store.place.kind == "target" and behind(store.place, pointer, target) in names:
                found |= self.stored_value(StoredValue(store, callee.path, callee), passed, depth)
        for inner in callee.sizes.calls:  # handed on: `read_size(f, n)` in `open_grid(char *name, int *n)`
            for at, led in _handed_on(inner, callee.sizes.name, pointer):
                further = behind(led, pointer, target)
                if further is not None:
                    found |= self._left_by(inner, (at, further), place, callee, passed, depth + 1)
        self.followed = self.followed[:-1]
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
                    found |= self.read(there, site.caller, around, depth + 1)
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
