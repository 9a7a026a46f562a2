"""`python -m support.separate_memory.campaign 0 600`: ports of 600 random nests, from seed 0 on, on separate memory.

Each nest is ported in OpenMP and in OpenACC; with `--rows` nests whose rows have several loops each, with `--callers`
whole programs, whose functions get parts of one array, with `--steps` such with time loops and statements of the host
between nests.
Prints what differs from its original, and why nests are refused.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.openacc_ports import insertion as openacc
from support.openacc_ports import random_program
from support.openmp_ports import insertion as openmp
from support.openmp_ports.random_nests import random_nests
from support.openmp_ports.random_rows import random_rows
from support.separate_memory.offload import build, run
from support.separate_memory.programs import PortedProgram, on_device, on_host
from support.separate_memory.random_callers import random_callers
from support.separate_memory.random_steps import random_steps
from warplens.analysis.engine import offered_fixes
from warplens.analysis.models.launches import launch_space

_BATCH = 40
_PROGRAMS = 4
_WRITERS = {"omp": openmp.ported_text, "acc": openacc.ported_text}


@dataclass(frozen=True)
class Port:
    """A random nest and its port, both as text of one function; the port's directives are those of OpenMP."""

    original: str
    ported: str


@dataclass
class Outcome:
    """`tried` counts ports by language, `refused` nests by language and reason; `wrong` has texts to show."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def check(texts: Sequence[str], outcome: Outcome) -> None:
    """Port and run them."""
    ports: dict[str, list[Port]] = {language: [] for language in _WRITERS}
    for text in texts:
        report = analysed(Case("nest", text))
        for language, ported_text in _WRITERS.items():
            after, made = ported_text(text, report, "")
            if any(port.lines for port in made):
                ports[language].append(Port(text, after if language == "omp" else openacc.as_openmp(after)))
            reason = next((port.refusal for port in made if port.refusal), "")
            outcome.refused[language, _in_short(reason)] += bool(reason)
    for language, each in ports.items():
        outcome.tried[language] += len(each)
        for port, said in wrong_ports(each):
            outcome.wrong.append(f"=== {language}: {said}\n{port.original}---\n{port.ported}")


def wrong_ports(ports: Sequence[Port]) -> list[tuple[Port, str]]:
    """Those that compute something else, or whose program ends early, with what was said of them."""
    if not ports:
        return []
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = random_program.write([each.original for each in ports], [each.ported for each in ports], folder)
        try:
            build(files, folder, flags=("-O1", "-ffp-contract=off"))
            ran = run(folder)
            if ran.status == 0:
                differing = {line.split()[0]: line for line in ran.output.splitlines()}
                numbers = [re.search(r"nest_(\d+)", port.original) for port in ports]
                named = ((port, match[1]) for port, match in zip(ports, numbers, strict=True) if match)
                return [(port, differing[number]) for port, number in named if number in differing]
            said = f"status {ran.status}: {ran.errors[:2000]}"
        except AssertionError as defect:
            said = f"does not compile: {defect}"
    if len(ports) == 1:
        return [(ports[0], said)]
    half = len(ports) // 2
    return wrong_ports(ports[:half]) + wrong_ports(ports[half:])


def check_programs(sources: Sequence[str], outcome: Outcome) -> None:
    """Port all nests of each program and hold what it prints against what it prints on the host."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for source in sources:
            printed, report = on_host(source, folder), analysed(Case("program", source))
            for language, ported_text in _WRITERS.items():
                after, made = ported_text(source, report, "")
                outcome.tried[language] += sum(bool(port.lines) for port in made)
                outcome.refused.update((language, _in_short(port.refusal)) for port in made if port.refusal)
                ran = on_device(PortedProgram(after, len(made), ()), language, folder)
                if (ran.output, ran.status) != (printed, 0):
                    outcome.wrong.append(f"=== {language}: status {ran.status}: {ran.errors[:300]}\n{after}")


def main() -> int:
    """Run; 1 when a port is wrong or there is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="random nests, or programs")
    parser.add_argument("--callers", action="store_true", help="seeds are those of programs with calls")
    parser.add_argument("--steps", action="store_true", help="seeds are those of programs with time loops")
    parser.add_argument("--rows", action="store_true", help="seeds are those of rows with several loops")
    options = parser.parse_args()
    outcome = Outcome()
    end = options.first + options.count
    with ExitStack() as patches:
        # The search over launches and the offers take most of the time and say nothing about what a port computes.
        patches.enter_context(patch.object(launch_space, "_blocks", _one(64, 1, 1)))
        patches.enter_context(patch.object(launch_space, "_outputs", _one(1, 1, 1)))
        patches.enter_context(patch.object(offered_fixes, "FIXES", ()))
        is_whole = options.callers or options.steps
        together = _PROGRAMS if is_whole else _BATCH
        for at in range(options.first, end, together):
            known = len(outcome.wrong)
            seeds = range(at, min(at + together, end))
            if is_whole:
                check_programs([(random_callers if options.callers else random_steps)(seed) for seed in seeds], outcome)
            else:
                check((random_rows if options.rows else random_nests)(seeds), outcome)
            print(*outcome.wrong[known:], f"to {seeds.stop}: {_summary(outcome)}", sep="\n", flush=True)
    print(*(f"{count:5} {' '.join(key)}" for key, count in outcome.refused.most_common() if count), sep="\n")
    return 1 if outcome.wrong or not all(outcome.tried.values()) else 0


def _in_short(reason: str) -> str:
    """A refusal without the names in it."""
    return re.sub(r"`[^`]*`", "`...`", reason)


def _one(*shape: int) -> Callable[..., np.ndarray]:
    return lambda *_arguments: np.array([shape], dtype=np.int64)


def _summary(outcome: Outcome) -> str:
    tried = ", ".join(f"{count} ports in {language}" for language, count in outcome.tried.items())
    return f"{tried}, {len(outcome.wrong)} wrong"


if __name__ == "__main__":
    raise SystemExit(main())
