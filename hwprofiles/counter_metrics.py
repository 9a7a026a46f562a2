"""What profilers call a counter, and what Warplens calls it (counter_metrics.toml)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from warplens.analysis.counters.metric import Metric, MetricKind
from warplens.hwprofiles.bounded_toml import parse_toml

Profiler = Literal["nvprof", "ncu"]

_LISTS: Mapping[Profiler, tuple[str, ...]] = {
    "nvprof": ("nvprof", "nvprof_titles", "events"),
    "ncu": ("ncu", "ncu_titles"),
}
"""Of names in the file: metrics, their titles and events of nvprof; raw names of ncu, titles of its details page."""
_EVENT_PREFIX = "ev:"
_LAST = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """A profiler's value times `scale` is in the metric's unit; of several for one metric the lowest `order` wins.

    `is_part`: one of several events that add up to the metric, all of which are needed. `per` is a metric that the
    value is divided by, empty for none.
    """

    metric: str
    scale: float
    order: int
    is_part: bool = False
    per: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`sources` by profiler and its name or title; `parts` are the events that add up to a metric."""

    metrics: Mapping[str, Metric]
    sources: Mapping[Profiler, Mapping[str, Source]]
    parts: Mapping[str, tuple[str, ...]]

    @property
    def titles(self) -> dict[str, str]:
        """What to call each metric before people."""
        return {name: metric.title for name, metric in self.metrics.items()}

    def source(self, name: str, profiler: Profiler | None = None) -> Source | None:
        """Of a column: our name, the profiler's name or title, or an event after `ev:`; None: nobody's.

        Where the profiler is not known nvprof is asked first: both have titles alike, for a share and a percentage.
        """
        if profiler is None and name in self.metrics:
            return Source(name, 1.0, -1)
        for one in (profiler,) if profiler else get_args(Profiler):
            found = self.sources[one].get(name) or self.sources[one].get(name.removeprefix(_EVENT_PREFIX).strip())
            if found is not None:
                return found
        return None


@cache
def counter_vocabulary() -> Vocabulary:
    """The vocabulary that comes with the project."""
    text = (files("warplens.hwprofiles") / "counter_metrics.toml").read_text(encoding="utf-8")
    return read_vocabulary(text)


def read_vocabulary(text: str) -> Vocabulary:
    """Raises ValueError for one that contradicts itself.

    A name of two metrics, a scale that is not above 0, a divisor that is no metric.
    """
    metrics: dict[str, Metric] = {}
    sources: dict[Profiler, dict[str, Source]] = {"nvprof": {}, "ncu": {}}
    parts: dict[str, tuple[str, ...]] = {}
    for name, entry in parse_toml(text)["metric"].items():
        metrics[name] = _metric(name, entry)
        parts[name] = tuple(entry.get("event_sums", ()))
        found = list(_sources(name, entry))
        for profiler, source_name, source in found:
            first = sources[profiler].setdefault(source_name, source)
            if first.metric != name or source.scale <= 0:
                message = f"{source_name} is {first.metric} and {name}, or its scale is not above 0"
                raise ValueError(message)
        if not found:
            message = f"no profiler has {name}"
            raise ValueError(message)
    divisors = {source.per for each in sources.values() for source in each.values() if source.per}
    if divisors - metrics.keys():
        message = f"{', '.join(sorted(divisors - metrics.keys()))} is divided by, and no metric"
        raise ValueError(message)
    return Vocabulary(metrics, sources, parts)


def _metric(name: str, entry: Mapping[str, Any]) -> Metric:
    kind: MetricKind = entry["kind"]
    if kind not in get_args(MetricKind):
        message = f"{name} is of kind {kind}, which is none of {', '.join(get_args(MetricKind))}"
        raise ValueError(message)
    return Metric(name, entry["title"], entry["unit"], kind, entry["meaning"], entry.get("restates_time", False))


def _sources(name: str, entry: Mapping[str, Any]) -> Iterator[tuple[Profiler, str, Source]]:
    for profiler, lists in _LISTS.items():
        items = [item for key in lists for item in entry.get(key, ())]
        for order, item in enumerate(items):
            if isinstance(item, dict):
                yield profiler, item["name"], Source(name, 1.0, order, per=item["per"])
                continue
            source_name, scale = (item, 1.0) if isinstance(item, str) else item
            yield profiler, source_name, Source(name, float(scale), order)
    for source_name in entry.get("event_sums", ()):
        yield "nvprof", source_name, Source(name, float(entry["event_sums_scale"]), _LAST, is_part=True)
