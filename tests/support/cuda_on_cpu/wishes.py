"""Launches that a port is written for: blocks that are no multiple of a warp, work per thread, staged arrays."""

from __future__ import annotations

from random import Random

from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

_BLOCKS = {
    1: ((32, 1, 1), (64, 1, 1), (20, 1, 1), (1, 1, 1), (33, 1, 1)),
    2: ((8, 8, 1), (16, 4, 1), (32, 2, 1), (4, 16, 1), (7, 5, 1), (1, 9, 1), (20, 3, 1)),
    3: ((8, 4, 2), (4, 4, 4), (32, 1, 1), (3, 5, 2), (16, 2, 1)),
}
_OUTPUTS = {
    1: ((2, 1, 1), (4, 1, 1), (3, 1, 1)),
    2: ((1, 2, 1), (2, 1, 1), (1, 4, 1), (2, 2, 1), (4, 2, 1), (3, 3, 1)),
    3: ((1, 2, 1), (2, 1, 1), (1, 1, 2), (2, 2, 1)),
}
PLAIN = (1, 1, 1)


def some_wishes(evaluation: NestEvaluation, seed: int) -> tuple[LaunchWish, ...]:
    """As predicted; one output; several outputs; every array that pays somewhere staged, alone and all together."""
    random = Random(seed)
    own = evaluation.in_source_order  # which every launch but the predicted one is written for
    dimensions = min(len(kernel.kernel.thread_order) for kernel in own.kernels)
    blocks, outputs = _BLOCKS[min(dimensions, 3)], _OUTPUTS[min(dimensions, 3)]
    wishes = [
        AS_PREDICTED,
        LaunchWish(random.choice(blocks), PLAIN, ()),
        LaunchWish(random.choice(blocks), random.choice(outputs), ()),
    ]
    arrays = staged_arrays(own)
    subsets = [(array,) for array in arrays] + ([arrays] if len(arrays) > 1 else [])
    for subset in subsets:
        wishes.append(LaunchWish(random.choice(blocks), PLAIN, subset))
        wishes.append(LaunchWish(random.choice(blocks), random.choice(outputs), subset))
    return tuple(wishes)


def staged_arrays(evaluation: NestEvaluation) -> tuple[str, ...]:
    """Arrays that the search has staged in some launch, or that pay in the recommended one."""
    found: dict[str, None] = {}
    for kernel in evaluation.kernels:
        found |= dict.fromkeys(choice.array for choice in kernel.shared_greedy)
        if kernel.ranking is not None:
            ranked = (choice.array for one in kernel.ranking.ranked for choice in one.launch.shared)
            found |= dict.fromkeys(ranked)
    return tuple(found)
