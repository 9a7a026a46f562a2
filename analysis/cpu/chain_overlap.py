"""How many executions of a short inner loop a core has under way at once, so that their chains of latencies overlap."""

from __future__ import annotations


def chains_at_once(trips: float, instructions: float, window_instructions: float) -> float:
    """Inner loops that run at the same time where the outer loop's iterations don't wait for each other.

    The core looks `window_instructions` ahead of the oldest instruction that is not done. In a loop of N iterations
    that is k iterations: the next execution of the loop starts when this one has k left. Each then takes N - k of the
    steps of a chain by itself; where k is half of the loop or more, two and more run side by side.

    Equation: N / (N - k) for k < N / 2, else max(2, 1 + k / N), k = window / instructions per iteration.
    Source: derived; the window is what limits it in Karkhanis and Smith, "A first-order superscalar processor model"
    (ISCA 2004).
    """
    if trips <= 0.0 or instructions <= 0.0:
        return 1.0
    ahead = window_instructions / instructions
    if ahead < trips / 2.0:
        return trips / (trips - ahead)
    return max(2.0, 1.0 + ahead / trips)
