"""Random C through every model: each launch of each kernel has a defined time, whose parts add up, and benefits."""

from __future__ import annotations

from math import isfinite
from random import Random

import numpy as np
import pytest
from support.iteration_order.random_nests import random_nests
from support.one_launch.shared_memory import choice_of
from support.one_launch.shared_region import shared_regions
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import compare_models
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import gpu_names, load_gpu

pytestmark = pytest.mark.long

NESTS = 40
SIZES = (-1, 0, 1, 2, 11, 33, 1000, 4096, 2**20, 2**31, 2**60)
BLOCKS = ((1, 1, 1), (32, 1, 1), (256, 1, 1), (16, 16, 1), (64, 16, 1), (2048, 1, 1), (7, 3, 2))
OUTPUTS = ((1, 1, 1), (2, 1, 1), (1, 4, 1), (8, 8, 1))


@pytest.mark.parametrize("first", range(0, 3 * NESTS, NESTS))
def test_every_model_has_an_answer_for_a_random_nest(first: int) -> None:
    source, random, launches = random_nests(range(first, first + NESTS)), Random(first), 0
    unit = parse_unit(source, Preprocessed(f'# 1 "t.c"\n{source}', "t.c"), Memo())
    for facts in (analyse_nest(lowered.nest) for function in unit.functions for lowered in function.nests):
        sizes = extend_sizes({name: random.choice(SIZES) for name in facts.parameters}, facts.nest)
        for kernel in (kernel_at(each, sizes) for each in facts.kernels):
            block, outputs = random.choice(BLOCKS), random.choice(OUTPUTS)
            regions = shared_regions(kernel, block, sizes, outputs)
            staged = tuple(choice_of(region, 0.0, 0.0) for region in regions if random.random() < 0.5)
            gpu = load_gpu(random.choice(gpu_names()))
            with np.errstate(all="raise", under="ignore"):
                case = kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block, staged, outputs), gpu)
                compared, found = compare_models(case, ()), benefits(case)
            for made in compared.predictions:
                assert isfinite(made.time_s)
                assert sum(seconds for _, seconds in made.breakdown_s) == pytest.approx(made.time_s, rel=1e-9)
                assert all(seconds >= 0 for _, seconds in made.breakdown_s)
                assert all(0 <= spot.idle_share <= 1 for spot in made.hotspots)
            assert all(isfinite(benefit.cycles) and benefit.cycles >= 0 for benefit in found)
            launches += 1
    assert launches > NESTS // 8
