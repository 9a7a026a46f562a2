"""Arrays of the function that nothing but one nest uses: what is in them before and after it matters to nobody."""

from __future__ import annotations

import re

from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import Tokens, tokenise, without_comments_and_directives

_UNINITIALISED = re.compile(r"(?:malloc|aligned_alloc)\Z")


def own_arrays(nest: LoopNest, nest_span: Span, function_span: Span, source: str) -> frozenset[str]:
    """Names of those that the function declares without a value, or allocates, and names nowhere else but to free.

    What a macro of the function does is not seen: its arguments are mentions like others.
    """
    candidates = [array for array in nest.arrays if _is_own(array)]
    if not candidates:
        return frozenset()
    text = without_comments_and_directives(source[function_span.start : function_span.end])
    inside = nest_span.shifted(-function_span.start)
    tokens = tokenise(text)
    outside = [n for n, at in enumerate(tokens.starts) if not inside.start <= at < inside.end]
    return frozenset(array.name for array in candidates if _is_unused(array, tokens, outside))


def _is_own(array: ArrayObject) -> bool:
    is_memory = not array.is_pointer or array.is_allocated
    return array.scope == "local" and is_memory and not array.may_point_into and c_name(array.name).isidentifier()


def _is_unused(array: ArrayObject, tokens: Tokens, outside: list[int]) -> bool:
    name = c_name(array.name)
    uses = [n for n in outside if tokens.texts[n] == name]
    declarations = sum(_declares(array, tokens, n) for n in uses)
    return declarations == 1 and all(_declares(array, tokens, n) or _is_harmless(tokens, n) for n in uses)


def _declares(array: ArrayObject, tokens: Tokens, at: int) -> bool:
    """Whether the mention looks like the declaration, without a value but fresh memory: there is one that is it."""
    texts = tokens.texts
    start = at
    while start and texts[start - 1] not in {";", "{", "}"}:
        start -= 1
    if start == at or not {"static", "extern"}.isdisjoint(texts[start:at]):
        return False
    if not re.match(r"[A-Za-z_,*]", texts[at - 1]):
        return False
    end = at + 1
    while end < len(texts) and texts[end] == "[":
        while end < len(texts) and texts[end] != "]":
            end += 1
        end += 1
    after = texts[end] if end < len(texts) else ""
    if array.is_pointer:
        return after in {";", ","} or (after == "=" and _is_fresh(tokens, end + 1))
    return after in {";", ","}


def _is_fresh(tokens: Tokens, at: int) -> bool:
    """Whether the value that starts at a token is new memory with nothing in it."""
    end = at
    while end < len(tokens.texts) and tokens.texts[end] not in {";", ","}:
        if _UNINITIALISED.match(tokens.texts[end]):
            return True
        if re.match(r"[A-Za-z_]\w*\Z", tokens.texts[end]) and tokens.texts[end + 1 : end + 2] == ("(",):
            return False
        end += 1
    return False


def _is_harmless(tokens: Tokens, at: int) -> bool:
    """Whether the mention frees the memory, allocates it, asks whether there is any or for an element's size."""
    texts = tokens.texts
    before = texts[max(0, at - 2) : at]
    after = texts[at + 1 : at + 2]
    if before == ("sizeof", "*") or texts[max(0, at - 3) : at] == ("sizeof", "(", "*"):
        return True
    if before == ("free", "(") and after == (")",):
        return True
    if after == ("=",) and texts[at - 1] in {";", "{", "}"}:
        return _is_fresh(tokens, at + 2)
    return texts[at - 1] == "!" and after == (")",)
