"""What ptxas made of the ports of the measured nests (record.py), beside what the analysis predicts of them."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.one_launch.shared_region import padded_regions
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.launch_work.thread_registers import thread_registers
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import load_gpu

PATH = Path(__file__).with_name("ptxas.csv")
NESTS = Path(__file__).parents[1] / "measured_nests" / "nests"
COLUMNS = (
    "nest", "block", "outputs", "staged", "arch", "registers", "shared_bytes", "spill_store_bytes", "spill_load_bytes",
)  # fmt: skip
GPUS = {"sm_75": "rtx2080ti", "sm_80": "a100", "sm_90": "h100"}
_ANY_SIZE = 1024


@dataclass(frozen=True, slots=True)
class Compiled:
    """One kernel for one architecture: registers of a thread, bytes of a block."""

    nest: str
    block: Extent
    outputs: Extent
    staged: tuple[str, ...]
    arch: str
    registers: int
    shared_bytes: int
    spill_bytes: int
    predicted_registers: int
    predicted_shared_bytes: int
    predicted_spills: int

    @property
    def kind(self) -> str:
        """What the launch has beyond one output per thread."""
        several = "one output" if self.outputs == (1, 1, 1) else "more outputs"
        return f"{several}, staged" if self.staged else several


@cache
def compiled() -> tuple[Compiled, ...]:
    """All of them, in the order of the file."""
    with PATH.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return tuple(_compiled(row) for row in rows)


def _compiled(row: dict[str, str]) -> Compiled:
    block, outputs, staged = _extent(row["block"]), _extent(row["outputs"]), tuple(row["staged"].split())
    gpu = load_gpu(GPUS[row["arch"]])
    registers, spills, shared_bytes = _predicted(row["nest"], block, outputs, staged, gpu)
    spilled = int(row["spill_store_bytes"]) + int(row["spill_load_bytes"])
    return Compiled(
        row["nest"],
        block,
        outputs,
        staged,
        row["arch"],
        int(row["registers"]),
        int(row["shared_bytes"]),
        spilled,
        registers,
        shared_bytes,
        spills,
    )


@cache
def _predicted(nest: str, block: Extent, outputs: Extent, staged: tuple[str, ...], gpu: Gpu) -> tuple[int, int, int]:
    """Registers of a thread, those that it spills, and bytes that a block stages."""
    facts = _facts(nest)
    sizes = extend_sizes(dict.fromkeys(facts.nest.parameters, _ANY_SIZE), facts.nest)
    kernel = kernel_at((*facts.restricted, *facts.kernels)[0], sizes)  # ports declare their pointers `restrict`
    registers = thread_registers(kernel, gpu, outputs)
    regions = padded_regions(kernel, block, defaultdict(lambda: _ANY_SIZE, sizes), gpu, outputs) if staged else []
    shared = (one.size_bytes for one in regions if one.accesses[0].access.array in staged)
    return registers.per_thread, registers.spill_slots, sum(shared)


@cache
def _facts(nest: str) -> NestFacts:
    text = (NESTS / f"{nest}.c").read_text(encoding="utf-8")
    unit = parse_unit(text, preprocess_in_python(f"/{nest}.c", text, lambda _path: None, (), ()), Memo())
    return analyse_nest(next(nest for function in unit.functions for nest in function.nests).nest)


def _extent(text: str) -> Extent:
    x, y, z = map(int, text.split("x"))
    return x, y, z
