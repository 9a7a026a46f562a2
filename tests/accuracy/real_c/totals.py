"""Records of files added up: per package, per set, per reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from accuracy.real_c.record import FileRecord, MarkedLoop

VERDICTS = ("parallel", "reduction", "carried", "unknown")
_FROM_GOOD_TO_BAD = ("parallel", "reduction", "carried", "unknown", "opaque", "lost")
_QUOTED = re.compile(r"`([^`]*)`")
_KEYWORDS = frozenset(("while", "do", "for", "switch", "break", "continue", "return", "goto", "case"))


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over files.

    `conditional` are marked loops called parallel or reduction on stated assumptions, `marked_promised` unknown ones
    that would be called so if the user promised what is named. A directive in a macro is one marked loop; `uses` counts
    each use of the macro, `uses_found` those that are called so, promised or not.
    """

    accepted: int = 0
    analysed: int = 0
    nothing_lost: int = 0
    failures: int = 0
    exceptions: int = 0
    lines: int = 0
    functions: int = 0
    functions_found: int = 0
    functions_unparsed: int = 0
    loops: int = 0
    loops_found: int = 0
    verdicts: tuple[int, ...] = (0, 0, 0, 0)
    marked: int = 0
    marked_positive: int = 0
    conditional: int = 0
    marked_promised: int = 0
    uses: int = 0
    uses_found: int = 0
    marked_carried: int = 0
    marked_unknown: int = 0
    marked_opaque: int = 0


def totals(records: Sequence[FileRecord], accepted: int) -> Totals:
    """Sums over the records of `accepted` files."""
    verdicts = Counter(loop.verdict for record in records for loop in record.verdicts)
    marked = distinct_marks(records)
    uses = distinct_marks([replace(r, marked=tuple(replace(m, written="") for m in r.marked)) for r in records])
    kinds = Counter(loop.verdict for loop in marked)
    return Totals(
        accepted=accepted,
        analysed=len(records),
        nothing_lost=sum(record.nothing_lost for record in records),
        failures=sum(bool(record.failure) for record in records),
        exceptions=sum(len(record.exceptions) for record in records),
        lines=sum(record.lines for record in records),
        functions=sum(record.functions for record in records),
        functions_found=sum(record.functions_found for record in records),
        functions_unparsed=sum(record.functions_unparsed for record in records),
        loops=sum(record.loops for record in records),
        loops_found=sum(record.loops_found for record in records),
        verdicts=tuple(verdicts[verdict] for verdict in VERDICTS),
        marked=len(marked),
        marked_positive=sum(loop.is_positive for loop in marked),
        conditional=sum(loop.is_positive and bool(loop.assumptions) for loop in marked),
        marked_promised=sum(loop.is_found and not loop.is_positive for loop in marked),
        uses=len(uses),
        uses_found=sum(loop.is_found for loop in uses),
        marked_carried=kinds["carried"],
        marked_unknown=kinds["unknown"],
        marked_opaque=kinds["opaque"] + kinds["lost"],
    )


def distinct_marks(records: Iterable[FileRecord]) -> tuple[MarkedLoop, ...]:
    """Each directive once, where it is written: in a file that is included or a macro that is used several times, it
    counts for the worst verdict that it gets."""
    worst: dict[tuple[str, str], MarkedLoop] = {}
    for loop in (loop for record in records for loop in record.marked):
        key = loop.written or loop.place, loop.directive
        if _badness(loop) > _badness(worst.setdefault(key, loop)):
            worst[key] = loop
    return tuple(worst.values())


def _badness(loop: MarkedLoop) -> tuple[int, bool, bool]:
    return _FROM_GOOD_TO_BAD.index(loop.verdict), not loop.promises, bool(loop.assumptions)


def kinds_of(reason: str) -> tuple[str, ...]:
    """The different reasons that one text lists, names left out so that equal ones can be counted.

    >>> kinds_of("calls `f`, whose effects are unknown; calls `g`, whose effects are unknown; a `do` with a `break`")
    ('calls `…`, whose effects are unknown', 'a `do` with a `break`')
    """
    nameless = _QUOTED.sub(lambda quoted: quoted.group() if quoted[1] in _KEYWORDS else "`…`", reason)
    return tuple(dict.fromkeys(part or "(none given)" for part in nameless.split("; ")))


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How many loops give a reason, how many of them no other, and some places, of different files if possible."""

    reason: str
    count: int
    alone: int
    examples: tuple[str, ...]


def by_reason(found: Iterable[tuple[str, str]], most_examples: int = 3) -> tuple[ReasonCount, ...]:
    """Count the reasons in (place, reason) pairs, most frequent first; places where it stands alone come first."""
    places: dict[str, list[tuple[bool, str]]] = {}
    for place, text in found:
        kinds = kinds_of(text)
        for kind in kinds:
            places.setdefault(kind, []).append((len(kinds) > 1, place))
    counted = [
        ReasonCount(reason, len(where), sum(not shared for shared, _ in where), _examples(where, most_examples))
        for reason, where in places.items()
    ]
    return tuple(sorted(counted, key=lambda each: (-each.count, -each.alone, each.reason)))


def _examples(where: list[tuple[bool, str]], most: int) -> tuple[str, ...]:
    first_of_file: dict[str, str] = {}
    for _, place in sorted(where):
        first_of_file.setdefault(place.rsplit(":", 1)[0], place)
    spread = list(first_of_file.values())
    alone = {place for shared, place in where if not shared}
    spread = [place for place in spread if place in alone] or spread
    return tuple(spread[:: max(1, len(spread) // most)][:most])
