"""The quick fix that declares parameters `restrict` of which the analysis assumes that they don't overlap (WL902).

Not proved, and it can't be: the keyword is the user's promise that no caller passes overlapping memory. The fix is
offered only for pointers that the nest's verdicts assume it of, and says what is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ports.assumed_pairs import assumed_pairs
from warplens.analysis.ports.fix import TITLE_LENGTH, FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.overlapping_calls import overlapping_pairs
from warplens.analysis.ports.restructure.parameter_list import Parameter, definition_parameters, prototypes
from warplens.analysis.text.file_text import words_of
from warplens.analysis.text.span import Span

CODE = "restrict"
_FINDINGS = ("WL902",)


@dataclass(frozen=True, slots=True)
class _Promise:
    """Parameters to be declared `restrict`, and all names that are then promised to be apart."""

    parameters: tuple[Parameter, ...]
    names: tuple[str, ...]


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per nest that assumes of parameters that they don't overlap."""
    pairs = assumed_pairs(context.evaluation.facts)
    if not pairs:
        return ()
    root = context.evaluation.facts.nest.root.id
    promise = _promise(context, pairs)
    if not promise.parameters:
        reason = _refusal(context, pairs[0])
        return (OfferedFix(CODE, "Declare pointers `restrict`", root, refusal=reason, findings=_FINDINGS),)
    names = _listed([parameter.name for parameter in promise.parameters])
    title = f"Declare {names} `restrict`: you promise that {_listed(promise.names)} don't overlap"
    if len(title) > TITLE_LENGTH:
        count = len(promise.parameters)
        title = f"Declare {count} pointers `restrict`: you promise that what they point to doesn't overlap"
    return (OfferedFix(CODE, title, root, findings=_FINDINGS),)


def edit(context: FixContext, _offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """The keyword in the definition, and at the same places of the prototypes in the file."""
    pairs = assumed_pairs(context.evaluation.facts)
    promise = _promise(context, pairs)
    if not promise.parameters:
        return FixEdits(refusal=_refusal(context, pairs[0]) if pairs else "")
    names = frozenset(parameter.name for parameter in promise.parameters)
    keyword = _keyword(context.source)
    own = definition_parameters(context.source, context.function, context.function_span)
    apart = [pair for pair in combinations(promise.names, 2) if not names.isdisjoint(pair)]
    broken = next(overlapping_pairs(context.evaluation.facts, apart), "")
    if broken:
        return FixEdits(refusal=broken)
    edits = [parameter.restrict_edit(keyword) for parameter in own if parameter.name in names]
    for other in prototypes(context.source, context.function):
        if len(other) == len(own):
            edits += [o.restrict_edit(keyword) for o, p in zip(other, own, strict=True) if p.name in names]
    found = sorted({(Span(at, at), text) for at, text in filter(None, edits)})
    return FixEdits(
        tuple(TextEdit(span, text) for span, text in found),
        note="`restrict` in the definition and in the prototypes of this file",
        promise=f"no caller passes memory in which {_listed(promise.names)} overlap",
    )


FIX = FixRule(CODE, offer, edit).of_source_order


def _refusal(context: FixContext, pair: tuple[str, ...]) -> str:
    shown = f"`{pair[0]}` and `{pair[1]}`" if len(pair) > 1 else f"the rows of `{pair[0]}`"
    return f"{shown} are no parameters of `{context.function}` that could be declared `restrict`"


def _promise(context: FixContext, pairs: list[tuple[str, ...]]) -> _Promise:
    """All parameters of the pairs that hold one: a pair of which neither is one stays an assumption."""
    arrays = {array.name: array for array in context.evaluation.facts.nest.arrays}
    own = {p.name: p for p in definition_parameters(context.source, context.function, context.function_span)}
    chosen: dict[str, Parameter] = {}
    promised: set[str] = set()
    for pair in pairs:
        pointers = [
            name
            for name in pair
            if name in own and name in arrays and arrays[name].is_pointer and arrays[name].scope == "parameter"
            if own[name].restrict_edit("restrict") is not None and _is_pointer_type(own[name], arrays[name])
        ]
        if len(pair) > 1 and pointers:
            chosen |= {name: own[name] for name in pointers}
            promised.update(pair)
    order = [name for name in own if name in chosen]
    return _Promise(tuple(chosen[name] for name in order), tuple(sorted(promised)))


def _is_pointer_type(parameter: Parameter, array: ArrayObject) -> bool:
    """Whether the keyword may stand at the name: a `typedef` of an array would hand it on to the elements."""
    return not {"*", "["}.isdisjoint(parameter.texts) or (bool(array.extents) and array.extents[0] is None)


def _keyword(source: str) -> str:
    """`restrict`, or the spelling that the file has where it never has this one (for compilers before C99)."""
    words = words_of(source)
    others = [word for word in ("__restrict", "__restrict__") if word in words]
    return others[0] if others and "restrict" not in words else "restrict"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
