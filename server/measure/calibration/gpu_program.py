"""Building the program that measures a GPU, out of the CUDA that comes with the profiles."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

from warplens.hwprofiles.calibrate.quantity import Quantity, catalogue
from warplens.server.measure.calibration.sass_check import disassembled, parse_sass, sass_demands, sass_mismatches
from warplens.server.measure.kernel_times.toolchain import build, find_tool
from warplens.server.programs.programs import Programs

_SOURCE = "calibrate_gpu.cu"
_BUILD_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class GpuProgram:
    """The program, what it is called by in results (a digest of its sources), its compiler, what may be started."""

    path: Path
    digest: str
    compiler: str
    programs: Programs


def gpu_quantities() -> tuple[Quantity, ...]:
    """What can be measured, in the order of the files; raises QuantityError for a damaged installation."""
    return catalogue(_sources())


def miscompiled(program: GpuProgram, folder: Path) -> dict[str, str]:
    """Quantities whose kernels lack the instructions that they shall measure, and what was found instead.

    Raises BuildError: there is no disassembler on PATH.
    """
    sass = parse_sass(disassembled(program.path, folder, program.programs))
    demands = [demand for source in _sources().values() for demand in sass_demands(source)]
    return {
        each.quantity: f"compiled to something else: {each.kernel} should have {each.wanted}, it has {each.found or 0}"
        for each in sass_mismatches(sass, demands)
    }


def _sources() -> dict[str, str]:
    """Texts of the files with quantities, by their path."""
    folder = files("warplens.hwprofiles") / "calibrate" / "gpu"
    return {
        f"{section.name}/{file.name}": file.read_text(encoding="utf-8")
        for section in folder.iterdir()
        if section.is_dir()
        for file in section.iterdir()
        if file.name.endswith(".cu")
    }


def build_gpu_program(folder: Path, targets: Sequence[str], programs: Programs) -> GpuProgram:
    """Build it in a folder; `targets` are nvcc's options that say for which GPUs (`-arch=native`).

    What was built there of the same sources for the same GPUs is used. Raises BuildError: no nvcc is on PATH, or the
    program is not built.
    """
    compiler = find_tool(programs, "nvcc")
    with as_file(files("warplens.hwprofiles") / "calibrate" / "gpu") as shipped:
        digest = _digest(shipped)
        program = folder / f"calibrate_gpu_{sha256(' '.join((digest, *targets)).encode()).hexdigest()[:16]}"
        if not program.exists():
            sources, building = folder / "sources", program.with_suffix(".new")
            shutil.copytree(shipped, sources, dirs_exist_ok=True)
            command = [compiler, "-O3", "-std=c++17", *targets, "-Wno-deprecated-gpu-targets",
                       str(sources / _SOURCE), "-o", str(building)]  # fmt: skip
            build(command, folder, _BUILD_LIMIT_S, "nvcc, which builds the measuring program,", programs)
            building.replace(program)
    return GpuProgram(program, digest, compiler, programs)


def _digest(folder: Path) -> str:
    found = sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".cu", ".cuh", ".h"}:
            found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]
