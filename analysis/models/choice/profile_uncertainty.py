"""How far a prediction may be off because values of its GPU were not measured there."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.value_uncertainty import Resource, ValueUncertainty
from warplens.analysis.models.choice.launch_traits import LaunchTraits


@dataclass(frozen=True, slots=True)
class ProfileUncertainty:
    """How far a prediction may be off for what the profile doesn't know: ln(factor) each way, and for which values."""

    half_width: float = 0.0
    values: tuple[ValueUncertainty, ...] = ()


def profile_uncertainty(traits: LaunchTraits, gpu: Gpu) -> ProfileUncertainty:
    """What the values that were not measured on the GPU may do to the prediction of a launch with these traits.

    Equation: half width = sqrt(Σ (share_r · ln factor_r)²) over the resources r of the prediction's time: a time that
    is bound by a resource for a share of it follows that resource's value by as much; the values are wrong
    independently of each other.
    Not modelled: that another bottleneck takes over where a value is far off.
    """
    shares = resource_shares(traits)
    parts = [(shares.get(each.resource, 0.0) * log(each.factor), each) for each in gpu.uncertainties]
    half_width = sqrt(sum(part * part for part, _ in parts))
    return ProfileUncertainty(half_width, _largest_first(parts)) if half_width > 0 else ProfileUncertainty()


def _largest_first(parts: list[tuple[float, ValueUncertainty]]) -> tuple[ValueUncertainty, ...]:
    """What the factor is made of: the values without the largest of which it would be as good as 1 are left out."""
    most = max(part for part, _ in parts)
    kept = [(part, each) for part, each in parts if part > 0.25 * most]
    return tuple(each for _, each in sorted(kept, key=lambda pair: -pair[0]))


def resource_shares(traits: LaunchTraits) -> dict[Resource, float]:
    """Share of the predicted time that each resource stands for, 0..1.

    Only what is busy longest bounds the time, and latency where nothing is busy; what others are busy for meanwhile is
    hidden.
    """
    levels: dict[Resource, float] = {
        "DRAM bandwidth": traits.dram,
        "L2 bandwidth": traits.l2,
        "L1 bandwidth": traits.load_store,
    }
    level = max(levels, key=lambda each: levels[each])
    shares: dict[Resource, float] = {"memory latency": traits.latency}
    if traits.issue > levels[level]:
        shares |= {"arithmetic": traits.issue - traits.division, "division": traits.division}
    else:
        shares[level] = levels[level]
    return shares
