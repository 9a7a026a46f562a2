"""The hand-written comparisons of programs/, built: a step for each of their command lines (programs.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

from accuracy.gpu_day.nvcc_targets import shared_runtime_flags, target_flags
from accuracy.gpu_day.there.steps import Step
from warplens.server.measure.kernel_times.toolchain import build, find_tool
from warplens.server.programs.programs import ANYWHERE

SOURCES = Path(__file__).parent / "programs"
FOLDER = "programs"
_BUILD_LIMIT_S = 600.0
_FLAGS = ("-O3", "-std=c++17", *target_flags(), *shared_runtime_flags(1), "-Wno-deprecated-gpu-targets")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program, its arguments, and how many seconds it is expected to take."""

    program: str
    arguments: tuple[str, ...]
    estimate_s: float


def command_lines() -> tuple[CommandLine, ...]:
    """The first of every program, then the second of those that have one, and so on."""
    document = tomllib.loads((SOURCES / "programs.toml").read_text(encoding="utf-8"))
    rounds: dict[int, list[CommandLine]] = {}
    for program, lines in document.items():
        for place, line in enumerate(lines):
            words = tuple(str(line["arguments"]).split())
            rounds.setdefault(place, []).append(CommandLine(program, words, float(line["estimated_s"])))
    return tuple(line for place in sorted(rounds) for line in rounds[place])


def built_programs(kit: Path, pool: Executor) -> tuple[Step, ...]:
    """Build all of them; raises BuildError."""
    folder = kit / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    programs = dict.fromkeys(line.program for line in command_lines())
    with as_file(files("warplens.hwprofiles") / "calibrate" / "gpu") as headers:
        digest = _digest(headers)
        for each in [pool.submit(_build, name, folder, headers, digest) for name in programs]:
            each.result()
    return tuple(program_steps(digest))


def _build(name: str, folder: Path, headers: Path, digest: str) -> None:
    program = folder / f"{name}_{digest}"
    if program.exists():
        return
    building = program.with_suffix(".new")
    nvcc = find_tool(ANYWHERE, "nvcc")
    command = [nvcc, *_FLAGS, f"-I{headers}", str(SOURCES / f"{name}.cu"), "-o", str(building), "-ldl"]
    build(command, folder, _BUILD_LIMIT_S, f"nvcc, which builds {name}.cu,", ANYWHERE)
    building.replace(program)


def program_steps(digest: str) -> Iterator[Step]:
    """In the order of `command_lines`; `digest` is that of all sources."""
    for line in command_lines():
        said = ",".join(line.arguments)
        yield Step(
            id=f"programs/{line.program}/{said}",
            stage="measure",
            digest=f"{digest} {line.program} {said}",
            folder=FOLDER,
            argv=(f"./{line.program}_{digest}", *line.arguments),
            limit_s=120.0,
            estimate_s=line.estimate_s,
            about={"program": line.program},
        )


def _digest(headers: Path) -> str:
    """Of all their sources, those of the calibration that they include, and nvcc's options."""
    found = sha256("\0".join(_FLAGS).encode())
    texts = (*SOURCES.glob("*"), *headers.glob("*"))
    for path in sorted(path for path in texts if path.suffix in {".cu", ".cuh", ".h"}):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]
