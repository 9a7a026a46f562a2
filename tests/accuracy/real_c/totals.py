"""Records of files added up: per package, per set, per reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accuracy.real_c.record import FileRecord

VERDICTS = ("parallel", "reduction", "carried", "unknown")
_QUOTED = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over files. `conditional` are marked loops called parallel or reduction on stated assumptions."""

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
    marked_carried: int = 0
    marked_unknown: int = 0
    marked_opaque: int = 0


def totals(records: Sequence[FileRecord], accepted: int) -> Totals:
    """Sums over the records of `accepted` files."""
    verdicts = Counter(loop.verdict for record in records for loop in record.verdicts)
    marked = [loop for record in records for loop in record.marked]
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
        marked_carried=kinds["carried"],
        marked_unknown=kinds["unknown"],
        marked_opaque=kinds["opaque"] + kinds["lost"],
    )


def main_reason(reason: str) -> str:
    """The first of several reasons, names left out, so that equal ones can be counted.

    >>> main_reason("calls `f`, whose effects are unknown; leaves the loop early by `break`")
    'calls `…`, whose effects are unknown'
    """
    return _QUOTED.sub("`…`", re.split(r"; (?=(?:[^`]*`[^`]*`)*[^`]*\Z)", reason)[0]) or "(none given)"


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How often a reason decides, and the first places in the order of paths."""

    reason: str
    count: int
    examples: tuple[str, ...]


def by_reason(found: Iterable[tuple[str, str]], most_examples: int = 3) -> tuple[ReasonCount, ...]:
    """Count (place, reason) pairs, most frequent first; examples of different files where there are any."""
    places: dict[str, list[str]] = {}
    for place, reason in found:
        places.setdefault(main_reason(reason), []).append(place)
    counted = []
    for reason, where in places.items():
        by_file = {place.rsplit(":", 1)[0]: place for place in sorted(where, reverse=True)}
        examples = [by_file[file] for file in sorted(by_file)]
        spread = examples[:: max(1, len(examples) // most_examples)][:most_examples]
        counted.append(ReasonCount(reason, len(where), tuple(spread)))
    return tuple(sorted(counted, key=lambda each: (-each.count, each.reason)))
