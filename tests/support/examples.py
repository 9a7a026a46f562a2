"""How many examples a property has."""

from math import ceil

from hypothesis import settings

_CHECK, _TEST, _NIGHTLY = 20, 0.5, 10
"""At most as many; how many times as many as a test says."""


def examples(count: int) -> int:
    """Half of `count` in `make test`, at most 20 in `make check`, ten times `count` in `make nightly`."""
    match settings.get_current_profile_name():
        case "check":
            return min(count, _CHECK)
        case "nightly":
            return count * _NIGHTLY
    return ceil(count * _TEST)


def is_nightly() -> bool:
    """Whether there is time for all combinations of what is tested in pairs."""
    return settings.get_current_profile_name() == "nightly"
