"""How far the models were from measured times, by family of kernels (validation.toml, written by `make accuracy`)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.range_model import RangeModel


@cache
def model_errors() -> tuple[ModelError, ...]:
    """Errors of every model on every family that was measured, in the file's order, with the model's ranges."""
    found = tomllib.loads((files("warplens.hwprofiles") / "validation.toml").read_text(encoding="utf-8"))
    ranges = {
        entry["model"]: RangeModel(entry["base"], tuple(entry["weights"].items()), tuple(entry["gpus"]))
        for entry in found["range"]
    }
    return tuple(
        ModelError(
            model=entry["model"],
            family=entry["family"],
            ratio=entry["ratio"],
            low=entry["low"],
            high=entry["high"],
            mape=entry["mape"],
            typical=entry["typical"],
            pairs=entry["pairs"],
            measurements=entry["measurements"],
            gpus=tuple(entry["gpus"]),
            ranges=ranges[entry["model"]],
        )
        for entry in found["error"]
    )
