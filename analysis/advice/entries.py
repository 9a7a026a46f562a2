"""One entry per cause: what a rule finds of one cause at several places of a nest is told once, with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.advice.finding import SEVERITY_ORDER, Cause, Finding, Related

MOST_PLACES = 3
"""So many further places are named and linked, of more their number is said."""


def entries(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of a nest, those of one rule about one cause as the first of the most severe; in their order."""
    if len(found) < 2:
        return tuple(found)
    by_cause: dict[tuple[str, Cause], list[Finding]] = {}
    for finding in found:
        by_cause.setdefault((finding.code, finding.cause), []).append(finding)
    return tuple(_joined(alike) for alike in by_cause.values())


def _joined(alike: Sequence[Finding]) -> Finding:
    if len(alike) == 1:
        return alike[0]
    first = min(alike, key=lambda finding: SEVERITY_ORDER[finding.severity])
    others = [finding for finding in alike if finding is not first]
    related = [Related(other.node, f"{other.place or 'here'}: the same") for other in others[:MOST_PLACES]]
    gains = [finding.gain for finding in alike if finding.gain is not None]
    return replace(
        first,
        message=f"{first.message} {_others_text(first, others)}",
        related=(*first.related, *related),
        gain=max(gains, default=None),
    )


def _others_text(first: Finding, others: Sequence[Finding]) -> str:
    """What else it holds for: by name, where the source has other names there."""
    names = list(dict.fromkeys(other.place for other in others if other.place not in {"", first.place}))
    if not names:
        return f"The same holds at {'another place' if len(others) == 1 else f'{len(others)} other places'}."
    more = len(names) - MOST_PLACES
    listed = names if more <= 0 else [*names[:MOST_PLACES], f"{more} more"]
    all_text = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    return f"The same holds for {all_text}."
