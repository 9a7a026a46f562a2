"""What a step's output says of each of its parts: right, wrong, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accuracy.gpu_day.there.journal import Ran


@dataclass(frozen=True)
class Checked:
    """One result held against the C: `label` says of what, `difference` is empty where it is right."""

    label: str
    compared: int
    difference: str


def checked_parts(ran: Ran) -> Iterator[Checked]:
    """Ports of a nest, variants of a program; a step that checks nothing has none."""
    labels = [label for number, label in enumerate((ran.about or {}).get("parts", [])) if number not in ran.lost]
    for line in lines_of(ran.output):
        check = line.get("check")
        if not isinstance(check, dict):
            continue
        label = line["variant"] if "variant" in line else labels.pop(0) if labels else "?"
        yield Checked(f"{ran.step}: {label}", int(check["compared"]), _difference(check))


def lines_of(output: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a program's output that are JSON objects."""
    for text in output.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def _difference(check: Mapping[str, Any]) -> str:
    if not check["differing"]:
        return ""
    if check.get("difference"):
        return str(check["difference"])
    return f"{check['array']}, element {check['element']}: {check['found']}, the C has {check['expected']}"
