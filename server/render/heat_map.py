"""A heat map of launches before it becomes text or a picture: each cell against the best, in bands of one scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.text.quantities import time_text
from warplens.server.render.amounts import plural
from warplens.server.render.launch_words import factor_text

IMPOSSIBLE = "cannot be launched"
X_LABEL = "threads per block"
Y_LABEL = "outputs per thread"


@dataclass(frozen=True, slots=True)
class Band:
    """Factors of the best time up to `limit`, with a colour that reads on light and on dark, and its text's colour."""

    limit: float
    colour: str
    text_colour: str

    @property
    def label(self) -> str:
        """The band in a legend."""
        return f"up to {self.limit:g}x" if isfinite(self.limit) else f"over {BANDS[-2].limit:g}x"


BANDS = (
    Band(1.05, "#fde725", "#000000"),
    Band(1.1, "#90d743", "#000000"),
    Band(1.25, "#35b779", "#000000"),
    Band(1.5, "#21918c", "#000000"),
    Band(2.0, "#31688e", "#ffffff"),
    Band(4.0, "#443983", "#ffffff"),
    Band(float("inf"), "#440154", "#ffffff"),
)
"""Steps of viridis (van der Walt and Smith, matplotlib), which grow in lightness alone too."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The least time of one block size and work per thread, against the best launch."""

    threads_per_block: int
    outputs_per_thread: int
    time_s: float
    ratio: float

    @property
    def band(self) -> Band:
        """Where the ratio falls."""
        return next(band for band in BANDS if self.ratio <= band.limit)

    @property
    def text(self) -> str:
        """The ratio in at most four characters."""
        if self.ratio >= 999.5:
            return ">999"
        digits = 2 if self.ratio < 9.995 else 1 if self.ratio < 99.95 else 0
        return f"{self.ratio:.{digits}f}"

    @property
    def place(self) -> str:
        """Where the cell stands."""
        outputs = plural(self.outputs_per_thread, "output")
        return f"{self.threads_per_block} threads per block, {outputs} per thread"

    @property
    def sentence(self) -> str:
        """All of it in words."""
        return f"{self.place}: {time_text(self.time_s)}, {factor_text(self.ratio)} the best"


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Cells in rows of one work per thread; None where nothing can be launched."""

    threads_per_block: tuple[int, ...]
    outputs_per_thread: tuple[int, ...]
    rows: tuple[tuple[Cell | None, ...], ...]
    best: Cell | None
    current: Cell | None


def heat_map(ranking: LaunchRanking) -> HeatMap:
    """The map of a ranking against its first launch, columns and rows without any launch left out."""
    source = ranking.map
    best_s = ranking.best.time_s if ranking.ranked else 0.0

    def cell(row: int, column: int) -> Cell | None:
        time_s = source.times_s[row][column]
        if not isfinite(time_s):
            return None
        ratio = time_s / best_s if best_s > 0 else 1.0
        return Cell(source.threads_per_block[column], source.outputs_per_thread[row], time_s, ratio)

    whole = [
        [cell(row, column) for column in range(len(source.threads_per_block))] for row in range(len(source.times_s))
    ]
    columns = [at for at in range(len(source.threads_per_block)) if any(row[at] for row in whole)]
    kept = [(outputs, row) for outputs, row in zip(source.outputs_per_thread, whole, strict=True) if any(row)]
    rows = tuple(tuple(row[at] for at in columns) for _, row in kept)
    cells = [each for row in rows for each in row if each]
    return HeatMap(
        threads_per_block=tuple(source.threads_per_block[at] for at in columns),
        outputs_per_thread=tuple(outputs for outputs, _ in kept),
        rows=rows,
        best=_cell_of(cells, ranking.best.launch) if ranking.ranked else None,
        current=None if ranking.current is None else _cell_of(cells, ranking.current.launch),
    )


def _cell_of(cells: list[Cell], launch: LaunchConfig) -> Cell | None:
    x, y, z = launch.outputs_per_thread
    place = launch.threads_per_block, x * y * z
    return next((each for each in cells if (each.threads_per_block, each.outputs_per_thread) == place), None)
