"""What of a pinned launch a kernel or a GPU does not allow, in a C programmer's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from warplens.analysis.facts.mapping import Team
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staged_regions import room_bytes, stageable_arrays
from warplens.analysis.gpu.staging.staging_opportunities import block_opportunities
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.launches.launch_space import works_per_thread
from warplens.analysis.models.results.launch_pin import LaunchPin

_MOST_Z = 64
"""Source: CUDA C++ Programming Guide, technical specifications (of every compute capability)."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that can't be made, and why; `change` is "block", "workPerThread" or "shared"."""

    change: str
    message: str


def allowed_pin(sized: SizedKernel, pin: LaunchPin, gpu: Gpu) -> tuple[LaunchPin, tuple[Refusal, ...]]:
    """What of a pin can be tried at all, arrays by the names that the kernel has for them, and why not the rest."""
    kernel = sized.kernel
    refusals: list[Refusal] = []
    if pin.block is not None and (why := _block_refusal(kernel, pin.block, gpu)):
        refusals.append(Refusal("block", why))
        pin = replace(pin, block=None)
    known = works_per_thread(kernel)
    if pin.work_per_thread not in {None, *known}:
        alone = "1, as a team shares its row's," if kernel.team is not None else "1, as each tile starts elsewhere,"
        one_of = f"{', '.join(map(str, known[:-1]))} or {known[-1]}" if known[1:] else alone
        refusals.append(Refusal("workPerThread", f"a thread of this loop can have {one_of} outputs"))
        pin = replace(pin, work_per_thread=None)
    if pin.shared is not None:
        found = {name: _array_of(sized, name) for name in dict.fromkeys(pin.shared)}
        reasons = {name: _array_refusal(kernel, name) for name, array in found.items() if array is None}
        refusals += [Refusal("shared", why) for why in reasons.values()]
        arrays = tuple(dict.fromkeys(array for array in found.values() if array is not None))
        # Where none of the wished ones is known, that is no wish for none.
        pin = replace(pin, shared=None if reasons and not arrays else arrays)
    return pin, tuple(refusals)


def staging_refusals(
    sized: SizedKernel, pin: LaunchPin, block: Extent, gpu: Gpu
) -> tuple[LaunchPin, tuple[Refusal, ...]]:
    """What of the pinned arrays a block can't stage together, the first ones first, and why not the rest.

    Of threads with one output each.
    """
    if pin.shared is None:
        return pin, ()
    found = {each.choice(0).array: each for each in block_opportunities(sized, block, gpu)}
    needed = {array: int(each.region.size_bytes[0]) for array, each in found.items()}
    most, taken = room_bytes(gpu), 0
    kept: list[str] = []
    refusals: list[Refusal] = []
    for array in pin.shared:
        name, size_bytes = c_name(array), needed.get(array, 0)
        room = f"a block has {most} bytes of shared memory for tiles on the {gpu.name}"
        if array not in needed:
            why = f"`{name}` can't be staged: data decides which of its elements a block reads"
        elif size_bytes > most:
            why = f"what a block reads of `{name}` takes {size_bytes} bytes, {room}"
        elif not found[array].is_worth[0]:
            why = f"staging `{name}` would save nothing: a block reads no more of it than it would have to copy"
        elif taken + size_bytes > most:
            why = f"`{name}` takes {size_bytes} bytes beside {taken} of the other arrays, {room}"
        else:
            kept.append(array)
            taken += size_bytes
            continue
        refusals.append(Refusal("shared", why))
    return replace(pin, shared=tuple(kept) if kept or not pin.shared else None), tuple(refusals)


def launch_refusal(sized: SizedKernel, pin: LaunchPin, gpu: Gpu) -> Refusal:
    """Why no launch is possible that is as the pin says."""
    change = "block" if pin.block is not None else "workPerThread" if pin.work_per_thread is not None else "shared"
    block = pin.block or (gpu.warp_size_threads, 1, 1)
    case = kernel_on_gpu(sized, LaunchConfig(block, (), (pin.work_per_thread or 1, 1, 1)), gpu)
    if case.occupancy.limited_by == "registers":
        threads, each = prod(block), case.registers.per_thread
        return Refusal(
            change,
            f"{threads} threads with {each} registers each do not fit on a multiprocessor of the {gpu.name}, which has "
            f"{gpu.occupancy.registers_per_sm}",
        )
    return Refusal(change, f"the {gpu.name} can't run such a launch of this loop")


def _block_refusal(kernel: Kernel, block: Extent, gpu: Gpu) -> str:
    threads, most = prod(block), gpu.occupancy.max_threads_per_block
    dimensions = len(kernel.thread_order)
    if threads > most:
        return f"a block of {threads} threads is too large: the {gpu.name} allows {most}"
    team = kernel.team
    if team is not None and (block[0] != team.threads or (block[1] > 1 and not team.is_warp)):
        return f"{team.threads} threads share a row in this mapping: {_blocks_of_team(team)}"
    if block[2] > _MOST_Z:
        return f"a block can have {_MOST_Z} threads along its third axis, not {block[2]}"
    if any(extent > 1 for extent in block[dimensions:]):
        loops = "one loop" if dimensions == 1 else f"{dimensions} loops"
        return f"threads lie along {loops} here: a block has {dimensions} extent{'s' if dimensions > 1 else ''}"
    return ""


def _blocks_of_team(team: Team) -> str:
    if team.is_warp:
        return f"a block is {team.threads}xN threads, a row for each of N warps"
    return f"a block has {team.threads} threads"


def _array_of(sized: SizedKernel, name: str) -> str | None:
    """The array that a user means, if a block could stage it."""
    arrays = stageable_arrays(sized)
    return next((array for array in arrays if name in {array, c_name(array)}), None)


def _array_refusal(kernel: Kernel, name: str) -> str:
    if kernel.team is not None:
        return f"a team reads `{name}` once: nothing is staged where threads share a row"
    if kernel.is_one_each:
        return f"what a block reads of `{name}` has no common start: the tiles of its threads start elsewhere each"
    arrays = dict.fromkeys(c_name(facts.access.array) for facts in kernel.accesses if not facts.is_private)
    if name in arrays:
        return (
            f"`{name}` is written in the loop: only arrays that it just reads can be staged, and those of which each "
            "iteration writes elements far from its neighbour's once"
        )
    return f"there is no array `{name}` in this loop{_known(arrays)}"


def _known(names: Mapping[str, None]) -> str:
    return f", its arrays are {', '.join(f'`{name}`' for name in names)}" if names else ""
