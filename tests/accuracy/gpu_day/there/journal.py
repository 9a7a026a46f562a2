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
    """A step that ran. `state`: done, failed, or ended, because the time was up.

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
    text = json.dumps({**kind, **asdict(line)}, ensure_ascii=False)
    with path.open("ab") as file:
        file.write((b"" if _ends_a_line(path) else b"\n") + text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Iterator[Run | Ran]:
    """The lines of a file; raises OSError, and ValueError for a file of a later version."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            if "run" not in fields:
                yield Ran(**{**fields, "lost": tuple(fields["lost"])})
            elif fields.pop("run") == VERSION:
                yield Run(**fields)
            else:
                raise ValueError(f"{path} was written by a later version")


def last_by_digest(gpu: str, paths: Iterable[Path]) -> dict[str, Ran]:
    """What came of each step on a GPU of that name, by digest; raises OSError and ValueError.

    What was done once stays done; else the last try counts.
    """
    found: dict[str, Ran] = {}
    for path in paths:
        name = ""
        for line in read(path):
            if isinstance(line, Run):
                name = str(line.gpu.get("name", ""))
            elif name == gpu and (line.state == "done" or not is_done(found.get(line.digest))):
                found[line.digest] = line
    return found


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
