"""Building the program that measures a CPU, out of the C that comes with the profiles."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from warplens.server.measure.kernel_times.toolchain import BuildError, build, find_tool
from warplens.server.programs.programs import Programs

_SOURCE = "calibrate_cpu.c"
_BUILD_LIMIT_S = 120.0
_WARNINGS = ("-Wall", "-Wextra")


@dataclass(frozen=True, slots=True)
class CpuProgram:
    """The program and its compiler. `no_threads`: why it measures nothing on several threads; empty where it does.

    `programs` are those that may be started.
    """

    path: Path
    compiler: str
    no_threads: str
    programs: Programs


def build_cpu_program(folder: Path, programs: Programs, *more: str) -> CpuProgram:
    """Build it in a folder with gcc, cc or clang, without OpenMP where that is not installed; `more` are flags.

    `programs` are those that may be started. Raises BuildError: no compiler is on PATH, or the program is not built.
    """
    compiler = find_tool(programs, "gcc", "cc", "clang")
    sources = folder / "sources"
    with as_file(files("warplens.hwprofiles") / "calibrate" / "cpu") as shipped:
        shutil.copytree(shipped, sources)
    program = folder / "calibrate_cpu"
    command = [compiler, "-std=gnu17", "-O3", *_WARNINGS, *more, str(sources / _SOURCE), "-o", str(program)]
    try:
        build([*command, "-fopenmp"], folder, _BUILD_LIMIT_S, f"{compiler} -fopenmp", programs)
    except BuildError:
        build(command, folder, _BUILD_LIMIT_S, compiler, programs)
        return CpuProgram(program, compiler, f"{compiler} builds no OpenMP", programs)
    return CpuProgram(program, compiler, "", programs)
