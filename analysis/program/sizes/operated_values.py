"""C's operators on sets of values."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.program.sizes.number_operations import computed
from warplens.analysis.program.sizes.value_set import NOTHING, Input, KnownValue, Standing, ValueSet

NOT_FOLLOWED = ValueSet(inputs=(Input("is computed in a way that is not followed"),))


def operated(name: str, operands: Sequence[ValueSet]) -> ValueSet:
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


def _standing_of(operands: Sequence[KnownValue]) -> Standing:
    """As the weakest of the operands, but as said where one is said and none depends on a condition."""
    standings = {one.standing for one in operands}
    if Standing.CONDITIONAL in standings:
        return Standing.CONDITIONAL
    return Standing.SAID if Standing.SAID in standings else Standing.ALWAYS
