"""Nests of which several mappings are timed on a day with a GPU (mapped_nests/nests.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy.measured_nests.corpus import NESTS, as_sizes

FOLDER = Path(__file__).parent / "mapped_nests"


@dataclass(frozen=True, slots=True)
class MappingNest:
    """`sizes` are those at which mappings are timed, `check_sizes` those at which their ports are held against the C.

    `staged` are arrays that the source's own order also has in shared memory.
    """

    name: str
    sizes: tuple[Mapping[str, int], ...]
    check_sizes: Mapping[str, int]
    staged: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The C file, which holds this nest alone."""
        return path_of(f"{self.name}.c")


@cache
def mapping_nests() -> tuple[MappingNest, ...]:
    """All of them, in the order of the file."""
    document = tomllib.loads((FOLDER / "nests.toml").read_text(encoding="utf-8"))
    return tuple(
        MappingNest(
            name,
            tuple(map(as_sizes, entry["sizes"])),
            as_sizes(entry["on_cpu"]),
            tuple(entry["staged"].split(",")) if "staged" in entry else (),
        )
        for name, entry in document.items()
    )


def path_of(file: str) -> Path:
    """Where a nest's file is: here, or where it would be among the corpus."""
    own = FOLDER / file
    return own if own.is_file() else NESTS / file
