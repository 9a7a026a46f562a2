"""How far the models were from measured times, by family of kernels (validation.toml, written by `make accuracy`)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from warplens.analysis.gpu.machine.model_error import ModelError


@cache
def model_errors() -> tuple[ModelError, ...]:
    """Errors of every model on every family that was measured, in the file's order."""
    text = (files("warplens.hwprofiles") / "validation.toml").read_text(encoding="utf-8")
    return tuple(
        ModelError(
            model=entry["model"],
            family=entry["family"],
            ratio=entry["ratio"],
            low=entry["low"],
            high=entry["high"],
            mape=entry["mape"],
            measurements=entry["measurements"],
            gpus=tuple(entry["gpus"]),
        )
        for entry in tomllib.loads(text)["error"]
    )
