"""What the ledger is meant to reach, beside what it is: shown until met, asserted from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

from accuracy.ledger.errors import Errors
from accuracy.ledger.ledger import BlockErrors, Ledger, Subject, WorkSweep
from accuracy.ledger.measurement import Extent

BLOCK_MEAN = 1.10
BLOCK_WORST = 1.5
STREAMING = 1.25
MATMUL = 1.5
SIMPLE = ("vecadd", "matadd", "mm_naive", "mm_tiled")
GEMM_ORDER: tuple[Extent, ...] = ((8, 8, 1), (4, 4, 1), (2, 2, 1), (1, 1, 1), (16, 16, 1))
NOTHING_TO_GAIN = 1.05
LEAST_LAUNCHES = 10
"""A time target is not decided by fewer (vecadd on the RTX 2080 Ti: one run of each of four blocks)."""


@dataclass(frozen=True, slots=True)
class Target:
    """`value` is what the model reaches, as it is shown."""

    text: str
    model: str
    value: str
    is_met: bool


def targets(ledger: Ledger) -> tuple[Target, ...]:
    """Every target for every model, as far as there is something measured."""
    return tuple(target for model in ledger.time for target in _targets(ledger, model))


def _targets(ledger: Ledger, model: str) -> Iterator[Target]:
    every = ledger.all_blocks[model]
    yield Target(f"block: mean <= {BLOCK_MEAN}", model, f"{every.mean:.3f}", every.mean <= BLOCK_MEAN)
    blocks = ledger.blocks[model]
    worst = max(found.worst for (kernel, _), found in blocks.items() if kernel in SIMPLE)
    yield Target(f"block: at worst {BLOCK_WORST} on {', '.join(SIMPLE)}", model, f"{worst:.2f}", worst <= BLOCK_WORST)
    for name, has in _better_than_256():
        yield from _beats_256(name, {key: found for key, found in blocks.items() if has(*key)}, model)
    for kernels, limit in ((("vecadd", "matadd"), STREAMING), (("mm_naive", "mm_tiled"), MATMUL)):
        for kernel in kernels:
            factor = _factor(ledger.time[model], kernel)
            yield Target(f"time: {kernel} within {limit}", model, f"{factor:.2f}", factor <= limit)
    for sweep in ledger.work[model]:
        yield from _work(sweep, model)


def _better_than_256() -> Iterator[tuple[str, Callable[[str, str], bool]]]:
    yield "swapped nests", lambda kernel, _: kernel.endswith("swapped_threads")
    yield "matmul on Kepler", lambda kernel, gpu: kernel == "mm_naive" and gpu in {"k20", "gtx680"}
    yield "the convolution", lambda kernel, _: kernel.startswith("conv")


def _beats_256(name: str, found: Mapping[tuple[str, str], BlockErrors], model: str) -> Iterator[Target]:
    compared = [one for one in found.values() if one.always_256_mean is not None]
    if compared:
        groups = sum(one.groups for one in compared)
        ours = sum(one.mean * one.groups for one in compared) / groups
        default = sum((one.always_256_mean or 0.0) * one.groups for one in compared) / groups
        yield Target(f"block: better than 256 on {name}", model, f"{ours:.2f} beside {default:.2f}", ours < default)


def _factor(time: Mapping[Subject, Errors], kernel: str) -> float:
    """Geometric mean of the ratios on the GPU where it is worst, as a factor of at least 1."""
    ratios = [
        error.ratio
        for (name, _, is_plain), error in time.items()
        if name == kernel and is_plain and error.count >= LEAST_LAUNCHES
    ]
    return max((exp(abs(log(ratio))) for ratio in ratios), default=1.0)


def _work(sweep: WorkSweep, model: str) -> Iterator[Target]:
    where = f"{sweep.kernel} on {sweep.gpu}"
    predicted = {entry.outputs: entry.predicted_s for entry in sweep.result.sweep}
    if sweep.kernel == "gemm":
        times = [predicted[outputs] for outputs in GEMM_ORDER]
        text = " ".join(f"{x}x{y}" for x, y, z in sorted(GEMM_ORDER, key=predicted.__getitem__))
        in_order = all(faster < slower for faster, slower in pairwise(times))
        yield Target(f"work: {where} ranks 8x8, 4x4, 2x2, 1x1, 16x16", model, text, in_order)
    elif sweep.kernel == "conv":
        x, y, z = sweep.result.recommended
        yield Target(f"work: {where} asks for 3 to 8 outputs", model, f"{x} x {y}", 3 <= x * y * z <= 8)
    elif sweep.kernel == "dedispersion":
        gain = predicted[1, 1, 1] / min(predicted.values())
        text = f"gain {gain:.2f}"
        yield Target(f"work: {where} has nothing to gain", model, text, gain <= NOTHING_TO_GAIN)
