"""Steps that run ports of a nest on random data: all at one set of sizes, in one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from accuracy.gpu_day.there.steps import Step
from warplens.server.measure.kernel_times.harness_run import Machine, port_file, runtime_digest
from warplens.server.measure.kernel_times.measure_nest import PlannedNest

RUNS = 5
"""Times that count of each port; one more comes before them."""
_CONTEXT_S = 0.8
_CHECK_S = 0.5
"""Contexts are made one after the other, whatever runs beside."""
_COPY_BYTES_PER_S = 3e9
"""Of what a run does beside the kernels: writing the data again, copies from and to pageable memory, allocations."""


def port_step(
    planned: PlannedNest,
    machine: Machine,
    *,
    step_id: str,
    folder: str,
    is_check: bool,
    data_bytes: int,
    about: Mapping[str, Any],
    kernels_s: float = 0.0,
    purpose: str = "",
) -> Step:
    """The step that runs the ports of `planned`, which lie in the folder above its own.

    `kernels_s` is how long one run of all of them is expected to take on the GPU, where that is not little beside the
    copies. Steps of another `purpose` are other ones, be their ports the same.
    """
    ports = tuple(port_file(source, machine) for source in planned.sources)
    argv = ("./measured", "results.jsonl", str(1 if is_check else RUNS + 1), "0", "./reference.so")
    texts = (planned.program.tables, planned.program.reference, *ports, *argv, runtime_digest())
    return Step(
        id=step_id,
        stage="check" if is_check else "measure",
        digest=_digest((*texts, purpose) if purpose else texts),
        folder=folder,
        argv=argv,
        parts=tuple(f"../{port}" for port in ports),
        output="results.jsonl",
        alone=False,
        takes_turns=not is_check,
        limit_s=60.0 if is_check else 180.0,
        estimate_s=_CHECK_S if is_check else _estimate_s(len(ports), data_bytes, kernels_s),
        host_bytes=4 * data_bytes,
        about=dict(about),
    )


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Sizes in the names of steps and folders.

    >>> sizes_text({"n": 512, "m": 64})
    'n=512,m=64'
    """
    return ",".join(f"{name}={size}" for name, size in sizes.items())


def _estimate_s(ports: int, data_bytes: int, kernels_s: float) -> float:
    runs = RUNS + 1
    return round(_CONTEXT_S + runs * (ports * (0.005 + data_bytes / _COPY_BYTES_PER_S) + kernels_s), 1)


def _digest(texts: Sequence[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:16]
