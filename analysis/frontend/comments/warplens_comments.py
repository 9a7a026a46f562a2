"""Comment directives: `// warplens: n = 4096, idx has no repeats` states what the tool can't see.

`n = 4096` is the value of a parameter, `kernel = matMul` says which measured kernel a nest is, `mapping = warp:j` in
which mapping it is wanted. All else are promises: `ir/promises/` has a file for each kind, which says how it is written
and what it means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.frontend.comments.comment_parts import statement_parts
from warplens.analysis.frontend.comments.translation_unit import Problem, SizeDirective
from warplens.analysis.ir.promises.catalogue import read_promise
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.size_name import size_name
from warplens.analysis.text.span import Span

_SETTING = re.compile(r"([^=]*[^=<>!\s])\s*=\s*(0[xX][0-9a-fA-F]+|\d[\d_']*)\s*\Z")
_KERNEL = re.compile(r"\s*kernel\s*=\s*([^\W\d]\w*)\s*\Z", re.IGNORECASE)
_MAPPING = re.compile(r"\s*mapping\s*=\s*([^\s=].*?)\s*\Z", re.IGNORECASE | re.DOTALL)
_LARGEST_VALUE = 2**63 - 1
_MOST_DIGITS = len(str(_LARGEST_VALUE))


@dataclass(frozen=True, slots=True)
class PromiseDirective:
    """`// warplens: idx has no repeats`, for the function or nest it stands in or above."""

    promise: Promise
    span: Span


@dataclass(frozen=True, slots=True)
class KernelDirective:
    """`// warplens: kernel = matMul`: the nest that it stands in or above, or the only one of the function, is that."""

    kernel: str
    span: Span


@dataclass(frozen=True, slots=True)
class MappingDirective:
    """`// warplens: mapping = warp:j`, of the nest that it stands in or above, or of the function's only one.

    `mapping` is the name without blanks; whether the nest has such a one only its evaluation knows.
    """

    mapping: str
    span: Span


def read_mappings(source: str) -> tuple[MappingDirective, ...]:
    """What the user's text says of mappings. `mapping = 4096` is the value of a size of that name."""
    if "warplens" not in source.lower():
        return ()
    found = ((_mapping(part), span) for part, span in statement_parts(source))
    return tuple(MappingDirective(name, span) for name, span in found if name)


def _mapping(part: str) -> str:
    said = _MAPPING.match(part)
    return "" if said is None or _SETTING.match(part) else "".join(said.group(1).split())


def read_kernels(source: str) -> tuple[KernelDirective, ...]:
    """What the user's text says of measured kernels."""
    if "warplens" not in source.lower():
        return ()
    parts = ((_KERNEL.match(part), span) for part, span in statement_parts(source))
    return tuple(KernelDirective(said.group(1), span) for said, span in parts if said is not None)


def read_promises(source: str) -> tuple[PromiseDirective, ...]:
    """What the user's text says of arrays and functions."""
    if "warplens" not in source.lower():
        return ()
    parts = ((read_promise(part), span) for part, span in statement_parts(source))
    return tuple(PromiseDirective(promise, span) for promise, span in parts if promise is not None)


def read_directives(source: str) -> tuple[tuple[SizeDirective, ...], tuple[Problem, ...]]:
    """Directives in the user's text, and a problem for each that could not be read."""
    if "warplens" not in source.lower():
        return (), ()
    directives: list[SizeDirective] = []
    problems: list[Problem] = []
    for part, span in statement_parts(source):
        setting = _SETTING.match(part)
        if setting is not None and not size_name(setting.group(1)):
            setting = None
        value = _number(setting.group(2)) if setting else 0
        if setting is None and (_KERNEL.match(part) or _mapping(part) or read_promise(part) is not None):
            continue
        if setting is None:
            message = (
                f"not a size: `{part.strip()[:40]}`; write for example `warplens: n = 4096, m = 10` "
                "or `warplens: ld >= n, idx has no repeats, f is independent, p and q do not overlap, "
                "output in any order`"
            )
            problems.append(Problem(message, span, "warning"))
        elif value is None:
            problems.append(Problem(f"{setting.group(2)[:40]} does not fit in 64 bits", span, "warning"))
        else:
            directives.append(SizeDirective(size_name(setting.group(1)), value, span))
    return tuple(directives), tuple(problems)


def _number(written: str) -> int | None:
    """A size as it is written; None where it needs more than 63 bits. Python reads no decimal number of any length."""
    is_hex = "x" in written.lower()
    digits = re.sub(r"[_']", "", written).lower().removeprefix("0x").lstrip("0") or "0"
    value = int(digits, 16 if is_hex else 10) if len(digits) <= _MOST_DIGITS else None
    return value if value is not None and value <= _LARGEST_VALUE else None
