"""Directives around a nest and beside its loops, which decide whether more of them may stand there."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ports.directives.called_functions import called_in, functions_of, reached
from warplens.analysis.text.file_text import KEPT_TEXTS, code_of
from warplens.analysis.text.span import Span
from warplens.analysis.text.statements import Statements
from warplens.analysis.text.tokens import comments, tokenise, without_comments_and_directives

_PRAGMA = re.compile(
    r"^[ \t]*#[ \t]*pragma[ \t]+((?:omp|acc)\b(?:\\\r?\n|[^\n])*)"
    r'|\b_Pragma[ \t]*\([ \t]*"[ \t]*((?:omp|acc)\b[^"\n]*)"[ \t]*\)',
    re.MULTILINE,
)
_MANAGED = re.compile(
    r"""(?:\#[ \t]*pragma[ \t]+|\b_Pragma[ \t]*\([ \t]*"[ \t]*)
    (omp[ \t]+(?:target[ \t]+(?:enter[ \t]+data|exit[ \t]+data|update|data)|requires)
    |omp[ \t]+(?:begin[ \t]+)?declare[ \t]+target
    |acc[ \t]+(?:enter[ \t]+data|exit[ \t]+data|update|data|declare))\b
    |\b(omp_target_\w+|acc_(?:copyin|create|malloc|map_data))\b""",
    re.VERBOSE,
)
_KERNEL = re.compile(r"omp target\b(?! (?:data|enter|exit|update)\b)|acc (?:parallel|kernels|serial)\b")
_REGION = re.compile(r"(?:omp[ \t]+target|acc)[ \t]+data\Z")
_WANTS_THE_LOOP_BELOW = re.compile(
    r"#pragma (?:GCC (?:ivdep|unroll|novector)|clang loop|unroll|nounroll|ivdep|vector|novector|simd|loop_count)\b"
)
_INSIDE = {"omp": re.compile(r"omp (?:atomic|critical)\b"), "acc": re.compile(r"acc (?:atomic|cache|loop)\b")}
_ALONE = re.compile(
    r"(?:omp|acc)\s+(?:barrier|taskwait|taskyield|flush|cancel|cancellation|declare|begin|end|threadprivate|requires|"
    r"allocate|scan|interop|target\s+(?:enter|exit|update)|enter|exit|update|init|shutdown|set|wait|routine|cache)\b"
)


def enclosing_directives(source: str, function: Span, nest: Span) -> tuple[str, ...]:
    """Directives of the function whose statement holds the nest without being it, outermost first."""
    every = directive_statements(source, function)
    return tuple(said for said, below in every if below.start < nest.start and nest.end <= below.end)


def directive_statements(source: str, function: Span) -> tuple[tuple[str, Span], ...]:
    """Directives of a function that are about the statement below, each with where that stands in the source."""
    text = source[function.start : function.end]
    if not _PRAGMA.search(text):
        return ()
    hidden = {at for at, comment in comments(text) for at in range(at, at + len(comment))}
    plain = without_comments_and_directives(text)
    tokens = tokenise(plain)
    statements = Statements(tokens.texts)
    found: list[tuple[str, Span]] = []
    for match in _PRAGMA.finditer(text):
        directive = " ".join((match[1] or match[2]).replace("\\", " ").split())
        at = bisect_left(tokens.starts, match.end())
        if match.start() in hidden or _ALONE.match(directive) or at >= len(tokens.starts):
            continue
        below = Span(tokens.starts[at], tokens.ends[statements.end(at) - 1])
        found.append((directive, below.shifted(function.start)))
    return tuple(found)


def is_kernel(directive: str) -> bool:
    """Whether the statement below a directive runs on the device."""
    return _KERNEL.match(directive) is not None


def directive_inside(source: str, nest: Span, language: str) -> str:
    """The first directive in a nest that is at no loop and that a kernel in `language` has no place for; empty if none.

    Those at loops are looked at with the loops.
    """
    text = source[nest.start : nest.end]
    hidden = {at + inside for at, comment in comments(text) for inside in range(len(comment))}
    plain = without_comments_and_directives(text)
    for match in _PRAGMA.finditer(text):
        directive = " ".join((match[1] or match[2]).replace("\\", " ").split())
        is_at_loop = re.match(r"\s*(?:for|while|do)\b", plain[match.end() :]) is not None
        if match.start() not in hidden and not is_at_loop and not _INSIDE[language].match(directive):
            return directive
    return ""


def manages_device_data(source: str) -> bool:
    """Whether the file says elsewhere what is on the device: a directive may then rely on it."""
    return bool(_managed_regions(source))


def keeps_data_on_device(source: str, nest: Span, function: str) -> str:
    """What says that data may be on the device when a nest of a function runs; empty if nothing does.

    Not a region of data that is the nest itself, or whose calls do not lead to the function: it ends before that runs.
    """
    for said, start, called in _managed_regions(source):
        if not _REGION.match(said):
            return said
        every = reached(source, called) if start != nest.start and called else frozenset[str]()
        others = every - functions_of(source).keys() if every else every
        if function in every or any(library_call(name) is None for name in others):
            return said
    return ""


@lru_cache(KEPT_TEXTS)
def _managed_regions(source: str) -> tuple[tuple[str, int, frozenset[str]], ...]:
    """What the file says of data on the device, the offset of the statement below, and what that calls."""
    found: list[tuple[str, int, frozenset[str]]] = []
    if not any(language in source for language in ("omp", "acc")):
        return ()  # as most files: soon seen
    for match in _MANAGED.finditer(source):
        below = _statement_below(source, match.end())
        called = frozenset(name for name in called_in(source, below) if math_function(name) is None)
        found.append((" ".join((match[1] or match[2]).split()), below.start, called))
    return tuple(found)


def _statement_below(source: str, at: int) -> Span:
    """The statement in the lines below a directive that an offset is in."""
    tokens = tokenise(code_of(source), at)
    if not tokens.texts:
        return Span(at, at)
    return Span(tokens.starts[0], tokens.ends[Statements(tokens.texts).end(0) - 1])


def pragma_that_wants_its_loop(loop: Loop) -> str:
    """A pragma of a compiler that must stand right above the loop, where no other line may; empty if there is none."""
    return next((pragma for pragma in loop.pragmas if _WANTS_THE_LOOP_BELOW.match(pragma)), "")


def directives_of(loop: Loop) -> tuple[str, ...]:
    """The directives of OpenMP and OpenACC right above a loop, in one line each."""
    return tuple(pragma for pragma in loop.pragmas if pragma.split()[1:2] in (["omp"], ["acc"]))
