"""The fixes of a nest as every view lists them: editor, command line and JSON have one order and the same titles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warplens.analysis.advice.finding import WRONG_CODE
from warplens.analysis.ports.fix import OfferedFix
from warplens.server.render.fix_title import fix_title, starts_of

if TYPE_CHECKING:  # a menu of known sizes needs none, and the analysis process starts without
    from warplens.analysis.models.sizes.break_even import BreakEven


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A fix, offered or refused. `is_slower`: the nest gets slower by it, at every size where one is guessed."""

    offer: OfferedFix
    title: str
    is_slower: bool


def fix_menu(offers: Iterable[OfferedFix], found: BreakEven | None) -> list[MenuEntry]:
    """What mends wrong code first, then what gains most, what makes it slower last, and what is refused behind all.

    `found` is the nest's break-even, None where it has none or that is not known yet.
    """
    entries = [MenuEntry(offer, fix_title(offer, found), _is_slower(offer, found)) for offer in offers]
    return sorted(entries, key=_order)


def _is_slower(offer: OfferedFix, found: BreakEven | None) -> bool:
    starts = starts_of(offer.effect, found)
    return offer.is_slower if starts is None else starts == "never"


def _order(entry: MenuEntry) -> tuple[bool, bool, bool, float]:
    offer = entry.offer
    if offer.effect is not None:
        gain = 1.0 if offer.effect.guess else offer.effect.resident
    else:
        gain = 1.0 if offer.gain is None else offer.gain
    mends = not WRONG_CODE.isdisjoint(offer.findings)
    return bool(offer.refusal), entry.is_slower, not mends, -gain
