"""More iterations of a streaming loop never take less time, partly filled warps and blocks included."""

from itertools import pairwise

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.resios.resios import predict
from warplens.hwprofiles.loader import load_gpu


@pytest.mark.parametrize("gpu_name", ["a100", "h100", "k20", "gtx460"])
@pytest.mark.parametrize("block", [32, 256, 1024])
def test_time_does_not_fall_with_the_size(vecadd: NestFacts, gpu_name: str, block: int) -> None:
    (kernel,) = vecadd.kernels
    gpu = load_gpu(gpu_name)
    launch = LaunchConfig((block, 1, 1))
    sizes = [8, 12, 31, 32, 48, 96, 100, 250, 256, 1000, 5000, 10**5, 10**6, 10**7, 10**9]
    times = [predict(SizedKernel(kernel, {"n": n}), launch, gpu).time_s for n in sizes]
    for smaller, larger in pairwise(times):
        assert larger >= smaller * 0.98


@pytest.mark.parametrize("n", [12, 48, 100, 1000])
def test_streaming_comes_from_device_memory_also_in_partly_filled_blocks(vecadd: NestFacts, n: int) -> None:
    prediction = predict(SizedKernel(vecadd.kernels[0], {"n": n}), LaunchConfig((32, 1, 1)), load_gpu("a100"))
    assert [cost.dram_sectors / cost.sectors for cost in prediction.costs] == pytest.approx([1.0] * 3, rel=0.1)
