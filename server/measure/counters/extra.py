"""The optional packages that fitting and drawing need."""

from __future__ import annotations

from importlib.util import find_spec

FITTING = ("sklearn", "scipy", "statsmodels", "pymars", "threadpoolctl")
DRAWING = ("matplotlib",)
_INSTALL = "pip install 'warplens[counters]'"


def missing_extra(modules: tuple[str, ...]) -> str | None:
    """What to say where a package is not installed; None where all are."""
    missing = [name for name in modules if find_spec(name) is None]
    verb = "is" if len(missing) == 1 else "are"
    return f"{', '.join(missing)} {verb} not installed: {_INSTALL}" if missing else None
