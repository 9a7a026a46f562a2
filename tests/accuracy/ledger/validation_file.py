"""hwprofiles/validation.toml: the errors by family that predictions are shown with, and the ranges of each model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.range_model import RangeModel

PATH = Path(__file__).parents[3] / "hwprofiles" / "validation.toml"

_HEAD = """\
# How far each model was from measured kernel times: written by `make accuracy` (docs/accuracy.md).
# [[range]]: nine of ten measured times are within exp(h) of the predicted one, either way, h = exp(base + weights of
# what a launch does); fitted to and calibrated on pairs of kernels and these GPUs.
# [[error]]: by family of kernels (family "": all together), every pair counting once. ratio: geometric mean of
# predicted / measured; low, high: nine of ten lie between, the narrowest such range; mape: mean of
# |predicted / measured - 1|; typical: geometric mean of the factors by which predictions are off, either way.
"""


def write_validation(errors: Sequence[ModelError]) -> None:
    """Replace the file."""
    ranges = {error.model: error.ranges for error in errors if error.ranges is not None}
    parts = [_HEAD, *(_range(model, found) for model, found in ranges.items()), *map(_entry, errors)]
    PATH.write_text("".join(parts), encoding="utf-8")


def _range(model: str, found: RangeModel) -> str:
    weights = ", ".join(f"{name} = {weight:.3f}" for name, weight in found.weights)
    return f"""
[[range]]
model = "{model}"
base = {found.base:.3f}
weights = {{ {weights} }}
gpus = [{_names(found.gpus)}]
"""


def _entry(error: ModelError) -> str:
    return f"""
[[error]]
model = "{error.model}"
family = "{error.family}"
ratio = {error.ratio:.3f}
low = {error.low:.3f}
high = {error.high:.3f}
mape = {error.mape:.3f}
typical = {error.typical:.3f}
pairs = {error.pairs}
measurements = {error.measurements}
gpus = [{_names(error.gpus)}]
"""


def _names(gpus: Sequence[str]) -> str:
    return ", ".join(f'"{gpu}"' for gpu in gpus)
