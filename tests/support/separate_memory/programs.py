"""C programs that print what they compute: as they are, and with all ports that are offered, on separate memory."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.openacc_ports import insertion as openacc
from support.openmp_ports import insertion as openmp
from support.separate_memory.offload import Ran, build, run
from warplens.analysis.engine.report import Report

LANGUAGES = ("omp", "acc")


@dataclass(frozen=True)
class PortedProgram:
    """`text` has the directives of OpenMP in any case; `lines` are those that were written, in their own language."""

    text: str
    lines: tuple[str, ...]
    refusals: tuple[str, ...]


def ported_program(source: str, language: str, analyse_c: Callable[[str], Report]) -> PortedProgram:
    """All nests of a program ported, one after the other as a user would: each is analysed with those before it."""
    ported = openmp.ported_text if language == "omp" else openacc.ported_text
    text, ports = ported(source, analyse_c(source), "")
    lines = tuple(line for port in ports for line in port.lines)
    refusals = tuple(port.refusal for port in ports)
    return PortedProgram(text if language == "omp" else openacc.as_openmp(text), lines, refusals)


def on_host(source: str, folder: Path) -> str:
    """What the program prints as it is."""
    (folder / "host.c").write_text(source, encoding="utf-8")
    command = ["gcc", "-std=gnu11", "-w", "-O0", "-ffp-contract=off", "host.c", "-lm", "-o", "host"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run([str(folder / "host")], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def on_device(text: str, folder: Path) -> Ran:
    """What the ported program prints."""
    (folder / "device.c").write_text(text, encoding="utf-8")
    build(["device.c"], folder, "device", ("-O1", "-ffp-contract=off"))
    return run(folder, "device")
