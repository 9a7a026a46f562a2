"""How many examples a property has."""

from hypothesis import settings

_CHECK, _NIGHTLY = 20, 10


def examples(count: int) -> int:
    """`count` in `make test`; at most 20 in `make check`, ten times as many in `make nightly` (the loaded profile)."""
    match settings.get_current_profile_name():
        case "check":
            return min(count, _CHECK)
        case "nightly":
            return count * _NIGHTLY
    return count


def is_nightly() -> bool:
    """Whether there is time for all combinations of what is tested in pairs."""
    return settings.get_current_profile_name() == "nightly"
