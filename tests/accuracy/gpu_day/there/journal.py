"""The file of results: a line of JSON for each step that ran, written at once, so that an ended run keeps what it had.

A run begins with a line about the GPU. A line that a killed run left unfinished is no line. Files that end in .gz, as
they are kept in the tree, are read too.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

VERSION = 1


@dataclass(frozen=True)
class Run:
    """One call of the day's command: `gpu` is what identifies the GPU, `made` the kit's origin, `began` UTC."""

    gpu: dict[str, Any]
    made: dict[str, str]
    began: str
    host: dict[str, Any]
    minutes: float


@dataclass(frozen=True)
class Ran:
    """A step that ran. `state`: done; partial, where a library was missing; failed; ended, because the time was up.

    `output` is what it wrote, of all its processes; `messages` the end of what it said on stderr; `clocks` the SM's and
    the memory's in MHz while it ran, each least, median and most. `lost` are numbers of parts that gave no result.
    """

    step: str
    stage: str
    digest: str
    state: str
    began: str
    wall_s: float
    output: str
    messages: str = ""
    clocks: dict[str, Any] | None = None
    lost: tuple[int, ...] = ()
    about: dict[str, Any] | None = None


def journal_name(gpu: str) -> str:
    """The file's name for a GPU.

    >>> journal_name("NVIDIA H100 80GB HBM3")
    'nvidia_h100_80gb_hbm3.jsonl'
    """
    return re.sub(r"[^a-z0-9]+", "_", gpu.lower()).strip("_") + ".jsonl"


def append(path: Path, line: Run | Ran) -> None:
    """Write a line, and have it on the disk before anything else begins; raises OSError."""
    kind = {"run": VERSION} if isinstance(line, Run) else {}
    with path.open("ab") as file:
        file.write((b"" if _ends_a_line(path) else b"\n") + json.dumps({**kind, **asdict(line)}).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Iterator[Run | Ran]:
    """The lines of a file; raises OSError and EOFError, and ValueError for a file of a later version."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for raw in file:
            line = parsed(raw)
            if line is not None:
                yield line


def parsed(raw: bytes) -> Run | Ran | None:
    """A line, None where it is none; raises ValueError for one of a later version."""
    try:
        fields = json.loads(raw)
        version = fields.pop("run", None)
        if version is None:
            return Ran(**{**fields, "lost": tuple(fields["lost"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if version != VERSION:
        raise ValueError(f"version {version!r} of results is not read here")
    try:
        return Run(**fields)
    except TypeError:
        return None


def best_by_digest(gpu: str, paths: Iterable[Path]) -> dict[str, Ran]:
    """What came of each step on a GPU of that name, by digest; raises OSError, EOFError and ValueError.

    What was done once stays done, and of other tries the one with most results counts, the later of equal ones.
    """
    found: dict[str, Ran] = {}
    for path in paths:
        name = ""
        for line in read(path):
            if isinstance(line, Run):
                name = str(line.gpu.get("name", ""))
            elif name == gpu:
                found[line.digest] = better(found.get(line.digest), line)
    return found


def better(old: Ran | None, new: Ran) -> Ran:
    """Which of two tries of a step counts."""
    return new if old is None or _worth(new) >= _worth(old) else old


def _worth(ran: Ran) -> tuple[int, int]:
    return {"done": 2, "partial": 1}.get(ran.state, 0), ran.output.count("\n")


def is_done(ran: Ran | None) -> bool:
    """Whether a step need not run again."""
    return ran is not None and ran.state == "done"


def _ends_a_line(path: Path) -> bool:
    """Whether a line can follow: a killed run may have left half of one."""
    if not path.exists() or path.stat().st_size == 0:
        return True
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
