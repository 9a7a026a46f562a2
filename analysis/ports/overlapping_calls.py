"""Calls in the file that pass memory which overlaps for pointers of which a port takes the opposite for granted.

No part of an offer, which may not depend on what other functions hold: asked when a fix is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.ports.restructure.parameter_list import calls, definition_parameters
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.loop_places import find_places

_CAST = re.compile(r"\((?:const|volatile|unsigned|signed|struct|[A-Za-z_]\w*)[\w*]*\*\)")
_NO_ADDRESS = re.compile(r"NULL|nullptr|\(void\*\)0|[\d.]+\w*")
_PATH = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*"
_SUM = re.compile(rf"({_PATH})(?:([+-])(.+))?\Z")
_ELEMENT = re.compile(rf"&({_PATH})\[([^\[\]]+)\]\Z")
_NUMBER = re.compile(r"-?\d+\Z")
_MOST_STEPS = 8
"""Pointers that are followed from one to the next."""


@dataclass(frozen=True, slots=True)
class _Address:
    """`x + 1`: the variable that it is in, and how far from its start; None where that is no number."""

    base: str
    offset: int | None
    text: str


def overlapping_call(context: FixContext, pairs: Sequence[tuple[str, ...]]) -> str:
    """Where a call of this file contradicts one of the pairs: a clause for a refusal; empty if none does.

    Two addresses in one variable overlap but where their distance is not known (halves of one buffer are apart), or is
    known to be as large as what is touched.
    """
    own = definition_parameters(context.source, context.function, context.function_span)
    names = [parameter.name for parameter in own]
    asked = [pair for pair in pairs if len(pair) == 2 and set(pair) <= set(names)]
    if not asked:
        return ""
    for end, arguments in calls(context.source, context.function):
        if len(arguments) != len(names):
            continue
        passed = dict(zip(names, arguments, strict=True))
        addresses = {name: _address(text, context.source, end) for name, text in passed.items()}
        for left, right in asked:
            one, other = addresses[left], addresses[right]
            if (
                one is not None
                and other is not None
                and _overlap(one, other, _longest(context.evaluation.facts, passed))
            ):
                line = context.source.count("\n", 0, end) + 1
                texts = f"`{one.text}`" if one.text == other.text else f"`{one.text}` and `{other.text}`"
                return f"line {line} passes {texts} for `{left}` and `{right}`: they overlap there"
    return ""


def _overlap(one: _Address, other: _Address, longest: int | None) -> bool:
    if one.base != other.base or one.text == other.text:
        return one.base == other.base
    if one.offset is None or other.offset is None:
        return False
    return longest is None or abs(one.offset - other.offset) < longest


def _longest(facts: NestFacts, passed: Mapping[str, str]) -> int | None:
    """Elements of what is touched of any array, None where the numbers in the call do not say how many."""
    values = {name: int(text) for name, text in passed.items() if _NUMBER.match(text)}
    sizes = [(facts.nest.array(t.array), formula) for t in facts.transfers for formula in (t.in_bytes, t.out_bytes)]
    if any(not formula.parameters <= values.keys() for _, formula in sizes):
        return None
    return max((ceil(formula.evaluate(values) / array.element_bytes) for array, formula in sizes), default=None)


def _address(text: str, source: str, at: int) -> _Address | None:
    """What an argument, without spaces, leads to; variables that the caller sets once are what they are set to."""
    base, here = text, True
    offset: int | None = 0
    for _ in range(_MOST_STEPS):
        stripped = _CAST.sub("", base)
        while stripped.startswith("(") and stripped.endswith(")"):
            stripped = stripped[1:-1]
        if _NO_ADDRESS.fullmatch(stripped):
            return None
        element = _ELEMENT.match(stripped)
        found = element or _SUM.match(stripped)
        if found is None:
            return _Address(stripped, 0 if here else None, text) if here else None
        base, moved = found[1], (found[2] if element else f"{found[2] or ''}{found[3] or '0'}".removeprefix("+"))
        offset = offset + int(moved) if _NUMBER.match(moved) and offset is not None else None
        value = _only_value(base, source, at)
        if not value:
            return _Address(base, offset, text)
        base, here = value, False
    return None


def _only_value(name: str, source: str, at: int) -> str:
    """What a pointer of the calling function is set to, without spaces, if that is an address and happens once."""
    code = code_of(source)
    caller = next(
        (place.whole for place in find_places(source).functions if place.whole.start <= at < place.whole.end), None
    )
    if caller is None or not name.isidentifier():
        return ""
    body = code[caller.start : caller.end]
    word = rf"(?<![\w.>]){re.escape(name)}"
    settings = re.findall(rf"(\*\s*(?:restrict\s+|const\s+)*)?{word}\s*(\+=|-=|\+\+|--|=(?!=)([^;,]*))", body)
    if len(settings) != 1 or not settings[0][2] or re.search(rf"(?:\+\+|--|&)\s*{word}\b(?!\s*\[)", body):
        return ""
    value = "".join(settings[0][2].split())
    return value if _ELEMENT.match(value) or _SUM.match(_CAST.sub("", value)) else ""
