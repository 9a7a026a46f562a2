"""The heat map of launches as JSON values: the same cells, bands and words as `warplens search` shows."""

from __future__ import annotations

from typing import Any

from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.server.render.heat_map import BANDS, X_LABEL, Y_LABEL, Cell, heat_map
from warplens.server.render.model_names import model_name


def launch_map_as_json(ranking: LaunchRanking) -> dict[str, Any]:
    """Least predicted times by threads per block and outputs per thread, of what can be launched.

    A cell is [threads per block, outputs per thread, seconds, seconds over those of the best, index of its band].
    """
    cells = heat_map(ranking)
    return {
        "model": model_name(ranking.model),
        "x_label": X_LABEL,
        "y_label": Y_LABEL,
        "threads_per_block": list(cells.threads_per_block),
        "outputs_per_thread": list(cells.outputs_per_thread),
        "bands": [{"label": band.label, "colour": band.colour, "text_colour": band.text_colour} for band in BANDS],
        "cells": [_cell(cell) for row in cells.rows for cell in row if cell is not None],
        "best": None if cells.best is None else [cells.best.threads_per_block, cells.best.outputs_per_thread],
        "current": None
        if cells.current is None
        else [cells.current.threads_per_block, cells.current.outputs_per_thread],
        "searched": ranking.searched,
        "possible": ranking.possible,
        "reasons": list(ranking.reasons),
        "current_origin": ranking.current_origin if ranking.current else None,
    }


def _cell(cell: Cell) -> list[float]:
    return [cell.threads_per_block, cell.outputs_per_thread, cell.time_s, cell.ratio, BANDS.index(cell.band)]
