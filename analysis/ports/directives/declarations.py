"""What the declarations in a source say against mapping a nest's objects: storage of threads, sizes not known there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import ArrayOf, Scalar, StructOf
from warplens.analysis.ports.sections.changed_length import why_length_differs
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import Tokens, tokenise, without_comments_and_directives

_OF_THREADS = re.compile(r"\b(?:_Thread_local|__thread|thread_local)\b([^;={}]*)")
_THREADPRIVATE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+threadprivate[ \t]*\(([^)]*)\)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


def why_not_mapped(nest: LoopNest, whole: Span, function: Span, source: str) -> str:
    """Reason in the source's terms, empty if there is none; `whole` is the nest, `function` the one around it."""
    text = without_comments_and_directives(source)
    own = _of_threads(source, text)
    names = [scalar.name for scalar in nest.scalars if scalar.scope in {"global", "local"}]
    names += [array.name for array in nest.arrays if array.scope in {"global", "local"}]
    found = next((c_name(name) for name in names if c_name(name) in own), "")
    if found:
        return f"every thread of the host has a `{found}` of its own, which the device can't reach"
    wide = next((c_name(each.name) for each in nest.scalars if _is_long_double(each.type)), "") or next(
        (c_name(array.name) for array in nest.arrays if _is_long_double(array.element)), ""
    )
    if wide:
        return f"`{wide}` is `long double`, which a GPU does not have"
    tokens = tokenise(text, 0, whole.start)
    for array in nest.arrays:
        name = c_name(array.name)
        if array.scope == "global" and _has_no_size(name, tokens):
            return f"`{name}` is declared without its size above the loop: directives can't map it"
        flexible = _flexible_member(array)
        if flexible:
            return f"`{name}` ends in the array `{flexible}`, of which its type doesn't say how much there is"
    return why_length_differs(nest, whole, function, source)


def _of_threads(source: str, text: str) -> set[str]:
    """Names that are declared with the storage of a thread."""
    listed = (match[1] for match in _THREADPRIVATE.finditer(source))
    declared = (match[1] for match in _OF_THREADS.finditer(text))
    return {word for part in (*listed, *declared) for word in _WORD.findall(part)}


def _is_long_double(ctype: object) -> bool:
    return isinstance(ctype, Scalar) and ctype.name == "long double"


def _has_no_size(name: str, tokens: Tokens) -> bool:
    """Whether all declarations of an array outside of functions leave the outermost length open."""
    declared = list(_outside_of_brackets(name, tokens))
    return bool(declared) and not any(declared)


def _outside_of_brackets(name: str, tokens: Tokens) -> Iterator[bool]:
    """For each declaration of an array of the file, whether it has a size or a value."""
    depth = 0
    texts = tokens.texts
    for at, word in enumerate(texts):
        depth += (word in {"{", "("}) - (word in {"}", ")"})
        if depth == 0 and word == name and texts[at + 1 : at + 2] == ("[",):
            end = next((n for n in range(at, len(texts)) if texts[n] in {"=", ",", ";"}), len(texts) - 1)
            yield texts[at + 2] != "]" or texts[end] == "="


def _flexible_member(array: ArrayObject) -> str:
    """Name of the last member where it is an array that is as long as the memory behind it."""
    element = array.element
    if not isinstance(element, StructOf) or element.is_union or not element.fields:
        return ""
    last = element.fields[-1]
    extent = last.type.extent if isinstance(last.type, ArrayOf) else None
    is_open = isinstance(last.type, ArrayOf) and (extent is None or (extent.is_constant and extent.constant_term < 2))
    return last.name if is_open else ""
