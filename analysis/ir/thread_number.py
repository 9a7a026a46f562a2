"""The number of the thread that runs an iteration: a constant of the nest, as it is for what one thread runs."""

from __future__ import annotations

THREAD_NUMBER = "omp_get_thread_num"
"""The function that gives it."""

THREAD_NUMBER_SYMBOL = f"{THREAD_NUMBER}()"
"""What stands for it in polynomials."""
