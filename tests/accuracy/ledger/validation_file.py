"""hwprofiles/validation.toml: the errors by family that predictions are shown with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warplens.analysis.gpu.machine.model_error import ModelError

PATH = Path(__file__).parents[3] / "hwprofiles" / "validation.toml"

_HEAD = """\
# How far each model was from measured kernel times, by family of kernels: written by `make accuracy`
# (docs/accuracy.md).
# family "": all together; ratio: geometric mean of predicted / measured; low, high: nine of ten lie between, the
# narrowest such range; mape: mean of |predicted / measured - 1|.
"""


def write_validation(errors: Iterable[ModelError]) -> None:
    """Replace the file."""
    PATH.write_text(_HEAD + "".join(_entry(error) for error in errors), encoding="utf-8")


def _entry(error: ModelError) -> str:
    gpus = ", ".join(f'"{gpu}"' for gpu in error.gpus)
    return f"""
[[error]]
model = "{error.model}"
family = "{error.family}"
ratio = {error.ratio:.3f}
low = {error.low:.3f}
high = {error.high:.3f}
mape = {error.mape:.3f}
measurements = {error.measurements}
gpus = [{gpus}]
"""
