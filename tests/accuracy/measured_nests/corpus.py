"""The nests that are measured: which file, at which sizes, with which launches (corpus.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ports.fix import LaunchWish

HERE = Path(__file__).parent
NESTS = HERE / "nests"


@dataclass(frozen=True, slots=True)
class CorpusNest:
    """`sizes` are those on a GPU, `on_cpu` those at which everything but the times is checked."""

    name: str
    sizes: tuple[Mapping[str, int], ...]
    on_cpu: Mapping[str, int]
    wishes: tuple[LaunchWish, ...]

    @property
    def path(self) -> Path:
        """The C file, which holds this nest alone."""
        return NESTS / f"{self.name}.c"


@cache
def corpus() -> tuple[CorpusNest, ...]:
    """All of them, in the order of the file."""
    document = tomllib.loads((HERE / "corpus.toml").read_text(encoding="utf-8"))
    return tuple(_nest(name, entry) for name, entry in document.items())


def _nest(name: str, entry: Mapping[str, object]) -> CorpusNest:
    def texts(key: str) -> list[str]:
        value = entry.get(key, [])
        assert isinstance(value, list), f"{name}.{key} is a list"
        return [str(text) for text in value]

    wishes = [LaunchWish()]
    wishes += [LaunchWish(_extent(text), (1, 1, 1), ()) for text in texts("blocks")]
    wishes += [LaunchWish(None, _extent(text), ()) for text in texts("outputs")]
    wishes += [LaunchWish(None, None, tuple(text.split(","))) for text in texts("shared")]
    return CorpusNest(name, tuple(map(as_sizes, texts("sizes"))), as_sizes(str(entry["on_cpu"])), tuple(wishes))


def as_sizes(text: str) -> dict[str, int]:
    """Values by the parameters' names.

    >>> as_sizes("n=512, m=64")
    {'n': 512, 'm': 64}
    """
    pairs = (part.split("=") for part in text.split(","))
    return {name.strip(): int(size) for name, size in pairs}


def _extent(text: str) -> Extent:
    x, y, z = (*map(int, text.split("x")), 1, 1)[:3]
    return x, y, z
