"""How functions of a program are called: what is passed for their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from warplens.analysis.program.sizes.command_line import is_among
from warplens.analysis.program.sizes.file_table import CallOf, DefinedFunction
from warplens.analysis.program.sizes.program_questions import ProgramQuestions
from warplens.analysis.program.sizes.programs import MAIN
from warplens.analysis.program.sizes.size_expression import SizeExpression
from warplens.analysis.program.sizes.value_set import NOTHING, KnownValue, SourceStep, ValueSet

MOST_CONTEXTS = 16
"""Ways in which a function is called, with different values, that are kept apart."""


@dataclass(frozen=True, slots=True, eq=False)
class CallContext:
    """How a function is called: what its numbers are, a call that passes them, how many calls do."""

    values: tuple[tuple[str, ValueSet], ...] = ()
    calls: int = 1
    at: SourceStep | None = None
    found: dict[Hashable, ValueSet] | None = field(default=None, repr=False)
    """What was found in a context that only one call has, by what was asked; None in one that anybody may ask of."""

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
class CallContexts(ProgramQuestions, ABC):
    """Finds the contexts of functions from those of their callers."""

    @abstractmethod
    def evaluated(
        self, expression: SizeExpression, function: DefinedFunction | None, context: CallContext, depth: int
    ) -> ValueSet:
        """What an expression of a function gives when it is called so."""

    def contexts(self, function: DefinedFunction) -> _Contexts:
        """How a function is called, the most common first; one without values where nobody calls it."""
        nothing: _Contexts = ()
        return self.shared(_contexts_of(function), lambda: self._all_contexts(function), nothing, _are_same)

    def in_context(
        self,
        question: Hashable,
        function: DefinedFunction,
        context: CallContext,
        find: Callable[[int], ValueSet],
        depth: int,
    ) -> ValueSet:
        """What `find` gives for an expression of a function in one of its contexts, below `depth` others.

        In a context that anybody may ask of it is kept as long as that is, and found as if nobody had asked.
        """
        if context.found is not None:
            if question not in context.found:
                context.found[question] = NOTHING
                context.found[question] = find(depth)
            return context.found[question]

        def found() -> ValueSet:
            self.answers.note(_contexts_of(function))
            return find(0)

        return self.shared((question, function.key, context), found, NOTHING)

    def _all_contexts(self, function: DefinedFunction) -> _Contexts:
        self.parts_of(function)
        found: dict[tuple[int | float | None, ...], CallContext] = {}
        for site in self.calls_of(function):
            for context in self._passed(function, site) if self.happens(site.call.options) else ():
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
                self.evaluated(one, site.caller, around, 0).likely().through(step)
                for at, one in enumerate(site.call.arguments)
                if at in numbers
            ]
            chosen = (zip(numbers.values(), one, strict=False) for one in _alternatives(values))
            found += [CallContext(tuple(one), 1, step) for one in chosen]
        return found

    def passed_now(
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
        passed = tuple((name, self.evaluated(one, function, context, depth + 1)) for name, one in given)
        return CallContext(passed, found={})

    def happens(self, options: tuple[tuple[str, ...], ...]) -> bool:
        """Whether what stands under options happens, as far as somebody said how the program is called."""
        return self.arguments is None or all(is_among(self.arguments, one) for one in options)


def _contexts_of(function: DefinedFunction) -> Hashable:
    return "contexts", function.key


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
