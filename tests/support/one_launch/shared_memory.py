"""What a block could stage in shared memory (Resios 6.1, 6.2); the search over launches tries every subset of it."""

from __future__ import annotations

from collections.abc import Mapping

from support.one_launch.placement import place_threads
from support.one_launch.shared_region import Region, padded_regions
from support.one_launch.warp_lanes import first_iterations, warp_lanes
from support.one_launch.warp_requests import alignments, warp_request
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT
from warplens.analysis.gpu.placement.warp_lanes import iterator_values
from warplens.analysis.gpu.requests.coalescing import lane_addresses
from warplens.analysis.workload.kernels.work_per_thread import varying_accesses


def shared_opportunities(
    kernel: Kernel, block: Extent, sizes: Mapping[str, int], gpu: Gpu, outputs: Extent = ONE_OUTPUT
) -> tuple[SharedChoice, ...]:
    """Regions that a block reads again or accesses scattered, in greedy order: decreasing benefit = accesses / size.

    The region of an array is the box that all its reads touch while the block's threads run. A sequential loop longer
    than the block's x extent is cut into chunks of that many iterations (the tile of a matrix product), so that the
    region is staged once per chunk, and again in every iteration of the loops outside it. With several `outputs` per
    thread the box is that of all of them; what registers share between them is read once.
    Units: bytes per block. `saved_bytes` is the traffic of the requests without any cache, less that of the stagings.
    Source: Resios 6.1 (footprint), algorithm 6.2 (benefit).
    Assumes: arrays that the kernel only reads or that blocks collect; all subscripts polynomial.
    Not modelled: regions larger than the limit per block in part; arrays that a thread owns (registers serve those).
    Raises: KeyError for a parameter without value.
    """
    place = place_threads(kernel, block, sizes, outputs)
    lanes, active = warp_lanes(block, place.threads, gpu.warp_size_threads)
    values = iterator_values(kernel, first_iterations(lanes, place.output_steps), sizes)
    varying = varying_accesses(kernel)
    warps = -(-(block[0] * block[1] * block[2]) // gpu.warp_size_threads)
    threads = float(active.sum(axis=1).mean()) * warps
    aligned = alignments((), gpu.l2.line_bytes, 1)
    choices: list[SharedChoice] = []
    for region in padded_regions(kernel, block, sizes, gpu, outputs):
        moved_bytes = region.elements * region.element_bytes
        executions = [
            float(facts.executions_per_thread.evaluate(sizes))
            * place.full_copies(varying.get(facts.access.id, Variation()))
            for facts in region.accesses
        ]
        addresses = [lane_addresses(facts.address, values, sizes) for facts in region.accesses]
        reads = 0.0
        for often, address in zip(executions, addresses, strict=True):
            if address is not None:
                reads += often * threads
        if region.size_bytes > min(gpu.occupancy.shared_per_block_bytes, 48 * 1024):
            continue
        traffic, element_bytes = 0.0, region.element_bytes
        for facts, often, address in zip(region.accesses, executions, addresses, strict=True):
            if address is not None:
                request = warp_request(address, active, facts.access.element_bytes, gpu.l2, aligned)
                traffic += often * warps * request.sectors * gpu.l2.sector_bytes
        saved = traffic - moved_bytes * region.stagings
        is_read_again, is_scattered = reads > region.elements * region.stagings, traffic >= 2 * reads * element_bytes
        if saved <= 0 or not (is_read_again or is_scattered):
            continue
        choices.append(choice_of(region, reads, saved))
    return tuple(sorted(choices, key=lambda choice: (-choice.benefit, choice.array)))


def choice_of(region: Region, reads_per_block: float, saved_bytes: float) -> SharedChoice:
    """A region as something to stage; `saved_bytes` is the traffic that it saves per block."""
    size_bytes = region.size_bytes
    return SharedChoice(
        array=region.accesses[0].access.array,
        accesses=tuple(facts.access.id for facts in region.accesses),
        size_bytes=size_bytes,
        reads_per_block=reads_per_block,
        benefit=reads_per_block / size_bytes,
        saved_bytes=saved_bytes,
        stagings_per_block=region.stagings,
        row_bytes=region.row_bytes,
        alignment_bytes=region.alignment_bytes,
        element_bytes=region.element_bytes,
        is_written=region.is_written,
        pad_elements=region.pad,
        pad_bytes=size_bytes - region.elements * region.element_bytes,
    )
