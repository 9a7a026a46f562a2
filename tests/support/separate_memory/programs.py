"""C programs that print what they compute: as they are, and with all ports that are offered, on separate memory."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.fix_fixtures.contexts import contexts
from support.openacc_ports.insertion import as_openmp
from support.separate_memory.offload import Ran, build, run
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import AS_PREDICTED, FixEdits, FixRule, applied
from warplens.analysis.ports.openacc import openacc_fix
from warplens.analysis.ports.openmp import openmp_fix

LANGUAGES = {"omp": openmp_fix.FIX, "acc": openacc_fix.FIX}


@dataclass(frozen=True)
class PortedProgram:
    """`text` in the port's own language; how many nests have a port, and why the others have none."""

    text: str
    ports: int
    refusals: tuple[str, ...]


def ported_program(source: str, fix: FixRule, analyse_c: Callable[[str], Report]) -> PortedProgram:
    """All nests of a program ported as a user would: one after the other, each with those before it in the text."""
    asked: set[object] = set()
    ports, refusals = 0, []
    while True:
        made = FixEdits()
        for context in contexts(source, analyse_c(source)):
            offers = fix.offer(context) if context.id not in asked else ()
            asked.add(context.id)
            if offers:
                made = fix.edit(context, offers[0], AS_PREDICTED)
                refusals += [made.refusal] if made.refusal else []
            if made.edits:
                break
        if not made.edits:
            return PortedProgram(source, ports, tuple(refusals))
        source, ports = applied(source, made), ports + 1


def on_host(source: str, folder: Path) -> str:
    """What the program prints as it is."""
    (folder / "host.c").write_text(source, encoding="utf-8")
    command = ["gcc", "-std=gnu11", "-w", "-O1", "-ffp-contract=off", "host.c", "-lm", "-o", "host"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run([str(folder / "host")], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def on_device(ported: PortedProgram, language: str, folder: Path, guard: Path | None = None) -> Ran:
    """What the ported program prints; OpenACC's directives run as those of OpenMP that mean the same.

    `guard` is the library that guards the device's memory, if it is built.
    """
    text = ported.text if language == "omp" else as_openmp(ported.text)
    (folder / f"{language}.c").write_text(text, encoding="utf-8")
    build([f"{language}.c"], folder, language, ("-O1", "-ffp-contract=off"))
    return run(folder, language, guard=guard)
