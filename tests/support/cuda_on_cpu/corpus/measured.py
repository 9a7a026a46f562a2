"""The nests that `warplens measure` times, at sizes at which every element can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from support.cuda_on_cpu.case import Case, Sizes

NESTS = Path(__file__).parents[3] / "accuracy" / "measured_nests" / "nests"

_SIZES: Mapping[str, tuple[Sizes, ...]] = {
    "convolution_1d": ({"n": 0, "m": 3}, {"n": 1, "m": 1}, {"n": 203, "m": 33}),
    "convolution_3x3": ({"n": 0, "m": 0}, {"n": 3, "m": 3}, {"n": 37, "m": 71}),
    "csr": ({"n": 0, "entries": 0}, {"n": 1, "entries": 4}, {"n": 133, "entries": 700}),
    "dgemm_linear": ({"n": 0, "m": 5, "l": 3}, {"n": 1, "m": 1, "l": 1}, {"n": 37, "m": 45, "l": 19}),
    "distances": ({"n": 1, "l": 0}, {"n": 37, "l": 7}),
    "doitgen": ({"r": 1, "q": 1, "p": 1}, {"r": 3, "q": 5, "p": 37}),
    "ellpack": ({"n": 0, "width": 3}, {"n": 1, "width": 1}, {"n": 133, "width": 9}),
    "gather": ({"n": 0, "m": 4}, {"n": 301, "m": 77}),
    "heat_3d": ({"n": 2}, {"n": 3}, {"n": 19}),
    "histogram": ({"n": 0, "bins": 3}, {"n": 1, "bins": 1}, {"n": 1003, "bins": 37}),
    "luminance": ({"n": 0}, {"n": 1}, {"n": 1003}),
    "small_gemms": ({"count": 0}, {"count": 1}, {"count": 5}),
    "strided_copy": ({"n": 0, "s": 3}, {"n": 1, "s": 1}, {"n": 203, "s": 3}),
}
_ANY = (
    {"n": 0, "m": 0, "l": 0},
    {"n": 1, "m": 1, "l": 1},
    {"n": 2, "m": 7, "l": 3},
    {"n": 37, "m": 45, "l": 19},
    {"n": 64, "m": 33, "l": 16},
)
_LENGTHS: Mapping[str, Mapping[str, str]] = {
    "dgemm_linear": {"a": "n * l", "b": "l * m", "c": "n * m"},
    "stencil_9": {"a": "n * n", "b": "n * n"},
    "strided_copy": {"x": "n * s", "y": "n"},
    "largest": {"x": "n < 1 ? 1 : n"},
}
_ONE_DIMENSION = ("a", "b", "c", "x", "y")
_FILLS: Mapping[str, Mapping[str, str]] = {
    "csr": {"row": "rows entries", "column": "index n"},
    "ellpack": {"column": "index n"},
    "gather": {"index": "index m"},
    "scatter": {"index": "permutation"},
    "histogram": {"bin": "index bins"},
    "particles": {"p": "float"},
}
_TERMS = {"dot": "n", "frobenius": "n * m"}


def _case(path: Path) -> Case:
    name = path.stem
    source = path.read_text(encoding="utf-8")
    lengths = _LENGTHS.get(name, dict.fromkeys(_ONE_DIMENSION, "n") if "*restrict" in source or "*a" in source else {})
    return Case(
        name,
        source,
        sizes=_SIZES.get(name, _ANY),
        function=name,
        lengths=lengths,
        fills=_FILLS.get(name, {}),
        terms=_TERMS.get(name, ""),
        is_exact=name != "nbody",  # whose terms are rounded
    )


MEASURED_NESTS = tuple(_case(path) for path in sorted(NESTS.glob("*.c")))
