"""`python -m accuracy.registers.record`: what ptxas says of the ports of the measured nests, into ptxas.csv.

Needs nvcc. Every nest is written for the same launches on all architectures, with one and with several outputs per
thread, without and with staged arrays.
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from accuracy.registers.compiled import COLUMNS, PATH
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.corpus.measured import MEASURED_NESTS
from support.cuda_on_cpu.nvcc import ARCHITECTURES, NVCC
from support.cuda_on_cpu.ports import contexts, ported
from support.cuda_on_cpu.programs import Checked, Port, cuda_unit
from support.cuda_on_cpu.wishes import PLAIN, staged_arrays
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import LaunchWish

_LEFT_OUT = {"scatter"}
"""It is parallel only because a comment promises so, which the facts that are compared do not read."""
_BLOCKS = {1: (256, 1, 1), 2: (32, 8, 1), 3: (32, 4, 2)}
_OUTPUTS = {1: ((4, 1, 1),), 2: ((1, 4, 1), (2, 4, 1)), 3: ((1, 2, 1),)}
_ENTRY = re.compile(
    r"Compiling entry function '(\w+)' for '(sm_\d+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads"
    r".*?Used (\d+) registers(?:.*?, (\d+) bytes smem)?[^\n]*",
    re.DOTALL,
)


def _wishes(evaluation: NestEvaluation) -> Iterator[LaunchWish]:
    dimensions = min(len(evaluation.kernels[0].kernel.thread_order), 3)
    arrays = staged_arrays(evaluation)
    for outputs in (PLAIN, *_OUTPUTS[dimensions]):
        yield LaunchWish(_BLOCKS[dimensions], outputs, ())
        if arrays:
            yield LaunchWish(_BLOCKS[dimensions], outputs, arrays)


def _ported(case: Case) -> tuple[list[Port], list[LaunchWish]]:
    report = analysed(case)
    nests = [(nest, context) for nest, context in contexts(case, report) if context.evaluation.kernels]
    ports, wishes = [], []
    if len(nests) == 1 and len(nests[0][1].evaluation.kernels) == 1:
        for wish in _wishes(nests[0][1].evaluation):
            port = ported(case, report, nests, [wish])
            if isinstance(port, Port):
                ports.append(port)
                wishes.append(wish)
    return ports, wishes


def main() -> None:
    """Replace the file."""
    checked, wishes = [], {}
    for case in (case for case in MEASURED_NESTS if case.name not in _LEFT_OUT):
        ports, asked = _ported(case)
        checked.append(Checked(case, tuple(ports)))
        wishes |= {f"{case.name}_{number}_0": (case.name, wish) for number, wish in enumerate(asked)}
    with TemporaryDirectory() as folder:
        (Path(folder) / "ports.cu").write_text(cuda_unit(checked), encoding="utf-8")
        targets = [f"-gencode=arch={arch.replace('sm', 'compute')},code={arch}" for arch in ARCHITECTURES]
        command = [str(NVCC), "-c", "-std=c++17", "-O3", "-Xptxas", "-v", *targets, "ports.cu", "-o", "ports.o"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        version = subprocess.run([str(NVCC), "--version"], capture_output=True, text=True, check=True).stdout
    with PATH.open("w", encoding="utf-8", newline="") as file:
        file.write(
            "# Written by `python -m accuracy.registers.record`: what ptxas -v says of the ports of the nests in\n"
        )
        release = version.strip().splitlines()[-2].rpartition(", ")[2]
        file.write(f"# the nests in tests/accuracy/measured_nests, {release}, -O3.\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows(sorted(_rows(ran.stdout + ran.stderr, wishes)))


def _rows(said: str, wishes: dict[str, tuple[str, LaunchWish]]) -> Iterator[tuple[object, ...]]:
    for entry in said.split("ptxas info    : Compiling")[1:]:
        found = _ENTRY.search("Compiling" + entry)
        assert found is not None, entry
        mangled, arch, stores, loads, registers, shared = found.groups()
        length, rest = re.fullmatch(r"_ZN(\d+)(\w+)", mangled).groups()
        namespace = rest[: int(length)]
        nest, wish = wishes[namespace]
        length, rest = re.match(r"L?(\d+)(\w+)", rest[int(length) :]).groups()
        name = rest[: int(length)]
        if name != f"{nest}_kernel":
            continue  # the second pass of a reduction
        block, outputs = "x".join(map(str, wish.block)), "x".join(map(str, wish.outputs_per_thread))
        yield (
            nest,
            block,
            outputs,
            " ".join(wish.shared),
            arch,
            int(registers),
            int(shared or 0),
            int(stores),
            int(loads),
        )


if __name__ == "__main__":
    main()
