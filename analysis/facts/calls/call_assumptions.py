"""What is taken for granted of the functions that a loop calls, and whose work is in no time."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.c.linear_algebra import assumed_of
from warplens.analysis.facts.calls.calls import calls_in
from warplens.analysis.ir.addresses import is_address
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Call
from warplens.analysis.ir.nest import Loop, Statement
from warplens.analysis.ir.reinterpretation import BITS
from warplens.analysis.ir.vector_parts import VECTOR_PARTS


def call_assumptions(loop: Loop) -> tuple[Assumption, ...]:
    """One assumption per function whose calls in the loop are assumed to do nothing but give a value."""
    found = [
        Assumption("call", call.function, call.note, origin="inferred")
        for call in _calls((loop,))
        if call.effects in {"assumed", "ends"}
    ]
    return tuple(dict.fromkeys(found))


def uncounted_functions(body: tuple[Statement, ...]) -> tuple[str, ...]:
    """Functions that stay calls, in source order: what they compute and touch is not known, so that it costs nothing.

    Those that end the program are assumed not to be called; what stands for a routine of BLAS is counted as its loops.
    """
    every = (call for call in _calls(body) if call.effects != "ends" and not is_stood_in_for(call))
    return tuple(dict.fromkeys(call.function for call in every))


def is_stood_in_for(call: Call) -> bool:
    """Whether a call only says that loops beside it stand for a routine of a library."""
    return call.effects == "assumed" and bool(call.note) and call.note == assumed_of(call.function)


def _calls(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Calls in the source of functions that are no operation."""
    every = (call for call in calls_in(body) if not call.is_math and not is_address(call))
    return (call for call in every if call.function not in VECTOR_PARTS | {BITS})
