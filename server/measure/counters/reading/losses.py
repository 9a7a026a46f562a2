"""What of a file did not become a number, or was assumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

_MOST_NAMED = 5


@dataclass(slots=True)
class Losses:
    """Of one file; names in the order in which they came."""

    lost: Counter[str] = field(default_factory=Counter)
    without_unit: dict[str, None] = field(default_factory=dict)
    odd_units: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    instances: dict[str, dict[str, None]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    first_left_out: dict[str, int] = field(default_factory=dict)
    has_open_end: bool = False

    def leave_out(self, what: str, line: int) -> None:
        """Remember a row that is no run."""
        self.left_out[what] += 1
        self.first_left_out.setdefault(what, line)

    def remarks(self) -> list[str]:
        """In sentences."""
        found = [
            f"{metric} ran over or was refused by the profiler in {count} runs"
            for metric, count in self.lost.items()
            if count
        ]
        for names, why in (
            (self.without_unit, "throughputs without a unit"),
            (self.odd_units, "units that are not known"),
            (self.unknown, "not known"),
        ):
            if names:
                found.append(f"not used ({why}): {_some(list(names))}")
        found += [
            f"{kernel} are {len(names)} kernels that are taken as one: {', '.join(list(names)[:_MOST_NAMED])}"
            for kernel, names in self.instances.items()
            if len(names) > 1
        ]
        for what, count in self.left_out.items():
            first = self.first_left_out[what]
            lines = f"line {first}" if count == 1 else f"{count} lines from {first} on"
            found.append(f"left out {what} ({lines})")
        if self.has_open_end:
            found.append("the last line has no end: its last number may be cut off")
        return found


def remarks_of_files(files: Mapping[str, Losses]) -> list[str]:
    """What is the same of several files is said once."""
    by_remark: dict[str, list[str]] = {}
    for path, losses in files.items():
        for remark in losses.remarks():
            by_remark.setdefault(remark, []).append(path)
    return [f"{_some(paths)}: {remark}" for remark, paths in by_remark.items()]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"
