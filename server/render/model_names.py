"""What the models are called, apart from what they say: a command's help needs no model."""

from __future__ import annotations

MODEL_NAMES = {"resios": "Resios", "mwp_cwp": "MWP-CWP", "gpuperf": "GPUPerf", "haigh": "Haigh"}
"""Names as their papers have them, by those in reports and on the command line."""


def model_name(model: str) -> str:
    """A model's name for people."""
    return MODEL_NAMES.get(model, model)
