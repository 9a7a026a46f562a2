"""Kits of a day with a GPU whose programs are stand-ins."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from accuracy.gpu_day.there.journal import Ran, read
from accuracy.gpu_day.there.steps import Step

GPU = "NVIDIA Made Up"
IDENTIFY = Step("identify", "calibrate", "identify", ".", ("echo", f'{{"series": "name", "text": "{GPU}"}}'))

RIGHT = '{"variant": "v", "check": {"compared": 3, "differing": 0, "difference": ""}}'
"""What a program writes of a result that is that of the C."""

MakeKit = Callable[..., Path]
RunKit = Callable[..., subprocess.CompletedProcess[str]]


def shell(script: str, *, name: str = "check/one", stage: str = "check", **fields: object) -> Step:
    """A step that is a line of shell, its digest that line."""
    given = {"folder": ".", "digest": f"{name} {script}", "argv": ("sh", "-c", script, "sh")} | fields
    return Step(id=name, stage=stage, **given)


def command(kit: Path, results: Path, *arguments: str) -> list[str]:
    """How a kit is run."""
    return [str(kit / "run"), "--results", str(results), *arguments]


def ran(results: Path) -> list[Ran]:
    """The steps that the only file of results has."""
    (path,) = results.glob("*.jsonl")
    return [line for line in read(path) if isinstance(line, Ran)]


def says(text: str) -> str:
    """A line of shell that prints a text without quotes."""
    return f"echo '{text}'"
