"""Words that OpenMP's constructs are made of, and which of these constructs spread a loop over a GPU."""

from __future__ import annotations

WORDS = frozenset(("target", "teams", "distribute", "parallel", "for", "simd", "loop", "data"))
"""Of constructs at loops; a directive that starts with another word is none that is brought up to date."""

_SPREADING = frozenset(
    (
        "target teams distribute parallel for",
        "target teams distribute parallel for simd",
        "target teams distribute",
        "target teams distribute simd",
        "target teams loop",
        "target parallel for",
        "target parallel for simd",
        "target parallel loop",
    )
)

_HOST = frozenset(("parallel for", "parallel for simd"))

_OF_ROWS = frozenset(("target teams distribute", "target teams distribute parallel for"))

SHARING = frozenset(
    (
        "private",
        "firstprivate",
        "lastprivate",
        "shared",
        "linear",
        "reduction",
        "in_reduction",
        "is_device_ptr",
        "has_device_addr",
        "use_device_ptr",
        "use_device_addr",
    )
)
"""Clauses that say what a variable is to the threads."""


def spreads_over_device(construct: str) -> bool:
    """Whether the construct is a target construct that spreads the loop below it."""
    return construct in _SPREADING


def may_be_of_rows(construct: str) -> bool:
    """Whether it spreads rows over teams, or does once its teams' threads have loops of their own inside."""
    return construct in _OF_ROWS


def spreads_over_host(construct: str) -> bool:
    """Whether it spreads the loop below it over the threads of the host and is complete in itself."""
    return construct in _HOST


CLAUSES = SHARING | frozenset(
    (
        "aligned",
        "allocate",
        "bind",
        "collapse",
        "copyin",
        "default",
        "defaultmap",
        "depend",
        "device",
        "dist_schedule",
        "if",
        "map",
        "nontemporal",
        "nowait",
        "num_teams",
        "num_threads",
        "order",
        "ordered",
        "proc_bind",
        "safelen",
        "schedule",
        "simdlen",
        "thread_limit",
        "uses_allocators",
    )
)
"""All that may stand at these constructs: another word is a macro, which may hold anything."""
