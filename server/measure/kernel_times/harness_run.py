"""Building a nest's measuring program with its ports, and running it: on a GPU, or to check everything on the CPU."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from warplens.analysis.measured.source_digest import text_digest, without_comments
from warplens.server.measure.kernel_times.toolchain import (
    BuildError,
    NoGpuError,
    build,
    find_tool,
    last_lines,
    run_tool,
)
from warplens.server.programs.programs import Programs

_BUILD_LIMIT_S = 300.0
_NO_GPU = 4
_LAUNCH = "<<<"
_RUNTIME_FILES = ("comparison.c", "harness.c", "harness.h", "timed_runtime.h")


@dataclass(frozen=True, slots=True)
class PortSource:
    """A port: the text of its `.cu`, and the user's file with a call of it in the nest's place."""

    cuda: str
    caller: str


@dataclass(frozen=True, slots=True)
class Program:
    """What is compiled besides the ports: the tables around harness.c, and the user's file for the reference."""

    tables: str
    reference: str


@dataclass(frozen=True, slots=True)
class Machine:
    """Where ports run: on a GPU, or on the CPU by what is in the folder `cuda_on_cpu`.

    That has a `cuda_runtime.h` that runs CUDA's threads, and a `control.cc` that belongs to it. `flags` are the file's
    own of the preprocessor, `nvcc_flags` say for which GPUs nvcc builds. `jobs` compilers run at a time; `programs` are
    those that may be started.
    """

    programs: Programs
    flags: tuple[str, ...] = ()
    cuda_on_cpu: Path | None = None
    warm_l2: bool = False
    jobs: int = 1
    nvcc_flags: tuple[str, ...] = ("-arch=native",)


@dataclass(frozen=True, slots=True)
class Plan:
    """How often: at least `runs` times and for `seconds`, after one run that doesn't count."""

    runs: int
    seconds: float
    limit_s: float


def measured_lines(
    program: Program, ports: Sequence[PortSource], machine: Machine, plan: Plan, folder: Path
) -> list[Mapping[str, Any]]:
    """What harness.c writes: the reference's line, then one for each port. Built and run in `folder`.

    A port that was built there before is not built again. Raises BuildError: no compiler, a build or the run failed;
    NoGpuError.
    """
    _write_runtime(folder)
    with ThreadPoolExecutor(machine.jobs) as pool:
        started = [pool.submit(build_program, program, machine, folder)]
        libraries = build_ports(ports, machine, folder, pool)
        for each in started:
            each.result()
    return _run(folder, libraries, plan, machine.programs)


def build_program(program: Program, machine: Machine, folder: Path) -> None:
    """Build `measured`, which measures, and `reference.so`, the C, in a folder; raises BuildError."""
    _write_runtime(folder)
    (folder / "measured.c").write_text(program.tables, encoding="utf-8")
    (folder / "reference.c").write_text(program.reference, encoding="utf-8")
    command = _gcc(
        machine, *machine.flags, "-fPIC", "-fvisibility=hidden", "-shared", "reference.c", "-o", "reference.so", "-lm"
    )
    build(command, folder, _BUILD_LIMIT_S, "gcc, which builds the C for the reference,", machine.programs)
    command = _gcc(machine, "measured.c", "-o", "measured", "-ldl", "-lm")
    build(command, folder, _BUILD_LIMIT_S, "gcc, which builds the measuring program,", machine.programs)


def build_ports(ports: Sequence[PortSource], machine: Machine, folder: Path, pool: Executor) -> tuple[Path, ...]:
    """Build ports as shared objects in a folder, in their order; those that are there already are not built again.

    Raises BuildError.
    """
    _write_runtime(folder)
    libraries = [folder / port_file(port, machine) for port in ports]
    todo = {library: port for library, port in zip(libraries, ports, strict=True) if not library.exists()}
    if machine.cuda_on_cpu is not None and todo:
        _build_control(folder, machine, machine.cuda_on_cpu)
    for each in [pool.submit(_build_port, folder, library, port, machine) for library, port in todo.items()]:
        each.result()
    return tuple(libraries)


def with_launch_hooks(text: str, *, on_cpu: bool = False) -> str:
    """The port with a call in front of each launch's configuration, or, for the CPU, each launch in C++.

    >>> with_launch_hooks("k<<<blocks(n, 4), 256>>>(a);")
    'k<<<(warplens_before_launch(), blocks(n, 4)), 256>>>(a);'
    >>> with_launch_hooks("if (n) k<<<1, t>>>(a);", on_cpu=True)
    'if (n) cuda_on_cpu::launcher(k)((warplens_before_launch(), 1), t)(a);'
    """
    parts: list[str] = []
    at = 0
    while (start := text.find(_LAUNCH, at)) >= 0:
        first_end = _argument_end(text, start + len(_LAUNCH))
        grid = f"(warplens_before_launch(), {text[start + len(_LAUNCH) : first_end]})"
        end = text.index(">>>", first_end)
        before = text[at:start]
        if on_cpu:
            kernel = re.search(r"\b\w+(?:<[\w ,]*>)?\s*\Z", before)
            name = kernel[0].rstrip() if kernel else ""
            before = before[: kernel.start() if kernel else None] + f"cuda_on_cpu::launcher({name})"
            parts += [before, f"({grid}{text[first_end:end]})"]
        else:
            parts += [before, _LAUNCH, grid, text[first_end:end], ">>>"]
        at = end + len(">>>")
    return "".join((*parts, text[at:]))


def _argument_end(text: str, at: int) -> int:
    depth = 0
    while depth or text[at] != ",":
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return at


def _write_runtime(folder: Path) -> None:
    """The fixed parts of the program, beside what is generated; none is written while a compiler reads it."""
    package = files("warplens.server.measure.kernel_times")
    for name in _RUNTIME_FILES:
        text = (package / name).read_bytes()
        if not (folder / name).exists() or (folder / name).read_bytes() != text:
            (folder / name).write_bytes(text)


def runtime_digest() -> str:
    """Of the fixed parts of the program: what they measure changes with them."""
    package = files("warplens.server.measure.kernel_times")
    return sha256(b"\0".join((package / name).read_bytes() for name in _RUNTIME_FILES)).hexdigest()[:16]


def port_file(port: PortSource, machine: Machine) -> str:
    """The name of a built port, by all that is compiled but comments, whose numbers differ from size to size."""
    how = (str(machine.warm_l2), str(machine.cuda_on_cpu), *machine.flags, *machine.nvcc_flags, runtime_digest())
    texts = (port.caller, text_digest(without_comments(port.cuda)), *how)
    return f"port_{sha256(chr(0).join(texts).encode()).hexdigest()[:16]}.so"


def _gcc(machine: Machine, *arguments: str) -> list[str]:
    sanitizer = ("-fsanitize=address",) if machine.cuda_on_cpu else ()
    return [find_tool(machine.programs, "gcc", "cc"), "-O2", "-w", "-std=gnu17", "-I.", *sanitizer, *arguments]


def _gxx(machine: Machine, *arguments: str) -> list[str]:
    gxx = find_tool(machine.programs, "g++")
    return [gxx, "-O1", "-w", "-std=c++17", "-fPIC", "-fsanitize=address", *arguments]


def _build_control(folder: Path, machine: Machine, cuda_on_cpu: Path) -> None:
    """What all ports on the CPU have in common."""
    if not (folder / "control.o").exists():
        command = _gxx(machine, f"-I{cuda_on_cpu}", "-c", str(cuda_on_cpu / "control.cc"), "-o", "control.o")
        build(command, folder, _BUILD_LIMIT_S, "g++, which builds CUDA's threads for the CPU,", machine.programs)


def _build_port(folder: Path, library: Path, port: PortSource, machine: Machine) -> None:
    caller, source, made = library.with_suffix(".c"), library.with_suffix(".cu"), library.with_suffix(".o")
    caller.write_text(port.caller, encoding="utf-8")
    command = _gcc(machine, *machine.flags, "-fPIC", "-fvisibility=hidden", "-c", caller.name, "-o", made.name)
    build(command, folder, _BUILD_LIMIT_S, "gcc, which builds the call of the port,", machine.programs)
    text = with_launch_hooks(port.cuda, on_cpu=machine.cuda_on_cpu is not None)
    source.write_text(f'#include "timed_runtime.h"\n#line 1 "port.cu"\n{text}', encoding="utf-8")
    building = library.with_suffix(".new")
    if machine.cuda_on_cpu is not None:
        command = _gxx(
            machine, "-shared", "-DWARPLENS_ON_CPU", "-I.", f"-I{machine.cuda_on_cpu}", "-x", "c++", source.name
        )
        command += ["-x", "none", "control.o", made.name, "-o", building.name, "-lm"]
        build(command, folder, _BUILD_LIMIT_S, "g++, which builds the port for the CPU,", machine.programs)
        building.replace(library)
        return
    warm = ("-DWARPLENS_WARM_L2",) if machine.warm_l2 else ()
    nvcc = find_tool(machine.programs, "nvcc")
    command = [nvcc, "-O3", "-std=c++17", *machine.nvcc_flags, "-Wno-deprecated-gpu-targets", *warm, "-I.",
               "-shared", "-Xcompiler", "-fPIC", source.name, made.name, "-o", building.name]  # fmt: skip
    build(command, folder, _BUILD_LIMIT_S, "nvcc", machine.programs)
    building.replace(library)


def _run(folder: Path, libraries: Sequence[Path], plan: Plan, programs: Programs) -> list[Mapping[str, Any]]:
    names = [f"./{library.name}" for library in libraries]
    command = ["./measured", "results.jsonl", str(plan.runs + 1), str(plan.seconds), "./reference.so", *names]
    finished = run_tool(command, folder, plan.limit_s, "the measuring program", programs.environment())
    if finished.code == _NO_GPU:
        raise NoGpuError(last_lines(finished.messages) or "no GPU")
    if finished.code:
        raise BuildError(f"the measuring program failed (exit code {finished.code}):\n{last_lines(finished.messages)}")
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
