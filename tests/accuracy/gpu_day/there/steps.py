"""What a kit has to run: steps, each a program in a folder of the kit. A value, and as JSON.

This folder goes to the machine with the GPU as it is: it needs Python's standard library and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

KIT_FILE = "kit.json"
STAGES = ("check", "calibrate", "measure", "counters")
"""In the order in which they run: ports held against the C, the GPU itself, times, ncu's counters."""


@dataclass(frozen=True)
class Step:
    """One thing to run. Its results count for every kit in which a step has the same `digest`.

    `parts` are further arguments of the program that are results of their own (ports): where it ends or is ended at one
    of them, it is run again with those behind. `output` is the file that it writes, in its folder; without one it is
    what it prints. `repeat` is how many processes run one after the other. `alone`: nothing else runs meanwhile; else
    it may, and where `takes_turns` the program waits for the GPU itself. `needs` is a program that the machine has or
    not. `limit_s` ends one process, `estimate_s` is how long it keeps the GPU from others, `host_bytes` what it takes
    of the memory. `about` is copied into the results.
    """

    id: str
    stage: str
    digest: str
    folder: str
    argv: tuple[str, ...]
    parts: tuple[str, ...] = ()
    output: str = ""
    repeat: int = 1
    alone: bool = True
    takes_turns: bool = False
    needs: str = ""
    limit_s: float = 120.0
    estimate_s: float = 1.0
    host_bytes: int = 0
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kit:
    """`made` says from what and with what it was built. `identify` prints the GPU's properties.

    `counters` are names of ncu's metrics: of each group the first that the GPU has is asked for, `always` the others.
    """

    made: dict[str, str]
    identify: Step
    steps: tuple[Step, ...]
    always: tuple[str, ...] = ()
    counters: tuple[tuple[str, ...], ...] = ()


def read_kit(folder: Path) -> Kit:
    """The kit in a folder; raises OSError, ValueError, KeyError and TypeError for what is none."""
    document = json.loads((folder / KIT_FILE).read_text(encoding="utf-8"))
    return Kit(
        dict(document["made"]),
        _step(document["identify"]),
        tuple(_step(entry) for entry in document["steps"]),
        tuple(document["always"]),
        tuple(tuple(group) for group in document["counters"]),
    )


def write_kit(folder: Path, kit: Kit) -> None:
    """Write the kit's file; raises OSError."""
    (folder / KIT_FILE).write_text(json.dumps(asdict(kit), indent=1) + "\n", encoding="utf-8")


def _step(entry: dict[str, Any]) -> Step:
    return Step(**{**entry, "argv": tuple(entry["argv"]), "parts": tuple(entry["parts"])})
