"""Values of one GPU that contradict each other, each of which the schema would take."""

from __future__ import annotations

from warplens.hwprofiles.profile import Profile

_AT_MOST: tuple[tuple[str, str], ...] = (
    ("device.warp_size_threads", "occupancy.max_threads_per_block"),
    ("occupancy.max_threads_per_block", "occupancy.max_threads_per_sm"),
    ("occupancy.registers_max_per_block", "occupancy.registers_per_sm"),
    ("occupancy.shared_per_block_bytes", "occupancy.shared_per_sm_bytes"),
    ("l1.sector_bytes", "l1.line_bytes"),
    ("l2.sector_bytes", "l2.line_bytes"),
    ("dram.bandwidth_gb_per_s", "dram.theoretical_bandwidth_gb_per_s"),
)
"""The first is never more than the second."""


def require_consistent(profile: Profile) -> None:
    """Hold a complete GPU profile against `_AT_MOST`; raises ProfileError at the first value that is too large.

    The place is that of the key that the file itself sets, where it is one of the two.
    """
    for part, whole in _AT_MOST:
        value, limit = (f"{profile.number(key):.15g}" for key in (part, whole))
        if profile.number(part) <= profile.number(whole):
            continue
        if part in profile.lines or whole not in profile.lines:
            raise profile.error(part, f"is {value}, more than {whole}, which is {limit}")
        raise profile.error(whole, f"is {limit}, less than {part}, which is {value}")
