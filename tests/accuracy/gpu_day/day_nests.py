"""Which nests run on a day with a GPU: the corpus at its sizes, and the examples, whose results are checked alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from accuracy.measured_nests.corpus import corpus
from support.cuda_on_cpu.examples import FOLDER, WISHES
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

Sizes = Mapping[str, int]

_EXAMPLE_SIZES: Mapping[str, Sizes] = {
    "convolution": {"height": 70, "width": 75},
    "dot": {"n": 5000},
    "matmul": {"n": 75, "m": 70, "l": 37},
    "nbody": {"bodies": 300},
    "stencil": {"n": 90},
    "transpose": {"rows": 75, "columns": 70},
}


@dataclass(frozen=True, slots=True)
class DayNest:
    """A nest: sizes at which all its ports are held against the C, and rounds of sizes and launches to time.

    `name` is a file's name without its ending, and one of this list.
    """

    name: str
    path: Path
    check_sizes: Sizes
    check_wishes: tuple[LaunchWish, ...]
    rounds: tuple[tuple[Sizes, tuple[LaunchWish, ...]], ...]


def day_nests() -> tuple[DayNest, ...]:
    """All of them. A round's data is larger at first, with more launches, then smaller, with fewer."""
    found = []
    for nest in corpus():
        *small, large = nest.sizes
        rounds = [(large, _some(nest.wishes)), *((sizes, nest.wishes[:2]) for sizes in small)]
        found.append(DayNest(nest.name, nest.path, nest.on_cpu, nest.wishes, tuple(rounds)))
    for name, (_, wish) in WISHES.items():
        path = FOLDER / f"{name}.c"
        found.append(DayNest(f"example_{name}", path, _EXAMPLE_SIZES[name], (wish, AS_PREDICTED), ()))
    return tuple(found)


def _some(wishes: Sequence[LaunchWish]) -> tuple[LaunchWish, ...]:
    """As predicted best, the blocks that the corpus has first and last, and what has several outputs or is staged."""
    blocks = [wish for wish in wishes if wish.block is not None]
    others = [wish for wish in wishes if wish.block is None and wish != AS_PREDICTED]
    return (AS_PREDICTED, *dict.fromkeys((*blocks[:1], *blocks[-1:])), *others)
