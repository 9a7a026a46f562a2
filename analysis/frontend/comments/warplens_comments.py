"""Comment directives: `// warplens: n = 4096, idx has no repeats` states what the tool can't see.

`n = 4096` is the value of a parameter, `ld >= n` a relation between parameters; `idx has no repeats` (also `is
injective`, `is a permutation`) says of an array of subscripts that no value stands twice in it, `row is increasing`
that no value is smaller than the one before, `f is independent` of a function that what its calls touch in one
iteration no other iteration touches (`done is independent` of a flag or a counter: nobody minds what others leave in
it), `status keeps its value` of a flag that no iteration changes it, `t is private` of an array that an iteration reads
in it only what it wrote itself, `x has no shared elements` of an array that no element which one iteration writes is
touched by another one, `x has no conflicting writes` that iterations which write one element of it write the same
value, `output in any order` that nobody minds in which order a loop prints, `longjmp is never called` that no
iteration leaves the loop by it, `flag is ordinary memory` of what is `volatile` that nothing but the loop reads or
changes it. `kernel = matMul` says which measured kernel a nest is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from warplens.analysis.frontend.comments.comment_parts import statement_parts
from warplens.analysis.frontend.comments.translation_unit import Problem, SizeDirective
from warplens.analysis.ir.promise import OUTPUT, Promise, PromiseKind
from warplens.analysis.ir.separation import separation
from warplens.analysis.ir.size_relation import size_relation
from warplens.analysis.text.span import Span

_NAME = r"[^\W\d]\w*(?:\[\])*(?:(?:->|\.)\w+(?:\[\])*)*"
_SETTING = re.compile(r"\s*([^\W\d]\w*(?:(?:->|\.)\w+)*)\s*=\s*(0[xX][0-9a-fA-F]+|\d[\d_']*)\s*\Z")
_PROMISE = re.compile(
    rf"\s*({_NAME})\s+"
    r"(?:(?P<injective>has\s+no\s+repeats|is\s+(?:a\s+permutation|injective))|"
    r"(?P<increasing>is\s+(?:increasing|sorted|monotone|monotonic))|(?P<independent>is\s+independent)|"
    r"(?P<kept>keeps\s+its\s+value)|(?P<private>is\s+private)|(?P<unshared>has\s+no\s+shared\s+elements)|"
    r"(?P<agreeing>has\s+no\s+conflicting\s+writes)|(?P<uncalled>is\s+never\s+called)|"
    r"(?P<ordinary>is\s+ordinary\s+memory))\s*\Z",
    re.IGNORECASE,
)
_KERNEL = re.compile(r"\s*kernel\s*=\s*([^\W\d]\w*)\s*\Z", re.IGNORECASE)
_UNORDERED = re.compile(r"\s*output\s+(?:(?:may\s+come|comes)\s+)?in\s+any\s+order\s*\Z", re.IGNORECASE)
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
    found = []
    for part, span in statement_parts(source):
        said = _PROMISE.match(part)
        if said is not None:
            groups = said.groupdict()
            kind = next(kind for kind in get_args(PromiseKind) if groups.get(kind))
            found.append(PromiseDirective(Promise(said.group(1), kind), span))
        elif _UNORDERED.match(part):
            found.append(PromiseDirective(OUTPUT, span))
        elif (relation := size_relation(part)) is not None:
            found.append(PromiseDirective(Promise(str(relation), "size"), span))
        elif (apart := separation(part)) is not None:
            found.append(PromiseDirective(Promise(str(apart), "separate"), span))
    return tuple(found)


def read_directives(source: str) -> tuple[tuple[SizeDirective, ...], tuple[Problem, ...]]:
    """Directives in the user's text, and a problem for each that could not be read."""
    if "warplens" not in source.lower():
        return (), ()
    directives: list[SizeDirective] = []
    problems: list[Problem] = []
    for part, span in statement_parts(source):
        setting = _SETTING.match(part)
        value = _number(setting.group(2)) if setting else 0
        if setting is None and (
            _PROMISE.match(part)
            or _UNORDERED.match(part)
            or _KERNEL.match(part)
            or size_relation(part)
            or separation(part)
        ):
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
            directives.append(SizeDirective(setting.group(1), value, span))
    return tuple(directives), tuple(problems)


def _number(written: str) -> int | None:
    """A size as it is written; None where it needs more than 63 bits. Python reads no decimal number of any length."""
    is_hex = "x" in written.lower()
    digits = re.sub(r"[_']", "", written).lower().removeprefix("0x").lstrip("0") or "0"
    value = int(digits, 16 if is_hex else 10) if len(digits) <= _MOST_DIGITS else None
    return value if value is not None and value <= _LARGEST_VALUE else None
