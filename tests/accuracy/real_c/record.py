"""What the survey keeps of one file. Places are `path:line`, the path below the folder of unpacked packages."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import cattrs


@dataclass(frozen=True, slots=True)
class LoopRecord:
    """A lowered loop's verdict, with the kinds of the assumptions that it rests on.

    `promises` are what would have to be promised to make an unknown loop parallel or a reduction.
    """

    place: str
    verdict: str
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedLoop:
    """A loop with an OpenMP loop directive. `verdict` is ours of the outer loop, or `opaque` or `lost`.

    `inner` are the verdicts of the further loops that a collapse clause names. `written` is where the macro is defined
    that the loop is written in, empty where it stands in no macro.
    """

    place: str
    directive: str
    verdict: str
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()
    written: str = ""

    @property
    def is_positive(self) -> bool:
        """Whether we say that its iterations may run at the same time."""
        return self.verdict in {"parallel", "reduction"}

    @property
    def is_found(self) -> bool:
        """Whether we say so, or would if the user promised what we name."""
        return self.is_positive or bool(self.promises)


@dataclass(frozen=True, slots=True)
class OpaqueRecord:
    """A function or a loop that was not understood, and why."""

    place: str
    kind: str
    function: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file. `functions` and `loops` are the oracle's count, `loops_counted` our own by keyword.

    `failure` is why the file has no answer at all; `exceptions` are those of the analysis of a nest.
    """

    package: str
    path: str
    failure: str = ""
    lines: int = 0
    oracle_errors: int = 0
    functions: int = 0
    functions_found: int = 0
    functions_unparsed: int = 0
    loops: int = 0
    loops_counted: int = 0
    loops_found: int = 0
    verdicts: tuple[LoopRecord, ...] = ()
    marked: tuple[MarkedLoop, ...] = ()
    opaque: tuple[OpaqueRecord, ...] = ()
    exceptions: tuple[str, ...] = ()
    preprocess_s: float = 0.0
    front_end_s: float = 0.0
    nest_ms: tuple[float, ...] = ()
    dependence_ms: tuple[float, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def nothing_lost(self) -> bool:
        """Every function and loop that the oracle sees was found, and every function with a loop parsed."""
        found_all = self.functions_found >= self.functions and self.loops_found >= max(self.loops, self.loops_counted)
        return not self.failure and found_all and self.functions_unparsed == 0

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @staticmethod
    def from_json(entry: dict[str, Any]) -> FileRecord:
        """The record that `to_json` was made of."""
        return cattrs.structure(entry, FileRecord)
