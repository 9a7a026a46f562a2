"""CPU time of the analysis against the size of a file and of an edit: is it linear; printed, never asserted.

Run: python tests/bench/bench_growth.py [most nests]
"""

from __future__ import annotations

import gc
import math
import re
import sys
from statistics import linear_regression
from time import process_time

from generated_source import c_source
from warplens.server.settings.settings import Settings
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.child import collect_seldom, run_deep
from warplens.server.worker.job import AnalysisJob

NESTS = (20, 60, 200, 600, 2000)
EDITED = (1, 2, 4, 8, 16, 32)
LINES_PER_NEST = 25
ROUNDS = 5
_CONSTANT = re.compile(r"\b\d\.\d+\b")


class Session:
    """Analyses with one memory, as the analysis process makes them."""

    def __init__(self) -> None:
        self._remembered = Remembered()

    def cpu_ms(self, text: str) -> float:
        """CPU time of one analysis; the preprocessor's own is not in it."""
        gc.collect()
        started = process_time()
        analyse_document(AnalysisJob("/nowhere/bench.c", text, Settings(), ()), self._remembered)
        return 1e3 * (process_time() - started)


def edited(text: str, nests: int, number: int) -> str:
    """The text with another constant in each of the last nests, `number` of them."""
    every = list(_CONSTANT.finditer(text))
    for constant in reversed(every[-nests:]):
        text = f"{text[: constant.start()]}{number + 3}.{number}25{text[constant.end() :]}"
    return text


def growth(most: int) -> None:
    """Files of more and more nests: with nothing remembered, and one nest changed."""
    sizes = [nests for nests in NESTS if nests <= most]
    cold, warm = [], []
    for nests in sizes:
        text = c_source(nests, LINES_PER_NEST * nests)
        session = Session()
        cold.append(session.cpu_ms(text))
        warm.append(min(session.cpu_ms(edited(text, 1, number)) for number in range(ROUNDS)))
        print(
            f"{nests} nests, {LINES_PER_NEST * nests} lines: first {cold[-1]:.0f} ms "
            f"({cold[-1] / nests:.1f} ms a nest), one nest changed {warm[-1]:.1f} ms",
            flush=True,
        )
    print(f"exponent of the first analysis over the nests: {exponent(sizes, cold):.2f} (1 is linear)")
    print(f"exponent with one nest changed: {exponent(sizes, warm):.2f} (0 is independent of the file)")


def edit_sizes() -> None:
    """Edits of more and more nests of one file."""
    text = c_source(60, 2000)
    session = Session()
    session.cpu_ms(text)
    times = [min(session.cpu_ms(edited(text, nests, number)) for number in range(ROUNDS)) for nests in EDITED]
    print("nests changed of 60: " + ", ".join(f"{n}: {ms:.0f} ms" for n, ms in zip(EDITED, times, strict=True)))


def exponent(sizes: list[int], times: list[float]) -> float:
    """The slope of the logarithms."""
    return linear_regression([math.log(size) for size in sizes], [math.log(ms) for ms in times]).slope


if __name__ == "__main__":
    collect_seldom()
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else NESTS[-1]
    run_deep(lambda: (edit_sizes(), growth(asked)))
