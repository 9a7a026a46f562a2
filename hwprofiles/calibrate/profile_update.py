"""Which measured entries of a GPU replace those of its profile, and which are only held against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.gpu.machine.gpu import ProvenanceKind
from warplens.hwprofiles.completeness import GRADES
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.schema import GPU_SCHEMA

MOST_DIFFERENCE = 0.05
"""Where a kept value and the measured one are further apart than this share, that is said."""

KEPT_KINDS: frozenset[ProvenanceKind] = GRADES["maker"] | {"model_fit"}
"""What the maker promises stays his promise. A fitted value makes a model right, which a microbenchmark need not do."""

_KEYS = {f"{section}.{key.name}": key for section, keys in GPU_SCHEMA.items() for key in keys}


@dataclass(frozen=True, slots=True)
class Compared:
    """What a profile has of a key, by itself or from the one it extends, and what was measured, in the same unit.

    `is_time` marks cycles of a latency that is constant in nanoseconds.
    """

    known: Entry
    measured: Entry
    is_time: bool = False

    @property
    def ratio(self) -> float | None:
        """Measured over known, of times where it is one; None for texts and where one of them is zero."""
        known, measured = _comparable(self.known), _comparable(self.measured)
        if not known or not measured:
            return None
        clocks = self.known.clock_mhz / self.measured.clock_mhz if self.is_time else 1.0
        return measured / known * clocks

    @property
    def is_alike(self) -> bool:
        """Whether both are the same but for `MOST_DIFFERENCE`."""
        ratio = self.ratio
        return self.known.value == self.measured.value if ratio is None else abs(ratio - 1) <= MOST_DIFFERENCE


@dataclass(frozen=True, slots=True)
class ProfileUpdate:
    """What becomes of each key of a profile: all maps are by `section.key`, in the schema's order.

    `replaced` and `added` are written; `same` has keys that say already what was measured, `not_measured` the others.
    """

    replaced: Mapping[str, Compared]
    added: Mapping[str, Entry]
    kept: Mapping[str, Compared]
    same: tuple[str, ...]
    not_measured: tuple[str, ...]

    @property
    def written(self) -> dict[str, Entry]:
        """The entries that the file gets, in the schema's order."""
        found = {key: compared.measured for key, compared in self.replaced.items()} | dict(self.added)
        return {key: found[key] for key in _KEYS if key in found}


def profile_update(known: Mapping[str, Entry], measured: Mapping[str, Entry]) -> ProfileUpdate:
    """Decide by the kind of what is known; `known` is a whole profile's, with what it takes from the one it extends.

    What was measured otherwise or earlier is replaced: by this program all values are of one GPU, and in one known way.
    What is derived from what the driver states replaces no measurement.
    """
    both = {
        name: Compared(known[name], measured[name], key.needs_clock)
        for name, key in _KEYS.items()
        if name in known and name in measured
    }
    same = tuple(key for key, each in both.items() if each.known == each.measured)
    replaced = {key: each for key, each in both.items() if key not in same and _replaces(each)}
    return ProfileUpdate(
        replaced=replaced,
        added={key: measured[key] for key in _KEYS if key in measured and key not in known},
        kept={key: each for key, each in both.items() if key not in same and key not in replaced},
        same=same,
        not_measured=tuple(key for key in _KEYS if key in known and key not in measured),
    )


def _replaces(compared: Compared) -> bool:
    kind = compared.known.kind
    return kind not in KEPT_KINDS and not (kind == "measured" and compared.measured.kind == "derived")


def _comparable(entry: Entry) -> float | None:
    return float(entry.value) if isinstance(entry.value, int | float) else None
