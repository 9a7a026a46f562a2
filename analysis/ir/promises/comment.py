"""The comment that states promises."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.promises.catalogue import read_promise
from warplens.analysis.ir.promises.promise import Promise

_LINE_CHARACTERS = 100


def directive_text(promises: Iterable[Promise]) -> str:
    """One comment for all of them.

    >>> directive_text(filter(None, map(read_promise, ("idx has no repeats", "row is increasing"))))
    '// warplens: idx has no repeats, row is increasing'
    """
    return "// warplens: " + ", ".join(promise.text for promise in promises)


def directive_lines(promises: Iterable[Promise]) -> tuple[str, ...]:
    """The same as comments of lines that can be read, each with as many promises as it holds.

    >>> promises = filter(None, (read_promise(f"function_{n} is independent") for n in range(7)))
    >>> [line.count(",") for line in directive_lines(promises)]
    [2, 2, 0]
    """
    lines: list[tuple[Promise, ...]] = []
    for promise in promises:
        longer = (*lines[-1], promise) if lines else ()
        if longer and len(directive_text(longer)) <= _LINE_CHARACTERS:
            lines[-1] = longer
        else:
            lines.append((promise,))
    return tuple(map(directive_text, lines))


def can_be_stated(promise: Promise) -> bool:
    """Whether a comment can say it: `(*pointer)` and the second `t` of a nest have no name that it could use.

    >>> from warplens.analysis.ir.promises.independent import Independent
    >>> can_be_stated(Independent("ops->run")), can_be_stated(Independent("t'2"))
    (True, False)
    """
    return read_promise(promise.text) == promise
