"""Registers and shared memory that the analysis predicts, beside what ptxas says of the ports (accuracy/registers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accuracy.ledger.errors import Errors, errors
from accuracy.registers.compiled import GPUS, Compiled, compiled
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.hwprofiles.loader import load_gpu


@dataclass(frozen=True, slots=True)
class RegisterErrors:
    """Of predicted / ptxas' registers; `warps` of predicted / ptxas' resident warps, which is what times depend on.

    `shared` is of predicted / ptxas' bytes per block, None where nothing is staged. `spilling` kernels spill in ptxas,
    `spilling_predicted` in the analysis.
    """

    registers: Errors
    warps: Errors
    shared: Errors | None
    spilling: int
    spilling_predicted: int


def register_errors() -> Mapping[tuple[str, str], RegisterErrors]:
    """By kind of launch and architecture."""
    groups: dict[tuple[str, str], list[Compiled]] = {}
    for one in compiled():
        groups.setdefault((one.kind, one.arch), []).append(one)
    return {key: _errors(members) for key, members in sorted(groups.items())}


def _errors(members: list[Compiled]) -> RegisterErrors:
    shared = [one.predicted_shared_bytes / one.shared_bytes for one in members if one.staged and one.shared_bytes]
    return RegisterErrors(
        errors([one.predicted_registers / one.registers for one in members], ()),
        errors([_warps(one, one.predicted_registers) / _warps(one, one.registers) for one in members], ()),
        errors(shared, ()) if shared else None,
        sum(one.spill_bytes > 0 for one in members),
        sum(one.predicted_spills > 0 for one in members),
    )


def _warps(one: Compiled, registers: int) -> int:
    """Resident warps of an SM with so many registers and the shared memory that ptxas says."""
    threads = one.block[0] * one.block[1] * one.block[2]
    return occupancy(load_gpu(GPUS[one.arch]), threads, registers, one.shared_bytes).warps_per_sm
