"""A kernel with its formulas replaced by numbers is predicted exactly as the kernel itself."""

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.models.resios.resios import predict
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu


@pytest.mark.parametrize("n", [0, 1, 100, 4096])
@pytest.mark.parametrize("gpu_name", ["a100", "gtx460"])
def test_predictions_are_the_same(some_facts: NestFacts, gpu_name: str, n: int) -> None:
    gpu, sizes = load_gpu(gpu_name), {"n": n, "t": 3}
    for kernel in some_facts.kernels:
        block = (16, 16, 1) if len(kernel.grid) > 1 else (128, 1, 1)
        sized = kernel_at(kernel, sizes)
        opportunities = shared_opportunities(SizedKernel(kernel, sizes), block, gpu)
        assert shared_opportunities(SizedKernel(sized, sizes), block, gpu) == opportunities
        launch = LaunchConfig(block, opportunities)
        assert predict(SizedKernel(sized, sizes), launch, gpu) == predict(SizedKernel(kernel, sizes), launch, gpu)


def test_what_has_no_value_stays(matmul: NestFacts) -> None:
    kernel = matmul.kernels[0]
    assert kernel_at(kernel, {}) == kernel
    strides = dict(kernel_at(kernel, {"n": 5}).accesses[1].stride_bytes)
    (along_k,) = (s for loop, s in strides.items() if loop not in kernel.thread_order)
    assert along_k == Polynomial.constant(20)
