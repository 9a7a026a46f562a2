"""How far a profile's values that were not measured on its GPU may be off, by the resource they describe."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import get_args

from warplens.analysis.gpu.machine.value_uncertainty import Resource, ValueUncertainty
from warplens.hwprofiles.profile import Profile


@dataclass(frozen=True, slots=True)
class ResourceValues:
    """A resource's keys, the factor of each weak kind, and what the factors are from."""

    resource: Resource
    keys: tuple[str, ...]
    factors: dict[str, float]
    pairs: str


@cache
def resource_values() -> tuple[ResourceValues, ...]:
    """What uncertainty.toml says; the file's order."""
    text = (files("warplens.hwprofiles") / "uncertainty.toml").read_text(encoding="utf-8")
    known = {name: name for name in get_args(Resource)}
    return tuple(
        ResourceValues(known[entry["name"]], tuple(entry["keys"]), entry["factors"], entry["pairs"])
        for entry in tomllib.loads(text)["resource"]
    )


def value_uncertainties(profile: Profile) -> tuple[ValueUncertainty, ...]:
    """Of each resource the value that may be furthest off; none of resources whose values were measured or promised."""
    found: list[ValueUncertainty] = []
    for each in resource_values():
        factors = [each.factors.get(profile.entries[key].kind, 1.0) for key in each.keys]
        factor = max(factors)
        key = each.keys[factors.index(factor)]
        if factor > 1:
            entry = profile.entries[key]
            found.append(ValueUncertainty(each.resource, factor, key, entry.kind, entry.measured_on))
    return tuple(found)
