"""WL204: shared memory would serve what a block reads again, or what its threads use far apart.

## What
The recommended launch stages a region of this array in shared memory, because the threads of a block read it more
than once. Or neighbouring threads use elements of it that are far apart, and a launch that copies them through shared
memory, along the rows that lie together, is predicted to be faster than the recommended one.

## Why
Shared memory is on the chip: a staged element is read from global memory once per block instead of once per use, and
threads of a warp find elements in any order there as fast as side by side.

## Example
```c
for (int i = 1; i < n - 1; i++)
    b[i] = a[i - 1] + a[i] + a[i + 1];   /* each a[i] is read by three threads */
for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
        s[i] += c[i * n + k];            /* neighbouring threads read neighbouring rows */
```

## Fix
Load the block's region (with its halo) into a `__shared__` array, synchronise, compute from there; collect what is
written in one, synchronise, copy it out row by row. The full card gives the size, the port to CUDA does it.

## Fix safety
Not automatic yet; needs barriers that every thread of the block reaches.

## Does not report
Regions that do not fit, choices that the model predicts to save less than 5 % of the kernel's time, and kernels that
take less than launching them.

## Source
Resios, algorithm 6.2, for the greedy order, which is shown; the choice is the search's over all subsets (Haigh &
McCreath).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.time_range import is_short
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.quantities import bytes_text
from warplens.analysis.text.rounded import round_ratio, times_text

LEAST_GAIN = 1.05


def gain_of_staging(kernel: KernelEvaluation) -> float:
    """Time of the best launch without shared memory over the recommended one's; 1 when nothing is staged."""
    unstaged = kernel.ranking.unstaged if kernel.ranking else None
    if not kernel.prediction.launch.shared or unstaged is None or not kernel.prediction.time_s:
        return 1.0
    return unstaged.time_s / kernel.prediction.time_s


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per staged array, at the first access it serves."""
    yield from _read_again(evaluation)
    yield from _far_apart(evaluation)


def _far_apart(evaluation: NestEvaluation) -> Iterator[Finding]:
    """Arrays that only the best of all launches keeps in shared memory."""
    has_ground = grounds_of(evaluation).carry_numbers
    for kernel in evaluation.kernels:
        best = kernel.ranking.ranked[0] if kernel.ranking and kernel.ranking.ranked else None
        if best is None or not best.time_s or is_short(kernel.prediction):
            continue
        known = {choice.array for choice in kernel.prediction.launch.shared}
        gain = kernel.prediction.time_s / best.time_s
        if gain < LEAST_GAIN:
            continue
        faster = f" make the kernel {times_text(gain)} faster" if has_ground and round_ratio(gain) > 1 else " save time"
        for choice in best.launch.shared:
            if choice.array in known or choice.is_read_again:
                continue
            how = "Collecting them in" if choice.is_written else "Copying them to"
            yield Finding(
                "WL204",
                min(choice.accesses),
                f"Shared memory: neighbouring threads use elements of `{c_name(choice.array)}` that are far apart. "
                f"{how} shared memory ({bytes_text(choice.size_bytes)} per block), row by row, as a port to CUDA can, "
                f"would{faster}.",
                "information",
                gain=gain if has_ground else None,
                cause=(kernel.kernel.root,),
                place=f"`{c_name(choice.array)}`",
                array=choice.array,
            )


def _read_again(evaluation: NestEvaluation) -> Iterator[Finding]:
    has_ground = grounds_of(evaluation).carry_numbers
    for kernel in evaluation.kernels:
        gain = gain_of_staging(kernel)
        if gain < LEAST_GAIN or is_short(kernel.prediction):
            continue
        faster = f" make the kernel {times_text(gain)} faster" if has_ground and round_ratio(gain) > 1 else " save time"
        for choice in kernel.prediction.launch.shared:
            yield Finding(
                "WL204",
                min(choice.accesses),
                f"Shared memory: threads of a block read the same elements of `{c_name(choice.array)}`. Reading "
                f"them once into shared memory ({bytes_text(choice.size_bytes)} per block), as a port to CUDA can, "
                f"would{faster}.",
                "information",
                gain=gain if has_ground else None,
                cause=(kernel.kernel.root,),  # the gain is that of all arrays which its launch keeps there
                place=f"`{c_name(choice.array)}`",
                array=choice.array,
            )


RULE = Rule("WL204", "shared-memory opportunity", __doc__ or "", check)
