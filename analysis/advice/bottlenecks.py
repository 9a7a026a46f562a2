"""What holds a measured kernel back, in words: patterns of counters, with the evidence and the fix (sec. 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.counter_patterns import PATTERNS, Pattern, Sign
from warplens.analysis.counters.levels import Level

LEAST_WEIGHT = 0.05
"""Of what is worth a word: a twentieth of a severe level, or of what the forest found important."""
_HEAVY_CAUSE = 0.5
"""From here on a cause goes before what it explains, whatever that weighs."""
_PARTS = {
    "global_load_share": "loads are {:.0%} of all accesses",
    "global_store_share": "stores are {:.0%} of all accesses",
    "idle_share": "{:.0%} of the busiest memory or instruction unit is not used",
}

Strength = Literal["level and time", "level", "time"]
"""What speaks for it: how high its counters are, that the time goes with them, or both."""


@dataclass(frozen=True, slots=True)
class Driver:
    """What the forest says of one counter: its group's share of all importance, and how the time goes with it.

    `with_size`: beside the size of the problem it says nothing; `others`, of its `group`, can't be told apart from it.
    """

    metric: str
    share: float
    direction: str
    with_size: bool
    others: tuple[str, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """`weight` is how much speaks for it; `evidence` are sentences; `rule` a code of the catalogue."""

    key: str
    title: str
    rule: str | None
    finding: str
    fix: str
    evidence: tuple[str, ...]
    strength: Strength
    weight: float


def bottlenecks(
    levels: Mapping[str, Level], drivers: Sequence[Driver], titles: Mapping[str, str]
) -> tuple[Bottleneck, ...]:
    """Heaviest first, but a heavy cause before what it explains.

    `drivers` are empty where the counters say no more of the time than chance. `titles` are the metrics' names for
    people.
    """
    matches = ((pattern, _match(pattern, levels, drivers, titles)) for pattern in PATTERNS)
    found = {one.key: (pattern, one) for pattern, one in matches if one is not None}

    def place(key: str) -> tuple[float, bool]:
        pattern, one = found[key]
        causes = [found[cause][1].weight for cause in pattern.causes if cause in found]
        heaviest = max(causes, default=0.0)
        is_explained = heaviest >= _HEAVY_CAUSE
        return -min(one.weight, heaviest) if is_explained else -one.weight, is_explained

    return tuple(found[key][1] for key in sorted(found, key=place))


def _match(
    pattern: Pattern, levels: Mapping[str, Level], drivers: Sequence[Driver], titles: Mapping[str, str]
) -> Bottleneck | None:
    if any(name in levels and levels[name].value >= most for name, most in pattern.unless) or any(
        name in levels and levels[name].value < least for name, least in pattern.only_if
    ):
        return None
    signs = [
        (severity(sign, levels[sign.level].value) * (levels[sign.part].value if sign.part in levels else 1.0), sign)
        for sign in pattern.signs
        if sign.level in levels
    ]
    high = sorted(((how, sign) for how, sign in signs if how > 0), key=lambda pair: -pair[0])
    driving = list(_driving(pattern, drivers))
    weight = (high[0][0] if high else 0.0) + sum(driver.share for driver in driving)
    if weight < LEAST_WEIGHT:
        return None
    evidence = [_level_words(sign, levels) for _, sign in high]
    evidence += [_driver_words(driver, titles) for driver in driving]
    strength: Strength = "level and time" if high and driving else "level" if high else "time"
    return Bottleneck(
        pattern.key, pattern.title, pattern.rule, pattern.finding, pattern.fix, tuple(evidence), strength, weight
    )


def severity(sign: Sign, value: float) -> float:
    """0 where it is unremarkable, up to 1.

    >>> severity(Sign("occupancy", 0.4, 0.1, ""), 0.25)
    0.5
    """
    share = (value - sign.notable) / (sign.severe - sign.notable)
    return round(min(1.0, share), 12) if share > 0 else 0.0


def _driving(pattern: Pattern, drivers: Sequence[Driver]) -> Iterator[Driver]:
    """Counters of the pattern that the time goes with as it should, and that are not just the size in disguise.

    One of each group: the group has its importance once.
    """
    groups: set[str] = set()
    for driver in drivers:
        wanted = "rises" if driver.metric in pattern.rises else "falls" if driver.metric in pattern.falls else None
        group = driver.group or driver.metric
        if wanted is not None and driver.direction == wanted and not driver.with_size and group not in groups:
            groups.add(group)
            yield driver


def _level_words(sign: Sign, levels: Mapping[str, Level]) -> str:
    level = levels[sign.level]
    value = 1 - level.value if sign.level == "idle_share" else level.value
    part = f"; {_PARTS[sign.part].format(levels[sign.part].value)}" if sign.part in levels else ""
    return f"{sign.words.format(value)} (from {level.source}, in the longest third of the runs{part})"


def _driver_words(driver: Driver, titles: Mapping[str, str]) -> str:
    title = titles.get(driver.metric, driver.metric)
    longer = "longer" if driver.direction == "rises" else "shorter"
    text = f"the higher {title}, the {longer} the run; it has {driver.share:.0%} of what the forest found important"
    if driver.others:
        others = ", ".join(titles.get(name, name) for name in driver.others[:3])
        text += f" (together with {others}{' and others' if len(driver.others) > 3 else ''}, which go with it)"
    return text
