"""The file of raw results: what was measured of each quantity, kept at once, so that a run can go on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from warplens.server.files.output_file import RAW_RESULTS, write_output
from warplens.server.files.regular_file import read_regular

_VERSION = 1
_MAX_BYTES = 64 << 20


class ResultsError(Exception):
    """A file of raw results that can't be used; the message names it."""


@dataclass(slots=True)
class GpuResults:
    """What was measured of one GPU by one build of the program: the lines of JSON by quantity."""

    device: str
    digest: str
    date: str
    lines: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines.values())


def load_results(path: Path) -> GpuResults | None:
    """Results of an earlier run; None where there is no such file. Raises ResultsError."""
    if not path.exists():
        return None
    try:
        head, *rest = read_regular(path, _MAX_BYTES).decode("utf-8").splitlines()
        fields = json.loads(head)
        if fields.get("version") != _VERSION:
            raise ResultsError(f"{path}: version {fields.get('version')!r} of raw results is not read here")
        found = GpuResults(str(fields["device"]), str(fields["digest"]), str(fields["date"]))
        for line in rest:
            quantity = str(json.loads(line)["quantity"])
            found.lines[quantity] = f"{found.lines.get(quantity, '')}{line}\n"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: these are no raw results of `warplens calibrate gpu` ({error})") from error
    return found


def save_results(path: Path, results: GpuResults) -> None:
    """Write them in one step; raises OSError."""
    head = {"version": _VERSION, "device": results.device, "digest": results.digest, "date": results.date}
    body = "".join(each if each.endswith("\n") else f"{each}\n" for each in results.lines.values())
    write_output(path, f"{json.dumps(head)}\n{body}".encode(), RAW_RESULTS)
