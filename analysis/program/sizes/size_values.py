"""Values of expressions, through operations, calls and what functions give.

Source: interprocedural constant propagation with jump functions, Callahan, Cooper, Kennedy, Torczon, SIGPLAN 1986, over
sets of values; flow-insensitive (`place_values.py`). So it says what a size is likely to be
and proves nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.program.sizes.call_contexts import CallContext
from warplens.analysis.program.sizes.command_line import argument_at, number_in, option_in
from warplens.analysis.program.sizes.file_table import DefinedFunction
from warplens.analysis.program.sizes.fixed_points import FixedPoints
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.memory_sizes import DEEPEST
from warplens.analysis.program.sizes.operated_values import NOT_FOLLOWED, operated
from warplens.analysis.program.sizes.place_values import PlaceValues
from warplens.analysis.program.sizes.places import Place
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
class SizeValues(PlaceValues):
    """Answers questions about one linked program; what was found is kept."""

    def value(self, expression: SizeExpression, function: DefinedFunction, context: CallContext) -> ValueSet:
        """What an expression of a function gives when it is called so."""
        return self.evaluated(expression, function, context, 0).likely()

    def of_program(self, program: LinkedSizes) -> SizeValues:
        """The same of a program in which some files are others: answers that ask nothing of what differs are kept.

        The same object where all files say the same.
        """
        before, after = self.program.tables, program.tables
        changed = [path for path in {**before, **after} if before.get(path) is not after.get(path)]
        if all(path in before and path in after and before[path].sizes == after[path].sizes for path in changed):
            return self
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
                return self.read(place, function, context, depth).as_of_another()
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
                        found |= moved.through(stored.step, self.standing(stored))
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
        if function is None or not self.may_follow(callee):
            return self._result(callee)
        self.followed = (*self.followed, callee.key)
        passed = self.passed_now(callee, arguments, function, context, depth)
        found = NOTHING
        for stored in self.stores(callee.path, Place("result", name)):
            found |= self.stored_value(stored, passed, depth)
        self.followed = self.followed[:-1]
        return found

    def _result(self, callee: DefinedFunction) -> ValueSet:
        """What a function gives, however it is called."""

        def any_result() -> ValueSet:
            found = NOTHING
            for context in self.contexts(callee):
                for stored in self.stores(callee.path, Place("result", callee.sizes.name)):
                    found |= self.stored_value(stored, context, 0)
            return found

        return self.shared(("result", callee.key), any_result, NOTHING)
