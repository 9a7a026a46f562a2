"""Between what the measured time lies of a predicted one: from errors on runs that the model had not seen."""

from __future__ import annotations

from dataclasses import dataclass

COVERAGE = 0.9
MOST_REACH = 4.0
"""Beyond so many times the reach that was tested no interval is known."""


@dataclass(frozen=True, slots=True)
class ErrorBand:
    """`low` and `high` are log2(measured / predicted): nine of ten of `runs` unseen runs lay between them.

    `reach` is how far beyond the trained sizes those runs were, in doublings of the size; 0: between them.
    """

    low: float
    high: float
    runs: int
    reach: float = 0.0

    def at(self, reach: float) -> ErrorBand | None:
        """So many doublings beyond the trained sizes: wider in proportion beyond what was tested, then none."""
        if reach > MOST_REACH * self.reach:
            return None
        wider = max(1.0, reach / self.reach)
        return ErrorBand(self.low * wider, self.high * wider, self.runs, reach)
