"""Where a GPU's values come from, by groups that a prediction depends on: the weakest of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.gpu.machine.gpu import ProvenanceKind
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.profile import Profile

Grade = Literal["own", "maker", "derived", "sibling", "simulator", "recalled", "assumed"]
"""From measured on the GPU itself to invented: each weaker than the one before."""

GRADES: dict[Grade, frozenset[ProvenanceKind]] = {
    "own": frozenset(("measured", "model_fit")),
    "maker": frozenset(
        ("datasheet", "datasheet_mirror", "programming_guide", "vendor_header", "vendor_spreadsheet_port", "paper_spec")
    ),
    "derived": frozenset(("derived",)),
    "sibling": frozenset(("measured_proxy",)),
    "simulator": frozenset(("simulator_config",)),
    "recalled": frozenset(("memory",)),
    "assumed": frozenset(("assumed",)),
}

_SIMPLE = ("fp32_add", "fp32_mul", "fp32_fma", "fp64_add", "fp64_mul", "fp64_fma", "int_add", "int_mul", "int_mad")
_DIVISIONS = ("fp32_div", "fp32_sqrt", "fp64_div", "fp64_sqrt", "int_div")

_GROUPS: dict[str, tuple[str, ...]] = {
    "occupancy": ("occupancy.",),
    "rates": tuple(f"instructions.tput_{op}" for op in _SIMPLE),
    "latencies": tuple(f"instructions.lat_{op}" for op in _SIMPLE),
    "division": tuple(f"instructions.{what}_{op}" for op in _DIVISIONS for what in ("lat", "tput")),
    "shared": ("shared.",),
    "L1": ("l1.latency_cycles", "l1.bytes_per_clk_per_sm", "l1.lines_per_clk_per_sm"),
    "L2": ("l2.latency_cycles", "l2.bandwidth_gb_per_s"),
    "DRAM": ("dram.latency_cycles", "dram.bandwidth_gb_per_s"),
    "launch": ("host.launch_overhead_us",),
    "link": ("host.h2d_bandwidth_gb_per_s", "host.d2h_bandwidth_gb_per_s"),
    "context": ("host.context_init_ms",),
}
"""Keys, or sections that end in a dot."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of values: its weakest grade, and how many of its values are measured, promised or derived."""

    name: str
    weakest: Grade
    sourced: int
    values: int


def completeness(profile: Profile) -> tuple[Group, ...]:
    """Each group of a complete GPU profile, in the order of the table."""
    return tuple(_group(name, keys, profile) for name, keys in _GROUPS.items())


def grade(entry: Entry) -> Grade:
    """How good a value's origin is."""
    return next(name for name, kinds in GRADES.items() if entry.kind in kinds)


def _group(name: str, keys: tuple[str, ...], profile: Profile) -> Group:
    order = list(GRADES)
    entries = profile.entries.items()
    grades = [grade(entry) for key, entry in entries if any(_is_in(key, each) for each in keys)]
    sourced = sum(order.index(each) <= order.index("derived") for each in grades)
    return Group(name, max(grades, key=order.index), sourced, len(grades))


def _is_in(key: str, wanted: str) -> bool:
    return key.startswith(wanted) if wanted.endswith(".") else key == wanted
