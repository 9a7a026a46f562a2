"""C nests that are timed and predicted: what they are called with, and which of them nothing is tuned on."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, eq=False)
class TimedNest:
    """A function of nests/FILE.c with one nest, and its arguments as corpus.toml has them.

    `also` are sizes beside n, `unnamed` those that the model asks for and no argument has.
    """

    name: str
    file: str
    arguments: tuple[str, ...]
    n: tuple[int, ...]
    also: Mapping[str, int]
    unnamed: Mapping[str, int]

    @property
    def is_held_out(self) -> bool:
        """A third of the nests, by a digest of the name: chosen before any was predicted."""
        return sha256(self.name.encode()).digest()[0] % 3 == 0

    @property
    def source(self) -> str:
        """The C file that it is in."""
        return (HERE / "nests" / f"{self.file}.c").read_text(encoding="utf-8")


@cache
def corpus() -> tuple[TimedNest, ...]:
    """All nests, in the order of corpus.toml."""
    document = tomllib.loads((HERE / "corpus.toml").read_text(encoding="utf-8"))
    return tuple(
        TimedNest(
            name, file, tuple(one["arguments"].split()), tuple(one["n"]), one.get("also", {}), one.get("nest", {})
        )
        for file, nests in document.items()
        for name, one in nests.items()
    )
