"""What is known of the whole program when one of its files is analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warplens.analysis.program.definitions import Definitions
from warplens.analysis.program.sizes.file_sizes import FileLines
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes


@dataclass(frozen=True, slots=True)
class Program:
    """`sizes` are what its files say of sizes, `lines` where they say it, by path.

    `definitions` are the functions that its files define for each other. An analysis depends on what it asks of all
    that alone: a program that was linked anew costs only those loops for which an answer changed.
    """

    sizes: LinkedSizes
    lines: Mapping[str, FileLines] = field(default_factory=dict)
    definitions: Definitions = field(default_factory=Definitions)
