"""How much memory pointers lead to, from where the program allocates it."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from warplens.analysis.program.sizes.call_contexts import NOWHERE, CallContext, CallContexts
from warplens.analysis.program.sizes.file_sizes import Call
from warplens.analysis.program.sizes.file_table import DefinedFunction
from warplens.analysis.program.sizes.places import Place, led_to
from warplens.analysis.program.sizes.size_expression import Called, Read, SizeExpression
from warplens.analysis.program.sizes.value_set import NOTHING, ValueSet

DEEPEST = 60
"""Expressions in expressions."""
_DEEPEST_CALLS = 3
"""Calls in calls up to which what a function gives is found for its arguments."""
_OF_FUNCTION = frozenset(("variable", "target"))


@dataclass(slots=True)
class MemorySizes(CallContexts, ABC):
    """Finds the sizes of allocations."""

    def bytes_of(self, pointer: SizeExpression, function: DefinedFunction, context: CallContext) -> ValueSet:
        """How many bytes the memory has that a pointer of a function leads to, from where it is allocated."""
        return self._bytes(pointer, function, context, 0).likely()

    def _bytes(
        self, pointer: SizeExpression, function: DefinedFunction | None, context: CallContext, depth: int
    ) -> ValueSet:
        if depth > DEEPEST or function is None:
            return NOTHING
        match pointer:
            case Read(place):
                key = "bytes", self.program.key_of_program(function.path, place)
                if place.kind not in _OF_FUNCTION:
                    return self.shared(key, lambda: self._all_bytes(place, function, NOWHERE, 0), NOTHING)
                return self.in_context(
                    key, function, context, lambda below: self._all_bytes(place, function, context, below), depth
                )
            case Called(name, arguments):
                callee = self.called(function.path, name)
                if callee is None or not self.may_follow(callee):
                    return NOTHING
                self.followed = (*self.followed, callee.key)
                passed = self.passed_now(callee, arguments, function, context, depth)
                found = NOTHING
                for stored in self.stores(callee.path, Place("result", name)):
                    found |= self._bytes(stored.store.value, stored.function, passed, depth + 1).through(stored.step)
                self.followed = self.followed[:-1]
                return found
            case _:
                return NOTHING

    def may_follow(self, callee: DefinedFunction) -> bool:
        """Whether a call is followed into its function: not too deep, and into one that calls itself only once."""
        return len(self.followed) < _DEEPEST_CALLS and callee.key not in self.followed

    def _all_bytes(self, place: Place, function: DefinedFunction, context: CallContext, depth: int) -> ValueSet:
        found = NOTHING
        is_own = place.kind in _OF_FUNCTION
        for memory in self.allocations(function.path, place):
            for around in (context,) if is_own or memory.function is None else self.contexts(memory.function):
                allocated = self.evaluated(memory.allocation.bytes_, memory.function, around, depth + 1)
                found |= allocated.through(memory.step)
        for stored in self.stores(function.path, place):
            for around in (context,) if is_own or stored.function is None else self.contexts(stored.function):
                found |= self._bytes(stored.store.value, stored.function, around, depth + 1)
        if place.kind == "variable":
            parts = self.parts_of(function)
            if place.name in parts.parameters:
                found |= self._passed_bytes(parts.parameters.index(place.name), function)
            for call in parts.calls:
                found |= self._bytes_left(call, place, function, context, depth)
        return found

    def _passed_bytes(self, position: int, function: DefinedFunction) -> ValueSet:
        """What callers pass for a pointer: the same in whatever way the function is called."""
        key = "passed bytes", function.key, position
        return self.shared(key, lambda: self._all_passed_bytes(position, function), NOTHING)

    def _all_passed_bytes(self, position: int, function: DefinedFunction) -> ValueSet:
        found = NOTHING
        for site in self.calls_of(function):
            if position < len(site.call.arguments):
                step = site.caller.step(site.call.at)
                for around in self.contexts(site.caller):
                    found |= self._bytes(site.call.arguments[position], site.caller, around, 0).through(step)
        return found

    def _bytes_left(
        self, call: Call, place: Place, function: DefinedFunction, context: CallContext, depth: int
    ) -> ValueSet:
        """What a function allocates for a pointer whose address it gets."""
        found = NOTHING
        for position, target in call.targets:
            callee = self.called(function.path, call.function) if target == place else None
            if callee is not None and position < len(callee.sizes.parameters):
                passed = self.passed_now(callee, call.arguments, function, context, depth)
                given = led_to(callee.sizes.name, callee.sizes.parameters[position])
                for memory in self.allocations(callee.path, given):
                    allocated = self.evaluated(memory.allocation.bytes_, callee, passed, depth + 1)
                    found |= allocated.through(memory.step)
        return found
