"""What the declarations in a source say against mapping a nest's objects: storage of threads, sizes not known there."""

from __future__ import annotations

import re
from functools import lru_cache

from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import ArrayOf, Scalar, StructOf
from warplens.analysis.ports.sections.changed_length import why_length_differs
from warplens.analysis.text.file_text import KEPT_TEXTS, code_of, tokens_of
from warplens.analysis.text.span import Span

_OF_THREADS = re.compile(r"\b(?:_Thread_local|__thread|thread_local)\b([^;={}]*)")
_THREADPRIVATE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+threadprivate[ \t]*\(([^)]*)\)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_ARRAY = re.compile(r"([^\W\d]\w*)\s+([^\W\d]\w*)\s*\[")
_NO_TYPES = frozenset(("return", "else", "do", "case", "goto", "sizeof"))


def why_not_mapped(nest: LoopNest, whole: Span, function: Span, source: str) -> str:
    """Reason in the source's terms, empty if there is none; `whole` is the nest, `function` the one around it."""
    own = _of_threads(source)
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
    for array in nest.arrays:
        name = c_name(array.name)
        if array.scope == "global" and _has_no_size(name, source, whole.start):
            return f"`{name}` is declared without its size above the loop: directives can't map it"
        flexible = _flexible_member(array)
        if flexible:
            return f"`{name}` ends in the array `{flexible}`, of which its type doesn't say how much there is"
    return why_length_differs(nest, whole, function, source)


@lru_cache(KEPT_TEXTS)
def _of_threads(source: str) -> frozenset[str]:
    """Names that are declared with the storage of a thread."""
    if "thread" not in source and "_Thread_local" not in source:
        return frozenset()
    listed = (match[1] for match in _THREADPRIVATE.finditer(source))
    declared = (match[1] for match in _OF_THREADS.finditer(code_of(source)))
    return frozenset(word for part in (*listed, *declared) for word in _WORD.findall(part))


def _is_long_double(ctype: object) -> bool:
    return isinstance(ctype, Scalar) and ctype.name == "long double"


def _has_no_size(name: str, source: str, before: int) -> bool:
    """Whether all declarations of an array outside of functions, before an offset, leave the outermost length open."""
    declared = [has_size for start, has_size in _outside_of_brackets(source).get(name, ()) if start < before]
    return bool(declared) and not any(declared)


def arrays_declared(source: str, function: Span | None) -> frozenset[str]:
    """Names of arrays that a function declares in its body, or that the file declares, for no function."""
    if function is None:
        return frozenset(_outside_of_brackets(source))
    body = source.find("{", function.start)
    declared = _ARRAY.findall(code_of(source), body, function.end)
    return frozenset(name for first, name in declared if first not in _NO_TYPES)


@lru_cache(KEPT_TEXTS)
def _outside_of_brackets(source: str) -> dict[str, tuple[tuple[int, bool], ...]]:
    """For each array of the file the offsets of its declarations, with whether it has a size or a value there."""
    depth = 0
    found: dict[str, tuple[tuple[int, bool], ...]] = {}
    tokens = tokens_of(source)
    texts = tokens.texts
    for at, word in enumerate(texts[:-2]):
        depth += (word in {"{", "("}) - (word in {"}", ")"})
        if depth == 0 and texts[at + 1] == "[":
            end = next((n for n in range(at, len(texts)) if texts[n] in {"=", ",", ";"}), len(texts) - 1)
            has_size = texts[at + 2] != "]" or texts[end] == "="
            found[word] = (*found.get(word, ()), (tokens.starts[at], has_size))
    return found


def _flexible_member(array: ArrayObject) -> str:
    """Name of the last member where it is an array that is as long as the memory behind it."""
    element = array.element
    if not isinstance(element, StructOf) or element.is_union or not element.fields:
        return ""
    last = element.fields[-1]
    extent = last.type.extent if isinstance(last.type, ArrayOf) else None
    is_open = isinstance(last.type, ArrayOf) and (extent is None or (extent.is_constant and extent.constant_term < 2))
    return last.name if is_open else ""
